"""How long each notebook takes from top to bottom, beside an empty kernel.

    python -m bench.notebooks

Goal: 20 s on two cores for each. A kernel's own start and end are part of
it, and shown by themselves.
"""

import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
GOAL = 20.0


def seconds(notebook):
    """Return what a fresh kernel takes for all cells of a notebook."""
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(FOLDER)}},
    )
    start = time.perf_counter()
    client.execute()
    return time.perf_counter() - start


def main():
    """Print the table."""
    empty = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")])
    bare = seconds(empty)
    print(f"{'an empty kernel':36} {bare:5.1f} s")
    for path in sorted(FOLDER.glob("*.ipynb")):
        taken = seconds(nbformat.read(path, as_version=4))
        verdict = "met" if taken <= GOAL else "MISSED"
        print(
            f"{path.stem:36} {taken:5.1f} s, {taken / bare:4.1f} empty "
            f"kernels; at most {GOAL:.0f} s: {verdict}"
        )


if __name__ == "__main__":
    main()
