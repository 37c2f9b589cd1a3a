"""The checks of grouped heads: right answers pass, wrong ones by name."""

import numpy as np
import pytest

from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    softmax,
    split_heads,
)
from helpers.checks.grouped import (
    check_grouped_attention,
    check_what_is_kept,
)
from helpers.checks.judgement import (
    check_pooling_choice,
    check_tile_test,
    pooling_cases,
)
from helpers.pooling import POOLINGS, drift, pooling_drift


def plain(Q, K, V):
    return softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])) @ V


# --- grouped attention ---------------------------------------------------


def by_broadcast(Q, K, V):
    h, n_kv = len(Q), len(K)
    grouped = Q.reshape(n_kv, h // n_kv, *Q.shape[1:])
    heads = plain(grouped, K[:, None], V[:, None])
    return heads.reshape(h, Q.shape[1], -1)


def by_rows(Q, K, V):  # the queries that share, one below the other
    h, N, d = Q.shape
    heads = plain(Q.reshape(len(K), -1, d), K, V)
    return heads.reshape(h, N, -1)


def by_loop(Q, K, V):
    times = len(Q) // len(K)
    return [plain(Q[i], K[i // times], V[i // times]) for i in range(len(Q))]


def by_lists(Q, K, V):
    answer, times = [], len(Q) // len(K)
    for i, queries in enumerate(Q.tolist()):
        keys, values = K[i // times].tolist(), V[i // times].tolist()
        rows = []
        for q in queries:
            scores = [
                sum(a * b for a, b in zip(q, k, strict=True)) / len(q) ** 0.5
                for k in keys
            ]
            shares = [np.exp(s - max(scores)) for s in scores]
            rows.append(
                [
                    sum(
                        share * v[j]
                        for share, v in zip(shares, values, strict=True)
                    )
                    / sum(shares)
                    for j in range(len(values[0]))
                ]
            )
        answer.append(rows)
    return answer


def by_einsum(Q, K, V):
    h, N, d = Q.shape
    Q = Q.reshape(len(K), -1, N, d)
    scores = np.einsum("grqd,gkd->grqk", Q, K) / np.sqrt(d)
    heads = np.einsum("grqk,gkd->grqd", softmax(scores), V)
    return heads.reshape(h, N, -1)


def by_repeat(Q, K, V):
    times = len(Q) // len(K)
    return plain(Q, np.repeat(K, times, axis=0), V.repeat(times, 0))


def by_index(Q, K, V):
    order = np.arange(len(Q)) // (len(Q) // len(K))
    return plain(Q, K[order], V[order]), "maps"


def in_float32(Q, K, V):
    return by_broadcast(*(a.astype(np.float32) for a in (Q, K, V)))


NO_COPY = (by_broadcast, by_rows, by_loop, by_einsum)
COPIES = (by_repeat, by_index)


@pytest.mark.parametrize("f", (*NO_COPY, in_float32, by_lists))
def test_right_grouped_attention(f):
    verdict = check_grouped_attention(f)
    assert verdict.ok, str(verdict)


def test_ours_with_its_maps():
    assert check_grouped_attention(grouped_query_attention).ok


@pytest.mark.parametrize("f", NO_COPY)
def test_no_copy_is_praised(f):
    assert "not copied" in check_grouped_attention(f).sentence


@pytest.mark.parametrize("f", COPIES)
def test_a_copy_is_accepted_and_told(f):
    verdict = check_grouped_attention(f)
    assert verdict.ok
    assert "copied for every query head" in verdict.sentence


def repeated(axis, reshaped=True, times=None):
    def f(Q, K, V):
        n = times(Q, K) if times else len(Q) // len(K)
        K, V = (np.repeat(a, n, axis=axis) for a in (K, V))
        if reshaped:
            K, V = (a.reshape(len(Q), -1, b) for a, b in ((K, 4), (V, 11)))
        return plain(Q, K, V)

    return f


def with_order(order):
    def f(Q, K, V):
        read = order(np.arange(len(Q)), len(Q), len(K))
        return plain(Q, K[read], V[read])

    return f


def tiled_reshape(Q, K, V):
    h, N, d = Q.shape
    heads = plain(Q.reshape(-1, len(K), N, d), K, V)
    return heads.reshape(h, N, -1)


def one_kind_tiled(keys):
    def f(Q, K, V):
        times = len(Q) // len(K)
        tile = [np.tile(a, (times, 1, 1)) for a in (K, V)]
        rep = [np.repeat(a, times, axis=0) for a in (K, V)]
        return plain(Q, tile[0] if keys else rep[0], (rep, tile)[not keys][1])

    return f


def no_scale(Q, K, V):
    return by_repeat(Q * np.sqrt(Q.shape[-1]), K, V)


def over_queries(Q, K, V):
    times = len(Q) // len(K)
    K, V = (np.repeat(a, times, axis=0) for a in (K, V))
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return softmax(scores, axis=1) @ V


def with_nan(Q, K, V):
    heads = by_broadcast(Q, K, V)
    heads[0, 0, 0] = np.nan
    return heads


def four_axes(Q, K, V):
    grouped = Q.reshape(len(K), -1, *Q.shape[1:])
    return plain(grouped, K[:, None], V[:, None])


EXAMPLE = by_broadcast(
    *(np.ones(s) for s in ((6, 5, 4), (3, 7, 4), (3, 7, 11)))
)
WRONG = {
    "np.tile": (with_order(lambda i, h, n: i % n), "tiled", "np.repeat"),
    "tiled reshape": (tiled_reshape, "tiled", "(n_kv, h // n_kv"),
    "K tiled": (one_kind_tiled(True), "K is tiled", "same order"),
    "V tiled": (one_kind_tiled(False), "V is tiled", "same order"),
    "// n_kv": (
        with_order(lambda i, h, n: np.minimum(i // n, n - 1)),
        "i // n_kv",
        "h // n_kv",
    ),
    "first head": (with_order(lambda i, h, n: 0 * i), "taken for 1", "i //"),
    "reverse": (
        with_order(lambda i, h, n: n - 1 - i * n // h),
        "in reverse",
        "first",
    ),
    "tokens repeated": (repeated(1), "token axis", "axis=0"),
    "numbers repeated": (repeated(None), "Every number", "without an axis"),
    "last axis": (repeated(2), "Every number", "axis=0"),
    "axis 1, no reshape": (repeated(1, False), "stops with", "along axis 1"),
    "axis 2, no reshape": (repeated(2, False), "stops with", "along axis 2"),
    "no axis": (repeated(None, False), "stops with", "without an axis"),
    "n_kv times": (
        repeated(0, False, lambda Q, K: len(K)),
        "stops with",
        "h // n_kv = 2",
    ),
    "one mean head": (
        lambda Q, K, V: plain(Q, K.mean(0), V.mean(0)),
        "averaged into one",
        "stay apart",
    ),
    "queries pooled": (
        lambda Q, K, V: plain(
            Q.reshape(len(K), -1, *Q.shape[1:]).mean(1), K, V
        ),
        "Query heads",
        "its own map",
    ),
    "no scale": (no_scale, "not scaled", "√d_k"),
    "√d_model": (
        lambda Q, K, V: by_repeat(Q / np.sqrt(len(Q)), K, V),
        "√(h · d_k)",
        "divide by √d_k",
    ),
    "over queries": (over_queries, "columns sum", "axis=-1"),
    "merged": (
        lambda *a: merge_heads(by_broadcast(*a)),
        "merged already",
        "W_O",
    ),
    "four axes": (four_axes, "two axes", "reshape"),
    "zeros": (
        lambda Q, K, V: np.zeros((len(Q), Q.shape[1], V.shape[-1])),
        "0",
        "filled",
    ),
    "NaN": (with_nan, "NaN", "step"),
    "an example": (lambda Q, K, V: EXAMPLE, "same for two", "arguments"),
    "masked": (
        lambda Q, K, V: grouped_query_attention(Q, K, V, causal=True)[0],
        "numbers are not",
        "Follow",
    ),
}


def by_shapes(of_Q, of_K, of_out):
    def attention(Q, K, V):
        scores = of_Q(Q, K) @ of_K(K) / np.sqrt(Q.shape[-1])
        return of_out(softmax(scores) @ V[:, None], Q, V)

    return attention


def grouped(Q, K):
    return Q.reshape(len(K), -1, *Q.shape[1:])


def other_way(Q, K):
    return Q.reshape(-1, len(K), *Q.shape[1:])


def turned(K):
    return K[:, None].swapaxes(-1, -2)


def heads_of_V(out, Q, V):
    return out.reshape(len(Q), -1, V.shape[-1])


STOPPED = {
    "other shape": (by_shapes(other_way, turned, heads_of_V), "(n_kv, 1)"),
    "all axes": (
        by_shapes(grouped, lambda K: K[:, None].T, heads_of_V),
        "swapaxes",
    ),
    "Q's width": (
        by_shapes(grouped, turned, lambda out, Q, V: out.reshape(Q.shape)),
        "V's width",
    ),
}


@pytest.mark.parametrize("name", STOPPED)
def test_shapes_that_do_not_meet_get_a_hint_of_their_own(name):
    f, hint = STOPPED[name]
    verdict = check_grouped_attention(f)
    assert "stops with ValueError" in verdict.sentence
    assert hint in verdict.hint


def test_keys_without_a_new_axis_are_named():
    def attention(Q, K, V):
        Q = grouped(Q, K)
        scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
        return (softmax(scores) @ V).reshape(-1, Q.shape[2], V.shape[-1])

    verdict = check_grouped_attention(attention)
    assert "tiled" in verdict.sentence
    assert "K[:, None]" in verdict.hint


@pytest.mark.parametrize("name", WRONG)
def test_wrong_grouped_attention_is_named(name):
    f, said, hint = WRONG[name]
    verdict = check_grouped_attention(f)
    assert verdict.status == "no"
    assert said in verdict.sentence
    assert hint in verdict.hint


def test_each_misconception_has_words_of_its_own():
    sentences = [
        str(check_grouped_attention(WRONG[name][0]))
        for name in WRONG
        if name not in ("np.tile", "last axis")
    ]
    assert len(set(sentences)) == len(sentences)


def stub(*_): ...


@pytest.mark.parametrize(
    "check",
    (
        check_grouped_attention,
        check_what_is_kept,
        check_tile_test,
        check_pooling_choice,
    ),
)
def test_a_stub_is_not_yet(check):
    assert check(stub).status == "not yet"
    assert check(None).status == "not yet"
    assert check(3).status == "no"


# --- what is kept --------------------------------------------------------


def keep(X, W_K, W_V, h, n_kv):
    return split_heads(X @ W_K, n_kv), split_heads(X @ W_V, n_kv)


def keep_by_loop(X, W_K, W_V, h, n_kv):
    return [
        [(X @ part).tolist() for part in np.split(np.array(W), n_kv, axis=1)]
        for W in (W_K, W_V)
    ]


@pytest.mark.parametrize("f", (keep, keep_by_loop))
def test_right_cache(f):
    assert check_what_is_kept(f).ok


def changed(change):
    def f(X, W_K, W_V, h, n_kv):
        K, V = keep(X, W_K, W_V, h, n_kv)
        return change(K), change(V)

    return f


WRONG_KEPT = {
    "repeated": (changed(lambda K: np.repeat(K, 3, axis=0)), "after repeat"),
    "tiled": (changed(lambda K: np.tile(K, (3, 1, 1))), "after repeat"),
    "h heads": (
        lambda X, W_K, W_V, h, n: (
            split_heads(X @ W_K, h),
            split_heads(X @ W_V, h),
        ),
        "cut into h heads",
    ),
    "uncut": (lambda X, W_K, W_V, h, n: (X @ W_K, X @ W_V), "not cut apart"),
    "bare reshape": (
        lambda X, W_K, W_V, h, n: (
            (X @ W_K).reshape(n, len(X), -1),
            (X @ W_V).reshape(n, len(X), -1),
        ),
        "bare reshape",
    ),
    "tokens first": (changed(lambda K: K.swapaxes(0, 1)), "in front"),
    "mean": (changed(lambda K: K.mean(0, keepdims=True)), "averaged"),
    "swapped": (lambda *a: keep(*a)[::-1], "changed places"),
    "only K": (lambda *a: keep(*a)[0], "two arrays"),
    "V wrong": (
        lambda *a: (keep(*a)[0], np.repeat(keep(*a)[1], 3, axis=0)),
        "after repeat",
    ),
}


@pytest.mark.parametrize("name", WRONG_KEPT)
def test_wrong_cache_is_named(name):
    f, said = WRONG_KEPT[name]
    verdict = check_what_is_kept(f)
    assert verdict.status == "no"
    assert said in verdict.sentence
    assert verdict.hint


# --- a test that finds tiled heads ---------------------------------------


def inputs(h=4, n_kv=2, alike=False):
    rng = np.random.default_rng(1)
    Q, K, V = (rng.normal(size=(n, 3, 5)) for n in (h, n_kv, n_kv))
    return (
        (Q, K[:1].repeat(n_kv, 0), V[:1].repeat(n_kv, 0))
        if alike
        else (
            Q,
            K,
            V,
        )
    )


def looks_at_head_1(f):
    Q, K, V = inputs()
    return np.allclose(f(Q, K, V)[1], plain(Q[1], K[0], V[0]))


def compares_all(f):
    Q, K, V = inputs(6, 2)
    return np.allclose(f(Q, K, V), by_repeat(Q, K, V))


def asserts(f):
    Q, K, V = inputs()
    np.testing.assert_allclose(f(Q, K, V), by_repeat(Q, K, V), atol=1e-9)


@pytest.mark.parametrize("test", (looks_at_head_1, compares_all, asserts))
def test_a_test_that_finds_tiles(test):
    assert check_tile_test(test).ok


def same_numbers(**sizes):
    def test(f):
        Q, K, V = inputs(**sizes)
        return np.allclose(f(Q, K, V), by_repeat(Q, K, V))

    return test


def looks_at_head(i, kv):
    def test(f):
        Q, K, V = inputs()
        return np.allclose(f(Q, K, V)[i], plain(Q[i], K[kv], V[kv]))

    return test


WRONG_TESTS = {
    "no call": (lambda f: True, "never calls", "small Q"),
    "shape": (lambda f: f(*inputs()).shape == (4, 3, 5), "pass", "shape"),
    "n_kv = h": (same_numbers(n_kv=4), "pass", "n_kv = 1 or"),
    "n_kv = 1": (same_numbers(n_kv=1), "pass", "n_kv = 1 or"),
    "alike": (same_numbers(alike=True), "pass", "alike"),
    "head 0": (looks_at_head(0, 0), "pass", "head 1"),
    "head 3": (looks_at_head(3, 1), "pass", "head 1"),
    "wants tiles": (looks_at_head(1, 1), "refuses a right", "i //"),
    "exact": (
        lambda f: (f(*inputs()) == 0).all(),
        "refuses a right",
        "allclose",
    ),
    "array": (lambda f: f(*inputs()) > 0, "array", "allclose"),
    "stops": (lambda f: f(1, 2), "stops with TypeError", ""),
}


@pytest.mark.parametrize("name", WRONG_TESTS)
def test_a_test_that_misses_is_told_why(name):
    test, said, hint = WRONG_TESTS[name]
    verdict = check_tile_test(test)
    assert verdict.status == "no"
    assert said in verdict.sentence
    assert hint in verdict.hint


# --- the choice of a pooling ---------------------------------------------


def test_the_two_layers_want_different_things_clearly():
    drifts = [
        [pooling_drift(*case, how) for how in POOLINGS]
        for case in pooling_cases()
    ]
    assert drifts[0][1] > 1.1 * drifts[0][0]
    assert drifts[1][0] > 1.1 * drifts[1][1]


def test_right_choice():
    verdict = check_pooling_choice(
        lambda *case: min(POOLINGS, key=lambda how: pooling_drift(*case, how))
    )
    assert verdict.ok


def by_matrices(X, W_Q, W_K, W_V, W_O, h, n_kv):
    def moved(how):
        from helpers.pooling import pool_heads

        wide = [
            np.repeat(
                pool_heads(W, h, n_kv, how).reshape(len(W), n_kv, 1, -1),
                h // n_kv,
                axis=2,
            ).reshape(W.shape)
            for W in (W_K, W_V)
        ]
        return drift([W_K, W_V], wide)

    return min(POOLINGS, key=moved)


WRONG_CHOICES = {
    "mean": (lambda *_: "mean", 'You choose "mean" for two'),
    "first": (lambda *_: "first", 'You choose "first" for two'),
    "matrices": (by_matrices, 'You choose "mean" for two'),
    "more": (
        lambda *case: max(POOLINGS, key=lambda how: pooling_drift(*case, how)),
        "moves the output more",
    ),
    "a number": (lambda *case: pooling_drift(*case), "the name"),
    "another name": (lambda *_: "max", "the name"),
}


@pytest.mark.parametrize("name", WRONG_CHOICES)
def test_wrong_choice(name):
    f, said = WRONG_CHOICES[name]
    verdict = check_pooling_choice(f)
    assert verdict.status == "no"
    assert said in verdict.sentence
    assert verdict.hint
