"""The budget explorer, headless: every value, corner pairs, what it says."""

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers.explorers.budget import explore_budget, views
from helpers.explorers.budget.explorer import SENTENCE_CHOICES, STEP
from helpers.explorers.budget.rows import ATE, IT, WHOLE, reads_both, row_of
from helpers.pictures.colours import RELATION_COLOURS
from helpers.sizes import SizeError
from tests.explorers import count_shows, is_old, plant_failure

SLIDERS = [(head, ATE, noun) for head in (0, 1) for noun in (0, 1)]
SLIDERS += [(0, IT, noun) for noun in (0, 1)]


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_budget()


def slider(explorer, head, query, noun):
    return explorer.budgets[head, query][noun]


def result_of(explorer):
    return explorer.compute(explorer.read())


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state, result = explorer.read(), result_of(explorer)
    assert len(result.rows) == state.h + 1
    for row in result.rows:
        assert row.shares.sum() == pytest.approx(1, abs=1e-12)
        assert (row.shares >= 0).all()
        if state.causal:
            assert (row.shares[row.query + 1 :] == 0).all()
    errors = [reading.error for reading in result.readings]
    assert all(0 <= error <= 1 for error in errors)
    if state.h == 1:
        assert errors[0] + errors[1] >= 1 - 1e-12
    for pair in explorer.budgets.values():
        assert sum(each.value for each in pair) <= WHOLE
    picture = ET.fromstring(explorer.bars.picture)
    assert picture.get("aria-label").startswith("Budgets: head 1, row ate")
    assert explorer.bars.widget.value == explorer.bars.picture
    assert explorer.status.text.startswith("Errors: verb → subject")


def test_the_default_is_half_and_half(explorer):
    assert explorer.status.text == (
        "Errors: verb → subject 0.50, verb → object 0.50, pronoun → "
        "antecedent 0.00. Subject and object together 1.00; one row can't "
        "get below 1.00."
    )
    assert "The same output" in explorer.verdict.picture
    is_sound(explorer)


@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("sentence", SENTENCE_CHOICES)
@pytest.mark.parametrize("heads", (1, 2))
def test_every_value_of_every_slider(explorer, heads, sentence, causal):
    explorer.heads.value = heads
    explorer.sentence.value = sentence
    explorer.causal.value = causal
    explorer.show_table.value = True
    for place in SLIDERS:
        for _, percent in slider(explorer, *place).options:
            slider(explorer, *place).value = percent
            is_sound(explorer)
            assert slider(explorer, *place).value == percent


def test_corner_pairs(explorer):
    for heads, first, second in itertools.product(
        (1, 2), itertools.permutations(SLIDERS, 2), ((0, 100), (100, 100))
    ):
        explorer.heads.value = heads
        for place, value in zip(first, second, strict=True):
            slider(explorer, *place).value = value
            is_sound(explorer)


def test_two_heads_reach_zero(explorer):
    explorer.heads.value = 2
    slider(explorer, 0, ATE, 0).value = WHOLE
    slider(explorer, 1, ATE, 1).value = WHOLE
    assert [r.error for r in result_of(explorer).readings] == [0, 0, 0]
    assert "can both be read" in explorer.verdict.picture


def test_under_the_mask_a_word_sees_itself_and_what_stands_before():
    found = row_of(9, ATE, (30, 50), causal=True)
    assert found == pytest.approx([0.35, 0.3, 0.35, *[0] * 6])
    found = row_of(9, IT, (30, 50), causal=True)
    assert found == pytest.approx(
        [0.04, 0.3, 0.04, 0.04, 0.5, 0.04, 0.04, 0, 0]
    )


def test_the_other_noun_gives_way_and_it_is_said(explorer):
    slider(explorer, 0, ATE, 1).value = 80
    assert slider(explorer, 0, ATE, 0).value == 20
    assert explorer.message.text == (
        "“ate” has 1.00 to spend: what it gives to the 1st noun fell from "
        "0.50 to 0.20."
    )
    slider(explorer, 0, IT, 1).value = 60
    assert "“it” has 1.00 to spend" in explorer.message.text
    assert slider(explorer, 0, ATE, 0).value == 20  # another row


def test_sentences_move_the_targets(explorer):
    assert result_of(explorer).readings[2].error == 0
    explorer.sentence.value = "tasty"
    assert result_of(explorer).readings[2].error == 1
    assert "it → fish" in explorer.bars.picture
    explorer.sentence.value = "swapped"
    assert "ate → fish, read from head 1" in explorer.bars.picture
    assert result_of(explorer).readings[2].error == 0


def test_each_part_that_is_asked_for_has_its_relations_colour(explorer):
    explorer.sentence.value = "tasty"
    ate, it = views.budgets(result_of(explorer))
    coloured = [
        {name: colour for name, _, colour in row.parts if colour}
        for row in (ate, it)
    ]
    first, second, third = RELATION_COLOURS[:3]
    assert coloured == [{"cat": first, "fish": second}, {"fish": third}]


def test_the_mask_hides_the_object_for_any_number_of_heads(explorer):
    explorer.heads.value = 2
    slider(explorer, 1, ATE, 1).value = WHOLE
    explorer.causal.value = True
    assert result_of(explorer).readings[1].error == 1
    assert "hidden by the mask" in explorer.bars.picture
    assert "1.00 of it stays" in explorer.status.text
    assert slider(explorer, 1, ATE, 1).disabled
    assert not slider(explorer, 0, IT, 1).disabled
    assert "can't see" in explorer.message.text
    explorer.causal.value = False
    assert not slider(explorer, 1, ATE, 1).disabled
    assert result_of(explorer).readings[1].error == 0


def test_the_mask_hides_what_comes_later_and_nothing_else(explorer):
    slider(explorer, 0, ATE, 0).value = 30
    explorer.causal.value = True
    readings = result_of(explorer).readings
    assert [r.hidden for r in readings] == [r.key > r.query for r in readings]
    assert [r.hidden for r in readings].count(True) == 1
    assert "0.30 cat + 0.00 fish" in explorer.verdict.picture
    assert "0.00 cat + 0.30 fish" in explorer.verdict.picture
    assert "The object is hidden" in explorer.verdict.picture


@pytest.mark.parametrize(
    ("spent", "said"),
    [
        ([(50, 50)], "The same output"),
        ([(60, 30)], "three, one row still can't"),
        ([(60, 40), (60, 40)], "same proportion"),
        ([(60, 40), (30, 20)], "same proportion"),
        ([(50, 50), (25, 25)], "The same output"),
        ([(80, 10), (10, 80)], "can both be read"),
        ([(50, 50), (100, 0)], "can both be read"),
        ([(60, 40), (0, 0)], "same proportion"),
    ],
)
def test_what_can_be_read_is_said_and_right(explorer, spent, said):
    explorer.heads.value = len(spent)
    for head, shares in enumerate(spent):
        for noun, share in enumerate(shares):
            slider(explorer, head, ATE, noun).value = 0
        for noun, share in enumerate(shares):
            slider(explorer, head, ATE, noun).value = share
    assert said in explorer.verdict.picture.replace("&#x27;", "'")
    found = reads_both(spent)
    assert found == ("can both" in said)
    assert found == best_reader_names_both(spent)


def best_reader_names_both(spent, M=3):
    """Fit the best linear read-out of each role on all pairs of M nouns."""
    pairs = [(s, o) for s in range(M) for o in range(M) if s != o]
    s, o = np.array(pairs).T
    eye = np.eye(M)
    out = np.hstack([a * eye[s] + b * eye[o] for a, b in spent]) / 100
    for wanted in (s, o):
        G = np.zeros((out.shape[1], M))
        for _ in range(4000):
            p = np.exp(out @ G)
            p /= p.sum(axis=1, keepdims=True)
            G -= 2 * out.T @ (p - eye[wanted])
        if ((out @ G).argmax(axis=1) != wanted).any():
            return False
    return True


@pytest.mark.parametrize("control", ("heads", "sentence", "causal", "ate"))
def test_one_move_is_one_redraw(explorer, control, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    values = {"heads": 2, "sentence": "swapped", "causal": True}
    if control == "ate":
        slider(explorer, 0, ATE, 0).value = 95  # the other gives way
    else:
        getattr(explorer, control).value = values[control]
    assert len(shows) == 1


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.heads.value = 2
    assert "planted" in explorer.message.text
    assert is_old(explorer.bars)


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"heads": 3}, SizeError, "from 1 to 2"),
        ({"heads": 0}, SizeError, "from 1 to 2"),
        ({"heads": "two"}, SizeError, "whole number"),
        ({"sentence": "mine"}, ValueError, "hungry, tasty, swapped"),
    ],
)
def test_a_start_that_is_not_possible(settings, error, said):
    with pytest.raises(error, match=re.escape(said)):
        explore_budget(**settings)


def test_starts_that_are(explorer):
    other = explore_budget(heads=2, sentence="tasty", causal=True)
    is_sound(other)
    assert (explorer.heads.value, other.heads.value) == (1, 2)


def test_the_rows_as_a_table_sum_to_one(explorer):
    slider(explorer, 0, ATE, 0).value = 35
    explorer.show_table.value = True
    rows = re.findall(r"<tr>(.*?)</tr>", explorer.rows_table.picture)[1:]
    assert len(rows) == 2
    for row in rows:
        cells = re.findall(r"<td[^>]*>([^<]*)", row)
        assert sum(map(float, cells)) == pytest.approx(1, abs=0.005)
    explorer.show_table.value = False
    assert explorer.rows_table.widget.value == ""


def test_every_control_has_a_description(explorer):
    controls = [explorer.heads, explorer.sentence, explorer.causal]
    controls += [slider(explorer, *place) for place in SLIDERS]
    said = [control.description for control in controls]
    assert all(said) and len(set(said)) == len(said)
    assert len(slider(explorer, *SLIDERS[0]).options) == WHOLE // STEP + 1


def test_the_second_heads_sliders_keep_their_place(explorer):
    one = slider(explorer, 1, ATE, 0)
    assert (one.layout.visibility, one.disabled) == ("hidden", True)
    explorer.heads.value = 2
    assert (one.layout.visibility, one.disabled) == ("visible", False)
