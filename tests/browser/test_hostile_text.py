"""Hostile text in a real page, in an export and in a saved file: nothing runs.

One of each kind of field: a sentence, a code, one's own text. That no field
is forgotten, tests/test_hostile_text.py sees.
"""

import subprocess
import sys

import nbformat
import pytest

from tests.tools import missing, notebook_of

SETUP = "from helpers.stills import EXPLORERS\n"
RUNS = "<img src=x onerror=window.ran=1><svg/onload=window.ran=1>"
FIELDS = {
    "a sentence": ("04_main_explorer.svg", 0),
    "a code": ("05_ledger.svg", -1),
    "one's own text": ("09_real_heads.svg", 0),
    "words of the playground": ("10_playground.svg", 0),
}
# A lone surrogate can't be typed, but pasted by a script.
PASTE = """(field, text) => {
    field.value = text;
    field.dispatchEvent(new Event('input', {bubbles: true}));
    field.dispatchEvent(new Event('change', {bubbles: true}));
}"""


@pytest.mark.parametrize("kind", FIELDS)
def test_nothing_runs_in_a_page(lab, open_notebook, kind):
    name, number = FIELDS[kind]
    nbformat.write(
        notebook_of(f"{SETUP}EXPLORERS[{name!r}]()"),
        lab.root / "hostile.ipynb",
    )
    notebook = open_notebook("hostile.ipynb")
    notebook.run_all()
    page = notebook.page
    fields = notebook.panel.locator(".widget-text input[type=text]")
    notebook.panel.locator(".why-explorer").wait_for()
    if kind == "one's own text" and fields.first.is_disabled():
        missing("the model of requirements-real.txt")
    seen = [field for field in fields.all() if field.is_visible()]
    for text in (RUNS, f'set 1 "{RUNS}"', "$x$ \\(y\\) &lt;b&gt;", "\u202eש"):
        seen[number].fill(text)
        seen[number].press("Enter")
        page.wait_for_timeout(500)
    seen[number].evaluate(
        f"field => ({PASTE})(field, 'a' + String.fromCharCode(0xD800))"
    )
    page.wait_for_timeout(500)
    assert page.evaluate("window.ran") is None
    assert (
        notebook.panel.locator('img[src="x"], .MathJax, mjx-container').count()
        == 0
    )
    # The kernel still answers: half a character did not stop it.
    seen[number].fill("The cat sat")
    seen[number].press("Enter")
    page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()
    assert notebook.errors() == []
    assert notebook.problems == []


@pytest.mark.parametrize("to", ["html", "slides"])
def test_nothing_runs_in_an_export(lab, chromium, to):
    cells = (
        f"{SETUP}explorer = EXPLORERS['04_main_explorer.svg']()\n"
        f"explorer.dials['words'].control.value = {RUNS!r}\nexplorer",
        "import numpy as np\nfrom helpers.plots import attention_maps\n"
        f"attention_maps(np.eye(2), [{RUNS!r}, '\"><script>ran=1</script>'])",
    )
    notebook = notebook_of(*cells)
    path = lab.root / f"hostile_{to}.ipynb"
    nbformat.write(notebook, path)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "nbconvert", "--to", to, "--execute"),
            "--ExecutePreprocessor.store_widget_state=False",
            path.name,
        ],
        cwd=lab.root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "lternative text is missing" not in done.stderr
    written = next(lab.root.glob(f"hostile_{to}*.html"))
    page = chromium.new_page()
    page.goto(written.as_uri(), wait_until="domcontentloaded")
    page.wait_for_timeout(500)
    assert page.evaluate("window.ran") is None
    assert page.locator("img[src=x], svg[onload]").count() == 0
    pictures = page.locator("img[src^='data:image/']")
    assert pictures.count() == 2
    for picture in pictures.all():
        assert "onerror" in picture.get_attribute("alt")
    page.close()
