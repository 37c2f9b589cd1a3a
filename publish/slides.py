"""The slides: each notebook as a deck that needs no network and no kernel.

The cells' slide tags say what is a slide. nbconvert sets the decks; reveal.js
comes from the package sphinx-revealjs, whose files are copied beside them.
"""

import importlib.util
import shutil
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import SlidesExporter
from traitlets.config import Config

from publish.tree import PAGES, SITE, copy_to, notebooks

HERE = Path(__file__).parent
REVEAL = Path("_static", "revealjs")  # inside sphinx_revealjs
PARTS = ("dist/reveal.css", "dist/reveal.js", "dist/theme", "plugin/notes")
SHOWN = (
    "text/html",
    "image/svg+xml",
    "image/png",
    "text/markdown",
    "text/plain",
)
TOO_LONG = 120  # seconds a cell may run


def build(out=SITE / "slides"):
    """Write a deck for each notebook, and a page that lists them, to `out`.

    Raises
    ------
    CellExecutionError
        If a notebook fails.
    FileNotFoundError
        If sphinx-revealjs is not installed.
    """
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    _copy_reveal(out / "reveal.js")
    shutil.copy(HERE / "lecture.css", out / "lecture.css")
    with tempfile.TemporaryDirectory() as name:
        source = Path(name).resolve()
        copy_to(source)
        shutil.copytree(source / "notebooks/images", out / "images")
        for page in PAGES:
            shutil.copy(source / page, out)
        decks = [
            _deck(path, out)
            for path in notebooks(source)
            if path.stem != "solutions"
        ]
    return _contents(decks, out / "index.html")


def _copy_reveal(folder):
    found = importlib.util.find_spec("sphinx_revealjs")
    if found is None:
        raise FileNotFoundError(
            "sphinx-revealjs is not installed: python -m pip install -r "
            "requirements-publish.txt"
        )
    package = Path(found.origin).parent / REVEAL
    for part in PARTS:
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (package / part).is_dir():
            shutil.copytree(package / part, target)
        else:
            shutil.copy(package / part, target)


def _deck(path, out):
    """Run a notebook and write its deck; return its title and file name."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=TOO_LONG,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    title = notebook.cells[0].source.splitlines()[0].lstrip("# ")
    settings = Config()
    settings.NbConvertBase.display_data_priority = list(SHOWN)
    exporter = SlidesExporter(
        config=settings,
        template_name="lecture",
        extra_template_basedirs=[str(HERE / "templates")],
        reveal_url_prefix="reveal.js",
        reveal_theme="white",
    )
    page, _ = exporter.from_notebook_node(
        notebook, {"metadata": {"name": title, "path": str(path.parent)}}
    )
    name = f"{path.stem}.slides.html"
    page = page.replace(".ipynb", ".slides.html")
    page = page.replace('href="../', 'href="')  # pages lie beside the decks
    (out / name).write_text(page, encoding="utf-8")
    return title, name


def _contents(decks, page):
    rows = "\n".join(
        f'<li><a href="{name}">{title}</a></li>' for title, name in decks
    )
    page.write_text(
        "<!doctype html>\n"
        '<html lang="en"><meta charset="utf-8"><title>Slides</title>\n'
        '<body style="font:24px sans-serif;margin:2em;max-width:40em">\n'
        "<h1>Slides</h1>\n<p>Space goes on, Escape shows all slides, "
        f"S opens the notes.</p>\n<ol>\n{rows}\n</ol>\n",
        encoding="utf-8",
    )
    return page
