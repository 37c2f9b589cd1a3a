"""The words on a plot: as labels, and in its description."""

import unicodedata

import matplotlib
import numpy as np
from matplotlib.font_manager import findfont, get_font

from helpers.choice_rules import several, texts

MOST_LABELS = 30
LONGEST_LABEL = 12
MOST_SAID = 3  # rows of a map in its description, if there are many


def words_of(tokens):
    """Return the words of the rows and of the columns, as lists."""
    tokens = several("tokens", tokens, "words")
    pair = len(tokens) == 2 and isinstance(
        tokens[0], list | tuple | np.ndarray
    )
    both = tokens if pair else (tokens, tokens)
    return [list(texts("tokens", some)) for some in both]


def step(words):
    """Return how many words lie between two labels."""
    return -(-len(words) // MOST_LABELS) or 1


def label(word, place):
    """Return the word as a label, or its place if it can't be drawn.

    An empty word is an empty label: what cannot be seen is not.
    """
    kinds = {unicodedata.category(c) for c in word}
    if word and kinds <= {"Cf", "Cc", "Zs", "Zl", "Zp"}:
        return f"#{place + 1}"
    if len(word) > LONGEST_LABEL:
        word = word[: LONGEST_LABEL - 1] + "…"
    known = get_font(findfont("DejaVu Sans")).get_charmap()
    right_to_left = any(
        unicodedata.bidirectional(c) in ("R", "AL") for c in word
    )
    if all(ord(c) in known for c in word):
        if not right_to_left or _draws_right_to_left():
            return word
    return f"#{place + 1}"


def _draws_right_to_left():
    major, minor = matplotlib.__version__.split(".")[:2]
    return (int(major), int(minor)) >= (3, 11)


def described(attn, rows, columns, titles):
    """Return in words what the maps show: the strongest key of each query.

    Of more than two maps, or of long ones, the clearest rows only.
    """
    few = len(attn) <= 2 and attn.shape[1] <= MOST_LABELS
    said = []
    for title, shares in zip(titles, attn, strict=True):
        strongest = shares.max(axis=-1)
        shown = list(range(len(rows)))
        if not few:
            shown = sorted(np.argsort(-strongest, kind="stable")[:MOST_SAID])
        said.append(
            f"{title}: "
            + ", ".join(
                f"{_said(rows[q], q)} → {_said(columns[k], k)} "
                f"{strongest[q]:.2f}"
                for q, k in zip(shown, shares[shown].argmax(axis=-1))
            )
        )
    which = "each query" if few else f"the {MOST_SAID} clearest queries"
    return (
        f"{len(attn)} attention map{'s' * (len(attn) > 1)}, {len(rows)} "
        f"queries by {len(columns)} keys; the largest weight of {which}. "
        f"{'; '.join(said)}."
    )


def _said(word, place):
    """Return the word, or its place if no page can hold it."""
    whole = not any(unicodedata.category(c) == "Cs" for c in word)
    return word if whole else f"#{place + 1}"
