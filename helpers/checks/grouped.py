"""The checks of grouped heads.

check_grouped_attention(f)   f(Q, K, V) -> heads
check_what_is_kept(f)        f(X, W_K, W_V, h, n_kv) -> (K, V)
check_tile_test(test)        test(f) -> True if f is right
check_pooling_choice(f)      f(X, W_Q, W_K, W_V, W_O, h, n_kv) -> name
"""

import tracemalloc

import numpy as np

from helpers.attention import grouped_query_attention, split_heads
from helpers.checks.answers import ask, judge, numbers, refuse_a_constant
from helpers.checks.grouped_mistakes import (
    GROUPED_MISTAKES,
    KEPT_MISTAKES,
    SAME_TOKENS,
)
from helpers.checks.properties import close
from helpers.checks.verdict import Refused, verdict_on

# h, n_kv, N_q, N_k, d_k, d_v. In the first, h / n_kv = n_kv: K and V without
# a new axis run through there, and can be named. Then all are different, then
# come the ends of the dial.
CASES = (
    (4, 2, 5, 7, 4, 11),
    (6, 3, 5, 7, 4, 11),
    (6, 2, 7, 9, 5, 11),
    (5, 1, 3, 4, 2, 6),
    (4, 4, 4, 4, 4, 4),
)
COPY_CASE = (8, 1, 1, 512, 32, 32)  # eight copies would not go unseen


def _heads(h, n_kv, N_q, N_k, d_k, d_v, seed=31):
    rng = np.random.default_rng(seed)
    shapes = (h, N_q, d_k), (n_kv, N_k, d_k), (n_kv, N_k, d_v)
    return tuple(rng.standard_normal(shape) for shape in shapes)


def check_grouped_attention(f):
    """Check f(Q, K, V): h query heads on n_kv key/value heads.

    Parameters
    ----------
    f : function
        Takes Q (h, N_q, d_k), K (n_kv, N_k, d_k) and V (n_kv, N_k, d_v);
        returns heads (h, N_q, d_v), or (heads, maps). Numbers must agree
        to 1e-5 of the largest. A copy of K and V is accepted, and told.

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_grouped)


def _examine_grouped(f):
    for case in CASES:
        Q, K, V = _heads(*case)
        got = _answer(f, Q, K, V)
        other = _answer(f, *_heads(*case, seed=32))
        refuse_a_constant(got, other)
        _require_heads(got, *case[:2])
        wanted, _ = grouped_query_attention(Q, K, V)
        judge(got, wanted, GROUPED_MISTAKES, (Q, K, V), "(h, N_q, d_v)")
    copies = _copied(f)
    if copies < 3:
        return "Grouped attention is right, and K and V are not copied."
    return (
        f"Grouped attention is right. On the way it takes {copies:.0f} times "
        f"the memory of K: K and V are copied for every query head. The "
        f"numbers are the same, but what a small cache saves in reading is "
        f"lost. Try Q in the shape (n_kv, h // n_kv, N_q, d_k) against "
        f"K[:, None]."
    )


def _answer(f, Q, K, V):
    log = []

    def call(Q, K, V):
        answer = f(Q, *(watched(array, log) for array in (K, V)))
        pair = isinstance(answer, tuple) and len(answer) == 2
        return answer[0] if pair else answer

    try:
        return np.array(numbers(ask(call, Q, K, V)))
    except Refused as reason:
        hint = hint_of_repeats(log, len(Q), len(K))
        hint = hint or _hint_of_shapes(reason.sentence)
        raise Refused(reason.sentence, hint or reason.hint) from None


def _hint_of_shapes(stopped):
    hints = {
        "cannot reshape": "Take each size from its own array: N_q from Q, "
        "N_k from K, d_v from V. The output has V's width, not Q's.",
        "broadcast": "Write both shapes side by side. In front of the last "
        "two axes, K[:, None] has (n_kv, 1). Which of Q's two shapes fits: "
        "(n_kv, h // n_kv) or (h // n_kv, n_kv)?",
        "core dimension": "`.T` turns all axes round. swapaxes(-1, -2) "
        "turns the last two, and leaves the heads.",
    }
    return next((hint for sign, hint in hints.items() if sign in stopped), "")


def _require_heads(got, h, n_kv):
    if got.ndim == 4 and got.shape[:2] == (n_kv, h // n_kv):
        raise Refused(
            "The heads still stand in two axes, (n_kv, h / n_kv).",
            "One step is left: reshape to (h, N_q, d_v). The order is right "
            "already.",
        )


def _copied(f):
    """Return the most memory that f takes, in units of K's bytes."""
    Q, K, V = _heads(*COPY_CASE)
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        f(Q, K, V)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        if not running:
            tracemalloc.stop()
    return (peak - before) / K.nbytes


class _Watched(np.ndarray):
    """An array that writes down how it is repeated."""

    log = None

    def __array_finalize__(self, source):
        self.log = getattr(source, "log", None)

    def repeat(self, repeats, axis=None):
        if self.log is not None:
            self.log.append((repeats, axis, self.ndim))
        return super().repeat(repeats, axis)


def watched(array, log):
    """Return a view of `array` that notes each np.repeat of it in `log`."""
    view = np.asarray(array).view(_Watched)
    view.log = log
    return view


def hint_of_repeats(log, h, n_kv):
    """Say what is wrong with the way K or V were repeated, or return ""."""
    for repeats, axis, rank in log:
        if rank != 3:
            continue
        if axis is None:
            return f"np.repeat without an axis makes K flat. {SAME_TOKENS}"
        if axis % 3 != 0:
            return (
                f"np.repeat runs along axis {axis}, which holds no heads. "
                f"{SAME_TOKENS}"
            )
        if np.ndim(repeats) == 0 and repeats != h // n_kv:
            return (
                f"K is repeated {repeats} times with h = {h}, n_kv = {n_kv}. "
                f"How many query heads share one key/value head? "
                f"h // n_kv = {h // n_kv}."
            )
    return ""


def check_what_is_kept(f):
    """Check f(X, W_K, W_V, h, n_kv): the keys and values for the cache.

    Parameters
    ----------
    f : function
        Takes X (N, d_model), W_K (d_model, n_kv * d_k), W_V
        (d_model, n_kv * d_v); returns K (n_kv, N, d_k), V (n_kv, N, d_v).

    Returns
    -------
    Verdict
    """
    return verdict_on(f, _examine_kept)


def _examine_kept(f):
    h, n_kv, N, d_k, d_v, d_model = 6, 2, 7, 9, 12, 30
    rng = np.random.default_rng(33)
    X = rng.standard_normal((N, d_model))
    W_K = rng.standard_normal((d_model, n_kv * d_k))
    W_V = rng.standard_normal((d_model, n_kv * d_v))
    answer = ask(f, X, W_K, W_V, h, n_kv)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise Refused(
            "The cache needs two arrays, keys and values.",
            "End with: return K, V",
        )
    K, V = (numbers(part) for part in answer)
    wanted_K, wanted_V = split_heads(X @ W_K, n_kv), split_heads(X @ W_V, n_kv)
    if close(K, wanted_V) and close(V, wanted_K):
        raise Refused("K and V have changed places.", "K comes first.")
    arguments = X, W_K, h, n_kv
    judge(K, wanted_K, KEPT_MISTAKES, arguments, "K: (n_kv, N, d_k)")
    arguments = X, W_V, h, n_kv
    judge(V, wanted_V, KEPT_MISTAKES, arguments, "V: (n_kv, N, d_v)")
    return (
        f"That is what a cache keeps: {n_kv} heads of keys and values, not "
        f"{h}. Query heads share them when they are read."
    )
