"""The solutions: a section a notebook, and each check says yes."""

import re

import nbformat
import pytest

from tests import notebook_rules as rules
from tests.stub_folds import is_stub
from tests.tools import ROOT, files

FOLDER = ROOT / "notebooks"
LESSONS = files("notebooks/[01]*.ipynb")
VERDICT = re.compile(r"(Yes|No|Not yet)\. ")


def load(path):
    return nbformat.read(path, as_version=4)


def checks_in(cells):
    """Return the names of the checks that some cells call."""
    code = "\n".join(cell.source for cell in cells)
    return set(re.findall(r"\b(check_\w+)\(", code))


@pytest.fixture(scope="module")
def solved():
    return rules.executed(load(FOLDER / "solutions.ipynb"), FOLDER)


def shown(cell):
    """Return each text that a cell has put out."""
    for output in cell.outputs:
        yield output.get("text") or output["data"].get("text/plain", "")


def test_every_check_says_yes(solved):
    verdicts = [
        text
        for cell in rules.code_cells(solved)
        for text in shown(cell)
        if VERDICT.match(text)
    ]
    assert len(verdicts) >= 20
    assert not [text for text in verdicts if not text.startswith("Yes.")]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_exercise_is_solved(path, solved):
    asked = checks_in(c for c in rules.code_cells(load(path)) if is_stub(c))
    assert asked <= checks_in(rules.code_cells(solved))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_notebook_with_an_exercise_has_a_section(path, solved):
    if any(map(is_stub, rules.code_cells(load(path)))):
        sections = rules.headings(solved)
        assert any(s.startswith(path.stem[:2] + " · ") for s in sections)


def test_sections_stand_in_the_order_of_the_course(solved):
    numbers = [section[:2] for section in rules.headings(solved)]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_holds_no_answer(path):
    """A stub's body is "..." alone, or a question the reader works on."""
    for cell in filter(is_stub, rules.code_cells(load(path))):
        for body in re.findall(r"def my_\w+\(.*?\):\n(.*?)\n\n", cell.source):
            assert body.strip().startswith("...")


def test_each_section_runs_after_the_first_cell_alone(tmp_path):
    notebook = load(FOLDER / "solutions.ipynb")
    cells = notebook.cells
    starts = [
        place
        for place, cell in enumerate(cells)
        if cell.source.startswith("## ")
    ]
    first = {}
    for place in starts:
        first.setdefault(cells[place].source[3:5], place)
    setup = rules.code_cells(notebook)[:1]
    ends = [*list(first.values())[1:], len(cells)]
    for (number, start), end in zip(first.items(), ends, strict=True):
        notebook.cells = [*setup, *cells[start:end]]
        done = rules.executed(notebook, FOLDER)
        assert not rules.run_complaints(done), number
