"""Multi-head attention as five named steps, any of which can be swapped.

    Q, K, V = split(X @ W)        cut into heads
    K, V = K[kv_order]            which key/value head each query head reads
    scores = Q @ K^T * scale      compare
    attn = weigh(scores, causal)  hide, and share out
    out = merge(attn @ V) @ W_O   lay side by side, and mix

`RIGHT` holds the steps of `attention.py`. The wrong steps below it are the
mistakes that people make: one of them in the place of the right one gives
the wrong answer that this mistake would give. The bug gallery shows six,
and the exercise checks know them all by their answers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from helpers.array_rules import checked_layer
from helpers.attention import (
    causal_mask,
    hide,
    merge_heads,
    softmax,
    split_heads,
)
from helpers.number_rules import require_switch


def kv_order(h, n_kv):
    """Say which key/value head each query head reads: 0, 0, 1, 1."""
    return np.arange(h) // (h // n_kv)


def scale(d_k, d_model):
    """Return what scores are multiplied by: 1 / sqrt(d_k)."""
    return 1 / math.sqrt(d_k)


def weigh(scores, causal):
    """Hide what comes later, then share out 1 along each row."""
    hide(scores, causal=causal)
    return softmax(scores)


def mix(concat, W_O):
    """Mix what the heads wrote."""
    return concat @ W_O


@dataclass(frozen=True)
class Steps:
    """The steps of one way to compute multi-head attention."""

    split: Callable = split_heads
    kv_order: Callable = kv_order
    scale: Callable = scale
    weigh: Callable = weigh
    merge: Callable = merge_heads
    mix: Callable = mix

    def swap(self, **steps):
        """Return the same steps with some of them replaced."""
        return replace(self, **steps)


RIGHT = Steps()


def attention_by(steps, X, W_Q, W_K, W_V, W_O, h, n_kv=None, causal=False):
    """Compute multi-head attention by the given steps.

    Parameters
    ----------
    steps : Steps
    X, W_Q, W_K, W_V, W_O, h, n_kv, causal
        As for `multi_head_attention`. Here K and V are copied to h heads.

    Returns
    -------
    out : array (..., N, d_model)
    attn : array (..., h, N, N)
        With the right steps, as `multi_head_attention` gives them.

    Raises
    ------
    SizeError, TypeError, ValueError
        As for `multi_head_attention`, if arrays or heads do not fit.
    """
    n_kv = h if n_kv is None else n_kv
    require_switch("causal", causal)
    X, _, W_Q, W_K, W_V, W_O = checked_layer(X, X, W_Q, W_K, W_V, W_O, h, n_kv)
    Q = steps.split(X @ W_Q, h)  # (..., h, N, d_k)
    order = steps.kv_order(h, n_kv)
    K = steps.split(X @ W_K, n_kv)[..., order, :, :]  # (..., h, N, d_k)
    V = steps.split(X @ W_V, n_kv)[..., order, :, :]  # (..., h, N, d_v)

    scores = Q @ K.swapaxes(-1, -2)  # (..., h, N, N)
    scores *= steps.scale(Q.shape[-1], X.shape[-1])
    attn = steps.weigh(scores, causal)
    return steps.mix(steps.merge(attn @ V), W_O), attn


# ---- wrong ways to split and to merge ----


def bare_reshape_split(X, h):
    """Reshape at once: the right shape, with tokens mixed up."""
    *front, N, width = X.shape
    return X.reshape(*front, h, N, width // h)


def interleaved_split(X, h):
    """Deal columns out like cards: head i gets columns i, i + h, ..."""
    *front, N, width = X.shape
    return np.moveaxis(X.reshape(*front, N, width // h, h), -1, -3)


def bare_reshape_merge(heads):
    """Reshape at once, and never swap back: tokens are mixed up."""
    *front, h, N, d = heads.shape
    return heads.reshape(*front, N, h * d)


def interleaved_merge(heads):
    """Take one number of each head in turn."""
    *front, h, N, d = heads.shape
    return np.moveaxis(heads, -3, -1).reshape(*front, N, h * d)


# ---- wrong scales ----


def scale_by_d_model(d_k, d_model):
    """Divide by the root of the whole width, not of a head's."""
    return 1 / math.sqrt(d_model)


def no_scale(d_k, d_model):
    """Leave the scores as large as they come."""
    return 1


def scale_without_root(d_k, d_model):
    """Divide by d_k itself."""
    return 1 / d_k


def scale_upside_down(d_k, d_model):
    """Multiply by the root instead of dividing."""
    return math.sqrt(d_k)


# ---- wrong ways from scores to weights ----


def softmax_over_queries(scores, causal):
    """Share out 1 along each column."""
    hide(scores, causal=causal)
    return softmax(scores, axis=-2)


def softmax_over_heads(scores, causal):
    """Share out 1 among the heads."""
    hide(scores, causal=causal)
    return softmax(scores, axis=-3)


def softmax_over_all(scores, causal):
    """Share out 1 over a whole map."""
    hide(scores, causal=causal)
    *front, N_q, N_k = scores.shape
    return softmax(scores.reshape(*front, -1)).reshape(scores.shape)


def mask_after_softmax(scores, causal):
    """Share out 1 over all keys, then cross out the later ones."""
    attn = softmax(scores)
    return attn * causal_mask(*scores.shape[-2:]) if causal else attn


def no_mask(scores, causal):
    """Forget the mask."""
    return softmax(scores)


def reversed_mask(scores, causal):
    """Hide what may be seen, and show what may not."""
    if causal:
        hide(scores, mask=~causal_mask(*scores.shape[-2:]))
    return softmax(scores)


def transposed_mask(scores, causal):
    """Show each query itself and what comes later."""
    if causal:
        hide(scores, mask=causal_mask(*scores.shape[-2:]).T)
    return softmax(scores)


def strict_mask(scores, causal):
    """Hide the query's own place too."""
    if causal:
        hide(scores, mask=np.tri(*scores.shape[-2:], k=-1, dtype=bool))
    return softmax(scores)


def fill_with_zero(scores, causal):
    """Write 0 where a key is hidden: exp(0) still gets a share."""
    if causal:
        scores *= causal_mask(*scores.shape[-2:])
    return softmax(scores)


def fill_with_minus_10_000(scores, causal):
    """Write -10,000 where a key is hidden: not low enough."""
    if causal:
        np.copyto(scores, -1e4, where=~causal_mask(*scores.shape[-2:]))
    return softmax(scores)


def add_minus_10_000(scores, causal):
    """Add -10,000 where a key is hidden: not low enough."""
    return softmax(scores - 1e4 * ~causal_mask(*scores.shape[-2:]) * causal)


# ---- wrong order of key/value heads, and no W_O ----


def tiled_kv_order(h, n_kv):
    """Deal query heads out like cards: 0, 1, 0, 1."""
    return np.arange(h) % n_kv


def no_mix(concat, W_O):
    """Leave out W_O."""
    return concat
