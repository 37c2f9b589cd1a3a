"""Colour tables: grey for weights, eight hues for the eight relations.

Weights are shown without hue, so that hue is free for relations, and so
that a map prints well and is the same to every eye.
"""

import numpy as np

# Where the red, green and blue of Matplotlib's "bone" bend, as (x, value).
_BONE = (
    ((0, 0.746032, 1), (0, 0.652778, 1)),
    ((0, 0.365079, 0.746032, 1), (0, 0.319444, 0.777778, 1)),
    ((0, 0.365079, 1), (0, 0.444444, 1)),
)
DARKEST = 0.92  # of the table; leaves room for an outline on weight 1

# In the order of sentences.RELATION_NAMES. Told apart with each of the
# common kinds of colour blindness (tests/test_colours.py).
RELATION_COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#E69F00",
    "#56B4E9",
    "#CC79A7",
    "#882255",
    "#5B3A1A",
)

# The steps of the ledger: projections in greys, products between tokens in
# colour, so that the eye sees the balance tip.
STEP_COLOURS = {
    "Q": "#8A99A8",
    "K": "#A3B0BC",
    "V": "#BCC6CF",
    "W_O": "#6F8092",
    "scores": "#D55E00",
    "weighted_sum": "#F0A35E",
}


def bone_reversed(share):
    """Return the red, green and blue (0..255) of shares 0..1.

    White is 0 and near-black is 1.

    Parameters
    ----------
    share : array (...)

    Returns
    -------
    uint8 array (..., 3)
    """
    x = 1 - DARKEST * np.asarray(share)
    channels = [np.interp(x, *bends) for bends in _BONE]
    return np.rint(255 * np.stack(channels, axis=-1)).astype(np.uint8)


def hexadecimal(rgb):
    """Write a red, green, blue triple as #rrggbb."""
    return "#" + bytes(int(channel) for channel in rgb).hex()


def luminance(rgb):
    """Return the relative luminance of an sRGB colour, 0..1.

    Source: WCAG 2.1, definition of relative luminance.
    """
    c = np.asarray(rgb) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one, other):
    """Return the contrast ratio of two sRGB colours, 1..21 (WCAG 2.1)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink_on(rgb):
    """Return "#000" or "#fff", whichever is easier to read on `rgb`."""
    dark = contrast(rgb, (0, 0, 0)) >= contrast(rgb, (255, 255, 255))
    return "#000" if dark else "#fff"


# Percent 0..100 -> its colour, and the ink for a number on it.
PERCENT_RGB = bone_reversed(np.arange(101) / 100)
PERCENT_COLOUR = tuple(hexadecimal(rgb) for rgb in PERCENT_RGB)
PERCENT_INK = tuple(ink_on(rgb) for rgb in PERCENT_RGB)
