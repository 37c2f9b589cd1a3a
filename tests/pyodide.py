"""A folder of Pyodide's files, as far as npm and PyPI have them.

    python -m tests.pyodide FOLDER

npm's `pyodide` holds the engine and Python's library; the pure wheels that
the kernel needs to start come from PyPI. Pyodide's own builds of the same
versions have other checksums, so the lock in the folder gets those of the
wheels that are there. NumPy and Matplotlib for the browser are on neither.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from publish.lite import AT_START, ENGINE, lacking

VERSION = "314.0.7"


def make(folder):
    """Fill `folder`; return it."""
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not installed")
    subprocess.run(
        [npm, "pack", "--silent", f"pyodide@{VERSION}"],
        check=True,
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    archive = folder / f"pyodide-{VERSION}.tgz"
    with tarfile.open(archive, encoding="utf-8") as packed:
        for name in ENGINE:
            data = packed.extractfile(f"package/{name}").read()
            (folder / name).write_bytes(data)
    archive.unlink()
    _add_wheels(folder)
    return folder


def _add_wheels(folder):
    lock_file = folder / "pyodide-lock.json"
    lock = json.loads(lock_file.read_text(encoding="utf-8"))
    by_file = {p["file_name"]: p for p in lock["packages"].values()}
    wanted = [by_file[name] for name in lacking(folder, AT_START)]
    before = set(folder.glob("*.whl"))
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        + ["--only-binary", ":all:", "--python-version", "3.14"]
        + ["--dest", str(folder)]
        + [f"{p['name']}=={p['version']}" for p in wanted],
        check=True,
    )
    found = {
        path.name.split("-")[0].lower().replace("_", "-"): path
        for path in set(folder.glob("*.whl")) - before
    }
    for package in wanted:
        path = found[package["name"].lower().replace("_", "-")]
        package["file_name"] = path.name
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        package["sha256"] = digest
    lock_file.write_text(json.dumps(lock), encoding="utf-8")


if __name__ == "__main__":
    print(make(sys.argv[1]))
