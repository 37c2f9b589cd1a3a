"""FLOPs as bars: one bar a layer, one piece a step."""

from helpers.pictures.colours import STEP_COLOURS
from helpers.pictures.text import FONT, INK, escape, per_cent

WIDTH = 980
LEFT, RIGHT = 150, 950
BAR, PITCH = 20, 30

FLOPS_IN = {"FLOPs": 1, "multiply-adds": 2}  # how many FLOPs one of them is

STEP_NAMES = {
    "Q": "Q",
    "K": "K",
    "V": "V",
    "W_O": "W_O",
    "scores": "scores",
    "weighted_sum": "weighted sum",
}


def flop_bars(ledgers, description, unit="FLOPs"):
    """Draw the FLOPs of layers as bars on one scale, with a legend.

    Projections come first, in greys; the two products between tokens come
    last, in orange. So the eye sees where one overtakes the other.

    Parameters
    ----------
    ledgers : dict of str to Flops
        The name of each bar, and what it shows.
    description : str
        What a reader who does not see the picture is told.
    unit : str
        What the tooltips count in: a key of FLOPS_IN.

    Returns
    -------
    str
        An <svg>.
    """
    most = max(ledger.total for ledger in ledgers.values())
    height = PITCH * len(ledgers) + 28
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
    ]
    for row, (name, ledger) in enumerate(ledgers.items()):
        parts.append(_bar(name, ledger, row * PITCH, most, unit))
    parts.append(_legend(PITCH * len(ledgers) + 14))
    parts.append("</svg>")
    return "".join(parts)


def _bar(name, ledger, y, most, unit):
    steps = ledger.as_dict()
    parts = [
        f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">'
        f"{escape(name)}</text>"
    ]
    x = LEFT
    for step, colour in STEP_COLOURS.items():
        width = (RIGHT - LEFT) * steps[step] / most
        share = steps[step] / ledger.total
        parts.append(
            f'<rect x="{x:.2f}" y="{y + 1}" width="{width:.2f}" '
            f'height="{BAR}" fill="{colour}"><title>'
            f"{STEP_NAMES[step]}: {steps[step] // FLOPS_IN[unit]:,} {unit}, "
            f"{per_cent(share)}"
            f"</title></rect>"
        )
        if width > 44:
            parts.append(
                f'<text x="{x + width / 2:.1f}" y="{y + 15}" fill="#000" '
                f'font-size="11" text-anchor="middle" '
                f'pointer-events="none">{share * 100:.3g}%</text>'
            )
        x += width
    return "".join(parts)


def _legend(y):
    x, parts = LEFT, []
    for step, colour in STEP_COLOURS.items():
        parts.append(
            f'<rect x="{x}" y="{y - 4}" width="11" height="11" '
            f'fill="{colour}"/><text x="{x + 16}" y="{y + 6}" '
            f'font-size="11">{STEP_NAMES[step]}</text>'
        )
        x += 40 + 7 * len(STEP_NAMES[step])
    return "".join(parts)
