"""The check of the best single weighting for two targets."""

import numpy as np

from helpers.attention import softmax
from helpers.checks.answers import (
    RECOGNISED,
    Mistake,
    ask,
    judge,
    numbers,
    refuse_a_constant,
)
from helpers.checks.properties import TOLERANCE, close
from helpers.checks.verdict import Refused, verdict_on

# N, d, first, second, care; d > N, so that only one row of weights is best.
CASES = ((5, 6, 1, 3, 0.7), (4, 8, 2, 0, 0.35), (6, 7, 0, 4, 0.9))


def _weighting(N, *pairs):
    row = np.zeros(N)
    for place, share in pairs:
        row[place] += share
    return row


def _best(values, first, second, care):
    return _weighting(len(values), (first, care), (second, 1 - care))


MISTAKES = (
    Mistake(
        lambda v, i, j, care: _weighting(len(v), (i if care > 0.5 else j, 1)),
        "The more important target takes everything.",
        "Try it: move a little weight to the other target. Its error falls "
        "at once; the first one's hardly grows, since errors are squared.",
    ),
    Mistake(
        lambda v, i, j, care: _weighting(len(v), (i, 0.5), (j, 0.5)),
        "The two targets share equally, whatever `care` says.",
        "If care is 0.9, the first target's error counts nine times as much "
        "as the second's. Where on the line between them is it best?",
    ),
    Mistake(
        lambda v, i, j, care: _weighting(len(v), (i, 1 - care), (j, care)),
        "The weights are swapped: the less important target gets more.",
        "`care` is the importance of the first target.",
    ),
    Mistake(
        lambda v, i, j, care: _weighting(len(v), (i, 1), (j, 1)),
        "Each target gets a weight of 1: that makes 2.",
        "A row has 1.0 to spend. What one target gets, the other loses.",
    ),
    Mistake(
        lambda v, i, j, care: np.full(len(v), 1 / len(v)),
        "Every value gets the same weight.",
        "Weight on a third value pulls the output away from the line "
        "between the two targets.",
    ),
    Mistake(
        lambda v, i, j, care: _best(v, i, j, care) @ v,
        "This is the output, not the weights.",
        "Return one weight for each row of `values`.",
    ),
    Mistake(
        lambda v, i, j, care: np.array([care, 1 - care]),
        "These are the right two weights, without the zeros.",
        "Return one weight for each row of `values`: 0 for the others.",
    ),
    Mistake(
        lambda v, i, j, care: _weighting(
            len(v),
            (i, care**2 / (care**2 + (1 - care) ** 2)),
            (j, (1 - care) ** 2 / (care**2 + (1 - care) ** 2)),
        ),
        "The importances are squared.",
        "Set the derivative of the error to zero: the squares of the "
        "distances become distances, and `care` stays as it is.",
    ),
    Mistake(
        lambda v, i, j, care: softmax(_best(v, i, j, care)),
        "This is a softmax of the importances, so every value gets some "
        "weight.",
        "The importances are shares already: positive, and their sum is 1. "
        "Who should get nothing?",
    ),
    Mistake(
        lambda v, i, j, care: _weighting(
            len(v), *zip((i, j), softmax([care, 1 - care]), strict=True)
        ),
        "This is a softmax of the two importances.",
        "The importances are shares already: positive, and their sum is 1. "
        "Set the derivative of the error to zero, and see what is left.",
    ),
)


def check_best_weighting(f):
    """Check f(values, first, second, care): the weights with least error.

    The error is care · |out - values[first]|² + (1 - care) ·
    |out - values[second]|², with out = weights @ values.

    Parameters
    ----------
    f : function
        Returns one weight for each row of values: none negative, their sum
        1. Numbers must agree to 1e-5 of the largest.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_weighting)


def _examine_weighting(f):
    for N, d, first, second, care in CASES:
        values = _drawn(N, d, seed=N)
        arguments = (values, first, second, care)
        got, wanted = numbers(ask(f, *arguments)), _best(*arguments)
        if close(got, wanted):
            continue
        for mistake in MISTAKES:
            if close(got, mistake.answer(*arguments), RECOGNISED):
                raise Refused(mistake.sentence, mistake.hint)
        other = (_drawn(N, d, seed=N + 9), second, first, care / 3)
        refuse_a_constant(got, numbers(ask(f, *other)))
        if got.shape == wanted.shape:
            _require_shares(got)
        judge(got, wanted, (), arguments, "(N,)")
    return (
        "These weights have the least error. It is not 0: one row can't "
        "hit two targets."
    )


def _drawn(N, d, seed):
    return np.random.default_rng(seed).standard_normal((N, d))


def _require_shares(got):
    if (got < -TOLERANCE).any():
        raise Refused(
            f"A weight is negative: {got.min():.3g}.",
            "A softmax gives no negative weights. The best point on the "
            "line between the targets needs none.",
        )
    if abs(got.sum() - 1) > TOLERANCE:
        raise Refused(
            f"The weights sum to {got.sum():.4g}, not to 1.",
            "A row has exactly 1.0 to spend.",
        )
