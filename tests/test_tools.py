"""A missing tool: a skip at home, a failure on CI."""

import sys
from pathlib import Path

import pytest

from tests import tools


def test_a_tool_that_is_there_is_found():
    assert tools.require_tool("no-such-tool", sys.executable)


@pytest.mark.parametrize(
    ("ci", "outcome"),
    [("", pytest.skip.Exception), ("true", pytest.fail.Exception)],
)
def test_a_missing_tool_skips_at_home_and_fails_on_ci(
    monkeypatch, ci, outcome
):
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="no-such-tool or nor-this is missing"):
        tools.require_tool("no-such-tool", "nor-this")


def test_files_leaves_caches_out(tmp_path, monkeypatch):
    for name in ("a.py", ".venv/b.py", "c/__pycache__/d.py", "c/e.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(tools, "ROOT", Path(tmp_path))
    assert [tools.words_of(p) for p in tools.files("*.py")] == [
        "a.py",
        "c/e.py",
    ]
