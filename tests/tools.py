"""What every test may use: the root, and tools that may be missing."""

import json
import os
import shutil
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

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

    Where none of them is, the test is skipped, and on CI it fails.
    """
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    missing(" or ".join(names))


def files(*patterns):
    """Return the collection's own files that match, sorted.

    Folders that begin with a dot are other people's (.venv, .git); only
    .ci and .github are ours.
    """
    found = []
    for folder, below, names in os.walk(ROOT):
        below[:] = [
            name
            for name in below
            if name in (".ci", ".github")
            or not name.startswith((".", "__pycache__", "_site"))
        ]
        found += [Path(folder) / name for name in names]
    return sorted(p for p in found if any(map(p.match, patterns)))


def prose_of(name):
    """Return the prose of a notebook in one line; "07" is name enough."""
    (path,) = (ROOT / "notebooks").glob(f"{name}*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    prose = [c["source"] for c in cells if c["cell_type"] == "markdown"]
    return " ".join(" ".join(map("".join, prose)).split())


def words_of(path):
    """Return the path as a test's name: relative, with forward slashes."""
    return path.relative_to(ROOT).as_posix()


def notebook_of(*cells):
    """Return a notebook with these code cells, for a Python kernel."""
    kernel = {"name": "python3", "display_name": "Python 3"}
    return new_notebook(
        cells=[new_code_cell(cell) for cell in cells],
        metadata={"kernelspec": kernel},
    )
