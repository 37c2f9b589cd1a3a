"""What lies in the folder of a BERT-type model: sizes, vocabulary, weights.

A model that was built in another way is refused with the reason, because
its numbers would come out, and be wrong.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from helpers.pretrained.files import FileError
from helpers.pretrained.text_files import read_json, read_text
from helpers.pretrained.wordpiece import MOST_PIECES, WordPiece
from helpers.sizes import SizeError, whole

SIZES = {  # our name -> its name in config.json, and the most we take
    "n_layers": ("num_hidden_layers", 64),
    "h": ("num_attention_heads", 128),
    "d_model": ("hidden_size", 8192),
    "width": ("intermediate_size", 65_536),
    "vocabulary": ("vocab_size", 2_000_000),
    "places": ("max_position_embeddings", 8192),
    "kinds": ("type_vocab_size", 64),
}
COMPUTED = {  # what the encoder computes, and nothing else
    "model_type": "bert",
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
}
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")


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
    """Return the Config of a folder; FileError if it is not like BERT's."""
    said = read_json(Path(folder) / "config.json")
    for key, computed in COMPUTED.items():
        if said.get(key, computed) != computed:
            raise FileError(
                f"config.json says {key} = {json.dumps(said[key])[:40]}, and "
                f"only {json.dumps(computed)} is computed here: this encoder "
                f"runs models built like BERT, such as BERT and MiniLM."
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
        raise FileError(
            "config.json: layer_norm_eps must be a number between 0 and 1."
        )
    return Config(**sizes, eps=eps)


def read_wordpiece(folder, places=MOST_PIECES):
    """Return the WordPiece of a folder: of vocab.txt, or tokenizer.json.

    Parameters
    ----------
    folder : str or Path
    places : int
        The most pieces the model can read at once; 512 at most are taken.

    Raises
    ------
    FileError
        If neither file is there, or it is of another kind.
    """
    folder = Path(folder)
    if (folder / "vocab.txt").exists():
        return _from_list(folder, min(places, MOST_PIECES))
    if (folder / "tokenizer.json").exists():
        return _from_json(folder, min(places, MOST_PIECES))
    raise FileError(
        "The folder has neither vocab.txt nor tokenizer.json: without a "
        "vocabulary no text can be cut into pieces."
    )


def _from_list(folder, most):
    said = {}
    if (folder / "tokenizer_config.json").exists():
        said = read_json(folder / "tokenizer_config.json")
    lines = read_text(folder / "vocab.txt").removesuffix("\n").split("\n")
    return WordPiece(
        [line.removesuffix("\r") for line in lines],
        said.get("do_lower_case", True),
        said.get("strip_accents"),
        said.get("tokenize_chinese_chars", True),
        most,
    )


def _from_json(folder, most):
    said = read_json(folder / "tokenizer.json")
    parts = said.get("model"), said.get("normalizer")
    model, normal = (p if isinstance(p, dict) else {} for p in parts)
    rows = model.get("vocab")
    same = (
        model.get("type") == "WordPiece"
        and model.get("continuing_subword_prefix", "##") == "##"
        and model.get("unk_token", "[UNK]") == "[UNK]"
        and normal.get("type") == "BertNormalizer"
        and isinstance(rows, dict)
        and all(type(row) is int for row in rows.values())
    )
    if not same:
        raise FileError(
            "tokenizer.json is not a WordPiece like BERT's: its model cuts "
            "text in another way, and would be misread here."
        )
    return WordPiece(
        rows,
        normal.get("lowercase", True),
        normal.get("strip_accents"),
        normal.get("handle_chinese_chars", True),
        most,
    )


def weights_in(folder):
    """Return the path of model.safetensors, or say what would do instead."""
    folder = Path(folder)
    path = folder / "model.safetensors"
    if path.exists():
        return path
    others = sorted(
        other.name for kind in PICKLES for other in folder.glob(kind)
    )
    if not others:
        raise FileError(
            "The folder has no model.safetensors: all weights must lie in "
            "one file of that name."
        )
    raise FileError(
        f"The folder has {others[0]!r} but no model.safetensors. A file of "
        f"that kind is a pickle, and a pickle can run code when it is "
        f"opened, so none is opened here. Where you trust it, save it anew: "
        f"model.save_pretrained(folder, safe_serialization=True)."
    )
