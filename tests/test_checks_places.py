"""The checks of notebook 03's exercise on places in the values."""

import numpy as np
import pytest

from helpers.checks import places
from helpers.checks.places import (
    PLACES_CLAIMS,
    check_places,
    check_places_claims,
)
from helpers.learn.model import Model
from helpers.learn.study import shipped
from helpers.learn.training import examine, train
from helpers.learn.who_did_what import WhoDidWhat


def test_training_may_take_longer_than_other_answers(monkeypatch):
    monkeypatch.setattr("helpers.checks.verdict.SECONDS", 0.01)
    monkeypatch.setattr(places, "STEPS", (2, 3))
    assert check_places(answer()).ok
    monkeypatch.setattr(places, "PATIENCE", 0.01)
    verdict = check_places(answer())
    assert "stopped after 0.01 seconds" in verdict.sentence
    assert "a few seconds" in verdict.hint


def answer(
    h=1,
    positions="Q, K, V",
    of="p_correct",
    roles=("subject", "object"),
    sides=(False, True),
    seed=0,
    generator=9,
    share=0.5,
):
    """Return an answer to the exercise; the defaults are the right one."""

    def f(steps):
        task = WhoDidWhat()
        model = Model(task.settings(h=h, positions=positions), seed)
        for _ in train(model, task, steps=steps, seed=seed):
            pass
        found = []
        for held in sides:
            rng = np.random.default_rng(generator)
            scores = examine(model, task.draw(rng, 1000, held))
            found.append(share * sum(getattr(scores[r], of) for r in roles))
        return found

    return f


ALL_ROLES = ("subject", "object", "antecedent")
WRONG = {
    "swapped": (answer(sides=(True, False)), "swapped"),
    "accuracy": (answer(of="accuracy"), "accuracies"),
    "loss": (answer(of="loss"), "cross-entropies"),
    "antecedent": (answer(roles=ALL_ROLES, share=1 / 3), "antecedent"),
    "sum": (answer(share=1), "added"),
    "seen twice": (answer(sides=(False, False)), "of seen pairs"),
    "places left out": (answer(positions="Q, K"), "not in the values"),
    "two heads": (answer(h=2), "two heads"),
    "another seed": (answer(seed=1), "instead of"),
    "another draw": (answer(generator=8), "instead of"),
    "one number": (lambda steps: 0.5, "two numbers"),
    "written in": (lambda steps: answer()(120), "same for two"),
    "NaN": (lambda steps: [np.nan] * 2, "NaN"),
    "stops": (lambda steps: 1 / 0, "ZeroDivisionError"),
}


@pytest.mark.parametrize("form", (list, tuple, np.array), ids=str)
def test_accepts(form):
    verdict = check_places(lambda steps: form(answer()(steps)))
    assert verdict.ok, str(verdict)


@pytest.mark.parametrize(("f", "said"), WRONG.values(), ids=WRONG)
def test_names_the_mistake(f, said):
    verdict = check_places(f)
    assert verdict.status == "no" and verdict.hint
    assert said in verdict.sentence


def test_a_stub_is_not_yet():
    for f in (None, lambda steps: ..., lambda steps: None):
        assert check_places(f).status == "not yet"
    assert check_places_claims({...}).status == "not yet"
    assert check_places_claims(...).status == "not yet"


def test_the_claims_that_hold():
    assert check_places_claims({"A", "C"}).ok
    for claim in PLACES_CLAIMS:
        others = {"A", "C"} ^ {claim.letter}
        assert check_places_claims(others).status == "no", claim


def test_claims_b_to_e_are_what_was_measured():
    """B and C by one softmax; D and E by the shipped study."""
    results = shipped("variants")

    def p(row, what):
        return np.mean(
            [results[row][f"P {r}, {what}"] for r in places.AT_VERB], axis=0
        )

    one, long = "places in V", "places in V, three times as long"
    assert p(one, "new").max() < 0.8 < p("two heads", "new").min()
    assert (p(long, "seen") - p(long, "new")).mean() > (
        p(one, "seen") - p(one, "new")
    ).mean()
