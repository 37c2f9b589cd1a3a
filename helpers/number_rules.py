"""What the numbers and switches of attention must be, so that none is lost.

What is no number is refused, also where NumPy would make one of it. A score
that overflows would be read as a hidden key, so what could overflow is
refused before it is computed.
"""

import numpy as np

from helpers.sizes import quoted

PLACE_BY_PLACE = (
    " Which query may see which key, place by place, goes to mask=."
)


def as_array(name, values):
    """Return `values` as an array, if its rows are equally long."""
    try:
        return np.asanyarray(values)
    except ValueError:
        raise TypeError(
            f"{name} must be an array, its rows equally long: got "
            f"{quoted(values)}."
        ) from None


def real_array(name, values):
    """Return `values` as an array of real numbers, or raise a TypeError."""
    array = as_array(name, values)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers: got {array.dtype}.")
    return array


def solvable_array(name, values):
    """Return `values` as an array that np.linalg takes: float32, float64.

    Whole numbers become float64: what is computed from them is not whole.
    """
    array = real_array(name, values)
    if array.dtype.kind != "f":
        return array.astype(np.float64)
    if array.dtype.itemsize not in (4, 8):
        raise TypeError(
            f"{name} must be of float32 or float64: got {array.dtype}."
        )
    return array


def float_type(name, value):
    """Return `value` as a NumPy number type, if it is a floating-point one."""
    try:
        number_type = None if value is None else np.dtype(value)
    except (TypeError, ValueError):
        number_type = None
    if number_type is None or number_type.kind != "f":
        raise TypeError(
            f"{name} must be a floating-point type, such as np.float32: got "
            f"{quoted(value)}."
        )
    return number_type


def require_switch(name, value):
    """Raise a TypeError unless `value` is True or False."""
    advice = PLACE_BY_PLACE if name == "causal" else ""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{name} must be True or False: got {quoted(value)}.{advice}"
        )


def require_scale(scale):
    """Raise a ValueError unless `scale` is one finite number."""
    number = as_array("scale", scale)
    if (
        number.ndim
        or number.dtype.kind not in "fiu"
        or not np.isfinite(number)
    ):
        raise ValueError(
            f"scale must be one finite number: got {quoted(scale)}. Left "
            f"out, it is 1 / sqrt(d_k)."
        )


def require_scores_in_range(Q, K, scale):
    """Raise a ValueError if a score could leave the range of its type.

    No score is larger than the largest number of Q, times that of K, times
    d_k, times the scale. Half of the range is left free, so that two scores
    can be subtracted.
    """
    require_scale(scale)
    number_type, d_k = np.result_type(Q, K), Q.shape[-1]
    q, k = largest(Q), largest(K)
    with np.errstate(over="ignore"):
        scaled = q * abs(np.longdouble(scale))
        bound = max(scaled, scaled * k * d_k)
    limit = np.longdouble(np.finfo(number_type).max) / 2
    if bound > limit:
        raise ValueError(
            f"scores could leave the range of {number_type}: the largest "
            f"number of Q, {q:.2g}, times that of K, "
            f"{k:.2g}, times d_k = {d_k}, times the scale, "
            f"{float(scale):.2g}, must be at most {limit:.2g}. Take smaller "
            f"numbers."
        )


def require_bias_in_range(bias, number_type):
    """Raise a ValueError if a finite bias does not fit `number_type`."""
    if np.can_cast(bias.dtype, number_type):
        return
    size = largest(np.where(np.isneginf(bias), 0, bias))
    limit = np.finfo(number_type).max
    if size > limit:
        raise ValueError(
            f"bias must stay between {-limit:.4g} and {limit:.4g}, the range "
            f"of {number_type}: got a number of size {size:.2g}. To hide "
            f"a key write -inf."
        )


def require_like(name, array, scores):
    """Raise a TypeError unless the shares of `scores` fit into `array`."""
    wanted = f"an array of shape {scores.shape} and type {scores.dtype}"
    got = quoted(array)
    if isinstance(array, np.ndarray):
        if (array.shape, array.dtype) == (scores.shape, scores.dtype):
            return
        got = f"shape {array.shape} and type {array.dtype}"
    raise TypeError(f"{name} must be {wanted}: got {got}.")


def require_written_in_place(scores):
    """Raise a TypeError unless -inf can be written into `scores`."""
    if not (
        isinstance(scores, np.ndarray)
        and scores.dtype.kind == "f"
        and scores.ndim >= 2
    ):
        raise TypeError(
            f"scores must be a floating-point array (..., N_q, N_k), because "
            f"they are changed in place: got {quoted(scores)}."
        )


def require_kept(number_type, **arrays):
    """Raise unless `number_type` can hold every number of the arrays."""
    limit = np.finfo(number_type).max
    for name, array in arrays.items():
        size = largest(real_array(name, array))
        if not size <= limit:  # nor is NaN
            raise ValueError(
                f"{name} holds {size:.3g}, and {number_type} no number "
                f"beyond {limit:.4g}. Take smaller numbers, or a wider type."
            )


def largest(array):
    """Return the size of the number farthest from 0, or NaN."""
    array = np.asarray(array)  # no subclass, and no copy
    return np.longdouble(max(array.max(), -array.min()))
