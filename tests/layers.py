"""Layers to test with: every size is another number, most of them prime."""

import os
from typing import NamedTuple

import numpy as np
from hypothesis import Phase, settings
from hypothesis import strategies as st

N, N_K, D_MODEL, H, N_KV, D_K, D_V, BATCH = 7, 9, 30, 6, 2, 5, 11, 3

QUICK = [Phase.explicit, Phase.generate]  # no search for a smaller example
few = settings(
    max_examples=20,
    deadline=None,
    phases=QUICK if os.environ.get("NO_SHRINKING") else list(Phase),
)
seeds = st.integers(0, 2**32 - 1)


class Layer(NamedTuple):
    """An input and four matrices, in the order the layer takes them."""

    X: np.ndarray
    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray


def layer(seed=1, h=H, n_kv=N_KV, front=(), N=N, number_type=np.float64):
    """Return a random layer with the sizes above; `front` is batch axes."""
    rng = np.random.default_rng(seed)
    shapes = (
        (*front, N, D_MODEL),
        (D_MODEL, h * D_K),
        (D_MODEL, n_kv * D_K),
        (D_MODEL, n_kv * D_V),
        (h * D_V, D_MODEL),
    )
    return Layer(*(rng.normal(size=s).astype(number_type) for s in shapes))


def heads_of(seed=1, h=H, n_kv=N_KV, front=(), number_type=np.float64):
    """Return random Q, K and V with N_q = 7 queries and N_k = 9 keys."""
    rng = np.random.default_rng(seed)
    shapes = (
        (*front, h, N, D_K),
        (*front, n_kv, N_K, D_K),
        (*front, n_kv, N_K, D_V),
    )
    return tuple(rng.normal(size=s).astype(number_type) for s in shapes)


def some_mask(seed, *shape):
    """Return a random boolean mask, about a third of it False."""
    return np.random.default_rng(seed).random(shape) > 0.35
