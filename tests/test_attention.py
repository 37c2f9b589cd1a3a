"""What attention must do, whatever the numbers in it."""

import ast
import inspect
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import helpers.attention
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
from helpers.sizes import Sizes
from tests import plain_loops
from tests.layers import (
    BATCH,
    D_K,
    D_MODEL,
    D_V,
    N_K,
    N_KV,
    H,
    N,
    few,
    heads_of,
    layer,
    seeds,
    some_mask,
)

pytestmark = pytest.mark.usefixtures("no_warnings")

exact = dict(rtol=1e-12, atol=1e-12)
rows_of_scores = st.lists(st.floats(-700, 700), min_size=1, max_size=11)


# softmax


@few
@given(rows_of_scores)
def test_shares_are_positive_and_sum_to_1(scores):
    shares = softmax(np.array(scores))
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert np.allclose(shares, plain_loops.softmax_row(scores), **exact)


@few
@given(rows_of_scores, st.floats(-1e6, 1e6))
def test_a_shift_of_all_scores_changes_no_share(scores, shift):
    scores = np.array(scores)
    shifted = scores + shift
    scores = shifted - shift  # what the shift left of the scores
    assert np.allclose(softmax(shifted), softmax(scores), atol=1e-9)


@few
@given(seeds)
def test_shares_follow_their_scores_to_another_order(seed):
    rng = np.random.default_rng(seed)
    scores, order = rng.normal(size=(3, N)), rng.permutation(N)
    moved = softmax(scores[:, order])
    assert np.allclose(moved, softmax(scores)[:, order], **exact)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_softmax_shares_out_along_its_axis(axis):
    scores = np.random.default_rng(3).normal(size=(2, 3, 5))
    shares = softmax(scores, axis)
    assert np.allclose(shares.sum(axis=axis), 1, **exact)
    last = softmax(np.moveaxis(scores, axis, -1))
    assert np.array_equal(np.moveaxis(shares, axis, -1), last)


def test_a14_large_scores_equal_scores_and_a_shift():
    assert softmax(np.array([1000.0, 1000, -1000])).tolist() == [0.5, 0.5, 0]
    assert softmax(np.full(7, 3.7)).tolist() == [1 / 7] * 7
    scores = np.random.default_rng(5).normal(size=(4, N))
    shifted = scores + 10_000.0
    left = shifted - 10_000.0
    assert np.allclose(softmax(shifted), softmax(left), **exact)


def test_where_nothing_may_be_seen_there_is_nothing_to_share_out():
    scores = np.array([[-np.inf, -np.inf], [-np.inf, 2.0]])
    assert softmax(scores).tolist() == [[0, 0], [0, 1]]


@pytest.mark.parametrize("number_type", ["f2", "f4", "f8"])
def test_softmax_writes_where_it_is_told(number_type):
    scores = np.array([[1, 2, 3], [4, 4, 4]], number_type)
    want = softmax(scores)
    out = np.empty_like(scores)
    assert softmax(scores, out=out) is out
    assert np.array_equal(out, want)
    assert softmax(scores, out=scores) is scores
    assert np.array_equal(scores, want)
    assert want.dtype == np.dtype(number_type)


def test_whole_scores_give_float64_and_float16_is_rounded_once():
    assert softmax([1, 2]).dtype == np.float64
    scores = np.random.default_rng(2).normal(size=(5, 300)).astype("f2")
    want = softmax(scores.astype("f8")).astype("f2")
    assert (np.abs(softmax(scores) - want) <= np.spacing(want)).all()


# one head


@few
@given(seeds, st.booleans())
def test_one_head_is_the_formula_in_plain_loops(seed, masked):
    rng = np.random.default_rng(seed)
    Q, K = rng.normal(size=(N, D_K)), rng.normal(size=(N_K, D_K))
    V, bias = rng.normal(size=(N_K, D_V)), rng.normal(size=(N, N_K))
    mask = some_mask(seed, N, N_K) if masked else None
    out, attn = scaled_dot_product_attention(Q, K, V, mask, bias)
    want_out, want_attn = plain_loops.one_head(
        Q.tolist(), K.tolist(), V.tolist(), mask, bias.tolist()
    )
    assert np.allclose(out, want_out, **exact)
    assert np.allclose(attn, want_attn, **exact)


def test_scores_are_divided_by_the_root_of_the_width_of_a_head():
    Q, K, V = np.ones((1, 4)), np.zeros((2, 4)), np.ones((2, 3))
    K[0] = 1  # Q K^T = 4, 0; by sqrt(4): 2, 0
    _, attn = scaled_dot_product_attention(Q, K, V)
    assert np.allclose(attn, softmax(np.array([[2.0, 0]])), **exact)
    _, attn = scaled_dot_product_attention(Q, K, V, scale=0.25)
    assert np.allclose(attn, softmax(np.array([[1.0, 0]])), **exact)
    _, attn = scaled_dot_product_attention(Q, K, V, scale=0)
    assert attn.tolist() == [[0.5, 0.5]]


def test_a05_shares_sum_to_1_over_the_keys_and_not_over_the_queries():
    rng = np.random.default_rng(11)
    Q, K, V = (rng.normal(size=(n, 4)) for n in (2, 5, 5))
    _, attn = scaled_dot_product_attention(Q, K, V)
    assert np.allclose(attn.sum(axis=1), 1, **exact)
    assert not np.allclose(attn.sum(axis=0), 1, atol=0.01)
    out, attn = scaled_dot_product_attention(Q, K[:1], V[:1])
    assert (attn == 1).all()
    assert np.array_equal(out, np.repeat(V[:1], 2, axis=0))


def test_a21_one_token_sees_itself_and_keeps_its_axes():
    X = np.random.default_rng(4).normal(size=(1, 8))
    eye = np.eye(8)
    out, attn = multi_head_attention(X, eye, eye, eye, eye, h=1)
    assert attn.tolist() == [[[1]]] and np.allclose(out, X)
    two = np.stack([X, X])
    out, attn = multi_head_attention(two, eye, eye, eye, eye, h=1)
    assert attn.tolist() == [[[[1]]], [[[1]]]] and np.allclose(out, two)


# split and merge


def test_a01_merging_lays_the_heads_of_a_token_side_by_side():
    heads = np.arange(8).reshape(1, 2, 2, 2)  # batch, head, token, width
    assert merge_heads(heads).tolist() == [[[0, 1, 4, 5], [2, 3, 6, 7]]]


def test_splitting_gives_head_i_its_own_columns_of_each_token():
    X = np.random.default_rng(0).normal(size=(BATCH, N, H * D_K))
    heads = split_heads(X, H)
    assert heads.shape == (BATCH, H, N, D_K)
    for head in range(H):
        own = X[..., head * D_K : (head + 1) * D_K]
        assert np.array_equal(heads[:, head], own)
    assert np.shares_memory(heads, X)


@few
@given(
    st.lists(st.integers(1, 3), max_size=2),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(1, 5),
)
def test_merging_undoes_splitting(front, h, tokens, d):
    X = np.arange(np.prod([*front, tokens, h * d])).reshape(
        *front, tokens, h * d
    )
    assert np.array_equal(merge_heads(split_heads(X, h)), X)
    heads = X.reshape(*front, h, tokens, d)
    assert np.array_equal(split_heads(merge_heads(heads), h), heads)


# the whole layer


def loop_over_heads(L, h, n_kv, **seen):
    """Run head after head, each with its own columns of the matrices."""
    outs, maps = [], []
    for head in range(h):
        kv = head // (h // n_kv)
        q = slice(head * D_K, (head + 1) * D_K)
        k = slice(kv * D_K, (kv + 1) * D_K)
        v = slice(kv * D_V, (kv + 1) * D_V)
        out, attn = scaled_dot_product_attention(
            L.X @ L.W_Q[:, q], L.X @ L.W_K[:, k], L.X @ L.W_V[:, v], **seen
        )
        outs.append(out)
        maps.append(attn)
    return np.stack(outs, axis=-3), np.stack(maps, axis=-3)


@pytest.mark.parametrize("n_kv", [1, 2, 3, 6])
@few
@given(seed=seeds, causal=st.booleans())
def test_loop_batched_and_sum_of_head_writes_are_one(n_kv, seed, causal):
    L = layer(seed, n_kv=n_kv)
    out, attn = multi_head_attention(*L, H, n_kv, causal=causal)
    heads, maps = loop_over_heads(L, H, n_kv, causal=causal)
    assert np.allclose(attn, maps, **exact)
    assert np.allclose(out, merge_heads(heads) @ L.W_O, rtol=1e-10)
    writes = head_writes(heads, L.W_O)
    assert writes.shape == (H, N, D_MODEL)
    assert np.allclose(out, writes.sum(axis=-3), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_kv", [1, 2, 6])
def test_the_layer_is_the_formula_in_plain_loops(n_kv):
    L = layer(8, n_kv=n_kv)
    mask = some_mask(9, H, N, N)
    out, attn = multi_head_attention(*L, H, n_kv, mask=mask)
    lists = (array.tolist() for array in L)
    want_out, want_attn = plain_loops.multi_head(*lists, H, n_kv, mask)
    assert np.allclose(attn, want_attn, **exact)
    assert np.allclose(out, want_out, rtol=1e-10, atol=1e-10)


@few
@given(seeds)
def test_cross_attention_takes_keys_and_values_from_elsewhere(seed):
    L = layer(seed)
    X_kv = np.random.default_rng(seed + 1).normal(size=(N_K, D_MODEL))
    out, attn = multi_head_attention(*L, H, N_KV, X_kv, causal=True)
    assert attn.shape == (H, N, N_K)
    lists = (array.tolist() for array in L)
    allowed = [plain_loops.causal(N, N_K)] * H
    want_out, want_attn = plain_loops.multi_head(
        *lists, H, N_KV, allowed, X_kv.tolist()
    )
    assert np.allclose(attn, want_attn, **exact)
    assert np.allclose(out, want_out, rtol=1e-10, atol=1e-10)


@few
@given(seeds)
def test_tokens_in_another_order_give_outputs_in_that_order(seed):
    L = layer(seed)
    order = np.random.default_rng(seed).permutation(N)
    out, attn = multi_head_attention(*L, H, N_KV)
    moved, moved_attn = multi_head_attention(L.X[order], *L[1:], H, N_KV)
    assert np.allclose(moved, out[order], rtol=1e-10, atol=1e-10)
    want = attn[:, order][:, :, order]
    assert np.allclose(moved_attn, want, **exact)


@few
@given(seeds, st.integers(1, N - 1))
def test_a_causal_layer_does_not_feel_the_future(seed, now):
    L = layer(seed)
    out, attn = multi_head_attention(*L, H, N_KV, causal=True)
    X = L.X.copy()
    X[now:] = np.random.default_rng(seed + 1).normal(size=(N - now, D_MODEL))
    changed, _ = multi_head_attention(X, *L[1:], H, N_KV, causal=True)
    assert np.array_equal(out[:now], changed[:now])
    assert not np.allclose(out[now:], changed[now:])
    assert (attn[:, ~causal_mask(N)] == 0).all()
    assert (attn[:, causal_mask(N)] > 0).all()


@pytest.mark.parametrize("front", [(3,), (2, 3), (1, 2, 1)])
@pytest.mark.parametrize("n_kv", [1, 2, 6])
def test_axes_in_front_are_independent_sentences(front, n_kv):
    L = layer(6, n_kv=n_kv, front=front)
    out, attn = multi_head_attention(*L, H, n_kv, causal=True)
    assert out.shape == L.X.shape and attn.shape == (*front, H, N, N)
    for place in np.ndindex(*front):
        alone = L._replace(X=L.X[place])
        one, one_attn = multi_head_attention(*alone, H, n_kv, causal=True)
        assert np.allclose(out[place], one, rtol=1e-10, atol=1e-10)
        assert np.allclose(attn[place], one_attn, **exact)


def test_axes_in_front_of_one_head_broadcast():
    rng = np.random.default_rng(7)
    Q, K = rng.normal(size=(4, 1, N, D_K)), rng.normal(size=(1, 3, N_K, D_K))
    V = rng.normal(size=(1, 1, N_K, D_V))
    out, attn = scaled_dot_product_attention(Q, K, V)
    assert out.shape == (4, 3, N, D_V) and attn.shape == (4, 3, N, N_K)
    one, _ = scaled_dot_product_attention(Q[2, 0], K[0, 1], V[0, 0])
    assert np.allclose(out[2, 1], one, **exact)


# grouped heads


@few
@given(seeds)
def test_as_many_key_value_heads_as_heads_is_multi_head(seed):
    Q, K, V = heads_of(seed, n_kv=H)
    heads, attn = grouped_query_attention(Q, K, V)
    want, want_attn = scaled_dot_product_attention(Q, K, V)
    assert np.allclose(heads, want, **exact)
    assert np.allclose(attn, want_attn, **exact)
    L = layer(seed, n_kv=H)
    plain = multi_head_attention(*L, H)
    grouped = multi_head_attention(*L, H, n_kv=H)
    assert np.array_equal(plain[0], grouped[0])


@few
@given(seeds)
def test_one_key_value_head_is_shared_by_all(seed):
    Q, K, V = heads_of(seed, n_kv=1)
    heads, attn = grouped_query_attention(Q, K, V)
    for head in range(H):
        want = scaled_dot_product_attention(Q[head], K[0], V[0])
        assert np.allclose(heads[head], want[0], **exact)
        assert np.allclose(attn[head], want[1], **exact)


@pytest.mark.parametrize("front", [(), (BATCH,)])
@pytest.mark.parametrize("n_kv", [2, 3])
@few
@given(seed=seeds)
def test_grouped_is_multi_head_with_each_key_repeated(front, n_kv, seed):
    Q, K, V = heads_of(seed, n_kv=n_kv, front=front)
    mask = some_mask(seed, *front, H, N, N_K)
    heads, attn = grouped_query_attention(Q, K, V, mask, causal=True)
    K_each, V_each = (np.repeat(a, H // n_kv, axis=-3) for a in (K, V))
    want, want_attn = grouped_query_attention(
        Q, K_each, V_each, mask, causal=True
    )
    assert np.allclose(heads, want, **exact)
    assert np.allclose(attn, want_attn, **exact)
    tiled = (np.tile(a, (H // n_kv, 1, 1)) for a in (K, V))
    wrong, _ = grouped_query_attention(Q, *tiled, mask, causal=True)
    assert not np.allclose(heads, wrong, atol=0.01)


def test_grouped_heads_take_a_scale():
    Q, K, V = heads_of()
    _, attn = grouped_query_attention(Q, K, V, scale=0.1)
    _, want = scaled_dot_product_attention(Q[5], K[1], V[1], scale=0.1)
    assert np.allclose(attn[5], want, **exact)


def test_b01_query_heads_0_and_1_read_the_first_key_value_head():
    K = np.zeros((2, 3, 4))
    K[0, 0], K[1, 2] = 50, 50  # KV head 0 calls for key 0, KV head 1 for 2
    _, attn = grouped_query_attention(np.ones((4, 1, 4)), K, K)
    assert attn[:, 0].argmax(axis=-1).tolist() == [0, 0, 2, 2]


def test_keys_and_values_are_broadcast_and_not_copied():
    h, N_k, d = 64, 2048, 64
    K = np.ones((1, N_k, d), np.float32)
    Q = np.ones((h, 1, d), np.float32)
    tracemalloc.start()
    grouped_query_attention(Q, K, K)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * h * N_k * 4 + K.nbytes  # copies would take 64 K.nbytes


def test_the_layer_needs_little_more_than_one_array_of_scores():
    L = layer(1, N=701, n_kv=H, number_type=np.float32)
    scores = H * 701 * 701 * 4
    tracemalloc.start()
    multi_head_attention(*L, H)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.35 * scores


# number types


@pytest.mark.parametrize("number_type", ["f2", "f4", "f8", np.longdouble])
def test_the_number_type_is_kept(number_type):
    L = layer(3, number_type=number_type)
    out, attn = multi_head_attention(*L, H, N_KV, causal=True)
    assert out.dtype == attn.dtype == np.dtype(number_type)
    want, _ = multi_head_attention(
        *(array.astype("f8") for array in L), H, N_KV, causal=True
    )
    tolerance = {2: 0.2, 4: 1e-3}.get(out.dtype.itemsize, 1e-9)
    assert np.allclose(out.astype("f8"), want, rtol=0.05, atol=tolerance)


def test_whole_numbers_are_computed_in_float64():
    Q = np.eye(3, dtype=int)
    out, attn = scaled_dot_product_attention(Q, Q, Q)
    assert out.dtype == attn.dtype == np.float64


def test_a_bias_in_another_type_does_not_change_the_type():
    Q, K, V = heads_of(number_type=np.float32)
    _, attn = grouped_query_attention(Q, K, V, bias=np.zeros((N, N_K)))
    assert attn.dtype == np.float32


def test_a13_float16_with_scores_up_to_a_thousand():
    rng = np.random.default_rng(13)
    Q, K = np.full((N, 4), 22.0), rng.choice([-22.0, 22.0], size=(N, 4))
    V = rng.normal(size=(N, 3))
    assert np.abs(Q @ K.T / 2).max() > 900
    padding = np.arange(N)[None, :] < N - 2
    got = scaled_dot_product_attention(
        *(a.astype("f2") for a in (Q, K, V)), padding, causal=True
    )
    want = scaled_dot_product_attention(Q, K, V, padding, causal=True)
    for g, w in zip(got, want):
        assert g.dtype == np.float16 and np.isfinite(g).all()
        assert np.allclose(g.astype("f8"), w, rtol=2e-3, atol=2e-3)


def test_float16_heads_are_computed_in_float32_and_rounded_once():
    Q, K, V = heads_of(number_type=np.float16)
    got = grouped_query_attention(20 * Q, 20 * K, V)
    wide = (a.astype(np.float32) for a in (20 * Q, 20 * K, V))
    for g, w in zip(got, grouped_query_attention(*wide), strict=True):
        assert np.array_equal(g, w.astype(np.float16))
    _, attn = grouped_query_attention(300 * Q, 300 * K, V)  # scores > 65,504
    assert np.isfinite(attn).all() and (attn.max(axis=-1) == 1).any()


# promises to the reader


def test_nothing_that_is_handed_in_is_changed():
    L = layer(2, front=(BATCH,))
    mask, bias = some_mask(1, N, N), np.ones((N, N))
    given = (*L, mask, bias)
    before = [array.copy() for array in given]
    multi_head_attention(*L, H, N_KV, None, mask, bias, True)
    Q, K, V = heads_of()
    kept = [array.copy() for array in (Q, K, V)]
    grouped_query_attention(Q, K, V)
    merge_heads(split_heads(L.X, H))
    head_writes(np.ones((H, N, D_V)), L.W_O)
    softmax(bias)
    assert all(map(np.array_equal, before, given))
    assert all(map(np.array_equal, kept, (Q, K, V)))


def test_lists_are_taken_like_arrays():
    L = layer(4)
    want = multi_head_attention(*L, H, N_KV)
    got = multi_head_attention(*(a.tolist() for a in L), H, N_KV)
    assert np.allclose(got[0], want[0], **exact)


def test_head_writes_take_axes_in_front():
    heads = np.random.default_rng(1).normal(size=(BATCH, H, N, D_V))
    W_O = layer().W_O
    writes = head_writes(heads, W_O)
    assert writes.shape == (BATCH, H, N, D_MODEL)
    assert np.allclose(writes[1, 2], heads[1, 2] @ W_O[2 * D_V : 3 * D_V])


def test_the_file_is_in_the_order_of_the_lessons():
    tree = ast.parse(inspect.getsource(helpers.attention))
    order = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_"
    ]
    assert order == [
        "softmax",
        "causal_mask",
        "padding_mask",
        "hide",
        "scaled_dot_product_attention",
        "split_heads",
        "merge_heads",
        "grouped_query_attention",
        "multi_head_attention",
        "head_writes",
    ]


@pytest.mark.parametrize(
    ("d_model", "h", "d_k", "divisor"),
    [(512, 8, None, 8), (512, 4, None, 128**0.5), (2560, 32, 128, 128**0.5)],
)
def test_a04_the_divisor_is_the_root_of_the_width_of_a_head(
    d_model, h, d_k, divisor
):
    width = Sizes(d_model, h, d_k=d_k).d_k
    rng = np.random.default_rng(3)
    Q, K, V = (rng.normal(size=(h, n, width)) for n in (3, 5, 5))
    _, attn = grouped_query_attention(Q, K, V)
    want = softmax(Q @ K.swapaxes(-1, -2) / divisor)
    assert np.allclose(attn, want, **exact)


def test_e13_a_batch_and_its_rows_agree_to_a_tolerance_in_float32():
    L = layer(4, front=(BATCH,), number_type=np.float32)
    batch, _ = multi_head_attention(*L, H, N_KV)
    rows = [multi_head_attention(X, *L[1:], H, N_KV)[0] for X in L.X]
    assert np.abs(batch - rows).max() <= 1e-5 * np.abs(batch).max()
