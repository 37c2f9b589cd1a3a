"""Single rows of attention maps, sentence beside sentence."""

from dataclasses import dataclass

from helpers.pictures.colours import PERCENT_COLOUR, PERCENT_INK
from helpers.pictures.text import FONT, INK, escape, swatch, weight, word

WIDTH, HEAD, FOOT, GAP = 980, 42, 24, 8
LABEL, ROOM = 112, 288  # for the rows' names; for all rows together
TALLEST = 26
ANSWERS, WIDEST = 8, 6.6  # left edge; a letter of any font, 11 high


@dataclass(frozen=True)
class MapRow:
    """A row of a map: its name, its weights, and what to outline.

    `outlined` are (place, colour) pairs.
    """

    name: str
    shares: tuple[float, ...]
    outlined: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class RowBlock:
    """Rows over one sentence, in parts with a gap between them.

    `answers` stand below: (text, colour) pairs.
    """

    tokens: tuple[str, ...]
    parts: tuple[tuple[MapRow, ...], ...]
    answers: tuple[tuple[str, str], ...] = ()


def map_rows(blocks, description):
    """Draw blocks of rows side by side; rows get thinner if there are many.

    Parameters
    ----------
    blocks : sequence of RowBlock
        All with as many rows.
    description : str
        What a reader who does not see the picture is told.

    Returns
    -------
    str
        An <svg>, 980 wide and at most 362 high.
    """
    gaps = GAP * (len(blocks[0].parts) - 1)
    count = sum(map(len, blocks[0].parts))
    pitch = min(TALLEST, (ROOM - gaps) / count)
    height = round(HEAD + pitch * count + gaps + FOOT)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" width="100%" '
        f'style="max-width:{WIDTH}px" font-family="{FONT}" font-size="12" '
        f'fill="{INK}" aria-label="{escape(description)}">'
    ]
    wide = WIDTH / len(blocks)
    for number, block in enumerate(blocks):
        parts.append(_block(block, number * wide, wide, pitch, height))
    parts.append("</svg>")
    return "".join(parts)


def _block(block, left, wide, pitch, height):
    x = left + LABEL
    cell = (wide - LABEL - 12) / len(block.tokens)
    parts = [
        f'<text x="{x}" y="14" font-weight="600">'
        f"{word(' '.join(block.tokens))}</text>"
    ]
    for place, token in enumerate(block.tokens):
        parts.append(
            f'<text x="{x + (place + 0.5) * cell:.1f}" y="{HEAD - 6}" '
            f'font-size="10" text-anchor="middle">{word(token, 7)}</text>'
        )
    y = HEAD
    for rows in block.parts:
        for row in rows:
            parts.append(_row(row, block.tokens, x, y, cell, pitch))
            y += pitch
        y += GAP
    x = left + ANSWERS
    for text, colour in block.answers:
        parts.append(
            f'<text x="{x:.1f}" y="{height - 7}" font-size="11">'
            f"{swatch(colour)} {escape(text)}</text>"
        )
        x += 16 + WIDEST * len(text)
    return "".join(parts)


def _row(row, tokens, x, y, cell, pitch):
    font = min(11, pitch * 0.8)
    high = pitch - min(2, pitch / 8)
    parts = [
        f'<text x="{x - 7:.1f}" y="{y + high / 2 + font * 0.36:.1f}" '
        f'font-size="{font:.1f}" text-anchor="end">{escape(row.name)}</text>'
    ]
    for place, share in enumerate(row.shares):
        percent = min(100, max(0, round(100 * share)))
        parts.append(
            f'<rect x="{x + place * cell:.1f}" y="{y:.1f}" '
            f'width="{cell:.1f}" height="{high:.1f}" '
            f'fill="{PERCENT_COLOUR[percent]}" stroke="#9e9e9e" '
            f'stroke-width=".6"><title>{word(tokens[place])} {share:.2f}'
            f"</title></rect>"
        )
        if share >= 0.15 and font >= 8:
            parts.append(
                f'<text x="{x + (place + 0.5) * cell:.1f}" '
                f'y="{y + high / 2 + font * 0.36:.1f}" '
                f'font-size="{font:.1f}" fill="{PERCENT_INK[percent]}" '
                f'text-anchor="middle" pointer-events="none">{weight(share)}'
                f"</text>"
            )
    for place, colour in row.outlined:
        parts.append(
            f'<rect x="{x + place * cell + 1:.1f}" y="{y + 1:.1f}" '
            f'width="{cell - 2:.1f}" height="{max(high - 2, 1):.1f}" '
            f'fill="none" stroke="{colour}" stroke-width="2"/>'
        )
    return "".join(parts)
