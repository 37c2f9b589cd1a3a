"""The 45-minute deck in a browser: from the disk, by keyboard, readable."""

import nbformat.v4 as nbf
import pytest

from publish.paths import paths
from tests.test_publish import need

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
    (img) => img.getClientRects().length);
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

    page = build(tmp_path_factory.mktemp("deck") / "45", only="45")
    return page.parent / "path-45.html"


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
    path = paths()["45"]
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


def test_a_long_slide_gets_smaller_type_and_its_neighbours_do_not(
    chromium, deck
):
    from publish.slides import write

    texts = ("## Short\n\nA line.", "## Long" + 14 * "\n\nA line.")
    cells = [
        nbf.new_markdown_cell(
            text, metadata={"slideshow": {"slide_type": "slide"}}
        )
        for text in (*texts, texts[0])
    ]
    place = deck.parent / "long.slides.html"
    write(nbf.new_notebook(cells=cells), "Long", place)
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    page.goto(place.as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    high, pixels = [], []
    for _ in cells:
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
