"""Every explorer, used at random as nobody would: it holds.

Fast dragging, typing, codes at random, corner values, two copies, a cell
run again and again, a kernel started anew: one height at one setting, the
picture that belongs to the last value, bounded widgets and memory, nothing
in the console, no exception in an output or hidden. Here a few moves an
explorer; an hour of them by

    python -m tests.browser.long_session --minutes 60
"""

import os

import nbformat
import pytest

from tests.browser.lab import Lab
from tests.browser.long_session import EXPOSED, hold, write_notebooks
from tests.browser.stressed import HEIGHT, Stressed, notebook_with
from tests.explorers import ONE_OF_EACH_KIND

MOVES = int(os.environ.get("STRESS_MOVES", 6))  # an explorer; CI's share
SEED = int(os.environ.get("STRESS_SEED", 0))


@pytest.fixture
def stressed(lab, open_notebook):
    """Return a function: a name and a seed to a Stressed explorer."""

    def opened(name, seed):
        nbformat.write(notebook_with(name), lab.root / "stress.ipynb")
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
    for _ in range(3):
        reader.box.get_by_role("button", name="pin a second copy").click()
        reader.area.locator(".why-explorer").nth(1).wait_for()
        reader.corner()
        reader.settle()
        reader.box.get_by_role("button", name="take the copy away").click()
        reader.area.locator(".why-explorer").nth(1).wait_for(state="detached")
    last = reader.require_sound()
    assert last["widgets"] <= first["widgets"]


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


def test_a_session_of_many_tabs(chromium, tmp_path):
    names = ONE_OF_EACH_KIND[1:3]
    server = Lab(tmp_path, EXPOSED)
    write_notebooks(server, names)
    context = chromium.new_context(viewport={"width": 1400, "height": 1700})
    try:
        server.wait_until_ready()
        session = hold(server, context.new_page(), 0, 2, str(SEED), names)
    finally:
        context.close()
        server.stop()
    assert session.found == []
    assert {row["widgets"] for row in session.rows} == {
        sum(one.first["widgets"] for one in session.readers)
    }


def test_no_label_is_cut_in_a_narrow_window(stressed):
    reader = stressed("04_main_explorer.svg", SEED)
    reader.page.set_viewport_size({"width": 700, "height": 1700})
    reader.settle()
    wide = reader.box.locator(".widget-label").evaluate_all(
        "all => all.map(one => [one.innerText, one.scrollWidth,"
        " one.clientWidth]).filter(([_, wants, has]) => wants > has)"
    )
    assert wide == []
