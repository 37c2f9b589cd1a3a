"""The explorers of notebooks 01 and 02, used as a reader uses them."""

import pytest

ONE = "notebooks/01_one_query_one_average.ipynb"
TWO = "notebooks/02_single_head.ipynb"
DARK, LIGHT = "JupyterLab Dark", "JupyterLab Light"


def test_a_query_moves_by_mouse_and_by_keyboard(run_notebook):
    notebook = run_notebook(ONE, "Query (1.5, 1), temperature 1.")
    notebook.slider("query x").drag_to("-2")
    notebook.picture("Query (-2, 1), temperature 1.").wait_for()
    notebook.slider("query y").press("ArrowRight")
    notebook.picture("Query (-2, 1.25), temperature 1.").wait_for()
    notebook.slider("temperature").press("End")
    notebook.picture("Query (-2, 1.25), temperature 100.").wait_for()
    notebook.wait_for_text("The weights are nearly equal")
    notebook.screenshot("01_average", notebook.cell_of("query x"))
    over = notebook.panel.locator(".why-explorer .widget-box").evaluate_all(
        "boxes => boxes.map(x => x.scrollWidth - x.clientWidth)"
    )
    assert over and not any(over)  # nothing cut off at the right edge


@pytest.mark.parametrize("theme", (LIGHT, DARK))
def test_d_k_and_the_mask_move(run_notebook, theme):
    notebook = run_notebook(TWO, "d_k = 64, without scale:", theme)
    notebook.slider("width d_k").press("End")
    notebook.picture("d_k = 1024, without scale:").wait_for()
    notebook.checkbox("scale: divide by").check()
    notebook.picture("d_k = 1024, with 1/√d_k:").wait_for()
    notebook.toggle("mask", "causal + padding left")
    notebook.picture("Mask: causal + padding left,").wait_for()
    notebook.wait_for_text("2 rows may see nothing")
    name = "dark" if theme == DARK else "light"
    notebook.screenshot(f"02_scaling_{name}", notebook.cell_of("width d_k"))
