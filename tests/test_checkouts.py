"""A checkout with Windows' line ends, odd paths, and an ASCII locale."""

import os
import shutil
import subprocess
import sys

import pytest

from tests import notebook_rules as rules
from tests.test_house import IMPORT_ALL
from tests.test_notebooks import load
from tests.tools import ROOT

START = ROOT / "notebooks" / "00_start_here.ipynb"
TEXT = {".py", ".json", ".ipynb", ".md", ".txt", ".svg"}
READ_ALL = """
from helpers.glossary import terms
from helpers.learn.studies import STUDIES, shipped
assert terms() and all(shipped(name) for name in STUDIES)
"""


def collection(folder, crlf=False):
    """Copy helpers/ and notebooks/ to `folder`, with CRLF if asked."""
    for name in ("helpers", "notebooks"):
        shutil.copytree(
            ROOT / name,
            folder / name,
            ignore=shutil.ignore_patterns("__pycache__", ".*"),
        )
    if crlf:
        for path in folder.rglob("*"):
            if path.suffix in TEXT:
                data = path.read_bytes().replace(b"\r\n", b"\n")
                path.write_bytes(data.replace(b"\n", b"\r\n"))
    return folder


def test_git_gives_line_feeds_whatever_the_machine():
    asked = (ROOT / ".gitattributes").read_text(encoding="utf-8")
    assert asked.splitlines()[0] == "* text=auto eol=lf"


def test_helpers_and_their_data_are_read_with_carriage_returns(tmp_path):
    folder = collection(tmp_path, crlf=True)
    assert b"\r\n" in (folder / "helpers" / "glossary.json").read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL + READ_ALL],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": ""},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout == "False\n", done.stderr


@pytest.mark.parametrize(
    ("name", "crlf", "locale"),
    [
        ("two words 注意 ö", False, {}),
        ("crlf", True, {}),
        ("ascii", False, {"LC_ALL": "C", "PYTHONUTF8": "0"}),
    ],
    ids=["path", "crlf", "ascii"],
)
def test_the_start_page_runs(tmp_path, monkeypatch, name, crlf, locale):
    for variable, value in locale.items():
        monkeypatch.setenv(variable, value)
        monkeypatch.setenv("PYTHONCOERCECLOCALE", "0")
    folder = collection(tmp_path / name, crlf)
    notebook = load(folder / "notebooks" / START.name)
    done = rules.executed(notebook, folder / "notebooks")
    assert rules.run_complaints(done) == []
