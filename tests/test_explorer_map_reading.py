"""The map of notebook 00: five cells, each with its question."""

import re

import numpy as np
import pytest

from helpers.attention import causal_mask
from helpers.explorers import map_reading
from helpers.explorers.map_reading import (
    TOKENS,
    as_table,
    explore_map,
    map_of_one_head,
)
from helpers.questions.map_reading import CELLS
from tests.explorers import is_old


@pytest.fixture
def reading():
    return explore_map()


def shown(reading):
    """Return the one question that is to be seen."""
    (seen,) = [
        asked
        for asked in reading.asked
        if asked.choice.layout.display != "none"
    ]
    return seen


# --- what the questions say of the map ----------------------------------


def test_the_map_holds_what_the_questions_say():
    attn = map_of_one_head(causal=False)
    places = {token: place for place, token in enumerate(TOKENS)}
    cat, ate, fish = places["cat"], places["ate"], places["fish"]
    it, because = places["it"], places["because"]
    assert attn[it, cat] == pytest.approx(1, abs=0.005)
    assert attn[cat, it] == pytest.approx(1 / 9)
    assert attn[ate, [cat, fish]] == pytest.approx([0.5, 0.5], abs=0.005)
    assert 0.5 + 0.5 + 7 * 0.11 == pytest.approx(1.77)
    assert attn[because] == pytest.approx(np.full(9, 1 / 9))
    masked = map_of_one_head(causal=True)
    assert masked[ate, cat] == pytest.approx(1, abs=0.005)
    assert masked[ate, fish] == 0
    assert not causal_mask(len(TOKENS))[ate, fish]


def test_the_cells_are_those_that_their_questions_name():
    for cell in CELLS:
        row, column = TOKENS[cell.query], TOKENS[cell.key]
        assert f"“{row}”" in cell.question.text
        if row != "because":
            assert f"“{column}”" in cell.question.text


def test_the_scores_of_cat_and_fish_are_equal():
    """Cell 5 says so of the row "ate"."""
    attn = map_of_one_head(causal=False)
    assert attn[2, 4] == pytest.approx(attn[2, 1])


# --- what the explorer does ---------------------------------------------


def test_every_cell_shows_its_question_and_outline(reading):
    pictures = set()
    for place, cell in enumerate(CELLS):
        reading.cell.value = place
        assert shown(reading).question is cell.question
        svg = reading.map.widget.value
        assert 'role="img"' in svg
        label = re.search(r'aria-label="([^"]*)"', svg)[1]
        assert f"row {TOKENS[cell.query]}" in label
        assert f"column {TOKENS[cell.key]}" in label
        assert ("causal mask" in label) == cell.causal
        assert reading.status.text in label
        pictures.add(svg)
    assert len(pictures) == len(CELLS)


def test_every_answer_of_every_cell_is_explained_and_kept(reading):
    for place, cell in enumerate(CELLS):
        reading.cell.value = place
        for number, choice in enumerate(cell.question.choices):
            asked = shown(reading)
            asked.choice.value = number
            assert asked.verdict.text.endswith(choice.because)
            right = number == cell.question.right
            assert asked.verdict.text.startswith("Right.") == right
        asked.choice.value = cell.question.right
        assert reading.message.text == (
            f"{place + 1} of 5 cells read, {place + 1} right."
        )
    reading.cell.value = 0
    assert shown(reading).choice.value == CELLS[0].question.right


def test_the_weight_is_that_of_the_outlined_cell(reading):
    for place, cell in enumerate(CELLS):
        reading.cell.value = place
        attn = map_of_one_head(cell.causal)
        assert (reading.compute(reading.read()) == attn).all()
        said = f"weight {attn[cell.query, cell.key]:.2f}"
        if cell.causal and cell.key > cell.query:
            said = "hidden by the mask"
        assert reading.status.text == (
            f"Outlined: row {TOKENS[cell.query]}, "
            f"column {TOKENS[cell.key]}, {said}."
        )


def test_a_wrong_answer_is_read_but_not_right(reading):
    for place, cell in enumerate(CELLS):
        reading.cell.value = place
        shown(reading).choice.value = 1 - min(cell.question.right, 1)
        assert reading.message.text == f"{place + 1} of 5 cells read, 0 right."


def test_one_move_draws_one_picture(reading, monkeypatch):
    drawn = []
    draw = map_reading.draw
    monkeypatch.setattr(
        map_reading, "draw", lambda place: drawn.append(place) or draw(place)
    )
    reading.cell.value = 1
    assert drawn == [1]
    refreshed = []
    monkeypatch.setattr(reading, "refresh", lambda: refreshed.append(1))
    shown(reading).choice.value = 0
    assert refreshed == [1]


def test_the_map_as_a_table(reading):
    assert reading.table.widget.value == ""
    reading.show_table.value = True
    assert reading.table.widget.value.count("<tr>") == len(TOKENS) + 1
    reading.cell.value = len(CELLS) - 1
    assert reading.table.widget.value.count("hidden") == 9 * 8 / 2
    reading.show_table.value = False
    assert reading.table.widget.value == ""


def test_the_table_holds_the_weights():
    assert as_table(False).count("0.50") == 2
    assert as_table(False).count("1.00") == 1


def test_a_failure_is_seen_and_the_picture_marked_old(reading, monkeypatch):
    monkeypatch.setattr(reading, "compute", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        reading.cell.value = 3
    assert "ZeroDivisionError" in reading.message.text
    assert is_old(reading.map)


def test_two_copies_are_independent():
    first, second = explore_map(), explore_map()
    first.cell.value = 3
    shown(first).choice.value = 1
    assert second.cell.value == 0
    assert second.message.text == "0 of 5 cells read, 0 right."


def test_without_a_kernel_there_is_a_picture_and_a_list(reading):
    bundle = reading._repr_mimebundle_()
    html = bundle["text/html"]
    assert html.startswith('<img alt="Attention map')
    assert html.count("<details>") == len(CELLS)
    assert "<svg" not in html


def test_every_control_has_a_description(reading):
    controls = [reading.cell, reading.show_table]
    for control in (*controls, *(a.choice for a in reading.asked)):
        assert control.description
