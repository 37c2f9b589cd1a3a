"""One JupyterLab server and one browser for all tests in this folder."""

import os

import nbformat
import pytest
from playwright.sync_api import sync_playwright

from tests.browser.lab import CHROMIUM, CHROMIUM_FLAGS, Lab, NotebookPage
from tests.tools import notebook_of, require_tool

# Its tool is a folder that only its own command makes: see test_lite.py.
collect_ignore = [] if os.environ.get("PYODIDE_FOLDER") else ["test_lite.py"]


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def chromium():
    """Return a headless Chromium, closed when the folder's tests end."""
    program = require_tool(*CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=CHROMIUM_FLAGS
        )
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def lab(chromium, tmp_path_factory):
    """Return a running JupyterLab on a copy of the collection."""
    server = Lab(tmp_path_factory.mktemp("lab"))
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.stop()


@pytest.fixture
def open_notebook(chromium, lab):
    """Return a function that opens a notebook in a page of its own."""
    contexts = []

    def opened(path, theme="JupyterLab Light"):
        lab.use_theme(theme)
        context = chromium.new_context(
            viewport={"width": 1400, "height": 1700}
        )
        context.set_default_timeout(20_000)
        contexts.append(context)
        return NotebookPage(context.new_page(), lab, path)

    yield opened
    for context in contexts:
        context.close()
    lab.end_kernels()


@pytest.fixture
def run_notebook(open_notebook):
    """Return a function that opens a notebook and runs it to its end.

    It takes the notebook's path, how the description of the picture to wait
    for begins, and a theme. At the end no page may have complained.
    """
    opened = []

    def run(path, picture, theme="JupyterLab Light"):
        notebook = open_notebook(path, theme)
        opened.append(notebook)
        notebook.run_all()
        notebook.picture(picture).wait_for()
        return notebook

    yield run
    for notebook in opened:
        assert notebook.errors() == []
        assert notebook.problems == []


@pytest.fixture
def open_explorer(run_notebook, lab):
    """Return a function that runs an explorer alone in a notebook.

    It takes the explorer's module, a theme, and how the description of the
    picture to wait for begins. At the end no page may have complained.
    """

    def run(module, theme, picture):
        code = (
            f'import sys\nsys.path.insert(0, "..")\n'
            f"from helpers.explorers.{module} import explore_{module}\n"
            f"explore_{module}()"
        )
        path = f"notebooks/{module}.ipynb"
        nbformat.write(notebook_of(code), lab.root / path)
        return run_notebook(path, picture, theme)

    return run
