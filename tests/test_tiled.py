"""Attention in tiles gives what attention gives, and keeps no map."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.attention import causal_mask, grouped_query_attention
from helpers.cost import flops
from helpers.counted import count, counting
from helpers.sizes import SizeError, Sizes
from helpers.tiled import tiled_attention


def drawn(rng, *shape, number_type=np.float64, length=1.0):
    return (length * rng.standard_normal(shape)).astype(number_type)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    batch=st.sampled_from([(), (1,), (3,), (2, 3)]),
    n_kv=st.integers(1, 3),
    queries_per_kv=st.integers(1, 3),
    N_q=st.integers(1, 23),
    N_k=st.integers(1, 29),
    d_k=st.integers(1, 5),
    d_v=st.integers(1, 7),
    rows=st.integers(1, 13),
    columns=st.integers(1, 11),
    threads=st.integers(1, 3),
    causal=st.booleans(),
    masked=st.sampled_from(["none", "2-D", "full", "one for all heads"]),
    length=st.sampled_from([0.1, 1.0, 30.0, 3000.0]),
)
def test_tiles_give_what_the_whole_map_gives(
    seed, batch, n_kv, queries_per_kv, N_q, N_k, d_k, d_v, rows, columns,
    threads, causal, masked, length,
):  # fmt: skip
    rng = np.random.default_rng(seed)
    h = n_kv * queries_per_kv
    Q = drawn(rng, *batch, h, N_q, d_k, length=length)
    K = drawn(rng, *batch, n_kv, N_k, d_k)
    V = drawn(rng, *batch, n_kv, N_k, d_v)
    shape = {
        "none": None,
        "2-D": (N_q, N_k),
        "full": (*batch, h, N_q, N_k),
        "one for all heads": (*(1 for _ in batch), 1, N_q, N_k),
    }[masked]
    mask = None if shape is None else rng.random(shape) < 0.6
    heads = tiled_attention(
        Q, K, V, mask, causal, None, rows, columns, threads
    )
    wanted, _ = grouped_query_attention(Q, K, V, mask, None, causal)
    np.testing.assert_allclose(heads, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("number_type", [np.float16, np.float32])
def test_narrow_number_types_keep_their_type(number_type):
    rng = np.random.default_rng(5)
    Q, K, V = (
        drawn(rng, 6, 31, 11, number_type=number_type, length=4)
        for _ in range(3)
    )
    heads = tiled_attention(Q, K, V, rows=7, columns=5)
    wide = (array.astype(np.float64) for array in (Q, K, V))
    wanted, _ = grouped_query_attention(*wide)
    assert heads.dtype == number_type
    step = np.finfo(number_type).eps
    np.testing.assert_allclose(heads, wanted, atol=200 * step)


def test_huge_scores_neither_overflow_nor_vanish():
    Q = np.array([[[1000.0], [-1000.0]]])
    K = np.array([[[30.0], [29.0], [-30.0]]])
    V = np.array([[[1.0], [2.0], [3.0]]])
    heads = tiled_attention(Q, K, V, scale=1.0, rows=1, columns=1)
    np.testing.assert_array_equal(heads, [[[1.0], [3.0]]])


def test_a_query_that_sees_nothing_gets_zero_without_a_warning():
    rng = np.random.default_rng(3)
    Q, K, V = (drawn(rng, 2, 5, 3, length=90) for _ in range(3))
    mask = np.ones((5, 5), bool)
    mask[3] = False
    heads = tiled_attention(Q, K, V, mask, columns=2)
    assert not heads[:, 3].any()
    assert np.isfinite(heads).all()


def test_the_same_products_are_counted_and_one_sum_a_score():
    N, sizes = 24, Sizes(d_model=30, h=6)
    rng = np.random.default_rng(1)
    Q, K, V = (drawn(rng, 6, N, 5) for _ in range(3))
    with counting() as tally:
        tiled_attention(count(Q), count(K), count(V), rows=7, columns=5)
    cost = flops(N, sizes)
    sums = 2 * 6 * N * N  # the row sums are products with ones
    assert tally.flops == cost.scores + cost.weighted_sum + sums
    assert tally.exponentials == 6 * N * N


@pytest.mark.parametrize("columns", [5, 13])
def test_keys_that_no_row_of_a_tile_sees_are_left_out(columns):
    N, rows, d = 40, 5, 3
    rng = np.random.default_rng(2)
    Q, K, V = (drawn(rng, 2, N, d) for _ in range(3))
    with counting() as tally:
        tiled_attention(
            count(Q),
            count(K),
            count(V),
            causal=True,
            rows=rows,
            columns=columns,
        )
    n = N // rows
    assert tally.exponentials == 2 * rows * rows * n * (n + 1) // 2


def test_no_map_is_ever_in_memory():
    h, N, d = 3, 3000, 2
    rng = np.random.default_rng(4)
    Q, K, V = (drawn(rng, h, N, d, number_type=np.float32) for _ in range(3))
    tracemalloc.start()
    tiled_attention(Q, K, V, causal_mask(N))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    of_one_mask = N * N
    assert peak - of_one_mask < 0.15 * h * N * N * 4


@pytest.mark.parametrize("name", ["rows", "columns", "threads"])
def test_a_tile_has_at_least_one_row(name):
    ones = np.ones((2, 3, 5))
    with pytest.raises(SizeError, match=name):
        tiled_attention(ones, ones, ones, **{name: 0})


def test_a_mask_of_numbers_is_refused():
    ones = np.ones((2, 3, 5))
    with pytest.raises(TypeError, match="boolean"):
        tiled_attention(ones, ones, ones, np.ones((3, 3)))
