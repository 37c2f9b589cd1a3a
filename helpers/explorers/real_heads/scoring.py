"""The shipped scores of all heads, each with what to compare it with."""

from dataclasses import dataclass

import numpy as np

from helpers.pretrained import corpus, findings

FIT = "it → the noun that fits"
SCORES = (*findings.PATTERNS, *corpus.RELATIONS, FIT)
BEST = 3  # heads that are outlined
LISTED = 5  # heads in the list


@dataclass(frozen=True, eq=False)
class Score:
    """A score of every head, on set A and on sentences it was not chosen on.

    Parameters
    ----------
    name : str
        One of SCORES.
    what : str
        What the number is.
    values, others : arrays (n_layers, h)
        On the sentences that choose, and on others.
    where, elsewhere : str
        Which those are, with their number.
    baseline : float or None
        What no head is needed for.
    baseline_is : str
    held_out : float or None
        Chosen on one half of the first sentences, asked on the other.
    """

    name: str
    what: str
    values: np.ndarray
    others: np.ndarray
    where: str
    elsewhere: str
    baseline: float | None = None
    baseline_is: str = ""
    held_out: float | None = None

    @property
    def ranked(self):
        """All (layer, head), from 0, the best first."""
        order = np.argsort(-self.values, axis=None, kind="stable")
        places = np.unravel_index(order, self.values.shape)
        return tuple(zip(*(axis.tolist() for axis in places), strict=True))


def score_of(scores, name):
    """Return a Score, from what `load_scores` gives."""
    if name == FIT:
        return _fit(scores["fits"])
    if name in findings.PATTERNS:
        return _pattern(scores, name)
    return _relation(scores, name)


def _pattern(scores, name):
    broad = name == "broad"
    a, b = scores["A"], scores["B"]
    values = a["patterns"][name]
    return Score(
        name,
        "entropy of a row over that of an even one"
        if broad
        else "mean weight of a word there",
        values,
        b["patterns"][name],
        f"{a['sentences']} template sentences",
        f"{b['sentences']} other sentences",
        float(np.median(values)),
        "the median of all heads",
    )


def _relation(scores, name):
    a, b = (scores[part]["relations"][name] for part in "AB")
    return Score(
        name,
        "share of pairs in which a head's strongest other word is the right "
        "one",
        a["rate"],
        b["rate"],
        f"{a['n']} pairs",
        f"{b['n']} pairs in other sentences",
        a["offset_rate"],
        f"the best fixed distance, {_distance(a['offset'])}",
        a["held_out"],
    )


def _distance(offset):
    words = "word" if abs(offset) == 1 else "words"
    return f"{abs(offset)} {words} {'back' if offset < 0 else 'on'}"


def _fit(fits):
    active, passive = fits["active"], fits["passive"]
    return Score(
        FIT,
        "share of sentences in which “it” looks more at the noun that the "
        "adjective fits",
        active["right"],
        passive["right"],
        f"{active['n']} pairs such as cat and fish, hungry and tasty",
        f"{passive['n']} pairs in the passive",
        0.5,
        "any rule of place",
        active["held_out"],
    )
