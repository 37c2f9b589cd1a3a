"""What the heads of the causal model do, found by scoring all of them.

    read              annotated sentences, as findings.py scores them
    fit_scores        the noun that an adjective fits, from its row
    sharing           are maps of query heads with one key more alike?
    fingerprint       of the sentences that were asked
    shipped           what make_causal_findings.py wrote

Scores are arrays (layers, h); heads are named from 1, as in findings.py.

Source: Clark et al., "What Does BERT Look At?" (2019).
"""

import hashlib
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from helpers.pretrained import corpus, fits
from helpers.pretrained.causal import START
from helpers.pretrained.findings import name, word_maps
from helpers.pretrained.reading import Reading

DATA = Path(__file__).with_name("causal_findings.json")


def read(model, text):
    """Run the model on a text; return a Reading, its words cut at spaces.

    The end stands there as a piece, since findings.py leaves out the first
    place and the last; no row can see it, so it changes nothing.
    """
    found = model.words.encode(text)
    places = np.cumsum([piece.startswith(" ") for piece in found.pieces])
    ids = [START, *found.ids, START]
    word_of = (None, *(int(place) for place in places), None)
    run, pieces = model.run(ids), ("[start]", *found.pieces, "[end]")
    return Reading(text, pieces, word_of, run.hidden, run.attn)


def visible(sentence):
    """Return the sentence with only the pairs a causal model can see."""
    pairs = {
        name: tuple((query, key) for query, key in found if key < query)
        for name, found in sentence.pairs.items()
    }
    return replace(sentence, pairs=pairs)


def strongest(scores, n):
    """Return the n heads (layer, head) of the largest scores."""
    order = np.argsort(-np.asarray(scores), axis=None, kind="stable")[:n]
    h = np.shape(scores)[1]
    return [(int(place // h), int(place % h)) for place in order]


def rounded(array, digits=3):
    """Return numbers as nested lists, short enough to ship."""
    return np.round(np.asarray(array, float), digits).tolist()


def top(scores, n=5):
    """Return {head: score} of the n largest."""
    return {
        name(*place): rounded(scores[place]) for place in strongest(scores, n)
    }


class FitScores(NamedTuple):
    """How every head does on the noun an adjective fits.

    Parameters
    ----------
    hits : bool array (2 n, layers, h)
        More weight on the noun that fits than on the other? Two rows a Fit.
    shift : array (layers, h)
        Weight on the first noun less that on the second, with the first
        adjective less with the second: 2 at most.
    """

    hits: np.ndarray
    shift: np.ndarray | None

    @property
    def rate(self):
        """The share of sentences in which a head is right."""
        return self.hits.mean(axis=0)


def fit_scores(model, pairs):
    """Score every head on Fit pairs, in the row of the adjective.

    The row of "it" can't tell: it doesn't see what comes behind.
    """
    hits, shifts = [], []
    for fit in pairs:
        differences = []
        for sign, text in zip((1, -1), fit.texts):
            reading = read(model, text)
            rows = word_maps(reading)[:, fit.adjective]
            first, second = (rows[:, noun] for noun in fit.nouns)
            differences.append(first - second)
            hits.append(sign * (first - second) > 0)
        if len(differences) == 2:
            shifts.append(differences[0] - differences[1])
    shape = reading.attn.shape[:2]
    shift = np.mean(shifts, axis=0).reshape(shape) if shifts else None
    return FitScores(np.reshape(hits, (-1, *shape)), shift)


def sharing(readings, queries_per_kv):
    """Say how far apart the maps of two heads of one layer are.

    Returns
    -------
    same, other : float
        The mean over pairs of heads that share keys, and that do not: half
        the sum of |difference| of a row, 0 (alike) to 1.
    """
    found = {True: [], False: []}
    for reading in readings:
        maps = reading.attn[:, :, 1:-1]
        h = maps.shape[1]
        for one in range(h):
            for two in range(one):
                apart = np.abs(maps[:, one] - maps[:, two]).sum(-1).mean() / 2
                same = one // queries_per_kv == two // queries_per_kv
                found[same].append(apart)
    return float(np.mean(found[True])), float(np.mean(found[False]))


def fingerprint():
    """Return a name that is another when any sentence is another."""
    annotated = (*corpus.templates(), *corpus.hand_annotated())
    fit = (*fits.animals_only(), *fits.winograd_pairs())
    for kind in fits.KINDS:
        fit += fits.animals_and_foods(kind)
    told = [(one.text, sorted(one.pairs.items())) for one in annotated]
    told += [(one.texts, one.nouns, one.adjective) for one in fit]
    return hashlib.sha256(repr(told).encode("utf-8")).hexdigest()[:16]


@cache
def shipped():
    """Return the results in causal_findings.json, measured once."""
    return json.loads(DATA.read_text(encoding="utf-8"))
