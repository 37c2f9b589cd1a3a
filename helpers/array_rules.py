"""What an array must be before attention takes it, and what is said if not.

`attention.py` calls these first, so that its own lines can stay the lesson.
"""

import math

import numpy as np

from helpers.number_rules import (
    as_array,
    real_array,
    require_bias_in_range,
    require_like,
)
from helpers.sizes import (
    SizeError,
    joined,
    near_divisions,
    require_memory,
    require_n_kv,
    whole,
)


def checked_scores(scores, axis, out):
    """Return `scores` as an array a softmax can take; integers as float64."""
    scores = real_array("scores", scores)
    if scores.ndim == 0 or scores.size == 0:
        raise SizeError(
            f"scores must have at least one axis, and none of size 0: got "
            f"shape {scores.shape}."
        )
    if axis is not None:
        whole("axis", axis, -scores.ndim, scores.ndim - 1)
    if scores.dtype.kind in "iu":
        scores = scores.astype(np.float64)
    if out is not None:
        require_like("out", out, scores)
    return scores


def checked_largest(largest):
    """Return each row's largest score; 0 for a row in which all is -inf."""
    if np.isnan(largest).any() or np.isposinf(largest).any():
        raise ValueError("scores may hold -inf, but not NaN or +inf.")
    largest[np.isneginf(largest)] = 0
    return largest


def checked_mask(mask, scores):
    """Return `mask`, if it is boolean and fits the scores."""
    mask = as_array("mask", mask)
    if mask.dtype != bool:
        raise TypeError(
            f"mask must be boolean, True where a query may see a key: got "
            f"numbers of type {mask.dtype}. For 0 and 1 write "
            f"mask.astype(bool); numbers to be added go to bias=."
        )
    return _shaped_like_scores("mask", mask, scores.shape)


def checked_bias(bias, scores):
    """Return `bias` in the scores' number type, if it may be added."""
    bias = as_array("bias", bias)
    if bias.dtype.kind != "f":
        raise TypeError(
            f"bias must hold floating-point numbers: got {bias.dtype}. "
            f"What a query may see goes to mask=, as True and False."
        )
    if np.isnan(bias).any() or np.isposinf(bias).any():
        raise ValueError("bias may hold -inf, but not NaN or +inf.")
    bias = _shaped_like_scores("bias", bias, scores.shape)
    require_bias_in_range(bias, scores.dtype)
    return bias.astype(scores.dtype, copy=False)


def _shaped_like_scores(name, array, shape):
    fits = array.ndim in (2, len(shape)) and all(
        size in (1, full) for size, full in zip(array.shape[::-1], shape[::-1])
    )
    if not fits:
        raise SizeError(
            f"{name} must be (N_q, N_k) = {shape[-2:]}, or have the rank of "
            f"the scores {shape} with each size equal or 1: got "
            f"{array.shape}."
        )
    return array


def require_fit_scores(Q, K, **arrays):
    """Raise a SizeError unless each array fits the scores of h heads.

    Grouped attention asks before it gives the scores one more axis, else a
    batch's mask could meet the heads of one sentence.
    """
    front = _common_front(Q.shape[:-3], K.shape[:-3])
    shape = (*front, *Q.shape[-3:-1], K.shape[-2])
    for name, array in arrays.items():
        if array is not None:
            _shaped_like_scores(name, as_array(name, array), shape)


def checked_heads(Q, K, V):
    """Return Q, K and V as arrays whose shapes and heads fit together."""
    Q, K, V = real_array("Q", Q), real_array("K", K), real_array("V", V)
    for name, array in (("Q", Q), ("K", K), ("V", V)):
        require_rank(name, array, 3)
    require_n_kv(K.shape[-3], Q.shape[-3])
    if K.shape[-3] != V.shape[-3]:
        raise SizeError(
            f"K and V must have the same number of heads n_kv: got K "
            f"{K.shape}, V {V.shape}."
        )
    _require_shapes_fit(Q, K, V, heads=1)
    return Q, K, V


def checked_qkv(Q, K, V, all_scores=True):
    """Return Q, K and V as arrays of one number type that fit together.

    `all_scores` says whether the scores must find room at one time.
    """
    Q, K, V = real_array("Q", Q), real_array("K", K), real_array("V", V)
    for name, array in (("Q", Q), ("K", K), ("V", V)):
        require_rank(name, array, 2)
    number_type = np.result_type(Q, K, V)
    if number_type.kind != "f":
        number_type = np.dtype(np.float64)
    front = _require_shapes_fit(Q, K, V)
    shape = (*front, Q.shape[-2], K.shape[-2])
    if all_scores:
        require_memory(
            f"The scores {shape}", math.prod(shape) * number_type.itemsize
        )
    for name, array in (("Q", Q), ("K", K), ("V", V)):
        require_finite(name, array)
    return (array.astype(number_type, copy=False) for array in (Q, K, V))


def _require_shapes_fit(Q, K, V, heads=0):
    """Return the axes that Q, K and V share in front of heads and tokens."""
    if Q.shape[-1] != K.shape[-1]:
        raise SizeError(
            f"Q and K must have the same last axis d_k: got Q {Q.shape}, "
            f"K {K.shape}."
        )
    if K.shape[-2] != V.shape[-2]:
        raise SizeError(
            f"K and V must have the same number of tokens N_k: got K "
            f"{K.shape}, V {V.shape}."
        )
    if not Q.ndim == K.ndim == V.ndim:
        raise SizeError(
            f"Q, K and V must have the same rank: got Q {Q.shape}, K "
            f"{K.shape}, V {V.shape}."
        )
    axes = slice(None, -2 - heads)
    return _common_front(Q.shape[axes], K.shape[axes], V.shape[axes])


def _common_front(*fronts):
    try:
        return np.broadcast_shapes(*fronts)
    except ValueError:
        raise SizeError(
            f"the axes in front of Q, K and V must agree or be 1: got "
            f"{', '.join(map(str, fronts))}."
        ) from None


def require_rank(name, array, rank):
    if array.ndim < rank or 0 in array.shape:
        axes = {2: "(..., tokens, width)", 3: "(..., heads, tokens, width)"}
        raise SizeError(
            f"{name} must be {axes[rank]}, with no axis of size 0: got "
            f"shape {array.shape}."
        )


def require_parts(heads_name, heads, name, array):
    """Raise a SizeError unless `heads` divides the last axis of `array`."""
    if array.shape[-1] % heads:
        near, widths = near_divisions(heads, array.shape[-1])
        raise SizeError(
            f"{heads_name} must divide the last axis of {name}, because "
            f"every head gets an equal part: got {heads_name}={heads}, "
            f"{name} {array.shape}; {joined(heads_name, near)} would, or a "
            f"width of {' or '.join(map(str, widths))}."
        )


def checked_layer(X, X_kv, W_Q, W_K, W_V, W_O, h, n_kv):
    """Return the six arrays of a layer, if they and its heads fit."""
    h = whole("h", h)
    n_kv = require_n_kv(n_kv, h)
    named = dict(X=X, X_kv=X_kv, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O)
    if X_kv is X:
        del named["X_kv"]
    named = {name: real_array(name, array) for name, array in named.items()}
    X, W_Q, W_K, W_V, W_O = (
        named[name] for name in ("X", "W_Q", "W_K", "W_V", "W_O")
    )
    X_kv = named.get("X_kv", X)
    kv_name = "X_kv" if "X_kv" in named else "X"
    _require_product("X", X, "W_Q", W_Q)
    _require_product(kv_name, X_kv, "W_K", W_K)
    _require_product(kv_name, X_kv, "W_V", W_V)
    require_parts("h", h, "W_Q", W_Q)
    require_parts("n_kv", n_kv, "W_K", W_K)
    require_parts("n_kv", n_kv, "W_V", W_V)
    require_output_rows(W_O, h, W_V.shape[-1] // n_kv)
    shape = (*X.shape[:-2], h, X.shape[-2], X_kv.shape[-2])
    n_bytes = math.prod(shape) * np.result_type(X, W_Q).itemsize
    require_memory(f"The scores {shape}", n_bytes)
    for name, array in named.items():
        require_finite(name, array)
    return X, X_kv, W_Q, W_K, W_V, W_O


def _require_product(left_name, left, right_name, right):
    require_rank(left_name, left, 2)
    if right.ndim != 2 or left.shape[-1] != right.shape[0] or not right.size:
        raise SizeError(
            f"{right_name} must have as many rows as {left_name} has "
            f"columns: got {left_name} {left.shape}, {right_name} "
            f"{right.shape}."
        )


def require_output_rows(W_O, h, d_v):
    """Raise a SizeError unless W_O takes h heads of width d_v."""
    if W_O.ndim != 2 or W_O.shape[0] != h * d_v or not W_O.size:
        raise SizeError(
            f"W_O must have h * d_v = {h * d_v} rows: got W_O {W_O.shape}, "
            f"h={h}, d_v={d_v}."
        )


def require_finite(name, array):
    """Raise a ValueError if a number of the array is NaN or infinite."""
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} holds NaN or infinity; every number must be finite."
        )
