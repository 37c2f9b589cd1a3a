"""What every test may use: the root, and tools that may be missing."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def on_ci():
    """Return True where CI=true, as GitHub and `.ci/run` set it."""
    return os.environ.get("CI", "").lower() in ("1", "true")


def missing(what):
    """Skip the test because `what` is missing; on CI, fail it instead."""
    if on_ci():
        pytest.fail(f"{what} is missing, and CI may not skip.", pytrace=False)
    pytest.skip(f"{what} is missing on this machine")


def require_tool(*names):
    """Return the path of the first program of `names` that is installed.

    Raises
    ------
    pytest's skip, or on CI its failure, where none of them is.
    """
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    missing(" or ".join(names))


@pytest.fixture(scope="session")
def root():
    """Return the folder that holds README.md."""
    return ROOT
