"""One layer of a BERT-type model, from state to state.

The attention is the collection's own, from helpers/attention.py; what this
adds are biases, residuals, LayerNorms and the MLP. The encoder and the
shipped sample both come here.
"""

import numpy as np

from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    split_heads,
)
from helpers.pretrained.files import FileError
from helpers.pretrained.functions import gelu, layer_norm
from helpers.sizes import SizeError, whole


def attend(X, part, h, mask=None):
    """Run the heads of one layer: heads (h, N, d_k), attn (h, N, N).

    Parameters
    ----------
    X : array (N, d_model)
        The state entering the layer.
    part : dict
        "Q", "K", "V" -> (W, b), as in `Parts.layers`.
    h : int
    mask : bool array (h, N, N), optional
        True where a query may see a key.
    """
    Q = split_heads(linear(X, *part["Q"]), h)  # (h, N, d_k)
    K = split_heads(linear(X, *part["K"]), h)
    V = split_heads(linear(X, *part["V"]), h)
    return grouped_query_attention(Q, K, V, mask)


def after_layer(X, part, config, mask=None):
    """Return the state (N, d_model) after a layer, and its maps (h, N, N)."""
    heads, attn = attend(X, part, config.h, mask)
    X = X + linear(merge_heads(heads), *part["O"])
    X = layer_norm(X, *part["norm 1"], config.eps)
    X = X + linear(gelu(linear(X, *part["1"])), *part["2"])
    return finite(layer_norm(X, *part["norm 2"], config.eps)), attn


def masks_of(block, config, N):
    """Return {layer: mask (h, N, N)} for the layers that have blocks.

    `block` holds (layer, head or None, query, key), as for `Encoder.run`.
    """
    masks = {}
    for layer, head, query, key in block:
        layer = whole("layer", layer, 0, config.n_layers - 1)
        if head is not None:
            head = whole("head", head, 0, config.h - 1)
        heads = slice(None) if head is None else head
        query = whole("query", query, 0, N - 1)
        key = whole("key", key, 0, N - 1)
        mask = masks.setdefault(layer, np.ones((config.h, N, N), bool))
        mask[heads, query, key] = False
    return masks


def checked_state(vector, config):
    """Return a vector that is to replace a row, if it is a state (d_model,).

    Raises
    ------
    SizeError, ValueError
        If it has another shape, or holds NaN or infinity.
    """
    vector = np.asarray(vector)
    if vector.shape != (config.d_model,):
        raise SizeError(
            f"A patch must be one state of shape ({config.d_model},): got "
            f"{vector.shape}."
        )
    if not np.isfinite(vector).all():
        raise ValueError("A patch must hold finite numbers.")
    return vector


def linear(X, W, b):
    """Return X @ W.T + b, for a W (out, in) as BERT's files hold it."""
    return finite(X @ W.T + b)


def finite(X):
    """Return X, if all of it is finite; FileError if not."""
    if not np.isfinite(X).all():
        raise FileError(
            "The model's weights hold NaN, infinity, or numbers too large: "
            "no state can be computed from them."
        )
    return X
