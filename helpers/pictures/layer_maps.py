"""Maps of the heads of several layers: one large, all of them small.

Beside them stand bars: what the large one scores, and what the model loses.
"""

from dataclasses import dataclass, field

import numpy as np

from helpers.pictures.colours import RELATION_COLOURS
from helpers.pictures.map_cells import Frame, over, pixel_map, shape_map
from helpers.pictures.map_labels import column_labels, left_out, row_labels
from helpers.pictures.role_bars import role_bars
from helpers.pictures.text import FAINT, FONT, INK, escape, swatch

WIDTH, HEIGHT = 980, 400
APART = 'dx="12" '  # of two names in a legend
LEFT, TOP, SIZE = 34, 56, 312  # of the large map
SMALL_LEFT, SMALL_TOP = 384, 36
SMALL_WIDE, SMALL_HIGH = 344, 256
HEADING, CAPTION, GAP = 22, 28, 9  # heights of texts; between two maps
BELOW = (SMALL_LEFT, 314)
BESIDE = (752, 38)


@dataclass(frozen=True, eq=False)
class LayerMaps:
    """What to draw.

    Parameters
    ----------
    attn : array (n_layers, h, N, N)
    tokens : tuple of str
    picked : (int, int)
        Layer and head of the large map, from 0.
    off : frozenset of (int, int)
        Heads that are removed: their maps are crossed out.
    outlines : tuple of Outline
        Over the large map.
    captions : list of n_layers lists of h str
        Below the small maps.
    cell : (int, int)
        The query and the key to ring in every map.
    title, evidence : str
    beside, below : lists of (str, list of Bar)
        Bars beside and below the small maps: see `role_bars`.
    """

    attn: np.ndarray
    tokens: tuple
    picked: tuple
    off: frozenset
    outlines: tuple
    captions: list
    cell: tuple
    title: str
    evidence: str
    beside: list = field(default_factory=list)
    below: list = field(default_factory=list)


def layer_maps(page, description):
    """Draw the page.

    Parameters
    ----------
    page : LayerMaps
    description : str
        What a reader who does not see the picture is told.

    Returns
    -------
    str
        An <svg>, 980 x 400 at any number of heads.
    """
    percent = np.rint(100 * page.attn).astype(int)
    visible = np.tri(len(page.tokens), dtype=bool)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" '
        f'style="min-width:640px;max-width:{WIDTH}px" '
        f'font-family="{FONT}" font-size="12" fill="{INK}" '
        f'aria-label="{escape(description)}">',
        f'<text x="2" y="17" font-weight="600">{escape(page.title)}'
        f'<tspan font-weight="400" font-size="11">'
        f"{''.join(map(_named, page.outlines))}</tspan></text>"
        f'<text x="{WIDTH - 2}" y="17" text-anchor="end" font-size="11" '
        f'fill="{FAINT}">{escape(page.evidence)}</text>',
        _large(page, percent, visible),
        _small(page, percent, visible),
        _bars(page.beside, *BESIDE, WIDTH - BESIDE[0]),
        _bars(page.below, *BELOW, SMALL_WIDE),
        "</svg>",
    ]
    return "".join(parts)


def _large(page, percent, visible):
    N = len(page.tokens)
    x, y, size = LEFT, TOP, SIZE
    frame = Frame(x, y, size, N)
    shares = page.attn[page.picked]
    return (
        column_labels(page.tokens, x, y, size, page.cell)
        + row_labels(page.tokens, x, y, size, page.cell)
        + left_out(page.tokens, x, y, size)
        + shape_map(frame, percent[page.picked], page.tokens, visible)
        + over(frame, shares, page.outlines, visible, page.cell)
        + (_crossed(frame) if page.picked in page.off else "")
        + f'<text x="{x}" y="{y + size + 17}" font-size="11" '
        f'fill="{FAINT}">rows ask, columns answer; white 0, black 1; '
        f"stroke: hidden</text>"
    )


def _named(outline):
    colour = RELATION_COLOURS[outline.number]
    return f"{swatch(colour, APART)} {escape(outline.name)}"


def _small(page, percent, visible):
    n_layers, h, N, _ = page.attn.shape
    size = min(
        (SMALL_WIDE - (h - 1) * GAP) / h,
        SMALL_HIGH / n_layers - HEADING - CAPTION,
    )
    parts = []
    for layer, head in np.ndindex(n_layers, h):
        x = SMALL_LEFT + head * (size + GAP)
        y = SMALL_TOP + HEADING + layer * (size + CAPTION + HEADING)
        frame = Frame(x, y, size, N)
        here = (layer, head)
        if head == 0:
            parts.append(
                f'<text x="{x:.1f}" y="{y - 7:.1f}" font-weight="600">'
                f"layer {layer + 1}</text>"
            )
        parts.append(pixel_map(frame, percent[here], page.tokens, visible))
        parts.append(over(frame, page.attn[here], (), visible, page.cell))
        if here in page.off:
            parts.append(_crossed(frame))
        if here == page.picked:
            parts.append(_picked(frame))
        parts.append(_captioned(frame, head, page.captions[layer][head]))
    return "".join(parts)


def _bars(blocks, x, y, width):
    return f'<g transform="translate({x} {y})">{role_bars(blocks, width)}</g>'


def _captioned(frame, head, caption):
    middle = frame.x + frame.size / 2
    font = 11 if frame.size > 100 else 9
    return (
        f'<text x="{middle:.1f}" y="{frame.y + frame.size + 13:.1f}" '
        f'font-size="{font}" text-anchor="middle"><tspan font-weight="600">'
        f'head {head + 1}</tspan><tspan x="{middle:.1f}" dy="12">'
        f"{escape(caption)}</tspan></text>"
    )


def _crossed(frame):
    """Cross a removed head's map out; it can still be seen below."""
    x, y, size = frame.x, frame.y, frame.size
    return (
        f'<path d="M{x:.1f} {y:.1f}l{size:.1f} {size:.1f}m0 -{size:.1f}'
        f'l-{size:.1f} {size:.1f}" stroke="#D55E00" stroke-width="2.5" '
        f'fill="none"/>'
    )


def _picked(frame):
    x, y, size = frame.x - 3, frame.y - 3, frame.size + 6
    return (
        f'<path d="M{x:.1f} {y:.1f}h{size:.1f}v{size:.1f}h-{size:.1f}z" '
        f'stroke="{INK}" stroke-width="2" fill="none"/>'
    )
