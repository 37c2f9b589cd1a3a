"""The browser copy: the whole course in JupyterLite, with no server at all.

A static website of JupyterLab whose kernel, Pyodide, runs in the reader's
browser. Any web server for plain files can hand it out. Pyodide itself is no
part of it: the site points where JupyterLite points (a content network), or,
with a folder of Pyodide's files, to a copy inside the site.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import nbformat

from publish.tree import SITE, copy_to, notebooks

INSTALL = "%pip install -q ipywidgets matplotlib\n"
# What the browser kernel installs from the site and not from elsewhere.
WHEELS = (
    "comm",
    "ipython_pygments_lexers",
    "ipywidgets",
    "jupyterlab_widgets",
)
ENGINE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
AT_START = ("micropip", "packaging", "ipython", "jedi", "traitlets")
IN_NOTEBOOKS = ("numpy", "matplotlib")
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
START = "lab/index.html?path=notebooks/00_start_here.ipynb"


def build(out=SITE / "lite", pyodide=None):
    """Write the site to `out`; return what to serve and to open.

    Parameters
    ----------
    out : Path
        Where the site goes; what was there is removed.
    pyodide : Path, optional
        A folder of Pyodide's files, to be copied into the site. Without it
        the reader's browser fetches them from Pyodide's content network.

    Raises
    ------
    FileNotFoundError
        If the folder lacks what the kernel needs to start.
    subprocess.CalledProcessError
        If JupyterLite or pip fails.
    """
    settings = {"disablePyPIFallback": True}
    if pyodide is not None:
        _check(pyodide)
        settings["pyodideUrl"] = "./static/pyodide/pyodide.mjs"
    with tempfile.TemporaryDirectory() as name:
        source = Path(name).resolve()
        (source / "contents").mkdir()
        copy_to(source / "contents")
        for path in notebooks(source / "contents"):
            let_the_browser_install(path)
        _wheels(source / "wheels")
        (source / "lite").mkdir()
        config = {
            "jupyter-lite-schema-version": 0,
            "jupyter-config-data": {
                "appName": "Why Multi-Head Attention",
                "litePluginSettings": {KERNEL: settings},
            },
        }
        (source / "lite" / "jupyter-lite.json").write_text(
            json.dumps(config), encoding="utf-8"
        )
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run(
            [sys.executable, "-m", "jupyter", "lite", "build"]
            + [
                "--apps",
                "lab",
                "--no-sourcemaps",
                "--no-unused-shared-packages",
            ]
            + ["--contents", str(source / "contents")]
            + ["--piplite-wheels", str(source / "wheels")]
            + ["--lite-dir", str(source / "lite")]
            + ["--output-dir", str(Path(out).resolve())],
            check=True,
            cwd=source / "lite",
            stdout=subprocess.DEVNULL,
        )
    if pyodide is not None:
        shutil.copytree(pyodide, out / "static" / "pyodide")
    return (
        f"http://localhost:8000/{START}\n"
        f"after: {Path(sys.executable).name} -m http.server -d {out}"
    )


def let_the_browser_install(path):
    """Begin a notebook's setup cell with a line that installs packages.

    Pyodide looks for packages in the text of the cells: NumPy stands there,
    ipywidgets and Matplotlib are imported by helpers only.
    """
    notebook = nbformat.read(path, as_version=4)
    first = next(c for c in notebook.cells if c.cell_type == "code")
    first.source = INSTALL + first.source
    nbformat.write(notebook, path)


def lacking(pyodide, names):
    """Return the files that `names` need and the folder does not have."""
    lock = json.loads(
        (pyodide / "pyodide-lock.json").read_text(encoding="utf-8")
    )
    seen, todo = set(), list(names)
    while todo:
        name = todo.pop().lower().replace("_", "-")
        if name not in seen:
            seen.add(name)
            todo += lock["packages"][name]["depends"]
    files = (lock["packages"][name]["file_name"] for name in seen)
    return sorted(f for f in files if not (pyodide / f).is_file())


def _check(pyodide):
    missing = [f for f in ENGINE if not (pyodide / f).is_file()]
    missing = missing or lacking(pyodide, AT_START)
    if missing:
        raise FileNotFoundError(
            f"{pyodide} lacks {', '.join(missing)}: without each of them "
            "the kernel does not start"
        )
    absent = lacking(pyodide, IN_NOTEBOOKS)
    if absent:
        print(
            f"{pyodide} lacks {', '.join(absent)}: the kernel starts, but "
            "notebooks stop at their first cell"
        )


def _wheels(folder):
    """Put the wheels that the notebooks need in the browser in a folder."""
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        + ["--only-binary", ":all:", "--dest", str(folder)]
        + [f"{name}=={version(name)}" for name in WHEELS],
        check=True,
        stdout=subprocess.DEVNULL,
    )
