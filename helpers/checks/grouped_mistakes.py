"""The misconceptions about grouped heads that a check knows."""

import math

import numpy as np

from helpers import steps
from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    softmax,
    split_heads,
)
from helpers.checks.answers import Mistake


def by_order(order):
    """Return f(Q, K, V) whose query heads read in another order.

    Parameters
    ----------
    order : function of h and n_kv
        Returns the key/value head of each query head.
    """

    def attention(Q, K, V):
        read = np.minimum(order(len(Q), len(K)), len(K) - 1)
        return grouped_query_attention(Q, K[read], V[read])[0]

    return attention


def _only_one_tiled(keys):
    def attention(Q, K, V):
        right = np.arange(len(Q)) * len(K) // len(Q)
        tiled = np.arange(len(Q)) % len(K)
        of_K, of_V = (tiled, right) if keys else (right, tiled)
        return grouped_query_attention(Q, K[of_K], V[of_V])[0]

    return attention


def _repeated_along(axis):
    def attention(Q, K, V):
        times = len(Q) // len(K)
        K, V = (
            np.repeat(array, times, axis).reshape(len(Q), *array.shape[1:])
            for array in (K, V)
        )
        return grouped_query_attention(Q, K, V)[0]

    return attention


def _one_mean_head(Q, K, V):
    K, V = (array.mean(axis=0, keepdims=True) for array in (K, V))
    return grouped_query_attention(Q, K, V)[0]


def _pooled_queries(Q, K, V):
    Q = Q.reshape(len(K), -1, *Q.shape[1:]).mean(axis=1)
    return grouped_query_attention(Q, K, V)[0]


def _scaled(scale):
    def attention(Q, K, V):
        return grouped_query_attention(Q, K, V, scale=scale(Q))[0]

    return attention


def _over_queries(Q, K, V):
    times = len(Q) // len(K)
    K, V = (np.repeat(array, times, axis=0) for array in (K, V))
    scores = Q @ K.swapaxes(-1, -2) / math.sqrt(Q.shape[-1])
    return softmax(scores, axis=-2) @ V


def _merged(Q, K, V):
    return merge_heads(grouped_query_attention(Q, K, V)[0])


SAME_TOKENS = (
    "axis=0 is the head axis of (n_kv, N_k, d). Repeat that, or better, do "
    "not repeat: give Q one more axis."
)

GROUPED_MISTAKES = (
    Mistake(
        by_order(lambda h, n_kv: np.arange(h) % n_kv),
        "Key/value heads are tiled: 0, 1, 0, 1, …",
        "Neighbouring query heads share a key/value head: 0, 0, 1, 1. With "
        "copies it is np.repeat, not np.tile; with a reshape it is "
        "(n_kv, h // n_kv, …), not (h // n_kv, n_kv, …), and K and V get "
        "the new axis behind n_kv: K[:, None].",
    ),
    Mistake(
        _only_one_tiled(keys=True),
        "K is tiled, 0, 1, 0, 1, and V is not.",
        "K and V must be shared in the same order: 0, 0, 1, 1.",
    ),
    Mistake(
        _only_one_tiled(keys=False),
        "V is tiled, 0, 1, 0, 1, and K is not.",
        "K and V must be shared in the same order: 0, 0, 1, 1.",
    ),
    Mistake(
        by_order(lambda h, n_kv: np.arange(h) // n_kv),
        "Query head i reads key/value head i // n_kv.",
        "n_kv is how many key/value heads there are. How many query heads "
        "share one is h // n_kv: divide i by that.",
    ),
    Mistake(
        by_order(lambda h, n_kv: np.zeros(h, dtype=int)),
        "Every query head reads key/value head 0: n_kv is taken for 1.",
        "Query head i reads key/value head i // (h // n_kv).",
    ),
    Mistake(
        by_order(lambda h, n_kv: n_kv - 1 - np.arange(h) * n_kv // h),
        "The key/value heads are read in reverse.",
        "The first query heads read the first key/value head.",
    ),
    Mistake(
        _one_mean_head,
        "The key/value heads are averaged into one.",
        "They stay apart: query head i reads one of them, i // (h // n_kv).",
    ),
    Mistake(
        _pooled_queries,
        "Query heads that share keys are averaged: n_kv maps are left.",
        "Only keys and values are shared. Each of the h query heads keeps "
        "its own queries, and its own map.",
    ),
    Mistake(
        _repeated_along(1),
        "K and V are repeated along the token axis, and then reshaped: a "
        "head's rows are other heads' tokens.",
        SAME_TOKENS,
    ),
    Mistake(
        _repeated_along(2),
        "Every number of K and V is repeated, and then reshaped: the rows "
        "are torn apart.",
        f"np.repeat without an axis repeats single numbers. {SAME_TOKENS}",
    ),
    Mistake(
        _scaled(lambda Q: 1),
        "The scores are not scaled.",
        "Before the softmax, divide by √d_k: Q.shape[-1] is d_k.",
    ),
    Mistake(
        _scaled(lambda Q: 1 / math.sqrt(len(Q) * Q.shape[-1])),
        "The scores are divided by √(h · d_k).",
        "A score is a sum over the d_k numbers of one head: divide by √d_k.",
    ),
    Mistake(
        _over_queries,
        "The softmax runs over the queries: columns sum to 1, not rows.",
        "Keys are the last axis of the scores: axis=-1.",
    ),
    Mistake(
        _merged,
        "The heads are merged already.",
        "Return (h, N_q, d_v): merging and W_O come after this function.",
    ),
)


def _kept(after):
    def answer(X, W, h, n_kv):
        return after(split_heads(X @ W, n_kv), h, n_kv)

    return answer


_TOO_MANY = (
    "Cached after repeating: h heads are kept, and only n_kv differ.",
    "This throws the saving away: the cache is h / n_kv times too large. "
    "Keep n_kv heads, and share them when they are read.",
)

KEPT_MISTAKES = (
    Mistake(
        _kept(lambda K, h, n_kv: np.repeat(K, h // n_kv, axis=0)), *_TOO_MANY
    ),
    Mistake(
        _kept(lambda K, h, n_kv: np.tile(K, (h // n_kv, 1, 1))), *_TOO_MANY
    ),
    Mistake(
        lambda X, W, h, n_kv: split_heads(X @ W, h),
        "The columns are cut into h heads.",
        "W_K and W_V have n_kv heads, not h: only the queries have h.",
    ),
    Mistake(
        lambda X, W, h, n_kv: X @ W,
        "The heads are not cut apart yet: the axes are (N, n_kv · d).",
        "Cut them into n_kv heads: split_heads(…, n_kv).",
    ),
    Mistake(
        lambda X, W, h, n_kv: steps.bare_reshape_split(X @ W, n_kv),
        "This is a bare reshape: the shape is right, but a head's rows are "
        "pieces of other tokens.",
        "Reshape to (N, n_kv, d) first, then swap the first two axes.",
    ),
    Mistake(
        lambda X, W, h, n_kv: (X @ W).reshape(len(X), n_kv, -1),
        "The heads do not stand in front yet: the axes are (N, n_kv, d).",
        "Let the first two axes trade places.",
    ),
    Mistake(
        _kept(lambda K, h, n_kv: K.mean(axis=0, keepdims=True)),
        "The heads are averaged into one.",
        "Keep all n_kv of them.",
    ),
)
