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


def require_share(held_share):
    """Raise a ValueError unless a share can be held back."""
    if not 0 <= held_share < 1:
        raise ValueError(
            f"held_share must be at least 0 and below 1: got "
            f"{held_share}; 0.2 is usual here."
        )


def parted(every, order, held_share):
    """Return what to train on and what is held back: the start of `order`."""
    n_held = int(held_share * len(every))
    return every[order[n_held:]], every[order[:n_held]]


def drawn(rng, sets, batch):
    """Draw so many sets of nouns, each in an order of its own."""
    nouns = sets[rng.integers(len(sets), size=batch)]
    return rng.permuted(nouns, axis=1)


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
