"""The command that tests both ends of the range of versions."""

import pytest

from tests import environments
from tests.tools import ROOT


def test_lower_bounds_of_the_readers_list():
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    bounds = environments.lower_bounds(text)
    assert bounds == [
        "jupyterlab==4.4",
        "numpy==1.26",
        "matplotlib==3.9",
        "ipywidgets==8.1.5",
    ]


def test_one_failure_fails_the_command(monkeypatch):
    asked = []

    def run_in(folder, kind, tests):
        asked.append((kind, tests))
        return int(kind == "oldest")

    monkeypatch.setattr(environments, "run_in", run_in)
    assert environments.main(["current", "--", "tests/browser"]) == 0
    assert environments.main(["oldest", "current"]) == 1
    assert asked == [
        ("current", ["tests/browser"]),
        ("oldest", ["-q", "-m", "not browser"]),
        ("current", ["-q", "-m", "not browser"]),
    ]
    with pytest.raises(SystemExit):
        environments.main(["newest"])
