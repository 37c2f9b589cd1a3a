"""What the budget explorer computes: rows set by hand, and their errors.

Nothing is learned and nothing is scored here: the reader sets the weights
themselves, as a softmax could give them.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from helpers.sentences import TEXT_RELATIONS, Relation, relations, words

ATE, IT = 2, 6  # the two rows
NOUNS = (1, 4)  # the first and the second noun
WHOLE = 100  # a row's 1.0, in whole percent


@dataclass(frozen=True)
class State:
    """What the controls say.

    `spent` has, for each head, the percent that "ate" gives to the first
    and to the second noun; `spent_by_it` the same for "it" in head 1.
    """

    sentence: str
    spent: tuple[tuple[int, int], ...]
    spent_by_it: tuple[int, int]
    causal: bool

    @property
    def h(self):
        """Heads: 1 or 2."""
        return len(self.spent)


@dataclass(frozen=True, eq=False)
class Row:
    """One row of one head's map."""

    head: int  # from 0
    query: int
    shares: np.ndarray  # (N,), sums to 1


@dataclass(frozen=True)
class Reading:
    """What is left wrong of one relation: the weight that goes elsewhere."""

    relation: Relation
    head: int
    query: int
    key: int
    hidden: bool
    error: float


@dataclass(frozen=True, eq=False)
class Result:
    """Rows, errors, and whether both roles can be read from row "ate"."""

    tokens: tuple[str, ...]
    rows: tuple[Row, ...]
    readings: tuple[Reading, ...]
    reads_both: bool


def row_of(N, query, spent, causal):
    """Return one row: percents on the nouns, the rest spread evenly.

    Parameters
    ----------
    N, query : int
        Words, and the place of the row.
    spent : pair of int
        Percent for the first and the second noun, together at most 100.
    causal : bool
        True: what stands after the query gets nothing.

    Returns
    -------
    array (N,)
        It sums to 1.
    """
    seen = [k for k in range(N) if k <= query or not causal]
    shares = np.zeros(N)
    given = 0
    for noun, percent in zip(NOUNS, spent, strict=True):
        if noun in seen:
            shares[noun] = percent / WHOLE
            given += percent
    others = [k for k in seen if k not in NOUNS]
    shares[others] = float(Fraction(WHOLE - given, WHOLE * len(others)))
    return shares


def reads_both(spent, causal=False):
    """Say if a linear read-out can name subject and object in one row.

    Values without places, three nouns or more. Put the weights of a role
    in all heads side by side. Both roles can be read exactly if neither
    lies on the way from 0 to the other; in one head one always does.

    Parameters
    ----------
    spent : sequence of pairs of int
        Percent on the first and the second noun, one pair a head.
    """
    if causal or len(spent) == 1:
        return False
    (a, b), (c, d) = spent
    return a * d != b * c


def compute(state):
    """Return the Result of `state`."""
    tokens = words(state.sentence)
    N = len(tokens)
    rows = [
        Row(head, ATE, row_of(N, ATE, spent, state.causal))
        for head, spent in enumerate(state.spent)
    ]
    rows.append(Row(0, IT, row_of(N, IT, state.spent_by_it, state.causal)))
    by_place = {(row.head, row.query): row.shares for row in rows}
    readings = []
    for relation in relations(tokens):
        if relation.name not in TEXT_RELATIONS:
            continue
        ((query, key),) = relation.pairs
        head = relation.number % state.h  # as everywhere in this course
        readings.append(
            Reading(
                relation,
                head,
                query,
                key,
                state.causal and key > query,
                float(1 - by_place[head, query][key]),
            )
        )
    return Result(
        tokens,
        tuple(rows),
        tuple(readings),
        reads_both(state.spent, state.causal),
    )
