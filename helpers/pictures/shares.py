"""One map with the sum of each row beside it."""

import numpy as np

from helpers.pictures.colours import PERCENT_COLOUR, PERCENT_INK
from helpers.pictures.text import FAINT, FONT, INK, escape, weight, word

CELL, LEFT, TOP = 34, 96, 78
SUMS = 210  # room for the row sums


def shares_map(attn, rows, columns, description, visible=None):
    """Draw weights with the sum of each row written behind it.

    Parameters
    ----------
    attn : array (N_q, N_k)
        Weights, 0..1; their rows need not sum to 1.
    rows, columns : sequences of str
        The words that ask, and the words that answer.
    description : str
        What a reader who does not see the picture is told.
    visible : bool array (N_q, N_k), optional
        False where a mask hides the key: drawn as a stroke, not as 0.

    Returns
    -------
    str
        An <svg>.
    """
    N_q, N_k = attn.shape
    if visible is None:
        visible = np.ones((N_q, N_k), dtype=bool)
    wide, high = LEFT + N_k * CELL + SUMS, TOP + N_q * CELL + 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {wide} {high}" width="100%" '
        f'style="max-width:{wide}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
    ]
    for k, token in enumerate(columns):
        x = LEFT + (k + 0.7) * CELL
        parts.append(
            f'<text transform="translate({x:.1f} {TOP - 6})rotate(-52)">'
            f"{word(token, 9)}</text>"
        )
    end = LEFT + N_k * CELL + 12
    parts.append(f'<text x="{end}" y="{TOP - 6}" fill="{FAINT}">sum</text>')
    for q, token in enumerate(rows):
        y = TOP + q * CELL
        parts.append(
            f'<text x="{LEFT - 8}" y="{y + 21}" text-anchor="end">'
            f"{word(token, 11)}</text>"
        )
        for k in range(N_k):
            parts.append(_cell(LEFT + k * CELL, y, attn[q, k], visible[q, k]))
        parts.append(_sum(end, y + 21, attn[q].sum(), visible[q].any()))
    parts.append("</svg>")
    return "".join(parts)


def _cell(x, y, share, seen):
    if not seen:
        return (
            f'<path d="M{x} {y}h{CELL}v{CELL}h-{CELL}zl{CELL} {CELL}" '
            f'fill="none" stroke="#9e9e9e"/>'
        )
    percent = min(100, max(0, round(100 * float(share))))
    number = (
        f'<text x="{x + CELL / 2}" y="{y + 21}" font-size="11" '
        f'text-anchor="middle" fill="{PERCENT_INK[percent]}">'
        f"{weight(share)}</text>"
        if percent
        else ""
    )
    return (
        f'<path d="M{x} {y}h{CELL}v{CELL}h-{CELL}z" stroke="#9e9e9e" '
        f'fill="{PERCENT_COLOUR[percent]}"/>{number}'
    )


def _sum(x, y, total, sees):
    if not sees:
        said = f"{total:.2f}  sees nothing"
    elif abs(total - 1) < 5e-3:
        said = f"{total:.2f}"
    else:
        said = f"{total:.2f}  not 1"
    bold = "" if said.endswith("1.00") else ' font-weight="700"'
    return f'<text x="{x}" y="{y}"{bold}>{said}</text>'
