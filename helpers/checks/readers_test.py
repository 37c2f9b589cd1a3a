"""A reader's own test, and what it says of a function."""

import numpy as np

from helpers.checks.answers import ask
from helpers.checks.verdict import Refused


def says(test, f, hint):
    """Return what a reader's test says of `f`: None if it says nothing.

    A failed assert counts as False.

    Parameters
    ----------
    test : function of `f`
    f : function
    hint : str
        How to get one answer, if the test returns an array.

    Raises
    ------
    NotYet, Refused
        If the test is a stub; if it stops, or returns an array.
    """

    def call():
        try:
            result = test(f)
        except AssertionError:
            return False
        return "nothing" if result is None else result

    result = ask(call)
    if isinstance(result, str):
        return None
    if np.ndim(result):
        raise Refused(
            "Your test returns an array, not one True or False.", hint
        )
    return result
