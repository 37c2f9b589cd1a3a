"""One step of decoding: which scores are computed, and the work in bars."""

from dataclasses import dataclass

from helpers.pictures.text import FAINT, FONT, INK, PAPER, escape, word

WIDTH, GRIDS_HEIGHT = 980, 296
TOP, SIZE, STRIP = 44, 196, 16
LEFTS = (104, 560)
BAR_LEFT, BAR_RIGHT, BAR, PITCH = 178, 700, 18, 24
MOST_WORDS = 12  # tokens that have a label of their own

NEW, AGAIN = "#56B4E9", "#E69F00"  # told apart by a pattern too


@dataclass(frozen=True)
class Bar:
    """One bar: its name, what is filled, and the number written behind."""

    name: str
    amount: int
    written: str
    colour: str
    most: int  # what a full bar stands for


def work_grids(N, before, tokens, description):
    """Draw the scores of one step, without a cache and with one.

    Rows are queries, columns are keys. The strip below each grid is the
    keys and values. What is computed for the first time has one colour;
    what was computed before and is computed again has another, and stripes.

    Parameters
    ----------
    N : int
        Tokens so far.
    before : int
        Those of them that were there before this step.
    tokens : sequence of str
        All tokens of the text: the grids have a place for each.
    description : str
        What a reader who does not see the picture is told.

    Returns
    -------
    str
        An <svg>, 980 x 296.
    """
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {GRIDS_HEIGHT}" width="100%" '
        f'style="min-width:640px;max-width:{WIDTH}px" '
        f'font-family="{FONT}" font-size="12" fill="{INK}" '
        f'aria-label="{escape(description)}">'
    ]
    for left, cached in zip(LEFTS, (False, True), strict=True):
        parts.append(_grid(left, N, before, tokens, cached))
    parts.append(_legend())
    parts.append("</svg>")
    return "".join(parts)


def _grid(left, N, before, tokens, cached):
    all_places = len(tokens)
    cell = SIZE / all_places
    title = "with a cache" if cached else "without a cache"
    strip = TOP + SIZE + 8
    parts = [
        f'<text x="{left}" y="18" font-weight="600">{title}</text>'
        f'<text x="{left}" y="36" fill="{FAINT}" font-size="11">keys →</text>'
        f'<path d="M{left} {TOP}h{SIZE}v{SIZE}h-{SIZE}z" fill="{PAPER}" '
        f'stroke="#9e9e9e"/>'
        f'<path d="M{left} {strip}h{SIZE}v{STRIP}h-{SIZE}z" fill="{PAPER}" '
        f'stroke="#9e9e9e"/>'
        f'<text x="{left - 8}" y="{strip + 12}" text-anchor="end" '
        f'font-size="11">K, V</text>'
    ]

    def box(column, row, wide, high, fill, said):
        if wide and high:
            parts.append(
                f'<rect x="{left + column * cell:.2f}" '
                f'y="{TOP + row * cell:.2f}" width="{wide * cell:.2f}" '
                f'height="{high * cell:.2f}" {fill}>'
                f"<title>{said}</title></rect>"
            )

    def kv(column, wide, fill, said):
        if wide:
            parts.append(
                f'<rect x="{left + column * cell:.2f}" y="{strip}" '
                f'width="{wide * cell:.2f}" height="{STRIP}" {fill}>'
                f"<title>{said}</title></rect>"
            )

    new, again = f'fill="{NEW}"', f'fill="{AGAIN}"'
    kept = f'fill="{PAPER}" stroke="{INK}" stroke-width="1.6"'
    n = N - before
    if not cached:
        box(0, 0, N, before, again, f"{before} rows computed again")
        kv(0, before, again, f"keys and values of {before} tokens, again")
        parts.append(_stripes(left, TOP, N * cell, before * cell))
        parts.append(_stripes(left, strip, before * cell, STRIP))
    else:
        kv(0, before, kept, f"keys and values of {before} tokens: kept")
        if before > all_places * 0.18:
            parts.append(
                f'<text x="{left + before * cell / 2:.1f}" y="{strip + 12}" '
                f'text-anchor="middle" font-size="11">kept</text>'
            )
    box(0, before, N, n, new, f"{n} new rows of scores: {n} x {N}")
    kv(before, n, new, f"keys and values of {n} new tokens")
    parts.append(_hidden(left, cell, N, before if cached else 0))
    parts.append(_lines(left, cell, all_places))
    parts.append(_labels(left, cell, N, tokens))
    return "".join(parts)


def _stripes(left, top, wide, high):
    """Draw upright stripes, so that hue is not the only sign of "again"."""
    if not high:
        return ""
    lines = "".join(
        f"M{left + x} {top}v{high:.2f}" for x in range(3, int(wide), 6)
    )
    return (
        f'<path d="{lines}" stroke="#5B3A1A" stroke-width="1.6" '
        f'pointer-events="none"/>'
    )


def _hidden(left, cell, N, first):
    """Veil what the mask hides: computed by NumPy, and not used."""
    path = [f"M{left + N * cell:.2f} {TOP + first * cell:.2f}"]
    path += [
        f"H{left + (row + 1) * cell:.2f}v{cell:.2f}" for row in range(first, N)
    ]
    return (
        f'<path d="{"".join(path)}z" fill="{PAPER}" fill-opacity=".62">'
        f"<title>computed, and hidden by the causal mask</title></path>"
    )


def _lines(left, cell, places):
    if places > MOST_WORDS:
        return ""
    lines = "".join(
        f"M{left + i * cell:.1f} {TOP}v{SIZE}M{left} {TOP + i * cell:.1f}"
        f"h{SIZE}"
        for i in range(1, places)
    )
    return f'<path d="{lines}" stroke="#9e9e9e" stroke-width=".6"/>'


def _labels(left, cell, N, tokens):
    shown = (
        range(len(tokens))
        if len(tokens) <= MOST_WORDS
        else sorted({0, N - 1, len(tokens) - 1})
    )
    parts, last = [], -99
    for i in shown:
        y = TOP + (i + 0.5) * cell + 4
        if y - last < 12 and i != N - 1:
            continue
        last = y
        weight = ' font-weight="700"' if i == N - 1 else ""
        ink = INK if i < N else FAINT
        parts.append(
            f'<text x="{left - 8}" y="{y:.1f}" text-anchor="end" '
            f'font-size="11" fill="{ink}"{weight}>{i + 1} '
            f"{word(tokens[i], 9)}</text>"
        )
    return "".join(parts)


def _legend():
    y, x = TOP + SIZE + 44, LEFTS[0]
    items = (
        (f'fill="{NEW}"', "computed for the first time"),
        (f'fill="{AGAIN}"', "computed again"),
        (f'fill="{PAPER}" stroke="{INK}" stroke-width="1.6"', "kept"),
        (f'fill="{PAPER}" stroke="#9e9e9e"', "not there, or not needed"),
    )
    parts = []
    for fill, said in items:
        parts.append(
            f'<rect x="{x}" y="{y - 10}" width="12" height="12" {fill}/>'
            f'<text x="{x + 18}" y="{y}" font-size="11">{said}</text>'
        )
        if said == "computed again":
            parts.append(_stripes(x, y - 10, 12, 12))
        x += 44 + 6.2 * len(said)
    parts.append(
        f'<text x="{x}" y="{y}" font-size="11" fill="{FAINT}">faint: hidden '
        f"by the causal mask</text>"
    )
    return "".join(parts)


def work_bars(parts, description):
    """Draw bars in parts, each with a heading and a scale of its own.

    Parameters
    ----------
    parts : dict of str to sequence of Bar
    description : str
        What a reader who does not see the picture is told.

    Returns
    -------
    str
        An <svg>, 980 wide.
    """
    y, drawn = 8, []
    for heading, bars in parts.items():
        drawn.append(
            f'<text x="8" y="{y + 14}" font-weight="600">'
            f"{escape(heading)}</text>"
        )
        for bar in bars:
            drawn.append(_bar(bar, y))
            y += PITCH
        y += 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {y}" width="100%" '
        f'style="min-width:640px;max-width:{WIDTH}px" '
        f'font-family="{FONT}" font-size="12" fill="{INK}" '
        f'aria-label="{escape(description)}">{"".join(drawn)}</svg>'
    )


def _bar(bar, y):
    wide = (BAR_RIGHT - BAR_LEFT) * bar.amount / bar.most
    return (
        f'<text x="{BAR_LEFT - 8}" y="{y + 14}" text-anchor="end">'
        f"{escape(bar.name)}</text>"
        f'<path d="M{BAR_LEFT} {y}H{BAR_RIGHT}v{BAR}H{BAR_LEFT}z" '
        f'fill="none" stroke="#9e9e9e" stroke-width=".8"/>'
        f'<rect x="{BAR_LEFT}" y="{y}" width="{wide:.2f}" height="{BAR}" '
        f'fill="{bar.colour}"/>'
        f'<text x="{BAR_RIGHT + 12}" y="{y + 14}">{escape(bar.written)}</text>'
    )
