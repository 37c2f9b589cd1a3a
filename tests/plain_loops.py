"""Attention once more, in plain Python loops over lists: slow and naive.

It shares no line with helpers/attention.py, and no NumPy: only the formula.
"""

import math


def softmax_row(scores):
    """Return the shares of one row; all 0 if nothing may be seen."""
    seen = [score for score in scores if score != -math.inf]
    if not seen:
        return [0.0 for _ in scores]
    largest = max(seen)
    powers = [math.exp(score - largest) for score in scores]
    return [power / sum(powers) for power in powers]


def product(A, B):
    """Return A @ B for two lists of rows."""
    return [
        [sum(a * row[j] for a, row in zip(line, B)) for j in range(len(B[0]))]
        for line in A
    ]


def one_head(Q, K, V, allowed=None, added=None, scale=None):
    """Return (out, attn) of one head. allowed[i][j]: i may see j."""
    scale = 1 / math.sqrt(len(Q[0])) if scale is None else scale
    attn = []
    for i, query in enumerate(Q):
        scores = []
        for j, key in enumerate(K):
            score = scale * sum(q * k for q, k in zip(query, key))
            score += 0 if added is None else added[i][j]
            hidden = allowed is not None and not allowed[i][j]
            scores.append(-math.inf if hidden else score)
        attn.append(softmax_row(scores))
    return product(attn, V), attn


def columns(rows, start, width):
    """Return a slice of the columns."""
    return [row[start : start + width] for row in rows]


def causal(N_q, N_k):
    """Return allowed[i][j], with the last query at the last key."""
    return [[j <= N_k - N_q + i for j in range(N_k)] for i in range(N_q)]


def multi_head(X, W_Q, W_K, W_V, W_O, h, n_kv, allowed=None, X_kv=None):
    """Return (out, attn): allowed[head][i][j] says what head may see."""
    X_kv = X if X_kv is None else X_kv
    Q, K, V = product(X, W_Q), product(X_kv, W_K), product(X_kv, W_V)
    d_k, d_v = len(W_Q[0]) // h, len(W_V[0]) // n_kv
    concat, attn = [[] for _ in X], []
    for head in range(h):
        kv_head = head // (h // n_kv)
        out, weights = one_head(
            columns(Q, head * d_k, d_k),
            columns(K, kv_head * d_k, d_k),
            columns(V, kv_head * d_v, d_v),
            None if allowed is None else allowed[head],
        )
        attn.append(weights)
        for row, part in zip(concat, out):
            row.extend(part)
    return product(concat, W_O), attn
