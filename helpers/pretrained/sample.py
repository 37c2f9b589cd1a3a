"""The shipped sample: real weights and states, with nothing to install.

Of all-MiniLM-L6-v2 it holds, in float16, every layer's attention weights,
layer 3's MLP and LayerNorms, and the real states that enter each layer for
18 sentences. So the maps of all 72 heads are computed here, by
helpers/attention.py, from real weights: only the states were computed
before. `make_sample` says how; NOTICE says whose work it is.
"""

import json
import zipfile
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers.pretrained.files import FileError
from helpers.pretrained.layer import (
    after_layer,
    attend,
    checked_state,
    masks_of,
)
from helpers.pretrained.model_folder import Config
from helpers.pretrained.reading import Reading
from helpers.pretrained.wordpiece import Pieces
from helpers.sizes import SizeError, whole

FOLDER = Path(__file__).with_name("sample")
CONFIG = Config(6, 12, 384, 1536, 30522, 512, 2, 1e-12)
FIRST, SECOND = 2, 3  # the circuit's layers, from 0: "layer 3", "layer 4"
D, WIDTH = CONFIG.d_model, CONFIG.width
SHAPES = {
    "layers": {f"W_{name}": (CONFIG.n_layers, D, D) for name in "QKVO"}
    | {f"b_{name}": (CONFIG.n_layers, D) for name in "QKVO"},
    "layer_3": {
        "W_1": (D, WIDTH),
        "b_1": (WIDTH,),
        "W_2": (WIDTH, D),
        "b_2": (D,),
        "norm_1": (2, D),  # gain and shift
        "norm_2": (2, D),
    },
}


# What NumPy and zipfile raise for a file that is cut or is something else.
_UNREADABLE = (OSError, EOFError, ValueError, LookupError, zipfile.BadZipFile)


class Circuit(NamedTuple):
    """Layers 3 and 4, computed again.

    state : array (N, d_model), what enters layer 4
    attn_3, attn_4 : arrays (h, N, N)
    """

    state: np.ndarray
    attn_3: np.ndarray
    attn_4: np.ndarray


class Sample:
    """The sentences of the sample and what the model does with them.

    Files are opened when asked for; weights are widened to float32 once.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    FileError
        If a file is missing or broken; here, or when it is first used.
    """

    config = CONFIG

    def __init__(self, folder=FOLDER):
        self.folder = Path(folder)
        try:
            text = self._path("sentences.json").read_text(encoding="utf-8")
            entries = json.loads(text)["sentences"]
            self._pieces = tuple(
                Pieces(*(tuple(entry[f]) for f in Pieces._fields))
                for entry in entries
            )
            self.sentences = tuple(entry["text"] for entry in entries)
        except (OSError, ValueError, KeyError, TypeError):
            raise self._broken("sentences.json") from None
        ends = np.cumsum([len(pieces.ids) for pieces in self._pieces])
        self._starts = [0, *ends.tolist()]

    def index(self, sentence):
        """Return the place of a sentence, given as text or place.

        Raises SizeError if the sample does not have it.
        """
        if not isinstance(sentence, str):
            return whole("sentence", sentence, 0, len(self.sentences) - 1)
        if sentence not in self.sentences:
            raise SizeError(
                f"The sample has no states of {sentence[:80]!r}. It has "
                f"{len(self.sentences)} sentences, in .sentences; for others "
                f"the whole model is needed."
            )
        return self.sentences.index(sentence)

    def pieces(self, sentence):
        """Return the Pieces of a sentence (its text or place)."""
        return self._pieces[self.index(sentence)]

    def hidden(self, sentence):
        """Return the states entering each layer: array (6, N, d_model)."""
        place = self.index(sentence)
        start, end = self._starts[place : place + 2]
        return self._states[:, start:end].astype(np.float32)

    def attn(self, sentence):
        """Return the maps of all heads: array (6, 12, N, N)."""
        return np.array(
            [
                attend(X, self.part(layer), CONFIG.h)[1]
                for layer, X in enumerate(self.hidden(sentence))
            ]
        )

    def reading(self, sentence):
        """Return a Reading, as findings take it."""
        place = self.index(sentence)
        pieces = self._pieces[place]
        return Reading(
            self.sentences[place],
            pieces.pieces,
            pieces.word_of,
            self.hidden(place),
            self.attn(place),
        )

    def part(self, layer):
        """Return a layer's weights: dict of name -> (W, b), W (out, in).

        "Q", "K", "V", "O"; for layer 2 ("layer 3") the whole layer.
        """
        layer = whole("layer", layer, 0, CONFIG.n_layers - 1)
        return self._parts[layer]

    def circuit(self, sentence, block=(), patch=None):
        """Compute layers 3 and 4 again, with keys hidden or a row changed.

        Parameters
        ----------
        sentence : str or int
        block : iterable of (layer, head or None, query, key)
            Layer 2 or 3, counted from 0; pieces by their place.
        patch : (row, vector), optional
            Replaces a row of the state that enters layer 4.

        Returns
        -------
        Circuit
        """
        X = self.hidden(sentence)[FIRST]
        masks = masks_of(block, CONFIG, len(X))
        if not set(masks) <= {FIRST, SECOND}:
            raise SizeError(
                "The sample computes layers 3 and 4 again: block a key in "
                "layer 2 or 3, counted from 0."
            )
        X, attn_3 = after_layer(X, self.part(FIRST), CONFIG, masks.get(FIRST))
        if patch is not None:
            row, vector = patch
            row = whole("row", row, 0, len(X) - 1)
            X[row] = checked_state(vector, CONFIG)
        second = self.part(SECOND)
        attn_4 = attend(X, second, CONFIG.h, masks.get(SECOND))[1]
        return Circuit(X, attn_3, attn_4)

    @cached_property
    def _states(self):
        shape = (CONFIG.n_layers, self._starts[-1], D)
        return self._read("states", {"states": shape})["states"]

    @cached_property
    def _parts(self):
        """The layers' weights, widened, so that nothing else is kept."""
        held = self._read("layers", SHAPES["layers"])
        parts = [
            {
                name: (
                    _wide(held[f"W_{name}"][layer]).T,
                    _wide(held[f"b_{name}"][layer]),
                )
                for name in "QKVO"
            }
            for layer in range(CONFIG.n_layers)
        ]
        held = self._read("layer_3", SHAPES["layer_3"])
        parts[FIRST] |= {
            "1": (_wide(held["W_1"]).T, _wide(held["b_1"])),
            "2": (_wide(held["W_2"]).T, _wide(held["b_2"])),
            "norm 1": tuple(_wide(held["norm_1"])),
            "norm 2": tuple(_wide(held["norm_2"])),
        }
        return parts

    def _path(self, name):
        path = self.folder / name
        if not path.is_file():
            raise FileError(
                f"The shipped sample is incomplete: {name} is missing in "
                f"helpers/pretrained/sample. Download the collection again."
            )
        return path

    def _broken(self, name):
        return FileError(
            f"The shipped sample is broken: {name} in "
            "helpers/pretrained/sample is not what it was. Download the "
            "collection again."
        )

    def _read(self, name, shapes):
        """Return the arrays of a file, float16, each shape checked."""
        path = self._path(f"{name}.npz")
        try:
            with path.open("rb") as file:
                arrays = np.load(file, allow_pickle=False)
                held = {key: arrays[key] for key in shapes}
        except _UNREADABLE:
            raise self._broken(path.name) from None
        for key, shape in shapes.items():
            kind = held[key].shape, held[key].dtype
            if kind != (shape, np.float16) or np.isnan(held[key]).any():
                raise self._broken(path.name)
        return held


def _wide(array):
    return array.astype(np.float32)


@cache
def load_sample():
    """Return the shipped Sample, the same one each time.

    Raises
    ------
    FileError
        If its files are missing or broken.
    """
    return Sample()
