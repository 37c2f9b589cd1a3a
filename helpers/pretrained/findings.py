"""What the heads of a real model do: scores with baselines and held-out sets.

A score of every head is (n_layers, h). A head is called by layer and place,
counted from 1: "4-2".

Source: Clark et al., "What Does BERT Look At?" (2019), sections 3 and 4: how
pieces are merged to words, a head judged by its strongest word, and the
fixed offset as baseline.
"""

import re
from typing import NamedTuple

import numpy as np

from helpers import roles
from helpers.choice_rules import several
from helpers.number_rules import real_array
from helpers.sizes import SizeError, quoted, whole

PATTERNS = (
    "previous",
    "next",
    "itself",
    "same word",
    "on [CLS]",
    "on [SEP]",
    "broad",
)


def name(layer, head):
    """Return what a head is called, from its places counted from 0."""
    return f"{whole('layer', layer, 0) + 1}-{whole('head', head, 0) + 1}"


def place(named):
    """Return (3, 1) for the head called "4-2"."""
    found = re.fullmatch("([1-9][0-9]{0,3})-([1-9][0-9]{0,3})", str(named))
    if found is None:
        raise ValueError(
            f'A head is named by layer and head from 1, such as "4-2": got '
            f"{quoted(named)}."
        )
    return int(found[1]) - 1, int(found[2]) - 1


def best(scores):
    """Return (layer, head) of the largest score (n_layers, h)."""
    scores = real_array("scores", scores)
    if scores.ndim != 2 or not scores.size:
        raise SizeError(
            f"scores must be (n_layers, h), with no axis of size 0: got "
            f"{scores.shape}."
        )
    place = np.unravel_index(scores.argmax(), scores.shape)
    return tuple(int(axis) for axis in place)


def units(word_of):
    """Return each piece's place among words and special pieces: (N,)."""
    new = [
        word is None or i == 0 or word != word_of[i - 1]
        for i, word in enumerate(word_of)
    ]
    return np.cumsum(new) - 1


def merged(attn, word_of):
    """Merge word pieces to words: sum over columns, mean over rows.

    What is said *to* a word is said to any of its pieces; what a word says
    is the mean of what its pieces say. So rows still sum to 1.

    Parameters
    ----------
    attn : array (..., N, N)
    word_of : sequence of N (int or None)
        The word of each piece, in order; None for [CLS] and [SEP], which
        stay on their own.

    Returns
    -------
    array (..., M, M)
        M words and special pieces, in order.

    Raises
    ------
    SizeError
        If attn is not (..., N, N).
    """
    attn = real_array("attn", attn)
    word_of = several("word_of", word_of, "words")
    if attn.shape[-2:] != (len(word_of), len(word_of)):
        raise SizeError(
            f"attn must be (..., N, N) with N = {len(word_of)} pieces: got "
            f"{attn.shape}."
        )
    unit = units(word_of)
    belongs = (np.arange(unit[-1] + 1)[:, None] == unit).astype(attn.dtype)
    rows = belongs / belongs.sum(axis=1, keepdims=True)
    return rows @ attn @ belongs.T


def word_maps(reading):
    """Return the maps between words only: (n_layers · h, words, words).

    [CLS] and [SEP] are left out, so a row sums to less than 1.
    """
    maps = merged(reading.attn, reading.word_of)[..., 1:-1, 1:-1]
    return maps.reshape(-1, *maps.shape[-2:])


def pattern_scores(readings):
    """Score every head on patterns that need no grammar.

    Parameters
    ----------
    readings : sequence of Reading

    Returns
    -------
    dict of {str: array (n_layers, h)}
        By PATTERNS: the mean weight that words (not [CLS], not [SEP]) put
        on the place before, the place behind, themselves, the same word
        elsewhere, [CLS], [SEP]; "broad" is the entropy of a row over that
        of an even one, ln N. The mean over the sentences.
    """
    found = {pattern: [] for pattern in PATTERNS}
    for reading in readings:
        maps = merged(reading.attn, reading.word_of)
        layers, h, M, _ = maps.shape
        maps = maps.reshape(-1, M, M)
        for pattern, where in _patterns(reading.text.split()).items():
            if where.any():
                found[pattern].append(roles.score(maps, where))
        spread = roles.entropy(maps[:, 1:-1]) / np.log(M)
        found["broad"].append(spread)
    return {
        pattern: np.mean(each, axis=0).reshape(layers, h)
        for pattern, each in found.items()
        if each
    }


def _patterns(words):  # each (M, M), with [CLS] and [SEP] around the words
    M = len(words) + 2
    where = {
        "previous": roles.at_offset(M, -1),
        "next": roles.at_offset(M, 1),
        "itself": roles.at_offset(M, 0),
        "same word": roles.same_word(
            ["[CLS]", *(word.casefold() for word in words), "[SEP]"]
        ),
        "on [CLS]": np.arange(M) == np.zeros((M, 1)),
        "on [SEP]": np.arange(M) == np.full((M, 1), M - 1),
    }
    for pattern in where.values():
        pattern[[0, -1]] = False
    return where


class RelationScores(NamedTuple):
    """How every head does on one relation.

    hits : bool array (n, n_layers, h), one row a pair: was the strongest
        other word the wanted one?
    mass : array (n_layers, h), the mean weight on the wanted word
    sentence : int array (n,), the sentence each pair is from
    offset, offset_rate : the fixed offset that hits most, and its share
    """

    hits: np.ndarray
    mass: np.ndarray
    sentence: np.ndarray
    offset: int
    offset_rate: float

    @property
    def rate(self):
        """The share of pairs that each head hits: (n_layers, h)."""
        return self.hits.mean(axis=0)


def relation_scores(readings, sentences, relation):
    """Score every head on a relation of annotated sentences.

    A head is judged by its strongest word; [CLS], [SEP] and the word itself
    do not count, since a head that has nothing to do rests there.

    Parameters
    ----------
    readings : sequence of Reading
    sentences : sequence of Annotated
        The same sentences.
    relation : str
        One of corpus.RELATIONS.

    Returns
    -------
    RelationScores

    Raises
    ------
    SizeError
        If no sentence has the relation.
    """
    pairs = [sentence.pairs[relation] for sentence in sentences]
    offset, offset_rate = roles.best_offset(pairs)
    hits, mass, sentence = [], [], []
    for number, (reading, wanted) in enumerate(
        zip(readings, pairs, strict=True)
    ):
        maps = word_maps(reading) if wanted else None
        for query, key in wanted:
            row = maps[:, query].copy()  # (n_layers · h, words)
            mass.append(row[:, key].copy())
            row[:, query] = -1
            hits.append(row.argmax(axis=-1) == key)
            sentence.append(number)
    shape = readings[0].attn.shape[:2]
    return RelationScores(
        np.reshape(hits, (-1, *shape)),
        np.mean(mass, axis=0).reshape(shape),
        np.array(sentence),
        offset,
        offset_rate,
    )


def held_out(hits, sentence, splits=100, seed=0):
    """Choose the best head on half of the sentences, score it on the rest.

    The best of 72 heads looks better than it is on the sentences that
    chose it. This says what the choice is worth on others.

    Parameters
    ----------
    hits : array (n, n_layers, h)
        Of each question, 0 to 1.
    sentence : int array (n,)
        Questions of one sentence stay in one half.
    splits, seed : int

    Returns
    -------
    float
        Mean share of hits, over `splits` halvings and both directions.; a
        SizeError if there is one sentence only.
    """
    hits = np.asarray(hits, float).reshape(len(hits), -1)
    names = np.unique(sentence)
    if len(names) < 2:
        raise SizeError("Held-out halves need two sentences at least.")
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(splits):
        half = rng.permutation(names)[: len(names) // 2]
        chosen = np.isin(sentence, half)
        for part in (chosen, ~chosen):
            head = hits[part].mean(axis=0).argmax()
            found.append(hits[~part, head].mean())
    return float(np.mean(found))
