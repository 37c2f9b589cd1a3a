"""Task: say again what you have seen.

    prefix … a b c d e f   a b c d e f
                           ^ from here on, the next token can be known

Every token but those of the second copy occurs once. To know what follows
the second c, find the first c, and look one place further: two steps, so
two layers (Olsson et al., 2022, call the second one an induction head).

The copy's length is drawn anew for each sentence. With one fixed length,
"look so many places back" is enough, and one layer wins by position alone.

Source: the task of Olsson et al., "In-context Learning and Induction Heads"
(2022), in small.
"""

import string
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from helpers import roles
from helpers.choice_rules import require_text
from helpers.learn.batch import (
    MOST,
    Asked,
    Batch,
    require_batch,
    require_drawn,
    require_rng,
)
from helpers.learn.model import Settings
from helpers.sizes import SizeError, whole


@dataclass(frozen=True)
class Repeat:
    """The task.

    Parameters
    ----------
    vocabulary, N : int
        Different tokens, and places.
    shortest, longest : int
        A copy has a length drawn between them, both ends included.

    Raises
    ------
    SizeError
        If two copies do not fit, or the tokens do not suffice.
    """

    vocabulary: int = 32
    N: int = 32
    shortest: int = 6
    longest: int = 16

    # What the task is trained with, unless something else is asked for.
    steps, batch, learning_rate, falls = 600, 32, 3e-3, False
    beta_2 = 0.98

    def __post_init__(self):
        whole("vocabulary", self.vocabulary, 2, MOST)
        whole("N", self.N, 4, MOST)
        whole("shortest", self.shortest, 2)
        whole("longest", self.longest, self.shortest)
        if 2 * self.longest > self.N:
            raise SizeError(
                f"Two copies must fit into N places: got longest="
                f"{self.longest}, N={self.N}; longest={self.N // 2} would."
            )
        if self.vocabulary < self.N - self.shortest:
            raise SizeError(
                f"All tokens before the second copy differ, so vocabulary "
                f"must be at least N - shortest = {self.N - self.shortest}: "
                f"got {self.vocabulary}."
            )

    def settings(self, d_model=64, h=2, n_layers=2, **others):
        """Return the settings of a model for this task."""
        return Settings(
            *(self.vocabulary, self.N, (("next", self.vocabulary),)),
            *(d_model, h),
            **{"n_layers": n_layers, "causal": True, **others},
        )

    def draw(self, rng, batch):
        """Draw sentences.

        Parameters
        ----------
        rng : numpy Generator
        batch : int

        Returns
        -------
        Batch
            Asked: at each token of the second copy but the last, what
            comes next.
        """
        require_rng(rng)
        batch = require_batch(batch)
        length = rng.integers(
            self.shortest, self.longest, batch, endpoint=True
        )
        order = rng.random((batch, self.vocabulary)).argsort(axis=1)
        place = np.arange(self.N)
        second = place >= self.N - length[:, None]  # (batch, N)
        source = np.where(second, place - length[:, None], place)
        tokens = np.take_along_axis(order, source, axis=1)
        rows, places = np.nonzero(second[:, :-1])
        asked = Asked(rows, places, tokens[rows, places + 1])
        return Batch(tokens, {"next": asked})

    @cached_property
    def words(self):
        """What a token is called: a letter, or a number past the z."""
        names = map(str, range(self.vocabulary))
        if self.vocabulary <= len(string.ascii_lowercase):
            names = string.ascii_lowercase[: self.vocabulary]
        return tuple(names)

    def ask(self, text):
        """Make a batch of one sentence that a reader has written.

        Parameters
        ----------
        text : str
            N letters; the end repeats what stands before it. Blanks are
            for the eye.

        Returns
        -------
        Batch

        Raises
        ------
        ValueError
            If the model has not learnt to read this.
        """
        require_text("text", text)
        found = [letter for letter in text.casefold() if letter.strip()]
        unknown = [letter for letter in found if letter not in self.words]
        if unknown:
            raise ValueError(
                f"The model does not know {unknown[0]!r}; it knows "
                f"{' '.join(self.words)}."
            )
        if len(found) != self.N:
            raise ValueError(
                f"The sentence must have {self.N} letters: got {len(found)}."
            )
        tokens = np.array([self.words.index(letter) for letter in found])
        length = self._length(tokens)
        places = np.arange(self.N - length, self.N - 1)
        rows = np.zeros_like(places)
        asked = Asked(rows, places, tokens[places + 1])
        return Batch(tokens[None], {"next": asked})

    def _length(self, tokens):
        for length in range(self.longest, self.shortest - 1, -1):
            first = tokens[:-length]
            once = len(set(first.tolist())) == len(first)
            if once and np.array_equal(first[-length:], tokens[-length:]):
                return length
        raise ValueError(
            f"The last letters, {self.shortest} to {self.longest} of them, "
            f"must repeat those before them; all others must differ."
        )


def patterns(batch):
    """Say where the two heads look that repeating needs.

    Only rows that count are in it: those whose answer is asked, and the
    places they look at. All other rows carry no loss and mean nothing.

    Parameters
    ----------
    batch : Batch
        Of `Repeat`.

    Returns
    -------
    dict of {str: bool array (batch, N, N)}
        "induction": from an asked token to the one behind its first
        occurrence; "previous": from there one place back.
    """
    require_drawn(batch)
    asked, tokens = batch.asked["next"], batch.tokens
    rows = np.zeros(tokens.shape, bool)
    rows[asked.rows, asked.places] = True
    induction = roles.induction(tokens) & rows[..., None]
    read = induction.any(axis=-2)  # (batch, N): what they look at
    previous = roles.at_offset(tokens.shape[-1], -1) & read[..., None]
    return {"previous": previous, "induction": induction}
