"""What the numbers and switches of attention must be, so that none is lost.

A score that overflows would be read as a hidden key. So what could overflow
is refused before it is computed.
"""

import numpy as np

from helpers.sizes import quoted


def require_switch(name, value):
    """Raise a TypeError unless `value` is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{name} must be True or False: got {quoted(value)}. Which "
            f"query may see which key, place by place, goes to mask=."
        )


def require_scale(scale):
    """Raise a ValueError unless `scale` is one finite number."""
    number = np.asarray(scale)
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


def require_kept(number_type, **arrays):
    """Raise unless `number_type` can hold every number of the arrays."""
    limit = np.finfo(number_type).max
    for name, array in arrays.items():
        array = np.asarray(array)
        if array.dtype.kind not in "fiu":
            raise TypeError(
                f"{name} must hold real numbers: got {array.dtype}."
            )
        size = largest(array)
        if not size <= limit:  # nor is NaN
            raise ValueError(
                f"{name} holds {size:.3g}, and {number_type} no number "
                f"beyond {limit:.4g}. Take smaller numbers, or a wider type."
            )


def largest(array):
    """Return the size of the number farthest from 0, or NaN."""
    array = np.asarray(array)  # no subclass, and no copy
    return np.longdouble(max(array.max(), -array.min()))
