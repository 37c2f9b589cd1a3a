"""Benchmarks, each with its own command; no test waits for a clock.

One thread, set before NumPy or PyTorch is imported: threads that wait for a
busy machine would say more about the machine than about the code.
"""

import os

for _variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
):
    os.environ[_variable] = "1"
