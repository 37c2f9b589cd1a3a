"""The reading copy and the slides: complete, offline, and no link is dead."""

import html.parser
import importlib.util
import re
from urllib.parse import unquote, urlsplit

import nbformat
import pytest

from helpers.glossary import terms
from publish.paths import paths
from publish.tree import ROOT, notebooks
from tests.tools import missing

LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src"}
LESSONS = [path for path in notebooks() if path.stem != "solutions"]


class Links(html.parser.HTMLParser):
    """What a page loads and links to, and the places it has."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.places |= {attrs.get("id"), attrs.get("name")}
        if attrs.get("rel") == "canonical":
            return
        if LOADED.get(tag) in attrs:
            self.loads.append(attrs[LOADED[tag]] or "")
        elif tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])


def dead_ends(folder):
    """Return what the pages of a folder load or link to that is not there."""
    pages = {
        path: Links(path.read_text(encoding="utf-8"))
        for path in folder.rglob("*.html")
    }
    found = []
    for path, page in pages.items():
        for link in page.loads + page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https"):
                if link in page.loads:
                    found.append(f"{path.name} loads {link}")
                continue
            if parts.scheme in ("data", "mailto"):
                continue
            target = path
            if parts.path:
                target = (path.parent / unquote(parts.path)).resolve()
            if not target.exists():
                found.append(f"{path.name}: {link}")
            elif parts.fragment and target in pages:
                if unquote(parts.fragment) not in pages[target].places:
                    found.append(f"{path.name}: no place {link}")
    return found


def need(module):
    if importlib.util.find_spec(module) is None:
        missing(f"{module} (requirements-publish.txt)")


@pytest.fixture(scope="module")
def reading(tmp_path_factory):
    need("myst_nb")
    from publish.reading import build

    return build(tmp_path_factory.mktemp("reading")).parent


@pytest.fixture(scope="module")
def slides(tmp_path_factory):
    need("sphinx_revealjs")
    from publish.slides import build

    return build(tmp_path_factory.mktemp("slides")).parent


def test_dead_ends_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here">x</a><a href="#gone">x</a>'
        '<a href="b.html">x</a><script src="https://cdn.example/x.js">'
        '</script><a href="https://example.org">x</a>',
        encoding="utf-8",
    )
    assert dead_ends(tmp_path) == [
        "a.html loads https://cdn.example/x.js",
        "a.html: no place #gone",
        "a.html: b.html",
    ]


def test_the_reading_copy_has_no_dead_end(reading):
    assert dead_ends(reading) == []


def test_the_reading_copy_has_every_notebook_and_its_pictures(reading):
    for path in notebooks():
        page = reading / "notebooks" / f"{path.stem}.html"
        text = page.read_text(encoding="utf-8")
        source = path.read_text(encoding="utf-8")
        n_explorers = source.count("explore_") and len(
            set(re.findall(r"\\nexplore_\w+\(", source))
        )
        assert text.count("data:image/svg+xml;base64,") >= n_explorers
        assert "application/vnd.jupyter.widget-view" not in text
        assert "Traceback" not in text


def test_the_reading_copy_can_be_searched(reading):
    index = (reading / "searchindex.js").read_text(encoding="utf-8")
    for word in ("subspac", "glossari", "determin"):  # stems
        assert word in index
    glossary = (reading / "GLOSSARY.html").read_text(encoding="utf-8")
    assert all(term.meaning[:20] in glossary for term in terms()[:5])


def test_pictures_have_light_ink_on_the_dark_pages_of_the_reading_copy(
    reading,
):
    """Each colour that helpers/ takes from JupyterLab's theme is set."""
    page = reading / "notebooks" / "07_grouped_query_attention.html"
    text = page.read_text(encoding="utf-8")
    dark = text[text.index('body[data-theme="dark"]') :].split("}")[0]
    code = "".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "helpers").rglob("*.py")
    )
    colours = set(re.findall(r"var\((--jp-[\w-]*color\d?)", code))
    assert "--jp-ui-font-color1" in colours
    assert all(f"{name}:" in dark for name in colours)


def test_the_slides_have_no_dead_end(slides):
    assert dead_ends(slides) == []
    text = (slides / "index.html").read_text(encoding="utf-8")
    for path in LESSONS:
        assert f"{path.stem}.slides.html" in text


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_the_slides_are_those_of_the_tags(slides, path):
    notebook = nbformat.read(path, as_version=4)
    kinds = [cell.metadata.slideshow.slide_type for cell in notebook.cells]
    text = (slides / f"{path.stem}.slides.html").read_text(encoding="utf-8")
    body = text[text.index('<div class="slides">') :]
    wanted = 2 * kinds.count("slide") + kinds.count("subslide")
    assert body.count("<section") == wanted
    assert body.count('class="notes"') == kinds.count("notes")


@pytest.mark.parametrize("path", paths().values(), ids=paths())
def test_a_path_of_the_lecture_is_one_deck(slides, path):
    listed = (slides / "index.html").read_text(encoding="utf-8")
    assert f"path-{path.name}.html" in listed
    page = slides / f"path-{path.name}.html"
    text = page.read_text(encoding="utf-8")
    body = text[text.index('<div class="slides">') :]
    n_slides = 1 + sum(len(s.states) or 1 for s in path.slides)
    assert body.count("<section") == 2 * n_slides
    assert body.count('class="notes"') == n_slides - 1
    assert body.count("data:image/svg+xml;base64,") >= sum(
        len(s.states) for s in path.slides
    )
    assert "<summary>For the lecturer" not in body
    assert "Traceback" not in body
    assert 'href="path.css"' in text


def test_the_sheet_is_published_and_the_key_is_not(slides):
    sheet = (slides / "exercises.html").read_text(encoding="utf-8")
    assert "A cache." in sheet
    for path in slides.rglob("*"):
        if path.suffix in {".html", ".md"}:
            text = path.read_text(encoding="utf-8")
            assert "Marking key" not in text, path.name


def test_one_path_alone_is_a_small_set_of_files(tmp_path):
    need("sphinx_revealjs")
    from publish.slides import build

    page = build(tmp_path / "lecture", only="15")
    names = {path.name for path in page.parent.iterdir()}
    assert names == {
        "exercises.html",
        "index.html",
        "lecture.css",
        "path-15.html",
        "path.css",
        "reveal.js",
    }
    assert dead_ends(page.parent) == []


def test_a_path_that_is_none_is_refused(tmp_path):
    need("sphinx_revealjs")
    from publish.slides import build

    with pytest.raises(KeyError):
        build(tmp_path / "lecture", only="60")
