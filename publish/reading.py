"""The reading copy: every notebook with its outputs, as a static website.

Sphinx and MyST-NB run each notebook once and set the pages; no kernel, no
network and no server is needed to read them, and the search works from the
disk too. Explorers show their default picture.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from publish.tree import SITE, copy_to, notebooks

START = """# Why Multi-Head Attention

This is the course to read: every notebook with its results, and each
explorer's first picture. To move the sliders, run the notebooks in
JupyterLab; the project's README says how.

```{toctree}
:maxdepth: 1

%s
GLOSSARY
KEEPING_YOUR_WORK
LAUNCHING
LECTURING
README
CONTRIBUTING
```
"""


def build(out=SITE / "reading"):
    """Write the website to `out`.

    Raises
    ------
    subprocess.CalledProcessError
        If a notebook fails, or a link leads nowhere: a warning is an error.
    """
    with tempfile.TemporaryDirectory() as name:
        source = Path(name).resolve()
        copy_to(source)
        _without_badges(source / "README.md")
        for path in notebooks(source):
            _with_places_in_lower_case(path)
        pages = "\n".join(f"notebooks/{path.stem}" for path in notebooks())
        (source / "index.md").write_text(START % pages, encoding="utf-8")
        made = source / "made" / "html"
        subprocess.run(
            [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q"]
            + ["-c", str(Path(__file__).parent), "-b", "html"]
            + ["-d", str(source / ".doctrees"), str(source), str(made)],
            check=True,
        )
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(made, out)
    return out / "index.html"


def _without_badges(page):
    """Take out the images that a page loads from elsewhere."""
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = (line for line in lines if not line.startswith("[!["))
    page.write_text("".join(kept), encoding="utf-8")


def _with_places_in_lower_case(path):
    """Let a notebook's links to its own headings fit MyST's names of them.

    JupyterLab calls the place of "Read a map" Read-a-map, MyST read-a-map.
    """
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"\]\(#[\w-]+\)", lambda link: link[0].lower(), text)
    path.write_text(text, encoding="utf-8")
