"""Learning curves: a quantity over the steps of a training."""

from dataclasses import dataclass

from helpers.pictures.text import FAINT, FONT, INK, escape

WIDTH, HEIGHT = 980, 226
LEFT, RIGHT, TOP, BOTTOM = 38, 12, 44, 60
TICKS = 6
LEVEL = f'stroke="{INK}" stroke-width="1.2" stroke-dasharray="1 3"'


@dataclass(frozen=True)
class Curve:
    """A named curve: one y for each of its panel's steps."""

    name: str
    ys: tuple[float, ...]
    colour: str
    dash: str = ""


@dataclass(frozen=True)
class Panel:
    """Curves on one pair of axes; y runs from 0 to `top`.

    `level` is a named height to compare with.
    """

    title: str
    steps: tuple[int, ...]  # where the curves have a point
    curves: tuple[Curve, ...]
    top: float
    level: tuple[str, float]


def learning_curves(title, panels, last, level, description, note=""):
    """Draw panels side by side over the same steps, 0 to `last`.

    A training that is under way, or was stopped, fills part of the width.

    Parameters
    ----------
    title : str
    panels : sequence of Panel
    last : int
        Steps of a whole training.
    level : str
        What the height to compare with means.
    description : str
        What a reader who does not see the picture is told.
    note : str
        Written where the curves end, such as "stopped at step 240".

    Returns
    -------
    str
        An <svg>, 980 x 226.
    """
    wide = WIDTH / len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
        f'<text x="2" y="14" font-weight="600">{escape(title)}</text>'
    ]
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate({number * wide:.1f} 0)">')
        parts.append(_panel(panel, wide, last, note))
        parts.append("</g>")
    parts.append(_legend(panels[0].curves, level))
    parts.append("</svg>")
    return "".join(parts)


def _panel(panel, wide, last, note):
    high, across = HEIGHT - TOP - BOTTOM, wide - LEFT - RIGHT

    def x_of(step):
        return LEFT + across * step / last

    def y_of(value):
        return TOP + high * (1 - min(max(value / panel.top, 0), 1))

    parts = [f'<text x="2" y="34" font-size="11">{escape(panel.title)}</text>']
    for share in (0, 0.5, 1):
        y = TOP + high * (1 - share)
        parts.append(
            f'<path d="M{LEFT} {y:.1f}h{across:.1f}" stroke="#9e9e9e" '
            f'stroke-opacity="{0.9 if share == 0 else 0.3}"/>'
            f'<text x="{LEFT - 5}" y="{y + 4:.1f}" font-size="10" '
            f'fill="{FAINT}" text-anchor="end">{share * panel.top:.3g}</text>'
        )
    for tick in range(TICKS + 1):
        step = last * tick // TICKS
        parts.append(
            f'<text x="{x_of(step):.1f}" y="{TOP + high + 14}" '
            f'font-size="10" fill="{FAINT}" text-anchor="middle">{step}'
            f"</text>"
        )
    parts.append(
        f'<text x="{LEFT + across / 2:.1f}" y="{TOP + high + 28}" '
        f'font-size="11" fill="{FAINT}" text-anchor="middle">steps</text>'
    )
    name, height = panel.level
    y = y_of(height)
    parts.append(
        f'<path d="M{LEFT} {y:.1f}h{across:.1f}" {LEVEL}/>'
        f'<text x="{LEFT - 5}" y="{y + 4:.1f}" font-size="10" '
        f'font-weight="600" text-anchor="end">{escape(name)}</text>'
    )
    for curve in panel.curves:
        way = " ".join(
            f"{x_of(step):.1f},{y_of(y):.1f}"
            for step, y in zip(panel.steps, curve.ys, strict=True)
        )
        dash = f' stroke-dasharray="{curve.dash}"' if curve.dash else ""
        parts.append(
            f'<polyline points="{way}" fill="none" stroke="{curve.colour}" '
            f'stroke-width="2"{dash}/>'
        )
    if note:
        parts.append(_note(note, x_of(panel.steps[-1]), high, wide))
    return "".join(parts)


def _note(note, x, high, wide):
    """Mark where the curves end, on the side that has room."""
    right = x < wide / 2
    return (
        f'<path d="M{x:.1f} {TOP}v{high}" stroke="{INK}"/>'
        f'<text x="{x + (5 if right else -5):.1f}" y="{TOP + 11}" '
        f'font-weight="600" text-anchor="{"start" if right else "end"}">'
        f"{escape(note)}</text>"
    )


def _legend(curves, level):
    x, parts = LEFT, []
    y = HEIGHT - 10
    for curve in curves:
        dash = f' stroke-dasharray="{curve.dash}"' if curve.dash else ""
        parts.append(
            f'<path d="M{x} {y - 4}h26" stroke="{curve.colour}" '
            f'stroke-width="2.4"{dash}/><text x="{x + 32}" y="{y}" '
            f'font-size="11">{escape(curve.name)}</text>'
        )
        x += 60 + 7 * len(curve.name)
    parts.append(
        f'<path d="M{x} {y - 4}h26" {LEVEL}/>'
        f'<text x="{x + 32}" y="{y}" font-size="11">{escape(level)}</text>'
    )
    return "".join(parts)
