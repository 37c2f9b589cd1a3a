"""Curves and bars of a quantity, with axes."""

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

from helpers.pictures.text import FAINT, FONT, INK, escape, word

WIDTH = 980
CURVES_HEIGHT, BARS_HEIGHT = 236, 150
LEFT, RIGHT = 38, 10  # of each chart
TOP, BOTTOM = 28, 44
MOST_TICKS = 12


@dataclass(frozen=True)
class Line:
    """A named line through a chart; `dash` as in SVG, "" for unbroken."""

    name: str
    ys: tuple[float, ...]
    colour: str
    dash: str = ""


@dataclass(frozen=True)
class Chart:
    """Lines over the same places; the y axis runs from 0 to `top`.

    The places stand at equal distances, whatever their names: powers of 2
    give a logarithmic axis. `marked` is the place to point out. Every
    `every`-th place has its name on the axis; None: as many as fit.
    """

    title: str
    x_name: str
    xs: tuple[str, ...]
    lines: tuple[Line, ...]
    top: float = 1
    marked: int | None = None
    every: int | None = None


def curves(charts, description):
    """Draw charts side by side, with one legend below.

    Parameters
    ----------
    charts : sequence of Chart
    description : str
        What a reader who does not see the picture is told.

    Returns
    -------
    str
        An <svg>, 980 x 236.

    Raises
    ------
    ValueError
        If a line has not one finite number for each place, or the axis no
        height.
    """
    for chart in charts:
        _require_top(chart.top)
        for line in chart.lines:
            _require_numbers(line.name, line.ys, len(chart.xs))
    wide = WIDTH / len(charts)
    parts = [_opened(CURVES_HEIGHT, description)]
    for number, chart in enumerate(charts):
        parts.append(f'<g transform="translate({number * wide:.1f} 0)">')
        parts.append(_chart(chart, wide))
        parts.append("</g>")
    parts.append(_legend(charts, CURVES_HEIGHT - 8))
    parts.append("</svg>")
    return "".join(parts)


def bars(values, names, title, description, colours=None, top=1):
    """Draw one bar a value, with its number above and its name below.

    Parameters
    ----------
    values : sequence of float
        0 to `top`.
    names : sequence of str
        May be shorter words of a reader; thinned where there is no room.
    title, description : str
    colours : sequence of str, optional
    top : float
        The height of the axis.

    Returns
    -------
    str
        An <svg>, 980 x 150.

    Raises
    ------
    ValueError
        If there is not one finite number for each name.
    """
    _require_numbers(title, values, len(names))
    _require_top(top)
    colours = colours or ["#0072B2"] * len(names)
    high = BARS_HEIGHT - TOP - 20
    pitch = (WIDTH - LEFT - RIGHT) / len(names)
    numbered = pitch >= 34
    step = -(-len(names) // 40)
    parts = [
        _opened(BARS_HEIGHT, description),
        f'<text x="2" y="14" font-weight="600">{escape(title)}</text>',
        _axis(WIDTH, high, top),
    ]
    for place, (value, name) in enumerate(zip(values, names, strict=True)):
        x = LEFT + place * pitch
        length = high * min(max(value / top, 0), 1)
        y = TOP + high - length
        middle = x + pitch / 2
        parts.append(
            f'<rect x="{x + pitch * 0.15:.1f}" y="{y:.1f}" '
            f'width="{pitch * 0.7:.1f}" height="{length:.1f}" '
            f'fill="{colours[place]}"><title>{word(name)} {value:.3f}'
            f"</title></rect>"
        )
        if place % step == 0:
            parts.append(
                f'<text x="{middle:.1f}" y="{BARS_HEIGHT - 6}" '
                f'font-size="11" text-anchor="middle">'
                f"{word(name, max(2, int(pitch / 7)))}</text>"
            )
        if numbered:
            parts.append(
                f'<text x="{middle:.1f}" y="{y - 3:.1f}" font-size="11" '
                f'text-anchor="middle">{value:.2f}</text>'
            )
    parts.append("</svg>")
    return "".join(parts)


def _require_numbers(name, values, count):
    values = np.asarray(values, dtype=float)
    if values.shape != (count,) or count == 0:
        raise ValueError(
            f"{name!r} needs {count} numbers, and at least 1: got "
            f"{values.shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError(f"{name!r} must be finite numbers.")


def _require_top(top):
    if not isinstance(top, Real) or not 0 < top < math.inf:
        raise ValueError(f"top must be a number above 0: got {top!r}.")


def _opened(height, description):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
    )


def _axis(wide, high, top):
    """Draw the y axis with 0, half and top, and a line at each."""
    parts = []
    for share in (0, 0.5, 1):
        y = TOP + high * (1 - share)
        parts.append(
            f'<path d="M{LEFT} {y:.1f}H{wide - RIGHT:.1f}" stroke="#9e9e9e" '
            f'stroke-opacity="{0.9 if share == 0 else 0.35}"/>'
            f'<text x="{LEFT - 5}" y="{y + 4:.1f}" font-size="10" '
            f'fill="{FAINT}" text-anchor="end">{share * top:.3g}</text>'
        )
    return "".join(parts)


def _chart(chart, wide):
    high = CURVES_HEIGHT - TOP - BOTTOM - 16
    last = max(1, len(chart.xs) - 1)

    def at(place, y):
        x = LEFT + 6 + (wide - LEFT - RIGHT - 12) * place / last
        return x, TOP + high * (1 - min(max(y / chart.top, 0), 1.05))

    parts = [
        f'<text x="2" y="14" font-weight="600">{escape(chart.title)}</text>',
        _axis(wide, high, chart.top),
    ]
    step = chart.every or -(-len(chart.xs) // MOST_TICKS)
    for place, name in enumerate(chart.xs):
        if place % step == 0:
            bold = ' font-weight="700"' if place == chart.marked else ""
            parts.append(
                f'<text x="{at(place, 0)[0]:.1f}" y="{TOP + high + 14}" '
                f'font-size="10" text-anchor="middle"{bold}>'
                f"{escape(name)}</text>"
            )
    parts.append(
        f'<text x="{wide / 2:.1f}" y="{TOP + high + 28}" font-size="11" '
        f'fill="{FAINT}" text-anchor="middle">{escape(chart.x_name)}</text>'
    )
    if chart.marked is not None:
        x = at(chart.marked, 0)[0]
        parts.append(
            f'<path d="M{x:.1f} {TOP}v{high}" stroke="{INK}" '
            f'stroke-dasharray="2 3"/>'
        )
    for line in chart.lines:
        places = [at(i, y) for i, y in enumerate(line.ys)]
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
        parts.append(
            f'<polyline points="{way}" fill="none" stroke="{line.colour}" '
            f'stroke-width="2.2"{dash}/>'
        )
        if chart.marked is not None:
            x, y = places[chart.marked]
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" '
                f'fill="{line.colour}"><title>{escape(line.name)} at '
                f"{escape(chart.xs[chart.marked])}: "
                f"{line.ys[chart.marked]:.3g}</title></circle>"
            )
    return "".join(parts)


def _legend(charts, y):
    """Name each line once, with its colour and dash."""
    named = {line.name: line for chart in charts for line in chart.lines}
    x, parts = LEFT, []
    for line in named.values():
        dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
        parts.append(
            f'<path d="M{x} {y - 4}h26" stroke="{line.colour}" '
            f'stroke-width="2.4"{dash}/><text x="{x + 32}" y="{y}" '
            f'font-size="11">{escape(line.name)}</text>'
        )
        x += 56 + 7 * len(line.name)
    return "".join(parts)
