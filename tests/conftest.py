"""The fixtures every test may ask for."""

import os
import sys
import warnings

import pytest

from tests.tools import ROOT

# On a busy machine threads of BLAS wait for one another, many times longer
# than they compute. Kernels and servers that tests start inherit this.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


@pytest.fixture(scope="session")
def root():
    """Return the folder that holds README.md."""
    return ROOT


@pytest.fixture
def no_warnings():
    """Let every warning, and every NaN that NumPy makes, be an error."""
    import numpy as np  # when the number of threads is set

    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        yield


@pytest.fixture(scope="module", autouse=True)
def no_widgets_are_left():
    """Close each file's explorers: ipywidgets keeps all that it ever made."""
    yield
    if "ipywidgets" in sys.modules:
        sys.modules["ipywidgets"].Widget.close_all()
