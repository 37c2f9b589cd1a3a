"""Layers that can learn: each one forward, then the same lines backward.

A name d_X holds, for every number in X, how much the loss grows if that
number grows by a little. Backward, the steps come in the opposite order:

    forward                      backward
    Y = X @ W                    d_X = d_Y @ W.T,  d_W = X.T @ d_Y
    Y = X1 + X2                  d_X1 = d_X2 = d_Y
    heads = split_heads(Y)       d_Y = merge_heads(d_heads)
    shares = softmax(scores)     d_scores: see softmax_backward

Source: the chain rule. What comes out equals PyTorch's (tests/vectors).
"""

import math
from typing import NamedTuple

import numpy as np

from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    softmax,
    split_heads,
)
from helpers.learn.products import added_products, project, rows
from helpers.weights import Projections


def project_backward(d_Y, X, W):
    """Return d_X (..., d_in) and d_W (d_in, d_out) of Y = X @ W."""
    return project(d_Y, W.T), added_products(X, d_Y)


def softmax_backward(d_shares, shares):
    """Return d_scores, from the shares that the softmax gave.

    A score that grows takes from all the others: what counts is by how
    much its share is wanted more than the row's average.

    Parameters
    ----------
    d_shares, shares : array (..., n)

    Returns
    -------
    array (..., n)
        Its rows sum to 0; 0 where the share is 0, as for a hidden key.
    """
    average = (d_shares * shares).sum(axis=-1, keepdims=True)
    return shares * (d_shares - average)


def scaled_dot_product_attention_backward(d_out, Q, K, V, attn, scale=None):
    """Return d_Q, d_K and d_V of one head.

    Masks need no line: a hidden key has the share 0.

    Parameters
    ----------
    d_out : array (..., N_q, d_v)
    Q, K, V : arrays (..., N_q, d_k), (..., N_k, d_k), (..., N_k, d_v)
    attn : array (..., N_q, N_k)
        As the forward function gave it.
    scale : float, optional
        1 / sqrt(d_k) if left out.

    Returns
    -------
    d_Q, d_K, d_V : arrays
        Shaped like Q, K and V.
    """
    if scale is None:
        scale = 1 / math.sqrt(Q.shape[-1])
    d_attn = d_out @ V.swapaxes(-1, -2)  # (..., N_q, N_k)
    d_V = attn.swapaxes(-1, -2) @ d_out
    d_scores = softmax_backward(d_attn, attn)
    d_scores *= scale
    return d_scores @ K, d_scores.swapaxes(-1, -2) @ Q, d_V


def grouped_query_attention_backward(d_heads, Q, K, V, attn, scale=None):
    """Return d_Q, d_K and d_V of h query heads on n_kv key/value heads.

    For a key, the queries of all heads that share it are so many more rows,
    and matmul adds up what they ask of it.

    Parameters
    ----------
    d_heads : array (..., h, N_q, d_v)
    Q, K, V : arrays (..., h, N_q, d_k), (..., n_kv, N_k, d_k) and
        (..., n_kv, N_k, d_v)
    attn : array (..., h, N_q, N_k)
    scale : float, optional
    """
    n_kv = K.shape[-3]

    def by_kv_head(array):  # (..., h, N, d) -> (..., n_kv, h / n_kv * N, d)
        return array.reshape(*array.shape[:-3], n_kv, -1, array.shape[-1])

    d_Q, d_K, d_V = scaled_dot_product_attention_backward(
        by_kv_head(d_heads), by_kv_head(Q), K, V, by_kv_head(attn), scale
    )
    return d_Q.reshape(Q.shape), d_K, d_V


class AttentionNotes(NamedTuple):
    """What the forward step of a layer leaves for the backward one."""

    inputs: tuple  # X_Q, X_K, X_V
    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    attn: np.ndarray  # (..., h, N_q, N_k)
    heads: np.ndarray  # (..., h, N_q, d_v), before the head mask
    concat: np.ndarray  # (..., N_q, h * d_v), after it
    head_mask: np.ndarray | None


def attention_layer(
    X_Q, X_K, X_V, W, h, n_kv=None, causal=False, head_mask=None, mask=None
):
    """Run a whole attention layer, and note what the way back needs.

    Parameters
    ----------
    X_Q, X_K, X_V : arrays (..., N, d_in)
        What queries, keys and values are made from; often one array.
    W : Projections
    h, n_kv : int
        n_kv is h if left out.
    causal : bool
    head_mask : array (h,), optional
        Each head's output is multiplied by its number: 0 removes it.
    mask : bool array, optional
        As for `helpers.attention`.

    Returns
    -------
    out : array (..., N_q, d_model)
    notes : AttentionNotes
    """
    Q = split_heads(project(X_Q, W.W_Q), h)
    K = split_heads(project(X_K, W.W_K), n_kv or h)
    V = split_heads(project(X_V, W.W_V), n_kv or h)
    heads, attn = grouped_query_attention(Q, K, V, mask, causal=causal)
    kept = heads if head_mask is None else heads * head_mask[:, None, None]
    concat = merge_heads(kept)  # (..., N_q, h * d_v)
    notes = AttentionNotes(
        (X_Q, X_K, X_V), Q, K, V, attn, heads, concat, head_mask
    )
    return project(concat, W.W_O), notes


def attention_layer_backward(d_out, W, notes):
    """Go the same way back.

    Parameters
    ----------
    d_out : array (..., N_q, d_model)
    W : Projections
    notes : AttentionNotes
        From the forward step.

    Returns
    -------
    (d_X_Q, d_X_K, d_X_V) : tuple of arrays
        One for each input; where they are one array, its gradient is the
        sum.
    d_W : Projections
    """
    _, Q, K, V, attn, _, concat, head_mask = notes
    X_Q, X_K, X_V = notes.inputs
    d_concat, d_W_O = project_backward(d_out, concat, W.W_O)
    d_heads = split_heads(d_concat, Q.shape[-3])
    if head_mask is not None:
        d_heads = d_heads * head_mask[:, None, None]
    d_Q, d_K, d_V = grouped_query_attention_backward(d_heads, Q, K, V, attn)
    d_X_Q, d_W_Q = project_backward(merge_heads(d_Q), X_Q, W.W_Q)
    d_X_K, d_W_K = project_backward(merge_heads(d_K), X_K, W.W_K)
    d_X_V, d_W_V = project_backward(merge_heads(d_V), X_V, W.W_V)
    return (d_X_Q, d_X_K, d_X_V), Projections(d_W_Q, d_W_K, d_W_V, d_W_O)


def head_mask_backward(d_out, W, notes):
    """Return d_head_mask (..., h): how much each head's number is wanted.

    As if the mask were there: without one, all its numbers are 1.
    """
    d_kept = split_heads(project(d_out, W.W_O.T), notes.heads.shape[-3])
    return (d_kept * notes.heads).sum(axis=(-2, -1))


def mlp(X, W_1, b_1, W_2):
    """Return max(0, X W_1 + b_1) W_2, token by token, and the middle.

    X is (..., N, d_model), W_1 (d_model, width), W_2 (width, d_model).

    Source: Vaswani et al. (2017), section 3.3, without b_2.
    """
    middle = np.maximum(project(X, W_1) + b_1, 0)
    return project(middle, W_2), middle


def mlp_backward(d_out, X, W_1, W_2, middle):
    """Return d_X and (d_W_1, d_b_1, d_W_2), each in its array's shape."""
    d_middle, d_W_2 = project_backward(d_out, middle, W_2)
    d_middle = d_middle * (middle > 0)
    d_X, d_W_1 = project_backward(d_middle, X, W_1)
    return d_X, (d_W_1, rows(d_middle).sum(axis=0), d_W_2)


def cross_entropy(logits, answers):
    """Say how surprised the guesses are by the right answers.

    Parameters
    ----------
    logits : array (n, choices)
    answers : int array (n,)

    Returns
    -------
    loss : float
        The mean of -ln P(right answer), in nats; ln 2 for a fair coin.
    d_logits : array (n, choices)
        Of the mean.
    shares : array (n, choices)
        The probabilities.
    """
    shares = softmax(logits)
    each = np.arange(len(answers))
    right = np.maximum(shares[each, answers], np.finfo(shares.dtype).tiny)
    d_logits = shares.copy()
    d_logits[each, answers] -= 1
    d_logits /= len(answers)
    return float(-np.log(right).mean()), d_logits, shares
