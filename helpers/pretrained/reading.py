"""What a model did with a text, as findings and explorers take it."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

REMEMBERED = 512  # texts read without a change


class Reading(NamedTuple):
    """A text and what came of it.

    pieces : tuple of str (N,)
    word_of : tuple of N (int or None), the word of each piece
    hidden : array (layers + 1, N, d_model), the state entering each layer,
        and the one after the last; the shipped sample has no last
    attn : array (layers, h, N, N)
    """

    text: str
    pieces: tuple
    word_of: tuple
    hidden: np.ndarray
    attn: np.ndarray

    def row(self, word):
        """Return the first piece of a word: the place of its row."""
        return self.word_of.index(word)


def blocks(word_of, hide):
    """Return (layer, head, query, key) of pieces, from those of words."""
    return [
        (layer, head, query, key)
        for layer, head, query_word, key_word in hide
        for query, of_query in enumerate(word_of)
        for key, of_key in enumerate(word_of)
        if of_query == query_word and of_key == key_word
    ]


class Reader:
    """Reads texts with an encoder; remembers those it read unchanged.

    Parameters
    ----------
    encoder : Encoder
    """

    def __init__(self, encoder):
        self.encoder = encoder
        self._unchanged = lru_cache(REMEMBERED)(self._read)

    def __call__(self, text, hide=(), patch=None):
        """Read a text.

        Parameters
        ----------
        text : str
        hide : sequence of (layer, head or None, query, key)
            Words by their place: the key is hidden from the query.
        patch : (layer, word, vector), optional
            Replaces the state of that word, of one piece, entering a layer.

        Returns
        -------
        Reading
        """
        if not hide and patch is None:
            return self._unchanged(text)
        return self._read(text, tuple(hide), patch)

    def _read(self, text, hide=(), patch=None):
        pieces = self.encoder.encode(text)
        if patch is not None:
            layer, word, vector = patch
            patch = layer, pieces.word_of.index(word), vector
        run = self.encoder.run(pieces.ids, blocks(pieces.word_of, hide), patch)
        return Reading(text, pieces.pieces, pieces.word_of, *run)
