"""The right numbers in a wrong form, and why a line of NumPy stops.

What a check can say without knowing the exercise.
"""

import numpy as np

from helpers.checks.properties import close
from helpers.checks.verdict import Refused

MOST_PLACES = 6  # behind the point: an answer rounded to more is accepted
CLEARLY = 1.2  # a factor that no rounding explains
KINDS = {
    "U": "text",
    "S": "bytes",
    "b": "True and False",
    "c": "complex numbers",
}
ADVICE = (
    (
        "could not be broadcast",
        "Compare the two shapes from their last axes: each pair must be "
        "equal, or one of the two 1. keepdims=True leaves a summed axis "
        "there, as 1.",
    ),
    (
        "matmul",
        "(m, k) @ (k, n): the two in the middle must be equal.",
    ),
    (
        "cannot reshape",
        "A reshape keeps how many numbers there are: multiply the sizes, "
        "before and after.",
    ),
    (
        "truth value of an array",
        "An array is not one yes or no. Compare it as a whole: `is not "
        "None`, .any(), .all(), or np.maximum in place of max.",
    ),
    (
        "not NaN",
        "0 · inf, inf / inf and inf − inf are NaN. Choose what to hide by "
        "np.where, not by a product.",
    ),
    (
        "inhomogeneous",
        "Arrays of different shapes do not make one array. The course's "
        "attention functions return two things, what comes out and the "
        "maps: take the first.",
    ),
)
CALLED_WRONGLY = (
    "The check calls your function as its stub is written: keep the "
    "arguments in its first line, all of them and in this order."
)


def kind_in_words(array):
    """Say what an array holds, if it does not hold real numbers."""
    return KINDS.get(
        array.dtype.kind, "Python objects, such as a dict or a generator"
    )


def advice_on(error):
    """Say what a reader's error is most often about, or ""."""
    called = error.__traceback__
    if isinstance(error, TypeError) and called and called.tb_next is None:
        return CALLED_WRONGLY  # it never came into the function
    said = str(error)
    return next((text for part, text in ADVICE if part in said), "")


def refuse_another_form(got, wanted, near, axes):
    """Refuse the right numbers with two axes swapped, rounded or scaled.

    Parameters
    ----------
    got, wanted : arrays
        They differ.
    near : float
        How near is recognised, relative to the largest number.
    axes : str
        The wanted shape in letters.
    """
    if got.ndim == wanted.ndim > 1 and close(
        got.swapaxes(-1, -2), wanted, near
    ):
        raise Refused(
            f"The shape is {got.shape}; it must be {axes} = {wanted.shape}. "
            f"The numbers are right: rows stand where columns belong."
            if got.shape != wanted.shape
            else f"Rows stand where columns belong: {axes} is wanted.",
            "Turn the result round: .swapaxes(-1, -2).",
        )
    if got.shape != wanted.shape:
        return
    for places in range(MOST_PLACES):
        if np.array_equal(got, wanted.round(places)):
            raise Refused(
                f"The numbers are right, rounded to {places} places.",
                "Leave out the rounding: print rounds, the answer does not.",
            )
    factor = float((got * wanted).sum() / (wanted * wanted).sum())
    clear = not 1 / CLEARLY < factor < CLEARLY
    if wanted.size > 1 and clear and close(got, factor * wanted, near):
        raise Refused(
            f"Every number is {factor:.4g} times the right one.",
            "One factor is too many, or one is missing. Which of the sizes "
            "is it, or which sum was never divided by?",
        )
