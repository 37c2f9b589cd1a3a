"""What a check says: yes, no, or not yet."""

from dataclasses import dataclass
from time import monotonic

from helpers.checks.time_limit import TimeUp, within
from helpers.pictures.text import escape

SECONDS = 5  # a check stops a function that runs longer
LATE = 5  # more seconds are no busy machine any more
WORD = {"yes": "Yes.", "no": "No.", "not yet": "Not yet."}
EDGE = {"yes": "#2e7d32", "no": "#b3261e", "not yet": "#616161"}


@dataclass(frozen=True)
class Verdict:
    """The answer of a check.

    `status` is "yes", "no" or "not yet". `sentence` says what is right or
    wrong and where; `hint` says how to think about it, or is "".
    """

    status: str
    sentence: str
    hint: str = ""

    @property
    def ok(self):
        """True if the exercise is solved."""
        return self.status == "yes"

    def __str__(self):
        hint = f"\nHint: {self.hint}" if self.hint else ""
        return f"{WORD[self.status]} {self.sentence}{hint}"

    __repr__ = __str__

    def _repr_html_(self):
        hint = (
            f"<details><summary>Hint</summary>{escape(self.hint)}</details>"
            if self.hint
            else ""
        )
        return (
            f'<div style="border-left:4px solid {EDGE[self.status]};'
            f'padding:4px 12px"><b>{WORD[self.status]}</b> '
            f"{escape(self.sentence)}{hint}</div>"
        )


class NotYet(Exception):
    """There is nothing to judge yet; the text says what to do first."""


class Refused(Exception):
    """The answer is wrong. Made of a sentence and a hint."""

    def __init__(self, sentence, hint=""):
        super().__init__(sentence)
        self.sentence, self.hint = sentence, hint


def verdict_on(f, examine, seconds=None):
    """Let `examine(f)` judge, for a limited time; return a Verdict.

    Parameters
    ----------
    f : the reader's function
    examine : function of `f`
        Returns the sentence of a "yes", or raises NotYet or Refused.
    seconds : float, optional
        More than SECONDS, if the function has to train a model.
    """
    limit = seconds or SECONDS
    if f is None or f is ...:
        return Verdict("not yet", "Define the function first.")
    if not callable(f):
        return Verdict(
            "no",
            f"The check needs the function itself, and got "
            f"{_with_article(type(f).__name__)}.",
            "Give it the name of your function, without brackets behind it.",
        )
    start = monotonic()
    try:
        return Verdict("yes", within(limit, lambda: examine(f)))
    except NotYet as reason:
        return Verdict("not yet", str(reason))
    except Refused as reason:
        return Verdict("no", reason.sentence, reason.hint)
    except TimeUp:
        return Verdict(
            "no",
            _when_stopped(limit, monotonic() - start),
            f"Look for a loop that never ends: what makes its condition "
            f"false? These inputs are small, and a right answer takes "
            f"{'a few seconds' if seconds else 'milliseconds'}.",
        )


def _when_stopped(limit, took):
    if took < limit + LATE:
        return f"Your function was stopped after {limit} seconds."
    return (
        f"Your function was stopped after {took:.0f} seconds. The limit is "
        f"{limit}, but one long step, such as a sleep, ends first."
    )


def _with_article(noun):
    an = noun[0] in "aeiou" or noun.startswith("nd")  # said "en dee array"
    return f"{'an' if an else 'a'} {noun}"
