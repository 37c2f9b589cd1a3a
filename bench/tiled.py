"""Attention in tiles beside PyTorch's, and beside plain products.

    python -m pip install -r requirements-bench.txt
    python -m bench.tiled              # one thread
    python -m bench.tiled --threads 2

float32, 8 heads of width 64 unless a table says otherwise. All give the same
output, compared before anything is timed; none keeps the maps but `whole`
and the textbook's.
"""

import argparse
import math
import time
import tracemalloc
from functools import partial

import numpy as np

from bench.turns import hold_to_one_thread, medians
from helpers.attention import grouped_query_attention
from helpers.tiled import tiled_attention

H, D = 8, 64
LENGTHS = (512, 1024, 2048, 4096, 8192)
TURNS = 5
TILED, WHOLE = "in tiles", "whole map (helpers.attention)"
FUSED, TEXTBOOK = "PyTorch, fused", "PyTorch, textbook"
GEMM = "one large product"


def contestants(N, threads, causal=False, n_kv=H):
    """Return {name: call} for the same attention."""
    import torch

    torch.set_num_threads(threads)
    rng = np.random.default_rng(1)
    Q, K, V = (
        rng.standard_normal((heads, N, D), np.float32)
        for heads in (H, n_kv, n_kv)
    )
    q, k, v = (torch.from_numpy(array)[None] for array in (Q, K, V))
    fused = torch.nn.functional.scaled_dot_product_attention

    def run_fused():
        with torch.inference_mode():
            return fused(q, k, v, is_causal=causal, enable_gqa=n_kv < H)

    def run_textbook():
        with torch.inference_mode():
            wide_k, wide_v = (
                x.repeat_interleave(H // n_kv, dim=1) for x in (k, v)
            )
            scores = q @ wide_k.transpose(-1, -2) / math.sqrt(D)
            if causal:
                hidden = torch.ones(N, N, dtype=torch.bool).triu(1)
                scores = scores.masked_fill(hidden, -torch.inf)
            return torch.softmax(scores, dim=-1) @ wide_v

    calls = {
        TILED: lambda: tiled_attention(
            Q, K, V, causal=causal, threads=threads
        ),
        FUSED: run_fused,
        TEXTBOOK: run_textbook,
    }
    if threads == 1:
        calls[WHOLE] = lambda: grouped_query_attention(Q, K, V, causal=causal)[
            0
        ]
    ours = calls[TILED]()
    for name, call in calls.items():
        if not np.allclose(
            np.asarray(call()).reshape(ours.shape), ours, atol=1e-5
        ):
            raise ArithmeticError(f"{name} computes something else.")
    return calls


def scores_of_memory(N):
    """Return the peak memory of a call, in arrays of scores (H, N, N)."""
    rng = np.random.default_rng(1)
    Q, K, V = (rng.standard_normal((H, N, D), np.float32) for _ in range(3))
    tracemalloc.start()
    tiled_attention(Q, K, V)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / (H * N * N * 4)


def growth(seconds):
    """Return the exponent of a power law through {N: seconds}."""
    return np.polyfit(
        np.log(list(seconds)), np.log(list(seconds.values())), 1
    )[0]


def verdict(ratio, bound, at_most=True):
    """Return "0.95 (at most 1.1: met)"."""
    met = ratio <= bound if at_most else ratio >= bound
    side = "at most" if at_most else "at least"
    return f"{ratio:.2f} ({side} {bound}: {'met' if met else 'MISSED'})"


def compare(threads, lengths):
    """Print the tables."""
    clock = time.process_time if threads == 1 else time.perf_counter
    measured = partial(medians, clock=clock, turns=TURNS)
    unit = "CPU ms" if threads == 1 else "ms"
    A = np.random.default_rng(1).standard_normal((1024, 1024), np.float32)
    peak = 2 * 1024**3 / measured({GEMM: lambda: A @ A})[GEMM]
    most = 1.1 if threads == 1 else 1.15
    print(f"threads: {threads}; one large product: {peak / 1e9:.0f} GFLOP/s")
    print(f"\n{'N':>5} {unit:>8}  / fused{'':24} / textbook{'':20} / product")
    all_seconds = {}
    for N in lengths:
        seconds = measured(contestants(N, threads))
        ours = all_seconds[N] = seconds[TILED]
        rate = 4 * H * N * N * D / ours / peak
        fused = verdict(ours / seconds[FUSED], most)
        textbook = f"{ours / seconds[TEXTBOOK]:.2f}"
        if N >= 1024:
            textbook = verdict(ours / seconds[TEXTBOOK], 0.6)
        share = f"{rate:.2f}" if threads > 1 else verdict(rate, 0.7, False)
        print(f"{N:5} {ours * 1e3:8.1f}  {fused:31} {textbook:30} {share}")
        if WHOLE in seconds:
            print(f"{'':16}whole map {ours / seconds[WHOLE]:.2f}")
    if len(lengths) > 2:
        steps = growth(all_seconds) - 2  # FLOPs grow as N ** 2
        print(f"growth exponent less that of the FLOPs: {steps:+.3f}")
    print("\ncausal, and 8 query heads on 2: ours / fused, / textbook")
    for what in ({"causal": True}, {"n_kv": 2}, {"causal": True, "n_kv": 2}):
        seconds = measured(contestants(2048, threads, **what))
        ours = seconds[TILED]
        print(
            f"  {what}: {ours / seconds[FUSED]:.2f}, "
            f"{ours / seconds[TEXTBOOK]:.2f}"
        )
    N = max(lengths[:4])
    share = verdict(scores_of_memory(N), 0.15)
    print(f"\npeak memory at N = {N}, in arrays of scores: {share}")


def main():
    """Read the options, hold BLAS to one thread, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--longest", type=int, default=LENGTHS[-1])
    options = parser.parse_args()
    hold_to_one_thread("bench.tiled")
    compare(options.threads, [N for N in LENGTHS if N <= options.longest])


if __name__ == "__main__":
    main()
