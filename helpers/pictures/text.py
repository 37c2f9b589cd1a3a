"""Text in pictures: escaped, shortened, isolated; numbers; tables."""

import html
import unicodedata
from functools import lru_cache

INK = "var(--jp-ui-font-color1,#212121)"
PAPER = "var(--jp-layout-color1,#fff)"
FAINT = "var(--jp-ui-font-color2,#616161)"
FONT = "system-ui,-apple-system,'Segoe UI',sans-serif"
CELL_STYLE = "text-align:right;padding:1px 9px;line-height:1.35"


def escape(text):
    """Return `text` such that HTML and SVG show it literally."""
    return html.escape(str(text), quote=True)


@lru_cache(maxsize=1024)  # a picture asks for the same few words often
def word(text, longest=None):
    """Return a reader's word for a label: escaped, shortened with a dot.

    A word written from right to left is isolated, so that it does not turn
    its neighbours around.

    Parameters
    ----------
    text : str
    longest : int, optional
        Letters that have room; wide ones (Chinese, emoji) take two.
    """
    if longest is not None:
        text = _shortened(text, longest)
    if any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in text):
        text = f"\u2068{text}\u2069"
    return escape(text)


def _shortened(text, longest):
    room, kept = longest, 0
    for letter in text:
        room -= 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if room < 0:
            return text[: max(1, kept - 1)] + "…"
        kept += 1
    return text


def weight(share):
    """Write a share with two decimals, without the leading zero: .25, 1.0."""
    return "1.0" if share >= 0.995 else f"{share:.2f}"[1:]


def per_cent(share):
    """Write a share as 12.5%; a small rest of 0 or 1 is not rounded away."""
    if 0 < share < 0.0005:
        return "under 0.1%"
    if 0.9995 <= share < 1:
        return "over 99.9%"
    return f"{share:.1%}"


def swatch(colour, place=""):
    """Return a small square of a legend, as an SVG tspan.

    It has a thin rim: few colours stand out from white and from dark paper.
    """
    return (
        f'<tspan {place}fill="{colour}" stroke="{FAINT}" stroke-width=".6">'
        f"■</tspan>"
    )


def table(caption, header, rows):
    """Return an HTML table; all cells are escaped, the first column heads.

    An empty cell of the header is no header: it would be read out as one.

    Parameters
    ----------
    caption : str
    header : sequence of str
    rows : sequence of sequences
    """
    head = "".join(
        f'<th scope="col" style="{CELL_STYLE}">{escape(cell)}</th>'
        if cell != ""
        else f'<td style="{CELL_STYLE}"></td>'
        for cell in header
    )
    body = "".join(
        f'<tr><th scope="row" style="{CELL_STYLE}">{escape(first)}</th>'
        + "".join(
            f'<td style="{CELL_STYLE}">{escape(cell)}</td>' for cell in rest
        )
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<table style="border-collapse:collapse;color:{INK};'
        f'font-variant-numeric:tabular-nums"><caption style="text-align:left;'
        f'white-space:nowrap;color:{INK}">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
