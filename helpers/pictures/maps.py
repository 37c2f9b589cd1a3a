"""Attention maps as one SVG: rows are queries, columns are keys."""

import numpy as np

from helpers.pictures.map_cells import (
    Frame,
    Outline,
    over,
    pixel_map,
    shape_map,
)
from helpers.pictures.map_labels import (
    caption,
    colour_bar,
    column_labels,
    left_out,
    row_labels,
)
from helpers.pictures.text import FONT, INK, escape

__all__ = ["MOST_MAPS", "Outline", "attention_maps"]

WIDTH, HEIGHT = 980, 442
LEFT, TOP = 74, 58  # room for the labels of rows and columns
GRID_RIGHT = 742  # where the maps of the heads end
AVERAGE_LEFT, AVERAGE_SIZE = 820, 126
GAP = 12
MOST_SHAPES = 2000  # beyond it a browser slows down: pixels instead
MOST_LABELLED = 16  # maps with a caption
MOST_MAPS = 64  # on one page


def attention_maps(
    attn,
    tokens,
    description,
    outlines=None,
    visible=None,
    chosen=None,
    first=0,
):
    """Draw a page of head maps, and the average of all heads beside them.

    Parameters
    ----------
    attn : array (h, N, N)
        Weights, 0..1: one colour scale for all maps.
    tokens : sequence of str
    description : str
        What a reader who does not see the picture is told.
    outlines : list of h lists of Outline, optional
    visible : bool array (N, N), optional
        False where a mask hides the key: drawn as a stroke, not as 0.
    chosen : pair of int, optional
        The query and key to outline in every map.
    first : int
        The first head of the page.

    Returns
    -------
    str
        An <svg>, 980 x 442 at any number of heads.
    """
    h, N, _ = attn.shape
    shown = range(first, min(first + MOST_MAPS, h))
    outlines = outlines or [[] for _ in range(h)]
    small = len(shown) > MOST_LABELLED
    columns, size, captions = _grid(len(shown))
    shapes = (len(shown) + 1) * N * N <= MOST_SHAPES and not small
    percent = np.rint(100 * attn[shown.start : shown.stop]).astype(int)
    average = attn.mean(axis=0)
    draw = shape_map if shapes else pixel_map
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" '
        f'style="min-width:640px;max-width:{WIDTH}px" '
        f'font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
    ]
    for place, head in enumerate(shown):
        row, column = divmod(place, columns)
        x = LEFT + column * (size + GAP)
        y = TOP + row * (size + captions)
        if place == 0:
            parts.append(left_out(tokens, x, y, size))
        if row == 0:
            parts.append(column_labels(tokens, x, y, size, chosen))
        if column == 0:
            parts.append(row_labels(tokens, x, y, size, chosen))
        frame = Frame(x, y, size, N)
        parts.append(draw(frame, percent[place], tokens, visible))
        parts.append(over(frame, attn[head], outlines[head], visible, chosen))
        parts.append(caption(x, y + size, size, head, outlines[head], small))
    parts.append(_average(average, tokens, visible, chosen, shapes, h))
    parts.append("</svg>")
    return "".join(parts)


def _grid(maps):
    """Return columns, map size and caption height that make maps largest."""
    wide, high = GRID_RIGHT - LEFT, HEIGHT - TOP
    captions = 62 if maps <= 2 else 34 if maps <= MOST_LABELLED else 13

    def size(columns):
        rows = -(-maps // columns)
        return min(
            (wide - (columns - 1) * GAP) / columns,
            (high - rows * captions) / rows,
        )

    columns = max(range(1, maps + 1), key=size)
    return columns, size(columns), captions


def _average(average, tokens, visible, chosen, shapes, h):
    x, y, size = AVERAGE_LEFT, TOP, AVERAGE_SIZE
    frame = Frame(x, y, size, len(tokens))
    draw = shape_map if shapes else pixel_map
    percent = np.rint(100 * average).astype(int)
    heads = "1 head" if h == 1 else f"{h} heads"
    return (
        column_labels(tokens, x, y, size, chosen)
        + row_labels(tokens, x, y, size, chosen)
        + left_out(tokens, x, y, size)
        + draw(frame, percent, tokens, visible)
        + over(frame, average, (), visible, chosen)
        + f'<text x="{x + size / 2}" y="{y + size + 15}" font-size="11" '
        f'text-anchor="middle" font-weight="600">average of {heads}</text>'
        + colour_bar(x, y + size + 44, size, visible)
    )
