"""The explorer of trained heads, used as a reader uses it."""

import pytest

DARK, LIGHT = "JupyterLab Dark", "JupyterLab Light"


@pytest.fixture
def opened(open_explorer):
    """Return a function that opens the explorer in a theme."""
    return lambda theme: open_explorer(
        "learned_heads", theme, "Heads at step 800"
    )


def bars(notebook):
    """Return what is written in the page of maps and bars."""
    texts = notebook.picture("Heads at").locator("text").all_text_contents()
    return dict(zip(texts, texts[1:], strict=False))


@pytest.mark.parametrize("theme", (LIGHT, DARK))
def test_slide_and_switch_a_head_off_by_keyboard(opened, theme):
    notebook = opened(theme)
    name = "dark" if theme == DARK else "light"
    before = bars(notebook)
    assert before["as switched"] == before["all heads on"]
    switch = notebook.checkbox("use layer 1 head 1")
    switch.focus()
    notebook.page.keyboard.press("Space")
    notebook.wait_for_text("Without layer 1 head 1: loss")
    after = bars(notebook)
    assert after["all heads on"] == before["all heads on"]
    assert float(after["as switched"].split(",")[0]) > 3
    assert float(before["as switched"].split(",")[0]) < 0.2
    cell = notebook.cell_of("training step")
    notebook.screenshot(f"08_learned_heads_off_{name}", cell)
    notebook.page.keyboard.press("Space")
    notebook.wait_for_text("All heads on: loss")
    assert bars(notebook) == before
    notebook.slider("training step").press("Home")
    notebook.picture("Heads at step 0:").wait_for()
    notebook.picture("Training, step 0:").wait_for()
    notebook.slider("training step").press_until("ArrowRight", "430")
    notebook.picture("Heads at step 430:").wait_for()
    notebook.picture("Training, step 430:").wait_for()
    notebook.screenshot(f"08_learned_heads_430_{name}", cell)
    notebook.slider("query").press("End")
    notebook.wait_for_text("(place 24)")
    notebook.toggle("weights are", "random (control)")
    notebook.wait_for_text("These weights never trained")
    notebook.checkbox("all numbers as tables").check()
    notebook.wait_for_text("Every head, random weights")
    notebook.screenshot(f"08_learned_heads_random_{name}", cell)
