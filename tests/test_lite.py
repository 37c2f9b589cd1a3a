"""The browser copy: what is changed in it, and what it says is missing."""

import json
import subprocess
import sys
import threading

import nbformat
import pytest

from helpers.checks import time_limit
from publish import lite
from publish.tree import notebooks
from tests.tools import ROOT


def pyodide(folder, *names, packages=None):
    """Make a folder of Pyodide's engine, with these wheels."""
    for name in (*lite.ENGINE, *names):
        (folder / name).touch()
    lock = packages or {
        name: {"depends": ["snake_case"], "file_name": f"{name}-1.whl"}
        for name in (*lite.AT_START, *lite.IN_NOTEBOOKS)
    }
    lock["snake-case"] = {"depends": [], "file_name": "snake_case-1.whl"}
    (folder / "pyodide-lock.json").write_text(
        json.dumps({"packages": lock}), encoding="utf-8"
    )
    return folder


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_gets_one_line_and_no_other_change(tmp_path, path):
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    lite.let_the_browser_install(copy)
    ours = nbformat.read(path, as_version=4).cells
    theirs = nbformat.read(copy, as_version=4).cells
    changed = [i for i, cell in enumerate(ours) if cell != theirs[i]]
    assert len(theirs) == len(ours) and len(changed) == 1
    before = ours[changed[0]].source
    assert before.startswith("import sys\n")
    assert theirs[changed[0]].source == lite.INSTALL + before


def test_what_helpers_import_is_installed_or_in_the_text_of_a_cell():
    found = set()
    for path in (ROOT / "helpers").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for name in ("ipywidgets", "matplotlib"):
            if f"import {name}" in text:
                found.add(name)
    assert found == {"ipywidgets", "matplotlib"}
    assert lite.INSTALL == "%pip install -q ipywidgets matplotlib\n"


def test_a_folder_without_the_engine_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"lacks pyodide\.mjs"):
        lite.build(tmp_path / "site", tmp_path)


def test_a_folder_without_a_wheel_of_the_kernel_is_refused(tmp_path):
    wheels = [f"{name}-1.whl" for name in lite.AT_START]
    folder = pyodide(tmp_path, *wheels)
    with pytest.raises(FileNotFoundError, match="lacks snake_case-1.whl:"):
        lite.build(tmp_path / "site", folder)


def test_a_folder_without_numpy_is_told(tmp_path, capsys):
    wheels = [f"{name}-1.whl" for name in (*lite.AT_START, "snake_case")]
    lite._check(pyodide(tmp_path, *wheels))
    said = capsys.readouterr().out
    assert "lacks matplotlib-1.whl, numpy-1.whl: the kernel starts" in said


def test_only_lite_takes_pyodide():
    done = subprocess.run(
        [sys.executable, "-m", "publish", "slides", "--pyodide", "x"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert "--pyodide belongs to lite" in done.stderr


def test_the_time_limit_lets_go_where_no_thread_can_start(monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")  # as in Pyodide

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert time_limit.within(0.01, lambda: 42) == 42


def test_helpers_use_no_process_signal_or_lock_of_files():
    """None of these works in a browser; threads: the time limit alone."""
    refused = ("subprocess", "signal", "multiprocessing", "fcntl", "socket")
    found, threads = [], []
    for path in (ROOT / "helpers").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT).as_posix()
        found += [
            (name, word) for word in refused if f"\nimport {word}" in text
        ]
        if "\nimport threading" in text or "from threading" in text:
            threads.append(name)
    assert found == []
    assert threads == ["helpers/checks/time_limit.py"]
