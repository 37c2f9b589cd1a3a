"""Notebook 11 by keyboard: the clock, the points, the follow-ups."""

import pytest

NOTEBOOK = "notebooks/11_say_it_out_loud.ipynb"


@pytest.fixture
def aloud(run_notebook):
    """Return the notebook, run to its end."""
    return run_notebook(NOTEBOOK, "A stream goes from left to right")


def press(notebook, locator, key="Space"):
    locator.wait_for()  # what is not shown yet can't take the focus
    locator.focus()
    notebook.page.keyboard.press(key)


def top_of(notebook, text):
    return notebook.panel.get_by_text(text).first.bounding_box()["y"]


def test_a_card_is_timed_and_marked_by_keyboard(aloud):
    first, second = aloud.panel.get_by_role("timer").all()
    start = aloud.panel.get_by_role("button", name="start the clock").first
    start.scroll_into_view_if_needed()
    before = top_of(aloud, "One way to say it")
    press(aloud, start, "Enter")
    aloud.panel.get_by_role("timer", name="0:02 of 1:00").wait_for()
    assert top_of(aloud, "One way to say it") == before
    assert second.get_attribute("aria-label") == "0:00 of 3:00"
    stop = aloud.panel.get_by_role("button", name="stop the clock").first
    press(aloud, stop)
    aloud.wait_for_text("Now mark what you said.")
    stood = first.get_attribute("aria-label")
    press(aloud, aloud.checkbox("show the points").first)
    press(aloud, aloud.checkbox("A row of weights sums to 1").first)
    aloud.wait_for_text("You said 1 of 6 points: the budget. Missing:")
    assert first.get_attribute("aria-label") == stood
    aloud.screenshot("11_card", aloud.panel.get_by_role("timer").first)


def test_follow_ups_are_unfolded_and_marked_by_keyboard(aloud):
    question = aloud.slider("question")
    question.press("ArrowRight")
    question.wait_until("2 of 13")
    aloud.wait_for_text("What do heads learn?")
    fold = aloud.panel.locator("summary", has_text="A good answer").first
    press(aloud, fold, "Enter")
    aloud.panel.get_by_text("Notebook 08 shows it.").first.wait_for()
    press(aloud, aloud.panel.get_by_role("button", name="not yet").first)
    aloud.wait_for_text("Read again: what heads learn (08).")
    assert aloud.panel.get_by_text("Notebook 08 shows it.").first.is_visible()


def test_the_page_to_print_is_saved(aloud):
    link = aloud.panel.get_by_text("save this page, to print it")
    link.scroll_into_view_if_needed()
    with aloud.page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "attention_on_one_page.html"
    text = download.value.path().read_text(encoding="utf-8")
    assert text.count("1,610,612,736") == 3
