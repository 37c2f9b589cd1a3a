"""The slides: each notebook as a deck that needs no network and no kernel.

The cells' slide tags say what is a slide. nbconvert sets the decks; reveal.js
comes from the package sphinx-revealjs, whose files are copied beside them.
"""

import importlib.util
import re
import shutil
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import SlidesExporter
from nbconvert.filters import markdown2html
from traitlets.config import Config

from publish import paths
from publish.tree import PAGES, ROOT, SITE, copy_to, notebooks

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


def build(out=None, only=None):
    """Write decks, the exercise sheet, and a page that lists them.

    Parameters
    ----------
    out : Path, optional
        The folder, emptied first; _site/slides, or _site/lecture-45.
    only : str, optional
        A path of the lecture, "15", "45" or "90": its deck alone. All paths
        and all notebooks, if left out.

    Returns
    -------
    Path
        The page to open.

    Raises
    ------
    CellExecutionError
        If a notebook fails.
    FileNotFoundError
        If sphinx-revealjs is not installed.
    KeyError
        If there is no such path.
    """
    chosen = paths.paths()
    if only is not None:
        chosen = {only: chosen[only]}
    out = out or SITE / (f"lecture-{only}" if only else "slides")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    _copy_reveal(out / "reveal.js")
    for style in ("lecture.css", "path.css"):
        shutil.copy(HERE / style, out)
    with tempfile.TemporaryDirectory() as name:
        source = Path(name).resolve()
        copy_to(source)
        if only is None:
            shutil.copytree(source / "notebooks/images", out / "images")
            for page in PAGES:
                shutil.copy(source / page, out)
        done = {path.stem: run(path) for path in _wanted(source, chosen, only)}
    decks = []
    for path in chosen.values():
        page = f"path-{path.name}.html"
        runs = {stem[:2]: notebook for stem, notebook in done.items()}
        deck = paths.notebook_of(path, runs)
        write(deck, path.title, out / page, style="path.css")
        decks.append((f"{path.name} minutes: {path.title}", page))
    for stem, notebook in done.items() if only is None else ():
        title = notebook.cells[0].source.splitlines()[0].lstrip("# ")
        write(notebook, title, out / f"{stem}.slides.html")
        decks.append((title, f"{stem}.slides.html"))
    (out / "exercises.html").write_text(_sheet(), encoding="utf-8")
    decks.append(("The exercise sheet, to print", "exercises.html"))
    return _contents(decks, out / "index.html")


def _sheet():
    """Return the students' sheet as a page to print."""
    text = (ROOT / "lecture" / "exercises.md").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">'
        "<title>Exercises</title>\n<style>body{font:12pt/1.45 serif;"
        "max-width:42em;margin:2em auto;padding:0 1em}table{border-collapse:"
        "collapse}td,th{border:1px solid #888;padding:.2em .6em}</style>\n"
        f"{markdown2html(text)}\n"
    )


def _wanted(source, chosen, only):
    """Return the notebooks to run: those of the paths, or all."""
    numbers = {number for p in chosen.values() for number in p.notebooks}
    return [
        path
        for path in notebooks(source)
        if path.stem[:2] in numbers
        or (only is None and path.stem != "solutions")
    ]


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


def run(path):
    """Return a notebook as it is after a run in its folder."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        timeout=TOO_LONG,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    return notebook


def write(notebook, title, page, style="lecture.css"):
    """Write the deck of a notebook that has run."""
    settings = Config()
    settings.NbConvertBase.display_data_priority = list(SHOWN)
    settings.HTMLExporter.exclude_anchor_links = True
    settings.CoalesceStreamsPreprocessor.enabled = True
    settings.TagRemovePreprocessor.enabled = True
    settings.TagRemovePreprocessor.remove_input_tags = {"folded"}
    exporter = SlidesExporter(
        config=settings,
        template_name="lecture",
        extra_template_basedirs=[str(HERE / "templates")],
        reveal_url_prefix="reveal.js",
        reveal_theme="white",
    )
    text, _ = exporter.from_notebook_node(
        notebook, {"metadata": {"name": title}}
    )
    text = text.replace('href="lecture.css"', f'href="{style}"')
    text = text.replace(".ipynb", ".slides.html")
    text = text.replace('href="../', 'href="')  # pages lie beside the decks
    # A heading is a slide, and its name no place to jump to.
    text = re.sub(r'<a href="#[\w-]+">(.*?)</a>', r"\1", text)
    page.write_text(text, encoding="utf-8")


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
