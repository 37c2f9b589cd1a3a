"""Which noun "it" looks at: the shift when one adjective is exchanged.

"The cat ate the fish because it was hungry": cat. "… tasty": fish. The two
sentences differ in one word, so place and frequency of the nouns explain
nothing of what changes in the row of "it".

Experiments change a run and look again. *Hiding* takes a key from a query in
some heads; *patching* puts the state of one row from another run in place.
"""

from typing import NamedTuple

import numpy as np

from helpers.pretrained.findings import word_maps


def noun_weights(read, fits, hide=(), patch_into=None):
    """Read the weights from "it" to both nouns, in every head.

    Parameters
    ----------
    read : callable
        read(text, hide=…, patch=…) gives a Reading.
    fits : sequence of fits.Fit
    hide : sequence of (layer, head or None)
        Where "it" may not see the adjective; None is every head.
    patch_into : int, optional
        The layer into which the row of "it" comes from the other text.

    Returns
    -------
    array (fits, 2 texts, 2 nouns, n_layers, h)
    """
    found = []
    for fit in fits:
        hidden = [(*place, fit.it, fit.adjective) for place in hide]
        for number, text in enumerate(fit.texts):
            patch = None
            if patch_into is not None:
                other = read(fit.texts[1 - number])
                vector = other.hidden[patch_into, other.row(fit.it)]
                patch = (patch_into, fit.it, vector)
            reading = read(text, hide=hidden, patch=patch)
            maps = word_maps(reading)[:, fit.it, list(fit.nouns)]
            found.append(maps.T.reshape(2, *reading.attn.shape[:2]))
    n_texts = len(fits[0].texts)
    return np.reshape(found, (len(fits), n_texts, *found[0].shape))


class FitScores(NamedTuple):
    """How every head (n_layers, h) chooses between the two nouns.

    right : share of texts whose noun gets more weight than the other
    both : share of pairs right in both texts; a rule of place gets 0
    shift : (first noun - second noun) in the first text, less the same in
        the second: how far the adjective moves the head
    moved : share of pairs whose shift is above 0
    """

    right: np.ndarray
    both: np.ndarray
    shift: np.ndarray
    moved: np.ndarray


def choices(weights_of_nouns):
    """Return whether the fitting noun wins: bool (fits, 2, n_layers, h)."""
    lead = weights_of_nouns[:, :, 0] - weights_of_nouns[:, :, 1]
    return np.stack([lead[:, 0] > 0, lead[:, 1] < 0], axis=1)


def fit_scores(weights_of_nouns):
    """Sum up noun weights (fits, 2, 2, n_layers, h) as FitScores."""
    lead = weights_of_nouns[:, :, 0] - weights_of_nouns[:, :, 1]
    shift = lead[:, 0] - lead[:, 1]
    chosen = choices(weights_of_nouns)
    return FitScores(
        chosen.mean(axis=(0, 1)),
        chosen.all(axis=1).mean(axis=0),
        shift.mean(axis=0),
        (shift > 0).mean(axis=0),
    )
