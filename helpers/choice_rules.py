"""What a choice or a list must be, and what is said if it is not."""

from collections.abc import Hashable, Mapping
from numbers import Real

from helpers.sizes import Sizes, nearest, quoted

HUGE = 1e300  # what is larger is near to nothing


def require_choice(name, value, choices, shown=str, most=None):
    """Raise a ValueError if a value is not one of the choices.

    It lists them, and for a number names the nearest.

    Parameters
    ----------
    name : str
        What the value is called.
    value : object
    choices : sequence or mapping
    shown : callable
        Writes a choice.
    most : int, optional
        Of more, only the first are listed.

    Raises
    ------
    ValueError
    """
    if isinstance(value, Hashable) and value in choices:
        return
    listed = [shown(choice) for choice in choices]
    if most is not None and len(listed) > most:
        listed[most:] = ["…"]
    near = ""
    if all(isinstance(number, Real) for number in (value, *choices)):
        if abs(value) < HUGE:  # NaN is not
            near = f"; the nearest is {shown(nearest(choices, value))}"
    raise ValueError(
        f"{name} must be one of {', '.join(listed)}: got "
        f"{quoted(value)}{near}."
    )


def require_kind(name, value, kind, example):
    """Raise a TypeError unless a value is of a class of ours.

    `example` is code that makes one.
    """
    if not isinstance(value, kind):
        raise TypeError(
            f"{name} must be a {kind.__name__}, such as {example}: got "
            f"{quoted(value)}."
        )


def require_sizes(sizes):
    """Raise a TypeError unless `sizes` is a Sizes."""
    require_kind("sizes", sizes, Sizes, "Sizes(d_model=512, h=8)")


def require_text(name, value):
    """Raise a TypeError unless a value is text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text: got {quoted(value)}.")


def several(name, values, each):
    """Return `values` as a tuple, if it is a list of things, in order.

    A text is one thing here, not a list of letters; a set and a mapping
    have no order to go by.

    Parameters
    ----------
    name : str
    values : iterable
    each : str
        What the list holds, for the message: "words".

    Raises
    ------
    TypeError
        If it is no list.
    """
    if not isinstance(values, str | bytes | set | frozenset | Mapping):
        try:
            return tuple(values)
        except TypeError:  # a number, or None
            pass
    raise TypeError(f"{name} must be a list of {each}: got {quoted(values)}.")


def pair(name, values, each):
    """Return `values` as a tuple of two, or raise a TypeError."""
    both = several(name, values, each)
    if len(both) != 2:
        raise TypeError(
            f"{name} must be two {each}: got {len(both)}, {quoted(values)}."
        )
    return both


def texts(name, values, each="words"):
    """Return a list of texts as a tuple, or raise a TypeError."""
    found = several(name, values, each)
    for value in found:
        if not isinstance(value, str):
            raise TypeError(
                f"{name} must be texts: got {quoted(value)}, of type "
                f"{type(value).__name__}."
            )
    return found
