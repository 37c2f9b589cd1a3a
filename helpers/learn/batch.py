"""Sentences and what is asked about them, for any task."""

from typing import NamedTuple

import numpy as np


class Asked(NamedTuple):
    """One kind of question: at which places, and the right answers."""

    rows: np.ndarray  # (n,) which sentence
    places: np.ndarray  # (n,) which token of it
    answers: np.ndarray  # (n,)


class Batch(NamedTuple):
    """Sentences, and the questions by the name of their read-out."""

    tokens: np.ndarray  # (batch, N)
    asked: dict


def tokens_of(sentence, words):
    """Return the tokens of a sentence, int array (N,): places in `words`.

    Raises
    ------
    ValueError
        If a word is not one of them.
    """
    found = sentence.casefold().split()
    unknown = [word for word in found if word not in words]
    if unknown:
        raise ValueError(
            f"The model does not know the word {unknown[0]!r}; it knows "
            f"{', '.join(words)}."
        )
    return np.array([words.index(word) for word in found])
