"""A BERT-type encoder: pieces in, states and maps of every layer out.

    X = LayerNorm(word + position + token type)
    for each layer:  X = LayerNorm(X + attention(X))
                     X = LayerNorm(X + W_2 gelu(W_1 X))

The attention is the collection's own, from helpers/attention.py. Layers and
heads count from 0; a name shown to a reader ("4-2") counts from 1.

Source: Devlin et al., "BERT" (2019); Vaswani et al. (2017), section 3, for
the layer.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    split_heads,
)
from helpers.pretrained.config import read_config, read_wordpiece
from helpers.pretrained.files import FileError, minilm_folder, or_sentence
from helpers.pretrained.functions import gelu, layer_norm
from helpers.pretrained.safetensors import read_safetensors
from helpers.sizes import whole

OLD_NAMES = {"LayerNorm.weight": "LayerNorm.gamma"}
OLD_NAMES |= {"LayerNorm.bias": "LayerNorm.beta"}
PARTS = {  # our name -> its name in the file
    "Q": "attention.self.query",
    "K": "attention.self.key",
    "V": "attention.self.value",
    "O": "attention.output.dense",
    "norm 1": "attention.output.LayerNorm",
    "1": "intermediate.dense",
    "2": "output.dense",
    "norm 2": "output.LayerNorm",
}


class EncoderRun(NamedTuple):
    """What happened in a run of n layers.

    Parameters
    ----------
    hidden : array (n + 1, N, d_model)
        The state entering each layer, and after the last one.
    attn : array (n, h, N, N)
        The maps; each row sums to 1.
    """

    hidden: np.ndarray
    attn: np.ndarray


class Encoder:
    """A model's weights and vocabulary, and the way through them.

    Parameters
    ----------
    config : Config
    arrays : dict of {str: array}
        As `read_safetensors` returns them.
    wordpiece : WordPiece

    Raises
    ------
    FileError
        If an array is missing, or its shape is not what the config says.
    """

    def __init__(self, config, arrays, wordpiece):
        self.config = config
        self.wordpiece = wordpiece
        arrays = {
            name.removeprefix("bert."): array for name, array in arrays.items()
        }
        d, width = config.d_model, config.width
        self.embeddings = [
            _array(arrays, f"embeddings.{name}_embeddings.weight", (rows, d))
            for name, rows in (
                ("word", config.vocabulary),
                ("position", config.places),
                ("token_type", config.kinds),
            )
        ]
        self.norm = _pair(arrays, "embeddings.LayerNorm", (d,))
        shapes = {name: (d, d) for name in "QKVO"}
        shapes |= {"1": (width, d), "2": (d, width)}
        self.layers = [
            {
                ours: _pair(
                    arrays,
                    f"encoder.layer.{layer}.{theirs}",
                    shapes.get(ours, (d,)),
                )
                for ours, theirs in PARTS.items()
            }
            for layer in range(config.n_layers)
        ]

    def encode(self, text):
        """Cut a text into Pieces; see `WordPiece.encode`."""
        return self.wordpiece.encode(text)

    def run(self, ids, block=(), patch=None, layers=None):
        """Run the pieces through the layers.

        Parameters
        ----------
        ids : sequence of int (N,)
            Rows of the word embedding, as `encode(text).ids`.
        block : iterable of (layer, head or None, query, key)
            Each hides one key from one query, in one head or in all.
        patch : (layer, row, vector), optional
            The vector (d_model,) replaces that row of the state entering
            the layer.
        layers : int, optional
            Run the first ones only; all, if left out.

        Returns
        -------
        EncoderRun

        Raises
        ------
        SizeError, ValueError
            If an id, a layer, a head or a row does not exist.
        FileError
            If the weights hold NaN or infinity.
        """
        c = self.config
        n = c.n_layers if layers is None else layers
        n = whole("layers", n, 1, c.n_layers)
        X = self.embed(ids)
        N = len(X)
        masks = self._masks(block, n, N)
        hidden = np.empty((n + 1, N, c.d_model), np.float32)
        attn = np.empty((n, c.h, N, N), np.float32)
        for layer in range(n):
            if patch is not None and patch[0] == layer:
                X[whole("row", patch[1], 0, N - 1)] = patch[2]
            hidden[layer] = X
            X, attn[layer] = self.layer(layer, X, masks.get(layer))
        hidden[n] = X
        return EncoderRun(hidden, attn)

    def embed(self, ids):
        """Return the state entering layer 0: array (N, d_model)."""
        c = self.config
        whole("N", len(ids), 1, c.places)
        rows = [whole("id", row, 0, c.vocabulary - 1) for row in ids]
        words, places, kinds = self.embeddings
        X = words[rows] + places[: len(rows)] + kinds[0]
        return layer_norm(np.float32(X), *self.norm, c.eps)

    def layer(self, number, X, mask=None):
        """Return the state after a layer, and the layer's maps.

        Parameters
        ----------
        number : int
        X : array (N, d_model)
        mask : bool array (h, N, N), optional
            True where a query may see a key.

        Returns
        -------
        X : array (N, d_model)
        attn : array (h, N, N)
        """
        part, c = self.layers[number], self.config
        if not np.isfinite(X).all():
            raise FileError("The file's weights hold NaN or infinity.")
        Q, K, V = (split_heads(_linear(X, part[name]), c.h) for name in "QKV")
        heads, attn = grouped_query_attention(Q, K, V, mask)
        X = X + _linear(merge_heads(heads), part["O"])
        X = layer_norm(X, *part["norm 1"], c.eps)
        X = X + _linear(gelu(_linear(X, part["1"])), part["2"])
        return layer_norm(X, *part["norm 2"], c.eps), attn

    def _masks(self, block, n, N):
        """Return {layer: mask (h, N, N)} for the layers that have blocks."""
        c, masks = self.config, {}
        for layer, head, query, key in block:
            whole("layer", layer, 0, c.n_layers - 1)
            heads = slice(None)
            if head is not None:
                heads = whole("head", head, 0, c.h - 1)
            query = whole("query", query, 0, N - 1)
            key = whole("key", key, 0, N - 1)
            mask = masks.setdefault(layer, np.ones((c.h, N, N), bool))
            mask[heads, query, key] = False
        return masks


def _linear(X, part):  # the file holds matrices as (out, in)
    W, b = part
    return X @ W.T + b


def _pair(arrays, name, shape):
    """Return a part's weight and bias."""
    weight = _array(arrays, f"{name}.weight", shape)
    return weight, _array(arrays, f"{name}.bias", shape[:1])


def _array(arrays, name, shape):
    """Return an array of the file in float32, its shape checked."""
    last = ".".join(name.split(".")[-2:])
    if name not in arrays and last in OLD_NAMES:
        name = name.replace(last, OLD_NAMES[last])
    if name not in arrays:
        raise FileError(f"The file has no array {name}: not a BERT model.")
    array = arrays[name]
    if array.shape != shape:
        raise FileError(
            f"{name} must have shape {shape}, as config.json says: got "
            f"{array.shape}."
        )
    if array.dtype.kind != "f":
        raise FileError(f"{name} must hold floats: got {array.dtype}.")
    return np.require(array, np.float32, "A")


def load_encoder(folder=None):
    """Open an encoder; its weights stay on disk until they are touched.

    Parameters
    ----------
    folder : str or Path, optional
        A folder of your own with config.json, model.safetensors, and
        vocab.txt or tokenizer.json. Left out: the installed
        all-MiniLM-L6-v2, its files checked by SHA-256.

    Returns
    -------
    Encoder

    Raises
    ------
    MissingError
        If the package is not installed; the text is how to install it.
    FileError
        If a file is missing, hostile or of another kind of model.
    """
    folder = minilm_folder() if folder is None else Path(folder)
    if not folder.is_dir():
        raise FileError(f"There is no folder {str(folder)[:200]!r}.")
    weights = folder / "model.safetensors"
    if not weights.exists():
        raise FileError(_no_weights(folder))
    config = read_config(folder)
    wordpiece = read_wordpiece(folder, min(config.places, 512))
    return Encoder(config, read_safetensors(weights), wordpiece)


def _no_weights(folder):
    runs = sorted(
        path.name
        for pattern in ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
        for path in folder.glob(pattern)
    )
    if not runs:
        return "The folder has no model.safetensors."
    return (
        f"The folder has {runs[0]} and no model.safetensors. Files of that "
        f"kind are pickles, and a pickle can run code when it is opened, so "
        f"they are never opened here. Save the model anew where you trust "
        f"it: model.save_pretrained(folder, safe_serialization=True)."
    )


def encoder_or_sentence(folder=None):
    """Return (encoder, None), or (None, a sentence): nothing is raised."""
    return or_sentence(load_encoder, folder)
