"""The longest path in a browser: from the disk, by keyboard, readable."""

import nbformat.v4 as nbf
import pytest

from publish.paths import file_of, paths
from tests.test_publish import need

LONGEST = "90"  # it has the slides of the other paths too: test_lecture.py
SMALLEST = 24  # pixels of text on a screen 1280 wide
SMALLEST_LABEL = 12  # pixels of a word in a picture

# What the slide shows: text too small, pictures' smallest words, overflow.
MEASURE = r"""(smallest) => {
  const slide = Reveal.getCurrentSlide(), scale = Reveal.getScale();
  const small = [], walker = document.createTreeWalker(slide, 4);
  while (walker.nextNode()) {
    const node = walker.currentNode, box = node.parentElement;
    if (!node.textContent.trim() || box.closest("aside, svg")) continue;
    if (!box.getClientRects().length) continue;
    const pixels = parseFloat(getComputedStyle(box).fontSize) * scale;
    if (pixels < smallest) small.push([pixels, node.textContent]);
  }
  const shown = [...slide.querySelectorAll("img")].filter(
    (img) => img.src.startsWith("data:") && img.getClientRects().length);
  const labels = shown.map((img) => {
    const bytes = Uint8Array.from(
      atob(img.src.split(",")[1]), (c) => c.charCodeAt(0));
    const root = new DOMParser().parseFromString(
      new TextDecoder().decode(bytes), "image/svg+xml").documentElement;
    const sizes = [...root.outerHTML.matchAll(/font-size="([\d.]+)"/g)];
    const box = img.getBoundingClientRect(), view = root.viewBox.baseVal;
    const by = Math.min(box.width / view.width, box.height / view.height);
    return Math.min(...sizes.map((found) => +found[1])) * by;
  });
  return {small, labels, wide: slide.scrollWidth - slide.clientWidth,
          high: slide.scrollHeight - slide.clientHeight};
}"""


@pytest.fixture(scope="module")
def deck(tmp_path_factory):
    need("sphinx_revealjs")
    from publish.slides import build

    page = build(tmp_path_factory.mktemp("deck") / LONGEST, only=LONGEST)
    return page.parent / f"path-{LONGEST}.html"


@pytest.fixture
def page(chromium, deck):
    """Return the deck's page and a list of what went wrong in it."""
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    page, wrong = context.new_page(), []
    page.on("console", lambda m: wrong.append(f"console: {m.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("requestfailed", lambda r: wrong.append(f"failed: {r.url}"))
    page.on(
        "request",
        lambda r: (
            r.url.startswith(("file:", "data:", "blob:"))
            or wrong.append(f"asks {r.url}")
        ),
    )
    page.goto(deck.as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    yield page, wrong
    context.close()


def walk(page):
    """Press Space to the end; yield what each slide measures, all shown."""
    while True:
        last = page.evaluate("Reveal.isLastSlide()")
        if not page.evaluate("Reveal.availableFragments().next"):
            yield page.evaluate(MEASURE, SMALLEST)
            if last:
                return
        page.keyboard.press("Space")


def test_the_deck_is_walked_by_keyboard_and_readable(page):
    page, wrong = page
    slides = list(walk(page))
    path = paths()[LONGEST]
    assert len(slides) == 1 + sum(len(s.states) or 1 for s in path.slides)
    for number, slide in enumerate(slides, start=1):
        assert slide["small"] == [], number
        assert slide["high"] <= 1, f"slide {number} scrolls"
        assert slide["wide"] <= 1, f"slide {number} is too wide"
        assert all(x >= SMALLEST_LABEL for x in slide["labels"]), number
    assert wrong == []


def test_back_and_forth_and_notes(page):
    page, wrong = page
    place = "Reveal.getIndices().h"
    page.keyboard.press("Space")
    assert page.evaluate(place) == 1
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(place) == 0
    missing = page.evaluate(
        "Reveal.getSlides().slice(1).filter("
        "s => !(s.querySelector('aside.notes') || {}).textContent).length"
    )
    assert missing == 0
    notes = page.locator("aside.notes").first
    assert not notes.is_visible()
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    page.keyboard.press("Space")
    said = opened.value.locator(".speaker-controls-notes .value")
    said.filter(has_text="min").wait_for()
    assert wrong == []


def shown(chromium, place):
    """Return the page of a deck, open at its first slide."""
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    page.goto(place.as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    return page


def deck_of(texts, place):
    """Write a deck with a slide for each text of Markdown."""
    from publish.slides import write

    cells = [
        nbf.new_markdown_cell(
            text, metadata={"slideshow": {"slide_type": "slide"}}
        )
        for text in texts
    ]
    write(nbf.new_notebook(cells=cells), "Long", place)


def test_a_long_slide_gets_smaller_type_and_its_neighbours_do_not(
    chromium, deck
):
    wide = "```\n" + 99 * "m" + "\n```\n\n"  # leaves no room for a column
    lines = 14 * "A line.\n\n"
    texts = ("## Short\n\nA line.", f"## Long\n\n{wide}{lines}")
    place = deck.parent / "long.slides.html"
    deck_of((*texts, texts[0]), place)
    page = shown(chromium, place)
    high, pixels = [], []
    for _ in range(3):
        high.append(page.evaluate(MEASURE, 0)["high"])
        pixels.append(
            page.evaluate(
                "parseFloat(getComputedStyle(Reveal.getCurrentSlide()"
                ".querySelector('p')).fontSize)"
            )
        )
        page.keyboard.press("Space")
    page.close()
    assert max(high) <= 1
    assert pixels[1] < pixels[0] == pixels[2]


PICTURES = """() => [
  ...Reveal.getCurrentSlide().querySelectorAll("img")
].filter((img) => img.getClientRects().length).length"""

COLUMNS = """() => {
  const slide = Reveal.getCurrentSlide();
  const edge = (box) => Math.max(
    ...[...box.getClientRects()].map((part) => part.right));
  const ends = [...slide.querySelectorAll("p, pre")].map(edge);
  const cut = [...slide.querySelectorAll("pre")].filter((box) => {
    const text = document.createRange();
    text.selectNodeContents(box);
    return edge(text) > edge(box) + 1;
  });
  return {columns: getComputedStyle(slide).columnCount, cut: cut.length,
          inside: Math.max(...ends) <= slide.getBoundingClientRect().right,
          pixels: parseFloat(getComputedStyle(
            slide.querySelector("p")).fontSize)};
}"""


def test_a_long_slide_gets_columns_where_no_line_is_cut(chromium, deck):
    lines = "\n\n".join(f"Line {number}." for number in range(29))
    code = "```\n" + "m" * 79 + "\n```\n\n"
    place = deck.parent / "columns.slides.html"
    deck_of((lines, code + lines, "Short."), place)
    page, seen, high = shown(chromium, place), [], []
    for _ in range(3):
        seen.append(page.evaluate(COLUMNS))
        high.append(page.evaluate(MEASURE, 0)["high"])
        page.keyboard.press("Space")
    page.close()
    columns = [slide["columns"] for slide in seen]
    assert columns == ["3", "2", "auto"]  # two: the code is as wide
    assert all(slide["inside"] and not slide["cut"] for slide in seen)
    assert seen[1]["pixels"] < seen[0]["pixels"] == seen[2]["pixels"]
    assert max(high) <= 1


def test_quizzes_and_explorers_of_a_whole_notebook_do_not_scroll(
    chromium, deck
):
    from publish.slides import run, write

    notebook = run(file_of("00"))
    place = deck.parent / "00.slides.html"
    write(notebook, "00", place)
    page, n_pictures = shown(chromium, place), []
    for slide in walk(page):
        assert slide["high"] <= 1 and slide["wide"] <= 1
        n_pictures.append(page.evaluate(PICTURES))
    page.close()
    assert n_pictures[0] == 1  # the sentence, and no explorer repeats it
    assert max(n_pictures) == 1  # no still beside its explorer
