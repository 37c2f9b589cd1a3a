"""Bytes as bars, against the memory there is."""

from helpers.pictures.text import FONT, INK, escape

WIDTH = 980
LEFT, RIGHT = 190, 830  # the bytes are written to the right of the bars
TOP, BAR, PITCH = 26, 20, 30
KEPT, TOO_MUCH = "#77AADD", "#EE8866"


def memory_bars(amounts, limit, write, description):
    """Draw amounts of memory as bars on one scale, and a line at the limit.

    What is beyond the line has another colour, a pattern and words.

    Parameters
    ----------
    amounts : dict of str to int
        The name of each bar, and its bytes.
    limit : int or None
        Bytes that there are; None draws no line.
    write : function of int
        Writes bytes for a reader, such as `cost.binary_units`.
    description : str
        What a reader who does not see the picture is told.

    Returns
    -------
    str
        An <svg>.
    """
    most = max(amounts.values())
    top = 0 if limit is None else TOP
    room = most if limit is None else limit
    scale = (RIGHT - LEFT) / max(room * (1 if limit is None else 1.02), most)
    height = top + PITCH * len(amounts) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
    ]
    for row, (name, n_bytes) in enumerate(amounts.items()):
        parts.append(_bar(name, n_bytes, top + row * PITCH, room, scale))
        parts.append(
            f'<text x="{RIGHT + 12}" y="{top + row * PITCH + 15}">'
            f"{escape(write(n_bytes))}"
            f"{'' if n_bytes <= room else ' · too much'}</text>"
        )
    if limit is not None:
        parts.append(_line(LEFT + limit * scale, height, write(limit)))
    parts.append("</svg>")
    return "".join(parts)


def _line(x, height, amount):
    anchor = "end" if x > (LEFT + RIGHT) / 2 else "start"
    return (
        f'<path d="M{x:.1f} {TOP - 8}V{height - 2}" stroke="{INK}" '
        f'stroke-width="1.6" stroke-dasharray="5 3"/>'
        f'<text x="{x:.1f}" y="13" text-anchor="{anchor}">memory for the '
        f"cache: {escape(amount)}</text>"
    )


def _bar(name, n_bytes, y, limit, scale):
    kept = min(n_bytes, limit) * scale
    over = max(n_bytes - limit, 0) * scale
    x = LEFT + kept
    strokes = "".join(
        f"M{x + place:.1f} {y + 1 + BAR}l{min(8, over - place):.1f} -{BAR}"
        for place in range(2, int(over), 12)
    )
    return (
        f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">'
        f"{escape(name)}</text>"
        f'<rect x="{LEFT}" y="{y + 1}" width="{max(kept, 0.6):.2f}" '
        f'height="{BAR}" fill="{KEPT}"><title>{n_bytes:,} bytes</title>'
        f'</rect><rect x="{x:.2f}" y="{y + 1}" width="{over:.2f}" '
        f'height="{BAR}" fill="{TOO_MUCH}"><title>{n_bytes:,} bytes</title>'
        f'</rect><path d="{strokes}" stroke="#7a2f17" stroke-width=".8"/>'
    )
