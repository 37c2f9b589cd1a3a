"""Named properties of multi-head attention: what is true of the right one.

Each takes a function

    f(X, W_Q, W_K, W_V, W_O, h, n_kv=None, causal=False) -> (out, attn)

and says whether the property holds of it. Four of them need no right answer
to compare with: they compare the function with itself. All sizes differ
(N=7, d_k=5, h=6, n_kv=2, d_model=30), so that no two axes can be mixed up
unnoticed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from helpers.attention import (
    multi_head_attention,
    scaled_dot_product_attention,
)
from helpers.sizes import Sizes
from helpers.weights import Projections, random_projections

TOLERANCE = 1e-5  # relative to the largest number of the right answer
N = 7
SIZES = Sizes(d_model=30, h=6)
GROUPED = Sizes(d_model=30, h=6, n_kv=2)
ONE_HEAD = Sizes(d_model=30, h=1)


@dataclass(frozen=True)
class Property:
    """A name, one sentence, and the test of a function."""

    name: str
    sentence: str
    test: Callable

    def holds(self, f):
        """Return True if the property holds of `f`; False if `f` fails."""
        try:
            with np.errstate(all="ignore"):
                return bool(self.test(f))
        except Exception:
            return False


PROPERTIES = {}  # {name: Property}, in the order of this file


def named(name, sentence):
    """Return a decorator that lists a test in PROPERTIES."""

    def listed(test):
        PROPERTIES[name] = Property(name, sentence, test)
        return test

    return listed


def close(got, wanted, tolerance=TOLERANCE):
    """Say whether two arrays agree, relative to the largest number."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        return False
    largest = np.abs(wanted).max()
    return bool(np.abs(got - wanted).max() <= tolerance * largest)


@cache
def _made(sizes, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, sizes.d_model))
    return X, random_projections(sizes, seed)


def example(sizes=SIZES, seed=11):
    """Return X and four matrices, copied: whoever gets them may write."""
    X, projections = _made(sizes, seed)
    return X.copy(), Projections(*(matrix.copy() for matrix in projections))


@named("shapes", "out is (N, d_model) and attn is (h, N, N).")
def shapes(f):
    X, projections = example()
    out, attn = f(X, *projections, SIZES.h)
    return np.shape(out) == X.shape and np.shape(attn) == (SIZES.h, N, N)


@named(
    "rows sum to 1",
    "Every row of every map shares out exactly 1, masked or not.",
)
def rows_sum_to_1(f):
    X, projections = example()
    for causal in (False, True):
        attn = np.asarray(f(X, *projections, SIZES.h, causal=causal)[1])
        if (attn < 0).any() or not close(attn.sum(-1), np.ones((SIZES.h, N))):
            return False
    return True


@named(
    "no look-ahead",
    "Under the causal mask, other words later on change nothing before.",
)
def no_look_ahead(f):
    X, projections = example()
    seen = N // 2
    changed = X.copy()
    changed[seen:] += example(seed=12)[0][seen:]
    before = f(X, *projections, SIZES.h, causal=True)[0]
    after = f(changed, *projections, SIZES.h, causal=True)[0]
    return close(after[:seen], before[:seen])


@named(
    "order of tokens",
    "Tokens in another order give the same rows in that order.",
)
def order_does_not_matter(f):
    X, projections = example()
    order = np.random.default_rng(13).permutation(N)
    out, attn = f(X, *projections, SIZES.h)
    out_moved, attn_moved = f(X[order], *projections, SIZES.h)
    return close(out_moved, out[order]) and close(
        attn_moved, attn[:, order][:, :, order]
    )


@named(
    "loop = batched", "All heads at once give the sum of each head run alone."
)
def loop_is_batched(f):
    X, (W_Q, W_K, W_V, W_O) = example()
    total = 0
    for i in range(SIZES.h):
        own = slice(i * SIZES.d_k, (i + 1) * SIZES.d_k)
        parts = W_Q[:, own], W_K[:, own], W_V[:, own], W_O[own]
        total = total + f(X, *parts, 1)[0]
    return close(f(X, W_Q, W_K, W_V, W_O, SIZES.h)[0], total)


@named("one head", "With h = 1 it is single-head attention, then W_O.")
def one_head_is_attention(f):
    X, (W_Q, W_K, W_V, W_O) = example(ONE_HEAD)
    out, attn = f(X, W_Q, W_K, W_V, W_O, 1)
    wanted, wanted_attn = scaled_dot_product_attention(
        X @ W_Q, X @ W_K, X @ W_V
    )
    return close(out, wanted @ W_O) and close(attn, wanted_attn[None])


@named(
    "grouped = repeated",
    "With n_kv < h, as if key/value heads were repeated: 0, 0, 1, 1.",
)
def grouped_is_repeated(f):
    X, (W_Q, W_K, W_V, W_O) = example(GROUPED)
    grouped = f(X, W_Q, W_K, W_V, W_O, GROUPED.h, n_kv=GROUPED.n_kv)[0]

    def repeated(W):  # (d_model, n_kv * d) -> (d_model, h * d): 0, 0, 0, 1, …
        by_head = W.reshape(len(W), GROUPED.n_kv, -1)
        by_head = by_head.repeat(GROUPED.queries_per_kv, axis=1)
        return by_head.reshape(len(W), -1)

    wanted = f(X, W_Q, repeated(W_K), repeated(W_V), W_O, GROUPED.h)[0]
    return close(grouped, wanted)


@named("values", "It gives the numbers that helpers/attention.py gives.")
def values(f):
    for sizes, causal in ((SIZES, False), (SIZES, True), (GROUPED, False)):
        X, projections = example(sizes)
        got = f(X, *projections, sizes.h, n_kv=sizes.n_kv, causal=causal)
        wanted = multi_head_attention(
            X, *projections, sizes.h, n_kv=sizes.n_kv, causal=causal
        )
        if not all(map(close, got, wanted)):
            return False
    return True
