"""Budgets as bars: each is 1.0 long, and cut into what it is spent on."""

from dataclasses import dataclass

from helpers.pictures.colours import ink_on
from helpers.pictures.text import FAINT, FONT, INK, escape, weight, word

WIDTH, PITCH, BAR, TOP = 980, 44, 24, 30
LEFT, RIGHT = 108, 560
ERROR_LEFT, ERROR_RIGHT = 770, 930
GREY, DARK_GREY = "#C3CCD4", "#9BA8B4"


@dataclass(frozen=True)
class Budget:
    """One row of a map as a bar: its name, and (word, share, colour).

    The colour is None for a word that no relation asks for.
    """

    name: str
    parts: tuple[tuple[str, float, str | None], ...]


@dataclass(frozen=True)
class Error:
    """A named bar of 0..1, its colour, and where it was read."""

    name: str
    size: float
    colour: str
    note: str


def budget_bars(budgets, errors, description, rows=3):
    """Draw budgets on the left and errors on the right, on scales 0..1.

    Parameters
    ----------
    budgets : sequence of Budget
        At most `rows`; the picture is as high with fewer.
    errors : sequence of Error
    description : str
        What a reader who does not see the picture is told.
    rows : int

    Returns
    -------
    str
        An <svg>.
    """
    height = TOP + PITCH * rows + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
        f'<g font-weight="600"><text x="{LEFT}" y="16">what each row spends: '
        f'1.0, no more and no less</text><text x="{ERROR_LEFT}" y="16">'
        f"error of each relation</text></g>"
    ]
    for place, budget in enumerate(budgets):
        parts.append(_budget(budget, TOP + PITCH * place))
    for place, error in enumerate(errors):
        parts.append(_error(error, TOP + PITCH * place))
    parts.append("</svg>")
    return "".join(parts)


def _budget(budget, y):
    parts = [
        f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end">'
        f"{escape(budget.name)}</text>"
    ]
    x = LEFT
    for name, share, colour in budget.parts:
        wide = (RIGHT - LEFT) * share
        fill = colour or GREY
        parts.append(
            f'<rect x="{x:.2f}" y="{y}" width="{wide:.2f}" height="{BAR}" '
            f'fill="{fill}" stroke="#fff" stroke-width=".8"><title>'
            f"{word(name)} {share:.2f}</title></rect>"
        )
        if wide > 34:
            number = f" {weight(share)}" if wide > 62 else ""
            ink = ink_on(tuple(bytes.fromhex(fill[1:])))
            parts.append(
                f'<text x="{x + wide / 2:.1f}" y="{y + 16}" fill="{ink}" '
                f'font-size="11" text-anchor="middle" '
                f'pointer-events="none">{word(name, 8)}{number}</text>'
            )
        x += wide
    return "".join(parts)


def _error(error, y):
    wide = ERROR_RIGHT - ERROR_LEFT
    return (
        f'<text x="{ERROR_LEFT - 8}" y="{y + 11}" text-anchor="end">'
        f"{escape(error.name)}</text>"
        f'<text x="{ERROR_LEFT - 8}" y="{y + 24}" text-anchor="end" '
        f'font-size="10" fill="{FAINT}">{escape(error.note)}</text>'
        f'<rect x="{ERROR_LEFT}" y="{y}" width="{wide}" height="{BAR}" '
        f'fill="none" stroke="{DARK_GREY}"/>'
        f'<rect x="{ERROR_LEFT}" y="{y}" width="{wide * error.size:.2f}" '
        f'height="{BAR}" fill="{error.colour}"><title>{escape(error.name)}: '
        f"error {error.size:.2f}</title></rect>"
        f'<text x="{ERROR_RIGHT + 8}" y="{y + 16}">{error.size:.2f}</text>'
    )
