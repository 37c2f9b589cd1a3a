"""Points on a plane: named marks, arrows from the origin, a hull."""

from dataclasses import dataclass

import numpy as np

from helpers.pictures.text import FAINT, FONT, INK, escape, word

WIDTH, HEIGHT = 980, 372
TOP = 26  # room for a title
GAP = 16
REACH = 3.3
LONGEST_NAME = 10


@dataclass(frozen=True)
class Mark:
    """A point with a name: a disc of `radius` pixels, or a cross if 0.

    A pointer over it reads `said`; the name stands at a side, `name_at`.
    """

    name: str
    x: float
    y: float
    radius: float = 5
    colour: str = FAINT
    said: str = ""
    name_at: str = "right"


@dataclass(frozen=True)
class Arrow:
    """An arrow from the origin to (x, y)."""

    name: str
    x: float
    y: float
    colour: str = INK


@dataclass(frozen=True)
class Plane:
    """One plane: its title, what lies on it, and the hull of some points."""

    title: str
    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    hull: tuple[tuple[float, float], ...] = ()


def hull(points):
    """Return the corners of the smallest convex shape around the points.

    Parameters
    ----------
    points : array (n, 2)

    Returns
    -------
    list of (float, float)
        Counter-clockwise from the leftmost; points on an edge are no
        corners. One point gives one corner, points on a line give two.

    Source: A. M. Andrew, "Another efficient algorithm for convex hulls in
    two dimensions" (1979), the monotone chain.
    """
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return ordered
    below, above = _chain(ordered), _chain(ordered[::-1])
    return below[:-1] + above[:-1]


def _chain(points):
    """Keep the points where the way along them turns left."""
    kept = []
    for point in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0:
            kept.pop()
        kept.append(point)
    return kept


def _turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def planes(panels, description, reach=REACH):
    """Draw planes side by side, all to one scale.

    Parameters
    ----------
    panels : sequence of Plane
    description : str
        What a reader who does not see the picture is told.
    reach : float
        How far each plane reaches up and down from the origin. To the
        sides it reaches as far as there is room. Nothing is cut off.

    Returns
    -------
    str
        An <svg>, 980 x 372.

    Raises
    ------
    ValueError
        If a coordinate is no finite number, or there is no panel.
    """
    if not panels or not reach > 0:
        raise ValueError("planes needs a panel, and a reach above 0.")
    _require_finite(panels)
    wide = (WIDTH - (len(panels) - 1) * GAP) / len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
    ]
    for number, panel in enumerate(panels):
        x = number * (wide + GAP)
        parts.append(
            f'<text x="{x + 2:.1f}" y="16" font-weight="600">'
            f"{escape(panel.title)}</text>"
            f'<g transform="translate({x:.1f} {TOP})">'
        )
        parts.append(_drawn(panel, _Frame(wide, HEIGHT - TOP, reach)))
        parts.append("</g>")
    parts.append("</svg>")
    return "".join(parts)


def _require_finite(panels):
    for panel in panels:
        places = [(item.x, item.y) for item in (*panel.marks, *panel.arrows)]
        for place in (*places, *panel.hull):
            if not np.isfinite(place).all():
                raise ValueError(f"A place must be finite: got {place}.")


@dataclass(frozen=True)
class _Frame:
    """How a plane's numbers become pixels."""

    wide: float
    high: float
    reach: float

    @property
    def unit(self):
        return self.high / (2 * self.reach)

    def at(self, x, y):
        return (
            self.wide / 2 + x * self.unit,
            self.high / 2 - y * self.unit,
        )


def _drawn(panel, frame):
    parts = [_grid(frame)]
    if panel.hull:
        corners = " ".join(
            "{:.1f},{:.1f}".format(*frame.at(x, y)) for x, y in panel.hull
        )
        parts.append(
            f'<polygon points="{corners}" fill="#0072B2" fill-opacity=".13" '
            f'stroke="#0072B2" stroke-width="1.2"/>'
        )
    parts.extend(_arrow(arrow, frame) for arrow in panel.arrows)
    parts.extend(_mark(mark, frame) for mark in panel.marks)
    return "".join(parts)


def _grid(frame):
    """Draw a line at each whole number, and the axes stronger."""
    w, h = frame.wide, frame.high
    across = range(-int(w / 2 / frame.unit), int(w / 2 / frame.unit) + 1)
    up = range(-int(frame.reach), int(frame.reach) + 1)
    thin = "".join(f"M{frame.at(i, 0)[0]:.1f} 0v{h:.1f}" for i in across if i)
    thin += "".join(f"M0 {frame.at(0, i)[1]:.1f}h{w:.1f}" for i in up if i)
    x, y = frame.at(0, 0)
    one = frame.at(1, 1)
    return (
        f'<path d="M.5 .5h{w - 1:.1f}v{h - 1:.1f}H.5z" fill="none" '
        f'stroke="#9e9e9e"/>'
        f'<path d="{thin}" stroke="#9e9e9e" stroke-opacity=".22"/>'
        f'<path d="M{x:.1f} 0v{h:.1f}M0 {y:.1f}h{w:.1f}" stroke="#9e9e9e" '
        f'stroke-opacity=".8"/>'
        f'<g font-size="10" fill="{FAINT}"><text x="{one[0] - 3:.1f}" '
        f'y="{y + 12:.1f}">1</text><text x="{x + 4:.1f}" '
        f'y="{one[1] + 4:.1f}">1</text></g>'
    )


def _arrow(arrow, frame):
    (x0, y0), (x, y) = frame.at(0, 0), frame.at(arrow.x, arrow.y)
    long = float(np.hypot(x - x0, y - y0))
    label = (
        f'<text x="{x + (6 if arrow.x >= 0 else -6):.1f}" '
        f'y="{y + (15 if arrow.y >= 0 else -6):.1f}" font-weight="600" '
        f'fill="{INK}" '
        f'text-anchor="{"start" if arrow.x >= 0 else "end"}">'
        f"{word(arrow.name, LONGEST_NAME)}</text>"
    )
    if long < 1:
        return (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="none" '
            f'stroke="{arrow.colour}" stroke-width="2"/>{label}'
        )
    u, v = (x - x0) / long, (y - y0) / long
    tip = " ".join(
        f"{x - 10 * u + side * 4 * v:.1f},{y - 10 * v - side * 4 * u:.1f}"
        for side in (1, -1)
    )
    return (
        f'<path d="M{x0:.1f} {y0:.1f}L{x:.1f} {y:.1f}" '
        f'stroke="{arrow.colour}" stroke-width="2.4"/>'
        f'<polygon points="{x:.1f},{y:.1f} {tip}" fill="{arrow.colour}"/>'
        f"{label}"
    )


def _mark(mark, frame):
    x, y = frame.at(mark.x, mark.y)
    said = f"<title>{escape(mark.said)}</title>" if mark.said else ""
    if mark.radius:
        shape = (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{mark.radius:.1f}" '
            f'fill="{mark.colour}" fill-opacity=".75" stroke="{INK}" '
            f'stroke-width=".8">{said}</circle>'
        )
    else:
        shape = (
            f'<path d="M{x - 7:.1f} {y - 7:.1f}l14 14m0-14l-14 14" '
            f'stroke="{mark.colour}" stroke-width="4">{said}</path>'
        )
    bold = "" if mark.radius else ' font-weight="600"'
    away = (mark.radius or 8) + 4
    to_x, to_y, anchor = {
        "right": (away, 4, "start"),
        "left": (-away, 4, "end"),
        "above": (0, -away, "middle"),
        "below": (0, away + 9, "middle"),
    }[mark.name_at]
    return (
        f'{shape}<text x="{x + to_x:.1f}" y="{y + to_y:.1f}"{bold} '
        f'text-anchor="{anchor}">{word(mark.name, LONGEST_NAME)}</text>'
    )
