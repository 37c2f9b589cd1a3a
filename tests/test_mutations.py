"""The tests notice bugs: a sample here, all with `python -m tests.mutations`.

The sample holds the classic mistakes, and a change of most modules.
"""

import pytest

from helpers.bugs import BUGS
from tests.mutations import (
    NAMED,
    TESTS,
    mutations,
    outcome,
    outcomes,
    text_of,
)
from tests.tools import ROOT

ALL = mutations()
GALLERY = {
    "bare reshape": "split by one bare reshape",
    "wrong merge": "merge without trading places",
    "√d_model": "scale by the root of d_model",
    "softmax over queries": "softmax over the queries",
    "mask after softmax": "mask after the softmax",
    "tiled KV heads": "key/value heads in the order 0, 1, 0, 1",
}
SAMPLE = (
    "split by one bare reshape",
    "split by one bare reshape where N = h",
    "merge without trading places",
    "scale by the root of d_model",
    "softmax over the queries",
    "mask after the softmax",
    "key/value heads in the order 0, 1, 0, 1",
    "a batch's mask meets the heads",
    "a multiply-add is one FLOP in the scores",
    "results count no more",
    "lengths forget the scale",
    "positions start anew at each step",
    "hidden keys may be the largest",
    "_on_spending raises",
    "a mask that multiplies goes unnamed",
    "what is new has moved",
    "the average of the page",
)


@pytest.mark.parametrize("mutation", ALL, ids=lambda m: f"{m.module}-{m.name}")
def test_a_change_fits_the_code_as_it_is(mutation):
    compile(text_of(mutation), mutation.module, "exec")


def test_the_changes_are_many_and_named_apart():
    names = [(m.module, m.name) for m in ALL]
    assert len(names) == len(set(names)) >= 850
    assert {module for module, _ in names} == set(TESTS)


def test_the_tests_of_a_module_are_named_once_and_are_there():
    assert sum(map(len, NAMED)) == len(TESTS)  # else one list hides another
    for names in TESTS.values():
        for name in names:
            assert (ROOT / "tests" / f"{name}.py").is_file(), name


def test_each_bug_of_the_gallery_is_made_and_sampled():
    assert set(GALLERY) == set(BUGS)
    assert set(GALLERY.values()) <= {m.name for m in ALL} & set(SAMPLE)


def test_d13_each_callback_is_made_to_fail():
    raised = [m for m in ALL if m.name.endswith(" raises")]
    assert len(raised) >= 30
    assert {"_on_width raises", "_on_train raises"} <= {m.name for m in raised}
    for mutation in raised:
        assert text_of(mutation).count('RuntimeError("on purpose")') == 1


def test_the_copy_is_green_before_it_is_changed():
    assert outcome(module="sizes") == "green"


@pytest.fixture(scope="module")
def answers():
    """Return {name: outcome} of the sample, run side by side."""
    chosen = [mutation for mutation in ALL if mutation.name in SAMPLE]
    return {mutation.name: answer for mutation, answer in outcomes(chosen)}


@pytest.mark.parametrize("name", SAMPLE)
def test_a_classic_bug_is_noticed(name, answers):
    assert answers[name] == "red"
