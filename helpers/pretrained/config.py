"""What a BERT-type model says about itself: its sizes, and how it reads."""

import json
from dataclasses import dataclass
from pathlib import Path

from helpers.pretrained.files import (
    FileError,
    parsed_json,
    read_text,
)
from helpers.pretrained.wordpiece import WordPiece
from helpers.sizes import SizeError, whole

SIZES = {  # our name -> its name in config.json, and the most we take
    "n_layers": ("num_hidden_layers", 64),
    "h": ("num_attention_heads", 128),
    "d_model": ("hidden_size", 8192),
    "width": ("intermediate_size", 65536),
    "vocabulary": ("vocab_size", 2_000_000),
    "places": ("max_position_embeddings", 8192),
    "kinds": ("type_vocab_size", 64),
}
FIXED = {  # what this encoder computes, and nothing else
    "model_type": ("bert",),
    "hidden_act": ("gelu",),
    "position_embedding_type": ("absolute",),
    "is_decoder": (False,),
    "add_cross_attention": (False,),
}


@dataclass(frozen=True)
class Config:
    """The sizes of a BERT-type model.

    Parameters
    ----------
    n_layers, h, d_model : int
    width : int
        Inside the MLP.
    vocabulary, places, kinds : int
        Rows of the three embeddings: pieces, positions, token types.
    eps : float
        Of the LayerNorms.
    """

    n_layers: int
    h: int
    d_model: int
    width: int
    vocabulary: int
    places: int
    kinds: int
    eps: float


def read_config(folder):
    """Return what config.json says; raises FileError if it is not BERT's."""
    said = parsed_json(read_text(Path(folder) / "config.json"), "config.json")
    for key, known in FIXED.items():
        if said.get(key, known[0]) not in known:
            raise FileError(
                f"config.json says {key} = {json.dumps(said[key])[:40]}; "
                f"this encoder computes {json.dumps(known[0])} only: models "
                f"built like BERT (BERT, MiniLM), no others."
            )
    try:
        sizes = {
            ours: whole(theirs, said.get(theirs), 1, most)
            for ours, (theirs, most) in SIZES.items()
        }
    except SizeError as error:
        raise FileError(f"config.json: {error}") from None
    if sizes["d_model"] % sizes["h"]:
        raise FileError(
            f"config.json: {sizes['h']} heads cannot share a width of "
            f"{sizes['d_model']} evenly."
        )
    eps = said.get("layer_norm_eps", 1e-12)
    if not isinstance(eps, float) or not 0 < eps < 1:
        raise FileError("config.json: layer_norm_eps must be from 0 to 1.")
    return Config(**sizes, eps=eps)


def read_wordpiece(folder, most=512):
    """Return the WordPiece of a folder: vocab.txt, or tokenizer.json.

    Parameters
    ----------
    folder : str or Path
    most : int
        The most pieces the model reads at once.

    Raises
    ------
    FileError
        If neither is there, or tokenizer.json is of another kind.
    """
    folder = Path(folder)
    if (folder / "vocab.txt").exists():
        said = {}
        if (folder / "tokenizer_config.json").exists():
            name = "tokenizer_config.json"
            said = parsed_json(read_text(folder / name), name)
        pieces = read_text(folder / "vocab.txt").split("\n")
        return WordPiece(
            [piece.rstrip("\r") for piece in pieces if piece],
            bool(said.get("do_lower_case", True)),
            said.get("strip_accents"),
            bool(said.get("tokenize_chinese_chars", True)),
            most,
        )
    if not (folder / "tokenizer.json").exists():
        raise FileError(
            "The folder has neither vocab.txt nor tokenizer.json: without a "
            "vocabulary no text can be cut into pieces."
        )
    said = parsed_json(read_text(folder / "tokenizer.json"), "tokenizer.json")
    model, normal = said.get("model"), said.get("normalizer")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    kinds = [
        part.get("type") if isinstance(part, dict) else None
        for part in (model, normal)
    ]
    if kinds != ["WordPiece", "BertNormalizer"] or not (
        isinstance(vocabulary, dict)
        and all(type(row) is int for row in vocabulary.values())
    ):
        raise FileError(
            "tokenizer.json is not a BERT-type WordPiece: the model cuts its "
            "text in another way, and this encoder would misread it."
        )
    return WordPiece(
        vocabulary,
        bool(normal.get("lowercase", True)),
        normal.get("strip_accents"),
        bool(normal.get("handle_chinese_chars", True)),
        most,
    )
