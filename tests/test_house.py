"""The house: floors, safety, words, links, commands, versions."""

import ast
import json
import os
import re
import subprocess
import sys

import pytest
import yaml

from tests import house_rules as rules
from tests.tools import ROOT, files, words_of

PYTHON = files("*.py")
HELPERS = [p for p in PYTHON if p.is_relative_to(ROOT / "helpers")]
NOTEBOOKS = files("notebooks/*.ipynb")
PAGES = files("*.md")


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def cells_of(path, kind):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [
        "".join(cell["source"])
        for cell in notebook["cells"]
        if cell["cell_type"] == kind
    ]


def code_in(path):
    """Return a notebook's code as one tree, magic lines blanked."""
    code = "\n".join(cells_of(path, "code"))
    return ast.parse(re.sub(r"^[%!].*$", "", code, flags=re.M), str(path))


def each(paths):
    return pytest.mark.parametrize("path", paths, ids=words_of)


# --- every rule complains about its own broken example ------------------


def complaints(rule, source, *more):
    return rule(*more, ast.parse(source), "here")


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("attention", "from helpers import cost, weights"),
        ("attention", "from helpers.weights import token_vectors"),
        ("sizes", "import helpers.attention"),
        ("sizes", "import numpy as np"),
        ("pictures", "def f():\n    import matplotlib.pyplot as plt"),
        ("controls", "from helpers.explorers.multi_head import x"),
        ("controls", "from helpers.quiz import x"),
        ("weights", "from . import sizes"),
        ("weights", "from helpers.unknown import x"),
        ("utils", "x = 1"),
        ("learn", "import torch"),
    ],
)
def test_a_wrong_floor_is_seen(module, source):
    assert complaints(rules.floor_complaints, source, module)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("attention", "import math\nfrom helpers.sizes import whole"),
        ("explorers", "from helpers import attention, controls, pictures"),
        ("checks", "from helpers.checks.properties import x"),
        ("plots", "import matplotlib.pyplot as plt"),
    ],
)
def test_a_right_floor_passes(module, source):
    assert not complaints(rules.floor_complaints, source, module)


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "eval('1')",
        "exec('x = 1')",
        "name = input('name? ')",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=trust)",
    ],
)
def test_unsafe_code_is_seen(source):
    assert complaints(rules.safety_complaints, source)
    assert not complaints(
        rules.safety_complaints, "np.load(path, allow_pickle=False)"
    )


@pytest.mark.parametrize(
    "source",
    [
        "import urllib.request",
        "from urllib.request import urlopen",
        "import requests",
        "import subprocess",
        "import os\nos.system(text)",
    ],
)
def test_the_network_and_the_shell_are_seen(source):
    assert complaints(rules.outside_complaints, source)
    assert not complaints(rules.outside_complaints, "import urllib.parse")


@pytest.mark.parametrize(
    "source",
    [
        "open(path)",
        "open(path, 'w', encoding='latin-1')",
        "path.open()",
        "path.read_text()",
        "path.write_text(text)",
    ],
)
def test_a_missing_encoding_is_seen(source):
    assert complaints(rules.encoding_complaints, source)


@pytest.mark.parametrize(
    "source",
    [
        "open(path, 'rb')",
        "path.open('wb')",
        "open(path, encoding='utf-8')",
        "path.read_text(encoding='utf-8')",
        "path.read_text('ascii')",
    ],
)
def test_a_named_encoding_passes(source):
    assert not complaints(rules.encoding_complaints, source)


@pytest.mark.parametrize(
    "source",
    [
        "groups = 2",
        "def f(n_kv_groups): pass",
        "for weights in rows: pass",
        "self.groups = 2",
        "def weights(): pass",
    ],
)
def test_a_name_with_two_meanings_is_seen(source):
    assert complaints(rules.name_complaints, source)
    assert not complaints(
        rules.name_complaints, "from helpers import weights\nm.groups()"
    )


def test_a_dead_link_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One way\n", encoding="utf-8")
    bad = "[a](gone.md) ![b](gone.png) [c](#other) <img src='gone.svg'>"
    good = "[a](page.md#one-way) [b](#one-way) [c](https://x.org) `[d](e)`"
    assert len(rules.link_complaints(bad, page, "page")) == 4
    assert not rules.link_complaints(good, page, "page")


def test_a_command_that_names_a_missing_file_is_seen(tmp_path):
    (tmp_path / "here.txt").touch()
    assert rules.command_complaints("pip -r gone.txt", tmp_path, "x")
    assert rules.command_complaints(r"lab notebooks\no.ipynb", tmp_path, "x")
    assert not rules.command_complaints("pip -r here.txt", tmp_path, "x")


def test_requirements_follow_their_links(tmp_path):
    (tmp_path / "a.txt").write_text("# no\nnumpy>=1\n", encoding="utf-8")
    (tmp_path / "b").mkdir()
    (tmp_path / "b/b.txt").write_text("-r ../a.txt\nx\n", encoding="utf-8")
    assert rules.requirements_in(tmp_path / "b/b.txt") == ["numpy>=1", "x"]


# --- the real files -----------------------------------------------------


@each(HELPERS)
def test_helpers_import_from_lower_floors_only(path):
    below = path.relative_to(ROOT / "helpers")
    if below.as_posix() == "__init__.py":
        assert not rules.imports_of(parsed(path))
        return
    module = below.parts[0].removesuffix(".py")
    found = rules.floor_complaints(module, parsed(path), words_of(path))
    assert not found, "\n".join(found)


def test_nothing_in_helpers_imports_the_notebooks():
    for path in HELPERS:
        names = {name for name, _ in rules.imports_of(parsed(path))}
        assert not {n for n in names if n.split(".")[0] == "notebooks"}


@each(PYTHON)
def test_python_is_safe_and_names_its_encodings(path):
    tree, where = parsed(path), words_of(path)
    found = rules.safety_complaints(tree, where)
    found += rules.encoding_complaints(tree, where)
    assert not found, "\n".join(found)


@each(HELPERS)
def test_helpers_stay_inside_and_use_clear_names(path):
    tree, where = parsed(path), words_of(path)
    found = rules.outside_complaints(tree, where)
    found += rules.name_complaints(tree, where)
    assert not found, "\n".join(found)


@each(NOTEBOOKS)
def test_notebooks_are_safe(path):
    tree, where = code_in(path), words_of(path)
    found = rules.safety_complaints(tree, where)
    found += rules.outside_complaints(tree, where)
    found += rules.encoding_complaints(tree, where)
    assert not found, "\n".join(found)


@each(PAGES)
def test_links_in_pages_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    found = rules.link_complaints(text, path, words_of(path))
    assert not found, "\n".join(found)


@each(NOTEBOOKS)
def test_links_in_notebooks_lead_somewhere(path):
    text = "\n\n".join(cells_of(path, "markdown"))
    found = rules.link_complaints(text, path, words_of(path))
    assert not found, "\n".join(found)


def readme():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_has_two_commands_for_each_shell():
    lines = rules.commands_in(readme())
    for shell in ("bash", "powershell"):
        opens, tests = lines[shell]
        assert "requirements.txt" in opens
        assert "00_start_here.ipynb --ServerApp.root_dir=." in opens
        assert "requirements-dev.txt" in tests and "pytest" in tests
        for line in (opens, tests):
            assert "-m venv .venv" in line
            assert not rules.command_complaints(line, ROOT, "README.md")


def test_ci_runs_the_readmes_second_command():
    script = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    assert script[-1] == rules.commands_in(readme())["bash"][1]
    assert "set -euo pipefail" in script


def test_binder_gets_what_a_reader_gets():
    binder = ROOT / "binder"
    asked = rules.requirements_in(binder / "requirements.txt")
    assert asked == rules.requirements_in(ROOT / "requirements.txt")
    names = sorted(re.match(r"[\w-]+", line)[0] for line in asked)
    assert names == ["ipywidgets", "jupyterlab", "matplotlib", "numpy"]
    assert sorted(p.name for p in binder.iterdir()) == [
        "requirements.txt",
        "runtime.txt",
    ]


BOUNDED = r"[\w-]+(>=[\d.]+,<\d+|==[\d.]+( --hash=sha256:[0-9a-f]{64})?)"


def test_every_requirement_has_both_bounds():
    for path in ROOT.glob("requirements*.txt"):
        for line in rules.requirements_in(path):
            line, _, _ = line.partition(";")
            assert re.fullmatch(BOUNDED, line), line


def test_the_badge_leads_to_the_start_page():
    link = re.findall(r"https://mybinder\.org/v2/[^\s)>]+", readme())
    assert link and set(link) == {
        "https://mybinder.org/v2/gh/OWNER/REPO/HEAD"
        "?urlpath=lab/tree/notebooks/00_start_here.ipynb"
    }
    assert (ROOT / "notebooks/00_start_here.ipynb").is_file()


@each(NOTEBOOKS)
def test_the_readmes_map_has_each_notebook_and_its_minutes(path):
    row = re.search(rf"\|.*\(notebooks/{path.name}\).*\| (\d+) \|", readme())
    assert row, f"README.md has no row for {path.name}"
    assert f"{row[1]} min" in cells_of(path, "markdown")[0]


def test_the_citation_is_whole():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    citation = yaml.safe_load(text)
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["title"] == "Why Multi-Head Attention"
    assert citation["license"] == ["MIT", "CC-BY-4.0"]


def test_workflows_pin_their_actions_and_read_only():
    for path in files(".github/workflows/*.yml"):
        text = path.read_text(encoding="utf-8")
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == {"contents": "read"}
        for line in re.findall(r"uses:.*", text):
            assert re.fullmatch(
                r"uses: [\w/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line
            ), line


def test_ruff_has_nothing_to_say():
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "."],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr


IMPORT_ALL = """
import importlib, pkgutil, sys, helpers
for found in pkgutil.walk_packages(helpers.__path__, "helpers."):
    if found.name not in ("helpers.plots", "helpers.plot_words"):
        importlib.import_module(found.name)
print("matplotlib" in sys.modules)
"""


def test_helpers_import_anywhere_and_without_matplotlib():
    """In an ASCII locale, deprecations as errors; only the plots draw."""
    ascii_locale = {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    done = subprocess.run(
        [
            *(sys.executable, "-X", "warn_default_encoding"),
            *("-W", "error:::helpers", "-c", IMPORT_ALL),
        ],
        cwd=ROOT,
        env=os.environ | ascii_locale,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout == "False\n", done.stderr


@pytest.mark.parametrize(
    "source",
    [
        "widgets.HTML(text)",
        "HTML(value=self.text.value)",
        "widgets.HTML(f'<p>{text}</p>')",
        "widgets.Text(description_allow_html=True)",
        "box.description_allow_html = True",
    ],
)
def test_html_of_raw_text_is_seen(source):
    assert complaints(rules.html_complaints, source)


@pytest.mark.parametrize(
    "source",
    [
        "widgets.HTML()",
        "HTML('<b>bold</b>')",
        "HTML(f'<p>{escape(text)} {INK}</p>')",
        "HTML(paragraph(text))",
        "HTML(f'<style>{rules}</style>')",
    ],
)
def test_html_that_is_escaped_passes(source):
    assert not complaints(rules.html_complaints, source)


@each(HELPERS)
def test_g04_html_is_made_of_escaped_text(path):
    assert not rules.html_complaints(parsed(path), words_of(path))


def test_e03_a_reader_installs_what_the_course_imports():
    asked = rules.requirements_in(ROOT / "requirements.txt")
    names = {re.match(r"[\w-]+", line)[0] for line in asked}
    trees = [parsed(path) for path in HELPERS]
    trees += [code_in(path) for path in NOTEBOOKS]
    used = {
        name.split(".")[0]
        for tree in trees
        for name, _ in rules.imports_of(tree)
    }
    assert names - used == {"jupyterlab"}  # it runs them
    assert len(names) == 4


def test_e18_g14_the_readme_says_what_is_tested_and_what_checks_are():
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for said in (
        "## What is tested, and what is not",
        "runs with your own rights",
        "they are no examination and no sandbox",
        "an idle session ends after about ten",
        "many people at once may have to wait",
        "100 sessions of one repository",
        "For a class, [Launching](LAUNCHING.md)",
        "Colab are not tested yet",
    ):
        assert said in text, said


@each(files("tests/**/*.py"))
def test_e15_no_test_compares_pictures_by_their_pixels(path):
    text = path.read_text(encoding="utf-8")
    names = ("compare_" + "images", "image_" + "comparison", "assert_" + "png")
    assert not any(name in text for name in names)
