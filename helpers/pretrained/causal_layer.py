"""One layer of a Llama-type model: it reads the state twice and adds twice.

    X = X + attention(norm(X))               h query heads on n_kv heads
    X = X + W_down(swish(gate) * up)         each token for itself

Source: Touvron et al., "LLaMA" (2023), section 2.2: norm before, SwiGLU and
rotary positions; tensor names as in llama.cpp. A GGUF file has the columns
of W_Q and W_K in the order for turning neighbours: layout "interleaved".
"""

from dataclasses import dataclass

import numpy as np

from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    split_heads,
)
from helpers.pretrained.causal_parts import norm, swish
from helpers.rope import rotate


@dataclass(frozen=True)
class Layer:
    """One layer's weights, for X @ W."""

    norm: np.ndarray  # (d_model,)
    W_QKV: np.ndarray  # (d_model, h d_k + n_kv d_k + n_kv d_v)
    W_O: np.ndarray  # (h d_v, d_model)
    norm_2: np.ndarray  # (d_model,)
    W_gate_up: np.ndarray  # (d_model, 2 d_ff)
    W_down: np.ndarray  # (d_ff, d_model)


def load_layer(file, i, settings):
    """Return layer i of a GGUF file, as float32.

    Raises
    ------
    FileError
        If an array is missing, of another shape, or not finite.
    """
    sizes, d_model = settings.sizes, settings.sizes.d_model
    wide, narrow = sizes.h * sizes.d_k, sizes.n_kv * sizes.d_k

    def get(part, *shape):
        return file.array(f"blk.{i}.{part}.weight", shape)

    def stacked(**rows):
        parts = [get(part, n, d_model) for part, n in rows.items()]
        return np.concatenate(parts).T  # the file's rows: columns of X @ W

    return Layer(
        get("attn_norm", d_model),
        stacked(attn_q=wide, attn_k=narrow, attn_v=narrow),
        get("attn_output", d_model, wide).T,
        get("ffn_norm", d_model),
        stacked(ffn_gate=settings.d_ff, ffn_up=settings.d_ff),
        get("ffn_down", d_model, settings.d_ff).T,
    )


def run_layer(layer, X, settings, cache=None, mute=()):
    """Run a layer on the state of new tokens.

    Parameters
    ----------
    layer : Layer
    X : float64 array (N_new, d_model)
    settings : Settings
    cache : KVCache, optional
        Knows the earlier tokens; gets the new keys and values.
    mute : sequence of int
        Heads that write nothing.

    Returns
    -------
    X : float64 array (N_new, d_model)
    attn : float32 array (h, N_new, N)
    """
    sizes, eps = settings.sizes, settings.eps
    cuts = np.cumsum([sizes.h, sizes.n_kv]) * sizes.d_k
    Q, K, V = np.split(norm(X, layer.norm, eps) @ layer.W_QKV, cuts, axis=-1)
    Q = split_heads(Q, sizes.h)  # (h, N_new, d_k)
    K = split_heads(K, sizes.n_kv)  # (n_kv, N_new, d_k)
    V = split_heads(V, sizes.n_kv)  # (n_kv, N_new, d_v)
    positions = np.arange(len(X)) + (0 if cache is None else cache.N)
    Q, K = (
        rotate(array, positions, "interleaved", settings.base)
        for array in (Q, K)
    )
    if cache is not None:
        cache.append(K, V)
        K, V = cache.keys, cache.values
    heads, attn = grouped_query_attention(Q, K, V, causal=True)
    heads[list(mute)] = 0
    X = X + merge_heads(heads) @ layer.W_O
    both = norm(X, layer.norm_2, eps) @ layer.W_gate_up
    gate, up = np.split(both, 2, axis=-1)
    return X + (swish(gate) * up) @ layer.W_down, attn
