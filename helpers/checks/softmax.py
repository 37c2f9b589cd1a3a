"""The check of softmax."""

from functools import partial

import numpy as np

from helpers.attention import softmax
from helpers.checks.answers import (
    Mistake,
    ask,
    judge,
    numbers,
    refuse_a_constant,
)
from helpers.checks.properties import close
from helpers.checks.verdict import Refused, verdict_on

# Rows and columns all different, then equal: a lost axis looks right there.
SHAPES = ((4, 7), (5, 5), (6,))


def _exp(scores):
    return np.exp(scores)


def _undivided(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


def _wrong_division(scores):
    if scores.shape[0] != scores.shape[-1]:
        return softmax(scores)  # elsewhere NumPy stops
    return np.exp(scores) / np.exp(scores).sum(axis=-1)


SOFTMAX_MISTAKES = (
    Mistake(
        partial(softmax, axis=0),
        "The columns sum to 1, not the rows.",
        "Each row is one query's scores: sum along the last axis, axis=-1.",
    ),
    Mistake(
        lambda scores: softmax(scores, axis=None),
        "All numbers together sum to 1.",
        "Each row has its own 1 to share out: axis=-1 and keepdims=True in "
        "the sum.",
    ),
    Mistake(
        _wrong_division,
        "Rows are added up, but columns are divided by the sums.",
        "With keepdims=True the sums keep the shape (rows, 1), so each row "
        "is divided by its own.",
    ),
    Mistake(
        _exp,
        "This is exp of the scores: the rows do not sum to 1.",
        "One step is left: divide each row by its sum.",
    ),
    Mistake(
        _undivided,
        "The largest number of each row is 1, but the rows do not sum to 1.",
        "Subtracting the largest score is right. After exp, divide each row "
        "by its sum.",
    ),
    Mistake(
        lambda scores: np.log(softmax(scores)),
        "These are the logarithms of the shares.",
        "Leave out the last log: shares are positive and sum to 1.",
    ),
    Mistake(
        lambda scores: softmax(-scores),
        "The smallest score gets the largest share.",
        "A sign is turned round: exp(scores - largest), not "
        "exp(largest - scores).",
    ),
    Mistake(
        lambda scores: scores / scores.sum(axis=-1, keepdims=True),
        "The scores themselves are divided by their sum: there is no exp.",
        "Scores may be negative, shares may not. exp makes them positive "
        "first.",
    ),
    Mistake(
        lambda scores: softmax(scores * np.log(2)),
        "These are powers of 2, not of e.",
        "np.exp, not np.exp2: the base of softmax is e.",
    ),
    Mistake(
        lambda scores: 1 / (1 + np.exp(-scores)),
        "Each score goes through a sigmoid of its own: nothing is shared.",
        "A share depends on the other scores of its row: exp of the score, "
        "divided by the sum of the row's exps.",
    ),
    Mistake(
        lambda scores: 100 * softmax(scores),
        "These are percent: the rows sum to 100.",
        "Shares sum to 1.",
    ),
    Mistake(
        lambda scores: 1.0 * (scores == scores.max(axis=-1, keepdims=True)),
        "The largest score takes everything.",
        "That is what softmax becomes at temperature 0. Here each score "
        "gets a share in proportion to its exp.",
    ),
)


def check_softmax(f):
    """Check f(scores): (..., N_k) -> shares along the last axis.

    Parameters
    ----------
    f : function
        Returns an array or nested lists, of any float type. Numbers must
        agree to 1e-5 of the largest.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_softmax)


def _examine_softmax(f):
    for number, shape in enumerate(SHAPES):
        scores = _drawn(shape, number)
        got = numbers(ask(f, scores))
        refuse_a_constant(got, numbers(ask(f, _drawn(shape, 9))))
        judge(got, softmax(scores), SOFTMAX_MISTAKES, (scores,), "(rows, N_k)")
    _judge_whole_numbers(f)
    _judge_shift(f)
    _judge_far_rows(f)
    return "softmax is right, and no score is too large for it."


def _drawn(shape, seed):
    return 2 * np.random.default_rng(seed).standard_normal(shape)


def _judge_whole_numbers(f):
    scores = np.array([[3, 1, 0], [2, 2, -5]])
    if not close(ask(f, scores), softmax(scores)):
        raise Refused(
            "With whole numbers as scores the shares are wrong.",
            "An array of whole numbers can't hold 0.25: what is written "
            "into it is cut off. Write the shares into a new array.",
        )


def _judge_shift(f):
    """Scores of thousands: only their differences count."""
    small = np.array([[3.0, 1.0, 0.0, -2.0], [0.5, 0.25, 4.0, 1.0]])
    for shift in (1000.0, -1000.0):
        shares = np.asarray(ask(f, small + shift), dtype=float)
        if close(shares, softmax(small)):
            continue
        if not np.isfinite(shares).all() and shift > 0:
            raise Refused(
                "With scores of 1,000 the shares are no longer numbers.",
                "exp(1000) overflows. Subtract each row's largest score "
                "before exp: every share stays the same.",
            )
        if shift < 0 and not np.nan_to_num(shares).any():
            raise Refused(
                "With scores of -1,000 every exp is 0, and the shares are "
                "lost.",
                "exp(-1000) is 0 in a computer. Subtract each row's largest "
                "score, also where it is negative.",
            )
        raise Refused(
            f"The same scores, all shifted by {shift:,.0f}, give other "
            f"shares.",
            "Only differences between scores count. A fixed limit, or a "
            "small number added to the sum, breaks that; subtracting the "
            "row's largest score does not.",
        )


def _judge_far_rows(f):
    scores = np.array([[2000.0, 2001.0, 1999.0], [-1.0, 0.0, 1.0]])
    shares = np.asarray(ask(f, scores), dtype=float)
    if not close(shares, softmax(scores)):
        raise Refused(
            "Two rows at once, one with scores of 2,000 and one with scores "
            "of 1: the second row is lost.",
            "Subtract each row's own largest score, not the largest of the "
            "whole array: max(axis=-1, keepdims=True).",
        )
