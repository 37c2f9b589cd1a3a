"""One decoding step of grouped heads: what sharing keys and values gains.

    python -m bench.decoding

d_model 2048, 32 query heads of width 64, 4,096 tokens in the cache, float32,
one thread. The layers take turns, so that a cache comes from memory and not
from the processor. `gain` stands beside `bytes`, how many times fewer bytes
are read: the ceiling, which reading is, and time is not quite.
"""

import time

import numpy as np

from bench.turns import hold_to_one_thread, medians
from helpers.attention import grouped_query_attention
from helpers.cost import binary_units, kv_cache_bytes

H, D, N, LAYERS, TURNS = 32, 64, 4096, 4, 7
KV_HEADS = (32, 16, 8, 4, 2, 1)


def layers(n_kv):
    """Return LAYERS triples of one query and a full cache."""
    rng = np.random.default_rng(1)
    return [
        (
            rng.standard_normal((H, 1, D), np.float32),
            rng.standard_normal((n_kv, N, D), np.float32),
            rng.standard_normal((n_kv, N, D), np.float32),
        )
        for _ in range(LAYERS)
    ]


def with_torch(parts):
    """Return a call that does the same with PyTorch's fused attention."""
    import torch

    torch.set_num_threads(1)
    attend = torch.nn.functional.scaled_dot_product_attention
    tensors = [[torch.from_numpy(a)[None] for a in part] for part in parts]

    def run():
        with torch.inference_mode():
            for q, k, v in tensors:
                attend(q, k, v, enable_gqa=True)

    return run


def main():
    """Print the table."""
    hold_to_one_thread("bench.decoding")
    calls = {}
    for n_kv in KV_HEADS:
        parts = layers(n_kv)
        calls[n_kv, 0] = lambda parts=parts: [
            grouped_query_attention(*p) for p in parts
        ]
        calls[n_kv, 1] = with_torch(parts)
    seconds = medians(calls, time.process_time, TURNS)
    ms = {name: 1e3 * taken for name, taken in seconds.items()}
    print(
        f"{'n_kv':>4} {'cache of a layer':>16} {'ms':>7} {'gain':>5} ", end=""
    )
    print(f"{'bytes':>5} {'ours / PyTorch':>15}")
    for n_kv in KV_HEADS:
        cache = kv_cache_bytes(1, n_kv, D, N, number_type="float32")
        print(
            f"{n_kv:4} {binary_units(cache):>16} {ms[n_kv, 0]:7.2f} "
            f"{ms[H, 0] / ms[n_kv, 0]:5.2f} {H / n_kv:5.0f} "
            f"{ms[n_kv, 0] / ms[n_kv, 1]:15.2f}"
        )


if __name__ == "__main__":
    main()
