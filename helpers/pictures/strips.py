"""Strips of dots: one dot a number, so that a spread is seen."""

from dataclasses import dataclass

from helpers.pictures.text import FAINT, FONT, INK, PAPER, escape

WIDTH, LEFT, RIGHT, TOP, PITCH = 980, 230, 950, 26, 34
OLD, NEW = "#767676", "#0072B2"
RADIUS = 4.5
ROOM = 34  # between two dots, for a count beside one of them


@dataclass(frozen=True)
class Strip:
    """A named row: (what it is, number) pairs, shipped and made here."""

    name: str
    shipped: tuple[tuple[str, float], ...]
    here: tuple[tuple[str, float], ...] = ()


def dot_strips(strips, title, top, description, low=0):
    """Draw a line of dots for each strip, on one scale, `low` to `top`.

    Shipped numbers are rings above the line, with a stroke at their mean;
    those made here are full, below it.

    Parameters
    ----------
    strips : sequence of Strip
    title : str
    top : float
    description : str
        What a reader who does not see the picture is told.
    low : float
        Where the scale begins; a number outside it stands at its end.

    Returns
    -------
    str
        An <svg>.
    """

    def x_of(number):
        share = (number - low) / (top - low)
        return LEFT + (RIGHT - LEFT) * min(max(share, 0), 1)

    bottom = TOP + PITCH * len(strips)
    height = bottom + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
        f'<text x="{LEFT}" y="14" font-weight="600">{escape(title)}</text>'
    ]
    for number in _ticks(low, top):
        x = x_of(number)
        parts.append(
            f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#9e9e9e" '
            f'stroke-opacity=".4"/><text x="{x:.1f}" y="{bottom + 14}" '
            f'font-size="10" fill="{FAINT}" text-anchor="middle">'
            f"{number:.3g}</text>"
        )
    for place, strip in enumerate(strips):
        parts.append(_strip(strip, TOP + PITCH * (place + 0.5), x_of))
    counted = any(">× " in part for part in parts)
    has_new = any(strip.here for strip in strips)
    parts.append(_legend(height - 8, counted, has_new))
    parts.append("</svg>")
    return "".join(parts)


def _ticks(low, top):
    """Return the numbers below the axis: whole ones of a short count."""
    if low == 0 and top in (3, 5, 6):
        return range(top + 1)
    return [low + share * (top - low) for share in (0, 0.25, 0.5, 0.75, 1)]


def _strip(strip, y, x_of):
    parts = [
        f'<text x="{LEFT - 14}" y="{y + 4:.1f}" text-anchor="end">'
        f"{escape(strip.name)}</text>"
        f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#9e9e9e" '
        f'stroke-opacity=".7"/>'
    ]
    strokes = []
    if strip.shipped:
        mean = sum(n for _, n in strip.shipped) / len(strip.shipped)
        x = x_of(mean)
        strokes = [x]
        parts.append(
            f'<path d="M{x:.1f} {y - 13:.1f}V{y:.1f}" stroke="{INK}" '
            f'stroke-width="2"/>'
        )
    for dots, below, look, crossed in (
        (strip.shipped, -6, f'fill="{PAPER}" stroke="{OLD}"', strokes),
        (strip.here, 6, f'fill="{NEW}" stroke="{PAPER}"', ()),
    ):
        for name, number in dots:
            parts.append(
                f'<circle cx="{x_of(number):.1f}" cy="{y + below:.1f}" '
                f'r="{RADIUS}" {look} stroke-width="1.5">'
                f"<title>{escape(name)}: {number:.3f}</title></circle>"
            )
        xs = [x_of(number) for _, number in dots]
        parts += _counts(xs, y + below, crossed)
    return "".join(parts)


def _counts(xs, y, strokes):
    """Write "× 3" beside each heap of dots that touch or hide each other.

    It stands to the right of them, or to the left where a dot or a stroke
    is too near; between two near ones it stands above.
    """
    heaps = []
    for x in sorted(xs):
        if heaps and x - heaps[-1][-1] < 2 * RADIUS:
            heaps[-1].append(x)
        else:
            heaps.append([x])
    # The name ends on the left, the picture on the right.
    taken = [LEFT - 14, *xs, *strokes, WIDTH + RADIUS]
    parts = []
    for heap in heaps:
        first, last = heap[0], heap[-1]
        if len(heap) == 1:
            continue
        if not any(last < x <= last + ROOM for x in taken):
            x, up, anchor = last + RADIUS + 4, 3.5, "start"
        elif not any(first - ROOM <= x < first for x in taken):
            x, up, anchor = first - RADIUS - 4, 3.5, "end"
        else:
            x, up, anchor = (first + last) / 2, -RADIUS - 3, "middle"
        parts.append(
            f'<text x="{x:.1f}" y="{y + up:.1f}" font-size="10" '
            f'text-anchor="{anchor}">× {len(heap)}</text>'
        )
    return parts


def _legend(y, counted, has_new):
    heap = "; × n: so many that touch" if counted else ""
    parts = [
        f'<circle cx="{LEFT}" cy="{y - 4}" r="{RADIUS}" fill="{PAPER}" '
        f'stroke="{OLD}" stroke-width="1.5"/><text x="{LEFT + 12}" y="{y}" '
        f'font-size="11">shipped, one a seed; the stroke is their mean'
        f"{heap}</text>"
    ]
    if has_new:
        x = LEFT + 440
        parts.append(
            f'<circle cx="{x}" cy="{y - 4}" r="{RADIUS}" fill="{NEW}"/>'
            f'<text x="{x + 12}" y="{y}" font-size="11">trained here</text>'
        )
    return "".join(parts)
