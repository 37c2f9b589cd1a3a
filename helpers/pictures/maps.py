"""Attention maps as one SVG: rows are queries, columns are keys."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from helpers.pictures.colours import (
    PERCENT_COLOUR,
    PERCENT_INK,
    RELATION_COLOURS,
)
from helpers.pictures.pixels import map_png
from helpers.pictures.text import FAINT, FONT, INK, escape, weight, word

WIDTH, HEIGHT = 980, 442
LEFT, TOP = 74, 58  # room for the labels of rows and columns
GRID_RIGHT = 742  # where the maps of the heads end
AVERAGE_LEFT, AVERAGE_SIZE = 820, 126
GAP = 12
MOST_SHAPES = 2000  # beyond it a browser slows down: pixels instead
MOST_LABELLED = 16  # maps with a caption
MOST_MAPS = 64  # on one page
LONGEST_LABEL = 8  # letters of a word that a label has room for


@dataclass(frozen=True)
class Outline:
    """Cells to outline in one map, in the colour of a relation.

    `hidden` are those of its cells that the mask hides: dashed.
    """

    number: int
    name: str
    cells: tuple[tuple[int, int], ...]
    hidden: frozenset = frozenset()


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
    draw = _shape_map if shapes else _pixel_map
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
        if row == 0:
            parts.append(_column_labels(tokens, x, y, size, chosen))
        if column == 0:
            parts.append(_row_labels(tokens, x, y, size, chosen))
        frame = _Frame(x, y, size, N)
        parts.append(draw(frame, percent[place], tokens, visible))
        parts.append(_over(frame, attn[head], outlines[head], visible, chosen))
        parts.append(_caption(x, y + size, size, head, outlines[head], small))
    parts.append(_average(average, tokens, visible, chosen, shapes, h))
    parts.append("</svg>")
    return "".join(parts)


@dataclass(frozen=True)
class _Frame:
    """Where one map lies."""

    x: float
    y: float
    size: float
    N: int

    @property
    def cell(self):
        return self.size / self.N


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


@lru_cache(maxsize=8)
def _cell_middles(tokens):
    """Return the part of each cell that depends on its place alone."""
    names = [word(token) for token in tokens]
    return [
        f' d="M{k} {q}h1v1h-1z"><title>{row} → {column} '
        for q, row in enumerate(names)
        for k, column in enumerate(names)
    ]


_CELL_STARTS = [f'<path fill="{colour}"' for colour in PERCENT_COLOUR]
_CELL_ENDS = [f"{p / 100:.2f}</title></path>" for p in range(101)]


def _shape_map(frame, percent, tokens, visible):
    middles = _cell_middles(tuple(tokens))
    N = frame.N
    cells = []
    for q, shares in enumerate(percent.tolist()):
        if visible is None and shares.count(shares[0]) == N:
            cells.append(_even_row(q, tokens[q], N, shares[0]))
            continue
        seen = [True] * N if visible is None else visible[q].tolist()
        cells.extend(
            _CELL_STARTS[p] + middles[N * q + k] + _CELL_ENDS[p]
            for k, p in enumerate(shares)
            if p or seen[k]
        )
    return (
        f'<g transform="translate({frame.x:.1f} {frame.y:.1f})'
        f'scale({frame.cell:.3f})" shape-rendering="crispEdges">'
        f"{''.join(cells)}</g>"
    )


def _even_row(q, token, N, percent):
    """Draw a row of equal weights as one shape."""
    return (
        f'{_CELL_STARTS[percent]} d="M0 {q}h{N}v1H0z"><title>{word(token)} → '
        f"each word {_CELL_ENDS[percent]}"
    )


def _pixel_map(frame, percent, tokens, visible):
    return (
        f'<image x="{frame.x:.1f}" y="{frame.y:.1f}" width="{frame.size:.1f}"'
        f' height="{frame.size:.1f}" preserveAspectRatio="none" style="'
        f'image-rendering:pixelated" href="{map_png(percent, visible)}"/>'
    )


def _over(frame, shares, outlines, visible, chosen):
    """Draw what lies over the cells: strokes, outlines, numbers, frame."""
    inside = []
    if visible is not None:
        strokes = "".join(
            f"M{k} {q}l1 1" for q, k in zip(*np.nonzero(~visible), strict=True)
        )
        inside.append(
            f'<path d="{strokes}" stroke="#9e9e9e" stroke-width=".05"/>'
        )
    inside.append(
        f'<path d="M0 0h{frame.N}v{frame.N}h-{frame.N}z" stroke="#9e9e9e" '
        f'stroke-width="{1 / frame.cell:.3f}"/>'
    )
    inside.extend(_outline_paths(outlines, frame.cell))
    if chosen is not None:
        query, key = chosen
        cell, out = frame.cell, 2 / frame.cell
        side = 1 + 2 * out
        ring = (
            f"M{key - out:.2f} {query - out:.2f}"
            f"h{side:.2f}v{side:.2f}h-{side:.2f}z"
        )
        inside.append(
            f'<path d="{ring}" stroke="#fff" stroke-width="{3.6 / cell:.3f}"/>'
            f'<path d="{ring}" stroke="#000" stroke-width="{1.6 / cell:.3f}" '
            f'stroke-dasharray="{3 / cell:.3f} {2 / cell:.3f}"/>'
        )
    return (
        f'<g transform="translate({frame.x:.1f} {frame.y:.1f})'
        f'scale({frame.cell:.3f})" fill="none">{"".join(inside)}</g>'
        + _numbers(frame, shares)
    )


def _outline_paths(outlines, cell):
    """Outline each relation's cells; where two share one, one lies inside."""
    used = {}
    thick = min(0.14, 2.4 / cell)
    for outline in outlines:
        for dashed in (False, True):
            path = ""
            for q, k in outline.cells:
                if ((q, k) in outline.hidden) is not dashed:
                    continue
                inset = thick * (0.5 + used.setdefault((q, k), 0))
                used[q, k] += 1
                side = max(1 - 2 * inset, 0.1)
                path += (
                    f"M{k + inset:.2f} {q + inset:.2f}"
                    f"h{side:.2f}v{side:.2f}h-{side:.2f}z"
                )
            if path:
                dash = ' stroke-dasharray=".2 .14"' if dashed else ""
                yield (
                    f'<path d="{path}" stroke="'
                    f'{RELATION_COLOURS[outline.number]}" '
                    f'stroke-width="{thick:.3f}"{dash}/>'
                )


def _numbers(frame, shares):
    """Print the weights that stand out, where they fit."""
    if frame.cell < 15:
        return ""
    font = min(13, round(frame.cell * 0.46))
    least = max(0.15, 1.5 / frame.N) - 1e-6  # equal shares: all or none
    out = np.nonzero(shares >= least)
    texts = [
        f'<text x="{frame.x + (k + 0.5) * frame.cell:.1f}" '
        f'y="{frame.y + (q + 0.5) * frame.cell + font * 0.36:.1f}" '
        f'fill="{PERCENT_INK[min(100, round(100 * share))]}">'
        f"{weight(share)}</text>"
        for q, k, share in zip(
            *(axis.tolist() for axis in out), shares[out].tolist(), strict=True
        )
    ]
    if not texts:
        return ""
    return (
        f'<g font-size="{font}" text-anchor="middle" '
        f'pointer-events="none">{"".join(texts)}</g>'
    )


def _label_step(cell):
    """Return how many words lie between two labels, and their font size."""
    return max(1, math.ceil(9 / cell)), min(12, max(9, round(cell)))


def _row_labels(tokens, x, y, size, chosen):
    cell = size / len(tokens)
    step, font = _label_step(cell)
    labels = [
        f'<text x="{x - 6:.1f}" y="{y + (i + 0.5) * cell + font * 0.35:.1f}"'
        f"{_bold(chosen, 0, i)}>{_labelled(token)}</text>"
        for i, token in enumerate(tokens)
        if i % step == 0
    ]
    return f'<g text-anchor="end" font-size="{font}">{"".join(labels)}</g>'


def _column_labels(tokens, x, y, size, chosen):
    cell = size / len(tokens)
    step, font = _label_step(cell)
    labels = [
        f'<text transform="translate({x + (i + 0.7) * cell:.1f} {y - 5:.1f})'
        f'rotate(-52)"{_bold(chosen, 1, i)}>{_labelled(token)}</text>'
        for i, token in enumerate(tokens)
        if i % step == 0
    ]
    return f'<g font-size="{font}">{"".join(labels)}</g>'


def _bold(chosen, axis, place):
    return ' font-weight="700"' if chosen and chosen[axis] == place else ""


def _labelled(token):
    label, whole = word(token, LONGEST_LABEL), word(token)
    return label if label == whole else f"{label}<title>{whole}</title>"


def _caption(x, y, size, head, outlines, small):
    """Write which head it is, and the relations that are dealt to it."""
    middle = x + size / 2
    if small:
        return (
            f'<text x="{middle:.1f}" y="{y + 10:.1f}" font-size="9" '
            f'text-anchor="middle">{head + 1}</text>'
        )
    font = 11 if size > 120 else 9
    lines, room = [[]], size / (font * 0.54)
    for outline in outlines:
        used = sum(len(other.name) + 4 for other in lines[-1])
        if lines[-1] and used + len(outline.name) + 2 > room:
            lines.append([])
        lines[-1].append(outline)
    spans = [
        f'<tspan x="{middle:.1f}" dy="{font + 2}">'
        + "&#160; ".join(
            f'<tspan fill="{RELATION_COLOURS[outline.number]}">■</tspan> '
            f"{escape(outline.name)}"
            for outline in line
        )
        + "</tspan>"
        for line in lines
    ]
    return (
        f'<text x="{middle:.1f}" y="{y + 13:.1f}" font-size="{font}" '
        f'text-anchor="middle"><tspan font-weight="600">head {head + 1}'
        f"</tspan>{''.join(spans)}</text>"
    )


def _average(average, tokens, visible, chosen, shapes, h):
    x, y, size = AVERAGE_LEFT, TOP, AVERAGE_SIZE
    frame = _Frame(x, y, size, len(tokens))
    draw = _shape_map if shapes else _pixel_map
    percent = np.rint(100 * average).astype(int)
    heads = "1 head" if h == 1 else f"{h} heads"
    return (
        _column_labels(tokens, x, y, size, chosen)
        + _row_labels(tokens, x, y, size, chosen)
        + draw(frame, percent, tokens, visible)
        + _over(frame, average, (), visible, chosen)
        + f'<text x="{x + size / 2}" y="{y + size + 15}" font-size="11" '
        f'text-anchor="middle" font-weight="600">average of {heads}</text>'
        + _colour_bar(x, y + size + 44, size, visible)
    )


def _colour_bar(x, y, size, visible):
    """Draw the one scale that all maps share."""
    step = size / 20
    blocks = "".join(
        f'<path fill="{PERCENT_COLOUR[5 * i]}" '
        f'd="M{x + i * step:.1f} {y}h{step + 0.3:.1f}v10h-{step + 0.3:.1f}z"/>'
        for i in range(20)
    )
    hidden = (
        ""
        if visible is None
        else f'<path d="M{x} {y + 48}h12v12h-12zl12 12" fill="none" '
        f'stroke="#9e9e9e"/><text x="{x + 18}" y="{y + 58}" font-size="11">'
        f"hidden by the mask</text>"
    )
    return (
        f'<g font-size="10" fill="{FAINT}"><text x="{x}" y="{y - 4}" '
        f'font-size="11">weight, in every map</text>{blocks}'
        f'<path d="M{x} {y}h{size}v10h-{size}z" fill="none" '
        f'stroke="#9e9e9e" stroke-width=".8"/>'
        f'<text x="{x}" y="{y + 22}">0</text>'
        f'<text x="{x + size}" y="{y + 22}" text-anchor="end">1</text>'
        f"{hidden}</g>"
    )
