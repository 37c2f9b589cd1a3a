"""Measure what a class costs: memory of kernels, their start, 20 at once.

    python -m bench.load              memory and start; a minute
    python -m bench.load --class 20   and so many kernels side by side

Linux only: the numbers are those of /proc. RSS counts shared pages in every
process; PSS shares them out, so PSS adds up over a class.
"""

import argparse
import os
import re
import statistics
import sys
import time
from pathlib import Path

from bench.explorer import Kernel
from bench.turns import ONE_THREAD

ROOT = Path(__file__).resolve().parents[1]
PATH = f"import sys; sys.path.insert(0, {str(ROOT)!r})"
FIRST = f"""{PATH}
from IPython.display import display
from helpers.explorers.map_reading import explore_map
display(explore_map())"""
MAIN = f"""{PATH}
from IPython.display import display
from helpers.explorers.multi_head import explore_multi_head
e = explore_multi_head()
display(e)"""
EVERY = f"""{PATH}
from IPython.display import display
from helpers.stills import EXPLORERS
kept = [make() for make in EXPLORERS.values()]
for one in kept:
    display(one)"""
MOVE = """for h in [1, 2, 4, 8, 16, 32] * 10:
    e.h.value = h"""
PLOTS = f"""{PATH}
%matplotlib inline
import matplotlib.pyplot as plt
for _ in range(3):
    plt.plot([1, 2, 3])
    plt.show()"""
ENCODER = """
from helpers.pretrained.encoder import load_encoder
from helpers.pretrained.wordpiece import WordPiece
encoder = load_encoder()
run = encoder.run([101, *range(2000, 2016), 102])"""
CAUSAL = """
from helpers.pretrained.causal import load_causal
model = load_causal()
run = model.run(list(range(100, 110)))"""
GOAL_MB, GOAL_START = 150, 1.5


def memory(pid):
    """Return the process's (RSS, PSS) in MB of a million bytes."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return tuple(
        int(re.search(rf"^{kind}:\s+(\d+)", text, re.M)[1]) * 1024 / 1e6
        for kind in ("Rss", "Pss")
    )


def cpu(pid):
    """Return the seconds of processor time that a process has used."""
    text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    fields = text.rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def pid_of(kernel):
    """Return the process number of a kernel."""
    return kernel.manager.provisioner.pid


def started(code="pass"):
    """Start a kernel and run `code`.

    Returns
    -------
    kernel : Kernel
    seconds : float
        By the wall clock.
    processor : float
        Seconds of processor time in the kernel, which other programs on a
        busy machine change less.
    """
    begin = time.perf_counter()
    kernel = Kernel()
    kernel.run(code)
    seconds = time.perf_counter() - begin
    return kernel, seconds, cpu(pid_of(kernel))


def memories():
    """Print a kernel's memory at rest and with more and more in it."""
    print("| a kernel with | RSS, MB | PSS, MB |\n|---|---|---|")
    for name, steps in {
        "nothing": ["pass"],
        "NumPy and the first explorer": [FIRST],
        "the main explorer": [MAIN],
        "the main explorer, 60 moves of h": [MAIN, MOVE],
        "every explorer open": [EVERY],
        "three Matplotlib figures": [PLOTS],
        "every explorer and three figures": [EVERY, PLOTS],
        "the real encoder, after a run": [PATH + ENCODER],
        "SmolLM2, after a run": [PATH + CAUSAL],
    }.items():
        kernel = Kernel()
        try:
            for step in steps:
                kernel.run(step)
            rss, pss = memory(pid_of(kernel))
            goal = (
                f" (goal {GOAL_MB})" if name == "every explorer open" else ""
            )
            print(f"| {name}{goal} | {rss:.0f} | {pss:.0f} |")
        except RuntimeError as error:
            print(f"| {name} | not here: {str(error)[-60:]!r} | |")
        finally:
            kernel.stop()


def starts(turns=7):
    """Print an explorer's start against an empty kernel's, in turns."""
    for name, code in {"first": FIRST, "main": MAIN}.items():
        taken = {"pass": [], code: []}
        for _ in range(turns):
            for now, times in taken.items():
                kernel, *both = started(now)
                kernel.stop()
                times.append(both)
        for i, clock in enumerate(("wall clock", "processor time")):
            a, b = (
                statistics.median(both[i] for both in times)
                for times in taken.values()
            )
            print(
                f"cold start, {clock}: empty kernel {a:.2f} s, with the "
                f"{name} explorer {b:.2f} s: {b / a:.2f} times (goal "
                f"{GOAL_START} at most)"
            )


def side_by_side(n):
    """Start n kernels one after the other, all with the main explorer."""
    kernels = []
    begin = time.perf_counter()
    try:
        for _ in range(n):
            kernels.append(started(MAIN)[0])
        print(
            f"{n} kernels with the main explorer, started one by one in "
            f"{time.perf_counter() - begin:.0f} s on {os.cpu_count()} cores"
        )
        pids = [pid_of(kernel) for kernel in kernels]
        rss, pss = zip(*map(memory, pids), strict=True)
        print(
            f"  memory {sum(pss):.0f} MB together, {sum(pss) / n:.0f} each "
            f"(PSS); RSS {sum(rss) / n:.0f} each"
        )
        before = sum(map(cpu, pids))
        time.sleep(10)
        rest = (sum(map(cpu, pids)) - before) / 10
        print(f"  at rest: {rest * 100:.1f} % of one core for all")
        before = sum(map(cpu, pids))
        waits = []
        for kernel in kernels:  # everyone moves the slider at once
            kernel.client.execute(MOVE)
        begin = time.perf_counter()
        for kernel in kernels:
            _wait(kernel)
            waits.append(time.perf_counter() - begin)
        spent = sum(map(cpu, pids)) - before
        print(
            f"  60 moves of h in each, all at once: {waits[-1]:.1f} s until "
            f"all are done; {spent / n / 60 * 1e3:.1f} ms of a core a move"
        )
        rss, pss = zip(*map(memory, pids), strict=True)
        print(f"  memory afterwards {sum(pss) / n:.0f} MB each (PSS)")
    finally:
        for kernel in kernels:
            kernel.stop()


def _wait(kernel):
    while True:
        message = kernel.client.get_iopub_msg(timeout=300)
        if message["content"].get("execution_state") == "idle":
            return


def main(arguments):
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--class", dest="n", type=int, default=0)
    n = parser.parse_args(arguments).n
    os.environ.update(ONE_THREAD)
    memories()
    starts()
    if n:
        side_by_side(n)


if __name__ == "__main__":
    main(sys.argv[1:])
