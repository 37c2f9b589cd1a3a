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
WARM = 0.02  # seconds


def hold_to_one_thread(module):
    """Start `python -m module` anew with one BLAS thread, if it has more.

    BLAS reads these variables when it is loaded, so a restart is needed.
    """
    if all(os.environ.get(name) == "1" for name in ONE_THREAD):
        return
    os.environ.update(ONE_THREAD)
    arguments = [sys.executable, "-m", module, *sys.argv[1:]]
    os.execv(sys.executable, arguments)


def medians(calls, clock, turns):
    """Return {name: median seconds}; the contestants take turns.

    In its turn each is called for WARM seconds, and then once more, timed:
    by then its inputs are in the processor's fast memory, whoever came
    before, and the threads of the one before have stopped looking for work.
    """
    taken = {name: [] for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            began = time.perf_counter()
            while time.perf_counter() < began + WARM:
                call()
            start = clock()
            call()
            taken[name].append(clock() - start)
    return {name: statistics.median(times) for name, times in taken.items()}
