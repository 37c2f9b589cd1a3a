"""The check of notebook 10: right answers, and mistakes it names."""

import math

import numpy as np
import pytest

from helpers.checks.tipping import CASES, check_tipping, tips
from helpers.sizes import divisors


def right(d_model, h, N):
    found = [n for n in divisors(h) if N * h > d_model * (h + n)]
    return max(found, default=0)


RIGHT = {
    "int": right,
    "float": lambda d, h, N: float(right(d, h, N)),
    "array": lambda d, h, N: np.array([right(d, h, N)]),
    "counted": lambda d, h, N: max(
        (n for n in divisors(h) if tips(d, h, N, n)), default=0
    ),
}
WRONG = {
    "at equality": (
        lambda d, h, N: max(
            (n for n in divisors(h) if N * h >= d * (h + n)), default=0
        ),
        "Equal is not more",
    ),
    "the smallest": (
        lambda d, h, N: min(
            (n for n in divisors(h) if N * h > d * (h + n)), default=0
        ),
        "smaller change",
    ),
    "no divisor": (
        lambda d, h, N: max(0, min(h, math.ceil(h * (N / d - 1)) - 1)),
        "does not divide h",
    ),
    "always h": (lambda d, h, N: h, "the two are equal"),
    "always 1": (lambda d, h, N: 1, "smaller change"),
    "always 0": (lambda d, h, N: 0, "you say 0, and n_kv = 4 tips it"),
    "never 0": (lambda d, h, N: right(d, h, N) or 1, "less than half"),
    "scores alone": (
        lambda d, h, N: max(
            (n for n in divisors(h) if N * h > 2 * d * (h + n)), default=0
        ),
        "tips it",
    ),
    "negative": (lambda d, h, N: -1, "does not divide h"),
    "NaN": (lambda d, h, N: math.nan, "does not divide h"),
    "text": (lambda d, h, N: "4", "not one number"),
    "two numbers": (lambda d, h, N: (4, 2), "not one number"),
    "too many": (
        lambda d, h, N: right(d, h, N) if N != 100 else 12,
        "less than half",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_is_right(name):
    verdict = check_tipping(RIGHT[name])
    assert verdict.ok, verdict
    assert "at equality nothing has tipped" in verdict.sentence


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_is_named(name):
    f, said = WRONG[name]
    verdict = check_tipping(f)
    assert verdict.status == "no"
    assert said in verdict.sentence


def test_a_stub_is_not_yet():
    assert check_tipping(lambda d, h, N: ...).status == "not yet"
    assert check_tipping(...).status == "not yet"


def test_the_cases_hold_each_kind_of_trap():
    answers = [right(*case) for case in CASES]
    assert answers == [4, 8, 1, 6, 0]
    equal = [
        (d, h, N, n)
        for d, h, N in CASES
        for n in divisors(h)
        if N * h == d * (h + n)
    ]
    assert len(equal) >= 2
