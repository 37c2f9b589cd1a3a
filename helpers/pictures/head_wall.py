"""A wall of small maps, one a head, and one of them large beside it."""

import re
from dataclasses import dataclass

import numpy as np

from helpers.pictures.map_cells import Frame, over, pixel_map, shape_map
from helpers.pictures.map_labels import column_labels, left_out, row_labels
from helpers.pictures.text import FAINT, FONT, INK, escape, swatch
from helpers.sizes import whole

WIDTH, HEIGHT = 614, 420
LEFT, TOP, SIZE, GAP, CAPTION = 6, 28, 46, 4.6, 20
MOST_COLUMNS = 12
LARGE_WIDTH = 392
LARGE_LEFT, LARGE_TOP, LARGE_SIZE = 66, 80, 302
BEST_COLOUR = "#D55E00"
MOST_SHAPES = 800  # cells; beyond it pixels
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)" width="100%"')


@dataclass(frozen=True, eq=False)
class Small:
    """A map of the wall: weights (N, N), and what is said below it."""

    attn: np.ndarray
    caption: str
    best: bool = False
    picked: bool = False
    faded: bool = False


def head_wall(maps, columns, title, marked, description, frames="best"):
    """Draw small maps in rows, the best ones framed in colour.

    Parameters
    ----------
    maps : sequence of Small
    columns : int
        Maps of a row, 1 to 12.
    title : str
    marked : str
        What the frames in colour mean.
    description : str
        What a reader who does not see the picture is told.
    frames : str
        What kind of map is framed.

    Returns
    -------
    str
        An <svg>, 614 x 420 for 72 maps in rows of 12; higher for more rows.

    Raises
    ------
    SizeError
        If a row does not fit.
    """
    columns = whole("columns", columns, 1, MOST_COLUMNS)
    rows = -(-len(maps) // columns)
    high = max(HEIGHT, TOP + rows * (SIZE + CAPTION) - 4)
    parts = [
        _opened(WIDTH, high, description),
        f'<text x="{LEFT}" y="15" font-weight="600">{escape(title)}</text>'
        f'<text x="{WIDTH - 6}" y="15" font-size="11" text-anchor="end">'
        f"{swatch(BEST_COLOUR)} "
        f"{escape(frames)}: {escape(marked)}</text>",
    ]
    for number, small in enumerate(maps):
        row, column = divmod(number, columns)
        x = LEFT + column * (SIZE + GAP)
        y = TOP + row * (SIZE + CAPTION)
        parts.append(_small(small, x, y))
    parts.append("</svg>")
    return "".join(parts)


def _small(small, x, y):
    frame = Frame(x, y, SIZE, len(small.attn))
    inside = pixel_map(frame, _percent(small.attn), None, None)
    inside += _framed(frame, 0, "#9e9e9e", 0.8)
    if small.best:
        inside += _framed(frame, 1.2, BEST_COLOUR, 2.4)
    if small.picked:
        inside += _framed(frame, 3.2, INK, 1.8)
    bold = ' font-weight="700"' if small.best or small.picked else ""
    inside += (
        f'<text x="{x + SIZE / 2:.1f}" y="{y + SIZE + 12.5:.1f}" '
        f'font-size="10.5" text-anchor="middle"{bold}>'
        f"{escape(small.caption)}</text>"
    )
    return f'<g opacity=".22">{inside}</g>' if small.faded else inside


def _framed(frame, out, colour, thick):
    x, y, size = frame.x - out, frame.y - out, frame.size + 2 * out
    return (
        f'<path d="M{x:.1f} {y:.1f}h{size:.1f}v{size:.1f}h-{size:.1f}z" '
        f'fill="none" stroke="{colour}" stroke-width="{thick}"/>'
    )


def large_map(attn, tokens, title, evidence, chosen, description):
    """Draw one map with words on its axes.

    Parameters
    ----------
    attn : array (N, N)
    tokens : sequence of N str
    title, evidence : str
    chosen : (int, int)
        The query and the key to ring.
    description : str
        What a reader who does not see the picture is told.

    Returns
    -------
    str
        An <svg>, 392 x 420.
    """
    N = len(tokens)
    x, y, size = LARGE_LEFT, LARGE_TOP, LARGE_SIZE
    frame = Frame(x, y, size, N)
    draw = shape_map if N * N <= MOST_SHAPES else pixel_map
    return (
        _opened(LARGE_WIDTH, HEIGHT, description)
        + f'<text x="4" y="15" font-weight="600">{escape(title)}</text>'
        f'<text x="{LARGE_WIDTH - 4}" y="15" text-anchor="end" '
        f'font-size="11" fill="{FAINT}">{escape(evidence)}</text>'
        + column_labels(tokens, x, y, size, chosen)
        + row_labels(tokens, x, y, size, chosen)
        + left_out(tokens, x, y, size)
        + draw(frame, _percent(attn), tokens, None)
        + over(frame, attn, (), None, chosen)
        + f'<text x="{x}" y="{y + size + 17}" font-size="11" '
        f'fill="{FAINT}">rows ask, columns answer; white 0, black 1</text>'
        f"</svg>"
    )


def beside(*svgs):
    """Set SVGs of one height side by side, as one SVG."""
    sizes = [tuple(map(int, _SIZE.search(svg).groups())) for svg in svgs]
    width, height = sum(w for w, _ in sizes), max(h for _, h in sizes)
    parts, x = [], 0
    for svg, (wide, high) in zip(svgs, sizes, strict=True):
        placed = f'viewBox="0 0 {wide} {high}" x="{x}" width="{wide}" '
        parts.append(_SIZE.sub(placed + f'height="{high}"', svg, count=1))
        x += wide
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {width} {height}" width="100%">{"".join(parts)}</svg>'
    )


def _opened(width, height, description):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {width} {height}" width="100%" '
        f'style="max-width:{width * 5 // 4}px" font-family="{FONT}" '
        f'font-size="12" fill="{INK}" aria-label="{escape(description)}">'
    )


def _percent(attn):
    return np.rint(100 * attn).astype(int)
