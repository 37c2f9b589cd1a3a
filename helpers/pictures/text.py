"""Text in pictures: escaped, shortened, isolated; numbers; tables; images."""

import base64
import html
import unicodedata

INK = "var(--jp-ui-font-color1,#212121)"
PAPER = "var(--jp-layout-color1,#fff)"
FAINT = "var(--jp-ui-font-color2,#616161)"
FONT = "system-ui,-apple-system,'Segoe UI',sans-serif"
CELL_STYLE = "text-align:right;padding:2px 10px"


def escape(text):
    """Return `text` such that HTML and SVG show it literally."""
    return html.escape(str(text), quote=True)


def word(text, longest=None):
    """Return a reader's word for a label: escaped, shortened with a dot.

    A word written from right to left is isolated, so that it does not turn
    its neighbours around.
    """
    if longest is not None and len(text) > longest:
        text = text[: longest - 1] + "…"
    if any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in text):
        text = f"\u2068{text}\u2069"
    return escape(text)


def weight(share):
    """Write a share with two decimals, without the leading zero: .25, 1.0."""
    return "1.0" if share >= 0.995 else f"{share:.2f}"[1:]


def table(caption, header, rows):
    """Return an HTML table; all cells are escaped, the first column heads.

    Parameters
    ----------
    caption : str
    header : sequence of str
    rows : sequence of sequences
    """
    head = "".join(
        f'<th scope="col" style="{CELL_STYLE}">{escape(cell)}</th>'
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
        f'font-variant-numeric:tabular-nums">'
        f'<caption style="text-align:left;color:{INK}">{escape(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def image(svg, description):
    """Return an <img> that shows `svg` where scripts and kernels are off.

    A bare <svg> is stripped from an untrusted notebook; an image is not. It
    can't see the page's theme, so it falls back to dark on white.
    """
    data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return (
        f'<img alt="{escape(description)}" style="background:#fff;'
        f'max-width:100%" src="data:image/svg+xml;base64,{data}">'
    )
