"""The check of notebook 00 accepts each right form, and names each mistake."""

import numpy as np
import pytest

from helpers.checks.row_sums import MISTAKES, check_row_sums


def by_loops(attn):
    sums = []
    for row in attn:
        total = 0
        for share in row:
            total += share
        sums.append(total)
    return sums


RIGHT = {
    "sum": lambda attn: attn.sum(axis=-1),
    "axis 1": lambda attn: attn.sum(1),
    "loops": by_loops,
    "list": lambda attn: [sum(row) for row in attn.tolist()],
    "einsum": lambda attn: np.einsum("qk->q", attn),
    "matmul": lambda attn: attn @ np.ones(attn.shape[1]),
    "float32": lambda attn: attn.astype(np.float32).sum(axis=-1),
    "other order": lambda attn: attn[:, ::-1].sum(axis=-1),
    "error 1e-7": lambda attn: attn.sum(axis=-1) * (1 + 1e-7),
}
WRONG = {
    "error 1e-2": (lambda attn: attn.sum(axis=-1) * 1.01, "numbers are not"),
    "ones": (lambda attn: np.ones(len(attn)), "1 for every row"),
    "zeros": (lambda attn: np.zeros(len(attn)), "is 0"),
    "NaN": (lambda attn: attn.sum(axis=-1) * np.nan, "NaN"),
    "the example": (lambda attn: np.arange(1, 6) / 3, "same for two"),
    "error": (lambda attn: attn.sum(axis=5), "stops with"),
    "text": (lambda attn: ["1"] * len(attn), "real numbers"),
}


@pytest.mark.parametrize("f", RIGHT.values(), ids=RIGHT)
def test_right_forms_are_accepted(f):
    verdict = check_row_sums(f)
    assert verdict.ok, str(verdict)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.sentence[:40])
def test_each_mistake_is_named(mistake):
    verdict = check_row_sums(mistake.answer)
    assert verdict.status == "no"
    assert (verdict.sentence, verdict.hint) == (mistake.sentence, mistake.hint)


@pytest.mark.parametrize(("f", "said"), WRONG.values(), ids=WRONG)
def test_wrong_answers_are_refused(f, said):
    verdict = check_row_sums(f)
    assert verdict.status == "no"
    assert said in verdict.sentence


def test_a_stub_is_not_yet():
    def stub(attn): ...

    assert check_row_sums(stub).status == "not yet"
    assert check_row_sums(...).status == "not yet"


def test_each_mistake_has_a_hint_of_its_own():
    assert len({m.hint for m in MISTAKES}) == len(MISTAKES)
