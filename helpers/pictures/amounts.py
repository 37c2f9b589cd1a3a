"""Amounts as bars with their spread, all on one scale from 0."""

from dataclasses import dataclass

from helpers.pictures.text import FAINT, FONT, INK, escape

WIDTH, PITCH, BAR = 980, 25, 17
LEFT, RIGHT = 150, 790
FILL = "#8A99A8"


@dataclass(frozen=True)
class Amount:
    """A name, the smallest, middle and largest amount, and what to write.

    `colour` fills the bar; it is drawn to the middle amount.
    """

    name: str
    low: float
    middle: float
    high: float
    text: str
    colour: str = FILL


def amount_bars(amounts, description, rows):
    """Draw one bar an amount, with a line from its smallest to its largest.

    Parameters
    ----------
    amounts : sequence of Amount
        At most `rows`; the picture is as high with fewer.
    description : str
        What a reader who does not see the picture is told.
    rows : int

    Returns
    -------
    str
        An <svg>.
    """
    most = max((amount.high for amount in amounts), default=0) or 1
    height = PITCH * rows + 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
    ]
    for place, amount in enumerate(amounts):
        parts.append(_bar(amount, PITCH * place + 3, most))
    parts.append("</svg>")
    return "".join(parts)


def _bar(amount, y, most):
    low, middle, high = (
        LEFT + (RIGHT - LEFT) * value / most
        for value in (amount.low, amount.middle, amount.high)
    )
    line = y + BAR / 2
    return (
        f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">'
        f"{escape(amount.name)}</text>"
        f'<rect x="{LEFT}" y="{y}" width="{middle - LEFT:.2f}" '
        f'height="{BAR}" fill="{amount.colour}"/>'
        f'<path d="M{low:.2f} {line}H{high:.2f}M{low:.2f} {line - 4}v8'
        f'M{high:.2f} {line - 4}v8" stroke="{INK}" stroke-width="1.4" '
        f'fill="none"/>'
        f'<text x="{max(middle, high) + 8:.1f}" y="{y + 13}" '
        f'fill="{FAINT}">{escape(amount.text)}</text>'
    )
