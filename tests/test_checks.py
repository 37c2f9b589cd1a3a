"""The exercise checks: right answers in any form, wrong ones by name."""

import json
import threading
import time

import numpy as np
import pytest

from helpers import steps
from helpers.attention import (
    causal_mask,
    merge_heads,
    multi_head_attention,
    softmax,
    split_heads,
)
from helpers.checks import (
    Verdict,
    check_merge_heads,
    check_multi_head,
    check_split_heads,
    heads,
    multi_head,
    time_limit,
    verdict,
)
from helpers.checks.properties import TOLERANCE
from helpers.steps import RIGHT, attention_by

CHECKS = (check_split_heads, check_merge_heads, check_multi_head)


# --- right answers ------------------------------------------------------


def split_by_loop(X, h):
    d = X.shape[1] // h
    return [
        [[X[n, i * d + j] for j in range(d)] for n in range(len(X))]
        for i in range(h)
    ]


RIGHT_SPLITS = {
    "ours": split_heads,
    "loops and lists": split_by_loop,
    "np.split": lambda X, h: np.stack(np.split(X, h, axis=1)),
    "a list of arrays": lambda X, h: np.split(X, h, axis=-1),
    "einsum": lambda X, h: np.einsum(
        "nhd->hnd", X.reshape(len(X), h, X.shape[1] // h)
    ),
    "float32": lambda X, h: split_heads(X.astype(np.float32), h),
    "transpose": lambda X, h: X.T.reshape(h, -1, len(X)).transpose(0, 2, 1),
    "off by 1e-7": lambda X, h: split_heads(X, h) * (1 + 1e-7),
}
RIGHT_MERGES = {
    "ours": merge_heads,
    "concatenate": lambda heads: np.concatenate(list(heads), axis=-1),
    "hstack": lambda heads: np.hstack(list(heads)),
    "loops and lists": lambda heads: [
        [number for head in heads for number in head[n]]
        for n in range(heads.shape[1])
    ],
    "float32": lambda heads: merge_heads(heads).astype(np.float32),
    "off by 1e-7": lambda heads: merge_heads(heads) * (1 - 1e-7),
}


def by_loop(X, W_Q, W_K, W_V, W_O, h, causal=False):
    d, total = W_Q.shape[1] // h, 0
    for i in reversed(range(h)):  # another order of additions
        own = slice(i * d, (i + 1) * d)
        scores = X @ W_Q[:, own] @ (X @ W_K[:, own]).T / d**0.5
        if causal:
            scores = np.where(np.tri(len(X)) > 0, scores, -np.inf)
        attn = np.exp(scores - scores.max(1, keepdims=True))
        attn /= attn.sum(1, keepdims=True)
        total = total + attn @ (X @ W_V[:, own]) @ W_O[own]
    return total


def by_plain_loops(X, W_Q, W_K, W_V, W_O, h, causal=False):
    N, d = len(X), W_Q.shape[1] // h
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    concat = [[0.0] * (h * d) for _ in range(N)]
    for i in range(h):
        for n in range(N):
            seen = range(n + 1) if causal else range(N)
            scores = [
                sum(Q[n, i * d + j] * K[m, i * d + j] for j in range(d))
                / d**0.5
                for m in seen
            ]
            top = max(scores)
            shares = [np.exp(score - top) for score in scores]
            for m, share in zip(seen, shares, strict=True):
                for j in range(d):
                    part = share / sum(shares) * V[m, i * d + j]
                    concat[n][i * d + j] += part
    return (np.array(concat) @ W_O).tolist()


def by_einsum(X, W_Q, W_K, W_V, W_O, h, causal=False):
    d = W_Q.shape[1] // h
    Q, K, V = (
        np.einsum("nm,mhd->hnd", X, W.reshape(len(W), h, d))
        for W in (W_Q, W_K, W_V)
    )
    scores = np.einsum("hqd,hkd->hqk", Q, K) / np.sqrt(d)
    if causal:
        scores += np.triu(np.full(scores.shape[-2:], -np.inf), 1)
    attn = softmax(scores)
    return np.einsum("hqk,hkd,hdm->qm", attn, V, W_O.reshape(h, d, -1)), attn


def in_float32(*arguments, **settings):
    narrow = [
        a.astype(np.float32) if isinstance(a, np.ndarray) else a
        for a in arguments
    ]
    return multi_head_attention(*narrow, **settings)


def with_minus_1e9(X, W_Q, W_K, W_V, W_O, h, causal=False):
    def weigh(scores, causal):
        if causal:
            scores[..., ~causal_mask(len(X))] = -1e9
        return softmax(scores)

    swapped = RIGHT.swap(weigh=weigh)
    return attention_by(swapped, X, W_Q, W_K, W_V, W_O, h, causal=causal)


def writes_into_its_inputs(X, *matrices, causal=False):
    out = multi_head_attention(X, *matrices, causal=causal)[0]
    for array in (X, *matrices[:4]):
        array[...] = 0
    return out


RIGHT_WHOLES = {
    "ours": multi_head_attention,
    "a loop over heads": by_loop,
    "plain loops and lists": by_plain_loops,
    "einsum": by_einsum,
    "float32": in_float32,
    "-1e9": with_minus_1e9,
    "out only": lambda *a, **s: multi_head_attention(*a, **s)[0],
    "a list of both": lambda *a, **s: list(multi_head_attention(*a, **s)),
    "writes into its inputs": writes_into_its_inputs,
    "off by 1e-7": lambda *a, **s: (
        multi_head_attention(*a, **s)[0] * 1.0000001
    ),
}


@pytest.mark.parametrize("name", RIGHT_SPLITS)
def test_split_accepts(name):
    assert str(check_split_heads(RIGHT_SPLITS[name])).startswith("Yes.")


@pytest.mark.parametrize("name", RIGHT_MERGES)
def test_merge_accepts(name):
    assert str(check_merge_heads(RIGHT_MERGES[name])).startswith("Yes.")


@pytest.mark.parametrize("name", RIGHT_WHOLES)
def test_multi_head_accepts(name):
    assert str(check_multi_head(RIGHT_WHOLES[name])).startswith("Yes.")


def test_grouped_heads_are_checked_if_the_function_takes_them():
    assert "grouped too" in check_multi_head(multi_head_attention).sentence
    assert "grouped" not in check_multi_head(by_loop).sentence


# --- wrong answers, each with a hint of its own -------------------------


def example_written_in(*_, **__):
    return np.arange(8.0).reshape(2, 4)


COMMON_WRONG = {
    "zeros": lambda *a, **s: np.zeros((7, 30)),
    "NaN": lambda *a, **s: np.full((7, 30), np.nan),
    "the example written in": example_written_in,
    "text": lambda *a, **s: "no numbers",
    "ragged lists": lambda *a, **s: [[1.0, 2.0], [3.0]],
}
WRONG_SPLITS = {
    **COMMON_WRONG,
    "bare reshape": steps.bare_reshape_split,
    "not swapped": lambda X, h: X.reshape(len(X), h, -1),
    "interleaved": steps.interleaved_split,
    "transposed": lambda X, h: split_heads(X, h).swapaxes(1, 2),
    "all columns": lambda X, h: np.stack([X] * h),
    "off by 1e-2": lambda X, h: split_heads(X, h) * 1.01,
    "wrong shape": lambda X, h: X[:, :2],
    "raises": lambda X, h: X.reshape(h, 1000),
}
WRONG_MERGES = {
    **COMMON_WRONG,
    "bare reshape": steps.bare_reshape_merge,
    "not joined": lambda heads: heads.swapaxes(0, 1),
    "interleaved": steps.interleaved_merge,
    "below": np.vstack,
    "sum": lambda heads: heads.sum(0),
    "mean": lambda heads: heads.mean(0),
    "off by 1e-2": lambda heads: merge_heads(heads) * 1.01,
    "wrong shape": lambda heads: heads[0, :2],
}


def whole(**swapped):
    wrong = RIGHT.swap(**swapped)

    def f(X, W_Q, W_K, W_V, W_O, h, n_kv=None, causal=False):
        return attention_by(wrong, X, W_Q, W_K, W_V, W_O, h, n_kv, causal)

    return f


def slices_first(X, W_Q, W_K, W_V, W_O, h, causal=False):
    d, parts = X.shape[1] // h, []
    for i in range(h):
        own = slice(i * d, (i + 1) * d)
        Q, K, V = (X[:, own] @ W[own, own] for W in (W_Q, W_K, W_V))
        parts.append(softmax(Q @ K.T / d**0.5) @ V)
    return np.hstack(parts) @ W_O


def overflows(X, W_Q, W_K, W_V, W_O, h, causal=False):
    def weigh(scores, causal):
        scores[..., ~causal_mask(len(X))] = -np.inf if causal else 0
        shares = np.exp(scores)
        return shares / shares.sum(-1, keepdims=True)

    if not causal:
        return by_loop(X, W_Q, W_K, W_V, W_O, h)
    swapped = RIGHT.swap(weigh=weigh)
    return attention_by(swapped, X, W_Q, W_K, W_V, W_O, h, causal=True)


def fill_with_minus_1e5(scores, causal):
    if causal:
        scores[..., ~causal_mask(scores.shape[-1])] = -1e5
    return softmax(scores)


def wrong_maps(*arguments, **settings):
    out, attn = multi_head_attention(*arguments, **settings)
    return out, attn.swapaxes(-1, -2)


def no_causal(X, W_Q, W_K, W_V, W_O, h):
    return by_loop(X, W_Q, W_K, W_V, W_O, h)


WRONG_WHOLES = {
    **COMMON_WRONG,
    "bare reshape": whole(split=steps.bare_reshape_split),
    "wrong merge": whole(merge=steps.bare_reshape_merge),
    "both bare": whole(
        split=steps.bare_reshape_split, merge=steps.bare_reshape_merge
    ),
    "interleaved split": whole(split=steps.interleaved_split),
    "interleaved merge": whole(merge=steps.interleaved_merge),
    "√d_model": whole(scale=steps.scale_by_d_model),
    "no scale": whole(scale=steps.no_scale),
    "no root": whole(scale=steps.scale_without_root),
    "multiplied": whole(scale=steps.scale_upside_down),
    "over queries": whole(weigh=steps.softmax_over_queries),
    "over heads": whole(weigh=steps.softmax_over_heads),
    "over all": whole(weigh=steps.softmax_over_all),
    "no W_O": whole(mix=steps.no_mix),
    "slices of X": slices_first,
    "one head": lambda *a, causal=False: by_loop(*a[:5], 1, causal),
    "no mask": whole(weigh=steps.no_mask),
    "mask after softmax": whole(weigh=steps.mask_after_softmax),
    "reversed mask": whole(weigh=steps.reversed_mask),
    "transposed mask": whole(weigh=steps.transposed_mask),
    "strict mask": whole(weigh=steps.strict_mask),
    "zero for hidden": whole(weigh=steps.fill_with_zero),
    "-1e4": whole(weigh=steps.fill_with_minus_10_000),
    "-1e5": whole(weigh=fill_with_minus_1e5),
    "overflow": overflows,
    "tiled KV heads": whole(kv_order=steps.tiled_kv_order),
    "wrong maps": wrong_maps,
    "no causal": no_causal,
    "off by 1e-2": lambda *a, **s: multi_head_attention(*a, **s)[0] * 1.01,
    "wrong shape": lambda *a, **s: multi_head_attention(*a, **s)[0].T,
}
WRONG = [
    (check, name, f)
    for check, wrong in zip(
        CHECKS, (WRONG_SPLITS, WRONG_MERGES, WRONG_WHOLES), strict=True
    )
    for name, f in wrong.items()
]


@pytest.mark.parametrize(
    ("check", "name", "f"),
    WRONG,
    ids=[f"{check.__name__}-{name}" for check, name, _ in WRONG],
)
def test_refuses(check, name, f):
    result = check(f)
    assert result.status == "no" and not result.ok
    assert result.sentence and result.hint, str(result)


@pytest.mark.parametrize("check", CHECKS)
def test_each_mistake_has_a_hint_of_its_own(check):
    said = {}
    for checked, name, f in WRONG:
        if checked is check:
            result = check(f)
            assert result.hint not in said, (name, said.get(result.hint))
            said[result.hint] = name


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("bare reshape", "bare reshape"),
        ("√d_model", "√d_model"),
        ("no scale", "not scaled"),
        ("over queries", "over the queries"),
        ("mask after softmax", "after the softmax"),
        ("reversed mask", "reversed"),
        ("no mask", "causal=True changes nothing"),
        ("-1e4", "-10,000"),
        ("tiled KV heads", "tiled"),
        ("no W_O", "W_O is missing"),
        ("slices of X", "cut into slices"),
        ("zeros", "is 0"),
        ("NaN", "NaN"),
        ("the example written in", "same for two different inputs"),
        ("wrong shape", "it must be (N, d_model) = (7, 30)"),
        ("off by 1e-2", "largest difference is at ["),
    ],
)
def test_a_mistake_is_called_by_its_name(name, word):
    assert word in check_multi_head(WRONG_WHOLES[name]).sentence


def test_a_mistake_that_shows_only_where_n_is_h_is_seen():
    def split(X, h):
        wrong = steps.bare_reshape_split if len(X) == h else split_heads
        return wrong(X, h)

    def merge(each):
        h, N, _ = each.shape
        return (steps.bare_reshape_merge if N == h else merge_heads)(each)

    def attend(X, *arguments, causal=False):
        *_, h = arguments
        wrong = steps.bare_reshape_split if len(X) == h else split_heads
        return whole(split=wrong)(X, *arguments, causal=causal)

    for check, f in zip(CHECKS, (split, merge, attend), strict=True):
        verdict = check(f)
        assert verdict.status == "no", check.__name__
        assert "bare reshape" in verdict.sentence


def test_adding_minus_10_000_is_seen_too():
    result = check_multi_head(whole(weigh=steps.add_minus_10_000))
    assert "-10,000" in result.sentence


def test_known_mistakes_differ_from_the_right_answer():
    cases = [(heads.SPLIT_MISTAKES, split_heads, (np.eye(6, 12), 3))]
    X = np.arange(24.0).reshape(2, 3, 4)
    cases.append((heads.MERGE_MISTAKES, merge_heads, (X,)))
    for mistakes, right, arguments in cases:
        for mistake in mistakes:
            wrong = mistake.answer(*arguments)
            assert not np.array_equal(wrong, right(*arguments)), mistake


def test_the_large_scores_are_as_they_must_be():
    """Each row has one clear winner, and in some the visible one is low."""
    X, W_Q, W_K, *_ = multi_head._arguments(
        multi_head.SIZES, multi_head.N, multi_head.LARGE_SEED, 1e6
    )
    Q, K = split_heads(X @ W_Q, 6), split_heads(X @ W_K, 6)
    scores = Q @ K.swapaxes(-1, -2) / 5**0.5
    scores[:, ~causal_mask(7)] = -np.inf
    ordered = np.sort(scores, axis=-1)
    assert (ordered[:, 1:, -1] - ordered[:, 1:, -2]).min() > 1e5
    assert (ordered[..., -1] < -1e5).any()


# --- nothing to judge yet -----------------------------------------------


def raises_not_implemented(*_, **__):
    raise NotImplementedError


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(
    "stub",
    [
        None,
        ...,
        lambda *a, **s: None,
        lambda *a, **s: ...,
        raises_not_implemented,
    ],
)
def test_a_stub_is_not_yet(check, stub):
    assert check(stub).status == "not yet"


def documented_stub(X, h):
    """Split X."""
    ...  # your code


def no_return(X, h):
    split_heads(X, h)


def return_on_one_way(X, h):
    if h == 2:
        return split_heads(X, h)


@pytest.mark.parametrize("f", [no_return, return_on_one_way])
def test_a_body_without_a_return_is_told_so(f):
    result = check_split_heads(f)
    assert result.status == "not yet"
    assert "came to its end without a return" in result.sentence
    for stub in (documented_stub, raises_not_implemented):
        sentence = check_split_heads(stub).sentence
        assert sentence.startswith("Your function returns nothing yet.")


@pytest.mark.parametrize("check", CHECKS)
def test_a_missing_name_is_named(check):
    result = check(lambda *a, **s: my_split_heads(*a))  # noqa: F821
    assert result.status == "not yet"
    assert "my_split_heads is not defined. Run the cell" in result.sentence


@pytest.mark.parametrize("check", CHECKS)
def test_a_result_instead_of_a_function_is_refused(check):
    result = check(np.zeros(3))
    assert result.status == "no" and "an ndarray"[3:] in result.sentence
    assert "without brackets" in result.hint


def test_an_unbound_local_is_an_error_not_a_missing_name():
    def f(X, h):
        answer = answer + 1  # noqa: F821
        return answer

    assert "UnboundLocalError" in check_split_heads(f).sentence


def test_the_line_of_an_error_in_a_cell_is_given():
    source = "def f(X, h):\n    Y = X\n    return Y.reshape(h, 1000)\n"
    space = {}
    run = compile(source, "<cell>", "exec")
    types_function = type(lambda: 0)
    types_function(run, space)()
    result = check_split_heads(space["f"])
    assert "ValueError" in result.sentence
    assert "line 3" in result.hint


# --- what runs too long -------------------------------------------------


def forever(*_, **__):
    while True:
        pass


def forever_and_catches(*_, **__):
    while True:
        try:
            len("x")
        except Exception:
            pass


@pytest.mark.parametrize("f", [forever, forever_and_catches])
@pytest.mark.parametrize("check", CHECKS)
def test_an_endless_loop_is_stopped(check, f, monkeypatch):
    monkeypatch.setattr(verdict, "SECONDS", 0.2)
    start = time.monotonic()
    result = check(f)
    assert time.monotonic() - start < 3
    assert result.status == "no"
    assert "stopped after 0.2 seconds" in result.sentence
    assert "never ends" in result.hint


def test_it_is_stopped_in_another_thread_too(monkeypatch):
    monkeypatch.setattr(verdict, "SECONDS", 0.2)
    results = []
    thread = threading.Thread(
        target=lambda: results.append(check_split_heads(forever))
    )
    thread.start()
    thread.join(5)
    assert results and "stopped" in results[0].sentence


def test_the_stop_never_comes_late():
    for _ in range(300):
        try:
            time_limit.within(0.0005, lambda: time.sleep(0.0004))
        except time_limit.TimeUp:
            pass
    time.sleep(0.05)


def test_the_readers_own_interrupt_goes_through():
    def interrupted(X, h):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_split_heads(interrupted)


# --- what is shown ------------------------------------------------------


def test_a_verdict_reads_as_a_sentence():
    bad = Verdict("no", "It is wrong.", "Look again.")
    assert str(bad) == repr(bad) == "No. It is wrong.\nHint: Look again."
    assert str(Verdict("not yet", "Write it.")) == "Not yet. Write it."
    assert Verdict("yes", "It is right.").ok


def test_what_a_verdict_shows_is_escaped():
    def f(X, h):
        raise ValueError("<img src=x onerror=alert(1)>")

    shown = check_split_heads(f)._repr_html_()
    assert "<img" not in shown and "&lt;img" in shown
    assert "<b>No.</b>" in shown


def test_the_checks_are_quick():
    start = time.process_time()
    check_multi_head(multi_head_attention)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("number", ["01", "02", "04", "06", "07"])
def test_f07_the_tolerance_stands_in_the_task(number, root):
    (path,) = (root / "notebooks").glob(f"{number}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    tasks = [
        "".join(cell["source"])
        for cell in cells
        if cell["cell_type"] == "markdown"
        and "Exercise" in "".join(cell["source"])
    ]
    assert f"{TOLERANCE:.0e}".replace("e-0", "e-") == "1e-5"
    assert any("1e-5 of the largest" in " ".join(t.split()) for t in tasks)


def test_a_timer_that_fires_after_the_end_stops_nothing(monkeypatch):
    timers = []

    class LateTimer:
        def __init__(self, _, fire):
            timers.append(fire)

        def start(self):
            """Fire later, by hand."""

        cancel = start

    monkeypatch.setattr(time_limit.threading, "Timer", LateTimer)
    assert time_limit.within(5, lambda: 3) == 3
    try:
        timers[0]()
        time.sleep(0.01)  # TimeUp would come here
    except time_limit.TimeUp:
        pytest.fail("the reader's next line was stopped")
