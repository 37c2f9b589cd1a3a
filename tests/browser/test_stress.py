"""Every explorer, used at random as nobody would: it holds.

In CI some moves an explorer; the whole by

    python -m tests.browser.test_stress --minutes 60

Fast dragging, typing, codes at random, corner values, two copies, a cell
run again and again, a kernel started anew. After each round: one height at
one setting, the picture that belongs to the last value, bounded widgets
and memory, nothing in the console, no exception in an output or hidden.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from helpers.stills import EXPLORERS
from tests.tools import ROOT

MOVES = int(os.environ.get("STRESS_MOVES", 6))  # an explorer; CI's share
SEED = int(os.environ.get("STRESS_SEED", 0))
ONE_OF_EACH_KIND = [
    name
    for name in EXPLORERS
    if "study" not in name or name == "03_study_heads.svg"
]
MAKE = """import sys
from helpers.stills import EXPLORERS
explorer = EXPLORERS[{name!r}]()
explorer"""
ASK = """import gc, json, resource
import ipywidgets
from ipywidgets.widgets.widget import _instances
gc.collect()
with open("/proc/self/statm") as sizes:
    pages = int(sizes.read().split()[1])
print("ASKED " + json.dumps(dict(
    widgets=len(_instances), mb=pages * resource.getpagesize() / 2**20,
    code=explorer.code if explorer.dials else "",
    said=explorer.message.text,
    shown=[s.widget.value for s in explorer.stages])))"""
FIELD = ".widget-text input[type=text]"
TEXTS = (
    "set 1-1-1",
    "set 0",
    "set 99-99-99",
    'set 1 "<b>"',
    "<img src=x>",
    "",
)
HEIGHT = "area => Math.round(area.getBoundingClientRect().height)"


def notebook_of(name):
    """Return a notebook: a cell that makes an explorer, one that asks."""
    return new_notebook(
        cells=[new_code_cell(MAKE.format(name=name)), new_code_cell(ASK)],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3"}
        },
    )


class Stressed:
    """An explorer in a page, and a random reader with a seed."""

    def __init__(self, notebook, seed):
        self.notebook, self.page = notebook, notebook.page
        self.chance = random.Random(seed)
        cell = notebook.panel.locator(".jp-CodeCell").first
        self.area = cell.locator(".jp-Cell-outputArea")
        self.box = self.area.locator(".why-explorer").first
        self.box.wait_for()

    def settle(self):
        """Wait until the kernel is idle and a frame was drawn."""
        self.page.wait_for_timeout(150)
        self.page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()
        self.page.wait_for_timeout(50)

    def run(self, cell):
        """Run one cell by Shift and Enter."""
        at = self.notebook.panel.locator(".jp-CodeCell").nth(cell)
        at.locator(".jp-InputArea-editor").click()
        self.page.keyboard.press("Control+Enter")
        self.settle()

    def ask(self):
        """Return what the kernel holds: widgets, memory, code, pictures."""
        asked = self.notebook.panel.locator(".jp-CodeCell").nth(1)
        self.run(1)
        line = asked.locator(
            ".jp-OutputArea-output", has_text="ASKED"
        ).last.inner_text()
        return json.loads(line.partition("ASKED ")[2])

    def shown(self, selector):
        """Return what is seen and not disabled, as locators."""
        found = self.box.locator(selector)
        return [one for one in found.all() if one.is_visible()]

    def drag(self):
        """Take a handle, run along the track and back, let go anywhere."""
        grips = self.shown("[role=slider]:not([disabled] *)")
        if not grips:
            return
        grip = self.chance.choice(grips)
        grip.scroll_into_view_if_needed()
        at = grip.bounding_box()
        track = grip.locator(
            "xpath=ancestor::*[contains(@class,'noUi-target')]"
        ).bounding_box()
        if at is None or track is None:
            return
        y = at["y"] + at["height"] / 2
        self.page.mouse.move(at["x"] + at["width"] / 2, y)
        self.page.mouse.down()
        for _ in range(20):
            x = track["x"] + track["width"] * self.chance.uniform(-0.1, 1.1)
            self.page.mouse.move(x, y)
        self.page.mouse.up()

    def corner(self):
        """Send a handle to one of its ends."""
        grips = self.shown("[role=slider]:not([disabled] *)")
        if grips:
            self.chance.choice(grips).focus()
            self.page.keyboard.press(self.chance.choice(("Home", "End")))

    def type(self):
        """Type a hostile or a plain text, letter by letter, and Enter."""
        fields = self.shown(FIELD)
        if fields:
            field = self.chance.choice(fields)
            field.fill("")
            field.press_sequentially(self.chance.choice(TEXTS))
            field.press("Enter")

    def code(self):
        """Type a code of random numbers."""
        numbers = self.chance.choices((0, 1, 2, 3, 8, 64, 512), k=6)
        fields = self.shown(FIELD)
        if fields:
            code = "-".join(map(str, numbers[: self.chance.randint(1, 6)]))
            fields[-1].fill(f"set {code}")
            fields[-1].press("Enter")

    def press(self):
        """Press a choice or tick a box; nothing that trains or downloads."""
        found = self.shown(
            ".widget-toggle-buttons button:not(:disabled),"
            " .widget-checkbox input:not(:disabled)"
        )
        if found:
            self.chance.choice(found).click()

    def move(self):
        """Do one thing at random."""
        self.chance.choice(
            (
                self.drag,
                self.drag,
                self.corner,
                self.type,
                self.code,
                self.press,
            )
        )()

    def require_sound(self):
        """Check that what is seen is what the kernel last drew."""
        self.settle()
        asked = self.ask()
        seen = self.box.locator(".widget-html-content").evaluate_all(
            "all => all.map(one => one.innerHTML)"
        )
        parsed = self.page.evaluate(
            "all => all.map(one => { const p = document.createElement('div');"
            " p.innerHTML = one; return p.innerHTML; })",
            asked["shown"],
        )
        for picture in parsed:
            assert picture in seen, "a picture of an older value"
        assert "own code failed" not in (asked["said"] or "")
        assert "own code failed" not in self.box.inner_text()
        assert self.notebook.errors() == []
        assert self.notebook.problems == []
        return asked


@pytest.fixture
def stressed(lab, open_notebook):
    """Return a function: a name and a seed to a Stressed explorer."""

    def opened(name, seed):
        nbformat.write(notebook_of(name), lab.root / "stress.ipynb")
        notebook = open_notebook("stress.ipynb")
        notebook.run_all()
        return Stressed(notebook, seed)

    return opened


@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_random_use(stressed, name):
    reader = stressed(name, SEED)
    first = reader.require_sound()
    for _ in range(MOVES):
        reader.move()
        reader.settle()
    last = reader.require_sound()
    assert last["widgets"] <= first["widgets"] + 8
    assert last["mb"] <= first["mb"] + 60


@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_the_page_does_not_jump_while_sliders_move(stressed, name):
    reader = stressed(name, SEED)
    heights = [reader.box.evaluate(HEIGHT)]
    for _ in range(10):
        reader.corner()
        reader.settle()
        heights.append(reader.box.evaluate(HEIGHT))
    assert max(heights) - min(heights) <= 2, heights


def test_a_cell_run_twenty_times_leaves_one_explorer(stressed):
    reader = stressed("04_main_explorer.svg", SEED)
    reader.run(0)
    first = reader.ask()
    for _ in range(20):
        reader.notebook.panel.locator(".jp-CodeCell").first.locator(
            ".jp-InputArea-editor"
        ).click()
        reader.page.keyboard.press("Control+Enter")
    reader.settle()
    last = reader.require_sound()
    assert reader.area.locator(".why-explorer").count() == 1
    assert last["widgets"] <= first["widgets"]
    # IPython's _, __ and ___ keep three explorers of earlier runs; no more.
    assert last["mb"] <= first["mb"] + 90


def test_a_second_copy_comes_and_goes(stressed):
    reader = stressed("10_playground.svg", SEED)
    first = reader.ask()
    # The playground keeps some 15 widgets that it does not show, and a copy's
    # stay until the kernel ends.
    for _ in range(3):
        reader.box.get_by_role("button", name="pin a second copy").click()
        reader.area.locator(".why-explorer").nth(1).wait_for()
        reader.corner()
        reader.settle()
        reader.box.get_by_role("button", name="take the copy away").click()
        reader.area.locator(".why-explorer").nth(1).wait_for(state="detached")
    last = reader.require_sound()
    assert last["widgets"] <= first["widgets"] + 16 * 3


def test_a_kernel_started_anew(stressed):
    reader = stressed("07_grouped_heads.svg", SEED)
    reader.move()
    page = reader.page
    page.locator(".lm-MenuBar-item", has_text="Kernel").click()
    page.locator(
        '.lm-Menu-item[data-command="runmenu:restart-and-run-all"],'
        '.lm-Menu-item[data-command="kernelmenu:restart-and-run-all"],'
        '.lm-Menu-item:has-text("Restart Kernel and Run All")'
    ).first.click()
    page.locator(".jp-Dialog button.jp-mod-warn").click()
    reader.box.wait_for(state="detached")
    again = Stressed(reader.notebook, SEED)
    page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]"
        ".every(p => /^\\[\\d+\\]:$/.test(p.textContent.trim()))"
    )
    again.move()
    again.require_sound()


def main(words=None):
    """Run the whole for as many minutes as are asked for, seed by seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    minutes = parser.parse_args(words).minutes
    seed, end = 1, time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        print(f"seed {seed}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", __file__],
            cwd=ROOT,
            env=os.environ | {"STRESS_MOVES": "60", "STRESS_SEED": str(seed)},
        )
        if done.returncode:
            return done.returncode
        seed += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
