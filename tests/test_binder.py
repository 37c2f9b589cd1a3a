"""What Binder would build, by repo2docker's own classes, without Docker."""

import re
import sys

import nbformat
import pytest

from tests.tools import ROOT

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="repo2docker is made for Linux and macOS"
)


@pytest.fixture
def pack(monkeypatch):
    """Return the first build pack that takes this repository, as Binder."""
    from repo2docker.app import Repo2Docker

    monkeypatch.chdir(ROOT)
    builder = Repo2Docker()
    for kind in builder.buildpacks:
        candidate = kind(builder.base_image)
        if candidate.detect():
            candidate.platform = "linux/amd64"
            return candidate
    pytest.fail("no build pack takes this repository")


def test_binder_reads_our_folder_and_a_python_that_is_tested(pack):
    assert type(pack).__name__ == "PythonBuildPack"
    assert pack.binder_dir == "binder"
    assert pack.python_version == "3.12"
    written = (ROOT / "binder/runtime.txt").read_text(encoding="utf-8")
    assert written == "python-3.12\n"


def test_binder_gets_what_a_reader_gets_and_no_more():
    files = sorted(path.name for path in (ROOT / "binder").iterdir())
    assert files == ["requirements.txt", "runtime.txt"]  # no apt, no builds
    asked = (ROOT / "binder/requirements.txt").read_text(encoding="utf-8")
    assert asked == "-r ../requirements.txt\n"


def test_the_pages_that_links_open_are_there_and_say_how_to_begin():
    page = (ROOT / "LAUNCHING.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    opened = re.findall(r"lab/tree/(notebooks/\w+\.ipynb)", page + readme)
    assert len(set(opened)) >= 2
    assert all((ROOT / path).is_file() for path in opened)
    start = nbformat.read(ROOT / "notebooks/00_start_here.ipynb", 4)
    assert "Run All Cells" in start.cells[0].source


def test_binder_installs_after_the_repository_is_copied(pack):
    lines = pack.render().splitlines()
    (install,) = (
        number
        for number, line in enumerate(lines)
        if line.startswith("RUN ") and '-r "binder/requirements.txt"' in line
    )
    # `-r ../requirements.txt` needs the root's list beside it by then.
    copied = [n for n, line in enumerate(lines) if " src/ ${REPO" in line]
    assert copied and copied[0] < install
