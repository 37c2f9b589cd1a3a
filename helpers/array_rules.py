"""What an array must be before attention takes it, and what is said if not.

`attention.py` calls these first, so that its own lines can stay the lesson.
"""

import math

import numpy as np

from helpers.sizes import SizeError, require_memory, require_n_kv


def checked_largest(largest):
    """Return each row's largest score; 0 for a row in which all is -inf."""
    if np.isnan(largest).any() or np.isposinf(largest).any():
        raise ValueError("scores may hold -inf, but not NaN or +inf.")
    largest[np.isneginf(largest)] = 0
    return largest


def checked_mask(mask, scores):
    """Return `mask`, if it is boolean and fits the scores."""
    mask = np.asanyarray(mask)
    if mask.dtype != bool:
        raise TypeError(
            f"mask must be boolean, True where a query may see a key: got "
            f"numbers of type {mask.dtype}. For 0 and 1 write "
            f"mask.astype(bool); numbers to be added go to bias=."
        )
    return _shaped_like_scores("mask", mask, scores.shape)


def checked_bias(bias, scores):
    """Return `bias` in the scores' number type, if it may be added."""
    bias = np.asanyarray(bias)
    if bias.dtype.kind != "f":
        raise TypeError(
            f"bias must hold floating-point numbers: got {bias.dtype}. "
            f"What a query may see goes to mask=, as True and False."
        )
    if np.isnan(bias).any() or np.isposinf(bias).any():
        raise ValueError("bias may hold -inf, but not NaN or +inf.")
    bias = _shaped_like_scores("bias", bias, scores.shape)
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
            _shaped_like_scores(name, np.asanyarray(array), shape)


def checked_heads(Q, K, V):
    """Return Q, K and V as arrays whose shapes and heads fit together."""
    Q, K, V = (np.asanyarray(array) for array in (Q, K, V))
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


def checked_qkv(Q, K, V):
    """Return Q, K and V as arrays of one number type that fit together."""
    Q, K, V = (np.asanyarray(array) for array in (Q, K, V))
    for name, array in (("Q", Q), ("K", K), ("V", V)):
        require_rank(name, array, 2)
        if array.dtype.kind not in "fiu":
            raise TypeError(
                f"{name} must hold real numbers: got {array.dtype}."
            )
    number_type = np.result_type(Q, K, V)
    if number_type.kind != "f":
        number_type = np.dtype(np.float64)
    front = _require_shapes_fit(Q, K, V)
    pairs = math.prod(front) * Q.shape[-2] * K.shape[-2]
    require_memory(
        f"The scores {(*front, Q.shape[-2], K.shape[-2])}",
        pairs * number_type.itemsize,
    )
    for name, array in (("Q", Q), ("K", K), ("V", V)):
        if not np.isfinite(array).all():
            raise ValueError(
                f"{name} holds NaN or infinity; every number must be finite."
            )
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


def require_product(left_name, left, right_name, right):
    shape = np.shape(right)
    require_rank(left_name, left, 2)
    if len(shape) != 2 or left.shape[-1] != shape[0]:
        raise SizeError(
            f"{right_name} must have as many rows as {left_name} has "
            f"columns: got {left_name} {left.shape}, {right_name} {shape}."
        )


def require_scores_fit(X, X_kv, h):
    shape = (*X.shape[:-2], h, X.shape[-2], X_kv.shape[-2])
    require_memory(f"The scores {shape}", math.prod(shape) * X.dtype.itemsize)
