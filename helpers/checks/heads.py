"""The checks of split_heads and merge_heads."""

import numpy as np

from helpers import steps
from helpers.attention import merge_heads, split_heads
from helpers.checks.answers import (
    Mistake,
    ask,
    judge,
    numbers,
    refuse_a_constant,
)
from helpers.checks.verdict import verdict_on

# h, N, d: all different, then N = h, where a wrong shape looks right.
SIZES = ((6, 7, 5), (4, 4, 3), (1, 3, 2))

SPLIT_MISTAKES = (
    Mistake(
        steps.bare_reshape_split,
        "This is a bare reshape: the shape is right, the numbers are in the "
        "wrong heads.",
        "Reshape reads row after row, so the first head gets whole tokens "
        "instead of its own columns of every token. Cut the last axis "
        "first, to (N, h, d), and then let two axes trade places.",
    ),
    Mistake(
        lambda X, h: X.reshape(len(X), h, -1),
        "The cut is right, but the heads do not stand in front yet: the "
        "axes are (N, h, d).",
        "Let the first two axes trade places: swapaxes or transpose, not "
        "another reshape.",
    ),
    Mistake(
        steps.interleaved_split,
        "Each head gets every h-th column.",
        "Head 0 gets the first d columns side by side, head 1 the next d. "
        "In the reshape, h comes before d.",
    ),
    Mistake(
        lambda X, h: split_heads(X, h).swapaxes(-1, -2),
        "Each head is transposed: its axes are (d, N).",
        "The last axis stays the last: only the token axis and the head "
        "axis trade places.",
    ),
    Mistake(
        lambda X, h: np.stack([X] * h),
        "Every head gets all the columns.",
        "Each head gets its own d = (h · d) / h columns.",
    ),
)

MERGE_MISTAKES = (
    Mistake(
        steps.bare_reshape_merge,
        "This is a bare reshape: the shape is right, but a row holds "
        "numbers of several tokens.",
        "Row i must hold what all heads say about token i. Let the head "
        "axis and the token axis trade places first, then reshape.",
    ),
    Mistake(
        lambda heads: heads.swapaxes(0, 1),
        "The axes are swapped, but the heads are not joined yet: there are "
        "still three axes.",
        "One step is left: reshape to (N, h * d).",
    ),
    Mistake(
        steps.interleaved_merge,
        "The heads are shuffled together, one number of each in turn.",
        "Row i begins with all d numbers of head 0, then all of head 1. "
        "Before the reshape the axes must be (N, h, d), not (N, d, h).",
    ),
    Mistake(
        lambda heads: heads.reshape(-1, heads.shape[-1]),
        "The heads lie one below the other.",
        "They belong side by side: join them along the last axis.",
    ),
    Mistake(
        lambda heads: heads.sum(axis=0),
        "The heads are added up.",
        "Merging keeps every number. W_O mixes the heads, one step later.",
    ),
    Mistake(
        lambda heads: heads.mean(axis=0),
        "The heads are averaged.",
        "Merging keeps every number; an average loses what sets the heads "
        "apart. W_O mixes them, one step later.",
    ),
)


def _numbered(*shape, seed):
    return np.random.default_rng(seed).standard_normal(shape)


def check_split_heads(f):
    """Check f(X, h): (N, h * d) -> (h, N, d).

    Parameters
    ----------
    f : function
        Returns an array or nested lists, of any float type. Numbers must
        agree to 1e-5 of the largest.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_split)


def _examine_split(f):
    for h, N, d in SIZES:
        X = _numbered(N, h * d, seed=N)
        got = numbers(ask(f, X, h))
        refuse_a_constant(got, numbers(ask(f, _numbered(N, h * d, seed=9), h)))
        wanted = split_heads(X, h)
        judge(got, wanted, SPLIT_MISTAKES, (X, h), "(h, N, d)")
    return "split_heads is right: every head has its own columns."


def check_merge_heads(f):
    """Check f(heads): (h, N, d) -> (N, h * d).

    Parameters
    ----------
    f : function
        Returns an array or nested lists, of any float type. Numbers must
        agree to 1e-5 of the largest.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_merge)


def _examine_merge(f):
    for h, N, d in SIZES:
        heads = _numbered(h, N, d, seed=N)
        got = numbers(ask(f, heads))
        refuse_a_constant(got, numbers(ask(f, _numbered(h, N, d, seed=9))))
        wanted = merge_heads(heads)
        judge(got, wanted, MERGE_MISTAKES, (heads,), "(N, h * d)")
    return "merge_heads is right: it undoes split_heads."
