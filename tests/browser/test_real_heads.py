"""The explorer of a real encoder's heads, used as a reader uses it."""

import pytest

from helpers.pretrained.files import MINILM, package_folder
from tests.tools import missing

DARK, LIGHT = "JupyterLab Dark", "JupyterLab Light"
HIDE = "hide the last word from “it” in"


@pytest.fixture
def opened(open_explorer):
    """Return a function that opens the explorer in a theme."""
    return lambda theme: open_explorer(
        "real_heads", theme, "The maps of all 72 heads"
    )


@pytest.mark.parametrize("theme", (LIGHT, DARK))
def test_find_a_head_and_cut_its_circuit(opened, theme):
    notebook = opened(theme)
    shade = "dark" if theme == DARK else "light"
    cell = notebook.cell_of("sentence")
    notebook.wait_for_text("From “hungry” to “tasty”, row “it” of 4-2")
    notebook.screenshot(f"09_real_heads_{shade}", cell)
    slider = notebook.slider("sentence")
    slider.press("ArrowRight")
    notebook.wait_for_text("From “tasty” to “hungry”, row “it” of 4-2")
    assert slider.shown == "2 The cat ate the fish because it was tasty"
    notebook.toggle(HIDE, "3-4 and 3-9")
    notebook.wait_for_text("with “tasty” hidden from “it” in 3-4 and 3-9")
    notebook.screenshot(f"09_real_heads_hidden_{shade}", cell)
    notebook.toggle("score", "previous")
    notebook.wait_for_text("Previous, 160 template sentences: best of 72")
    notebook.page.get_by_role("button", name="to the best head").click()
    notebook.picture("Head 1-3 on “The cat").wait_for()
    notebook.toggle("maps", "best first")
    notebook.page.locator("svg text", has_text="the best first").wait_for()
    notebook.toggle("by", "word pieces")
    notebook.slider("query").press_until("ArrowRight", "10 ##sty")
    notebook.wait_for_text("From “##sty” 1-3 looks at ta ")
    notebook.checkbox("all numbers as tables").check()
    notebook.wait_for_text("Row “##sty” of the heads of layer 1")
    notebook.screenshot(f"09_real_heads_pieces_{shade}", cell)


def test_type_a_text(opened):
    if package_folder(MINILM.package) is None:
        missing("the package of requirements-real.txt")
    notebook = opened(LIGHT)
    field = notebook.panel.get_by_placeholder("The bird ate the bread")
    field.fill("The judge <b>thanked</b> the witness because it was late")
    field.press("Enter")
    notebook.picture("Head 4-2 on “The judge <b>thanked").wait_for()
    assert notebook.slider("sentence").shown == "text of your own"
    notebook.toggle(HIDE, "layer 3")
    notebook.wait_for_text("with “late” hidden from “it” in layer 3")
    field.fill("no " * 65)
    field.press("Enter")
    notebook.wait_for_text("A sentence may have 64 words here: got 65.")
    notebook.slider("sentence").press("Home")
    notebook.picture("Head 4-2 on “The cat ate the fish").wait_for()
