"""The browser copy, as far as it can be had: kernel, helpers, widgets.

NumPy for the browser is on no registry that we read, so what needs it is
not tried here. The folder of Pyodide's files comes from the variable
PYODIDE_FOLDER; `python -m tests.pyodide FOLDER` makes one.
"""

import functools
import http.server
import os
import threading
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from publish import lite, tree
from tests.browser.lab import NotebookPage
from tests.tools import ROOT

FIND = """
import sys
from pathlib import Path

folders = [Path.cwd(), *Path.cwd().parents]
roots = [f for f in folders if (f / "helpers" / "attention.py").is_file()]
sys.path.insert(0, str(roots[0]))
from helpers import cost, sizes
from helpers.quiz import pre_test
print("platform", sys.platform, "helpers in", roots[0])
"""
SLIDER = """
import ipywidgets as w
slider = w.IntSlider(value=2, min=1, max=8, description="heads h")
html = w.HTML()
def refresh(change=None):
    html.value = (
        f'<svg role="img" aria-label="Maps: h = {slider.value}" '
        'width="50" height="20"></svg>')
slider.observe(refresh, "value")
refresh()
w.VBox([slider, html])
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


class Site:
    """What NotebookPage needs of a server."""

    def __init__(self, folder):
        serve = functools.partial(Quiet, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


class LitePage(NotebookPage):
    """A notebook, open in JupyterLite."""

    def __init__(self, page, site, path):
        self.page, self.problems = page, []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._request)
        page.goto(f"{site.url}/lab/index.html?path={path}")
        self.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        self.panel.wait_for()
        page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    def with_a_probe(folder):
        tree.copy_to(folder)
        cells = [lite.INSTALL.replace(" matplotlib", "") + FIND]
        probe = new_notebook(
            cells=[new_code_cell(c) for c in (*cells, SLIDER, "pre_test()")],
            metadata=nbformat.read(lite.notebooks()[0], 4).metadata,
        )
        nbformat.write(probe, folder / "notebooks" / "probe.ipynb")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lite, "copy_to", with_a_probe)
        patch.setattr(
            lite,
            "notebooks",
            lambda root=ROOT: [
                p for p in tree.notebooks(root) if p.stem != "probe"
            ],
        )
        out = tmp_path_factory.mktemp("lite") / "site"
        lite.build(out, Path(os.environ["PYODIDE_FOLDER"]))
    served = Site(out)
    yield served
    served.server.shutdown()


def test_kernel_helpers_and_widgets_work_in_the_browser(chromium, site):
    context = chromium.new_context(viewport={"width": 1400, "height": 1700})
    context.set_default_timeout(90_000)
    notebook = LitePage(context.new_page(), site, "notebooks/probe.ipynb")
    notebook.run_all(120)
    notebook.wait_for_text("platform emscripten helpers in /drive")
    notebook.picture("Maps: h = 2").wait_for()
    notebook.slider("heads h").press("ArrowRight", 3)
    notebook.picture("Maps: h = 5").wait_for()
    assert notebook.errors() == []
    notebook.screenshot("lite")
    assert notebook.problems == []
    context.close()
