"""What the benchmarks share: one BLAS thread, and turns that interleave."""

import os
import statistics
import sys
import time

ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


def hold_to_one_thread(module):
    """Start `python -m module` anew with one BLAS thread, if it has more.

    BLAS reads these variables when it is loaded, so a restart is needed.
    """
    if all(os.environ.get(name) == "1" for name in ONE_THREAD):
        return
    os.environ.update(ONE_THREAD)
    arguments = [sys.executable, "-m", module, *sys.argv[1:]]
    os.execv(sys.executable, arguments)


def medians(calls, clock, turns, rest=0):
    """Return {name: median seconds}; the contestants take turns.

    Each waits for `rest` seconds first: the threads of the one before go on
    looking for work for a while, and would take a core from it.
    """
    taken = {name: [] for name in calls}
    for _ in range(turns + 1):  # the first warms up
        for name, call in calls.items():
            time.sleep(rest)
            start = clock()
            call()
            taken[name].append(clock() - start)
    return {name: statistics.median(t[1:]) for name, t in taken.items()}
