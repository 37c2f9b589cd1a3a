"""The training explorer, used by keyboard in a real page."""

import pytest


@pytest.fixture
def notebook(open_explorer):
    """Return an open page whose one cell shows the explorer."""
    return open_explorer("training", "JupyterLab Light", "Learning curves")


def press(notebook, name):
    """Press a button as the keyboard does."""
    notebook.panel.get_by_role("button", name=name, exact=True).focus()
    notebook.page.keyboard.press("Enter")


def test_train_watch_stop_and_train_to_the_end(notebook):
    notebook.picture("Learning curves, h = 1, as it stands").wait_for()
    notebook.wait_for_text("Blurred: ")
    notebook.slider("heads h").press("End")  # h = 8 takes longest
    notebook.slider("seed").press("ArrowRight")
    notebook.wait_for_text("Not trained yet: h = 8")
    press(notebook, "Train")
    curves = notebook.picture("Learning curves, h = 8")
    curves.wait_for()
    early = curves.get_attribute("aria-label")
    notebook.page.wait_for_function(
        """early => [...document.querySelectorAll('svg[role="img"]')]
            .map(svg => svg.getAttribute('aria-label'))
            .some(said => said.startsWith('Learning curves, h = 8')
                && said !== early)""",
        arg=early,
    )
    press(notebook, "Stop")
    notebook.wait_for_text("Stopped at step ")
    curves.filter(has_text="stopped at step").wait_for()
    press(notebook, "Train")
    notebook.wait_for_text("3. ")
    notebook.panel.locator("tbody tr").nth(2).wait_for()
    assert "stopped" not in curves.inner_html()
    notebook.screenshot("03_training", notebook.cell_of("heads h"))
