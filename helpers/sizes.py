"""The sizes of an attention layer and every rule between them.

Here, and only here, stands which h may go with which d_model, which choice
is nearest, and what a reader is told when a size is not possible.
"""

import math
import operator
from dataclasses import dataclass
from numbers import Real

D_MODEL_CHOICES = (8, 16, 24, 32, 48, 60, 64, 96, 128, 256, 512, 1024)
LARGEST_SIZE = 10**9
MEMORY_LIMIT = 2 * 1024**3  # bytes one array may take
LONGEST = 60  # characters of a value in a message
LONG = 100  # bits of a number that is not written out


class SizeError(ValueError):
    """A size that breaks a rule; the text says which, and what would do."""


def whole(name, value, low=1, high=LARGEST_SIZE):
    """Return `value` as an int, if it is a whole number in low..high.

    Raises
    ------
    SizeError
        If it is not; the text names the rule, the value and the nearest
        legal value.
    """
    try:
        if _is_truth(value):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise SizeError(
            f"{name} must be a whole number: got {quoted(value)}."
            f"{_nearest_whole(value, low, high)}"
        ) from None
    if not low <= number <= high:
        legal = min(max(number, low), high)
        raise SizeError(
            f"{name} must be from {low:,} to {high:,}: got {name}="
            f"{_shortened(number)}; the nearest legal value is {legal:,}."
        )
    return number


def _is_truth(value):  # bool and NumPy's; 1.26 would take its own for 0, 1
    return type(value).__name__ in ("bool", "bool_")


def quoted(value):
    """Return a value for a message: as Python writes it, on one line.

    What is long is cut, with "…" at the cut; of an array its shape is told,
    and of a huge number its size.
    """
    if isinstance(value, int) and value.bit_length() >= LONG:
        return _shortened(value)
    if isinstance(shape := getattr(value, "shape", ()), tuple) and shape:
        return f"an array of shape {shape}"
    try:
        text = " ".join(repr(value).split())  # escapes what cannot be seen
    except ValueError:  # a list with a huge number in it
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _shortened(number):
    bits = number.bit_length()
    return f"{number:,}" if bits < LONG else f"a number of {bits:,} bits"


def _nearest_whole(value, low, high):
    is_real = isinstance(value, Real) and not _is_truth(value)
    if is_real and math.isfinite(value):
        return (
            f" The nearest legal value is {min(max(round(value), low), high)}."
        )
    return ""


def divisors(number):
    """Return every whole number that divides `number`, smallest first."""
    number = whole("number", number)
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    large = [number // d for d in reversed(small) if d * d != number]
    return tuple(small + large)


def nearest(choices, wanted):
    """Return the choice closest to `wanted`; of two as close, the lower."""
    return min(choices, key=lambda choice: (abs(choice - wanted), choice))


def near_divisions(parts, width):
    """Return what would divide evenly instead, and what would be divided.

    Parameters
    ----------
    parts, width : int
        `parts` does not divide `width`.

    Returns
    -------
    parts : list of int
        The closest divisor of `width` below, and above.
    widths : list of int
        The closest multiple of the old `parts` below, and above.
    """
    parts, legal = whole("parts", parts), divisors(width)
    below = [divisor for divisor in legal if divisor < parts][-1:]
    above = [divisor for divisor in legal if divisor > parts][:1]
    low = width // parts * parts
    widths = [w for w in (low, low + parts) if 0 < w <= LARGEST_SIZE]
    return below + above, widths


def joined(name, values):
    """Write "h=8 or h=16"."""
    return " or ".join(f"{name}={value}" for value in values)


@dataclass(frozen=True)
class Sizes:
    """The sizes of one attention layer, checked when they are made.

    Parameters
    ----------
    d_model : int
        Width of a token's vector.
    h : int
        Query heads. Divides d_model, unless d_k is given.
    n_kv : int, optional
        Key/value heads; divides h. Left out: h, which is plain multi-head.
    d_k, d_v : int, optional
        Width of a head's queries and keys, and of its values. Left out:
        d_k = d_model / h and d_v = d_k.

    Raises
    ------
    SizeError
        If a size is not a whole number, or breaks a rule.
    """

    d_model: int
    h: int
    n_kv: int | None = None
    d_k: int | None = None
    d_v: int | None = None

    def __post_init__(self):
        d_model = whole("d_model", self.d_model)
        h = whole("h", self.h)
        if self.d_k is None and d_model % h:
            raise SizeError(_h_must_divide(h, d_model))
        d_k = d_model // h if self.d_k is None else whole("d_k", self.d_k)
        d_v = d_k if self.d_v is None else whole("d_v", self.d_v)
        n_kv = h if self.n_kv is None else require_n_kv(self.n_kv, h)
        names = ("d_model", "h", "n_kv", "d_k", "d_v")
        checked = zip(names, (d_model, h, n_kv, d_k, d_v), strict=True)
        for name, value in checked:
            object.__setattr__(self, name, value)

    @property
    def queries_per_kv(self):
        """How many query heads read one key/value head."""
        return self.h // self.n_kv


def _h_must_divide(h, d_model):
    heads, widths = near_divisions(h, d_model)
    return (
        f"h must divide d_model, because every head is d_model / h wide: got "
        f"h={h}, d_model={d_model}; {joined('h', heads)} would, or "
        f"{joined('d_model', widths)}."
    )


def require_n_kv(n_kv, h):
    """Return n_kv as an int, if it divides h.

    Raises
    ------
    SizeError
        If it does not, whatever it is; the text lists the divisors of h.
    """
    h = whole("h", h)
    try:
        number = whole("n_kv", n_kv)
    except SizeError:
        number = None
    if number is None or h % number:
        raise SizeError(
            f"n_kv must divide h, because every key/value head serves the "
            f"same number of query heads: got n_kv={quoted(n_kv)}, h={h}; "
            f"the divisors of {h} are {_listed(divisors(h))}."
        )
    return number


def _listed(numbers):
    if len(numbers) > 16:
        return f"{_listed(numbers[:8])}, …, {_listed(numbers[-3:])}"
    return ", ".join(map(str, numbers))


def require_memory(what, n_bytes):
    """Raise a SizeError if `what` would take more than MEMORY_LIMIT bytes.

    It is asked before an array is made, so nothing is taken.
    """
    if n_bytes > MEMORY_LIMIT:
        raise SizeError(
            f"{what} would take {n_bytes / 1024**3:,.1f} GiB; this course "
            f"makes no array over {MEMORY_LIMIT / 1024**3:.0f} GiB. Take "
            f"smaller sizes; the counts in helpers/cost.py take any size."
        )
