"""Notebook 04 and its main explorer, used as a reader uses them."""

import re

import pytest

from helpers.bugs import BUGS

NOTEBOOK = "notebooks/04_build_multi_head.ipynb"
N = 9  # tokens of the sentence, and the ledger's first N


PARTS = (
    ".widget-slider, .widget-text, .widget-checkbox, .widget-toggle-buttons,"
    " .widget-button:not(.widget-toggle-buttons *)"
)
NAME = "part => part.innerText.trim().split('\\n')[0]"
CONTROLS = f"""area => [...area.querySelectorAll('{PARTS}')].filter(
    part => part.checkVisibility({{visibilityProperty: true}})
).map({NAME})"""
FOCUSED = f"""() => {{
    const part = document.activeElement.closest(
        '{PARTS}, .widget-html');
    return part && ({NAME})(part);
}}"""


def flops(d_model):
    """Return the ledger's line for h heads of width d_model / h."""
    return f"{8 * N * d_model**2 + 4 * N**2 * d_model:,} FLOPs"


def maps(h, d_model):
    return f"Attention maps: h = {h}, d_model = {d_model},"


@pytest.fixture
def explorer(run_notebook):
    """Return the notebook, run to its end, as a page."""
    return run_notebook(NOTEBOOK, maps(8, 512))


def wait_for(explorer, h, d_model):
    """Wait until maps, FLOPs and softmax work are those of h and d_model."""
    explorer.picture(maps(h, d_model)).wait_for()
    explorer.wait_for_text(flops(d_model))
    explorer.wait_for_text(f"{h * N * N:,} exponentials (h = 1: {N * N})")
    assert explorer.picture("Attention maps:").count() == 1


def drawn(explorer):
    """Return how many maps, and which picture, the reader sees."""
    picture = explorer.picture("Attention maps:")
    return picture.inner_html()


def test_run_all_shows_the_default(explorer):
    wait_for(explorer, h=8, d_model=512)
    explorer.wait_for_text("✓ counted = formula")
    explorer.screenshot("04_run_all", explorer.cell_of("heads h"))


def test_the_mouse_moves_heads_and_width(explorer):
    before = drawn(explorer)
    explorer.slider("heads h").drag_to("4")
    wait_for(explorer, h=4, d_model=512)
    four = drawn(explorer)
    explorer.slider("width d_model").drag_to("64")
    wait_for(explorer, h=4, d_model=64)
    assert len({before, four}) == 2
    explorer.slider("heads h").drag_to("1")
    wait_for(explorer, h=1, d_model=64)
    explorer.screenshot("04_one_head", explorer.cell_of("heads h"))


def test_the_keyboard_moves_heads_and_width(explorer):
    heads, width = explorer.slider("heads h"), explorer.slider("width d_model")
    heads.press("ArrowLeft")
    wait_for(explorer, h=4, d_model=512)
    heads.press("ArrowUp", times=2)
    wait_for(explorer, h=16, d_model=512)
    width.press("Home")
    wait_for(explorer, h=8, d_model=8)
    explorer.wait_for_text("heads h moved from 16 to 8")
    width.press("ArrowRight")
    wait_for(explorer, h=16, d_model=16)
    explorer.wait_for_text("heads h is back at your own choice, 16")
    width.press("End")
    wait_for(explorer, h=16, d_model=1024)


def test_the_explorer_does_not_jump(explorer):
    places = set()
    for key, h in (("ArrowLeft", 4), ("Home", 1), ("End", 512), ("Home", 16)):
        explorer.slider("heads h").press(key)
        explorer.slider("heads h").press_until("ArrowRight", str(h))
        wait_for(explorer, h, d_model=512)
        below = explorer.slider("ledger N").box.bounding_box()
        above = explorer.slider("heads h").box.bounding_box()
        places.add(round(below["y"] - above["y"]))
    assert len(places) == 1, places


@pytest.mark.parametrize("width", [1000, 1280, 1400])
def test_no_bug_moves_what_stands_below(open_explorer, width):
    notebook = open_explorer("multi_head", "JupyterLab Light", maps(8, 512))
    notebook.page.set_viewport_size({"width": width, "height": 1700})
    below = notebook.panel.get_by_role("button", name="pin a second copy")
    above = notebook.slider("heads h").box
    buttons = notebook.panel.locator(".widget-toggle-buttons").filter(
        has_text="wrong merge"
    )
    places = {}
    for button in buttons.get_by_role("button").all():
        button.click()
        wanted = "No bug is on" if not places else "Noticed by"
        notebook.wait_for_text(wanted)
        top = above.bounding_box()["y"]
        places[button.inner_text()] = round(below.bounding_box()["y"] - top)
    assert len(places) == 1 + len(BUGS)
    assert max(places.values()) - min(places.values()) <= 2, places


def test_one_cell_is_said_in_words(explorer):
    explorer.slider("query").press("Home")
    explorer.slider("key").press("Home")
    explorer.wait_for_text("The → The")
    explorer.slider("query").press("ArrowRight", times=2)
    explorer.wait_for_text("head 1: ate → The")


def test_kind_mask_and_bug_answer(explorer):
    first = drawn(explorer)
    explorer.toggle("heads are", "random (control)")
    explorer.picture(maps(8, 512) + " d_k = 64; random (control)").wait_for()
    explorer.checkbox("causal mask").check()
    explorer.picture(
        maps(8, 512) + " d_k = 64; random (control) heads, causal"
    ).wait_for()
    explorer.toggle("bug", "softmax over queries")
    explorer.wait_for_text("Noticed by")
    assert drawn(explorer) != first


def test_space_works_the_buttons(explorer):
    box = explorer.checkbox("causal mask")
    box.focus()
    explorer.page.keyboard.press("Space")
    explorer.picture(
        maps(8, 512) + " d_k = 64; hand-built heads, causal"
    ).wait_for()


def test_tab_reaches_every_control(explorer):
    explorer.slider("heads h").handle.focus()
    reached = []
    for _ in range(60):
        name = explorer.page.evaluate(FOCUSED)
        if name is None:
            break
        reached.append(name)
        explorer.page.keyboard.press("Tab")
    shown = explorer.cell_of("heads h").evaluate(CONTROLS)
    assert len(shown) > 10 and "" not in shown
    assert set(reached) >= set(shown), set(shown) - set(reached)


def test_a_hostile_sentence_stays_text(explorer):
    hostile = "<img src=x onerror=alert(1)> <b>bold</b> $x$"
    explorer.page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    field = explorer.panel.locator(".widget-text input").first
    field.fill(hostile)
    field.press("Enter")
    explorer.picture("Attention maps:").and_(
        explorer.page.locator('[aria-label*="onerror"]')
    ).wait_for()
    assert explorer.panel.locator('img[src="x"]').count() == 0


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_both_themes_have_their_screenshot(open_notebook, theme):
    notebook = open_notebook(NOTEBOOK, theme=f"JupyterLab {theme}")
    notebook.run_all()
    notebook.picture(maps(8, 512)).wait_for()
    cell = notebook.cell_of("heads h")
    notebook.screenshot(f"04_{theme.lower()}", cell)
    assert notebook.problems == []


def luminance(colour):
    """Return WCAG's relative luminance of a colour such as rgb(9, 9, 9)."""
    parts = [int(n) / 255 for n in re.findall(r"\d+", colour)[:3]]
    return sum(
        share * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
        for share, c in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
    )


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_what_is_chosen_is_marked_not_only_by_a_shade(open_explorer, theme):
    notebook = open_explorer("multi_head", f"JupyterLab {theme}", maps(8, 512))
    notebook.toggle("bug", "√d_model")
    notebook.wait_for_text("Bug on:")
    pressed = notebook.panel.locator(".widget-toggle-button.mod-active")
    names = ["hungry", "hand-built", "√d_model"]
    assert pressed.all_inner_texts() == names
    for button in pressed.all():
        mark, ground = button.evaluate(
            "b => [getComputedStyle(b).boxShadow, "
            "getComputedStyle(b).backgroundColor]"
        )
        assert "inset" in mark
        dark, light = sorted(map(luminance, (mark, ground)))
        assert (light + 0.05) / (dark + 0.05) >= 3
