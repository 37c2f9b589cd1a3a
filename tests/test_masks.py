"""Masks and biases: True may see, and no mask meets the wrong axis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.attention import (
    causal_mask,
    grouped_query_attention,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
)
from helpers.sizes import SizeError
from tests import plain_loops
from tests.layers import (
    BATCH,
    D_V,
    N_K,
    N_KV,
    H,
    N,
    few,
    heads_of,
    layer,
    some_mask,
)

pytestmark = pytest.mark.usefixtures("no_warnings")


# causal


@few
@given(st.integers(1, 12), st.integers(1, 12))
def test_the_last_query_stands_at_the_last_key(N_q, N_k):
    mask = causal_mask(N_q, N_k)
    assert mask.dtype == bool
    assert mask.tolist() == plain_loops.causal(N_q, N_k)
    assert mask[-1].all()


def test_a16_one_query_on_nine_keys_and_two_on_five():
    assert causal_mask(1, 9).sum(axis=1).tolist() == [9]
    assert causal_mask(2, 5).sum(axis=1).tolist() == [4, 5]
    assert np.array_equal(causal_mask(5), np.tri(5, dtype=bool))
    Q, K, V = (np.ones((n, 4)) for n in (2, 5, 5))
    _, attn = scaled_dot_product_attention(Q, K, V, causal=True)
    assert np.allclose(attn, [[0.25] * 4 + [0], [0.2] * 5])


def test_the_flag_and_the_mask_are_the_same():
    Q, K, V = heads_of()
    flag, _ = grouped_query_attention(Q, K, V, causal=True)
    mask, _ = grouped_query_attention(Q, K, V, causal_mask(N, N_K))
    assert np.array_equal(flag, mask)


def test_a_mask_and_the_flag_hide_together():
    Q, K, V = heads_of()
    mask = some_mask(3, N, N_K)
    both, attn = grouped_query_attention(Q, K, V, mask, causal=True)
    one, _ = grouped_query_attention(Q, K, V, mask & causal_mask(N, N_K))
    assert np.array_equal(both, one)
    assert (attn[:, ~mask] == 0).all()


# polarity and rows that see nothing


def test_true_may_see():
    Q, K, V = heads_of()
    mask = some_mask(1, N, N_K)
    mask[:, 0] = True
    _, attn = grouped_query_attention(Q, K, V, mask)
    assert np.array_equal(attn > 0, np.broadcast_to(mask, attn.shape))
    assert np.allclose(attn.sum(axis=-1), 1)


def test_a_hidden_key_counts_for_nothing_whatever_it_holds():
    Q, K, V = heads_of()
    mask = np.ones((N, N_K), bool)
    mask[:, 4] = False
    out, _ = grouped_query_attention(Q, K, V, mask)
    K[:, 4], V[:, 4] = 1e6, -1e6
    again, _ = grouped_query_attention(Q, K, V, mask)
    assert np.array_equal(out, again)
    without, _ = grouped_query_attention(
        Q, np.delete(K, 4, axis=-2), np.delete(V, 4, axis=-2)
    )
    assert np.allclose(out, without, rtol=1e-12)


def test_a09_left_padding_under_a_causal_mask_sees_nothing():
    L = layer(1, front=(2,))
    padding = np.arange(N)[None, None, None, :] >= np.array([3, 0]).reshape(
        2, 1, 1, 1
    )
    out, attn = multi_head_attention(*L, H, N_KV, mask=padding, causal=True)
    assert np.isfinite(out).all()
    assert (attn[0, :, :3] == 0).all() and (out[0, :3] == 0).all()
    assert np.allclose(attn[0, :, 3:].sum(axis=-1), 1)
    assert np.allclose(attn[1].sum(axis=-1), 1)


@pytest.mark.parametrize("number_type", ["f2", "f4", "f8"])
def test_a09_a_sentence_of_length_0_gives_0(number_type):
    L = layer(1, front=(2,), number_type=number_type)
    mask = padding_mask([0, N], N)
    out, attn = multi_head_attention(*L, H, N_KV, mask=mask)
    assert (out[0] == 0).all() and (attn[0] == 0).all()
    assert np.isfinite(out).all() and (out[1] != 0).any()


def test_a_bias_of_minus_infinity_hides_as_a_mask_does():
    Q, K, V = heads_of()
    mask = some_mask(4, N, N_K)
    mask[2] = False
    bias = np.where(mask, 0, -np.inf)
    hidden, attn = grouped_query_attention(Q, K, V, bias=bias)
    masked, _ = grouped_query_attention(Q, K, V, mask)
    assert np.array_equal(hidden, masked)
    assert (attn[:, 2] == 0).all() and (hidden[:, 2] == 0).all()


def test_a11_a_very_low_score_is_not_hidden():
    Q = np.array([[1.0]])
    K = np.array([[-15_000.0], [0], [0]])
    mask = np.array([[True, False, False]])
    _, attn = scaled_dot_product_attention(Q, K, K, mask)
    assert attn.tolist() == [[1, 0, 0]]


def test_padding_mask_shows_the_real_tokens():
    mask = padding_mask([0, 2, 3], 3)
    assert mask.shape == (3, 1, 1, 3) and mask.dtype == bool
    assert mask[:, 0, 0].astype(int).tolist() == [
        [0, 0, 0],
        [1, 1, 0],
        [1, 1, 1],
    ]


def test_a_bias_is_added_to_the_scaled_scores():
    Q, K, V = heads_of()
    bias = np.random.default_rng(2).normal(size=(1, N, N_K))
    _, attn = grouped_query_attention(Q, K, V, bias=bias)
    _, want = plain_loops.one_head(
        *(a.tolist() for a in (Q[4], K[1], V[1])), added=bias[0].tolist()
    )
    assert np.allclose(attn[4], want, rtol=1e-12)


# A06: rank and axes, where every size is 4


def test_a06_with_equal_sizes_a_mask_is_used_as_documented_or_refused():
    rng = np.random.default_rng(6)
    B = h = N = d = 4
    Q, K, V = (rng.normal(size=(B, h, N, d)) for _ in range(3))
    for rank in (1, 3):
        mask = some_mask(rank, *(4,) * rank)
        for attend in (grouped_query_attention, scaled_dot_product_attention):
            with pytest.raises(SizeError, match="mask must be"):
                attend(Q, K, V, mask)
    for mask in (some_mask(2, 4, 4), some_mask(4, 4, 4, 4, 4)):
        for attend in (grouped_query_attention, scaled_dot_product_attention):
            out, attn = attend(Q, K, V, mask)
            for b, i in np.ndindex(B, h):
                own = mask if mask.ndim == 2 else mask[b, i]
                want = plain_loops.one_head(
                    Q[b, i].tolist(), K[b, i].tolist(), V[b, i].tolist(), own
                )
                assert np.allclose(out[b, i], want[0], rtol=1e-12)
                assert np.allclose(attn[b, i], want[1], rtol=1e-12)


@pytest.mark.parametrize("n_kv", [1, 2, 4])
@pytest.mark.parametrize("rank", [1, 4, 5])
def test_a06_one_sentence_takes_no_mask_of_a_batch(n_kv, rank):
    """(4, 1, 1, 4) is a batch's mask; with h = 4 it must not meet h."""
    Q, K, V = (np.ones((heads, 4, 5)) for heads in (4, n_kv, n_kv))
    shape = (4, *(1,) * (rank - 2), 4)[:rank]
    for name, array in (
        ("mask", np.ones(shape, bool)),
        ("bias", np.zeros(shape)),
    ):
        with pytest.raises(SizeError, match=f"{name} must be"):
            grouped_query_attention(Q, K, V, **{name: array})


@pytest.mark.parametrize("front", [(), (BATCH,)])
def test_a06_every_head_gets_its_own_part_of_a_full_mask(front):
    Q, K, V = heads_of(front=front)
    mask = some_mask(5, *front, H, N, N_K)
    out, _ = grouped_query_attention(Q, K, V, mask)
    for place in np.ndindex(*front, H):
        kv = (*place[:-1], place[-1] // (H // N_KV))
        want, _ = scaled_dot_product_attention(
            Q[place], K[kv], V[kv], mask[place]
        )
        assert np.allclose(out[place], want, rtol=1e-12)


@pytest.mark.parametrize(
    "shape",
    [
        (1, 1, 1, 1),
        (BATCH, 1, 1, N_K),
        (1, H, 1, N_K),
        (1, 1, N, N_K),
        (BATCH, 1, N, 1),
        (N, N_K),
        (1, N_K),
        (N, 1),
    ],
)
def test_an_axis_of_size_1_is_repeated(shape):
    Q, K, V = heads_of(front=(BATCH,))
    mask = some_mask(8, *shape)
    out, _ = grouped_query_attention(Q, K, V, mask)
    full = np.broadcast_to(mask, (BATCH, H, N, N_K))
    want, _ = grouped_query_attention(Q, K, V, full)
    assert np.array_equal(out, want)
    bias = np.where(mask, 0.5, -np.inf)
    biased, _ = grouped_query_attention(Q, K, V, bias=bias)
    assert np.allclose(biased, want, rtol=1e-12)


@pytest.mark.parametrize(
    "shape",
    [(N,), (N_K, N), (N, N_K - 1), (H, N, N_K), (BATCH, N_KV, N, N_K)]
    + [(H, BATCH, N, N_K), (2, H, N, N_K), (1, BATCH, H, N, N_K)],
)
def test_a_mask_of_another_shape_is_refused_with_both_shapes(shape):
    Q, K, V = heads_of(front=(BATCH,))
    for name, array in (
        ("mask", np.ones(shape, bool)),
        ("bias", np.zeros(shape)),
    ):
        with pytest.raises(SizeError) as refused:
            grouped_query_attention(Q, K, V, **{name: array})
        text = str(refused.value)
        assert text.startswith(name + " must be (N_q, N_k) = (7, 9)")
        assert str((BATCH, H, N, N_K)) in text and str(shape) in text


@pytest.mark.parametrize(
    "mask",
    [np.ones((N, N_K)), np.ones((N, N_K), int), np.zeros((N, N_K), "f4")]
    + [np.full((N, N_K), "yes"), np.full((N, N_K), None)],
)
def test_a_mask_that_is_not_boolean_is_refused_by_name(mask):
    Q, K, V = heads_of()
    with pytest.raises(TypeError, match="mask must be boolean, True where"):
        grouped_query_attention(Q, K, V, mask)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (np.nan, ValueError, "bias may hold -inf, but not NaN or"),
        (np.inf, ValueError, "bias may hold -inf, but not NaN or"),
        (True, TypeError, "bias must hold floating-point numbers: got bool"),
        (1, TypeError, "bias must hold floating-point numbers: got int"),
    ],
)
def test_a_bias_that_cannot_be_added_is_refused_by_name(value, error, text):
    Q, K, V = heads_of()
    with pytest.raises(error, match=text):
        grouped_query_attention(Q, K, V, bias=np.full((N, N_K), value))


@pytest.mark.parametrize("lengths", [[-1], [8], [2.5], [True], ["2"]])
def test_a_length_outside_0_to_n_is_refused(lengths):
    with pytest.raises(SizeError, match="length must be"):
        padding_mask(lengths, N)


@pytest.mark.parametrize("size", [0, -1, 2.5, "3", None, 10**12])
def test_a_causal_mask_of_no_size_is_refused(size):
    with pytest.raises(SizeError, match="N_q must be"):
        causal_mask(size, 5)
    if size is not None:
        with pytest.raises(SizeError, match="N_k must be"):
            causal_mask(5, size)


def test_values_meet_their_own_weights():
    Q, K, V = heads_of(front=(BATCH,))
    out, attn = grouped_query_attention(Q, K, V)
    V_each = np.repeat(V, H // N_KV, axis=1)
    assert out.shape == (BATCH, H, N, D_V)
    assert np.allclose(out, attn @ V_each, rtol=1e-12)
