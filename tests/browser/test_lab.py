"""The page object itself, on a small notebook with known behaviour."""

import nbformat
import pytest

from tests.tools import notebook_of

PROBE = """
import ipywidgets as w
slider = w.SelectionSlider(
    options=[1, 2, 4, 8], value=8, description="heads h")
kind = w.ToggleButtons(options=["one", "two"], description="heads are")
box = w.Checkbox(description="causal mask")
html = w.HTML()
def refresh(change=None):
    html.value = (
        f'<svg role="img" aria-label="Maps: h = {slider.value}, {kind.value}, '
        f'{box.value}" width="50" height="20"></svg>')
for control in (slider, kind, box):
    control.observe(refresh, "value")
refresh()
w.VBox([slider, kind, box, html])
"""


@pytest.fixture
def probe(lab, open_notebook):
    """Return a function: code cells in, their notebook's open page out."""

    def opened(*cells, **how):
        nbformat.write(notebook_of(*cells), lab.root / "probe.ipynb")
        return open_notebook("probe.ipynb", **how)

    return opened


def test_controls_answer_to_mouse_and_keyboard(probe):
    notebook = probe(PROBE)
    notebook.run_all()
    notebook.picture("Maps: h = 8, one, False").wait_for()
    heads = notebook.slider("heads h")
    heads.drag_to("2")
    notebook.picture("Maps: h = 2,").wait_for()
    heads.press("ArrowRight")
    heads.wait_until("4")
    notebook.picture("Maps: h = 4,").wait_for()
    heads.press_until("Home", "1")
    notebook.picture("Maps: h = 1,").wait_for()
    notebook.toggle("heads are", "two")
    notebook.picture("Maps: h = 1, two").wait_for()
    notebook.checkbox("causal mask").check()
    notebook.picture("Maps: h = 1, two, True").wait_for()
    assert notebook.errors() == []
    assert notebook.problems == []
    with pytest.raises(AssertionError, match="no place reads 3"):
        heads.drag_to("3")


def test_errors_in_cells_are_read(probe):
    notebook = probe(
        "1 / 0", "import sys; print('careful', file=sys.stderr)", "x = 1"
    )
    notebook.start_all()
    notebook.wait_for_text("ZeroDivisionError")
    assert "ZeroDivisionError" in notebook.errors()[0]


def test_console_errors_and_requests_elsewhere_are_seen(probe):
    notebook = probe(
        "from IPython.display import HTML\n"
        "HTML('<img src=\"http://192.0.2.1/x.png\"><p>drawn</p>')",
        "from IPython.display import Javascript\n"
        "Javascript('console.error(\"oops\")')",
    )
    with (
        notebook.page.expect_console_message(lambda m: m.text == "oops"),
        notebook.page.expect_request("http://192.0.2.1/*"),
    ):
        notebook.run_all()
    assert any("192.0.2.1" in problem for problem in notebook.problems)
    assert any("oops" in problem for problem in notebook.problems)


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_the_theme_is_the_one_asked_for(probe, theme):
    notebook = probe("1 + 1", theme=theme)
    light = notebook.page.locator("body").get_attribute("data-jp-theme-light")
    assert light == str(theme.endswith("Light")).lower()
