"""Every exercise of every notebook can be set back to its stub."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.stub_folds import (
    fold,
    fold_complaints,
    is_stub,
    with_fold,
    write_folds,
)
from tests.tools import files, words_of

NOTEBOOKS = files("notebooks/*.ipynb")
STUB = "def f(X):\n    ...  # your code: return X\n\ncheck(f)"


def exercise(prose="**Exercise.** Write f.", code=STUB):
    return new_notebook(cells=[new_markdown_cell(prose), new_code_cell(code)])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=words_of)
def test_each_exercise_shows_its_stub(path):
    found = fold_complaints(nbformat.read(path, as_version=4))
    assert not found, "\n".join(found)


def test_the_notebooks_have_exercises():
    cells = [
        cell
        for path in NOTEBOOKS
        for cell in nbformat.read(path, as_version=4).cells
    ]
    assert sum(map(is_stub, cells)) >= 3


def test_a_missing_fold_is_seen():
    assert "does not end with the stub" in fold_complaints(exercise())[0]
    assert not fold_complaints(exercise(with_fold("Write f.", STUB)))


def test_a_fold_of_another_stub_is_seen():
    other = exercise(with_fold("Write f.", STUB.replace("X", "Y")))
    assert fold_complaints(other)


def test_a_stub_without_prose_is_seen():
    alone = new_notebook(cells=[new_code_cell(STUB)])
    assert "no prose" in fold_complaints(alone)[0]


def test_a_fold_is_written_once(tmp_path):
    path = tmp_path / "x.ipynb"
    notebook = exercise()
    path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    assert write_folds(path) == 1
    text = path.read_text(encoding="utf-8")
    assert write_folds(path) == 0
    assert path.read_text(encoding="utf-8") == text
    written = nbformat.reads(text, as_version=4)
    assert not fold_complaints(written)
    assert written.cells[0].source.startswith("**Exercise.** Write f.")


def test_a_changed_stub_changes_its_fold():
    once = with_fold("Write f.", STUB)
    changed = STUB.replace("f(X)", "f(X, h)")
    assert with_fold(once, changed) == "Write f.\n\n" + fold(changed)
