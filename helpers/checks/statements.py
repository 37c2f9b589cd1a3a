"""Checks of "which of these hold?": answered in letters."""

import re
from dataclasses import dataclass

from helpers.checks.verdict import NotYet, Refused, Verdict, verdict_on


@dataclass(frozen=True)
class Statement:
    """A letter, a sentence, whether it holds, and why or why not.

    `hint` is said to who judges it wrongly.
    """

    letter: str
    text: str
    holds: bool
    hint: str

    def __str__(self):
        return f"{self.letter}  {self.text}"


def verdict_on_letters(answer, statements):
    """Judge which statements a reader takes for true.

    Parameters
    ----------
    answer : str, set, list or tuple
        Letters in any order and case: {"A", "B"}, "AB" or "a, b".
    statements : sequence of Statement

    Returns
    -------
    Verdict
        Names one letter that is wrong, with its own hint.
    """
    if answer is None or answer is ...:
        return Verdict("not yet", _ask_for(statements))
    return verdict_on(lambda: answer, lambda f: _examine(f(), statements))


def _ask_for(statements):
    first, last = statements[0].letter, statements[-1].letter
    return f"Choose your letters, {first} to {last}, such as {{'{first}'}}."


def _examine(answer, statements):
    chosen = _letters(answer, statements)
    if not chosen:
        raise NotYet(_ask_for(statements))
    for statement in statements:
        if statement.letter in chosen and not statement.holds:
            raise Refused(
                f"{statement.letter} does not hold: {statement.text}",
                statement.hint,
            )
    for statement in statements:
        if statement.holds and statement.letter not in chosen:
            raise Refused(
                f"What you chose holds, but it is not all of it: "
                f"{len(chosen)} of "
                f"{sum(s.holds for s in statements)} letters.",
                f"Look again at {statement.letter}. {statement.hint}",
            )
    letters = ", ".join(s.letter for s in statements if s.holds)
    return f"{letters} hold, and no other."


def _letters(answer, statements):
    if isinstance(answer, str):
        answer = re.sub(r"(?i)\band\b|[\s,;+&.]", "", answer)
    try:
        found = [item for item in answer if item is not ...]
    except TypeError:
        found = [answer]
    legal = {statement.letter for statement in statements}
    chosen = set()
    for item in found:
        letter = item.strip().upper() if isinstance(item, str) else item
        if not isinstance(letter, str) or letter not in legal:
            raise Refused(
                f"{item!r:.40} is not one of the letters.",
                _ask_for(statements),
            )
        chosen.add(letter)
    return chosen
