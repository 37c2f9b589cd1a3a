"""The check of notebook 08: write an induction score.

check_induction_score(f)   f(attn, tokens) -> one score a head
"""

from functools import partial

import numpy as np

from helpers import roles
from helpers.attention import softmax
from helpers.checks.answers import (
    Mistake,
    ask,
    judge,
    numbers,
    refuse_a_constant,
)
from helpers.checks.verdict import verdict_on

# Words that come back after different distances; one comes three times.
SENTENCES = ((3, 1, 4, 0, 3, 1, 5, 4, 2, 3, 6), (2, 0, 1, 3, 4, 2, 0, 5, 1))
h = 3


def _wanted(attn, tokens):
    return roles.score(attn, roles.induction(tokens))


def _by(pattern, attn, tokens):
    return roles.score(attn, pattern(tokens))


def _earlier(tokens):
    return np.tril(roles.same_word(tokens))


def _one_before(tokens):
    pattern = np.zeros_like(_earlier(tokens))
    pattern[:, :-1] = _earlier(tokens)[:, 1:]
    return pattern


def _behind(same):
    pattern = np.zeros_like(same)
    pattern[:, 1:] = same[:, :-1]
    return pattern


def _also_later(tokens):
    return _behind(roles.same_word(tokens))


def _also_itself(tokens):
    return _behind(_earlier(tokens) | np.eye(len(tokens), dtype=bool))


def _only_one(last, tokens):
    pattern = roles.induction(tokens)
    for row in pattern:
        keys = np.flatnonzero(row)
        if len(keys):
            row[:] = False
            row[keys[-1 if last else 0]] = True
    return pattern


def _previous(tokens):
    return roles.at_offset(len(tokens), -1)


def _on(attn, tokens):
    return (attn * roles.induction(tokens)).sum(-1)  # (h, N)


def _asked(tokens):
    return roles.induction(tokens).any(-1)


def _hits(attn, tokens):
    on = np.take_along_axis(
        np.broadcast_to(roles.induction(tokens), attn.shape),
        attn.argmax(-1)[..., None],
        axis=-1,
    )
    return on[:, _asked(tokens), 0].mean(-1)


MISTAKES = (
    Mistake(
        partial(_by, _earlier),
        "This is the weight on the earlier occurrence itself: the score of "
        "a same-word head.",
        "What is wanted stands one place behind it: key j, where token "
        "j - 1 is the query's word.",
    ),
    Mistake(
        partial(_by, _one_before),
        "You look one place before the earlier occurrence.",
        "What followed it last time stands one place after it: plus 1, not "
        "minus 1.",
    ),
    Mistake(
        partial(_by, _also_later),
        "Occurrences after the query count too.",
        "What followed the last time must have been seen already: the "
        "occurrence lies before the query.",
    ),
    Mistake(
        partial(_by, _also_itself),
        "The query counts as its own earlier occurrence, so its next token "
        "is a target.",
        "Earlier means before the query: j - 1 < i, not j - 1 <= i.",
    ),
    Mistake(
        partial(_by, partial(_only_one, False)),
        "Only the first occurrence counts.",
        "A word can come three times. `index` and `argmax` find one of "
        "them; add up the weight behind each.",
    ),
    Mistake(
        partial(_by, partial(_only_one, True)),
        "Only the latest occurrence counts.",
        "A word can come three times. Add up the weight behind each "
        "earlier occurrence.",
    ),
    Mistake(
        partial(_by, _previous),
        "This is the score of a previous-token head.",
        "Which key is wanted depends on the words: the one behind an "
        "earlier occurrence of the query's word.",
    ),
    Mistake(
        lambda attn, tokens: _on(attn, tokens).mean(-1),
        "The mean runs over all queries, also over those that have nothing "
        "to find.",
        "A word seen for the first time has no such key, and can't look "
        "there. Divide by the number of queries that have one.",
    ),
    Mistake(
        lambda attn, tokens: _on(attn, tokens).sum(-1),
        "This is the sum over the queries.",
        "Divide by the number of queries that have such a key; a pure head "
        "then scores 1.",
    ),
    Mistake(
        lambda attn, tokens: (
            _on(attn, tokens).sum(-1) / roles.induction(tokens).sum()
        ),
        "You divide by the number of keys found.",
        "A query with two such keys has still 1.0 to spend. Divide by the "
        "number of queries.",
    ),
    Mistake(
        lambda attn, tokens: _on(attn, tokens).max(-1),
        "This is each head's best query.",
        "One lucky row says little. Take the mean over the queries that "
        "have such a key.",
    ),
    Mistake(
        _hits,
        "You count how often the largest weight lies there.",
        "Take the weight itself: 0.51 and 1.00 are not the same head.",
    ),
    Mistake(
        lambda attn, tokens: _wanted(attn.swapaxes(-1, -2), tokens),
        "Rows and columns are swapped.",
        "attn[head, i, j]: i is the query, the later word; j is the key.",
    ),
    Mistake(
        lambda attn, tokens: np.array(_wanted(attn, tokens).mean()),
        "This is one number for all heads.",
        "Each head has a score of its own: leave the first axis alone.",
    ),
)


def check_induction_score(f):
    """Check f(attn, tokens): the mean weight behind earlier occurrences.

    Parameters
    ----------
    f : function
        Takes maps (h, N, N) and tokens (N,); returns one score a head, an
        array or a list. Numbers must agree to 1e-5 of the largest. The
        maps it is given are not causal.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine)


def example(place):
    """Return maps (h, N, N) and tokens (N,) that the check asks with."""
    tokens = np.array(SENTENCES[place])
    rng = np.random.default_rng(80 + place)
    scores = 2 * rng.standard_normal((h, len(tokens), len(tokens)))
    scores[1:] += 4 * roles.induction(tokens)  # the first head has no role
    return softmax(scores), tokens


def _examine(f):
    cases = [example(place) for place in range(len(SENTENCES))]
    answers = [numbers(ask(f, *case)) for case in cases]
    refuse_a_constant(*answers)
    for answer, case in zip(answers, cases, strict=True):
        judge(answer, _wanted(*case), MISTAKES, case, "(h,)")
    return (
        "That is the score. It says where a head looks, not yet whether "
        "the model needs it."
    )
