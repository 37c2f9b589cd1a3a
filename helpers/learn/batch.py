"""Sentences and what is asked about them, for any task."""

from numbers import Real
from typing import NamedTuple

import numpy as np

from helpers.choice_rules import require_kind, require_text
from helpers.number_rules import as_array, real_array
from helpers.sizes import SizeError, quoted, require_memory, whole

MOST = 10_000  # sentences, tokens, places or layers


class Asked(NamedTuple):
    """One kind of question: at which places, and the right answers."""

    rows: np.ndarray  # (n,) which sentence
    places: np.ndarray  # (n,) which token of it
    answers: np.ndarray  # (n,)


class Batch(NamedTuple):
    """Sentences, and the questions by the name of their read-out."""

    tokens: np.ndarray  # (batch, N)
    asked: dict


def require_batch(batch):
    """Return how many sentences to draw, a whole number in 1..MOST."""
    return whole("batch", batch, 1, MOST)


def require_tokens(tokens, settings):
    """Return tokens as an array that a model of these settings can read.

    Parameters
    ----------
    tokens : int array (batch, N)
    settings : Settings

    Raises
    ------
    SizeError, TypeError
        If it can't read them.
    """
    tokens = as_array("tokens", tokens)
    s, shape = settings, tokens.shape
    if len(shape) != 2 or not 1 <= shape[1] <= s.N:
        raise SizeError(
            f"tokens must be (batch, N), with N from 1 to {s.N}: got {shape}."
        )
    if tokens.dtype.kind not in "iu":
        raise TypeError(f"tokens must be whole numbers: got {tokens.dtype}.")
    last = s.vocabulary - 1
    wrong = tokens[(tokens < 0) | (tokens > last)]
    if wrong.size:
        raise SizeError(
            f"tokens must be from 0 to {last}, the words that this model "
            f"knows: got {wrong[0]}."
        )
    per_token = max(s.d_model, s.h * shape[1])  # X, and a row of the maps
    require_memory("These sentences", 8 * shape[0] * shape[1] * per_token)
    return tokens


def require_head_mask(head_mask, settings, number_type):
    """Return a head mask (n_layers, h) as an array, or None as it is.

    Raises
    ------
    SizeError
        If it is of another shape.
    """
    if head_mask is None:
        return None
    wanted = (settings.n_layers, settings.h)
    head_mask = real_array("head_mask", head_mask)
    if head_mask.shape != wanted:
        raise SizeError(
            f"head_mask must be (n_layers, h), here {wanted}: got "
            f"{head_mask.shape}."
        )
    return head_mask.astype(number_type)


def require_share(held_share):
    """Raise a ValueError unless a share can be held back."""
    if not isinstance(held_share, Real):
        raise ValueError(
            f"held_share must be a number: got {quoted(held_share)}; 0.2 is "
            f"usual here."
        )
    if not 0 <= held_share < 1:
        raise ValueError(
            f"held_share must be at least 0 and below 1: got "
            f"{held_share}; 0.2 is usual here."
        )


def require_spread(spread):
    """Raise a ValueError unless a spread is a number that can be drawn with.

    Of text, the first weights would be asked for copies of it.
    """
    if not isinstance(spread, Real) or not 0 <= spread < np.inf:
        raise ValueError(
            f"spread must be a finite number of at least 0: got "
            f"{quoted(spread)}; 0.02 is usual here."
        )


def require_rng(rng):
    """Raise a TypeError unless `rng` draws random numbers."""
    require_kind("rng", rng, np.random.Generator, "np.random.default_rng(7)")


def require_drawn(batch):
    """Raise a TypeError unless `batch` is a Batch."""
    require_kind("batch", batch, Batch, "task.draw(rng, 5)")


def parted(every, order, held_share):
    """Return what to train on and what is held back: the start of `order`."""
    n_held = int(held_share * len(every))
    return every[order[n_held:]], every[order[:n_held]]


def drawn(rng, sets, batch):
    """Draw so many sets of nouns, each in an order of its own."""
    require_rng(rng)
    nouns = sets[rng.integers(len(sets), size=require_batch(batch))]
    return rng.permuted(nouns, axis=1)


def tokens_of(sentence, words):
    """Return the tokens of a sentence, int array (N,): places in `words`.

    Raises
    ------
    ValueError
        If a word is not one of them.
    """
    require_text("sentence", sentence)
    found = sentence.casefold().split()
    unknown = [word for word in found if word not in words]
    if unknown:
        raise ValueError(
            f"The model does not know the word {unknown[0]!r}; it knows "
            f"{', '.join(words)}."
        )
    return np.array([words.index(word) for word in found])
