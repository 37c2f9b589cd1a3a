"""The tests notice bugs: a sample here, all with `python -m tests.mutations`.

The sample holds the classic mistakes, and a change of most modules.
"""

import pytest

from tests.mutations import TESTS, mutations, outcome, outcomes, text_of

ALL = mutations()
SAMPLE = (
    "split by one bare reshape",
    "merge without trading places",
    "scale by the root of d_model",
    "softmax over the queries",
    "mask after the softmax",
    "key/value heads in the order 0, 1, 0, 1",
    "a batch's mask meets the heads",
    "a multiply-add is one FLOP in the scores",
    "results count no more",
    "lengths forget the scale",
)


@pytest.mark.parametrize("mutation", ALL, ids=lambda m: f"{m.module}-{m.name}")
def test_a_change_fits_the_code_as_it_is(mutation):
    compile(text_of(mutation), mutation.module, "exec")


def test_the_changes_are_many_and_named_apart():
    names = [(m.module, m.name) for m in ALL]
    assert len(names) == len(set(names)) >= 100
    assert {module for module, _ in names} == set(TESTS)


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
