"""Sizes: every rule, every refusal, and the nearest legal values."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import sizes as module
from helpers.sizes import (
    D_MODEL_CHOICES,
    LARGEST_SIZE,
    MEMORY_LIMIT,
    SizeError,
    Sizes,
    divisors,
    near_divisions,
    nearest,
    require_memory,
    require_n_kv,
    whole,
)
from tests.layers import few


@few
@given(st.integers(1, 5000))
def test_divisors_are_all_that_divide(number):
    want = [d for d in range(1, number + 1) if number % d == 0]
    assert list(divisors(number)) == want


def test_divisors_of_a_large_number_come_at_once():
    assert len(divisors(LARGEST_SIZE)) == 100


@pytest.mark.parametrize(
    ("wanted", "choice"),
    [(1, 2), (3, 2), (4, 4), (6, 4), (7, 8), (99, 8), (5, 4)],
)
def test_of_two_as_near_the_lower_is_taken(wanted, choice):
    assert nearest((2, 4, 8), wanted) == choice
    assert nearest((8, 4, 2), wanted) == choice


@few
@given(st.integers(1, 300), st.integers(1, 300))
def test_near_divisions_are_legal_and_nearest(parts, width):
    if width % parts == 0:
        return
    divide, divided = near_divisions(parts, width)
    assert all(width % d == 0 for d in divide)
    assert all(w % parts == 0 and w > 0 for w in divided)
    between = range(min(divide) + 1, max(divide))
    if len(divide) == 2:
        assert not [d for d in between if width % d == 0]
    assert all(abs(w - width) < parts for w in divided)
    assert width % nearest(divide, parts) == 0


@few
@given(st.sampled_from(D_MODEL_CHOICES), st.integers(1, 64))
def test_sizes_exist_where_h_divides_d_model_and_only_there(d_model, h):
    if d_model % h:
        with pytest.raises(SizeError, match="h must divide d_model"):
            Sizes(d_model, h)
    else:
        s = Sizes(d_model, h)
        assert s.h * s.d_k == s.d_model == d_model
        assert (s.n_kv, s.d_v, s.queries_per_kv) == (h, s.d_k, 1)


@few
@given(st.integers(1, 40), st.integers(1, 40))
def test_n_kv_divides_h_and_nothing_else_will_do(h, n_kv):
    if h % n_kv:
        with pytest.raises(SizeError, match="n_kv must divide h"):
            Sizes(8 * h, h, n_kv)
    else:
        assert Sizes(8 * h, h, n_kv).queries_per_kv == h // n_kv
        assert require_n_kv(n_kv, h) == n_kv


def test_the_width_of_a_head_may_be_set_free():
    s = Sizes(2560, 32, 8, d_k=128)
    assert (s.d_k, s.d_v, s.queries_per_kv) == (128, 128, 4)
    s = Sizes(30, 7, d_k=5, d_v=11)  # 7 does not divide 30, and need not
    assert (s.d_k, s.d_v, s.n_kv) == (5, 11, 7)
    assert Sizes(60, 6, d_v=11).d_k == 10


def test_sizes_are_frozen_whole_numbers_and_equal_by_value():
    s = Sizes(np.int64(512), np.int32(8), np.int16(2))
    assert s == Sizes(512, 8, 2) and hash(s) == hash(Sizes(512, 8, 2))
    assert {type(v) for v in dataclasses.astuple(s)} == {int}
    with pytest.raises(dataclasses.FrozenInstanceError):
        s.h = 4
    assert dataclasses.replace(s, d_k=3).d_k == 3


def test_a19_the_message_has_rule_reason_values_and_nearest_legal_ones():
    with pytest.raises(SizeError) as refused:
        Sizes(64, 12)
    assert str(refused.value) == (
        "h must divide d_model, because every head is d_model / h wide: got "
        "h=12, d_model=64; h=8 or h=16 would, or d_model=60 or d_model=72."
    )


@pytest.mark.parametrize(
    ("d_model", "h", "ending"),
    [
        (64, 100, "h=64 would, or d_model=100."),
        (7, 2, "h=1 or h=7 would, or d_model=6 or d_model=8."),
        (LARGEST_SIZE, 3, "or d_model=999999999."),
    ],
)
def test_no_illegal_size_is_ever_proposed(d_model, h, ending):
    with pytest.raises(SizeError) as refused:
        Sizes(d_model, h)
    assert str(refused.value).endswith(ending)


def test_b03_the_message_lists_the_divisors():
    with pytest.raises(SizeError) as refused:
        require_n_kv(5, 32)
    assert str(refused.value) == (
        "n_kv must divide h, because every key/value head serves the same "
        "number of query heads: got n_kv=5, h=32; the divisors of 32 are 1, "
        "2, 4, 8, 16, 32."
    )
    with pytest.raises(SizeError) as refused:
        require_n_kv(7, 10**9)
    assert len(str(refused.value)) < 300


NAMES = ("d_model", "h", "n_kv", "d_k", "d_v")
LEGAL = dict(d_model=48, h=6, n_kv=2, d_k=5, d_v=11)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("value", "parts"),
    [
        (0, ["got", "=0", "legal value is 1."]),
        (-7, ["got", "=-7", "legal value is 1."]),
        (10**12, ["1,000,000,000,000", "legal value is 1,000,000,000."]),
        (10**500, ["a number of 1,661 bits", "value is 1,000,000,000."]),
        (2.7, ["whole number", "got 2.7", "legal value is 3."]),
        (4.0, ["whole number", "got 4.0", "legal value is 4."]),
        (-2.5, ["whole number", "got -2.5", "legal value is 1."]),
        (np.float32(2.5), ["whole number", "2.5", "legal value is 2."]),
        (float("nan"), ["whole number", "got nan"]),
        (float("inf"), ["whole number", "got inf"]),
        (True, ["whole number", "got True"]),
        (np.True_, ["whole number", "True"]),
        ("8", ["whole number", "got '8'"]),
        ("8" * 999, ["whole number", f"got '{'8' * 58}…."]),
        ([8], ["whole number", "got [8]"]),
        (np.array([8, 8]), ["whole number", "got an array of shape (2,)"]),
        (3 + 0j, ["whole number", "got (3+0j)"]),
    ],
)
def test_a_size_that_is_no_whole_number_in_range_is_refused(
    name, value, parts
):
    with pytest.raises(SizeError) as refused:
        Sizes(**{**LEGAL, name: value})
    text = str(refused.value)
    assert text.startswith(f"{name} must")
    assert len(text) < 250
    if name == "n_kv":
        assert "the divisors of 6 are 1, 2, 3, 6." in text
    else:
        for part in parts:
            assert part in text, text


@pytest.mark.parametrize("value", [None, "x"])
def test_d_model_and_h_must_be_given(value):
    for name in ("d_model", "h"):
        with pytest.raises(SizeError, match=f"{name} must be a whole"):
            Sizes(**{**LEGAL, name: value})


def test_whole_gives_an_int_within_its_bounds():
    assert type(whole("n", np.uint8(200))) is int
    assert whole("n", 0, low=0) == 0
    assert whole("n", 5, 5, 5) == 5
    with pytest.raises(SizeError, match="n must be from 2 to 4: got n=5; t"):
        whole("n", 5, 2, 4)


def test_a_size_error_is_a_value_error():
    assert issubclass(SizeError, ValueError)


def test_memory_is_refused_with_what_it_would_take():
    require_memory("It", MEMORY_LIMIT)
    with pytest.raises(SizeError) as refused:
        require_memory("The scores (8, 90000, 90000)", 8 * 90_000**2 * 4)
    text = str(refused.value)
    assert text.startswith("The scores (8, 90000, 90000) would take 241.4 GiB")
    assert "over 2 GiB" in text and "smaller sizes" in text


def test_the_choices_of_the_explorer_are_sorted_and_legal():
    assert list(D_MODEL_CHOICES) == sorted(set(D_MODEL_CHOICES))
    assert D_MODEL_CHOICES[0] == 8 and D_MODEL_CHOICES[-1] == 1024
    assert all(d % 4 == 0 for d in D_MODEL_CHOICES)
    assert 512 in D_MODEL_CHOICES and 512 % 8 == 0


def test_sizes_takes_no_numpy():
    assert not hasattr(module, "np")
