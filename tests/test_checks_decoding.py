"""The checks of notebook 06: right answers in any form, wrong ones by name."""

import numpy as np
import pytest

from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    softmax,
    split_heads,
)
from helpers.checks.cache_bytes import check_cache_bytes, right_bytes
from helpers.checks.decoding import check_cached_step, check_chunked_step
from helpers.checks.decoding_mistakes import one_step

CHECKS = (check_cached_step, check_chunked_step)
both = pytest.mark.parametrize("check", CHECKS)


# --- right answers ------------------------------------------------------


def with_helpers(X, W_Q, W_K, W_V, W_O, h, K_past, V_past):
    Q = split_heads(X @ W_Q, h)
    K = np.concatenate([K_past, split_heads(X @ W_K, h)], axis=1)
    V = np.concatenate([V_past, split_heads(X @ W_V, h)], axis=1)
    heads, _ = grouped_query_attention(Q, K, V, causal=True)
    return merge_heads(heads) @ W_O, K, V


def by_loops(X, W_Q, W_K, W_V, W_O, h, K_past, V_past):
    d, n = W_Q.shape[1] // h, K_past.shape[1]
    K, V = [], []
    out = np.zeros((len(X), W_O.shape[1]))
    for i in range(h):
        own = slice(i * d, (i + 1) * d)
        K.append(list(K_past[i]) + list(X @ W_K[:, own]))
        V.append(list(V_past[i]) + list(X @ W_V[:, own]))
        for j, q in enumerate(X @ W_Q[:, own]):
            scores = [q @ k / d**0.5 for k in K[i][: n + j + 1]]
            shares = softmax(np.array(scores))
            average = sum(w * v for w, v in zip(shares, V[i]))
            out[j] += average @ W_O[own]
    return [out, K, V]


def by_einsum(X, W_Q, W_K, W_V, W_O, h, K_past, V_past):
    Q, K, V = (
        np.einsum("nm,mhd->hnd", X, W.reshape(len(W), h, -1))
        for W in (W_Q, W_K, W_V)
    )
    K, V = np.hstack([K_past, K]), np.hstack([V_past, V])
    scores = np.einsum("hqd,hkd->hqk", Q, K) / np.sqrt(Q.shape[-1])
    scores += np.triu(np.full(scores.shape[1:], -np.inf), K_past.shape[1] + 1)
    heads = np.einsum("hqk,hkd->hqd", softmax(scores), V)
    return np.einsum("hqd,hdm->qm", heads, W_O.reshape(h, -1, len(X[0]))), K, V


def in_float32(*arguments):
    return with_helpers(
        *(
            a.astype(np.float32) if isinstance(a, np.ndarray) else a
            for a in arguments
        )
    )


def token_by_token(X, W_Q, W_K, W_V, W_O, h, K, V):
    outs = []
    for x in X:
        out, K, V = with_helpers(x[None], W_Q, W_K, W_V, W_O, h, K, V)
        outs.append(out[0])
    return np.array(outs), K, V


RIGHT = {
    "helpers": with_helpers,
    "loops and lists": by_loops,
    "einsum": by_einsum,
    "float32": in_float32,
    "token by token": token_by_token,
    "ours": one_step,
    "off by 1e-7": lambda *a: [x * (1 + 1e-7) for x in one_step(*a)],
}


@both
@pytest.mark.parametrize("name", RIGHT)
def test_right_steps_are_accepted(check, name):
    assert str(check(RIGHT[name])).startswith("Yes.")


def no_mask(X, W_Q, W_K, W_V, W_O, h, K_past, V_past):
    """Right for one token, wrong for a chunk."""
    Q = split_heads(X @ W_Q, h)
    K = np.concatenate([K_past, split_heads(X @ W_K, h)], axis=1)
    V = np.concatenate([V_past, split_heads(X @ W_V, h)], axis=1)
    attn = softmax(Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1]))
    return merge_heads(attn @ V) @ W_O, K, V


def test_one_token_needs_no_mask_and_a_chunk_does():
    assert check_cached_step(no_mask).ok
    assert "no mask" in check_chunked_step(no_mask).sentence


# --- wrong answers, each with a hint of its own -------------------------


def joined_on(axis):
    def f(X, W_Q, W_K, W_V, W_O, h, K_past, V_past):
        def join(past, new):
            return np.concatenate([past, new], axis=axis)

        return one_step(X, W_Q, W_K, W_V, W_O, h, K_past, V_past, join=join)

    return f


def swap(**wrong):
    return lambda *a: one_step(*a, **wrong)


def with_cache(change):
    """Return a right output beside wrongly returned caches."""

    def f(*arguments):
        out, K, V = one_step(*arguments)
        return out, *change(K, V, arguments)

    return f


def visible(build):
    return swap(visible=build)


COMMON_WRONG = {
    "zeros": lambda *a: [np.zeros_like(x) for x in one_step(*a)],
    "NaN": lambda *a: [x * np.nan for x in one_step(*a)],
    "the example written in": lambda *a: [np.arange(6.0).reshape(1, 6)] * 3,
    "text": lambda *a: ("out", "K", "V"),
    "out only": lambda *a: one_step(*a)[0],
    "raises": lambda *a: a[0].reshape(1000),
    "wrong axis 0": joined_on(0),
    "no scale": swap(score=lambda Q, K, h: Q @ K.swapaxes(1, 2)),
    "√d_model": swap(
        score=lambda Q, K, h: Q @ K.swapaxes(1, 2) / np.sqrt(h * Q.shape[-1])
    ),
    "no W_O": swap(mix=lambda heads, W_O: merge_heads(heads)),
    "softmax over queries": swap(
        weigh=lambda scores, seen: softmax(
            np.where(seen, scores, -1e300), axis=-2
        )
    ),
    "past only in the scores": with_cache(lambda K, V, a: (K, V)),
    "old cache returned": with_cache(lambda K, V, a: (a[6], V)),
    "new only returned": with_cache(
        lambda K, V, a: (K[:, a[6].shape[1] :], V)
    ),
    "new before old": with_cache(
        lambda K, V, a: (np.roll(K, len(a[0]), axis=1), V)
    ),
    "V and K swapped": with_cache(lambda K, V, a: (V, K)),
    "queries cached": with_cache(
        lambda K, V, a: (
            np.concatenate([a[6], split_heads(a[0] @ a[1], a[5])], axis=1),
            V,
        )
    ),
    "merged cache": with_cache(lambda K, V, a: (merge_heads(K), V)),
    "transposed cache": with_cache(lambda K, V, a: (K.swapaxes(1, 2), V)),
    "new K and V swapped": with_cache(
        lambda K, V, a: (
            np.concatenate([a[6], split_heads(a[0] @ a[3], a[5])], axis=1),
            V,
        )
    ),
    "cache off by 1e-2": with_cache(lambda K, V, a: (K * 1.01, V)),
    "out off by 1e-2": lambda *a: [
        x * y for x, y in zip(one_step(*a), (1.01, 1, 1))
    ],
}


def past_only(X, W_Q, W_K, W_V, W_O, h, K_past, V_past):
    out, K, V = one_step(X, W_Q, W_K, W_V, W_O, h, K_past, V_past)
    if K_past.shape[1]:
        Q = split_heads(X @ W_Q, h)
        heads, _ = grouped_query_attention(Q, K_past, V_past)
        out = merge_heads(heads) @ W_O
    return out, K, V


def new_only(X, W_Q, W_K, W_V, W_O, h, K_past, V_past):
    _, K, V = one_step(X, W_Q, W_K, W_V, W_O, h, K_past, V_past)
    none = K_past[:, :0]
    return one_step(X, W_Q, W_K, W_V, W_O, h, none, none)[0], K, V


COMMON_WRONG["past only in the scores"] = past_only
WRONG_STEPS = {
    **COMMON_WRONG,
    "new only in the scores": new_only,
    "offset": visible(lambda N_new, N: np.tri(N_new, N) > 0),
}
WRONG_CHUNKS = {
    **COMMON_WRONG,
    "no mask": no_mask,
    "offset": lambda *a: (
        one_step(*a)
        if len(a[0]) == 1
        else one_step(*a, visible=lambda N_new, N: np.tri(N_new, N) > 0)
    ),
    "chunk alone": lambda *a: one_step(*a) if len(a[0]) == 1 else new_only(*a),
    "strict": lambda *a: (
        one_step(*a)
        if len(a[0]) == 1
        else one_step(
            *a, visible=lambda N_new, N: np.tri(N_new, N, N - N_new - 1) > 0
        )
    ),
    "offset n + 1": visible(
        lambda N_new, N: np.tri(N_new, N, N - N_new + 1) > 0
    ),
    "offset of the example": visible(lambda N_new, N: np.tri(N_new, N, 4) > 0),
    "reversed": lambda *a: (
        one_step(*a)
        if len(a[0]) == 1
        else one_step(
            *a, visible=lambda N_new, N: np.tri(N_new, N, N - N_new) == 0
        )
    ),
    "zero for hidden": swap(
        weigh=lambda scores, seen: softmax(np.where(seen, scores, 0))
    ),
    "mask after softmax": swap(
        weigh=lambda scores, seen: softmax(scores) * seen
    ),
    "bare merge": swap(
        mix=lambda heads, W_O: heads.reshape(heads.shape[1], -1) @ W_O
    ),
    "bare split": with_cache(
        lambda K, V, a: (
            np.concatenate(
                [a[6], (a[0] @ a[2]).reshape(a[5], len(a[0]), -1)], axis=1
            ),
            V,
        )
    ),
}
WRONG = [
    (check, name, f)
    for check, wrong in zip(CHECKS, (WRONG_STEPS, WRONG_CHUNKS), strict=True)
    for name, f in wrong.items()
]


@pytest.mark.parametrize(
    ("check", "name", "f"),
    WRONG,
    ids=[f"{check.__name__}-{name}" for check, name, _ in WRONG],
)
def test_wrong_steps_are_refused(check, name, f):
    result = check(f)
    assert result.status == "no", str(result)
    assert result.sentence and result.hint


@both
def test_each_mistake_has_a_hint_of_its_own(check):
    said = {}
    for checked, name, f in WRONG:
        if checked is check:
            hint = check(f).hint
            assert hint not in said, (name, said.get(hint))
            said[hint] = name


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("wrong axis 0", "wrong axis"),
        ("no scale", "not scaled"),
        ("√d_model", "√d_model"),
        ("no W_O", "W_O is missing"),
        ("past only in the scores", "only the past"),
        ("new only in the scores", "only itself"),
        ("offset", "only the first key"),
        ("old cache returned", "is the old one"),
        ("new only returned", "the past is lost"),
        ("new before old", "before the past"),
        ("V and K swapped", "changed places"),
        ("queries cached", "queries are cached"),
        ("merged cache", "are merged"),
        ("transposed cache", "transposed"),
        ("out only", "three things"),
        ("NaN", "NaN"),
        ("zeros", "is 0"),
        ("the example written in", "two different inputs"),
        ("cache off by 1e-2", "returned K is not right"),
    ],
)
def test_the_step_is_named(name, word):
    assert word in check_cached_step(WRONG_STEPS[name]).sentence


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("offset", "offset of the mask is forgotten"),
        ("no mask", "no mask"),
        ("offset n + 1", "one token too many"),
        ("offset of the example", "the mask is 4, however"),
        ("chunk alone", "cannot see the past"),
        ("strict", "its own token"),
        ("reversed", "reversed"),
        ("zero for hidden", "set to 0"),
        ("mask after softmax", "after the softmax"),
        ("bare merge", "bare reshape"),
        ("bare split", "bare reshape"),
    ],
)
def test_the_chunk_is_named(name, word):
    assert word in check_chunked_step(WRONG_CHUNKS[name]).sentence


@both
@pytest.mark.parametrize("axis", (0, -1))
def test_every_wrong_axis_is_named(check, axis):
    assert "wrong axis" in check(joined_on(axis)).sentence
    assert check(joined_on(-2)).ok


@both
def test_keys_that_are_not_split_are_named(check):
    def f(X, W_Q, W_K, W_V, W_O, h, K_past, V_past):
        return np.concatenate([K_past, X @ W_K], axis=-2)

    said = check(f)
    assert "heads apart" in said.sentence and "split_heads" in said.hint


def test_a_forgotten_offset_is_named_in_a_chunk_of_one_too():
    def f(*arguments):
        wrong = {"visible": lambda N_new, N: np.tri(N_new, N) > 0}
        return one_step(*arguments, **(wrong if len(arguments[0]) < 2 else {}))

    said = check_chunked_step(f)
    assert "offset" in said.sentence and "needs no mask" not in said.hint


# --- bytes --------------------------------------------------------------


@pytest.mark.parametrize(
    "f",
    [
        right_bytes,
        lambda *a: np.int64(right_bytes(*a)),
        lambda *a: float(right_bytes(*a)),
        lambda *a: [right_bytes(*a)],
    ],
)
def test_right_bytes_are_accepted(f):
    assert check_cache_bytes(f).ok


WRONG_BYTES = {
    "factor 2": lambda L, h, g, d, N, b, s: L * g * d * N * b * s,
    "query heads": lambda L, h, g, d, N, b, s: 2 * L * h * d * N * b * s,
    "query heads, and the keys": lambda L, h, g, d, N, b, s: (
        L * h * d * N * b * s
    ),
    "too many": lambda L, h, g, d, N, b, s: 2 * L * h * g * d * N * b * s,
    "one layer": lambda L, h, g, d, N, b, s: 2 * g * d * N * b * s,
    "batch": lambda L, h, g, d, N, b, s: 2 * L * g * d * N * s,
    "numbers, not": lambda L, h, g, d, N, b, s: 2 * L * g * d * N * b,
    "one key/value": lambda L, h, g, d, N, b, s: 2 * L * d * N * b * s,
    "one token": lambda L, h, g, d, N, b, s: 2 * L * g * d * b * s,
    "N * N": lambda L, h, g, d, N, b, s: 2 * L * g * d * N * N * b * s,
    "you give": lambda L, h, g, d, N, b, s: 17,
    "one number": lambda L, h, g, d, N, b, s: [1, 2],
    "at 2 bytes": lambda L, h, g, d, N, b, s: 2 * L * g * d * N * b * 2,
    "at 4 bytes": lambda L, h, g, d, N, b, s: 2 * L * g * d * N * b * 4,
}


@pytest.mark.parametrize("word", WRONG_BYTES)
def test_wrong_bytes_are_named(word):
    result = check_cache_bytes(WRONG_BYTES[word])
    assert result.status == "no"
    assert word in result.sentence and result.hint


def test_wrong_bytes_have_hints_of_their_own():
    hints = [check_cache_bytes(f).hint for f in WRONG_BYTES.values()]
    assert len(set(hints)) == len(hints)


# --- stubs --------------------------------------------------------------


@pytest.mark.parametrize("check", (*CHECKS, check_cache_bytes))
def test_a_stub_is_not_yet(check):
    def stub(*arguments): ...

    assert check(stub).status == "not yet"
    assert check(None).status == "not yet"
    assert check(3).status == "no"


@both
def test_inputs_may_be_written_into(check):
    def f(*arguments):
        answer = one_step(*arguments)
        for array in arguments:
            if isinstance(array, np.ndarray):
                array[...] = 0
        return answer

    assert check(f).ok


def test_out_and_keys_are_not_enough():
    said = check_cached_step(lambda *given: with_helpers(*given)[:2])
    assert "three things" in said.sentence


def test_values_are_judged_as_keys_are():
    def old_values(*given):
        out, K, _ = with_helpers(*given)
        return out, K, given[-1]

    said = check_cached_step(old_values)
    assert said.status == "no" and "returned V" in said.sentence
