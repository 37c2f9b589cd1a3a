"""What stands around maps: words, captions, the colour scale."""

import math

from helpers.pictures.colours import PERCENT_COLOUR, RELATION_COLOURS
from helpers.pictures.text import FAINT, escape, swatch, word

LONGEST_LABEL = 8  # letters of a word that a label has room for
SLANTED_FIT = 12.5  # narrower columns have room for small slanted words only


def _label_step(cell):
    """Return how many words lie between two labels, and their font size."""
    return max(1, math.ceil(9 / cell)), min(12, max(9, round(cell)))


def row_labels(tokens, x, y, size, chosen):
    """Write the words to the left of a map; every so many if it is small."""
    cell = size / len(tokens)
    step, font = _label_step(cell)
    labels = [
        f'<text x="{x - 6:.1f}" y="{y + (i + 0.5) * cell + font * 0.35:.1f}"'
        f"{_bold(chosen, 0, i)}>{_labelled(token)}</text>"
        for i, token in enumerate(tokens)
        if i % step == 0
    ]
    return f'<g text-anchor="end" font-size="{font}">{"".join(labels)}</g>'


def left_out(tokens, x, y, size):
    """Say, in the corner above the row labels, that words have none."""
    step, _ = _label_step(size / len(tokens))
    if step == 1:
        return ""
    return (
        f'<g text-anchor="end" font-size="9" fill="{FAINT}">'
        f'<text x="{x - 4:.1f}" y="{y - 24:.1f}">1 word in {step}</text>'
        f'<text x="{x - 4:.1f}" y="{y - 13:.1f}">has a label</text></g>'
    )


def column_labels(tokens, x, y, size, chosen):
    """Write the words above a map, slanted."""
    cell = size / len(tokens)
    step, font = _label_step(cell)
    if cell < SLANTED_FIT:
        font = 9
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


def caption(x, y, size, head, outlines, small):
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
            f"{swatch(RELATION_COLOURS[outline.number])} "
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


def colour_bar(x, y, size, visible):
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
