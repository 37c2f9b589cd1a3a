"""No number is lost on the way: what could overflow is refused by name."""

import re

import numpy as np
import pytest

from helpers.attention import (
    grouped_query_attention,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
)
from helpers.tiled import tiled_attention
from tests import plain_loops
from tests.layers import N_KV, H, N, heads_of, layer
from tests.tools import prose_of

LARGE = {np.float32: 1e25, np.float64: 1e200, np.longdouble: 1e308}


pytestmark = pytest.mark.usefixtures("no_warnings")


def in_tiles(*arrays, **settings):
    """Return (heads, None), as the others return (heads, attn)."""
    return tiled_attention(*arrays, **settings), None


each_way = pytest.mark.parametrize(
    "attend", [grouped_query_attention, scaled_dot_product_attention, in_tiles]
)
both_ways = pytest.mark.parametrize(
    "attend", [grouped_query_attention, in_tiles]
)


# scores


@each_way
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("number_type", [np.float32, np.float64])
def test_a11_scores_that_would_overflow_are_not_taken_for_hidden(
    attend, sign, number_type
):
    """At -inf a visible key would be a hidden one, and the output 0."""
    Q = np.full((2, 3, 5), LARGE[number_type], number_type)
    V = np.ones((2, 3, 7), number_type)
    said = rf"range of {np.dtype(number_type)}.*d_k = 5, times the scale, 0.45"
    with pytest.raises(ValueError, match=said):
        attend(Q, sign * Q, V)


@both_ways
def test_a11_a_score_is_a_sum_of_d_k_products(attend):
    Q = np.full((2, 3, 64), -1e19, np.float32)  # a product is 1e38, a sum 64
    with pytest.raises(ValueError, match="d_k = 64, times the scale, 1,"):
        attend(Q, -Q, np.ones((2, 3, 7), np.float32), scale=1)


@both_ways
@pytest.mark.parametrize("number_type", list(LARGE))
def test_a11_large_numbers_with_scores_that_fit_are_computed(
    attend, number_type
):
    large = number_type(LARGE[number_type])
    Q, K, V = heads_of(number_type=number_type)
    got, _ = attend(large * Q, K / large, V, causal=True)
    want, _ = grouped_query_attention(Q, K, V, causal=True)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@both_ways
@pytest.mark.parametrize(
    "scale",
    [np.nan, np.inf, -np.inf, "2", True, np.array([1.0, 2.0]), 1j, []],
    ids=repr,
)
def test_a_scale_is_one_finite_number(attend, scale):
    with pytest.raises(ValueError, match="scale must be one finite number"):
        attend(*heads_of(), scale=scale)


@both_ways
def test_a_scale_may_be_any_finite_number(attend):
    Q, K, V = heads_of()
    for scale in (0, -2, np.float32(0.5), np.array(0.25), np.int8(3)):
        got, _ = attend(Q, K, V, scale=scale)
        want, _ = plain_loops.one_head(
            Q[5].tolist(), K[1].tolist(), V[1].tolist(), scale=float(scale)
        )
        np.testing.assert_allclose(got[5], want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("number_type", ["f2", "f4", "f8", np.longdouble])
def test_a14_scores_as_far_apart_as_can_be(number_type):
    most = np.finfo(number_type).max
    shares = softmax(np.array([[most, -most], [-most, -most]]))
    assert shares.tolist() == [[1, 0], [0.5, 0.5]]


@pytest.mark.parametrize("N_k", [2, 9, 300])
def test_a13_float16_stays_within_what_notebook_01_says(N_k):
    (said,) = re.findall(
        r"in float16, its shares stay within ([\d.]+) of those in float64",
        prose_of("01"),
    )
    rng = np.random.default_rng(N_k)
    for size in (1, 30, 1000):
        scores = (size * rng.uniform(-1, 1, (200, N_k))).astype(np.float16)
        scores[:, 0] = scores.max(axis=-1)  # two that are equal
        apart = softmax(scores) - softmax(scores.astype(np.float64))
        assert np.abs(apart).max() <= float(said)


# the switch


@pytest.mark.parametrize(
    "value", [0, 1, "no", "", None, 0.0, np.tri(N, dtype=bool), [True]]
)
def test_a08_causal_is_true_or_false(value):
    Q, K, V = heads_of()
    for attend in (grouped_query_attention, in_tiles):
        with pytest.raises(TypeError, match="causal must be True or False"):
            attend(Q, K, V, causal=value)
    with pytest.raises(TypeError, match="goes to mask="):
        multi_head_attention(*layer(), H, N_KV, causal=value)


@both_ways
def test_numpys_own_true_is_true(attend):
    Q, K, V = heads_of()
    causal, _ = attend(Q, K, V, causal=np.True_)
    assert np.array_equal(causal, attend(Q, K, V, causal=True)[0])
    assert not np.allclose(causal, attend(Q, K, V, causal=np.False_)[0])


# the bias


def test_a_bias_that_leaves_the_range_of_the_scores_is_refused():
    Q, K, V = heads_of(number_type=np.float32)
    for value in (-1e300, 1e39):
        bias = np.zeros((N, K.shape[-2]))
        bias[2, 3] = value
        with pytest.raises(ValueError, match=r"3.403e\+38, the range of floa"):
            grouped_query_attention(Q, K, V, bias=bias)


def test_a_bias_of_a_wider_type_may_hide():
    Q, K, V = heads_of(number_type=np.float32)
    bias = np.zeros((N, K.shape[-2]))
    bias[:, 4:] = -np.inf
    got, _ = grouped_query_attention(Q, K, V, bias=bias)
    want, _ = grouped_query_attention(Q, K[:, :4], V[:, :4])
    assert np.allclose(got, want, rtol=1e-5)


@pytest.mark.parametrize("number_type", ["f2", "f4", "f8"])
def test_the_lowest_number_of_a_type_as_a_bias_hides(number_type):
    """Many programs write finfo.min where they mean -inf."""
    Q, K, V = heads_of(number_type=number_type)
    bias = np.zeros((N, K.shape[-2]), number_type)
    bias[:, 4:] = np.finfo(number_type).min
    got, attn = grouped_query_attention(Q, K, V, bias=bias)
    want, _ = grouped_query_attention(Q, K[:, :4], V[:, :4])
    assert (attn[..., 4:] == 0).all()
    assert np.allclose(got, want, rtol=1e-3, atol=1e-3)


# values


@pytest.mark.parametrize("size", [1e-25, 1e12, 1e30])
def test_tiles_take_values_of_any_size(size):
    """A sum of values times 2 ** 90 would leave the range of float32."""
    rng = np.random.default_rng(8)
    Q = np.full((1, N, 4), 3.9, np.float32)  # scores of about 61 and -61
    K = np.full((1, 40, 4), -3.9, np.float32)
    V = (size * rng.normal(size=(1, 40, 3))).astype(np.float32)
    for keys in (K, -K):
        got = tiled_attention(Q, keys, V, scale=1.0, columns=7)
        want, _ = grouped_query_attention(Q, keys, V, scale=1.0)
        np.testing.assert_allclose(got / size, want / size, atol=1e-6)
