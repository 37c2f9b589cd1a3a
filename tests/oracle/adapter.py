"""Call our functions the way the peers called theirs.

Each function takes a Case and its arrays, and returns {name: our answer}.
`RUNNERS` is the table: kind -> function.
"""

import numpy as np

from helpers.attention import (
    causal_mask,
    grouped_query_attention,
    merge_heads,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from helpers.cache import KVCache, in_chunks
from helpers.learn.gradients import (
    attention_layer,
    attention_layer_backward,
    grouped_query_attention_backward,
    scaled_dot_product_attention_backward,
)
from helpers.rope import rotate
from helpers.sizes import Sizes
from helpers.weights import Projections


def run_softmax(case, a):
    return {"y": softmax(a["x"])}


def run_causal_mask(case, a):
    return {"y": causal_mask(case.options["n_q"], case.options["n_k"])}


def what_may_be_seen(case, mask, N_q, N_k):
    """Return mask=, bias= and causal= for our functions.

    Ours aligns causality with the last key. A case that is aligned
    otherwise gets a boolean mask, written out here.
    """
    seen = {}
    if mask is not None:
        rank = 2 if mask.ndim == 2 else 4  # ours takes no rank between
        mask = mask.reshape((1,) * (rank - mask.ndim) + mask.shape)
        seen["mask" if mask.dtype == bool else "bias"] = mask
    if case.options.get("is_causal"):
        offset = np.asarray(case.options.get("causal_offset", 0))
        if (offset == N_k - N_q).all():
            seen["causal"] = True
        else:
            position = np.arange(N_q)[:, None] + offset.reshape(-1, 1, 1, 1)
            allowed = np.arange(N_k) <= position  # (batch or 1, 1, N_q, N_k)
            seen["mask"] = allowed & seen.get("mask", True)
    return seen


def run_attention(case, a):
    """One head's formula where K has as many heads as Q, else grouped."""
    Q, K, V = a["q"], a["k"], a["v"]
    seen = what_may_be_seen(case, a.get("mask"), Q.shape[-2], K.shape[-2])
    if "kv_lengths" in a:
        real = padding_mask(a["kv_lengths"], K.shape[-2])
        seen["mask"] = real & seen.get("mask", True)
    grouped = Q.ndim > 3 and Q.shape[-3] != K.shape[-3]
    attend = (
        grouped_query_attention if grouped else scaled_dot_product_attention
    )
    out, attn = attend(Q, K, V, scale=case.options.get("scale"), **seen)
    if Q.ndim > 3 and not grouped:  # n_kv = h must give the same
        again, _ = grouped_query_attention(
            Q, K, V, scale=case.options.get("scale"), **seen
        )
        np.testing.assert_allclose(again, out, 1e-6, 1e-6)
    return {"y": out, "w": attn}


def run_packed(case, a):
    """Heads lie side by side: split, attend, merge."""
    h, n_kv = case.options["q_num_heads"], case.options["kv_num_heads"]
    Q, K, V = a["q"], a["k"], a["v"]
    seen = what_may_be_seen(case, a.get("mask"), Q.shape[-2], K.shape[-2])
    heads, attn = grouped_query_attention(
        split_heads(Q, h), split_heads(K, n_kv), split_heads(V, n_kv), **seen
    )
    return {"y": merge_heads(heads), "w": attn}


def run_kv_decode(case, a):
    """New keys and values are laid behind the remembered ones."""
    Q, K, V = a["q"], a["k"], a["v"]
    packed = Q.ndim == 3
    if packed:
        h, n_kv = case.options["q_num_heads"], case.options["kv_num_heads"]
        Q, K, V = split_heads(Q, h), split_heads(K, n_kv), split_heads(V, n_kv)
    cache = cache_like(Q, K, V)
    cache.append(a["past_k"], a["past_v"])
    cache.append(K, V)
    K, V = cache.keys, cache.values
    seen = what_may_be_seen(case, a.get("mask"), Q.shape[-2], K.shape[-2])
    heads, _ = grouped_query_attention(Q, K, V, **seen)
    return {
        "y": merge_heads(heads) if packed else heads,
        "present_k": K,
        "present_v": V,
    }


def cache_like(Q, K, V):
    """Return an empty cache for arrays (batch, heads, N, width)."""
    h, n_kv, d_k, d_v = Q.shape[1], K.shape[1], K.shape[-1], V.shape[-1]
    sizes = Sizes(h * d_k, h, n_kv, d_k, d_v)
    return KVCache(sizes, Q.shape[:1], Q.dtype)


def run_kv_sequence(case, a):
    """Queries come in chunks, and see what the cache holds by then."""
    cache = cache_like(a["q"], a["k"], a["v"])
    outs, start = [], 0
    for n in case.options["chunks"]:
        Q, K, V = (a[name][:, :, start : start + n] for name in "qkv")
        cache.append(K, V)
        heads, _ = grouped_query_attention(
            Q, cache.keys, cache.values, causal=True
        )
        outs.append(heads)
        start += n
    return {"y": np.concatenate(outs, axis=-2)}


def run_mha_decode(case, a):
    """The whole layer through the cache, with rotary positions or not."""
    o = case.options
    sizes = Sizes(
        a["x_q"].shape[-1], o["num_heads"], o["num_kv_heads"], o["head_dim"]
    )
    cache = KVCache(sizes, a["x_q"].shape[:1], a["x_q"].dtype)
    matrices = (a["w_" + letter] for letter in "qkvo")
    out = in_chunks(
        a["x_q"], *matrices, sizes.h, cache, o["chunks"], o.get("style")
    )
    return {"y": out, "present_k": cache.keys, "present_v": cache.values}


def run_rope(case, a):
    o = case.options
    return {"y": rotate(a["x"], a["positions"], o["style"], o["theta"])}


def run_rope_layer(case, a):
    """Queries and keys are turned after they are split into heads."""
    o = case.options
    X = _with_ones(a["x_q"])
    Q, K, V = (
        split_heads(X @ _with_bias(a, letter), heads)
        for letter, heads in zip(
            "qkv", (o["num_heads"], o["num_kv_heads"], o["num_kv_heads"])
        )
    )
    Q, K = (
        rotate(array, a["positions"], o["style"], o["theta"])
        for array in (Q, K)
    )
    heads, attn = grouped_query_attention(Q, K, V, a["mask"])
    return {"y": merge_heads(heads) @ a["w_o"] + a.get("b_o", 0), "w": attn}


def run_repeat_kv(case, a):
    """Make attention show which key/value head each query head reads.

    If query i may see key i alone, the output of a head is its V.
    """
    K = V = a["x"]
    batch, n_kv, N, d = K.shape
    Q = np.zeros((batch, n_kv * case.options["n_rep"], N, d), K.dtype)
    return {"y": grouped_query_attention(Q, K, V, np.eye(N, dtype=bool))[0]}


def _with_ones(X):
    return np.concatenate([X, np.ones_like(X[..., :1])], axis=-1)


def _with_bias(a, letter):
    """Append the bias to the matrix as one more row, for a column of ones."""
    W = a["w_" + letter]
    bias = a.get("b_" + letter, np.zeros(W.shape[1], W.dtype))
    return np.concatenate([W, bias[None]])


def run_mha(case, a):
    """The whole layer; biases by a column of ones, and b_O added behind."""
    h, n_kv = case.options["num_heads"], case.options["num_kv_heads"]
    X = _with_ones(a["x_q"])
    X_k = _with_ones(a.get("x_k", a["x_q"]))
    W_Q, W_K, W_V = (_with_bias(a, letter) for letter in "qkv")
    seen = what_may_be_seen(case, a.get("mask"), X.shape[-2], X_k.shape[-2])
    if "key_mask" in a:
        real = a["key_mask"][:, None, None, :]
        seen["mask"] = real & seen.get("mask", True)
    if "x_v" in a:  # keys and values come from different vectors
        heads, attn = grouped_query_attention(
            split_heads(X @ W_Q, h),
            split_heads(X_k @ W_K, n_kv),
            split_heads(_with_ones(a["x_v"]) @ W_V, n_kv),
            **seen,
        )
        out = merge_heads(heads) @ a["w_o"]
    else:
        X_kv = X_k if "x_k" in a else None
        out, attn = multi_head_attention(
            X, W_Q, W_K, W_V, a["w_o"], h, n_kv, X_kv, **seen
        )
    return {"y": out + a.get("b_o", 0), "w": attn}


def run_sdpa_grad(case, a):
    """The gradients of sum(y * r) by one head's formula, or grouped."""
    Q, K, V = a["q"], a["k"], a["v"]
    out = run_attention(case, a)
    backward = (
        scaled_dot_product_attention_backward
        if Q.shape[:-2] == K.shape[:-2]
        else grouped_query_attention_backward
    )
    scale = case.options.get("scale")
    d_Q, d_K, d_V = backward(a["r"], Q, K, V, out["w"], scale)
    return {"y": out["y"], "dq": d_Q, "dk": d_K, "dv": d_V}


def run_mha_grad(case, a):
    """The gradients of a whole layer; a bias is the matrix's last row."""
    h, n_kv = case.options["num_heads"], case.options["num_kv_heads"]
    X = _with_ones(a["x_q"])
    X_k = _with_ones(a["x_k"]) if "x_k" in a else X
    W = Projections(*(_with_bias(a, letter) for letter in "qkv"), a["w_o"])
    out, notes = attention_layer(X, X_k, X_k, W, h, n_kv)
    (d_Q, d_K, d_V), d_W = attention_layer_backward(a["r"], W, notes)
    got = {"y": out + a.get("b_o", 0), "w": notes.attn}
    if "x_k" in a:
        got |= {"d_x_q": d_Q[..., :-1], "d_x_k": (d_K + d_V)[..., :-1]}
    else:
        got["d_x_q"] = (d_Q + d_K + d_V)[..., :-1]
    for letter, d_matrix in zip("qkv", d_W):
        got |= {"d_w_" + letter: d_matrix[:-1], "d_b_" + letter: d_matrix[-1]}
    d_b_o = a["r"].sum(axis=(0, 1))  # b_o is added to every token
    return got | {"d_w_o": d_W.W_O, "d_b_o": d_b_o}


RUNNERS = {
    "softmax": run_softmax,
    "causal_mask": run_causal_mask,
    "sdpa": run_attention,
    "sdpa_grad": run_sdpa_grad,
    "gqa": run_attention,
    "kv_lengths": run_attention,
    "packed": run_packed,
    "kv_decode": run_kv_decode,
    "kv_sequence": run_kv_sequence,
    "repeat_kv": run_repeat_kv,
    "mha": run_mha,
    "mha_grad": run_mha_grad,
    "mha_decode": run_mha_decode,
    "rope": run_rope,
    "rope_layer": run_rope_layer,
    "rope_layer_decode": run_mha_decode,
}
