"""The timetables of LECTURING.md, made from the paths.

    python -m publish.timetable

A test compares the committed page with what this makes.
"""

import re

import nbformat

from publish import screens
from publish.paths import file_of, heading_of, notes_of, paths, spoken
from publish.tree import ROOT

PAGE = ROOT / "LECTURING.md"
_PLACE = re.compile(
    r"(<!-- path (\d+) -->\n).*?(<!-- end of path \2 -->)", re.S
)


def notes(slide):
    """Return what is said at a slide."""
    if slide.say:
        return spoken(slide.say)
    notebook = nbformat.read(file_of(slide.notebook), as_version=4)
    cells = {cell.id: cell.source for cell in notebook.cells}
    return spoken(cells[notes_of(slide)])


def timetable(path):
    """Return a path as a Markdown table, a row a slide."""
    rows = ["| from | slide | what you do and say |", "|---|---|---|"]
    rows.append(f"| 0:00 | *{path.title}* | Say the sentence; no more. |")
    at = path.opening
    for slide in path.slides:
        typed = [s.code for s in slide.states if s.code]
        more = "".join(f"<br>Type `{code}`" for code in typed)
        rows.append(
            f"| {_clock(at)} | {_where(slide)} | {notes(slide)}{more} |"
        )
        at += slide.minutes
    rows.append(f"| {_clock(at)} | | Questions; the rest is slack. |")
    return "\n".join(rows)


def _clock(minutes):
    return f"{int(minutes)}:{round(minutes % 1 * 60):02}"


def _where(slide):
    if slide.poll:
        return f"**Vote** on “{screens.question(slide.poll).text}”"
    if slide.text:
        return "**" + slide.text.splitlines()[0].lstrip("# ") + "**"
    file = file_of(slide.notebook)
    notebook = nbformat.read(file, as_version=4)
    heading = heading_of(slide, notebook)
    live = ", **live**" if slide.explorer else ""
    return f"[{slide.notebook}](notebooks/{file.name}) · {heading}{live}"


def filled(text):
    """Return the page's text with every timetable made anew."""
    made = paths()
    return _PLACE.sub(
        lambda found: f"{found[1]}{timetable(made[found[2]])}\n{found[3]}",
        text,
    )


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print("wrote", PAGE)
