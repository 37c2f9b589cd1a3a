"""A copy of the files that the published pages are made from."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "_site"
FOLDERS = ("notebooks", "helpers", "docs", "licences")
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "GLOSSARY.md",
    "KEEPING_YOUR_WORK.md",
    "LAUNCHING.md",
    "LECTURING.md",
    "LICENSE",
    "NOTICE",
    "CITATION.cff",
)
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.pyc")


def notebooks(root=ROOT):
    """Return the course's notebooks in reading order, solutions last."""
    return sorted((root / "notebooks").glob("*.ipynb"))


def copy_to(folder):
    """Copy notebooks, helpers and pages, in their places, to `folder`."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=LEFT_OUT)
    for name in PAGES:
        shutil.copy(ROOT / name, folder / name)
