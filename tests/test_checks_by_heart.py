"""The checks and pictures of notebook 11."""

import re

import numpy as np
import pytest

from helpers.checks.by_heart import (
    check_factors,
    check_llama_bytes,
    factors,
    llama_bytes,
)
from helpers.cost import binary_units, flops, score_bytes, softmax_work
from helpers.models import model
from helpers.pictures.block import block_picture
from helpers.pictures.summary import (
    balance,
    cache_rows,
    cost_rows,
    link_to_print,
    page_to_print,
    saved,
    summary,
)
from helpers.sizes import Sizes

BYTES = {"8B": 128, "70B": 320, "405B": 504}
FACTORS = {
    "FLOPs of products": 1,
    "exponentials": 64,
    "score memory": 64,
    "parameters": 1,
    "KV cache": 1,
    "width of a head": 1 / 64,
}
ASKED = (
    (check_llama_bytes, BYTES, llama_bytes),
    (check_factors, FACTORS, factors),
)
both = pytest.mark.parametrize(("check", "right", "wanted"), ASKED)


@both
def test_right_numbers_in_any_type_are_right(check, right, wanted):
    assert {name: got for name, (got, _) in wanted().items()} == right
    for kind in (float, np.float64, np.float32):
        assert check({name: kind(n) for name, n in right.items()}).ok


@both
def test_each_slip_is_called_by_its_name(check, right, wanted):
    for name, (number, slips) in wanted().items():
        values = [slip.number for slip in slips]
        assert len(set(values)) == len(values) and number not in values
        for slip in slips:
            said = check({**right, name: slip.number})
            assert said.status == "no"
            assert said.sentence == f"{name}: {slip.sentence}"
            assert said.hint == slip.hint


@both
@pytest.mark.parametrize("answer", [None, ..., {}, "128", [128]])
def test_nothing_yet_is_not_yet(check, right, wanted, answer):
    assert check(answer).status == "not yet"


@both
def test_a_stub_and_a_half_filled_one_are_not_yet(check, right, wanted):
    assert check(dict.fromkeys(right, ...)).status == "not yet"
    *_, last = right
    said = check({**right, last: ...})
    assert said.status == "not yet" and last in said.sentence
    first = next(iter(right))
    wrong = check({**dict.fromkeys(right, ...), first: 77})
    assert wrong.status == "no" and first in wrong.sentence


@both
@pytest.mark.parametrize("value", ["128 KiB", True, float("nan"), [1], 1j])
def test_what_is_no_right_number_is_refused(check, right, wanted, value):
    first = next(iter(right))
    assert check({**right, first: value}).status == "no"


# --- the page -----------------------------------------------------------


def test_the_costs_on_the_page_are_counted():
    assert [row[2] for row in cost_rows()] == ["1,610,612,736"] * 3
    for h, row in zip((1, 8, 64), cost_rows(), strict=True):
        products = flops(512, Sizes(512, h)).total
        work = softmax_work(512, h)
        assert row[:2] == (str(h), str(512 // h))
        assert row[4] == f"{work.exponentials:,}"
        assert row[5] == f"{5 * work.exponentials / products:.1%}"
        assert row[6] == binary_units(score_bytes(512, h))
    assert [row[5] for row in cost_rows()] == ["0.1%", "0.7%", "5.2%"]


def test_the_cache_on_the_page_is_computed():
    kib = [(row[3], row[4], row[5]) for row in cache_rows()]
    assert kib == [
        ("128 KiB", "512 KiB", "4 ×"),
        ("320 KiB", "2,560 KiB", "8 ×"),
        ("504 KiB", "8,064 KiB", "16 ×"),
    ]
    assert [row[6] for row in cache_rows()] == [
        "1 GiB",
        "2.50 GiB",
        "3.94 GiB",
    ]
    assert [row[7] for row in cache_rows()] == ["16 GiB", "40 GiB", "63 GiB"]
    assert model("Llama 3 8B").context == 8192
    assert model("Llama 3.1 405B").context == 131_072


def test_the_sentences_on_the_page():
    assert "1,024 tokens" in balance() and "5,120 in" in balance()
    assert "62.5%" in saved()
    assert "35% at N = 512; 19% at N = 8,192; 2% at N = 131,072" in saved()


def test_the_page_is_light_and_stands_alone():
    page = page_to_print()
    assert page.startswith("<!doctype html>") and "@page" in page
    assert "var(--jp" not in page and "http" not in page
    assert page.count("<h1") == 1 and "<h1" not in summary()
    assert "#fff" in summary() and "<script" not in page
    assert re.search(r'download="\w+\.html"', link_to_print())


# --- the block ----------------------------------------------------------


def test_the_block_adds_twice_and_says_what_it_shows():
    svg = block_picture('two "sums" <b>', d_model=4096)
    assert "two &quot;sums&quot; &lt;b&gt;" in svg
    assert svg.count('r="12"') == 2  # the circles with a plus
    assert "d_model = 4,096" in svg
    assert "d_model)" in block_picture("x")
    with pytest.raises(ValueError, match="d_model must be a whole number"):
        block_picture("x", d_model="text")
