"""Pooling key/value heads: which heads meet, and how far outputs move."""

import re

import numpy as np
import pytest
from hypothesis import given

from helpers.attention import multi_head_attention
from helpers.pooling import (
    POOLINGS,
    drift,
    pool_heads,
    pooled_layer,
    pooling_drift,
)
from helpers.sizes import SizeError, divisors
from tests.layers import D_K, D_MODEL, H, few, layer, seeds


def alike_in_pairs(seed=3, n_kv=2):
    """Return a multi-head layer whose heads are alike where they share."""
    X, W_Q, W_K, W_V, W_O = layer(seed, n_kv=n_kv)
    both = []
    for W in (W_K, W_V):
        by_head = W.reshape(D_MODEL, n_kv, 1, -1)
        by_head = by_head.repeat(H // n_kv, axis=2)
        both.append(by_head.reshape(D_MODEL, -1))
    return (X, W_Q, *both, W_O), (X, W_Q, W_K, W_V, W_O)


def test_neighbours_are_pooled_and_not_every_second_head():
    W = np.arange(8.0)[None]  # 4 heads of width 2, one row
    assert pool_heads(W, 4, 2, "first").tolist() == [[0, 1, 4, 5]]
    assert pool_heads(W, 4, 2, "mean").tolist() == [[1, 2, 5, 6]]
    assert pool_heads(W, 4, 1, "mean").tolist() == [[3, 4]]
    assert pool_heads(W, 4, 4, "mean").tolist() == W.tolist()


@pytest.mark.parametrize("how", POOLINGS)
def test_heads_that_are_alike_lose_nothing(how):
    wide, narrow = alike_in_pairs()
    pooled = pooled_layer(*wide[1:], H, 2, how)
    for got, wanted in zip(pooled, narrow[1:], strict=True):
        assert got == pytest.approx(wanted)
    assert pooling_drift(*wide, H, 2, how) < 1e-12
    assert pooling_drift(*wide, H, 1, how) > 0.1


@few
@given(seeds)
def test_pooling_to_h_heads_changes_nothing(seed):
    whole_layer = layer(seed, n_kv=H)
    for how in POOLINGS:
        assert pooling_drift(*whole_layer, H, H, how) == 0


@pytest.mark.parametrize("how", POOLINGS)
@pytest.mark.parametrize("causal", (False, True))
def test_drift_is_that_of_the_outputs(how, causal):
    X, *matrices = layer(5, n_kv=H)
    before, _ = multi_head_attention(X, *matrices, H, causal=causal)
    for n_kv in divisors(H):
        pooled = pooled_layer(*matrices, H, n_kv, how)
        assert pooled[1].shape == (D_MODEL, n_kv * D_K)
        after, _ = multi_head_attention(X, *pooled, H, n_kv, causal=causal)
        share = np.sqrt(((after - before) ** 2).sum() / (before**2).sum())
        got = pooling_drift(X, *matrices, H, n_kv, how, causal)
        assert got == pytest.approx(share)


def test_either_pooling_can_be_the_better_one():
    X, W_Q, W_K, W_V, W_O = layer(7, n_kv=H)
    even = [
        pooling_drift(X, W_Q, W_K, W_V, W_O, H, 2, how) for how in POOLINGS
    ]
    assert even[0] < even[1]
    loud = W_O.reshape(H, -1, D_MODEL).copy()
    loud[[0, 3]] *= 20  # the first head of each three writes most
    loud = loud.reshape(-1, D_MODEL)
    uneven = [
        pooling_drift(X, W_Q, W_K, W_V, loud, H, 2, how) for how in POOLINGS
    ]
    assert uneven[1] < uneven[0]


def test_drift_of_known_numbers():
    assert drift([3, 4], [3, 4]) == 0
    assert drift([3, 4], [0, 0]) == 1
    assert drift([3, 4], [3, 4.5]) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: pool_heads(np.ones((5, 12)), 6, 4), SizeError, "1, 2, 3, 6"),
        (lambda: pool_heads(np.ones((5, 13)), 6, 2), SizeError, "h * d"),
        (lambda: pool_heads(np.ones(12), 6, 2), SizeError, "(12,)"),
        (
            lambda: pool_heads(np.ones((5, 12)), 6, 2, "max"),
            ValueError,
            "mean, first",
        ),
        (lambda: drift([1, 2], [1]), SizeError, "(2,) and (1,)"),
        (lambda: drift([0, 0], [1, 1]), ValueError, "0 everywhere"),
    ],
)
def test_what_cannot_be_pooled(call, error, said):
    with pytest.raises(error, match=re.escape(said)):
        call()
