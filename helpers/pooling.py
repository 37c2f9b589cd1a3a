"""From multi-head to grouped heads: pool key/value heads, see what drifts.

A trained multi-head layer has h key/value heads. A grouped one has room for
n_kv. Those that one key/value head will replace are neighbours: 0 and 1,
then 2 and 3. Two ways to make one head of them are here; which of them
changes the output less depends on the weights, so measure it.

Source: Ainslie et al., "GQA" (2023), section 2.1, which pools by the mean
and then trains on; here nothing is trained on.
"""

import numpy as np

from helpers.array_rules import require_finite
from helpers.attention import multi_head_attention
from helpers.choice_rules import require_choice
from helpers.number_rules import real_array
from helpers.sizes import SizeError, near_divisions, require_n_kv, whole

POOLINGS = ("mean", "first")


def pool_heads(W, h, n_kv, how="mean"):
    """Make n_kv heads of the h heads of W_K or W_V.

    Parameters
    ----------
    W : array (d_model, h * d)
        The columns of head 0, then of head 1, …
    h, n_kv : int
        n_kv divides h.
    how : str
        "mean": the average of the heads that share; "first": the first of
        them, as it is.

    Returns
    -------
    array (d_model, n_kv * d)

    Raises
    ------
    SizeError
        If n_kv does not divide h, or h the columns of W.
    ValueError
        If `how` is none of POOLINGS.
    """
    require_choice("how", how, POOLINGS)
    W, h = real_array("W", W), whole("h", h)
    n_kv = require_n_kv(n_kv, h)
    if W.ndim != 2 or W.shape[1] % h or not W.size:
        fits = W.ndim == 2 and W.size
        near = near_divisions(h, W.shape[1])[0] if fits else []
        would = f"; h={' or h='.join(map(str, near))} would" if near else ""
        raise SizeError(
            f"W must be (d_model, h * d): got W {W.shape}, h={h}{would}."
        )
    require_finite("W", W)
    d_model, width = W.shape
    by_head = W.reshape(d_model, n_kv, h // n_kv, width // h)
    pooled = by_head.mean(axis=2) if how == "mean" else by_head[:, :, 0]
    return pooled.reshape(d_model, -1)


def pooled_layer(W_Q, W_K, W_V, W_O, h, n_kv, how="mean"):
    """Return the four matrices of the grouped layer: W_K and W_V pooled.

    W_Q and W_O stay: every query head keeps its queries, and its part of
    the output.
    """
    return (
        W_Q,
        pool_heads(W_K, h, n_kv, how),
        pool_heads(W_V, h, n_kv, how),
        W_O,
    )


def drift(before, after):
    """Say how far `after` is from `before`, as a share of its length.

    Returns
    -------
    float
        |after - before| / |before| over all numbers: 0 for no change; 1 if
        what changed is as large as what was there.

    Raises
    ------
    SizeError
        If the shapes differ.
    ValueError
        If `before` is 0 everywhere.
    """
    before, after = real_array("before", before), real_array("after", after)
    if before.shape != after.shape:
        raise SizeError(
            f"before and after must have one shape: got {before.shape} and "
            f"{after.shape}."
        )
    require_finite("before", before)
    require_finite("after", after)
    length = np.linalg.norm(before)
    if length == 0:
        raise ValueError("before is 0 everywhere: there is no share of it.")
    return float(np.linalg.norm(after - before) / length)


def pooling_drift(X, W_Q, W_K, W_V, W_O, h, n_kv, how="mean", causal=False):
    """Return how far a layer's output moves when its heads are pooled.

    Parameters
    ----------
    X : array (..., N, d_model)
        What the drift is measured on; another X gives another drift.
    W_Q, W_K, W_V, W_O : arrays
        Of a multi-head layer: h heads each.
    h, n_kv : int
    how : str
        One of POOLINGS.
    causal : bool

    Returns
    -------
    float
        See `drift`.
    """
    before, _ = multi_head_attention(X, W_Q, W_K, W_V, W_O, h, causal=causal)
    pooled = pooled_layer(W_Q, W_K, W_V, W_O, h, n_kv, how)
    after, _ = multi_head_attention(X, *pooled, h, n_kv, causal=causal)
    return drift(before, after)
