"""One attention map: its cells, and the outlines and numbers over them."""

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
from helpers.pictures.text import weight, word

CLOSEST, THINNEST = 6, 0.7  # strokes over hidden cells that can be seen


@dataclass(frozen=True)
class Outline:
    """Cells to outline in one map, in the colour of a relation.

    `hidden` are those of its cells that the mask hides: dashed.
    """

    number: int
    name: str
    cells: tuple[tuple[int, int], ...]
    hidden: frozenset = frozenset()


@dataclass(frozen=True)
class Frame:
    """Where one map lies."""

    x: float
    y: float
    size: float
    N: int

    @property
    def cell(self):
        """The side of one cell."""
        return self.size / self.N


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


def shape_map(frame, percent, tokens, visible):
    """Draw each cell as a shape with a tooltip: its words and its weight."""
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


def pixel_map(frame, percent, tokens, visible):
    """Draw the map as an image of one pixel a weight, without tooltips."""
    return (
        f'<image x="{frame.x:.1f}" y="{frame.y:.1f}" width="{frame.size:.1f}"'
        f' height="{frame.size:.1f}" preserveAspectRatio="none" style="'
        f'image-rendering:pixelated" href="{map_png(percent, visible)}"/>'
    )


def over(frame, shares, outlines, visible, chosen):
    """Draw what lies over the cells: strokes, outlines, numbers, frame."""
    inside = []
    if visible is not None:
        inside.append(_strokes(visible, frame.cell))
    inside.append(
        f'<path d="M0 0h{frame.N}v{frame.N}h-{frame.N}z" stroke="#9e9e9e" '
        f'stroke-width="{1 / frame.cell:.3f}"/>'
    )
    inside.extend(_outline_paths(outlines, frame.cell))
    if chosen is not None:
        query, key = chosen
        cell, out = frame.cell, 1 / frame.cell
        side = 1 + 2 * out
        ring = (
            f"M{key - out:.2f} {query - out:.2f}"
            f"h{side:.2f}v{side:.2f}h-{side:.2f}z"
        )
        inside.append(
            f'<path d="{ring}" stroke="#fff" stroke-width="{3.4 / cell:.3f}"/>'
            f'<path d="{ring}" stroke="#000" stroke-width="{1.7 / cell:.3f}"/>'
        )
    return (
        f'<g transform="translate({frame.x:.1f} {frame.y:.1f})'
        f'scale({frame.cell:.3f})" fill="none">{"".join(inside)}</g>'
        + _numbers(frame, shares)
    )


def _strokes(visible, cell):
    """Stroke hidden cells out: small ones along every so many diagonals.

    Lines as close as small cells are would be no lines: a grey, or nothing.
    """
    apart = math.ceil(CLOSEST / cell)
    path = "".join(
        f"M{k} {q}l1 1"
        for q, k in zip(*np.nonzero(~visible), strict=True)
        if (k - q) % apart == 0
    )
    thick = max(0.05, THINNEST / cell)
    return f'<path d="{path}" stroke="#9e9e9e" stroke-width="{thick:.2g}"/>'


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
    """Print the weights that stand out, where they fit: no even row."""
    if frame.cell < 15:
        return ""
    font = min(13, round(frame.cell * 0.52))
    largest = shares.max(axis=-1, keepdims=True)
    seen = np.where(shares > 0, shares, largest)
    uneven = seen.min(axis=-1, keepdims=True) < largest - 0.01
    out = np.nonzero((shares >= 0.15) & (uneven | (shares > 0.99)))
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
