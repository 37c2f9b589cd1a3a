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
