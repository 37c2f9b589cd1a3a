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
    K = np.concatenate([a["past_k"], K], axis=-2)
    V = np.concatenate([a["past_v"], V], axis=-2)
    seen = what_may_be_seen(case, a.get("mask"), Q.shape[-2], K.shape[-2])
    heads, _ = grouped_query_attention(Q, K, V, **seen)
    return {
        "y": merge_heads(heads) if packed else heads,
        "present_k": K,
        "present_v": V,
    }


def attend_in_chunks(Q, K, V, chunks):
    """Let each chunk of queries see all keys so far: causal does the rest."""
    ends = np.cumsum(chunks)
    return np.concatenate(
        [
            grouped_query_attention(
                Q[..., end - n : end, :],
                K[..., :end, :],
                V[..., :end, :],
                causal=True,
            )[0]
            for n, end in zip(chunks, ends, strict=True)
        ],
        axis=-2,
    )


def run_kv_sequence(case, a):
    chunks = case.options["chunks"]
    return {"y": attend_in_chunks(a["q"], a["k"], a["v"], chunks)}


def run_mha_decode(case, a):
    h, n_kv = case.options["num_heads"], case.options["num_kv_heads"]
    Q = split_heads(a["x_q"] @ a["w_q"], h)
    K = split_heads(a["x_q"] @ a["w_k"], n_kv)
    V = split_heads(a["x_q"] @ a["w_v"], n_kv)
    heads = attend_in_chunks(Q, K, V, case.options["chunks"])
    return {
        "y": merge_heads(heads) @ a["w_o"],
        "present_k": K,
        "present_v": V,
    }


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


RUNNERS = {
    "softmax": run_softmax,
    "causal_mask": run_causal_mask,
    "sdpa": run_attention,
    "gqa": run_attention,
    "kv_lengths": run_attention,
    "packed": run_packed,
    "kv_decode": run_kv_decode,
    "kv_sequence": run_kv_sequence,
    "repeat_kv": run_repeat_kv,
    "mha": run_mha,
    "mha_decode": run_mha_decode,
}
