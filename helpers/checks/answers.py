"""Ask a reader's function for its answer, and judge it."""

import dis
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from helpers.checks.forms import (
    advice_on,
    kind_in_words,
    refuse_another_form,
)
from helpers.checks.properties import TOLERANCE, close
from helpers.checks.verdict import NotYet, Refused

RECOGNISED = 1e-4  # how near an answer is to a known wrong one
STUB = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}
NOTHING = (
    "Your function returns nothing yet. Write its body, and return the answer."
)
NO_RETURN = (
    "Your function came to its end without a return, and so gave None. Put "
    "return before the answer, on every way through."
)


@dataclass(frozen=True)
class Mistake:
    """A misconception, known by the answer that it gives.

    `answer` takes what the reader's function takes.
    """

    answer: Callable
    sentence: str
    hint: str


def ask(f, *arrays, **settings):
    """Return f's answer to copies of the arrays.

    Raises
    ------
    NotYet
        If the function is a stub, or needs a name that is not defined.
    Refused
        If it raises anything else.
    """
    copies = [np.array(a) if np.ndim(a) else a for a in arrays]
    try:
        with np.errstate(all="ignore"):
            answer = f(*copies, **settings)
    except NotImplementedError:
        raise NotYet(NOTHING) from None
    except UnboundLocalError as error:
        raise _stopped(error) from None
    except NameError as error:
        raise NotYet(
            f"{error.name} is not defined. Run the cell that defines it "
            f"first, or look at the spelling."
        ) from None
    except (Exception, SystemExit) as error:
        raise _stopped(error) from None
    if answer is None or answer is ...:
        begun = answer is None and _has_a_body(f)
        raise NotYet(NO_RETURN if begun else NOTHING)
    return answer


def _has_a_body(f):
    """Say whether a function does more than a stub, which only ends."""
    code = getattr(f, "__code__", None)
    return code is not None and any(
        step.opname not in STUB for step in dis.get_instructions(code)
    )


def _stopped(error):
    said = str(error).strip().splitlines()
    said = f": {said[0][:200].rstrip('.')}" if said else ""
    line = _line_of(error)
    where = (
        f"It happens in line {line} of your function's cell. Print the "
        f"shapes of the arrays in that line."
        if line
        else "Call it yourself with small arrays, and print their shapes."
    )
    return Refused(
        f"Your function stops with {type(error).__name__}{said}.",
        f"{where} {advice_on(error)}".strip(),
    )


def _line_of(error):
    trace, line = error.__traceback__, None
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "ipykernel" in name or name.startswith("<"):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def numbers(answer):
    """Return an answer as an array of finite numbers, or refuse it."""
    try:
        array = np.asarray(answer)
    except ValueError:
        raise Refused(
            "The rows of the answer are not equally long.",
            "An array is a full box of numbers. Print len() of each row.",
        ) from None
    if array.dtype.kind not in "fiu":
        raise Refused(
            f"The answer does not hold real numbers, but "
            f"{kind_in_words(array)}.",
            "Return a NumPy array of numbers, or nested lists of them.",
        )
    if np.isnan(array).any():
        raise Refused(
            f"The answer holds NaN, first at {_place(np.isnan(array))}.",
            "NaN comes from 0/0, from inf - inf, or from memory that "
            "np.empty never filled. Print each step and see where the "
            "first NaN appears.",
        )
    if array.size and not array.any():
        raise Refused(
            "Every number of the answer is 0.",
            "The array may be made and never filled. Where do your results "
            "go in?",
        )
    return array


def refuse_a_constant(first, second):
    """Refuse a function that gives one answer to two different inputs."""
    if first.shape == second.shape and np.array_equal(first, second):
        raise Refused(
            "The answer is the same for two different inputs.",
            "The numbers of the example seem to be written into the "
            "function. Compute them from its arguments.",
        )


def judge(got, wanted, mistakes, arguments, axes):
    """Refuse `got` unless it is `wanted`, by its misconception if known.

    Parameters
    ----------
    got, wanted : arrays
    mistakes : sequence of Mistake
    arguments : tuple
        What the reader's function was given.
    axes : str
        The wanted shape in letters, such as "(h, N, d)".
    """
    if close(got, wanted, TOLERANCE):
        return
    for mistake in mistakes:
        if close(got, mistake.answer(*arguments), RECOGNISED):
            raise Refused(mistake.sentence, mistake.hint)
    refuse_another_form(got, wanted, RECOGNISED, axes)
    if got.shape != wanted.shape:
        raise Refused(
            f"The shape is {got.shape}; it must be {axes} = {wanted.shape}.",
            "Write the shape behind each line of your function, from the "
            "first to the last, and see where they part.",
        )
    difference = np.abs(got - wanted)
    place = np.unravel_index(difference.argmax(), difference.shape)
    raise Refused(
        f"The shape is right, the numbers are not. The largest difference "
        f"is at {_written(place)}: {got[place]:.6g} instead of "
        f"{wanted[place]:.6g}.",
        f"Follow that one number back through your steps. The numbers must "
        f"agree to {TOLERANCE:g} of the largest.",
    )


def _place(where):
    return _written(np.argwhere(where)[0])


def _written(place):
    return f"[{', '.join(str(int(i)) for i in place)}]"
