"""The lecture's paths: which cells make which slide, for how long.

lecture/paths.toml names them; the notebooks hold the slides and, in cells
of the slide type "notes", what the lecturer says.
"""

import copy
import re
import tomllib
from dataclasses import dataclass

import nbformat

from publish import screens
from publish.tree import ROOT, notebooks

SOURCE = ROOT / "lecture" / "paths.toml"
FOLD = re.compile(r"</?details>|<summary>.*?</summary>", re.S)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)]*\)")


@dataclass(frozen=True)
class State:
    """A setting of an explorer: its code, and what to see there.

    `parts` are the pictures to show, from 0, of those that stand one below
    the other; () shows all. `wide` cuts them off, see `screens.picture`.
    """

    code: str
    see: str
    parts: tuple[int, ...] = ()
    wide: int = 0


@dataclass(frozen=True)
class Slide:
    """One stop of a path: cells of a notebook, an explorer, or a vote.

    Parameters
    ----------
    minutes : float
    notebook : str
        Its number, "03".
    cells : tuple of str
        Ids of the cells, in the order of the slide.
    code : bool
        Whether the code is shown, or its output alone.
    at_once : bool
        Whether all shows at once, and outputs do not wait for a key.
    explorer : str
        The explorer that is live here, such as "03_budget", or "".
    states : tuple of State
        What to type into it; a slide shows the picture of each.
    poll : str
        A question for the room, such as "pre-test 5", or "".
    text : str
        A slide of the lecture's own, in Markdown, or "".
    say : str
        The notes, where no cell of the notebook holds them.
    """

    minutes: float
    notebook: str = ""
    cells: tuple[str, ...] = ()
    code: bool = False
    at_once: bool = False
    explorer: str = ""
    states: tuple[State, ...] = ()
    poll: str = ""
    text: str = ""
    say: str = ""


@dataclass(frozen=True)
class Path:
    """A path: its title, a line below it, minutes for it, and slides."""

    name: str
    title: str
    line: str
    opening: float
    slides: tuple[Slide, ...]

    @property
    def minutes(self):
        """Minutes of all slides together, the title's too."""
        return self.opening + sum(slide.minutes for slide in self.slides)

    @property
    def notebooks(self):
        """Numbers of the notebooks that slides are taken from."""
        return tuple(dict.fromkeys(s.notebook for s in self.slides if s.cells))


def paths(source=SOURCE):
    """Return the paths, name -> Path."""
    raw = tomllib.loads(source.read_text(encoding="utf-8"))
    return {name: _path(name, **parts) for name, parts in raw.items()}


def _path(name, title, line, opening, slides):
    made = []
    for slide in slides:
        cells = tuple(slide.pop("cells", ()))
        states = tuple(
            State(**{**s, "parts": tuple(s.get("parts", ()))})
            for s in slide.pop("states", ())
        )
        made.append(Slide(cells=cells, states=states, **slide))
    return Path(name, title, line, opening, tuple(made))


def file_of(number, root=ROOT):
    """Return the notebook that has this number."""
    return next(p for p in notebooks(root) if p.name.startswith(number + "_"))


def notes_of(slide):
    """Return the id of the cell with the notes of a slide."""
    return f"{slide.cells[0]}-notes"


def heading_of(slide, notebook):
    """Return the heading that a slide stands under."""
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            found = re.findall(r"^#+ +(.+)$", cell.source, re.M)
            heading = found[-1] if found else heading
        if cell.id == slide.cells[0]:
            return heading
    raise KeyError(f"notebook {slide.notebook} has no {slide.cells[0]!r}")


def notebook_of(path, done):
    """Return the path as one notebook, its slides in order.

    Parameters
    ----------
    path : Path
    done : dict
        The number of a notebook -> the notebook, run.
    """
    made = [_prose(f"# {path.title}\n\n{path.line}", "slide")]
    before = None
    for slide in path.slides:
        notes = slide.say
        if slide.cells:
            notebook = done[slide.notebook]
            notes = notes or _cell(notebook, notes_of(slide)).source
            heading = heading_of(slide, notebook)
        notes = f"**{slide.minutes:g} min.** {spoken(notes)}"
        if slide.poll:
            made.append(_prose(screens.poll_text(slide.poll), "slide"))
            made.append(_prose(screens.answer_text(slide.poll), "fragment"))
        elif slide.text:
            made.append(_prose(slide.text, "slide"))
        elif slide.states:
            made += _pictures(slide, heading, notes)
            notes = ""
        else:
            made += _cells(slide, notebook, _again(heading, before))
        before = heading if slide.cells else None
        if notes:
            made.append(_prose(notes, "notes"))
    for number, cell in enumerate(made):
        cell.id = f"slide-cell-{number}"
    return nbformat.v4.new_notebook(
        cells=made, metadata=done[path.notebooks[0]].metadata
    )


def _cell(notebook, name):
    return next(cell for cell in notebook.cells if cell.id == name)


def _prose(source, kind):
    return nbformat.v4.new_markdown_cell(
        source, metadata={"slideshow": {"slide_type": kind}}
    )


def _cells(slide, notebook, heading):
    """Return copies of a slide's cells, tagged for the deck."""
    made = []
    for name in slide.cells:
        cell = copy.deepcopy(_cell(notebook, name))
        waits = cell.metadata.slideshow.slide_type == "fragment"
        kind = "fragment" if waits and not slide.at_once else "-"
        cell.metadata = {
            "slideshow": {"slide_type": kind if made else "slide"}
        }
        if cell.cell_type == "code" and not slide.code:
            cell.metadata["tags"] = ["folded"]
        if cell.cell_type == "markdown":
            cell.source = LINK.sub(r"\1", cell.source)
            if not made and not cell.source.startswith("#"):
                cell.source = heading + cell.source
        made.append(cell)
    return made


def _pictures(slide, heading, notes):
    """Return a slide for each setting of an explorer, with its notes."""
    made = []
    for state in slide.states:
        shown = screens.picture(
            slide.explorer, state.code, state.parts, state.wide
        )
        text = f"## {heading}\n\n{state.see}\n\n{shown}"
        typed = f"Type `{state.code}`." if state.code else ""
        made.append(_prose(text, "slide"))
        made.append(_prose(f"{notes}\n\n{typed}".strip(), "notes"))
        notes = ""
    return made


def _again(heading, before):
    """Return the heading of a slide that has none of its own."""
    more = ", continued" if heading == before else ""
    return f"## {heading}{more}\n\n"


def spoken(source):
    """Return a cell's notes without the fold around them."""
    return " ".join(FOLD.sub("", source).split())
