"""What a lecture's slides show beside the notebooks' cells.

Pictures of an explorer at the settings that the lecturer types in, so that
the deck shows them without a kernel too, and questions for the room.
"""

import re

from helpers.explorers.map_reading import explore_map
from helpers.pictures.stills import image
from helpers.questions.map_reading import CELLS
from helpers.questions.pre_test import PRE_TEST
from helpers.questions.sharing import SHARING
from helpers.stills import EXPLORERS

POLLS = {
    "map reading": tuple(cell.question for cell in CELLS),
    "pre-test": PRE_TEST,
    "sharing": SHARING,
}
LETTERS = "ABCD"
_PART = re.compile(r'(<svg[^>]*?viewBox="0 0 \d+ (\d+)"[^>]*?) y="\d+"')


def question(poll):
    """Return the Question of a poll such as "pre-test 5"."""
    name, _, number = poll.rpartition(" ")
    return POLLS[name][int(number) - 1]


def poll_text(poll):
    """Return a question and its lettered choices as Markdown."""
    asked = question(poll)
    lines = [f"## Vote: {asked.text}", ""]
    for letter, choice in zip(LETTERS, asked.choices, strict=False):
        lines += [f"**{letter}**  {choice.text}", ""]
    if poll.startswith("map reading"):
        explorer = explore_map()
        explorer.cell.value = explorer.cell.options[int(poll[-1]) - 1][1]
        shown = image(*explorer.portrait())
        lines.insert(0, f'<div class="beside">{shown}</div>\n')
    return "\n".join(lines)


def answer_text(poll):
    """Return the right choice and its reason as Markdown."""
    asked = question(poll)
    right = asked.choices[asked.right]
    return f"**{LETTERS[asked.right]}.** {right.because}"


def picture(explorer, code, parts=(), wide=0):
    """Return an explorer at a setting, as an <img>.

    Parameters
    ----------
    explorer : str
        Its still's name without the ending, "04_main_explorer".
    code : str
        What restores the setting, or "" for the first one.
    parts : sequence of int
        Which of the pictures that stand one below the other, from 0; all
        of them if left out.
    wide : int
        How much of their width, from the left, in units of the picture;
        0 for all.

    Raises
    ------
    CodeError
        If the code fits no setting.
    """
    shown = EXPLORERS[f"{explorer}.svg"]()
    if code:
        shown.restore(code)
    svg, description = shown.portrait()
    return image(_only(svg, parts, wide) if parts else svg, description)


def _only(svg, parts, wide):
    """Return a still with only some of its pictures, and of their width."""
    head, *pieces = re.split(r"(?=<svg )", svg.removesuffix("</svg>"))[1:]
    kept, y = [], 0
    for number in parts:
        high = int(_PART.match(pieces[number])[2])
        kept.append(_PART.sub(rf'\1 y="{y}"', pieces[number], count=1))
        y += high
    full = re.search(r'viewBox="0 0 (\d+) \d+" width="\d+" height="\d+"', head)
    x = wide or int(full[1])
    size = f'viewBox="0 0 {x} {y}" width="{x}" height="{y}"'
    return f"{head.replace(full[0], size, 1)}{''.join(kept)}</svg>"
