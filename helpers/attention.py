"""Attention, from a softmax to grouped heads.

Read this file from top to bottom; its order is the order of the lessons.

    softmax                        scores -> shares that sum to 1
    causal_mask, padding_mask      which keys a query may see
    hide                           masks act on scores, before the softmax
    scaled_dot_product_attention   one head
    split_heads, merge_heads       one wide array <-> h narrow ones
    grouped_query_attention        h query heads on n_kv key/value heads
    multi_head_attention           the whole layer
    head_writes                    what each head adds to the output

Tokens are rows, and vectors multiply from the left: X @ W. Every function
takes further axes in front, written "...". A mask is True where a query may
see a key.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2, for
attention and multi-head attention; Ainslie et al., "GQA" (2023), section 2.2,
for grouped heads.
"""

import math

import numpy as np

from helpers.array_rules import (
    checked_bias,
    checked_heads,
    checked_largest,
    checked_layer,
    checked_mask,
    checked_qkv,
    checked_scores,
    require_fit_scores,
    require_output_rows,
    require_parts,
    require_rank,
)
from helpers.choice_rules import several
from helpers.number_rules import (
    real_array,
    require_scores_in_range,
    require_switch,
    require_written_in_place,
)
from helpers.sizes import require_memory, whole


def softmax(scores, axis=-1, out=None):
    """Turn scores into positive shares that sum to 1 along `axis`.

    Subtracting the largest score changes no share, and keeps exp() from
    overflowing. Where every score is -inf there is nothing to share out:
    the shares are 0.

    Parameters
    ----------
    scores : array (...)
        Any real numbers; -inf for a place that may get nothing.
    axis : int or None
        The axis along which the shares sum to 1; None: over all axes.
    out : array (...), optional
        Where to write, of the shares' shape and type; may be `scores` itself.

    Returns
    -------
    array (...)
        Of the same number type as `scores`; whole numbers give float64.
        float16 is computed in float32 and rounded once, at the end.

    Raises
    ------
    ValueError, TypeError
        If a score is NaN or +inf, or no real number; if there is no such
        axis; if `out` does not fit.
    """
    scores = checked_scores(scores, axis, out)
    if scores.dtype == np.float16:
        shares = softmax(scores.astype(np.float32), axis).astype(np.float16)
        if out is None:
            return shares
        out[...] = shares
        return out
    largest = checked_largest(scores.max(axis=axis, keepdims=True))
    with np.errstate(over="ignore"):  # so far below it that the share is 0
        shares = np.subtract(scores, largest, out=out)
    np.exp(shares, out=shares)
    total = shares.sum(axis=axis, keepdims=True)
    total[total == 0] = 1
    return np.divide(shares, total, out=shares)


def causal_mask(N_q, N_k=None):
    """Say which keys each query may see if it may not look ahead.

    The last query stands at the last key. So with N_q < N_k, as when new
    tokens are added to remembered ones, query i stands at position
    N_k - N_q + i.

    Parameters
    ----------
    N_q, N_k : int
        Queries and keys; N_k is N_q if left out.

    Returns
    -------
    bool array (N_q, N_k)
        True where the key is not later than the query.
    """
    N_q = whole("N_q", N_q)
    N_k = N_q if N_k is None else whole("N_k", N_k)
    require_memory(f"A mask of {N_q} x {N_k}", N_q * N_k)
    query_position = np.arange(N_k - N_q, N_k)[:, None]  # (N_q, 1)
    key_position = np.arange(N_k)[None, :]  # (1, N_k)
    return key_position <= query_position


def padding_mask(lengths, N):
    """Say which keys are real tokens in a batch padded to N on the right.

    Parameters
    ----------
    lengths : int array (batch,)
        The real tokens of each sentence, 0 to N.
    N : int
        The padded length.

    Returns
    -------
    bool array (batch, 1, 1, N)
        True where the key is a real token; fits scores (batch, h, N_q, N).
    """
    N, lengths = whole("N", N), several("lengths", lengths, "whole numbers")
    lengths = np.array([whole("length", n, 0, N) for n in lengths], dtype=int)
    return (np.arange(N) < lengths[:, None])[:, None, None, :]


def hide(scores, mask=None, bias=None, causal=False):
    """Add the bias to the scores, then put -inf where a key is hidden.

    This happens before the softmax: exp(-inf) is 0, and the shares of what
    is left still sum to 1. Zeros written after the softmax break the sum.

    Parameters
    ----------
    scores : array (..., N_q, N_k)
        Changed in place.
    mask, bias, causal
        As for `scaled_dot_product_attention`.
    """
    require_written_in_place(scores)
    require_switch("causal", causal)
    if bias is not None:
        scores += checked_bias(bias, scores)
    if mask is not None:
        np.copyto(scores, -np.inf, where=~checked_mask(mask, scores))
    if causal:
        np.copyto(scores, -np.inf, where=~causal_mask(*scores.shape[-2:]))


def scaled_dot_product_attention(
    Q, K, V, mask=None, bias=None, causal=False, scale=None
):
    """Let every query take a weighted average of the values: one head.

    softmax(Q K^T / sqrt(d_k)) V

    Parameters
    ----------
    Q : array (..., N_q, d_k)
    K : array (..., N_k, d_k)
    V : array (..., N_k, d_v)
        The axes in front agree, or are 1.
    mask : bool array (N_q, N_k) or of the rank of the scores, optional
        True where a query may see a key.
    bias : float array, shaped like a mask, optional
        Added to the scaled scores. It may hold -inf, which hides a key.
    causal : bool
        True: no query sees a later key; see `causal_mask`.
    scale : float, optional
        What the scores are multiplied by; 1 / sqrt(d_k) if left out.

    Returns
    -------
    out : array (..., N_q, d_v)
    attn : array (..., N_q, N_k)
        Each row sums to 1; to 0, with output 0, if it may see nothing.

    Raises
    ------
    SizeError
        If shapes do not fit, or the scores would not fit in memory.
    TypeError
        If a mask or `causal` is not boolean, or an array holds no real
        numbers.
    ValueError
        If an input holds NaN or infinity, or scores could overflow.
    """
    Q, K, V = checked_qkv(Q, K, V)
    if Q.dtype == np.float16:
        wide = (array.astype(np.float32) for array in (Q, K, V))
        results = scaled_dot_product_attention(
            *wide, mask, bias, causal, scale
        )
        return tuple(result.astype(np.float16) for result in results)
    if scale is None:
        scale = 1 / math.sqrt(Q.shape[-1])
    require_scores_in_range(Q, K, scale)

    # The scale goes into Q: in a long text the scores are far larger.
    scores = (Q * Q.dtype.type(scale)) @ K.swapaxes(-1, -2)  # (..., N_q, N_k)
    hide(scores, mask, bias, causal)
    attn = softmax(scores, out=scores)
    return attn @ V, attn


def split_heads(X, h):
    """Cut the last axis into h parts and put the heads in front.

    First the wide axis is cut, then two axes trade places. A single reshape
    gives the same shape, with the numbers of different tokens mixed.

    Parameters
    ----------
    X : array (..., N, h * d)
    h : int

    Returns
    -------
    array (..., h, N, d)
        A view: nothing is copied.
    """
    X, h = real_array("X", X), whole("h", h)
    require_rank("X", X, 2)
    require_parts("h", h, "X", X)
    return X.reshape(*X.shape[:-1], h, X.shape[-1] // h).swapaxes(-3, -2)


def merge_heads(heads):
    """Lay the heads of each token side by side again: undo split_heads.

    Parameters
    ----------
    heads : array (..., h, N, d)

    Returns
    -------
    array (..., N, h * d)
    """
    heads = real_array("heads", heads)
    require_rank("heads", heads, 3)
    *front, h, N, d = heads.shape
    return heads.swapaxes(-3, -2).reshape(*front, N, h * d)


def grouped_query_attention(
    Q, K, V, mask=None, bias=None, causal=False, scale=None
):
    """Run h heads at once; each key/value head serves h / n_kv query heads.

    Query head i reads key/value head i // (h / n_kv): 0, 0, 1, 1 and never
    0, 1, 0, 1. K and V are broadcast, not copied. n_kv = h is plain
    multi-head attention; n_kv = 1 is multi-query attention.

    Parameters
    ----------
    Q : array (..., h, N_q, d_k)
    K : array (..., n_kv, N_k, d_k)
    V : array (..., n_kv, N_k, d_v)
    mask, bias, causal, scale
        As for one head; the scores are (..., h, N_q, N_k).

    Returns
    -------
    heads : array (..., h, N_q, d_v)
    attn : array (..., h, N_q, N_k)
        One map for each query head, however few the key/value heads.
    """
    Q, K, V = checked_heads(Q, K, V)
    h, n_kv = Q.shape[-3], K.shape[-3]
    require_fit_scores(Q, K, mask=mask, bias=bias)

    heads, attn = scaled_dot_product_attention(
        _by_kv_head(Q, n_kv),
        K[..., :, None, :, :],
        V[..., :, None, :, :],
        _by_kv_head(mask, n_kv),
        _by_kv_head(bias, n_kv),
        causal,
        scale,
    )
    return _heads_in_a_row(heads, h), _heads_in_a_row(attn, h)


def _by_kv_head(array, n_kv):  # (..., h, N, d) -> (..., n_kv, h / n_kv, N, d)
    if array is None or np.ndim(array) == 2:
        return array
    *front, heads, rows, columns = np.shape(array)
    kv_heads = min(heads, n_kv)  # a mask for all heads has 1, and keeps it
    return np.reshape(array, (*front, kv_heads, -1, rows, columns))


def _heads_in_a_row(array, h):  # and back
    *front, _, _, rows, columns = array.shape
    return array.reshape(*front, h, rows, columns)


def multi_head_attention(
    X,
    W_Q,
    W_K,
    W_V,
    W_O,
    h,
    n_kv=None,
    X_kv=None,
    mask=None,
    bias=None,
    causal=False,
):
    """Project, run h heads in parallel, lay them side by side, mix.

    Parameters
    ----------
    X : array (..., N, d_model)
    W_Q : array (d_model, h * d_k)
    W_K : array (d_model, n_kv * d_k)
    W_V : array (d_model, n_kv * d_v)
    W_O : array (h * d_v, d_model)
    h : int
        Query heads.
    n_kv : int, optional
        Key/value heads; divides h. Left out: h.
    X_kv : array (..., N_k, d_model), optional
        Where keys and values come from, if not from X: cross-attention.
    mask, bias, causal
        As for one head; the scores are (..., h, N, N_k).

    Returns
    -------
    out : array (..., N, d_model)
    attn : array (..., h, N, N_k)

    Raises
    ------
    SizeError, TypeError, ValueError
        As for one head, and if a matrix does not fit.
    """
    n_kv = h if n_kv is None else n_kv
    X_kv = X if X_kv is None else X_kv
    X, X_kv, W_Q, W_K, W_V, W_O = checked_layer(
        X, X_kv, W_Q, W_K, W_V, W_O, h, n_kv
    )

    Q = split_heads(X @ W_Q, h)  # (..., h, N, d_k)
    K = split_heads(X_kv @ W_K, n_kv)  # (..., n_kv, N_k, d_k)
    V = split_heads(X_kv @ W_V, n_kv)  # (..., n_kv, N_k, d_v)
    heads, attn = grouped_query_attention(Q, K, V, mask, bias, causal)
    concat = merge_heads(heads)  # (..., N, h * d_v)
    return concat @ W_O, attn


def head_writes(heads, W_O):
    """Give each head's own part of the output: concat @ W_O, taken apart.

    Head i meets only its own d_v rows of W_O. The parts add up to the
    output, so heads do not mix before W_O: they add.

    Parameters
    ----------
    heads : array (..., h, N, d_v)
    W_O : array (h * d_v, d_model)

    Returns
    -------
    array (..., h, N, d_model)
        Its sum over the heads is the layer's output.

    Source: Elhage et al., "A Mathematical Framework for Transformer
    Circuits" (2021), section on attention heads.
    """
    heads, W_O = real_array("heads", heads), real_array("W_O", W_O)
    require_rank("heads", heads, 3)
    h, d_v = heads.shape[-3], heads.shape[-1]
    require_output_rows(W_O, h, d_v)
    return heads @ W_O.reshape(h, d_v, -1)
