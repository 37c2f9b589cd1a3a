"""Every notebook: the file, the style, and a run in a fresh kernel."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests import notebook_rules as rules
from tests.test_setup_cell import setup_lines
from tests.tools import ROOT, files, words_of

NOTEBOOKS = files("notebooks/*.ipynb")
SECONDS = 20
SLIDE = {"slideshow": {"slide_type": "slide"}}

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=words_of)


def load(path):
    return nbformat.read(path, as_version=4)


def prose(source, **metadata):
    return new_markdown_cell(source, metadata={**SLIDE, **metadata})


def code(source, **metadata):
    return new_code_cell(source, metadata={**SLIDE, **metadata})


def good():
    """Return a small notebook that no rule complains about."""
    last = "\n\n".join(f"## {part}\n\nText." for part in rules.LAST)
    kernel = {"name": "python3", "display_name": "Python 3"}
    return new_notebook(
        metadata={"kernelspec": kernel, "language_info": {"name": "python"}},
        cells=[
            prose("# Title\n\n" + ", ".join(rules.FIRST) + ": 10 minutes."),
            code(setup_lines() + "from helpers import attention"),
            prose("![a map](map.svg)\n\nMove it and look at the row."),
            code("explore_it()"),
            prose("You saw the row.\n\n" + last),
        ],
    )


def saved(notebook):
    return nbformat.writes(notebook) + "\n"


# --- every rule complains about its own broken example ------------------

ALL_RULES = {
    "leftovers": rules.leftover_complaints,
    "frame": rules.frame_complaints,
    "setup": lambda notebook: rules.setup_complaints(notebook, setup_lines()),
    "sizes": rules.size_complaints,
    "words": rules.word_complaints,
    "slides": rules.slide_complaints,
    "explorers": rules.explorer_complaints,
    "values": rules.widget_value_complaints,
}


def test_a_good_notebook_passes_every_rule():
    assert not rules.format_complaints(saved(good()))
    for rule in ALL_RULES.values():
        assert not rule(good())


BREAKS = [
    ("leftovers", lambda n: n.cells[1].update(execution_count=3)),
    (
        "leftovers",
        lambda n: n.cells[1].update(
            outputs=[nbformat.v4.new_output("stream", text="hello")]
        ),
    ),
    ("leftovers", lambda n: n.metadata.update(widgets={})),
    ("leftovers", lambda n: n.metadata.update(colab={})),
    ("leftovers", lambda n: n.metadata.language_info.update(version="3.1")),
    ("leftovers", lambda n: n.metadata.kernelspec.update(name="conda-env")),
    ("leftovers", lambda n: n.cells[1].metadata.update(vscode={})),
    (
        "leftovers",
        lambda n: n.cells[1].metadata.update(jupyter={"outputs_hidden": True}),
    ),
    ("leftovers", lambda n: n.cells[0].update(attachments={"a.png": {}})),
    ("frame", lambda n: n.cells.pop(0)),
    ("frame", lambda n: n.cells[0].update(source="# Title\n\n10 minutes")),
    (
        "frame",
        lambda n: n.cells[0].update(
            source=n.cells[0].source.replace("10 minutes", "soon")
        ),
    ),
    ("frame", lambda n: n.cells.pop()),
    ("frame", lambda n: n.cells.append(prose("## One more\n\nText."))),
    ("setup", lambda n: n.cells.pop(1)),
    ("setup", lambda n: n.cells[1].update(source="import numpy as np")),
    (
        "setup",
        lambda n: n.cells[1].update(source=setup_lines() + "x = 1"),
    ),
    ("sizes", lambda n: n.cells[3].update(source="x = 1\n" * 13)),
    ("sizes", lambda n: n.cells[3].update(source="x = '" + "x" * 79)),
    ("sizes", lambda n: n.cells[3].update(source=" \n")),
    ("sizes", lambda n: n.cells[2].update(source="word " * 91)),
    (
        "sizes",
        lambda n: n.cells.extend([prose("Look."), code("x = 1")] * 40),
    ),
    ("sizes", lambda n: n.cells.insert(4, code("x = 1"))),
    ("words", lambda n: n.cells[2].update(source="Simply move it.")),
    ("words", lambda n: n.cells[2].update(source="It is, of course, so.")),
    ("slides", lambda n: n.cells[2].metadata.pop("slideshow")),
    (
        "slides",
        lambda n: n.cells[0].metadata.slideshow.update(slide_type="notes"),
    ),
    ("explorers", lambda n: n.cells[2].update(source="Move it.")),
    ("explorers", lambda n: n.cells[2].update(source="![](map.svg)")),
    ("explorers", lambda n: n.cells[2].update(source="<img src='a.svg'>")),
    (
        "explorers",
        lambda n: n.cells[2].update(source="**Predict** it. ![A](map.svg)"),
    ),
    ("explorers", lambda n: n.cells.pop(4)),
    ("explorers", lambda n: n.cells.insert(4, code("x = 1"))),
    ("values", lambda n: n.cells[3].update(source="print(slider.value)")),
]


@pytest.mark.parametrize(("rule", "damage"), BREAKS)
def test_a_broken_notebook_is_seen(rule, damage):
    notebook = good()
    damage(notebook)
    assert ALL_RULES[rule](notebook)


def test_a_broken_file_is_seen():
    text = saved(good())

    def damaged(change):
        raw = json.loads(text)
        change(raw)
        layout = {"indent": 1, "sort_keys": True, "ensure_ascii": False}
        return json.dumps(raw, **layout) + "\n"

    assert damaged(lambda raw: None) == text
    for bad in (
        damaged(lambda raw: raw.update(nbformat_minor=4)),
        damaged(lambda raw: raw["cells"][0].pop("id")),
        damaged(lambda raw: raw["cells"][0].update(id=raw["cells"][1]["id"])),
        damaged(lambda raw: raw["cells"][1].pop("outputs")),
        text + "\n",
        text.replace("\n ", "\n    "),
    ):
        assert bad != text and rules.format_complaints(bad)


def test_words_are_counted_without_code_tables_and_pictures():
    text = (
        "Two *words* [and a link](https://a.b/c)\n\n| a | table |\n\n"
        "![alt text](x.svg) <img alt='not this'> `code here` $x + y$\n\n"
        "```python\nnot = this\n```\n"
    )
    assert rules.words_in(text) == 5


# --- the runner sees what a reader would --------------------------------


def test_hidden_errors_are_found(tmp_path):
    trouble = new_notebook(
        cells=[
            code("1 / 0"),
            code("import sys\nprint('careful', file=sys.stderr)"),
            code(
                "import ipywidgets as w\n"
                "def f(x):\n    raise ValueError('hidden')\n"
                "w.interact(f, x=3)"
            ),
            code("from matplotlib.figure import Figure\nFigure()"),
            code("print('fine')"),
        ]
    )
    found = rules.run_complaints(rules.executed(trouble, tmp_path))
    assert len(found) == 4, found
    assert "ZeroDivisionError" in found[0]
    assert "careful" in found[1]
    assert "not drawn" in found[2]
    assert "Output widget" in found[3] and "hidden" in found[3]


def test_a_slow_notebook_is_measured(tmp_path):
    work = "import time\nend = time.process_time() + 1.5\n"
    slow = new_notebook(
        cells=[code(work + "while time.process_time() < end: pass")]
    )
    seconds = stopwatch()
    rules.executed(slow, tmp_path)
    assert seconds() > 1.5


def test_a_cell_that_works_once_only_is_found(tmp_path):
    once = new_notebook(
        cells=[code("x = [1, 2]"), code("del x"), code("print('on')")]
    )
    assert not rules.run_complaints(rules.executed(once, tmp_path))
    twice = rules.executed(rules.every_cell_twice(once), tmp_path)
    assert "NameError" in rules.run_complaints(twice)[0]


def test_the_strip_command_leaves_a_clean_notebook(tmp_path):
    """What CONTRIBUTING.md says to run undoes what JupyterLab writes."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    line = re.search(r"\.venv/bin/nbstripout (.+) notebooks/\*", page)[1]
    notebook = good()
    notebook.cells[3].source = "1 + 1"
    notebook = rules.executed(notebook, ROOT / "notebooks")
    notebook.cells[1].metadata.update(editable=True, scrolled=True)
    notebook.metadata.language_info.update(version="3.12.1")
    assert len(rules.leftover_complaints(notebook)) > 4
    file = tmp_path / "saved.ipynb"
    file.write_text(saved(notebook), encoding="utf-8")
    command = [sys.executable, "-m", "nbstripout", *shlex.split(line)]
    subprocess.run([*command, str(file)], check=True)
    assert not rules.leftover_complaints(load(file))
    assert not rules.format_complaints(file.read_text(encoding="utf-8"))


# --- the real notebooks -------------------------------------------------


def test_the_first_two_notebooks_are_there():
    names = {path.name for path in NOTEBOOKS}
    assert {"00_start_here.ipynb", "04_build_multi_head.ipynb"} <= names


@each
def test_the_file_is_clean(path):
    found = rules.format_complaints(path.read_text(encoding="utf-8"))
    assert not found, "\n".join(found)


@each
@pytest.mark.parametrize("rule", ALL_RULES)
def test_the_notebook_keeps_to(rule, path):
    if path.name == "solutions.ipynb" and rule == "frame":
        return  # the solutions have no closing sections
    found = ALL_RULES[rule](load(path))
    assert not found, "\n".join(found)


@pytest.fixture
def collection(tmp_path):
    """Return a copy of helpers/ and notebooks/, free to write into."""
    ignore = shutil.ignore_patterns("__pycache__", ".*")
    for name in ("helpers", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    (tmp_path / "notebooks" / "mine").mkdir()
    return tmp_path


def stopwatch():
    """Return a function: the seconds since now that kernels have taken.

    Processor time of the kernels that have ended, where it can be had and
    is less than the wall clock's: other programs may keep a machine busy.
    """

    def used():
        if os.name == "nt":
            return time.monotonic()
        return sum(os.times()[2:4])

    wall, processor = time.monotonic(), used()
    return lambda: min(time.monotonic() - wall, used() - processor)


@each
@pytest.mark.parametrize("below", ["notebooks", "notebooks/mine"])
def test_run_all_in_a_fresh_kernel(path, below, collection):
    seconds = stopwatch()
    done = rules.executed(load(path), collection / below)
    found = rules.run_complaints(done)
    assert not found, "\n".join(found)
    assert seconds() < SECONDS


@each
def test_every_cell_runs_twice(path, collection):
    notebook = rules.every_cell_twice(load(path))
    done = rules.executed(notebook, collection / "notebooks")
    found = rules.run_complaints(done)
    assert not found, "\n".join(found)


@each
def test_the_setup_cell_works_in_the_root_too(path, collection):
    """What a later cell reads from its folder would fail in mine/ already."""
    notebook = load(path)
    notebook.cells = rules.code_cells(notebook)[:1]
    found = rules.run_complaints(rules.executed(notebook, collection))
    assert not found, "\n".join(found)


@each
def test_elsewhere_the_setup_cell_says_what_is_missing(path, tmp_path):
    notebook = load(path)
    setup = rules.code_cells(notebook)[0]
    notebook.cells = [setup]
    (fault,) = rules.run_complaints(rules.executed(notebook, tmp_path))
    assert "helpers/ is missing: download the whole collection" in fault
