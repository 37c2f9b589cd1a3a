"""Counted = formula: the real code, given an array that counts."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.attention import (
    causal_mask,
    grouped_query_attention,
    head_writes,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax,
)
from helpers.cost import flops, softmax_work
from helpers.counted import CountedArray, Product, count, counting
from helpers.sizes import Sizes
from tests.layers import D_K, D_MODEL, D_V, N_K, N_KV, H, N, few, layer

ODD = Sizes(D_MODEL, H, N_KV, D_K, D_V)
small = st.integers(1, 9)


def steps_of(tally):
    """Return the FLOPs of the products in the order of the ledger."""
    names = ("Q", "K", "V", "scores", "weighted_sum", "W_O")
    counted = (product.flops for product in tally.products)
    return dict(zip(names, counted, strict=True))


@few
@given(small, small, small, small, small, small, small, small)
def test_what_ran_is_what_the_ledger_says(
    tokens, keys, batch, n_kv, group, d_k, d_v, d_model
):
    sizes = Sizes(d_model, n_kv * group, n_kv, d_k, d_v)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(batch, tokens, d_model))
    X_kv = rng.normal(size=(batch, keys, d_model))
    W_Q = rng.normal(size=(d_model, sizes.h * d_k))
    W_K = rng.normal(size=(d_model, n_kv * d_k))
    W_V = rng.normal(size=(d_model, n_kv * d_v))
    W_O = rng.normal(size=(sizes.h * d_v, d_model))
    with counting() as tally:
        out, attn = multi_head_attention(
            count(X), W_Q, W_K, W_V, W_O, sizes.h, n_kv, X_kv=count(X_kv)
        )
    want = flops(tokens, sizes, N_k=keys, batch=batch)
    assert steps_of(tally) == want.as_dict()
    assert tally.flops == want.total
    work = softmax_work(tokens, sizes.h, keys, batch)
    assert tally.exponentials == work.exponentials
    plain, plain_attn = multi_head_attention(
        X, W_Q, W_K, W_V, W_O, sizes.h, n_kv, X_kv=X_kv
    )
    assert np.array_equal(out, plain)
    assert np.array_equal(attn, plain_attn)


@pytest.mark.parametrize("number_type", ["f2", "f4", "f8"])
@pytest.mark.parametrize(
    "seen",
    [
        {},
        {"causal": True},
        {"mask": causal_mask(N)},
        {"bias": np.zeros((N, N))},
        {"mask": np.zeros((H, N, N), bool), "causal": True},
    ],
)
def test_masks_and_types_change_no_count_and_counting_no_number(
    number_type, seen
):
    L = layer(3, number_type=number_type)
    with counting() as tally:
        out, attn = multi_head_attention(count(L.X), *L[1:], H, N_KV, **seen)
    assert steps_of(tally) == flops(N, ODD).as_dict()
    assert tally.exponentials == softmax_work(N, H).exponentials
    plain, plain_attn = multi_head_attention(*L, H, N_KV, **seen)
    assert isinstance(out, CountedArray) and isinstance(attn, CountedArray)
    assert out.dtype == plain.dtype
    assert np.array_equal(out, plain)
    assert np.array_equal(attn, plain_attn)


@pytest.mark.parametrize("place", range(5))
def test_any_one_counted_array_is_enough_for_its_own_products(place):
    L = list(layer())
    L[place] = count(L[place])
    with counting() as tally:
        multi_head_attention(*L, H, N_KV)
    through = {
        0: ["Q", "K", "V", "scores", "weighted_sum", "W_O"],
        1: ["Q", "scores", "weighted_sum", "W_O"],
        2: ["K", "scores", "weighted_sum", "W_O"],
        3: ["V", "weighted_sum", "W_O"],
        4: ["W_O"],
    }
    want = flops(N, ODD).as_dict()
    counted = [product.flops for product in tally.products]
    assert counted == [want[step] for step in through[place]]


def test_nine_tokens_of_the_text_are_counted_as_19_040_256():
    X = np.zeros((9, 512), np.float32)
    W = np.zeros((512, 512), np.float32)
    for h in (1, 8, 64):
        with counting() as tally:
            multi_head_attention(count(X), W, W, W, W, h)
        assert tally.flops == 19_040_256
        assert tally.exponentials == 81 * h


def test_parts_of_the_lesson_are_counted_by_themselves():
    Q, K, V = np.ones((H, N, D_K)), np.ones((N_KV, N_K, D_K)), 0
    V = np.ones((N_KV, N_K, D_V))
    with counting() as one:
        scaled_dot_product_attention(count(Q[0]), K[0], V[0])
    assert one.products == [Product(N, D_K, N_K, 1), Product(N, N_K, D_V, 1)]
    with counting() as grouped:
        grouped_query_attention(count(Q), K, V)
    assert grouped.flops == H * one.flops
    with counting() as writes:
        head_writes(count(np.ones((H, N, D_V))), np.ones((H * D_V, D_MODEL)))
    assert writes.flops == flops(N, ODD).W_O
    with counting() as shares:
        softmax(count(Q))
    assert (shares.flops, shares.exponentials) == (0, Q.size)


# products of every kind


@pytest.mark.parametrize(
    ("left", "right", "product"),
    [
        ((3, 5), (5, 7), Product(3, 5, 7, 1)),
        ((2, 1, 3, 5), (4, 5, 7), Product(3, 5, 7, 8)),
        ((5,), (5, 7), Product(1, 5, 7, 1)),
        ((3, 5), (5,), Product(3, 5, 1, 1)),
        ((5,), (5,), Product(1, 5, 1, 1)),
        ((5,), (2, 5, 7), Product(1, 5, 7, 2)),
        ((2, 3, 5), (5,), Product(3, 5, 1, 2)),
    ],
)
@pytest.mark.parametrize("counted", ["left", "right", "both"])
def test_a_product_is_2mkn_flops(left, right, product, counted):
    a, b = np.ones(left), np.ones(right)
    want = a @ b
    a = a if counted == "right" else count(a)
    b = b if counted == "left" else count(b)
    with counting() as tally:
        got = a @ b
    assert np.array_equal(got, want)
    assert tally.products == [product]
    m, k, n, batch = product.m, product.k, product.n, product.batch
    assert tally.flops == product.flops == 2 * m * k * n * batch


def test_products_survive_out_and_in_place_work():
    a, b = count(np.ones((3, 3))), np.full((3, 3), 2.0)
    with counting() as tally:
        out = np.empty((3, 3))
        assert np.matmul(a, b, out=out) is out
        a @= b
        a += 1
        a *= 0
        np.exp(a, out=a)
        np.exp2(a[0])
    assert isinstance(a, CountedArray)
    assert (out == 6).all()
    assert tally.products == [Product(3, 3, 3, 1)] * 2
    assert tally.exponentials == 9 + 3


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.T,
        lambda x: x[1:],
        lambda x: x.reshape(-1, 1),
        lambda x: x + 1,
        lambda x: x.copy(),
        lambda x: x.astype("f4"),
        lambda x: x.swapaxes(0, 1),
        lambda x: np.concatenate([x, x]),
        lambda x: np.repeat(x, 2, axis=0),
        lambda x: np.transpose(x),
        lambda x: np.stack([x, x]),
        lambda x: x.sum(axis=0, keepdims=True),
        lambda x: np.where(x > 0, x, 0),
    ],
)
def test_what_is_made_of_a_counted_array_counts_too(change):
    made = change(count(np.arange(6.0).reshape(2, 3)))
    assert isinstance(made, CountedArray)
    with counting() as tally:
        made @ np.ones((made.shape[-1], 2))
    assert tally.flops > 0


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: np.einsum("ij,jk", a, b),
        lambda a, b: np.dot(a, b),
        lambda a, b: np.dot(b, a),
        lambda a, b: a.dot(b),
        lambda a, b: np.tensordot(a, b, 1),
        lambda a, b: np.inner(a, b),
        lambda a, b: np.vdot(a, b),
        lambda a, b: np.linalg.multi_dot([a, b, a]),
        lambda a, b: np.convolve(a[0], b[0]),
        lambda a, b: np.correlate(b[0], a[0]),
    ],
)
def test_a_product_that_would_go_by_uncounted_is_refused(call):
    a, b = count(np.eye(3)), np.eye(3)
    with counting(), pytest.raises(TypeError, match="is not counted here"):
        call(a, b)


@pytest.mark.parametrize("name", ["vecdot", "matvec", "vecmat"])
def test_newer_products_are_refused_where_numpy_has_them(name):
    if not hasattr(np, name):
        assert np.lib.NumpyVersion(np.__version__) < "2.2.0"
        return
    a = np.eye(3)
    with pytest.raises(TypeError, match=f"{name} is not counted here"):
        getattr(np, name)(count(a), a)


# where the tally is


def test_nothing_is_counted_outside_and_tallies_do_not_mix():
    a = count(np.ones((2, 2)))
    a @ a
    with counting() as outer:
        a @ a
        with counting() as inner:
            a @ a
            a @ a
        a @ a
    a @ a
    assert len(inner.products) == 2
    assert len(outer.products) == 2
    with pytest.raises(ZeroDivisionError), counting() as broken:
        a @ a
        1 / 0  # noqa: B018
    a @ a
    assert len(broken.products) == 1


def test_another_thread_does_not_count_here():
    a = count(np.ones((2, 2)))
    with counting() as tally:
        thread = threading.Thread(target=lambda: a @ a)
        thread.start()
        thread.join()
    assert tally.products == []


def test_plain_arrays_are_not_counted_and_the_given_one_is_not_changed():
    plain = np.ones((2, 2))
    counted = count(plain)
    assert type(plain) is np.ndarray
    assert np.shares_memory(plain, counted)
    with counting() as tally:
        plain @ plain
    assert tally.flops == 0
    assert count([[1.0]]).shape == (1, 1)
