"""A code restores a setting in every explorer; a wrong one moves nothing."""

import random
import re

import ipywidgets as widgets
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.controls.keeping import PIN, UNPIN
from helpers.controls.settings import (
    CodeError,
    OwnWords,
    _values,
    code_of,
    put,
)
from helpers.explorers.grouped import explore_grouped
from helpers.explorers.ledger import explore_ledger
from helpers.explorers.multi_head import explore_multi_head
from helpers.stills import EXPLORERS

KEEPING = {
    name: explore for name, explore in EXPLORERS.items() if explore().dials
}


def shuffled(explorer, rng):
    """Move every dial somewhere, parents first."""
    for dial in explorer.dials.values():
        if isinstance(dial, OwnWords):
            continue
        for control in dial if isinstance(dial, tuple) else (dial,):
            if isinstance(control, widgets.Checkbox):
                control.value = rng.random() < 0.5
            else:
                control.value = rng.choice(_values(control))


def test_all_explorers_but_the_quizzes_keep_a_setting():
    assert set(EXPLORERS) - set(KEEPING) == {"00_map_reading.svg"}


@pytest.mark.parametrize("name", KEEPING)
def test_a_code_brings_a_fresh_copy_to_the_same_picture(name):
    rng = random.Random(name)
    for _ in range(5):
        first, second = KEEPING[name](), KEEPING[name]()
        shuffled(first, rng)
        second.restore(first.code)
        assert second.code == first.code
        assert second.portrait() == first.portrait()


@pytest.mark.parametrize("name", KEEPING)
def test_restoring_is_one_redraw(name, monkeypatch):
    explorer, rng = KEEPING[name](), random.Random(name)
    other = KEEPING[name]()
    shuffled(other, rng)
    shown = []
    show = explorer.show
    monkeypatch.setattr(
        explorer, "show", lambda *a: (shown.append(a), show(*a))
    )
    explorer.restore(other.code)
    assert len(shown) == 1


@pytest.mark.parametrize("name", KEEPING)
def test_a_pinned_copy_lives_for_itself(name):
    explorer = KEEPING[name]()
    shuffled(explorer, random.Random(name))
    code = explorer.code
    explorer.keeping.pin.click()
    copy = explorer.keeping.copy
    assert copy.code == code
    assert explorer.keeping.pin.description == UNPIN
    shuffled(copy, random.Random(name + "2"))
    assert explorer.code == code
    explorer.keeping.pin.click()
    assert copy.comm is None
    assert explorer.keeping.pin.description == PIN


@pytest.mark.parametrize("name", KEEPING)
def test_the_saved_picture_is_the_portrait(name):
    explorer = KEEPING[name]()
    explorer.keeping.save.click()
    link = explorer.keeping.link.value
    assert re.search(r'download="\w+_[0-9-]+\.svg"', link)
    assert 'href="data:image/svg+xml;base64,' in link
    shuffled(explorer, random.Random(5))
    assert explorer.keeping.link.value == ""  # it was of another setting


def test_a_short_code_leaves_the_rest():
    explorer = explore_ledger(h=8, d_model=512, N=4096)
    explorer.restore("24-6-2")
    assert explorer.code.startswith("set 24-6-2-4096-")


def test_own_words_come_back_with_their_places():
    words = 'a "quoted" <b> word, and seven words after it'
    first = explore_multi_head(sentence=words)
    first.query.value = 8
    second = explore_multi_head()
    second.restore(first.code)
    assert second.text.value == words
    assert (second.query.value, second.code) == (8, first.code)
    assert "<b>" not in second.keeping.link.value


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("set 512-5", "h can't be 5 here: 4 is the nearest that can"),
        ("set 500", "d_model can't be 500 here: 512 is the nearest"),
        ("512-8-9", "sentence can't be 9 here: 3 is the nearest"),
        ("set 512-8-0-0-0-999", "relations can't be 999 here: 255"),
        ("set", "whole numbers"),
        ("set 8--1", "whole numbers"),
        ("٣", "whole numbers"),
        ("set 1" + "-1" * 40, "at most 10 numbers"),
        ("9" * 3000, "at most 2,000 characters"),
    ],
)
def test_a_wrong_code_is_refused_and_nothing_moves(code, said):
    explorer = explore_multi_head(h=16, d_model=64)
    before, picture = explorer.code, explorer.maps.widget.value
    with pytest.raises(CodeError, match=re.escape(said)):
        explorer.restore(code)
    assert explorer.code == before
    assert explorer.maps.widget.value == picture
    explorer.keeping.code.value = code
    assert said in explorer.keeping.message.text
    assert explorer.keeping.code.value == before


def test_a_typed_code_moves_the_controls():
    explorer = explore_multi_head()
    explorer.keeping.code.value = "24-6"
    assert (explorer.d_model.value, explorer.h.value) == (24, 6)
    assert "where the code says" in explorer.keeping.message.text
    explorer.h.value = 3
    assert explorer.keeping.message.text == ""
    assert explorer.keeping.code.value == explorer.code


def test_words_where_none_are_possible():
    with pytest.raises(CodeError, match="No words of your own"):
        explore_ledger().restore('set 512 "cat"')


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet='set0123456789- "x', max_size=24))
def test_any_text_restores_or_moves_nothing(code):
    dials = {
        "odd": widgets.SelectionSlider(options=(1, 3, 5), value=3),
        "on": widgets.Checkbox(value=True),
        "some": (widgets.Checkbox(value=True), widgets.Checkbox()),
        "colour": widgets.ToggleButtons(options=["red", "blue"]),
    }
    before = code_of(dials)
    assert before == "set 3-1-1-0"
    try:
        put(code, dials)
    except CodeError as error:
        assert str(error).endswith(".")
        put(before, dials)
        assert code_of(dials) == before
    else:
        again = code_of(dials)
        put(again, dials)
        assert code_of(dials) == again


def test_large_type_is_one_class_on_the_whole_explorer():
    explorer = explore_ledger()
    explorer.keeping.large.value = True
    assert "why-large" in explorer._dom_classes
    explorer.keeping.large.value = False
    assert "why-large" not in explorer._dom_classes


@pytest.mark.parametrize("text", ["", "w " * 2000, "y" * 3000])
def test_text_that_cannot_be_used_is_kept_by_a_wrong_code(text):
    explorer = explore_multi_head()
    explorer.text.value = text
    before = explorer.code
    explorer.keeping.code.value = "set 256-3-99"  # 256 alone would do
    assert "Nothing has moved." in explorer.keeping.message.text
    assert (explorer.code, explorer.d_model.value) == (before, 512)


@pytest.mark.parametrize("text", ["", "w " * 2000, "y" * 3000])
def test_text_that_cannot_be_used_can_be_pinned_and_not_saved(text):
    explorer = explore_multi_head()
    explorer.text.value = text
    explorer.keeping.pin.click()
    assert explorer.keeping.copy.code == explorer.code
    explorer.keeping.save.click()
    assert "Nothing is saved." in explorer.keeping.message.text
    assert explorer.keeping.link.value == ""


@pytest.mark.parametrize(
    ("explore", "code", "said"),
    [
        (explore_multi_head, "set 512", ""),
        (explore_multi_head, "set 60", "h moved from 8 to 6 with it."),
        (explore_multi_head, "set 60-12", ""),
        (
            explore_ledger,
            "set 60",
            "h moved from 8 to 6 with it. n_kv moved from 8 to 6 with it.",
        ),
        (explore_grouped, "set 12", "n_kv moved from 4 to 40 with it."),
    ],
)
def test_a_short_code_says_what_else_had_to_move(explore, code, said):
    explorer = explore()
    field = explorer.keeping.code
    field.value = code
    stands = "The controls stand where the code says."
    assert explorer.keeping.message.text == f"{stands} {said}".strip()
