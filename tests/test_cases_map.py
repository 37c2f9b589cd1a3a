"""tests/CASES.md names each acceptance case once, and tests that exist."""

import ast
import re
from functools import cache

import pytest

from tests.tools import ROOT

TESTS = ROOT / "tests"
PAGE = (TESTS / "CASES.md").read_text(encoding="utf-8")
NUMBERS = {
    "A": "01 03 04 05 06 08 09 11 13 14 15 16 18 19 21",
    "B": "01 03 05 06 08 09 10 11 13 15 16 17 19",
    "C": "01 03 04 06 08 10 11 12 13 14 16 17 19 20",
    "D": "01 02 03 04 06 07 09 10 12 13 15 16 18 19 21",
    "E": "01 02 03 04 05 06 07 09 12 13 15 18 19",
    "F": "01 03 04 06 07 10 12 14 15 16",
    "G": "01 03 04 05 06 07 09 11 14",
}
CASES = [
    letter + number
    for letter, numbers in NUMBERS.items()
    for number in numbers.split()
]
ROWS = re.findall(
    r"^\| ([A-G]\d\d) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.M
)


@cache
def names_in(path):
    """Return the tests of a file, read and not run."""
    tree = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    return {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_there_are_89():
    assert len(CASES) == len(set(CASES)) == 89


def test_each_case_stands_there_once_and_in_order():
    assert [case for case, *_ in ROWS] == CASES
    assert PAGE.count("\n| ") == len(CASES) + 1  # no row in another form


@pytest.mark.parametrize(
    ("case", "happened", "held_by"),
    [(case, happened, held_by) for case, happened, _, held_by in ROWS],
    ids=[case for case, *_ in ROWS],
)
def test_what_holds_it_exists(case, happened, held_by):
    assert happened.startswith(("held", "mended", "does not apply"))
    named = [part.strip("`") for part in held_by.split("<br>")]
    assert named
    for path, _, name in (part.partition("::") for part in named):
        assert name in names_in(path), f"{case}: {path} has no {name}"


def test_a_test_that_is_missing_would_be_seen():
    assert "test_there_are_89" in names_in("test_cases_map.py")
    assert "test_nobody_wrote" not in names_in("test_cases_map.py")
