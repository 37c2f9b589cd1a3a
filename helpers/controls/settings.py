"""The code of a setting: "set 512-8-0" puts the controls back.

One number a control, parents before children. A control that offers whole
numbers is written as its value, so "set 24-6-2" can be read aloud; any
other as the place of its choice, from 0; switches that belong together as
one number, a bit each. Words of the reader's own follow in quotes.
"""

import re
from typing import NamedTuple

import ipywidgets as widgets

from helpers.sizes import nearest

LONGEST = 2000  # characters, without words
MOST = 10**7  # larger ones would make long codes
_CODE = re.compile(
    r'(?:set\s+)?([0-9]{1,9}(?:-[0-9]{1,9})*)(?:\s+"(.*)")?', re.S
)


class CodeError(ValueError):
    """A code that fits no setting; the text says where."""


class OwnWords(NamedTuple):
    """A text field, and a function that says whether its words count."""

    control: widgets.Text
    count: object


def code_of(dials):
    """Return the code of the controls as they stand.

    Parameters
    ----------
    dials : dict of str
        Name -> a selection, a checkbox, a tuple of checkboxes, or, once at
        most, OwnWords.

    Returns
    -------
    str
    """
    numbers, words = [], ""
    for dial in dials.values():
        if isinstance(dial, OwnWords):
            words = f' "{dial.control.value}"' if dial.count() else ""
        else:
            numbers.append(str(_number(dial)))
    return "set " + "-".join(numbers) + words


def put(code, dials):
    """Move the controls to where `code` says.

    A code with fewer numbers leaves the other controls as they are, where
    they can stay.

    Returns
    -------
    str
        Which other controls could not stay, or "".

    Raises
    ------
    CodeError
        If it is not such a code; some controls may have moved by then.
    """
    numbers, words = _parsed(code)
    numbered = [n for n, d in dials.items() if not isinstance(d, OwnWords)]
    if len(numbers) > len(numbered):
        raise CodeError(
            f"A code has at most {len(numbered)} numbers here "
            f"({', '.join(numbered)}): got {len(numbers)}."
        )
    if words is not None and len(numbered) == len(dials):
        raise CodeError("No words of your own are possible here.")
    numbers = dict(zip(numbered, numbers, strict=False))
    others = {name: _said(dials[name]) for name in numbered[len(numbers) :]}
    for name, dial in dials.items():
        if name in numbers:
            _move(name, dial, numbers[name])
        elif isinstance(dial, OwnWords) and words is not None:
            dial.control.value = words
    return " ".join(
        f"{name} moved from {before} to {_said(dials[name])} with it."
        for name, before in others.items()
        if before != _said(dials[name])
    )


def _said(dial):
    """Return where a dial stands, in the words that the reader sees."""
    return str(getattr(dial, "label", None) or _number(dial))


def _parsed(code):
    numbers = len(code.partition('"')[0])  # words have a limit of their own
    if numbers > LONGEST:
        raise CodeError(
            f"A code has at most {LONGEST:,} characters: got {numbers:,}."
        )
    found = _CODE.fullmatch(code.strip())
    if found is None:
        raise CodeError(
            'A code looks like "set 24-6-2": whole numbers with "-" between '
            f"them. Got {code[:40]!r}."
        )
    return [int(number) for number in found[1].split("-")], found[2]


def _values(selection):
    """Return what a selection offers, without the labels."""
    return tuple(
        option[1] if isinstance(option, tuple) else option
        for option in selection.options
    )


def _is_numeric(values):
    return all(type(v) is int and 0 <= v < MOST for v in values)


def _number(dial):
    if isinstance(dial, tuple):
        return sum(box.value << bit for bit, box in enumerate(dial))
    if isinstance(dial, widgets.Checkbox):
        return int(dial.value)
    values = _values(dial)
    return dial.value if _is_numeric(values) else values.index(dial.value)


def _move(name, dial, number):
    if isinstance(dial, tuple):
        _require(name, number, range(2 ** len(dial)))
        for bit, box in enumerate(dial):
            box.value = bool(number >> bit & 1)
        return
    if isinstance(dial, widgets.Checkbox):
        _require(name, number, range(2))
        dial.value = bool(number)
        return
    values = _values(dial)
    if _is_numeric(values):
        _require(name, number, values)
        dial.value = number
    else:
        _require(name, number, range(len(values)))
        dial.value = values[number]


def _require(name, number, legal):
    if number not in legal:
        raise CodeError(
            f"{name} can't be {number} here: {nearest(legal, number)} is the "
            f"nearest that can."
        )
