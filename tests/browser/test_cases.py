"""Acceptance cases of the browser: filmed, slowed down, failing, reopened."""

import json
import time

import nbformat
import pytest

from tests.tools import notebook_of

FILMED = (  # at this width; the others' heights are held in test_stress.py
    ("01_average.svg", 1400),
    ("02_scaling.svg", 1400),
    ("03_budget.svg", 1400),
    ("03_training.svg", 1400),
    ("04_main_explorer.svg", 1400),
    ("04_main_explorer.svg", 1280),
    ("04_main_explorer.svg", 1000),
    ("05_ledger.svg", 1000),
    ("07_grouped_heads.svg", 1280),
)
MAKE = """from helpers.stills import EXPLORERS
explorer = EXPLORERS[{name!r}]()
explorer"""
SLOW = """import time
from helpers.explorers.multi_head import explore_multi_head
explorer, computed = explore_multi_head(), []
compute = explorer.compute
def slow(state):
    computed.append((time.time(), state.sizes.h, state.ledger_N))
    time.sleep(0.2)
    return compute(state)
explorer.compute = slow
explorer"""
GREY = '.why-explorer [aria-disabled="true"]'
FAILS = """from helpers.explorers.multi_head import explore_multi_head
explorer = explore_multi_head()
compute = explorer.compute
explorer.compute = lambda s: compute(s) if s.sizes.h == 8 else 1 / 0
explorer"""
FILM = """explorer => {
    const area = explorer.closest('.jp-Cell-outputArea');
    window.film = {frames: [], runs: true};
    const frame = () => {
        const shown = [...area.querySelectorAll('.why-explorer [role=img]')]
            .filter(picture => picture.checkVisibility());
        window.film.frames.push({
            explorers: area.querySelectorAll('.why-explorer').length,
            pictures: shown.length,
            empty: shown.filter(p => p.getBoundingClientRect().height < 5)
                .length,
            cut: [...area.querySelectorAll('.why-explorer .widget-html')]
                .filter(one => one.scrollWidth > one.clientWidth).length,
            height: Math.round(area.getBoundingClientRect().height)});
        if (window.film.runs) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""
CUT = "() => { window.film.runs = false; return window.film.frames; }"


@pytest.fixture
def opened(lab, open_notebook):
    """Return a function: cells to a page in which they have run."""

    def run(*cells):
        nbformat.write(notebook_of(*cells), lab.root / "case.ipynb")
        notebook = open_notebook("case.ipynb")
        notebook.run_all()
        return notebook

    return run


def settle(notebook):
    """Wait until the kernel has answered, and a frame was drawn."""
    notebook.page.wait_for_timeout(300)
    notebook.page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()
    notebook.page.wait_for_timeout(100)


def answer_of(notebook, number):
    """Run the cell of this number, and return what it prints."""
    cell = notebook.panel.locator(".jp-CodeCell").nth(number)
    cell.locator(".jp-InputArea-editor").click()
    notebook.page.keyboard.press("Control+Enter")
    settle(notebook)
    return cell.locator(".jp-OutputArea-output").inner_text().strip()


@pytest.mark.parametrize(("name", "width"), FILMED)
def test_d01_d02_each_frame_has_one_picture_and_one_height(
    opened, name, width
):
    notebook = opened(MAKE.format(name=name))
    notebook.page.set_viewport_size({"width": width, "height": 1700})
    box = notebook.panel.locator(".why-explorer")
    box.locator("[role=img]").first.wait_for()
    settle(notebook)
    box.evaluate(FILM)
    for grip in box.locator("[role=slider]:not([disabled] *)").all():
        if grip.is_visible():
            grip.focus()
            for key in ("Home", *("ArrowRight",) * 3, "End"):
                notebook.page.keyboard.press(key)
                notebook.page.wait_for_timeout(60)
    settle(notebook)
    frames = notebook.page.evaluate(CUT)
    assert len(frames) > 1
    assert {frame["explorers"] for frame in frames} == {1}
    assert len({frame["pictures"] for frame in frames}) == 1
    assert {frame["empty"] for frame in frames} == {0}
    if width > 1100:  # in a narrower one maps and tables scroll
        assert {frame["cut"] for frame in frames} == {0}
    heights = {frame["height"] for frame in frames}
    assert max(heights) - min(heights) <= 2, heights


def test_d06_a_slow_answer_plays_nothing_back(opened):
    notebook = opened(SLOW, "import json\nprint(json.dumps(computed))")
    before = len(json.loads(answer_of(notebook, 1)))
    slider = notebook.slider("ledger N")
    slider.box.scroll_into_view_if_needed()
    track = slider.box.locator(".noUi-target").bounding_box()
    grip = slider.handle.bounding_box()
    mouse, y = notebook.page.mouse, grip["y"] + grip["height"] / 2
    mouse.move(grip["x"] + grip["width"] / 2, y)
    pressed = time.time()
    mouse.down()
    for step in range(50):
        mouse.move(track["x"] + track["width"] * (step % 25) / 24, y)
    mouse.move(track["x"] + track["width"] * 0.4, y)
    mouse.up()
    released = time.time()
    last = int(slider.shown.replace(",", ""))
    for _ in range(20):  # it may have shown the last place on the way, too
        done = json.loads(answer_of(notebook, 1))[before:]
        if done[-1][1:] == [8, last]:
            break
    assert done[-1][1:] == [8, last]
    notebook.wait_for_text(f"in matrix products at N = {last:,}:")
    assert 0 < len(done) <= (released - pressed) / 0.2 + 2
    assert sum(start > released for start, *_ in done) <= 2
    assert json.loads(answer_of(notebook, 1))[before:] == done


def test_d12_a_callback_that_fails_says_so_beside_the_control(opened):
    notebook = opened(FAILS)
    notebook.slider("heads h").press("ArrowLeft")
    said = notebook.panel.locator(
        ".why-explorer [role=status]", has_text="own"
    )
    said.wait_for()
    assert "own code failed (ZeroDivisionError" in said.inner_text()
    assert notebook.panel.locator(GREY).count() > 0
    notebook.slider("heads h").press("ArrowRight")
    said.wait_for(state="detached")
    for grey in notebook.panel.locator(GREY).all():
        grey.wait_for(state="detached")


def test_d15_a_notebook_opened_again_has_pictures_and_says_what_to_do(
    lab, open_notebook
):
    path = "notebooks/07_grouped_query_attention.ipynb"
    notebook = open_notebook(path)
    notebook.run_all(120)
    notebook.page.keyboard.press("Control+s")
    notebook.page.locator(".jp-mod-dirty").wait_for(state="detached")
    notebook.page.close()
    lab.end_kernels()
    again = open_notebook(path)
    gone = again.panel.locator(
        ".jp-CodeCell", has_text="explore_grouped()"
    ).filter(has_text="model not found")
    gone.wait_for()
    still = gone.locator("xpath=preceding-sibling::*[1]").locator("img")
    still.scroll_into_view_if_needed()
    assert still.evaluate("picture => picture.naturalWidth") > 0
    for page in ("notebooks/00_start_here.ipynb", "KEEPING_YOUR_WORK.md"):
        text = (lab.root / page).read_text(encoding="utf-8").lower()
        assert "model not found" in text, page
