"""A sentence, set large: its places, and the words that ask something."""

from helpers.pictures.colours import RELATION_COLOURS
from helpers.pictures.text import FAINT, FONT, INK, escape, word

WIDTH, HEIGHT = 980, 150
BASE, ASKED = 108, 24  # the sentence's line, and that of the questions
SIZE, LETTER, SPACE = 30, 17, 26
APART = 168  # between the questions of one word


def asked_of(tokens, questions, description):
    """Draw a sentence, its places from 0, and what some words ask.

    No answer is drawn: each line leaves the word that asks, and ends at its
    question.

    Parameters
    ----------
    tokens : sequence of str
        Words; as many as one line holds, about 45 letters.
    questions : dict of int
        Place -> the questions that the word at this place asks, in the
        order of the relations' colours.
    description : str
        What a reader who does not see the picture is told.

    Returns
    -------
    str
        An <svg>, 980 x 150.
    """
    wide = [max(2, len(token)) * LETTER for token in tokens]
    x = (WIDTH - sum(wide) - SPACE * (len(tokens) - 1)) / 2
    parts, colours = [], iter(RELATION_COLOURS)
    for place, token in enumerate(tokens):
        middle = x + wide[place] / 2
        x += wide[place] + SPACE
        asks = questions.get(place, ())
        parts.append(
            f'<text x="{middle:.1f}" y="{BASE}" font-size="{SIZE}" '
            f'font-weight="{600 if asks else 400}">{word(token)}</text>'
            f'<text x="{middle:.1f}" y="{BASE + 30}" font-size="14" '
            f'fill="{FAINT}">{place}</text>'
        )
        for number, question in enumerate(asks):
            aside = APART * (number - (len(asks) - 1) / 2)
            parts.append(
                f'<path d="M{middle:.1f} {BASE - SIZE}'
                f"Q{middle:.1f} {ASKED + 26} {middle + aside:.1f} "
                f'{ASKED + 9}" fill="none" stroke="{next(colours)}" '
                f'stroke-width="3"/><text x="{middle + aside:.1f}" '
                f'y="{ASKED}" font-size="18">{escape(question)}</text>'
            )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" '
        f'text-anchor="middle" fill="{INK}" '
        f'aria-label="{escape(description)}">{"".join(parts)}</svg>'
    )
