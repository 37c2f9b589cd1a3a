"""The checks of notebooks 03 and 05: right forms, and wrong answers."""

import numpy as np
import pytest

from helpers.checks.budget import (
    ONE_HEAD_CLAIMS,
    check_best_row,
    check_one_head_claims,
    check_two_heads,
)
from helpers.checks.crossover import check_crossover
from helpers.checks.ledger import (
    TIME_CLAIMS,
    check_ledger,
    check_time_claims,
)
from helpers.cost import flops
from helpers.sizes import Sizes

# --- one row ------------------------------------------------------------


def half(N, first, second):
    row = np.zeros(N)
    row[[first, second]] = 0.5
    return row


def spent(first_share, second_share):
    def f(N, first, second):
        row = np.zeros(N)
        row[first], row[second] = first_share, second_share
        return row

    return f


def uneven(N, first, second):
    return spent(0.7, 0.3)(N, first, second)


def negative(N, first, second):
    row = np.full(N, -0.5 / (N - 2))
    row[[first, second]] = 0.75
    return row


def left_over(N, first, second):
    row = np.full(N, 0.2 / (N - 2))
    row[[first, second]] = 0.4
    return row


RIGHT_ROWS = {
    "array": half,
    "list": lambda *case: half(*case).tolist(),
    "tuple": lambda *case: tuple(half(*case)),
    "float32": lambda *case: half(*case).astype(np.float32),
    "off by 1e-7": lambda *case: half(*case) + 1e-7,
}
WRONG_ROWS = {
    "zeros": lambda N, *_: np.zeros(N),
    "NaN": lambda N, *_: np.full(N, np.nan),
    "text": lambda *_: "half",
    "written in": lambda *_: half(9, 1, 4),
    "spends 2": spent(1, 1),
    "scores": spent(8, 8),
    "all on one": spent(1, 0),
    "uniform": lambda N, *_: np.full(N, 1 / N),
    "uneven": uneven,
    "negative": negative,
    "left over": left_over,
    "two axes": lambda *case: half(*case)[None],
}

# --- two heads ----------------------------------------------------------


def apart(gap, background=0.0):
    def f(N, subject, object):
        scores = np.full((2, N), background)
        scores[0, subject] = scores[1, object] = gap
        return scores

    return f


def one_row(N, subject, object):
    return apart(20)(N, subject, object).max(axis=0)


RIGHT_HEADS = {
    "array": apart(20),
    "list": lambda *case: apart(20)(*case).tolist(),
    "whole numbers": lambda *case: apart(20)(*case).astype(int),
    "float32": lambda *case: apart(20)(*case).astype(np.float32),
    "-inf": apart(0, -np.inf),
    "-1e9": apart(0, -1e9),
    "huge": apart(1e6),
}
WRONG_HEADS = {
    "zeros": lambda N, *_: np.zeros((2, N)),
    "NaN": lambda N, *_: np.full((2, N), np.nan),
    "text": lambda *_: "heads",
    "written in": lambda *_: apart(20)(9, 1, 4),
    "one row": one_row,
    "transposed": lambda *case: apart(20)(*case).T,
    "three heads": lambda N, *_: np.ones((3, N)),
    "same row twice": lambda *case: np.stack([one_row(*case)] * 2),
    "swapped": lambda *case: apart(20)(*case)[::-1],
    "weights": apart(1),
    "too soft": apart(3),
    "+inf": apart(np.inf),
    "counted from 1": lambda N, s, o: np.roll(apart(20)(N, s, o), -1, axis=1),
}

# --- the ledger ---------------------------------------------------------

ORDER = ("Q", "K", "V", "scores", "weighted_sum", "W_O")


def right(N, d_model, h):
    return flops(N, Sizes(d_model, h)).as_dict()


def changed(**factors):
    """Return a ledger whose steps are multiplied by functions of N, d, h."""

    def f(N, d_model, h):
        return {
            step: count * factors.get(step, lambda *_: 1)(N, d_model, h)
            for step, count in right(N, d_model, h).items()
        }

    return f


def every(factor, *steps):
    return changed(**dict.fromkeys(steps or ORDER, factor))


PAIRS = ("scores", "weighted_sum")
PROJECTIONS = ("Q", "K", "V", "W_O")


def swapped_sizes(N, d_model, h):
    given = right(N, d_model, h)
    projection, between = given["Q"], given["scores"]
    return {s: between if s in PROJECTIONS else projection for s in ORDER}


RIGHT_LEDGERS = {
    "dict": right,
    "our own": lambda N, d, h: flops(N, Sizes(d, h)),
    "list": lambda *case: [right(*case)[step] for step in ORDER],
    "tuple": lambda *case: tuple(right(*case)[step] for step in ORDER),
    "array": lambda *case: np.array([right(*case)[step] for step in ORDER]),
    "floats": every(lambda *_: 1.0),
    "a space": lambda *case: {
        step.replace("_s", " s"): count for step, count in right(*case).items()
    },
    "NumPy whole numbers": every(lambda *_: np.int64(1)),
}
WRONG_LEDGERS = {
    "zeros": lambda *_: [0] * 6,
    "NaN": lambda *_: [np.nan] * 6,
    "text": lambda *_: "six",
    "five": lambda *case: list(right(*case).values())[:5],
    "written in": lambda *_: right(7, 30, 6),
    "multiply-adds": every(lambda *_: 0.5),
    "no W_O": changed(W_O=lambda *_: 0),
    "no V": lambda *case: {k: v for k, v in right(*case).items() if k != "V"},
    "one head": every(lambda N, d, h: 1 / h),
    "full width": every(lambda N, d, h: h),
    "scores of one head": every(lambda N, d, h: 1 / h, *PAIRS),
    "scores of full width": every(lambda N, d, h: h, *PAIRS),
    "projections of one head": every(lambda N, d, h: 1 / h, *PROJECTIONS),
    "causal": every(lambda N, d, h: (N + 1) / (2 * N), *PAIRS),
    "swapped sizes": swapped_sizes,
    "softmax too": changed(scores=lambda N, d, h: 1 + 5 * h / (2 * d)),
    "all but W_O of one head": every(lambda N, d, h: 1 / h, *ORDER[:5]),
    "projections first": lambda *case: [
        right(*case)[step] for step in (*PROJECTIONS, *PAIRS)
    ],
    "off by 1e-2": changed(K=lambda *_: 1.01),
    "off in scores": changed(scores=lambda *_: 3),
    "off in the sum": changed(weighted_sum=lambda *_: 3),
}

# --- the crossover ------------------------------------------------------


def crossover(d_model, h, n_kv=None):
    return d_model * (1 + (h if n_kv is None else n_kv) / h)


RIGHT_CROSSOVERS = {
    "int": lambda d_model, h: 2 * d_model,
    "float": lambda d_model, h: 2.0 * d_model,
    "array": lambda d_model, h: np.array([2 * d_model]),
    "list": lambda d_model, h: [2 * d_model],
    "grouped": crossover,
}
WRONG_CROSSOVERS = {
    "zero": lambda d, h: 0,
    "NaN": lambda d, h: np.nan,
    "text": lambda d, h: "2 d_model",
    "two numbers": lambda d, h: (d, d),
    "scores alone": lambda d, h: 4 * d,
    "no W_O": lambda d, h: 1.5 * d,
    "a factor lost": lambda d, h: d,
    "upside down": lambda d, h: d / 2,
    "one head": lambda d, h: 2 * d / h if h > 1 else 2 * d,
    "times h": lambda d, h: 2 * d * h,
    "written in": lambda d, h: 1024,
    "n_kv ignored": lambda d, h, n_kv=None: 2 * d,
    "n_kv upside down": lambda d, h, n_kv=None: d * (1 + h / (n_kv or h)),
    "all four shrink": lambda d, h, n_kv=None: 2 * d * (n_kv or h) / h,
}

ALL = (
    (check_best_row, RIGHT_ROWS, WRONG_ROWS),
    (check_two_heads, RIGHT_HEADS, WRONG_HEADS),
    (check_ledger, RIGHT_LEDGERS, WRONG_LEDGERS),
    (check_crossover, RIGHT_CROSSOVERS, WRONG_CROSSOVERS),
)


def listed(place):
    return [
        pytest.param(check, f, id=f"{check.__name__}-{name}")
        for check, *answers in ALL
        for name, f in answers[place].items()
    ]


@pytest.mark.parametrize(("check", "f"), listed(0))
def test_accepts(check, f):
    assert str(check(f)).startswith("Yes.")


@pytest.mark.parametrize(("check", "f"), listed(1))
def test_refuses(check, f):
    result = check(f)
    assert result.status == "no", str(result)
    assert result.sentence and result.hint


@pytest.mark.parametrize("check", [entry[0] for entry in ALL])
def test_each_mistake_has_a_hint_of_its_own(check):
    said = {}
    for checked, _, wrong in ALL:
        for name, f in wrong.items() if checked is check else ():
            hint = check(f).hint
            assert hint not in said, (name, said.get(hint))
            said[hint] = name


@pytest.mark.parametrize("check", [entry[0] for entry in ALL])
def test_a_stub_is_not_yet(check):
    assert check(lambda *_, **__: None).status == "not yet"
    assert check(lambda *_, **__: ...).status == "not yet"
    assert check(None).status == "not yet"


def test_the_named_mistakes_are_named():
    for check, f, word in (
        (check_best_row, WRONG_ROWS["spends 2"], "spends 2"),
        (check_two_heads, WRONG_HEADS["weights"], "softmax comes after"),
        (check_two_heads, WRONG_HEADS["swapped"], "swapped"),
        (check_ledger, WRONG_LEDGERS["multiply-adds"], "multiply-adds"),
        (check_ledger, WRONG_LEDGERS["no W_O"], "W_O is not counted"),
        (check_ledger, WRONG_LEDGERS["full width"], "wide as d_model"),
        (check_ledger, WRONG_LEDGERS["causal"], "causal"),
        (check_ledger, WRONG_LEDGERS["written in"], "the same for two"),
        (check_ledger, WRONG_LEDGERS["scores of one head"], "are right"),
        (check_ledger, WRONG_LEDGERS["scores of full width"], "are right"),
        (check_ledger, WRONG_LEDGERS["all but W_O of one head"], "Q, K and V"),
        (check_ledger, WRONG_LEDGERS["projections of one head"], "Each"),
        (check_ledger, WRONG_LEDGERS["projections first"], "another's place"),
        (check_crossover, WRONG_CROSSOVERS["scores alone"], "scores alone"),
        (check_crossover, WRONG_CROSSOVERS["n_kv ignored"], "n_kv"),
    ):
        assert word in check(f).sentence


@pytest.mark.parametrize("factor", [lambda N, d, h: 1 / h, lambda N, d, h: h])
def test_no_projection_is_praised_that_is_wrong(factor):
    praised = every(factor, *PAIRS)
    assert "projections are right" in check_ledger(praised).sentence
    mixed = changed(**dict.fromkeys(PAIRS, factor), V=lambda *_: 3)
    assert "projections are right" not in check_ledger(mixed).sentence


# --- letters ------------------------------------------------------------

CLAIMS = (
    (check_one_head_claims, ONE_HEAD_CLAIMS, "CE"),
    (check_time_claims, TIME_CLAIMS, "BCD"),
)
each = pytest.mark.parametrize(("check", "claims", "letters"), CLAIMS)


@each
def test_letters_in_any_form(check, claims, letters):
    for answer in (
        letters,
        letters.lower()[::-1],
        ", ".join(letters),
        " and ".join(letters),
        set(letters),
        list(letters),
        tuple(letters.lower()),
        np.array(list(letters)),
    ):
        assert check(answer).ok, answer
    assert check(letters).sentence.startswith(", ".join(letters))


@each
def test_each_wrong_letter_has_a_hint_of_its_own(check, claims, letters):
    hints = set()
    for claim in claims:
        flipped = set(letters) ^ {claim.letter}
        result = check(flipped)
        assert result.status == "no" and claim.letter in str(result)
        assert claim.hint in result.hint
        hints.add(result.hint)
        assert claim.holds == (claim.letter in letters)
    assert len(hints) == len(claims)


@each
@pytest.mark.parametrize("answer", [None, ..., {...}, "", set(), []])
def test_no_letters_are_not_yet(check, claims, letters, answer):
    assert check(answer).status == "not yet"


@each
@pytest.mark.parametrize("answer", ["G", 3, [1, 2], "yes", {"A": 1, "Z": 2}])
def test_what_is_no_letter_is_refused(check, claims, letters, answer):
    result = check(answer)
    assert result.status == "no" and result.hint
