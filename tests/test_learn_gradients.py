"""Gradients of layers and models equal finite differences, in float64.

The same functions meet PyTorch's gradients in test_oracle.py.
"""

import numpy as np
import pytest

from helpers.attention import (
    grouped_query_attention,
    multi_head_attention,
    softmax,
)
from helpers.counted import count, counting
from helpers.learn import gradients as learn
from helpers.learn.adam import Adam, cosine, warm_up
from helpers.learn.batch import Asked, Batch
from helpers.learn.model import Model, Settings, named_parts
from helpers.learn.products import LARGEST, added_products, project
from helpers.learn.training import examine, learn_from
from helpers.sizes import SizeError
from tests.layers import D_K, D_MODEL, D_V, N_KV, H, N, layer

STEP = 1e-5


def difference(loss, array, place):
    """Return how the loss changes with one number of the array."""
    kept = array[place]
    array[place] = kept + STEP
    above = loss()
    array[place] = kept - STEP
    below = loss()
    array[place] = kept
    return (above - below) / (2 * STEP)


def assert_gradient(loss, array, gradient, n=12, seed=0):
    """Compare n numbers of a gradient with finite differences."""
    assert gradient.shape == array.shape
    rng = np.random.default_rng(seed)
    for _ in range(n):
        place = tuple(rng.integers(size) for size in array.shape)
        want = difference(loss, array, place)
        assert gradient[place] == pytest.approx(want, rel=1e-5, abs=1e-8)


def test_products_in_pieces_are_products(monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(3, 7, 5)), rng.normal(size=(3, 7, 11))
    W = rng.normal(size=(5, 11))
    want = np.einsum("bni,bno->io", X, Y)
    for largest in (1, 120, 56 * 5, LARGEST):
        monkeypatch.setattr("helpers.learn.products.LARGEST", largest)
        assert project(X, W) == pytest.approx(X @ W)
        assert added_products(X, Y) == pytest.approx(want)


@pytest.mark.parametrize("shape", ((1024, 64, 64), (576, 32, 32), (7, 5, 3)))
def test_no_piece_is_large_enough_for_threads(shape, monkeypatch):
    """And none is needlessly small: the next row would be too many."""
    n, d_in, d_out = shape
    X, W = np.zeros((n, d_in)), np.zeros((d_in, d_out))
    with counting() as tally:
        project(count(X), W)
        added_products(count(X), np.zeros((n, d_out)))
    sizes = [p.m * p.k * p.n * p.batch for p in tally.products]
    assert sum(sizes) == 2 * n * d_in * d_out
    assert max(sizes) <= LARGEST
    assert len(sizes) <= 2 * (n * d_in * d_out // LARGEST + 1)


def test_softmax_backward():
    rng = np.random.default_rng(1)
    scores, towards = rng.normal(size=(2, 5, 7))
    scores[2, 3] = -np.inf
    got = learn.softmax_backward(towards, softmax(scores))
    assert got.sum(axis=-1) == pytest.approx(0, abs=1e-12)
    assert got[2, 3] == 0
    for place in ((0, 0), (2, 1), (4, 6)):
        want = difference(
            lambda: (softmax(scores) * towards).sum(), scores, place
        )
        assert got[place] == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("scale", (None, 0.3))
def test_grouped_attention_backward(scale):
    rng = np.random.default_rng(2)
    Q = rng.normal(size=(2, H, N, D_K))
    K = rng.normal(size=(2, N_KV, N, D_K))
    V = rng.normal(size=(2, N_KV, N, D_V))
    towards = rng.normal(size=(2, H, N, D_V))

    def loss():
        heads, _ = grouped_query_attention(Q, K, V, causal=True, scale=scale)
        return (heads * towards).sum()

    _, attn = grouped_query_attention(Q, K, V, causal=True, scale=scale)
    got = learn.grouped_query_attention_backward(towards, Q, K, V, attn, scale)
    for array, gradient in zip((Q, K, V), got, strict=True):
        assert_gradient(loss, array, gradient)


@pytest.mark.parametrize("causal", (False, True))
def test_a_layer_is_the_layer_of_the_course(causal):
    X, *matrices = layer(3)
    W = learn.Projections(*matrices)
    want, attn = multi_head_attention(X, *matrices, H, N_KV, causal=causal)
    got, notes = learn.attention_layer(X, X, X, W, H, N_KV, causal)
    assert got == pytest.approx(want)
    assert notes.attn == pytest.approx(attn)


def test_layer_backward_with_three_inputs_and_a_head_mask():
    rng = np.random.default_rng(4)
    _, *matrices = layer(4)
    W = learn.Projections(*matrices)
    inputs = list(rng.normal(size=(3, 2, N, D_MODEL)))
    mask = np.array([1, 0, 0.5, 1, 1, 0])
    assert len(mask) == H
    towards = rng.normal(size=(2, N, D_MODEL))

    def forward():
        return learn.attention_layer(*inputs, W, H, N_KV, True, mask)

    out, notes = forward()
    d_inputs, d_W = learn.attention_layer_backward(towards, W, notes)
    for array, gradient in zip((*inputs, *W), (*d_inputs, *d_W), strict=True):
        assert_gradient(
            lambda: (forward()[0] * towards).sum(), array, gradient
        )
    d_W_Q = d_W.W_Q.reshape(D_MODEL, H, D_K)
    assert not d_W_Q[:, 1].any() and not d_W_Q[:, 5].any()
    assert d_W_Q[:, 2].any()


def test_mlp_backward():
    rng = np.random.default_rng(5)
    X, W_1, b_1, W_2 = (
        rng.normal(size=shape) for shape in ((2, 3, 5), (5, 7), 7, (7, 5))
    )
    towards = rng.normal(size=X.shape)
    _, middle = learn.mlp(X, W_1, b_1, W_2)
    assert (middle == 0).any() and (middle > 0).any()
    d_X, d_weights = learn.mlp_backward(towards, X, W_1, W_2, middle)
    for array, gradient in zip((X, W_1, b_1, W_2), (d_X, *d_weights)):
        assert_gradient(
            lambda: (learn.mlp(X, W_1, b_1, W_2)[0] * towards).sum(),
            array,
            gradient,
        )


def test_cross_entropy_of_a_coin_and_of_certainty():
    loss, d_logits, shares = learn.cross_entropy(
        np.zeros((3, 2)), np.array([0, 1, 1])
    )
    assert loss == pytest.approx(np.log(2))
    assert shares == pytest.approx(0.5)
    assert d_logits * 6 == pytest.approx(np.array([[-1, 1], [1, -1], [1, -1]]))
    sure = np.array([[1e4, 0.0]])
    assert learn.cross_entropy(sure, np.array([0]))[0] == 0
    assert 50 < learn.cross_entropy(sure, np.array([1]))[0] < np.inf


ASKED = {
    "one": Asked(
        np.array([0, 1, 2]), np.array([2, 2, 4]), np.array([1, 0, 2])
    ),
    "other": Asked(np.array([0, 1]), np.array([2, 0]), np.array([3, 0])),
}
VARIANTS = (
    {},
    {"n_layers": 2, "causal": True, "spread": 0.3},
    {"positions": "Q, K, V", "mlp": "before", "n_kv": 2},
    {"n_layers": 2, "mlp": "after", "mlp_width": 7, "n_kv": 1},
)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_model_learns_from_the_right_gradient(variant):
    """All weights, two read-outs at one place, a head half removed."""
    settings = Settings(
        11, 5, (("one", 3), ("other", 4)), d_model=12, **{"h": 4, **variant}
    )
    model = Model(settings, 6, np.float64)
    tokens = np.random.default_rng(7).integers(11, size=(3, 5))
    batch = Batch(tokens, ASKED)
    mask = np.ones((settings.n_layers, 4))
    mask[-1, 1], mask[0, 2] = 0.5, 0

    def loss():
        return sum(s.loss for s in examine(model, batch, mask).values())

    scores, gradient = learn_from(model, batch, mask)
    assert loss() == pytest.approx(sum(s.loss for s in scores.values()))
    parts = named_parts(gradient, settings.shapes())
    for name, array in model.parts.items():
        assert parts[name].any(), name
        assert_gradient(loss, array, parts[name], n=6)


def test_positions_stay_out_of_the_values_unless_asked():
    """With even attention, only values could tell places apart."""
    for positions, told in (("Q, K", False), ("Q, K, V", True)):
        settings = Settings(
            *(7, 5, (("one", 2),)),
            **{"d_model": 8, "positions": positions, "spread": 0.0},
        )
        model = Model(settings, 1, np.float64)
        X, notes = model.forward(np.array([[1, 2, 3, 4, 5], [3, 2, 1, 4, 5]]))
        assert notes["attention"][0].attn == pytest.approx(1 / 5)
        out = X - model.parts["tokens"][notes["tokens"]]
        assert np.allclose(out[0, 0], out[0, 4]) is not told


def test_a_copy_is_its_own_and_a_seed_gives_the_same_weights():
    settings = Settings(7, 5, (("one", 2),), d_model=8)
    model, again = Model(settings, 3), Model(settings, 3)
    assert model.flat.dtype == np.float32
    assert np.array_equal(model.flat, again.flat)
    assert not np.array_equal(model.flat, Model(settings, 4).flat)
    other = model.copy()
    other.parts["W_O 0"][...] = 0
    assert not other.flat.all() and np.array_equal(model.flat, again.flat)


@pytest.mark.parametrize(
    "wrong",
    [{"h": 5}, {"n_kv": 3, "h": 4}, {"positions": "V"}, {"mlp": "both"}],
)
def test_settings_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ValueError):
        Settings(7, 5, (("one", 2),), **{"d_model": 8, **wrong})
    with pytest.raises(SizeError):
        Settings(7, 5, (("one", 2),), n_layers=0)


SEVEN_WORDS = Settings(7, 5, (("one", 2),), d_model=6, h=3, n_layers=2)


@pytest.mark.parametrize("seed", [-1, 2.5, "text", None, True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(SizeError, match="seed must be"):
        Model(SEVEN_WORDS, seed)


def test_too_large_a_model_is_refused_before_it_is_made():
    with pytest.raises(SizeError, match="weights of this model .* GiB"):
        Model(Settings(7, 5, (("one", 2),), d_model=30_000, h=3))
    with pytest.raises(SizeError, match="n_layers must be from 1 to 10,000"):
        Settings(7, 5, (("one", 2),), n_layers=10**6)


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        ([[0, 7]], "from 0 to 6.*got 7"),
        ([[0, -1]], "from 0 to 6.*got -1"),
        ([[0] * 6], "N from 1 to 5"),
        ([0, 1], "must be .batch, N."),
        (np.zeros((10**8, 5), np.int8), "These sentences would take"),
    ],
)
def test_sentences_that_do_not_fit_are_refused(tokens, said):
    with pytest.raises(SizeError, match=said):
        Model(SEVEN_WORDS).forward(np.asarray(tokens))


@pytest.mark.parametrize("shape", [(2, 2), (1, 3), (3,), (2, 3, 1)])
def test_a_mask_of_other_heads_is_refused(shape):
    model, tokens = Model(SEVEN_WORDS), np.zeros((1, 5), int)
    with pytest.raises(SizeError, match="n_layers, h.*here .2, 3."):
        model.forward(tokens, np.ones(shape))
    X, _ = model.forward(tokens, np.ones((2, 3)))
    assert np.array_equal(X, model.forward(tokens)[0])


def test_adam_follows_the_paper():
    """Two steps by hand: g = 3, then g = 1; a weight without g stays."""
    flat = np.array([1.0, 5.0])
    adam = Adam(flat, 0.9, 0.99)
    adam.step(np.array([3.0, 0.0]), 0.1)
    assert flat == pytest.approx([0.9, 5])
    adam.step(np.array([1.0, 0.0]), 0.1)
    mean = (0.09 * 3 + 0.1 * 1) / (1 - 0.81)
    square = (0.0099 * 9 + 0.01 * 1) / (1 - 0.9801)
    assert flat == pytest.approx([0.9 - 0.1 * mean / np.sqrt(square), 5])


def test_the_learning_rate_climbs_and_falls():
    assert warm_up(0, 50) == 1 / 50 and warm_up(49) == warm_up(300) == 1
    assert cosine(0, 600) == 1 and cosine(600, 600) == pytest.approx(0.05)
    assert cosine(300, 600) == pytest.approx(0.525)
