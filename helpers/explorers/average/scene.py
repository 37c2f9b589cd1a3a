"""Five words on a plane, and the average that one query takes of them."""

from dataclasses import dataclass

import numpy as np

from helpers.attention import softmax

# Chosen by hand, for this picture only. "fish" is a longer key in nearly
# the direction of "cat", and the value of "it" lies inside the others'.
WORDS = ("cat", "ate", "fish", "it", "hungry")
KEYS = np.array([[1, 0.9], [-1, 0.8], [2, 1.2], [0.2, -1], [-0.9, -0.9]])
VALUES = np.array(
    [[2.6, 1.4], [-1.2, 2.3], [1.8, -1.9], [0.1, 0.4], [-2.8, -1]]
)

QUERY_STEPS = tuple(i / 4 for i in range(-12, 13))  # -3 to 3
TEMPERATURES = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 100)


@dataclass(frozen=True)
class State:
    """What the controls say."""

    x: float
    y: float
    temperature: float

    @property
    def query(self):
        """The query, array (2,)."""
        return np.array([self.x, self.y])


@dataclass(frozen=True, eq=False)
class Result:
    """One query's scores, weights and output."""

    scores: np.ndarray  # (5,)
    shares: np.ndarray  # (5,)
    output: np.ndarray  # (2,)


def average(state):
    """Return the Result of one query.

    scores = keys · query / temperature, shares = softmax(scores), output =
    shares · values: one row of attention.
    """
    scores = KEYS @ state.query / state.temperature
    shares = softmax(scores)
    return Result(scores, shares, shares @ VALUES)
