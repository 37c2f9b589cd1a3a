"""The check of notebook 00: what each query spends."""

import numpy as np

from helpers.checks.answers import (
    Mistake,
    ask,
    judge,
    numbers,
    refuse_a_constant,
)
from helpers.checks.verdict import Refused, verdict_on

# N_q, N_k: different, then equal, where a wrong axis has the right shape.
SIZES = ((5, 7), (4, 4))

MISTAKES = (
    Mistake(
        lambda attn: attn.sum(axis=0),
        "These are the sums of the columns: how much each word is looked at.",
        "A row is a query. Add up along the row, over the keys: they are "
        "the last axis, axis=-1.",
    ),
    Mistake(
        lambda attn: attn.sum(),
        "This is one sum of the whole map.",
        "Each query has a sum of its own. Name the axis to add up along.",
    ),
    Mistake(
        lambda attn: attn.mean(axis=-1),
        "These are the means of the rows.",
        "A mean divides the sum by the number of keys. Leave that out.",
    ),
    Mistake(
        lambda attn: attn.max(axis=-1),
        "These are the largest weights of the rows.",
        "Add up all the weights of a row.",
    ),
    Mistake(
        lambda attn: attn.sum(axis=-1, keepdims=True),
        "The sums are right. They still lie in a column, (N_q, 1).",
        "Return one plain number a query: leave out keepdims.",
    ),
    Mistake(
        lambda attn: np.cumsum(attn, axis=-1),
        "These are running sums along each row.",
        "The last number of each row is what you need: sum, not cumsum.",
    ),
)


def check_row_sums(f):
    """Check f(attn): (N_q, N_k) -> (N_q,), the sum of each row.

    Parameters
    ----------
    f : function
        Returns an array or a list. Numbers must agree to 1e-5 of the
        largest. The rows that it is given do not sum to 1.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine)


def _examine(f):
    rng = np.random.default_rng(3)
    for N_q, N_k in SIZES:
        attn, other = rng.random((2, N_q, N_k))
        got = numbers(ask(f, attn))
        if got.shape == (N_q,) and np.allclose(got, 1):
            raise Refused(
                "The answer is 1 for every row, and these rows do not sum "
                "to 1.",
                "The check gives numbers that no softmax made. Add up what "
                "is there.",
            )
        refuse_a_constant(got, numbers(ask(f, other)))
        judge(got, attn.sum(axis=-1), MISTAKES, (attn,), "(N_q,)")
    return "One sum for each query. In a map of attention each of them is 1."
