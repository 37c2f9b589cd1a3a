"""The running sentence, its variants, and the relations between its words.

A word is known by its place, counted from 0: the two "the" stay apart.
"""

import unicodedata
from dataclasses import dataclass

from helpers.choice_rules import texts

HUNGRY = "The cat ate the fish because it was hungry"
TASTY = "The cat ate the fish because it was tasty"
SWAPPED = "The fish ate the cat because it was hungry"
SENTENCES = (HUNGRY, TASTY, SWAPPED)

MOST_WORDS = 64
LONGEST_WORD = 80
LONGEST_TEXT = 100_000  # characters; more is refused before it is split

# The order in which relations are dealt out to heads. The two that compete
# for the row "ate" come first, so they part first.
RELATION_NAMES = (
    "verb → subject",
    "verb → object",
    "pronoun → antecedent",
    "previous",
    "next",
    "itself",
    "noun → determiner",
    "same word",
)
TEXT_RELATIONS = RELATION_NAMES[:3]  # the three that the course's text names
ANY_SENTENCE = ("previous", "next", "itself", "same word")


class TextError(ValueError):
    """A sentence that can't be used; the text says why, and what would do."""


def words(text):
    """Split a sentence at its white space.

    Parameters
    ----------
    text : str

    Returns
    -------
    tuple of str
        1 to 64 words of 1 to 80 characters.

    Raises
    ------
    TextError
        If there is no word, too many, one too long, or a character that
        cannot be shown. Nothing is cut off silently.
    TypeError
        If it is no text.
    """
    if not isinstance(text, str):
        raise TypeError(f"A sentence must be text: got {type(text).__name__}.")
    if len(text) > LONGEST_TEXT:
        raise TextError(
            f"A sentence may have {MOST_WORDS} words of {LONGEST_WORD} "
            f"characters here: got a text of {len(text):,} characters."
        )
    found = tuple(text.split())
    if not found:
        raise TextError("Type a sentence: at least one word.")
    if len(found) > MOST_WORDS:
        raise TextError(
            f"A sentence may have {MOST_WORDS} words here: got "
            f"{len(found):,}. Leave out {len(found) - MOST_WORDS:,}."
        )
    for place, word in enumerate(found, start=1):
        _require_shown(place, word)
    return found


def _require_shown(place, word):
    """Raise a TextError if a page (SVG, so XML) can't show the word."""
    if len(word) > LONGEST_WORD:
        raise TextError(
            f"A word may have {LONGEST_WORD} characters here: word {place} "
            f"has {len(word):,}."
        )
    kinds = {unicodedata.category(character) for character in word}
    if kinds & {"Cc", "Cs"} or set(word) & {"\ufffe", "\uffff"}:
        raise TextError(
            f"Word {place} holds a control character or half a character, "
            f"which cannot be shown. Take it out."
        )
    if kinds == {"Cf"}:
        raise TextError(
            f"Word {place} holds only characters that cannot be seen. Take "
            f"it out."
        )


@dataclass(frozen=True)
class Relation:
    """A named set of pairs (query, key): who looks at whom.

    `number` is its place in RELATION_NAMES; it picks head and colour.
    """

    name: str
    pairs: tuple[tuple[int, int], ...]

    @property
    def number(self):
        """Its place in RELATION_NAMES, from 0."""
        return RELATION_NAMES.index(self.name)


# In SWAPPED, "cat" and "fish" trade places: who eats is at place 1, who is
# eaten at place 4. "it" is the eater if hungry, and what is eaten if tasty.
_ROLE_PAIRS = {
    sentence: {
        "verb → subject": ((2, 1),),
        "verb → object": ((2, 4),),
        "pronoun → antecedent": ((6, 4 if sentence == TASTY else 1),),
        "noun → determiner": ((1, 0), (4, 3)),
    }
    for sentence in SENTENCES
}


def relations(tokens):
    """Find the relations of a sentence.

    Parameters
    ----------
    tokens : sequence of str

    Returns
    -------
    tuple of Relation
        In the order of RELATION_NAMES. The four grammatical ones exist for
        SENTENCES only: nothing here parses grammar. A relation without a
        pair ("next" in one word) is left out.

    Raises
    ------
    TypeError
        If it is a whole text, which `words` splits, or no texts.
    """
    tokens = texts("tokens", tokens)
    places = range(len(tokens))
    folded = [token.casefold() for token in tokens]
    pairs = {
        "previous": [(q, q - 1) for q in places if q > 0],
        "next": [(q, q + 1) for q in places if q + 1 < len(tokens)],
        "itself": [(q, q) for q in places],
        "same word": [
            (q, k)
            for q in places
            for k in places
            if q != k and folded[q] == folded[k]
        ],
        **_ROLE_PAIRS.get(" ".join(tokens), {}),
    }
    return tuple(
        Relation(name, tuple(pairs[name]))
        for name in RELATION_NAMES
        if pairs.get(name)
    )
