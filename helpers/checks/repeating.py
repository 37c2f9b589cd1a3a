"""The check of notebook 08: a test that a fixed distance does not pass.

check_repeat_test(test)   test(answer) -> True if answer really repeats
"""

import numpy as np

from helpers.checks.readers_test import says
from helpers.checks.verdict import NotYet, Refused, verdict_on
from helpers.learn.repeat import Repeat

LENGTHS = range(Repeat.shortest, Repeat.longest + 1)


def check_repeat_test(test):
    """Check test(answer): does it tell repeating from counting back?

    Parameters
    ----------
    test : function
        Takes a function answer(tokens) -> (batch, N), which guesses the
        next token at each place of each sentence. Returns True if it
        repeats whatever the copy's length, False if not; a failed assert
        counts as False.

    Returns
    -------
    Verdict
    """
    return verdict_on(test, _examine)


def repeats(tokens, share=1.0):
    """Guess what followed the same token before: right wherever it can be.

    Elsewhere it guesses the token itself. `share` of the guesses are kept,
    the others are spoilt.
    """
    tokens = np.asarray(tokens)
    guess = tokens.copy()
    same = np.tril(tokens[:, :, None] == tokens[:, None, :], -1)
    found = same.any(-1)
    last = tokens.shape[1] - 1 - same[:, :, ::-1].argmax(-1)
    behind = np.take_along_axis(
        tokens, last + 1 - (last == same.shape[1] - 1), 1
    )
    guess[found] = behind[found]
    spoilt = np.random.default_rng(3).random(tokens.shape) >= share
    guess[spoilt] = (guess[spoilt] + 1) % 32
    return guess


def counts_back(distance, tokens):
    """Guess the token that stands so many places back."""
    return np.roll(np.asarray(tokens), distance, axis=1)


def guesses(tokens):
    """Guess some token of the same sentence."""
    return np.random.default_rng(4).permuted(np.asarray(tokens), axis=1)


class _Heard:
    """A reader's test; `lengths` are the copies that it asks about."""

    def __init__(self, test):
        self._test, self.called = test, False
        self.lengths = []  # one a sentence; 0 for one without a copy

    def passes(self, f):
        """Say whether `f` passes the test; None if the test says nothing."""

        def answer(tokens):
            tokens = np.asarray(tokens)
            flat = tokens.ndim == 1
            tokens = np.atleast_2d(tokens)
            self.called = True
            self.lengths.extend(map(_copy, tokens))
            return f(tokens)[0] if flat else f(tokens)

        said = says(
            self._test,
            answer,
            "Take the mean over all questions, and compare it with what you "
            "ask for.",
        )
        if not isinstance(said, bool | np.bool_ | None):
            raise Refused(
                f"Your test returns {said!s:.20}, not True or False.",
                "How good is good enough? Compare the share of right "
                "guesses with it, such as 0.9.",
            )
        return said


def _examine(test):
    heard = _Heard(test)
    right = heard.passes(repeats)
    nearly = heard.passes(lambda tokens: repeats(tokens, 0.97))
    if right is None and nearly is None:
        raise NotYet("Your test says nothing yet. Return True or False.")
    if not heard.called:
        raise Refused(
            "Your test never calls answer.",
            "Draw sentences with task.draw, and look at what "
            "answer(batch.tokens) gives.",
        )
    if not right:
        raise Refused(
            "Your test refuses one that repeats without a mistake.",
            "Before the second copy nobody can know what comes next. Judge "
            "only the places that are asked: batch.asked['next'].",
        )
    if not nearly:
        raise Refused(
            "Your test refuses one that is right 97 times in 100.",
            "Trained models are seldom perfect. Ask for a share of right "
            "guesses, such as 0.9.",
        )
    _refuse_what_passes(heard)
    return (
        "Your test lets repeating pass and stops guessing and every fixed "
        "distance."
    )


def _refuse_what_passes(heard):
    seen = {length for length in heard.lengths if length}
    if heard.passes(guesses):
        raise Refused(
            "One that only guesses passes your test.",
            "Compare the guesses with batch.asked['next'].answers, and ask "
            "for a high share. A right shape proves nothing.",
        )
    for length in LENGTHS:
        if heard.passes(lambda tokens, d=length - 1: counts_back(d, tokens)):
            raise Refused(
                f"One that always looks {length - 1} places back passes.",
                _why_unseen(seen, length),
            )


def _why_unseen(seen, length):
    if len(seen) <= 1:
        return (
            f"All your sentences have copies of {length} tokens, so one "
            f"distance is always right. Draw from a task whose copies differ "
            f"in length, such as Repeat()."
        )
    return (
        "Your lengths differ, and still it is good enough. Ask for a higher "
        "share, and take more sentences of other lengths."
    )


def _copy(row):
    """Return the length of the copy at the end of a sentence, or 0."""
    for length in range(len(row) // 2, 1, -1):
        if np.array_equal(row[-length:], row[-2 * length : -length]):
            return length
    return 0
