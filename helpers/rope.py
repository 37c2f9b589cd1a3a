"""Rotary positions: turn queries and keys by an angle that grows with place.

The d numbers of a vector are taken as d / 2 pairs, and each pair is turned
like the hand of a clock. Pair i of the vector at position p is turned by
p / base ** (2 i / d): the first pair fast, the last one slowly. A query's
score with a key then depends on how far apart they stand, not on where.

Which numbers make a pair is a matter of layout, and files disagree:

    "half"         number i with number i + d / 2      Llama, GPT-NeoX
    "interleaved"  number 2 i with number 2 i + 1      the paper, Cohere

At position 0 nothing turns and both layouts agree, so a test has to use
other positions. Weights made for one layout are wrong in the other.

Source: Su et al., "RoFormer" (2021), section 3.2, equations 14 and 15; the
layouts as in transformers 5.24.0 (tests/vectors, kind "rope").
"""

from numbers import Real

import numpy as np

from helpers.array_rules import require_finite, require_rank
from helpers.choice_rules import require_choice
from helpers.number_rules import as_array
from helpers.sizes import SizeError, quoted, whole

LAYOUTS = ("half", "interleaved")


def angles(positions, d, base=10_000.0):
    """Return how far each pair of numbers is turned at each position.

    Parameters
    ----------
    positions : int array (..., N)
        Places in the sentence, from 0.
    d : int
        Width of a query or a key; even.
    base : float
        The slowest pair turns about `base` times slower than the first.

    Returns
    -------
    float64 array (..., N, d / 2)
        In radians.

    Raises
    ------
    SizeError
        If d is odd, or a position is negative.
    TypeError
        If the positions are not whole numbers.
    ValueError
        If the base is not a number above 1.
    """
    d = whole("d", d)
    if d % 2:
        raise SizeError(
            f"d must be even, because rotary positions turn pairs of numbers:"
            f" got d={d}; {'' if d == 1 else f'd={d - 1} or '}d={d + 1} would."
        )
    if not isinstance(base, Real) or not 1 < base < np.inf:
        raise ValueError(
            f"base must be a finite number above 1: got {quoted(base)}; "
            f"10,000 is usual."
        )
    positions = as_array("positions", positions)
    if positions.dtype.kind not in "iu":
        raise TypeError(
            f"positions must be whole numbers: got {positions.dtype}."
        )
    if positions.size and positions.min() < 0:
        raise SizeError(
            f"positions count from 0: got {positions.min()}; the nearest "
            f"legal one is 0."
        )
    slowness = float(base) ** (np.arange(0, d, 2) / d)  # (d / 2,)
    return positions[..., None] / slowness


def rotate(X, positions=None, layout="half", base=10_000.0):
    """Turn each vector by the angles of its position.

    Parameters
    ----------
    X : array (..., N, d)
        Queries or keys, never values; d even.
    positions : int array (N,), or of the rank of X less one, optional
        0, 1, … N - 1 if left out. New tokens behind a cache of n tokens
        stand at n, n + 1, …
    layout : str
        "half" or "interleaved": which numbers make a pair.
    base : float
        As for `angles`.

    Returns
    -------
    array (..., N, d)
        A new array of the same number type. Lengths do not change.

    Raises
    ------
    SizeError, TypeError, ValueError
        As for `angles`; if shapes do not fit; if the layout is unknown.
    """
    X = as_array("X", X)
    require_choice("layout", layout, LAYOUTS)
    require_rank("X", X, 2)
    if X.dtype.kind != "f":
        raise TypeError(f"X must hold floating-point numbers: got {X.dtype}.")
    require_finite("X", X)
    if positions is None:
        positions = np.arange(X.shape[-2])
    positions = as_array("positions", positions)
    _require_positions(positions, X)
    turn = angles(positions, X.shape[-1], base)  # (..., N, d / 2)
    computed_in = np.result_type(X.dtype, np.float32)  # float16 is too coarse
    cos, sin = (f(turn).astype(computed_in) for f in (np.cos, np.sin))

    half = X.shape[-1] // 2
    if layout == "half":
        first, second = slice(half), slice(half, None)
    else:
        first, second = slice(0, None, 2), slice(1, None, 2)
    one, other = X[..., first], X[..., second]  # (..., N, d / 2) each
    turned = np.empty_like(X)
    turned[..., first] = one * cos - other * sin
    turned[..., second] = other * cos + one * sin
    return turned


def _require_positions(positions, X):
    shape, want = positions.shape, X.shape[:-1]
    fits = shape == want[-1:] or (
        len(shape) == len(want)
        and shape[-1] == want[-1]
        and all(size in (1, full) for size, full in zip(shape, want))
    )
    if not fits:
        raise SizeError(
            f"positions must be one for each token, shape {want[-1:]}, or "
            f"{want} with 1 where they are shared: got {shape}."
        )
