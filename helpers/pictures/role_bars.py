"""Short bars with a tick each: what a head scores, and the control beside."""

from dataclasses import dataclass

from helpers.pictures.text import FAINT, INK, escape

PITCH, THICK, HEADING, GAP = 20, 13, 18, 14
NAME, NUMBER = 92, 64  # room for the name, and for the number
FILL = "#8A99A8"


@dataclass(frozen=True)
class Bar:
    """A value from 0 to `top`; a tick at `control`, unless it is None."""

    name: str
    value: float
    text: str
    top: float = 1
    control: float | None = None
    colour: str = FILL


def role_bars(blocks, width):
    """Draw blocks of bars, one below the other.

    Parameters
    ----------
    blocks : list of (str, list of Bar)
        A heading, and its bars; without bars it is a note.
    width : float

    Returns
    -------
    str
        The inside of an <svg>.
    """
    parts, y = [], 0
    for heading, bars in blocks:
        look = (
            'font-weight="600"' if bars else f'font-size="11" fill="{FAINT}"'
        )
        parts.append(
            f'<text x="0" y="{y + 10}" {look}>{escape(heading)}</text>'
        )
        y += HEADING
        for bar in bars:
            parts.append(_bar(bar, y, width))
            y += PITCH
        y += GAP
    return "".join(parts)


def _bar(bar, y, width):
    room = width - NAME - NUMBER

    def at(value):
        return NAME + room * min(max(value / bar.top, 0), 1)

    end = at(bar.value)
    tick = ""
    if bar.control is not None:
        x = at(bar.control)
        tick = (
            f'<path d="M{x:.1f} {y - 1}v{THICK + 4}" stroke="{INK}" '
            f'stroke-width="2"/>'
        )
    return (
        f'<text x="{NAME - 6}" y="{y + 11}" font-size="11" '
        f'text-anchor="end">{escape(bar.name)}</text>'
        f'<path d="M{NAME} {y}h{room}v{THICK}h-{room}z" fill="{FAINT}" '
        f'fill-opacity=".13"/>'
        f'<path d="M{NAME} {y}H{end:.1f}v{THICK}H{NAME}z" '
        f'fill="{bar.colour}"/>{tick}'
        f'<text x="{width - NUMBER + 6}" y="{y + 11}" font-size="11">'
        f"{escape(bar.text)}</text>"
    )
