"""What the plane's explorer shows: pictures, a table and sentences."""

import numpy as np

from helpers.explorers.average.scene import KEYS, VALUES, WORDS
from helpers.pictures.colours import RELATION_COLOURS
from helpers.pictures.curves import bars
from helpers.pictures.plane import (
    HEIGHT,
    REACH,
    TOP,
    Arrow,
    Mark,
    Plane,
    hull,
    planes,
)
from helpers.pictures.stills import still
from helpers.pictures.text import table

COLOURS = RELATION_COLOURS[:5]
NAMES_LEFT = ("cat", "hungry")  # keys: else under the query, or under "it"
HULL = tuple(hull(VALUES))
PIXEL = 2 * REACH / (HEIGHT - TOP)  # as a length on the plane
NAME, LINE = 22 * PIXEL, 6 * PIXEL  # half of what the output's name covers
SIDES = {
    "above": (0, 16 * PIXEL),
    "below": (0, -17 * PIXEL),
    "left": (-12 * PIXEL - NAME, 0),
    "right": (12 * PIXEL + NAME, 0),
}
OUTPUT_COLOUR, QUERY_COLOUR = "#D81B60", "#D81B60"


def picture(state, result):
    """Draw the plane of the keys and the plane of the values."""
    keys = Plane(
        "keys, and the query as an arrow",
        tuple(
            Mark(
                name,
                *place,
                6,
                colour,
                f"{name}: score {score:.2f}",
                "left" if name in NAMES_LEFT else "right",
            )
            for name, place, colour, score in zip(
                WORDS, KEYS.tolist(), COLOURS, result.scores, strict=True
            )
        ),
        (Arrow("query", state.x, state.y, QUERY_COLOUR),),
    )
    discs = tuple(
        Mark(name, *place, 4 + 16 * share**0.5, colour, f"{name} {share:.2f}")
        for name, place, colour, share in zip(
            WORDS, VALUES.tolist(), COLOURS, result.shares, strict=True
        )
    )
    x, y = result.output.tolist()
    free = free_side(x, y, discs)
    out = Mark("output", x, y, 0, OUTPUT_COLOUR, name_at=free)
    values = Plane(
        "values, their hull, and the output as a cross",
        (*discs, out),
        hull=HULL,
    )
    return planes((keys, values), in_words(state, result))


def free_side(x, y, discs):
    """Return the side of the output at which its name covers least.

    Parameters
    ----------
    x, y : float
        Where the output is.
    discs : sequence of Mark
        Each with its name to the right.

    Returns
    -------
    str
        A side for `Mark.name_at`; the first of equal ones in SIDES.
    """
    taken = []
    for disc in discs:
        r = disc.radius * PIXEL
        taken.append((disc.x, disc.y, r, r))
        half = 3.5 * len(disc.name) * PIXEL
        taken.append((disc.x + r + 4 * PIXEL + half, disc.y, half, LINE))

    def covered(side):
        to_x, to_y = SIDES[side]
        return sum(
            max(0, NAME + wide - abs(x + to_x - at_x))
            * max(0, LINE + high - abs(y + to_y - at_y))
            for at_x, at_y, wide, high in taken
        )

    return min(SIDES, key=covered)


def weight_bars(state, result):
    """Draw the weight of each word as a bar."""
    return bars(
        result.shares.tolist(),
        WORDS,
        "weights: they sum to 1",
        f"Weights. {_weights_in_words(result)}.",
        COLOURS,
    )


def in_words(state, result):
    """Say where query and output are, and what each word weighs."""
    x, y = result.output
    return (
        f"Query ({state.x:g}, {state.y:g}), temperature "
        f"{state.temperature:g}. Weights: {_weights_in_words(result)}. "
        f"Output ({x:z.2f}, {y:z.2f}), inside the hull of the values."
    )


def _weights_in_words(result):
    return ", ".join(
        f"{name} {share:.2f}"
        for name, share in zip(WORDS, result.shares, strict=True)
    )


def remark(state, result):
    """Say what is special about this setting, or ""."""
    if state.x == state.y == 0:
        return (
            "The query is zero, so all scores are equal: the output is the "
            "plain average of the values."
        )
    first = WORDS[int(np.argmax(result.shares))]
    if result.shares.max() >= 0.995:
        return f"One weight is 1.00: the output is the value of {first}."
    if np.ptp(result.shares) < 0.05:
        return (
            "The weights are nearly equal: the output is near the plain "
            "average."
        )
    return ""


def row_table(state, result):
    """Return scores, weights and values as a table."""
    total, (x, y) = result.shares.sum(), result.output
    rows = [
        [name, f"({k[0]:g}, {k[1]:g})", f"{s:.2f}", f"{w:.3f}"]
        + [f"({v[0]:g}, {v[1]:g})", f"({w * v[0]:z.2f}, {w * v[1]:z.2f})"]
        for name, k, s, w, v in zip(
            WORDS, KEYS, result.scores, result.shares, VALUES, strict=True
        )
    ]
    rows.append(
        [
            "sum",
            "",
            "",
            f"{total:.3f}",
            "",
            f"({x:z.2f}, {y:z.2f})",
        ]
    )
    return table(
        f"Query ({state.x:g}, {state.y:g}), temperature "
        f"{state.temperature:g}: score = key · query / temperature",
        ["word", "key", "score", "weight", "value", "weight × value"],
        rows,
    )


def portrait(state, result):
    """Return planes and bars as one still picture, and its description."""
    said = in_words(state, result)
    return (
        still(
            picture(state, result),
            weight_bars(state, result),
            description=said,
        ),
        said,
    )
