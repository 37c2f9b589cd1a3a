"""The bug gallery: each bug is what it says, and shapes notice none."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import bugs, steps
from helpers.attention import causal_mask, multi_head_attention, softmax
from helpers.checks.properties import (
    GROUPED,
    PROPERTIES,
    SIZES,
    N,
    close,
    example,
)
from helpers.sizes import Sizes
from helpers.weights import random_projections

SIX = [
    "bare reshape",
    "wrong merge",
    "√d_model",
    "softmax over queries",
    "mask after softmax",
    "tiled KV heads",
]


def run(bug, sizes=SIZES, causal=False):
    X, projections = example(sizes)
    return bugs.attention_with(
        bug, X, *projections, sizes.h, sizes.n_kv, causal
    )


@settings(deadline=None, max_examples=50)
@given(
    n_kv=st.integers(1, 3),
    queries_per_kv=st.integers(1, 3),
    d_k=st.integers(1, 5),
    d_v=st.integers(1, 11),
    N=st.integers(1, 7),
    batch=st.sampled_from([(), (2,), (3, 2)]),
    causal=st.booleans(),
)
def test_without_a_bug_it_is_multi_head_attention(
    n_kv, queries_per_kv, d_k, d_v, N, batch, causal
):
    h = n_kv * queries_per_kv
    sizes = Sizes(13, h=h, n_kv=n_kv, d_k=d_k, d_v=d_v)
    X = np.random.default_rng(5).standard_normal((*batch, N, 13))
    projections = random_projections(sizes)
    got = bugs.attention_with(None, X, *projections, h, n_kv, causal)
    wanted = multi_head_attention(X, *projections, h, n_kv=n_kv, causal=causal)
    for ours, theirs in zip(got, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_there_are_six():
    assert list(bugs.BUGS) == SIX
    assert all(bug.title and bug.wrong for bug in bugs.BUGS.values())


@pytest.mark.parametrize("bug", SIX)
def test_a_bug_has_the_right_shape_and_another_output(bug):
    sizes = GROUPED if bugs.BUGS[bug].needs == "n_kv < h" else SIZES
    causal = bugs.BUGS[bug].needs == "causal"
    wrong, right = run(bug, sizes, causal), run(None, sizes, causal)
    assert [a.shape for a in wrong] == [a.shape for a in right]
    assert not close(wrong[0], right[0], 1e-2)


@pytest.mark.parametrize("bug", SIX)
def test_a_bug_shows_only_where_it_says(bug):
    quiet = {
        "causal": dict(sizes=GROUPED, causal=False),
        "n_kv < h": dict(sizes=SIZES, causal=True),
    }.get(bugs.BUGS[bug].needs)
    if quiet:
        assert close(run(bug, **quiet)[0], run(None, **quiet)[0])


def test_one_head_cannot_tell_the_scale_by_d_model():
    one = Sizes(30, h=1)
    assert close(run("√d_model", one)[0], run(None, one)[0])


def test_columns_sum_to_one_with_softmax_over_queries():
    attn = run("softmax over queries")[1]
    np.testing.assert_allclose(attn.sum(-2), 1)


def test_mask_after_softmax_leaves_rows_short():
    attn = run("mask after softmax", causal=True)[1]
    assert not attn[:, ~causal_mask(N)].any()
    assert (attn[:, :-1].sum(-1) < 1).all()


def test_wrong_merge_leaves_the_maps_right():
    assert close(run("wrong merge")[1], run(None)[1])


def test_bare_reshape_mixes_tokens_as_case_A01_says():
    heads = np.arange(8.0).reshape(2, 2, 2)
    wrong = steps.bare_reshape_merge(heads)
    np.testing.assert_array_equal(wrong, [[0, 1, 2, 3], [4, 5, 6, 7]])
    right = steps.RIGHT.merge(heads)
    np.testing.assert_array_equal(right, [[0, 1, 4, 5], [2, 3, 6, 7]])


def test_tiled_order():
    np.testing.assert_array_equal(steps.kv_order(4, 2), [0, 0, 1, 1])
    np.testing.assert_array_equal(steps.tiled_kv_order(4, 2), [0, 1, 0, 1])


def test_nothing_notices_the_right_computation():
    assert not any(bugs.noticed_by(None).values())


# What the explorer and notebook 04 show. It is written out here, so that a
# change of a property or a bug is seen.
NOTICED = {
    "bare reshape": {
        "no look-ahead",
        "order of tokens",
        "loop = batched",
        "grouped = repeated",
        "values",
    },
    "wrong merge": {
        "no look-ahead",
        "order of tokens",
        "loop = batched",
        "values",
    },
    "√d_model": {"values"},
    "softmax over queries": {
        "rows sum to 1",
        "no look-ahead",
        "one head",
        "values",
    },
    "mask after softmax": {"rows sum to 1", "no look-ahead", "values"},
    "tiled KV heads": {"grouped = repeated", "values"},
}


@pytest.mark.parametrize("bug", SIX)
def test_which_properties_notice_a_bug(bug):
    noticed = bugs.noticed_by(bug)
    assert list(noticed) == list(PROPERTIES)
    assert {name for name, seen in noticed.items() if seen} == NOTICED[bug]


def test_shapes_alone_notice_no_bug():
    assert not any(bugs.noticed_by(bug)["shapes"] for bug in SIX)


def test_shapes_notice_a_wrong_shape():
    def transposed(*args, **kwargs):
        out, attn = multi_head_attention(*args, **kwargs)
        return out.T, attn

    assert not PROPERTIES["shapes"].holds(transposed)


def test_weights_below_0_are_noticed_though_rows_sum_to_1():
    def lends(*args, **kwargs):
        out, attn = multi_head_attention(*args, **kwargs)
        attn[..., 0] += 2
        attn[..., 1] -= 2
        return out, attn

    assert not PROPERTIES["rows sum to 1"].holds(lends)


def test_every_property_fails_for_something():
    def zeros(X, W_Q, W_K, W_V, W_O, h, n_kv=None, causal=False):
        return 0 * X, np.zeros((h, len(X) + 1, len(X)))

    def uniform_and_noisy(X, W_Q, W_K, W_V, W_O, h, **_):
        attn = softmax(np.arange(h * len(X) ** 2).reshape(h, len(X), -1))
        return X * X.sum() + len(W_K[0]), attn

    for name, prop in PROPERTIES.items():
        assert not (prop.holds(zeros) and prop.holds(uniform_and_noisy)), name


def test_a_property_does_not_hold_of_what_fails():
    def fails(*_, **__):
        raise RuntimeError

    assert not any(p.holds(fails) for p in PROPERTIES.values())


def test_noticing_all_is_fast_and_kept():
    bugs._noticed.cache_clear()
    start = time.process_time()
    for bug in SIX:
        bugs.noticed_by(bug)
    assert time.process_time() - start < 1  # 0.02 s on an idle machine
    bugs.noticed_by(SIX[0])["shapes"] = True
    assert not bugs.noticed_by(SIX[0])["shapes"]


def test_an_unknown_bug_is_named():
    for call in (bugs.noticed_by, run):
        with pytest.raises(ValueError, match="bug must be one of bare"):
            call("typo")
