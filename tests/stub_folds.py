"""Each exercise shows its stub again, in a fold above the reader's cell.

    python -m tests.stub_folds            writes the folds of all notebooks
    python -m tests.stub_folds 04         of the notebooks named 04…

An exercise is a code cell with a comment that begins "# your code". The
fold stands at the end of the prose cell before it and holds that code cell
word for word, so that a reader who got lost can copy it back. It needs no
kernel, and it overwrites nothing.
"""

import re
import sys

import nbformat

from tests.tools import ROOT

MARK = "# your code"
SUMMARY = "Start again: the stub, to copy back"
FOLD = re.compile(
    rf"\n*<details><summary>{SUMMARY}</summary>.*?</details>\s*", re.S
)


def is_stub(cell):
    """Say whether a cell is an exercise's stub."""
    return cell.cell_type == "code" and MARK in cell.source


def fold(code):
    """Return the fold that shows `code`."""
    return (
        f"<details><summary>{SUMMARY}</summary>\n\n"
        f"```python\n{code}\n```\n\n</details>"
    )


def with_fold(prose, code):
    """Return the prose with the fold of `code` at its end, and no other."""
    return FOLD.sub("", prose).rstrip() + "\n\n" + fold(code)


def fold_complaints(notebook):
    """Complain about exercises whose stub is not shown as it stands."""
    found, before = [], None
    for cell in notebook.cells:
        if is_stub(cell):
            if before is None or before.cell_type != "markdown":
                found.append(f"no prose stands before the stub {cell.id}")
            elif not before.source.endswith(fold(cell.source)):
                found.append(
                    f"cell {before.id} does not end with the stub of "
                    f"{cell.id}: python -m tests.stub_folds"
                )
        before = cell
    return found


def write_folds(path):
    """Write the folds of one notebook; return how many cells changed."""
    notebook = nbformat.read(path, as_version=4)
    changed, before = 0, None
    for cell in notebook.cells:
        if is_stub(cell) and before is not None:
            if before.cell_type == "markdown":
                source = with_fold(before.source, cell.source)
                changed += source != before.source
                before.source = source
        before = cell
    if changed:
        path.write_text(
            nbformat.writes(notebook) + "\n", encoding="utf-8", newline="\n"
        )
    return changed


if __name__ == "__main__":
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    for path in sorted((ROOT / "notebooks").glob(f"{name}*.ipynb")):
        print(f"{path.name}: {write_folds(path)} written")
