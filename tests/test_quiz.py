"""Predictions and quizzes: each answer is explained, each box is its own."""

import importlib
import pkgutil
import re

import numpy as np
import pytest

from helpers import questions
from helpers.controls import runs
from helpers.questions import Choice, Question
from helpers.questions.pre_test import PRE_TEST
from helpers.quiz import pre_test, predict, quiz
from helpers.quiz.asking import in_words
from helpers.quiz.predictions import numbers_between

HOSTILE = "<img src=x onerror=alert(1)> $ $5 $$ a_b & \"'"


def all_questions():
    """Return every question that any file of helpers/questions holds."""
    found = {}
    for module in pkgutil.iter_modules(questions.__path__):
        content = importlib.import_module(f"helpers.questions.{module.name}")
        for value in vars(content).values():
            for item in value if isinstance(value, tuple) else ():
                item = getattr(item, "question", item)
                if isinstance(item, Question):
                    found.setdefault(module.name, []).append(item)
    return [
        pytest.param(item, id=f"{name}-{number}")
        for name, items in found.items()
        for number, item in enumerate(items, start=1)
    ]


def question(right=1):
    return Question(
        "Which?",
        (Choice("one", "first"), Choice("two", "second"), Choice("3", "3rd")),
        right,
        "04",
    )


# --- the questions ------------------------------------------------------


@pytest.mark.parametrize("asked", all_questions())
def test_every_choice_has_a_reason_of_its_own(asked):
    reasons = [choice.because for choice in asked.choices]
    assert len(set(reasons)) == len(reasons)
    assert all(len(reason.split()) >= 5 for reason in reasons)
    assert all(len(reason) <= 320 for reason in reasons)
    assert all(len(choice.text) <= 110 for choice in asked.choices)
    assert asked.text.endswith(("?", ".", ":"))


@pytest.mark.parametrize("asked", all_questions())
def test_choosing_each_answer_explains_it(asked):
    box = quiz([asked])
    for place, choice in enumerate(asked.choices):
        box.asked[0].choice.value = place
        word = "Right." if place == asked.right else "Not so."
        assert box.asked[0].verdict.text == f"{word} {choice.because}"


def test_the_pre_test_covers_five_questions():
    assert len(PRE_TEST) == 5
    assert len({asked.right for asked in PRE_TEST}) > 2
    assert all(asked.answered_in for asked in PRE_TEST)


@pytest.mark.parametrize(
    ("choices", "right"),
    [
        ((Choice("one", "a"),), 0),
        ((Choice("one", "a"), Choice("one", "b")), 0),
        ((Choice("one", "a"), Choice("two", "b")), 2),
        ((Choice("one", "a"), Choice("two", " ")), 0),
    ],
)
def test_a_question_without_a_choice_is_refused(choices, right):
    with pytest.raises(ValueError):
        Question("Which?", choices, right)


# --- quizzes ------------------------------------------------------------


def test_nothing_is_chosen_and_nothing_said_at_first():
    box = quiz([question(), question(2)])
    assert box.message.text == "0 of 2 answered, 0 right."
    assert all(asked.verdict.text == "" for asked in box.asked)


def test_an_answer_leaves_the_others_alone():
    box = quiz([question(), question(2)])
    box.asked[1].choice.value = 2
    assert box.asked[0].verdict.text == ""
    assert box.message.text == "1 of 2 answered, 1 right."


def test_the_pre_test_keeps_answers_and_explains_on_demand():
    box = pre_test()
    for asked in box.asked:
        assert "right" not in box.message.text
        assert asked.verdict.text == ""
        asked.choice.value = 0
        notebook = asked.question.answered_in
        assert asked.verdict.text == f"Kept. Notebook {notebook} answers it."
    right = sum(asked.right == 0 for asked in PRE_TEST)
    assert box.message.text == f"5 of 5 answered, {right} right."
    box.explain.value = True
    for asked in box.asked:
        assert asked.verdict.text.endswith(asked.question.choices[0].because)


def test_two_copies_are_independent():
    first, second = pre_test(), pre_test()
    first.asked[0].choice.value = 1
    assert second.asked[0].choice.value is None
    assert second.message.text == "0 of 5 answered."


def test_hostile_text_is_shown_literally():
    hostile = Question(
        HOSTILE, (Choice(HOSTILE, HOSTILE), Choice("two", HOSTILE)), 0
    )
    box = quiz([hostile])
    box.asked[0].choice.value = 0
    html = box._repr_mimebundle_()["text/html"]
    for shown in (
        box.asked[0].text.value,
        box.asked[0].verdict.widget.value,
        html,
    ):
        assert "<img" not in shown
        assert "&lt;img" in shown


def test_a_failure_is_seen(monkeypatch):
    box = quiz([question()])
    monkeypatch.setattr(type(box), "compute", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        box.asked[0].choice.value = 0
    assert "ZeroDivisionError" in box.message.text


def test_without_a_kernel_the_answers_are_folded():
    bundle = pre_test()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    html = bundle["text/html"]
    assert html.count("<details>") == 5
    for tag in ("style>", "<svg", "<script", "<img"):
        assert tag not in html
    assert PRE_TEST[0].text in bundle["text/plain"]


@pytest.mark.parametrize("asked", [(), ["Which?"]])
def test_a_quiz_of_no_questions_is_refused(asked):
    with pytest.raises(ValueError, match="helpers/questions"):
        quiz(asked)


def test_the_verdict_has_its_height_before_it_speaks():
    long = Question(
        "Which?", (Choice("one", "why " * 80), Choice("two", "second")), 0
    )
    box = quiz([long, question()])
    heights = [
        re.search(r"calc\(([\d.]+)em", asked.verdict.widget.value)[1]
        for asked in box.asked
    ]
    assert heights == ["6.0", "1.5"]


def test_every_control_has_a_description():
    box, few = pre_test(), predict("How much?", (3, 5))
    many = predict("How much?", low=0.0, high=1.0)
    for control in (
        *(asked.choice for asked in box.asked),
        box.explain,
        *few.controls,
        *many.controls,
        few.beside(3).anyway,
    ):
        assert control.description


# --- predictions --------------------------------------------------------


def test_a_result_waits_for_its_prediction():
    guess = predict("How much?", (0.25, 0.5, 1.0))
    shown = guess.beside(np.float64(0.5), "The row is shared.")
    assert guess.kept is None
    assert shown.message.text.startswith("Predict first")
    guess.choice.value = 0
    assert guess.kept == 0.25
    assert shown.message.text == (
        "You predicted 0.25. It is 0.5. The row is shared."
    )
    guess.choice.value = 1
    assert "Your prediction holds." in shown.message.text


def test_a_result_can_be_shown_without_a_prediction():
    shown = predict("Which?", ("rows", "columns")).beside("rows")
    shown.anyway.value = True
    assert shown.message.text == "It is rows."


def test_a_slider_counts_when_it_is_kept():
    guess = predict("How much?", low=0, high=1, step=0.05)
    shown = guess.beside(1 / 3)
    guess.choice.value = 7
    assert guess.kept is None
    assert shown.message.text.startswith("Predict first")
    guess.keep.value = True
    assert guess.choice.disabled
    assert shown.message.text == (
        "You predicted 0.35. It is 0.3333. No other choice is nearer."
    )
    guess.keep.value = False
    assert not guess.choice.disabled
    assert shown.message.text.startswith("Predict first")


def test_every_choice_can_be_predicted():
    for choices in (("a", "b", "c"), tuple(range(11)), (1.5, 2.5)):
        guess = predict("Which?", choices)
        guess.keep.value = True
        for place, choice in enumerate(choices):
            guess.choice.value = place
            assert guess.kept == choice
            assert in_words(choice) in guess.message.text


@pytest.mark.parametrize(
    ("arguments", "count", "last"),
    [
        ((0, 9), 10, 9),
        ((0, 1, 0.05), 21, 1),
        ((0.0, 1.0), 21, 1),
        ((512, 4096, 512), 8, 4096),
        ((0, 10, 3), 4, 9),
        ((0, 0.3, 0.1), 4, 0.3),  # 0.3 / 0.1 is a little less than 3
    ],
)
def test_numbers_between(arguments, count, last):
    found = numbers_between(*arguments)
    assert len(found) == count
    assert found[-1] == last


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"low": 3},
        {"low": 3, "high": 3},
        {"low": 0, "high": 10**9},
        {"low": 0, "high": 1, "step": 0},
        {"low": 0, "high": 1, "step": -0.1},
        {"low": 0, "high": float("nan")},
        {"choices": ()},
        {"choices": ("a",)},
        {"choices": ("a", "a")},
        {"choices": (1, 1.0)},
        {"low": "text", "high": 6},
        {"low": -np.inf, "high": 6},
        {"low": 0, "high": 6, "step": "text"},
        {"low": 0, "high": 6, "step": np.nan},
    ],
)
def test_nothing_to_choose_is_refused(settings):
    with pytest.raises(ValueError, match="choices|low=|step must be"):
        predict("How much?", **settings)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1610612736, "1,610,612,736"),
        (np.int64(1024), "1,024"),
        (0.25, "0.25"),
        (1 / 3, "0.3333"),
        (12345.678, "12,346"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        ("4.5 × more", "4.5 × more"),
        (True, "True"),
    ],
)
def test_values_in_words(value, said):
    assert in_words(value) == said


def test_hostile_predictions_are_shown_literally():
    guess = predict(HOSTILE, (HOSTILE, "two"))
    shown = guess.beside(HOSTILE, HOSTILE)
    guess.choice.value = 0
    html = [box._repr_mimebundle_()["text/html"] for box in (guess, shown)]
    for text in (*html, shown.message.widget.value):
        assert "<img" not in text
        assert "&lt;img" in text


def test_the_result_hides_behind_a_fold_without_a_kernel():
    shown = predict("How much?", (3, 5)).beside(5, "So it is.")
    html = shown._repr_mimebundle_()["text/html"]
    assert html.index("<details>") < html.index("It is 5.")


def test_a_rerun_closes_the_box_and_tells_its_results(monkeypatch):
    run = ["a"]
    monkeypatch.setattr(runs, "_RUNS", {})
    monkeypatch.setattr(runs, "_this_run", lambda: ("cell 1", run[0]))
    guess = predict("How much?", (3, 5))
    monkeypatch.setattr(runs, "_this_run", lambda: ("cell 2", run[0]))
    shown = guess.beside(5)
    run[0] = "b"
    other = guess.beside(5)
    assert shown.comm is None
    guess.choice.value = 0
    assert shown.message.text.startswith("Predict first")  # it is gone
    assert other.message.text.startswith("You predicted 3")
    monkeypatch.setattr(runs, "_this_run", lambda: ("cell 1", run[0]))
    again = predict("How much?", (3, 5))
    assert again.kept is None
    assert guess.comm is None
    assert "Run this one again" in other.message.text


def test_every_result_of_a_closed_box_is_told():
    guess = predict("How much?", (3, 5))
    results = [guess.beside(5), guess.beside(7, "Another.")]
    guess.close()
    for shown in results:
        assert "Run this one again" in shown.message.text
