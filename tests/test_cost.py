"""The ledger: exact numbers, the same as the code that really runs."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cost import (
    BYTES_PER_NUMBER,
    Flops,
    binary_units,
    bytes_per_number,
    causal_pairs,
    flops,
    full_width_heads,
    kv_cache_bytes,
    one_head,
    parameters,
    score_bytes,
    score_count,
    softmax_work,
)
from helpers.sizes import SizeError, Sizes
from helpers.weights import random_projections
from tests.layers import D_K, D_MODEL, D_V, N_K, N_KV, H, N, few

ODD = Sizes(D_MODEL, H, N_KV, D_K, D_V)


# the numbers of the text


@pytest.mark.parametrize("h", [1, 2, 4, 8, 16, 32, 64, 128, 256, 512])
def test_nine_tokens_cost_the_same_with_any_number_of_heads(h):
    assert flops(9, Sizes(512, h)).total == 19_040_256
    assert softmax_work(9, h).exponentials == 81 * h


def test_512_tokens_of_the_base_model():
    got = flops(512, Sizes(512, 8))
    assert got.total == 1_610_612_736
    assert got.projections == 4 * 2 * 512**3
    assert got.attention == 2 * 2 * 512**3
    assert parameters(Sizes(512, 8)).total == 4 * 512 * 512
    assert score_bytes(512, 8) == 8 * 512 * 512 * 4 == 8 * 2**20


def test_each_step_is_two_flops_a_multiply_add():
    got = flops(N, ODD, N_K, N_new=4, batch=3)
    assert got.as_dict() == {
        "Q": 3 * 2 * 7 * 30 * (6 * 5),
        "K": 3 * 2 * 4 * 30 * (2 * 5),
        "V": 3 * 2 * 4 * 30 * (2 * 11),
        "scores": 3 * 6 * (2 * 7 * 5 * 9),
        "weighted_sum": 3 * 6 * (2 * 7 * 9 * 11),
        "W_O": 3 * 2 * 7 * (6 * 11) * 30,
    }
    assert list(got.as_dict()) == [f.name for f in dataclasses.fields(Flops)]
    assert got.total == sum(got.as_dict().values())
    assert got.total == got.projections + got.attention
    assert got.attention == got.scores + got.weighted_sum


def test_left_out_sizes_are_those_of_self_attention():
    assert flops(N, ODD) == flops(N, ODD, N, N, 1)
    assert flops(N, ODD, N_K) == flops(N, ODD, N_K, N_K)
    assert flops(N, ODD, N_new=0).K == 0


def test_b11_two_heads_of_width_4_on_8_tokens():
    sizes = Sizes(8, 2)
    per_pair = flops(8, sizes).attention // 8**2
    assert flops(8, sizes).attention == 2048
    assert per_pair * causal_pairs(8) == 1152  # and not half of 2048
    assert causal_pairs(1) == 1 and causal_pairs(9) == 45


def test_b13_a_multiply_add_is_two_flops():
    got = flops(16, Sizes(64, 4))
    assert got.total == 2 * 294_912
    assert all(step % 2 == 0 for step in got.as_dict().values())


def test_softmax_is_counted_apart_and_grows_with_h():
    work = softmax_work(N, H, N_K, batch=3)
    assert work.exponentials == 3 * H * N * N_K
    assert work.operations == 5 * work.exponentials
    assert score_count(N, H, N_K, 3) == work.exponentials
    assert score_bytes(N, H, N_K, 3, "float16") == 2 * work.exponentials


# one head, h heads, h heads of full width


def test_parameters_are_the_numbers_in_the_matrices():
    for sizes in (ODD, Sizes(64, 4), Sizes(64, 8, 2), one_head(ODD)):
        matrices = random_projections(sizes)
        got = parameters(sizes)
        assert [got.W_Q, got.W_K, got.W_V, got.W_O] == [
            W.size for W in matrices
        ]
        assert got.total == sum(W.size for W in matrices)


def test_one_head_of_full_width_costs_what_h_heads_cost():
    sizes = Sizes(512, 8)
    assert one_head(sizes) == Sizes(512, 1, 1, 512, 512)
    assert flops(9, one_head(sizes)) == flops(9, sizes)
    assert parameters(one_head(sizes)) == parameters(sizes)


def test_h_heads_of_full_width_cost_h_times_as_much():
    sizes = Sizes(512, 8)
    full = full_width_heads(sizes)
    assert full == Sizes(512, 8, 8, d_k=512, d_v=512)
    assert flops(9, full).total == 8 * flops(9, sizes).total
    assert parameters(full).W_O == 8 * 512 * 512
    assert full_width_heads(Sizes(64, 8, 2)).n_kv == 2


def test_grouped_heads_save_projections_and_no_scores():
    plain, grouped = flops(9, Sizes(512, 8)), flops(9, Sizes(512, 8, 2))
    assert grouped.K * 4 == plain.K and grouped.V * 4 == plain.V
    assert grouped.attention == plain.attention
    assert grouped.Q == plain.Q and grouped.W_O == plain.W_O


# the cache


def test_b05_llama_3_8b():
    sizes = dict(n_layers=32, n_kv=8, d_k=128)
    assert kv_cache_bytes(**sizes, N=1) == 131_072
    whole = kv_cache_bytes(**sizes, N=8192)
    assert whole == 1_073_741_824 and binary_units(whole) == "1 GiB"
    assert f"{whole / 1e9:.3f} GB" == "1.074 GB"
    assert kv_cache_bytes(**{**sizes, "n_kv": 32}, N=8192) == 4 * whole


def test_b06_the_width_of_a_head_is_not_always_d_model_over_h():
    assert kv_cache_bytes(n_layers=36, n_kv=8, d_k=128, N=1) == 147_456
    assert kv_cache_bytes(36, 8, 2560 // 32, 1) == 92_160


@pytest.mark.parametrize("kind", [int, np.int32, np.int64])
def test_b10_large_caches_do_not_wrap_around(kind):
    sizes = map(kind, (80, 8, 128, 131_072))
    got = kv_cache_bytes(*sizes)
    assert got == 42_949_672_960 and type(got) is int
    assert binary_units(got) == "40 GiB"
    big = flops(kind(10**6), Sizes(kind(10**6), kind(10)), batch=kind(10**6))
    assert big.total > 2**64 and type(big.total) is int
    assert type(score_bytes(kind(10**6), kind(10**5))) is int


def test_keys_and_values_may_be_of_unequal_width():
    assert kv_cache_bytes(3, 2, 5, 7, d_v=11, batch=4) == (
        3 * 2 * (5 + 11) * 7 * 4 * 2
    )


# the types and the units


def test_bytes_of_a_number_are_numpys():
    for name in ("float64", "float32", "float16", "int8"):
        assert bytes_per_number(name) == np.dtype(name).itemsize
    assert bytes_per_number("bfloat16") == 2
    assert set(BYTES_PER_NUMBER) >= {"float8", "bfloat16"}


@pytest.mark.parametrize("name", ["float", "", None, 4, "<b>", ["int8"]])
def test_a_type_without_a_known_size_is_refused_with_those_known(name):
    with pytest.raises(ValueError, match="number_type must be one of float6"):
        bytes_per_number(name)


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.50 KiB"),
        (20_736, "20.2 KiB"),
        (131_072, "128 KiB"),
        (2**20 - 1, "1.00 MiB"),
        (2**30 - 1, "1.00 GiB"),
        (10_239, "10.0 KiB"),
        (102_399, "100 KiB"),
        (2**30, "1 GiB"),
        (2**50, "1,024 TiB"),
        (2**41 + 2**40, "3 TiB"),
    ],
)
def test_bytes_in_powers_of_1024(n_bytes, text):
    assert binary_units(n_bytes) == text


@few
@given(st.integers(0, 2**60))
def test_units_keep_three_digits_of_the_number(n_bytes):
    amount, unit = binary_units(n_bytes).split()
    power = ["byte", "KiB", "MiB", "GiB", "TiB"].index(unit.rstrip("s"))
    value = float(amount.replace(",", "")) * 1024**power
    assert value == pytest.approx(n_bytes, rel=0.0051)


# what is refused


@pytest.mark.parametrize("value", [0, -1, 2.5, "9", None, True, 10**12])
def test_a_count_of_no_tokens_heads_or_sentences_is_refused(value):
    sizes = Sizes(64, 4)
    calls = {
        "N": [
            lambda: flops(value, sizes),
            lambda: score_count(value, 1),
            lambda: kv_cache_bytes(1, 1, 1, value),
            lambda: causal_pairs(value),
        ],
        "h": [lambda: softmax_work(9, value), lambda: score_bytes(9, value)],
        "batch": [
            lambda: flops(9, sizes, batch=value),
            lambda: score_bytes(9, 1, batch=value),
        ],
        "n_layers": [lambda: kv_cache_bytes(value, 1, 1, 1)],
        "n_kv": [lambda: kv_cache_bytes(1, value, 1, 1)],
        "d_k": [lambda: kv_cache_bytes(1, 1, value, 1)],
    }
    if value is not None:
        calls["N_k"] = [lambda: flops(9, sizes, value)]
        calls["d_v"] = [lambda: kv_cache_bytes(1, 1, 1, 1, d_v=value)]
    for name, these in calls.items():
        for call in these:
            with pytest.raises(SizeError, match=f"^{name} must be"):
                call()


def test_new_keys_cannot_be_more_than_all_keys():
    with pytest.raises(SizeError, match="N_new must be from 0 to 9: got N_n"):
        flops(1, ODD, N_k=9, N_new=10)
