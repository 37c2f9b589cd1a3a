"""The check of notebook 09: score heads by where they look.

check_next_score(f)   f(attn) -> one score for each layer and head
"""

import numpy as np

from helpers.attention import softmax
from helpers.checks.answers import (
    Mistake,
    ask,
    judge,
    numbers,
    refuse_a_constant,
)
from helpers.checks.verdict import verdict_on

SIZES = ((3, 4, 8), (2, 5, 7))  # layers, heads, pieces


def _at(attn, offset, first=1, last=1):
    """Return the weight at a distance, of all rows but some at the ends.

    A key beyond an end counts as 0. Returns (layers, h, rows).
    """
    N = attn.shape[-1]
    rows = np.arange(first, N - last)
    keys = rows + offset
    inside = (keys >= 0) & (keys < N)
    return attn[..., rows, np.where(inside, keys, 0)] * inside


def next_score(attn):
    """Return what is wanted: (layers, h), for maps (layers, h, N, N)."""
    return _at(attn, 1).mean(-1)


def _hits(attn):
    N = attn.shape[-1]
    return (attn.argmax(-1) == np.arange(N) + 1)[..., 1:-1].mean(-1)


MISTAKES = (
    Mistake(
        lambda attn: _at(attn, -1).mean(-1),
        "This is the weight on the place before.",
        "A row is a query. Its next place is column i + 1 of row i.",
    ),
    Mistake(
        lambda attn: next_score(attn.swapaxes(-1, -2)),
        "Rows and columns are swapped: this is who is looked at from the "
        "place before, in the columns of the words.",
        "attn[layer, head, i, j]: i is the query, j the key.",
    ),
    Mistake(
        lambda attn: _at(attn, 0).mean(-1),
        "This is the weight on the word itself.",
        "The next place is one to the right of the diagonal: j = i + 1.",
    ),
    Mistake(
        lambda attn: (_at(attn, 0) + _at(attn, 1)).mean(-1),
        "The word itself counts too.",
        "Only the next place: one column a row.",
    ),
    Mistake(
        lambda attn: _at(attn, 1, first=0, last=1).mean(-1),
        "The row of [CLS] counts too.",
        "[CLS] is no word. Begin with row 1; [SEP], the last row, does not "
        "count either.",
    ),
    Mistake(
        lambda attn: _at(attn, 1, first=1, last=2).mean(-1),
        "The last word is missing.",
        "It has a next place: [SEP]. Only the rows of [CLS] and [SEP] are "
        "left out, not their columns.",
    ),
    Mistake(
        lambda attn: _at(attn, 1, first=0, last=0).mean(-1),
        "You divide by all N rows; those of [CLS] and [SEP] are no words.",
        "There are N - 2 words. Begin with row 1 and stop before the last.",
    ),
    Mistake(
        lambda attn: _at(attn, 1, first=0).sum(-1) / (attn.shape[-1] - 2),
        "The row of [CLS] is added up, too, though you divide by N - 2.",
        "np.trace and np.eye take every row. Begin with row 1: [CLS] is no "
        "word.",
    ),
    Mistake(
        lambda attn: _at(attn, 1).sum(-1) / attn.shape[-1],
        "You divide by all N pieces, though only N - 2 are words.",
        "Divide by the number of rows that you have added up.",
    ),
    Mistake(
        lambda attn: _at(attn, 1).sum(-1),
        "This is the sum over the words.",
        "Divide by their number: a pure next-word head then scores 1, in a "
        "sentence of any length.",
    ),
    Mistake(
        lambda attn: attn[..., 1:-1, 2:].mean(axis=(-1, -2)),
        "This is the mean over everything behind [CLS] and the first word.",
        "attn[..., rows, columns] with two slices is a box. Give two lists "
        "of equal length, np.arange(1, N - 1) and the same plus 1, and "
        "NumPy takes them in pairs.",
    ),
    Mistake(
        lambda attn: _at(attn, 1).max(-1),
        "This is each head's best word.",
        "One lucky row says little. Take the mean over the words.",
    ),
    Mistake(
        _hits,
        "You count how often the largest weight lies there.",
        "Take the weight itself: 0.51 and 1.00 are not the same head.",
    ),
    Mistake(
        lambda attn: next_score(attn).mean(-1),
        "This is one number for a layer; its heads are averaged.",
        "Each head has a score of its own: leave the first two axes alone.",
    ),
    Mistake(
        lambda attn: np.array(next_score(attn).mean()),
        "This is one number for all heads.",
        "Each head has a score of its own: leave the first two axes alone.",
    ),
)


def check_next_score(f):
    """Check f(attn): the mean weight that words put on the next place.

    Parameters
    ----------
    f : function
        Takes maps (layers, h, N, N), [CLS] first and [SEP] last; returns
        (layers, h), an array or nested lists. Numbers must agree to 1e-5 of
        the largest.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine)


def example(place):
    """Return maps (layers, h, N, N) that the check asks with."""
    rng = np.random.default_rng(90 + place)
    layers, h, N = SIZES[place]
    scores = 1.5 * rng.standard_normal((layers, h, N, N))
    scores[0] += 3 * np.eye(N, k=1)
    scores[..., 0] += 1  # a place to rest
    return softmax(scores)


def _examine(f):
    cases = [example(place) for place in range(len(SIZES))]
    answers = [numbers(ask(f, attn)) for attn in cases]
    refuse_a_constant(*answers)
    for answer, attn in zip(answers, cases, strict=True):
        judge(answer, next_score(attn), MISTAKES, (attn,), "(layers, h)")
    return (
        "That is the score. Now find its head: my_score(sample.attn(0)), "
        "and the largest number in it."
    )
