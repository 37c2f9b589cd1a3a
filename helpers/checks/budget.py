"""The checks of notebook 03: one row's budget, two heads, and the limits.

check_best_row(f)          f(N, first, second) -> weights (N,)
check_two_heads(f)         f(N, subject, object) -> scores (2, N)
check_one_head_claims(x)   letters
"""

import numpy as np

from helpers.attention import softmax
from helpers.checks.answers import ask, numbers, refuse_a_constant
from helpers.checks.properties import TOLERANCE
from helpers.checks.statements import Statement, verdict_on_letters
from helpers.checks.verdict import Refused, verdict_on

CASES = ((9, 1, 4), (9, 6, 3), (7, 0, 5))  # N and the two targets
SMALL = 1e-3  # an error that counts as reached


def check_best_row(f):
    """Check f(N, first, second): the row whose worse error is smallest.

    Parameters
    ----------
    f : function
        Returns N weights, as an array or a list, that sum to 1. The error
        of a target is 1 minus its weight. Numbers must agree to 1e-5.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_row)


def _examine_row(f):
    rows = [numbers(ask(f, *case)) for case in CASES]
    for row, (N, first, second) in zip(rows, CASES, strict=True):
        _judge_row(row, N, first, second)
        refuse_a_constant(rows[0], rows[1])
    return (
        "Both errors are 0.50, together 1.00. No row gets lower: two of its "
        "weights never add up to more than 1."
    )


def _judge_row(row, N, first, second):
    if row.shape != (N,):
        raise Refused(
            f"The shape is {row.shape}; one row has N = {N} weights.",
            "One number a word, in the order of the sentence, and no other "
            "axis.",
        )
    row = row.astype(float)
    if (row < -TOLERANCE).any():
        raise Refused(
            f"A weight is negative: {row.min():.3g}.",
            "A softmax gives no negative weight: a row can't take from one "
            "word to give to another.",
        )
    total = row.sum()
    if np.allclose(row[[first, second]], 1, atol=TOLERANCE):
        raise Refused(
            f"The row spends {total:.4g}, and it has 1.0.",
            "A weight of 1 on each target is what two heads could do. One "
            "row shares one 1.0 between them.",
        )
    if abs(total - 1) > TOLERANCE:
        raise Refused(
            f"The row spends {total:.4g}, and it has 1.0: no more and no "
            f"less.",
            "Return weights, as they come out of the softmax, not scores. "
            "They are shares of 1.",
        )
    _judge_shares(row, first, second)


def _judge_shares(row, first, second):
    one, other = row[first], row[second]
    if max(one, other) > 1 - TOLERANCE:
        raise Refused(
            "One target gets all, and the error of the other is 1.",
            "You make the better error smallest, or only one of them. Make "
            "the worse one as small as you can.",
        )
    if np.ptp(row) < TOLERANCE:
        raise Refused(
            f"Every word gets the same, 1/N = {row[0]:.3f}; both errors are "
            f"{1 - one:.2f}.",
            "Most of it goes to words that nobody asks for.",
        )
    left = 1 - one - other
    if left > TOLERANCE:
        raise Refused(
            f"{left:.3g} of the row goes to words that nobody asks for.",
            "What lies elsewhere counts as an error in both relations. Take "
            "it from there.",
        )
    if abs(one - other) > TOLERANCE:
        raise Refused(
            f"The errors are {1 - one:.3g} and {1 - other:.3g}; the worse of "
            f"the two can still shrink.",
            "Move a little weight from the better target to the worse one. "
            "When does that stop helping?",
        )


def check_two_heads(f):
    """Check f(N, subject, object): scores with which two heads reach zero.

    Parameters
    ----------
    f : function
        Returns scores (2, N) of the row of the verb, one row a head. The
        check takes the softmax. Head 1 is read for the subject, head 2 for
        the object; errors up to 0.001 count as zero.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_heads)


def _examine_heads(f):
    answers = [numbers(ask(f, *case)) for case in CASES]
    for scores, case in zip(answers, CASES, strict=True):
        _judge_heads(scores, *case)
        refuse_a_constant(answers[0], answers[1])
    return (
        "Subject and object are both read without error: each head has a "
        "1.0 of its own."
    )


def _judge_heads(scores, N, subject, second):
    if scores.shape != (2, N):
        raise Refused(
            f"The shape is {scores.shape}; it must be (2, N) = (2, {N}).",
            _about_shape(scores.shape, N),
        )
    scores = scores.astype(float)
    if np.isposinf(scores).any():
        raise Refused(
            "A score is +inf.",
            "The softmax subtracts the largest score, and inf - inf is no "
            "number. A large number will do.",
        )
    attn = softmax(scores)
    errors = 1 - attn[[0, 1], [subject, second]]
    if errors.max() <= SMALL:
        return
    swapped = 1 - attn[[0, 1], [second, subject]]
    if np.allclose(scores[0], scores[1]):
        raise Refused(
            f"Both heads have the same row, so two heads do what one does: "
            f"the errors are {errors[0]:.2f} and {errors[1]:.2f}.",
            "Give head 1 a row for the subject, and head 2 another one for "
            "the object.",
        )
    if swapped.max() <= SMALL:
        raise Refused(
            "The heads are swapped: head 1 looks at the object.",
            "Row 0 of your answer is head 1, and is read for the subject.",
        )
    if np.allclose(scores.sum(1), 1) and (scores >= 0).all():
        raise Refused(
            f"These are weights already; the softmax comes after them, and "
            f"leaves the errors {errors[0]:.2f} and {errors[1]:.2f}.",
            "A score of 1 is only e = 2.7 times as much as a score of 0. "
            "Return scores: how far must one lie above the others?",
        )
    found = attn.argmax(1)
    if (found == (subject, second)).all():
        raise Refused(
            f"Both heads look the right way, too softly: the errors are "
            f"{errors[0]:.3f} and {errors[1]:.3f}.",
            "Each step of 1 in a score makes a word 2.7 times as heavy. "
            "Widen the gap.",
        )
    if (attn.argmin(1) == (subject, second)).all():
        raise Refused(
            "A sign is turned round: each target gets the lowest score.",
            "The softmax gives most to the largest score.",
        )
    raise Refused(
        f"Head 1 looks most at word {found[0]}, head 2 at word {found[1]}; "
        f"asked for are {subject} and {second}.",
        "The second and third argument are places, counted from 0.",
    )


def _about_shape(shape, N):
    if shape == (N,):
        return "That is one row for both. Each head has a row of its own."
    if shape == (N, 2):
        return "The axes are swapped: heads come first, then words."
    return "One row of N scores for each of two heads."


ONE_HEAD_CLAIMS = (
    Statement(
        "A",
        "One head can't put all its weight on one word.",
        False,
        "A score far above the others does it. Which two things can a row "
        "not do at the same time?",
    ),
    Statement(
        "B",
        "ate → cat and it → cat compete for one budget.",
        False,
        "Look at who asks. Each row has a softmax of its own.",
    ),
    Statement(
        "C",
        "With only two nouns and unequal weights, one head tells who ate "
        "whom.",
        True,
        "If the heavier noun is the subject, what is the lighter one?",
    ),
    Statement(
        "D",
        "With three nouns, well-chosen unequal weights name both roles.",
        False,
        "The subject asks for a > b. What does the object ask for?",
    ),
    Statement(
        "E",
        "With three nouns, two heads name both roles.",
        True,
        "Give each head a row for one role, and read each role from its "
        "own block.",
    ),
    Statement(
        "F",
        "For r relations of one word, r heads are needed.",
        False,
        "Look at the corners again: two heads held three roles.",
    ),
)


def check_one_head_claims(answer):
    """Check which of ONE_HEAD_CLAIMS hold: letters, in any order."""
    return verdict_on_letters(answer, ONE_HEAD_CLAIMS)
