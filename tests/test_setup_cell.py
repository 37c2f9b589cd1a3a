"""The setup cell finds helpers/ wherever a notebook may be run."""

import re
import subprocess
import sys

import pytest

from tests.tools import ROOT

ERROR = "ImportError: helpers/ is missing: download the whole collection"
ASK = "\nfrom helpers import attention\nprint(ascii(attention.__file__))"


def setup_lines():
    """Return the ten lines that open every notebook's first code cell."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.search(r"```python\n(.*?)```", page, re.S)[1]


def clone(folder):
    """Make a small clone: helpers/ beside notebooks/ with a subfolder."""
    (folder / "notebooks" / "my own").mkdir(parents=True)
    (folder / "helpers").mkdir()
    for name in ("__init__.py", "attention.py"):
        (folder / "helpers" / name).touch()
    return folder


def run_in(folder, code=None):
    """Run the lines in a fresh Python whose working folder is `folder`."""
    return subprocess.run(
        [sys.executable, "-c", (code or setup_lines()) + ASK],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
    )


@pytest.mark.parametrize("name", ["plain", "two words", "注意 внимание ö"])
@pytest.mark.parametrize("below", [".", "notebooks", "notebooks/my own"])
def test_helpers_are_found_from_each_folder(tmp_path, name, below):
    here = clone(tmp_path / name)
    done = run_in(here / below)
    expected = ascii(str(here / "helpers" / "attention.py"))
    assert done.stdout.strip() == expected, done.stderr


@pytest.mark.parametrize("below", ["", "notebooks"])
def test_of_two_clones_each_finds_its_own(tmp_path, below):
    one = clone(tmp_path / "one")
    two = clone(one / "two")  # even where one stands inside the other
    for mine in (one, two):
        done = run_in(mine / below)
        expected = ascii(str(mine / "helpers" / "attention.py"))
        assert done.stdout.strip() == expected, done.stderr


def test_another_package_called_helpers_does_not_win(tmp_path):
    here = clone(tmp_path / "here")
    there = clone(tmp_path / "there")
    rival = f"import sys\nsys.path.insert(0, {str(there)!r})\n"
    done = run_in(here / "notebooks", rival + setup_lines())
    expected = ascii(str(here / "helpers" / "attention.py"))
    assert done.stdout.strip() == expected, done.stderr


def test_elsewhere_one_sentence_says_what_is_missing(tmp_path):
    (tmp_path / "helpers").mkdir()  # a folder of that name is not enough
    done = run_in(tmp_path)
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1] == ERROR
