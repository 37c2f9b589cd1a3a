"""Our multi_head_attention beside PyTorch: time and memory, in one run.

    python -m pip install -r requirements-bench.txt
    python -m bench.attention

All return the output and the maps of all heads, in float32, on one thread.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from helpers.attention import multi_head_attention
from helpers.cost import binary_units, flops, score_bytes, softmax_work
from helpers.sizes import Sizes
from helpers.weights import random_projections

LAYERS = ((128, 512, 8), (512, 512, 8), (1024, 1024, 16))  # N, d_model, h
OURS = "ours"
TORCH, TORCH_BARE = "nn.MultiheadAttention", "the same, no biases"
TEXTBOOK = "textbook PyTorch"
BOUNDS = {TORCH: 1.3, TORCH_BARE: 1.3, TEXTBOOK: 1.0}  # of ours / it
ROUNDS = 15
SECONDS_A_TURN = 0.15  # short calls are repeated this long


def contestants(N, d_model, h):
    """Return {name: call}; each call gives (out, attn) of the same layer."""
    X = np.random.default_rng(1).standard_normal((N, d_model), np.float32)
    W = random_projections(Sizes(d_model, h), number_type=np.float32)
    calls = {OURS: lambda: multi_head_attention(X, *W, h)}
    calls.update(_with_torch(X, W, h))
    out, attn = calls[OURS]()
    for name, call in calls.items():
        other_out, other_attn = (np.asarray(part) for part in call())
        same = np.allclose(other_out.reshape(out.shape), out, atol=1e-4)
        same &= np.allclose(other_attn.reshape(attn.shape), attn, atol=1e-5)
        if not same:
            raise ArithmeticError(f"{name} computes something else.")
    return calls


def _with_torch(X, W, h):
    """Return {name: call} for PyTorch's layer, and for a textbook's.

    PyTorch takes other paths with biases (all 0 here) and without, so both
    are timed. The modules are made outside inference_mode: inside, they
    would be six times slower.
    """
    import torch

    torch.set_num_threads(1)
    x = torch.from_numpy(X)[None]
    matrices = [torch.from_numpy(w.T.copy()) for w in W]

    def run(layer, *inputs, **options):
        with torch.inference_mode():
            return layer(*inputs, **options)

    def torchs_own(biases):
        layer = torch.nn.MultiheadAttention(
            X.shape[1], h, bias=biases, batch_first=True
        ).eval()
        with torch.no_grad():
            layer.in_proj_weight.copy_(torch.cat(matrices[:3]))
            layer.out_proj.weight.copy_(matrices[3])
        return lambda: run(
            layer, x, x, x, need_weights=True, average_attn_weights=False
        )

    textbook = _textbook(torch, matrices, h)
    return {
        TORCH: torchs_own(biases=True),
        TORCH_BARE: torchs_own(biases=False),
        TEXTBOOK: lambda: run(textbook, x),
    }


def _textbook(torch, matrices, h):
    class Textbook(torch.nn.Module):
        """The layer as books on PyTorch write it."""

        def __init__(self):
            super().__init__()
            for name, W in zip("qkvo", matrices, strict=True):
                linear = torch.nn.Linear(*W.shape, bias=False)
                linear.weight = torch.nn.Parameter(W)
                setattr(self, name, linear)

        def forward(self, x):
            batch, N, d_model = x.shape

            def heads(projected):
                return projected.view(batch, N, h, -1).transpose(1, 2)

            q, k, v = heads(self.q(x)), heads(self.k(x)), heads(self.v(x))
            scores = q @ k.transpose(-2, -1) / math.sqrt(d_model // h)
            attn = torch.softmax(scores, dim=-1)
            concat = (attn @ v).transpose(1, 2).contiguous()
            return self.o(concat.view(batch, N, d_model)), attn

    return Textbook().eval()


def seconds_each(calls, rounds):
    """Return {name: median CPU seconds of a call}; turns are interleaved."""
    repeats = {}
    for name, call in calls.items():
        start = time.process_time()
        call()
        once = max(time.process_time() - start, 1e-5)
        repeats[name] = max(1, round(SECONDS_A_TURN / once))
    taken = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(repeats[name]):
                call()
            once = (time.process_time() - start) / repeats[name]
            taken[name].append(once)
    return {name: statistics.median(times) for name, times in taken.items()}


def peak_memory(name, N, d_model, h):
    """Return the most bytes a call takes beyond what was there before.

    Measured in a process of its own, as resident memory, so that NumPy and
    PyTorch are seen alike. None where the system is not Linux.
    """
    if not Path("/proc/self/clear_refs").exists():
        return None
    printed = subprocess.run(
        [sys.executable, "-m", "bench.attention", "--memory-of", name]
        + ["--layer", str(N), str(d_model), str(h)],
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return int(printed)


def _print_own_peak(name, layer):
    call = contestants(*layer)[name]
    call()
    before = _resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    result = call()
    print(max(0, _resident("VmHWM") - before))
    del result


def _resident(which):
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith(which):
            return int(line.split()[1]) * 1024
    return 0


def compare(rounds):
    """Print the table: time, ratio and bound, memory."""
    print(
        f"\n{'N':>5} {'d_model':>7} {'h':>3}  {'':22} {'ms':>7} "
        f"{'GFLOP/s':>7} {'ours / it':>9}  {'bound':12} peak memory"
    )
    for N, d_model, h in LAYERS:
        seconds = seconds_each(contestants(N, d_model, h), rounds)
        work = flops(N, Sizes(d_model, h)).total
        for name, s in seconds.items():
            ratio, bound = seconds[OURS] / s, BOUNDS.get(name)
            verdict = "" if bound is None else f"{bound} "
            if bound is not None:
                verdict += "met" if ratio <= bound else "MISSED"
            print(
                f"{N:5} {d_model:7} {h:3}  {name:22} {s * 1e3:7.2f} "
                f"{work / s / 1e9:7.1f} {ratio:9.2f}  {verdict:12} "
                f"{_in_scores(peak_memory(name, N, d_model, h), N, h)}"
            )


def _in_scores(n_bytes, N, h):
    if n_bytes is None:
        return "not measured on this system"
    return f"{n_bytes / score_bytes(N, h):.2f} scores, {binary_units(n_bytes)}"


def sweep(rounds, N=512, d_model=512):
    """Print what more heads cost: the FLOPs stay, the softmax grows."""
    print(f"\nMore heads, N = {N}, d_model = {d_model}: the same FLOPs")
    print(f"{'h':>5} {'ms':>8} {'of h = 1':>9} {'exponentials':>13}")
    X = np.random.default_rng(1).standard_normal((N, d_model), np.float32)
    W = random_projections(Sizes(d_model, 1), number_type=np.float32)
    calls = {
        h: lambda h=h: multi_head_attention(X, *W, h)
        for h in (1, 2, 4, 8, 16, 32, 64)
    }
    seconds = seconds_each(calls, rounds)
    for h, s in seconds.items():
        print(
            f"{h:5} {s * 1e3:8.2f} {s / seconds[1]:9.2f} "
            f"{softmax_work(N, h).exponentials:13,}"
        )


def main():
    """Read the options and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    parser.add_argument("--layer", nargs=3, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        _print_own_peak(options.memory_of, options.layer)
        return
    print("float32, one thread, CPU time, medians; scores: one (h, N, N)")
    compare(options.rounds)
    sweep(options.rounds)


if __name__ == "__main__":
    main()
