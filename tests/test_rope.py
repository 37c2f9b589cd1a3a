"""Rotary positions: two layouts, and scores that know only the distance."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.counted import count
from helpers.rope import LAYOUTS, angles, rotate
from helpers.sizes import SizeError
from tests.layers import few, seeds

D, N = 10, 7
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def vectors(*shape, seed=3):
    return np.random.default_rng(seed).normal(size=shape)


def turned_by_hand(x, position, layout, base=10_000.0):
    """Turn one vector, pair by pair, with complex numbers."""
    d = len(x)
    turned = np.empty(d)
    for i in range(d // 2):
        a, b = (i, i + d // 2) if layout == "half" else (2 * i, 2 * i + 1)
        turn = position / base ** (2 * i / d)
        z = complex(x[a], x[b]) * complex(math.cos(turn), math.sin(turn))
        turned[a], turned[b] = z.real, z.imag
    return turned


@each_layout
def test_each_pair_turns_like_a_hand_of_a_clock(layout):
    X, positions = vectors(3, N, D), np.arange(5, 5 + N)
    got = rotate(X, positions, layout)
    for b in range(3):
        for n, position in enumerate(positions):
            want = turned_by_hand(X[b, n], position, layout)
            np.testing.assert_allclose(got[b, n], want, atol=1e-12)


def test_layouts_agree_at_position_0_only():
    X = vectors(N, D)
    at = [np.full(N, p) for p in (0, 1)]
    half, interleaved = ([rotate(X, p, name) for p in at] for name in LAYOUTS)
    assert np.array_equal(half[0], X) and np.array_equal(interleaved[0], X)
    assert not np.allclose(half[1], interleaved[1], atol=1e-3)


def test_one_layout_is_the_other_with_its_numbers_reordered():
    X, d = vectors(N, D), D
    order = np.arange(d).reshape(d // 2, 2).T.ravel()  # evens, then odds
    np.testing.assert_allclose(
        rotate(X, layout="interleaved")[:, order],
        rotate(X[:, order], layout="half"),
        atol=1e-12,
    )


@each_layout
@few
@given(
    seed=seeds,
    start=st.integers(0, 4000),
    apart=st.integers(0, 300),
    moved=st.integers(0, 4000),
)
def test_a_score_depends_on_the_distance_only(
    layout, seed, start, apart, moved
):
    q, k = vectors(2, 1, D, seed=seed)

    def score(key_at):
        turned_q = rotate(q, np.array([key_at + apart]), layout)
        turned_k = rotate(k, np.array([key_at]), layout)
        return (turned_q @ turned_k.T).item()

    assert score(start) == pytest.approx(score(start + moved), abs=1e-9)


@each_layout
def test_a_score_does_depend_on_the_distance(layout):
    q, k = vectors(2, 1, D)
    turned = [
        (rotate(q, np.array([p]), layout) @ k.T).item() for p in range(9)
    ]
    assert np.ptp(turned) > 0.1


@each_layout
def test_lengths_stay(layout):
    X = vectors(2, 3, N, D)
    np.testing.assert_allclose(
        np.linalg.norm(rotate(X, layout=layout), axis=-1),
        np.linalg.norm(X, axis=-1),
    )


def test_nothing_is_remembered_between_calls():
    """Case B16: offset 0, then 5, then another width, and 0 again."""
    X, wide = vectors(N, D), vectors(N, 2 * D)
    first = rotate(X)
    later = rotate(X, np.arange(5, 5 + N))
    wider = rotate(wide)
    assert not np.allclose(first, later)
    assert wider.shape == (N, 2 * D)
    np.testing.assert_allclose(
        wider[3], turned_by_hand(wide[3], 3, "half"), atol=1e-12
    )
    assert np.array_equal(first, rotate(X))
    np.testing.assert_allclose(
        later[2], turned_by_hand(X[2], 7, "half"), atol=1e-12
    )


@pytest.mark.parametrize("number_type", ["float16", "float32", "float64"])
def test_the_number_type_stays_and_float16_is_close(number_type):
    X = vectors(N, D).astype(number_type)
    before = X.copy()
    positions = np.arange(4000, 4000 + N)
    got = rotate(X, positions)
    assert got.dtype == X.dtype and np.array_equal(X, before)
    want = rotate(X.astype(float), positions)
    # float16 is computed in float32 and rounded once: half a last bit.
    rounding = {"float16": 2**-11, "float32": 1e-5, "float64": 1e-12}
    np.testing.assert_allclose(
        got, want, rtol=1.01 * rounding[number_type], atol=1e-6
    )


def test_a_batch_may_have_positions_of_its_own():
    X = vectors(2, 3, N, D)
    positions = np.stack([np.arange(N), np.arange(50, 50 + N)])[:, None]
    got = rotate(X, positions)  # (2, 1, N)
    np.testing.assert_allclose(got[1], rotate(X[1], positions[1, 0]))
    np.testing.assert_allclose(got[0], rotate(X[0]))


def test_angles_are_in_radians_and_slow_down():
    turn = angles([0, 1, 2], 4, base=100)
    np.testing.assert_allclose(turn, [[0, 0], [1, 0.1], [2, 0.2]])


def test_a_counted_array_stays_one():
    assert type(rotate(count(vectors(N, D)))) is type(count(vectors(N)))


@pytest.mark.parametrize(
    ("shape", "settings", "said"),
    [
        ((N, 5), {}, "d=4 or d=6"),
        ((N, 1), {}, "got d=1; d=2 would"),
        ((D,), {}, "tokens, width"),
        ((0, D), {}, "no axis of size 0"),
        ((N, D), {"layout": "Half"}, "half, interleaved"),
        ((N, D), {"positions": np.arange(N - 1)}, r"\(7,\)"),
        ((N, D), {"positions": np.array([0])}, r"\(7,\)"),
        ((3, 3, N, D), {"positions": np.zeros((3, N), int)}, "where they"),
        ((N, D), {"positions": np.arange(N) - 1}, "count from 0"),
        ((N, D), {"base": 1}, "above 1"),
        ((N, D), {"base": float("nan")}, "above 1"),
        ((N, D), {"base": "1e4"}, "above 1: got '1e4'"),
        ((N, D), {"base": None}, "above 1: got None"),
    ],
)
def test_bad_input_is_named(shape, settings, said):
    with pytest.raises(ValueError, match=said):
        rotate(np.ones(shape), **settings)


def test_wrong_number_types_are_named():
    with pytest.raises(TypeError, match="int64"):
        rotate(np.ones((N, D), np.int64))
    with pytest.raises(TypeError, match="float64"):
        rotate(np.ones((N, D)), np.arange(N) / 2)
    assert issubclass(SizeError, ValueError)
