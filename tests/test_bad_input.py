"""What a reader is told when arrays or sizes can't be used.

Each message names the rule, the values received and, where there are any,
the nearest legal values.
"""

import re
import tracemalloc

import numpy as np
import pytest

from helpers.attention import (
    causal_mask,
    grouped_query_attention,
    head_writes,
    merge_heads,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from helpers.cost import (
    flops,
    kv_cache_bytes,
    parameters,
    score_bytes,
    softmax_work,
)
from helpers.sizes import SizeError, Sizes
from helpers.weights import (
    hand_built,
    mixing_matrices,
    position_codes,
    random_projections,
    token_vectors,
)
from tests.layers import (
    BATCH,
    D_K,
    D_MODEL,
    D_V,
    N_K,
    N_KV,
    H,
    N,
    heads_of,
    layer,
)

pytestmark = pytest.mark.usefixtures("no_warnings")


def refused(error, *parts):
    """Return a context that wants `error` with every part in its text."""
    everywhere = "".join(f"(?=.*{re.escape(part)})" for part in parts)
    return pytest.raises(error, match="(?s)^" + everywhere)


@pytest.fixture
def memory():
    """Fail if more than 8 MB are taken in the test."""
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8e6


# numbers that are not numbers


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("number_type", ["f2", "f4", "f8"])
def test_a_layer_names_the_array_that_is_not_finite(place, value, number_type):
    name = ("X", "W_Q", "W_K", "W_V", "W_O")[place]
    L = layer(number_type=number_type)
    L[place][1, 2] = value
    with refused(ValueError, f"{name} holds NaN or infinity"):
        multi_head_attention(*L, H, N_KV)


def test_keys_from_elsewhere_are_named_too():
    L = layer()
    X_kv = np.full((N_K, D_MODEL), np.nan)
    with refused(ValueError, "X_kv holds NaN or infinity"):
        multi_head_attention(*L, H, N_KV, X_kv)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("place", range(3))
def test_heads_name_the_array_that_is_not_finite(place, value):
    arrays = heads_of()
    arrays[place][0, 1, 2] = value
    with refused(ValueError, f"{'QKV'[place]} holds NaN or infinity"):
        grouped_query_attention(*arrays)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("number_type", ["f2", "f4", "f8"])
def test_softmax_refuses_nan_and_plus_infinity(value, number_type):
    scores = np.array([[1, value, -np.inf], [1, 2, 3]], number_type)
    with refused(ValueError, "scores may hold -inf, but not NaN or +inf"):
        softmax(scores)


@pytest.mark.parametrize("kind", [complex, bool, object, "U1"])
@pytest.mark.parametrize("place", range(5))
def test_only_real_numbers_are_taken(place, kind):
    L = list(layer())
    L[place] = np.ones(L[place].shape).astype(kind)
    name = ("X", "W_Q", "W_K", "W_V", "W_O")[place]
    with refused(TypeError, f"{name} must hold real numbers: got"):
        multi_head_attention(*L, H, N_KV)


@pytest.mark.parametrize("kind", [complex, bool, object, "U1"])
@pytest.mark.parametrize("place", range(3))
def test_heads_take_only_real_numbers(place, kind):
    arrays = list(heads_of())
    arrays[place] = np.ones(arrays[place].shape).astype(kind)
    with refused(TypeError, f"{'QKV'[place]} must hold real numbers: got"):
        grouped_query_attention(*arrays)


@pytest.mark.parametrize("kind", [complex, bool, object, "U1"])
def test_softmax_takes_only_real_numbers(kind):
    with refused(TypeError, "scores must hold real numbers: got"):
        softmax(np.ones((2, 3)).astype(kind))


# ranks and shapes


@pytest.mark.parametrize("shape", [(), (D_MODEL,), (0, D_MODEL)])
def test_a21_an_input_of_a_wrong_rank_is_named(shape):
    L = layer()._replace(X=np.ones(shape))
    with refused(SizeError, "X must be (..., tokens, width)", str(shape)):
        multi_head_attention(*L, H, N_KV)


@pytest.mark.parametrize("name", ["W_Q", "W_K", "W_V"])
@pytest.mark.parametrize("shape", [(31, 30), (30,), (2, 30, 30), ()])
def test_a_matrix_that_does_not_fit_is_named_with_both_shapes(name, shape):
    L = layer()._replace(**{name: np.ones(shape)})
    with refused(SizeError, f"{name} must have", "(7, 30)", str(shape)):
        multi_head_attention(*L, H, N_KV)


@pytest.mark.parametrize("shape", [(65, 30), (66,), (6, 11, 30)])
def test_an_output_matrix_that_does_not_fit_is_named(shape):
    L = layer()._replace(W_O=np.ones(shape))
    with refused(SizeError, "W_O must have h * d_v = 66 rows", str(shape)):
        multi_head_attention(*L, H, N_KV)
    with refused(SizeError, "W_O must have h * d_v = 66 rows", str(shape)):
        head_writes(np.ones((H, N, D_V)), np.ones(shape))


def test_heads_that_do_not_fit_are_named_with_their_shapes():
    Q, K, V = heads_of(front=(BATCH,))
    q, k = str(Q.shape), str(K.shape)
    with refused(SizeError, "Q and K must have the same last axis", q):
        grouped_query_attention(Q, K[..., :-1], V)
    with refused(SizeError, "K and V must have the same number of tok", k):
        grouped_query_attention(Q, K, V[..., :-1, :])
    with refused(SizeError, "K and V must have the same number of heads", k):
        grouped_query_attention(Q, K, V[:, :1])
    with refused(SizeError, "K and V must have the same number of heads"):
        grouped_query_attention(Q, K[:, :1], V)
    with refused(SizeError, "Q, K and V must have the same rank", q):
        grouped_query_attention(Q, K[0], V[0])
    with refused(SizeError, "axes in front of Q, K and V must agree", "2"):
        grouped_query_attention(Q[:2], K, V)
    with refused(SizeError, "n_kv must divide h", "n_kv=2, h=5", "1, 5"):
        grouped_query_attention(Q[:, :5], K, V)


@pytest.mark.parametrize("shape", [(), (4,), (N, D_K)])
def test_heads_of_a_wrong_rank_are_named(shape):
    wrong = np.ones(shape)
    axes = "must be (..., heads, tokens, width)"
    Q, K, V = heads_of()
    with refused(SizeError, "Q " + axes, str(shape)):
        grouped_query_attention(wrong, K, V)
    with refused(SizeError, "K " + axes, str(shape)):
        grouped_query_attention(Q, wrong, V)
    with refused(SizeError, "heads " + axes, str(shape)):
        merge_heads(wrong)
    with refused(SizeError, "heads " + axes, str(shape)):
        head_writes(wrong, np.ones((H * D_V, D_MODEL)))
    if len(shape) < 2:
        with refused(SizeError, "Q must be (..., tokens, width)"):
            scaled_dot_product_attention(wrong, K[0], V[0])
        with refused(SizeError, "X must be (..., tokens, width)"):
            split_heads(wrong, 2)


def test_an_empty_axis_of_scores_is_refused():
    with refused(SizeError, "scores must have", "(3, 0)"):
        softmax(np.ones((3, 0)))
    with refused(SizeError, "scores must have", "()"):
        softmax(3.0)


# heads


def test_a19_twelve_heads_do_not_divide_64():
    parts = ("h must divide", "h=12", "64", "h=8 or h=16", "60", "72")
    with refused(SizeError, *parts, "d_model=60 or d_model=72"):
        Sizes(64, 12)
    with refused(SizeError, *parts, "X (9, 64)"):
        split_heads(np.ones((9, 64)), 12)
    eye = np.eye(64)
    with refused(SizeError, *parts, "W_Q"):
        multi_head_attention(np.ones((9, 64)), eye, eye, eye, eye, h=12)


def test_a_layer_names_the_matrix_that_its_heads_do_not_divide():
    L = layer(n_kv=2)
    with refused(SizeError, "h=4", "W_Q", "(30, 30)", "h=3 or h=5"):
        multi_head_attention(*L, h=4, n_kv=2)
    with refused(SizeError, "n_kv=3", "W_K", "(30, 10)", "n_kv=2 or n_kv=5"):
        multi_head_attention(*L, h=H, n_kv=3)
    L = L._replace(W_V=np.ones((30, 21)))
    with refused(SizeError, "n_kv=2", "W_V", "(30, 21)", "n_kv=1 or n_kv=3"):
        multi_head_attention(*L, h=H, n_kv=2)


def test_queries_and_keys_of_unequal_width_are_refused():
    L = layer()._replace(W_K=np.ones((30, 12)))
    with refused(SizeError, "Q and K must have the same last axis", "6", "5"):
        multi_head_attention(*L, H, N_KV)


@pytest.mark.parametrize("h", [0, -2, 2.5, 6.0, "6", None, True, np.nan])
def test_heads_must_be_a_whole_number_of_at_least_1(h):
    L = layer(n_kv=H)
    with refused(SizeError, "h must be"):
        multi_head_attention(*L, h)
    with refused(SizeError, "h must be"):
        split_heads(L.X, h)


@pytest.mark.parametrize(
    ("h", "n_kv", "legal"),
    [
        (32, 5, "1, 2, 4, 8, 16, 32"),
        (7, 2, "1, 7"),
        (32, 0, "1, 2, 4, 8, 16, 32"),
        (32, -1, "1, 2, 4, 8, 16, 32"),
        (32, 64, "1, 2, 4, 8, 16, 32"),
        (32, 2.5, "1, 2, 4, 8, 16, 32"),
        (32, "4", "1, 2, 4, 8, 16, 32"),
    ],
)
def test_b03_an_n_kv_that_does_not_divide_h_lists_those_that_do(
    h, n_kv, legal
):
    parts = ("n_kv must", repr(n_kv), f"the divisors of {h} are {legal}.")
    with refused(SizeError, *parts):
        Sizes(8 * h, h, n_kv)
    X, W = np.ones((3, 8 * h)), np.ones((8 * h, 8 * h))
    with refused(SizeError, *parts):
        multi_head_attention(X, W, W, W, W, h, n_kv)


# memory is refused before it is taken


def test_g05_huge_sizes_are_refused_before_any_array_is_made(memory):
    N, h, d_model = 10**6, 10**5, 10**9
    sizes = Sizes(d_model, h)
    small = np.broadcast_to(np.float32(0), (N, h))
    square = np.broadcast_to(np.float32(0), (h, h))
    with refused(SizeError, "would take", "GiB"):
        random_projections(sizes)
    with refused(SizeError, "would take", "GiB"):
        token_vectors(N, d_model)
    with refused(SizeError, "would take", "GiB"):
        mixing_matrices(sizes)
    with refused(SizeError, "would take", "GiB"):
        position_codes(N, N)
    with refused(SizeError, "would take", "GiB"):
        hand_built(np.eye(3), (), sizes)
    with refused(SizeError, "would take", "GiB"):
        causal_mask(N)
    with refused(SizeError, "(100000, 1000000, 1000000)", "GiB"):
        multi_head_attention(small, square, square, square, square, h)
    with refused(SizeError, "would take", "GiB"):
        scaled_dot_product_attention(small, small, small)
    with refused(SizeError, "would take", "GiB"):
        grouped_query_attention(*(small[:, :, None].swapaxes(0, 1),) * 3)


def test_g05_the_counters_still_answer(memory):
    N, h, d_model = 10**6, 10**5, 10**9
    sizes = Sizes(d_model, h)
    products = 4 * 2 * N * d_model**2 + 2 * 2 * N**2 * d_model
    assert flops(N, sizes).total == products
    assert parameters(sizes).total == 4 * d_model**2
    assert score_bytes(N, h) == 4 * h * N**2
    assert softmax_work(N, h).exponentials == h * N**2
    assert kv_cache_bytes(100, h, 10**4, N) == 2 * 100 * 10**9 * N * 2


@pytest.mark.parametrize("size", [0, -3, 2.5, 8.0, "8", None, True])
def test_weights_and_vectors_of_no_size_are_refused(size):
    with refused(SizeError, "N must be"):
        token_vectors(size, 8)
    with refused(SizeError, "d_model must be"):
        token_vectors(3, size)
    with refused(SizeError, "N must be"):
        position_codes(size, 8)
    with refused(SizeError, "d_k must be"):
        position_codes(3, size)


def test_hand_built_weights_want_vectors_of_the_layers_width():
    with refused(SizeError, "X must be (N, d_model)", "d_model=16", "(9, 8)"):
        hand_built(token_vectors(9, 8), (), Sizes(16, 2))
