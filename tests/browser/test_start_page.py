"""Notebook 00, as someone sees it who has never opened a notebook."""

import pytest

NOTEBOOK = "notebooks/00_start_here.ipynb"
BOX = ".widget-toggle-buttons"


@pytest.fixture
def start(run_notebook):
    """Return the start page, run to its end."""
    return run_notebook(NOTEBOOK, "Attention map of one hand-built head")


def button(notebook, group, name):
    """Return a button of the toggle buttons with this description."""
    label = notebook.page.locator(f'.widget-label:text-is("{group}")')
    box = notebook.panel.locator(BOX).filter(has=label, visible=True)
    return box.first.get_by_role("button", name=name)


def height_of(notebook):
    return notebook.panel.locator(".why-reading").bounding_box()["height"]


def test_the_start_page_tests_itself(start):
    start.wait_for_text("1 of 2: the page and Python talk to each other.")
    slider = start.slider("move me")
    slider.press("ArrowRight")
    start.wait_for_text("the slider is at 5. Sliders work here.")
    slider.drag_to("2")
    start.wait_for_text("the slider is at 2. Sliders work here.")
    start.screenshot("00_start_here", start.cell_of("move me"))


def test_a_prediction_stands_beside_the_result(start):
    start.wait_for_text("Predict first, in the box above")
    fish = button(start, "I predict", "fish")
    fish.focus()
    start.page.keyboard.press("Space")
    start.wait_for_text("You predicted fish. It is cat.")
    start.page.keyboard.press("Shift+Tab")  # to its neighbour, cat
    start.page.keyboard.press("Space")
    start.wait_for_text("You predicted cat. It is cat. Your prediction holds.")


def test_five_cells_are_read_by_keyboard(start):
    before = height_of(start)
    cell = start.slider("cell")
    for number, answer in enumerate(
        (
            "“it” looks at “cat”",
            "A map has a direction",
            "Nothing: a row",
            "Nothing: all scores",
            "comes later",
        ),
        start=1,
    ):
        cell.press_until("ArrowRight", str(number))
        chosen = button(start, f"cell {number} says", answer)
        chosen.focus()
        start.page.keyboard.press("Space")
        start.wait_for_text(f"{number} of 5 cells read, {number} right.")
        assert height_of(start) == before
    label = "Attention map of one hand-built head under a causal mask"
    start.picture(label).wait_for()
    start.screenshot("00_map", start.cell_of("cell"))


def test_the_pre_test_explains_on_demand(start):
    answer = "All 512 numbers, projected to 64."
    button(start, "answer 2", answer).click()
    start.wait_for_text("Kept. Notebook 04 answers it.")
    start.checkbox("explain each answer").check()
    start.wait_for_text("Right. Each head multiplies the whole vector")
    start.wait_for_text("1 of 5 answered, 1 right.")


def test_it_is_readable_in_the_dark(open_notebook):
    notebook = open_notebook(NOTEBOOK, theme="JupyterLab Dark")
    notebook.run_all()
    notebook.wait_for_text("the page and Python talk")
    notebook.screenshot("00_dark", notebook.cell_of("cell"))
    inks = notebook.panel.locator(".why-quiz p").evaluate_all(
        "all => all.map(p => getComputedStyle(p).color)"
    )
    assert inks
    for ink in inks:
        red = float(ink[ink.index("(") + 1 :].split(",")[0])
        assert red > 150, ink


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Build multi-head", "04_build_multi_head.ipynb"),
        ("One page", "KEEPING_YOUR_WORK.md"),
    ],
)
def test_its_links_open_what_they_name(open_notebook, name, file):
    notebook = open_notebook(NOTEBOOK)
    link = notebook.panel.get_by_role("link", name=name)
    link.scroll_into_view_if_needed()
    link.click()
    tab = notebook.page.locator(".lm-TabBar-tab.lm-mod-current")
    tab.filter(has_text=file).first.wait_for()
    assert notebook.problems == []
