"""The right numbers in a wrong form, and errors with advice of their own."""

import numpy as np
import pytest

from helpers.attention import softmax
from helpers.checks import check_multi_head, check_split_heads, verdict
from helpers.checks.answers import ask, judge, numbers
from helpers.checks.by_heart import check_factors, check_llama_bytes
from helpers.checks.cache_bytes import check_cache_bytes, right_bytes
from helpers.checks.forms import (
    ADVICE,
    CALLED_WRONGLY,
    kind_in_words,
    refuse_another_form,
)
from helpers.checks.time_limit import TimeUp
from helpers.checks.verdict import Refused
from tests.test_checks import RIGHT_WHOLES
from tests.test_checks_by_heart import BYTES, FACTORS

RIGHT = np.random.default_rng(7).standard_normal((3, 5))


def refused(got, wanted=RIGHT, axes="(h, N)"):
    with pytest.raises(Refused) as caught:
        judge(np.asarray(got), wanted, (), (), axes)
    return caught.value


def test_swapped_axes_are_named_with_both_shapes():
    reason = refused(RIGHT.T)
    assert "(5, 3); it must be (h, N) = (3, 5)" in reason.sentence
    assert "swapaxes(-1, -2)" in reason.hint
    square = RIGHT[:, :3]
    assert "swapaxes(-1, -2)" in refused(square.T, square).hint


@pytest.mark.parametrize("places", range(4))
def test_rounding_is_named(places):
    wanted = 10 * RIGHT
    reason = refused(wanted.round(places), wanted)
    assert f"rounded to {places} places" in reason.sentence


@pytest.mark.parametrize("factor", [-1, 0.5, 2, 7, 100])
def test_a_factor_is_named(factor):
    reason = refused(factor * RIGHT)
    assert f"is {factor:g} times the right one" in reason.sentence


def test_what_is_another_answer_is_not_called_a_form():
    near = 1.01 * RIGHT, RIGHT + 1, RIGHT[::-1], RIGHT[:, :4], RIGHT[None]
    for got in near:
        refuse_another_form(got, RIGHT, 1e-4, "(h, N)")
    refuse_another_form(np.array([7.0]), np.array([3.0]), 1e-4, "(1,)")
    judge(RIGHT, RIGHT, (), (), "(h, N)")


def test_a_check_says_it():
    right = RIGHT_WHOLES["out only"]
    said = check_multi_head(lambda *a, **s: right(*a, **s).round(2))
    assert "rounded to 2 places" in said.sentence


STOPS = {
    "broadcast": lambda X, h: X + np.ones((X.shape[1] + 1,)),
    "matmul": lambda X, h: X @ X,
    "reshape": lambda X, h: X.reshape(h, 1000),
    "an array as a condition": lambda X, h: X if X else h,
    "a product with inf": lambda X, h: softmax((X > X.max()) * -np.inf),
    "two things for one": lambda X, h: np.allclose(X, (X, X[1:])),
    "too few arguments": lambda X: X,
    "too many arguments": lambda X, h, d: X,
}


@pytest.mark.parametrize(
    ("name", "hint"),
    list(
        zip(
            STOPS,
            [*(text for _, text in ADVICE), *[CALLED_WRONGLY] * 2],
            strict=True,
        )
    ),
)
def test_an_error_gets_advice_on_its_kind(name, hint):
    said = check_split_heads(STOPS[name])
    assert said.status == "no" and said.hint.endswith(hint)


def test_a_wrong_call_inside_is_not_taken_for_the_checks():
    said = check_split_heads(lambda X, h: (lambda one: one)(X, h))
    assert "TypeError" in said.sentence
    assert CALLED_WRONGLY not in said.hint


def test_a_sentence_ends_with_one_full_stop():
    def stops(X, h):
        raise ValueError("It ends like a sentence.")

    with pytest.raises(Refused, match=r"like a sentence\.$"):
        ask(stops, RIGHT, 3)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("1", "text"),
        (b"1", "bytes"),
        ([True, False], "True and False"),
        (1j, "complex numbers"),
        ((n for n in (1, 2)), "a dict or a generator"),
        ({0: 1.0}, "a dict or a generator"),
    ],
)
def test_what_holds_no_numbers_is_called_by_its_name(answer, words):
    assert kind_in_words(np.asarray(answer)).endswith(words)
    with pytest.raises(Refused, match=words):
        numbers(answer)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda *s: right_bytes(*s) / 1024, "KiB, not bytes"),
        (lambda *s: right_bytes(*s) / 2**20, "MiB, not bytes"),
        (lambda *s: right_bytes(*s) / 2**30, "GiB, not bytes"),
        (lambda *s: 8 * right_bytes(*s), "These are bits"),
        (lambda *s: right_bytes(*s) / s[3], "counted as one number"),
        (
            lambda *s: right_bytes(*s) // s[2] * (s[1] // s[2]),
            "how many query heads share a key",
        ),
        (lambda *s: 1 / 3, "you give 0.3333"),
    ],
)
def test_bytes_in_other_units_are_named(wrong, word):
    assert word in check_cache_bytes(wrong).sentence


def test_a_rounded_number_is_said_to_be_rounded():
    name = "width of a head"
    for number in (0.0156, 0.016, 0.02):
        said = check_factors({**FACTORS, name: number})
        assert f"{number:g} is rounded" in said.sentence
    assert "not right" in check_factors({**FACTORS, name: 0.2}).sentence


def test_another_models_bytes_are_called_by_its_name():
    said = check_llama_bytes({**BYTES, "405B": BYTES["70B"]})
    assert said.sentence == "405B: This is 70B's."


@pytest.mark.parametrize(
    ("took", "said"),
    [
        (5.5, "was stopped after 5 seconds."),
        (60, "was stopped after 60 seconds. The limit is 5, but one long"),
    ],
)
def test_f15_how_long_it_took_is_told_as_it_was(monkeypatch, took, said):
    clock = iter((100, 100 + took))

    def long_step(seconds, call):
        raise TimeUp

    monkeypatch.setattr(verdict, "monotonic", lambda: next(clock))
    monkeypatch.setattr(verdict, "within", long_step)
    assert said in check_split_heads(lambda X, h: X).sentence


def test_an_array_is_given_its_article():
    assert "got an ndarray" in check_split_heads(np.eye(3)).sentence
