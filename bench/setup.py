"""What a reader installs and waits for, beside a set-up with PyTorch.

    python -m bench.setup

Size: the files of the packages in requirements.txt and of all they need, as
installed here; then the same with PyTorch. Start: what importing takes in a
new process, over bare Python.
"""

import re
import statistics
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TURNS = 5
IMPORTS = {
    "numpy": "import numpy",
    "ipywidgets": "import ipywidgets",
    "matplotlib.figure": "import matplotlib.figure",
    "the main explorer": (
        "from helpers.explorers.multi_head import explore_multi_head as e; e()"
    ),
    "torch": "import torch",
}


def needed(names):
    """Return the names of the installed packages that `names` need."""
    found, left = set(), list(names)
    while left:
        name = re.sub(r"[-_.]+", "-", left.pop()).lower()
        if name in found:
            continue
        try:
            wants = metadata.requires(name) or ()
        except metadata.PackageNotFoundError:
            continue  # for another system
        found.add(name)
        left += [
            re.match(r"[\w.-]+", want)[0]
            for want in wants
            if "extra ==" not in want
        ]
    return found


def megabytes(names):
    """Return the size of the packages' files, in MB of a million bytes."""
    total = 0
    for name in names:
        for file in metadata.files(name) or ():
            path = Path(file.locate())
            total += path.stat().st_size if path.is_file() else 0
    return total / 1e6


def seconds(code):
    """Return the median time of a new Python that runs `code`."""
    taken = []
    for _ in range(TURNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main():
    """Print both tables."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    ours = needed(re.findall(r"^[\w-]+", text, re.M))
    theirs = ours | needed(["torch"])
    size, with_torch = megabytes(ours), megabytes(theirs)
    print(
        f"installed: {size:.0f} MB in {len(ours)} packages; with PyTorch "
        f"{with_torch:.0f} MB, {with_torch / size:.1f} times as much"
    )
    bare = seconds("pass")
    print(f"\nstart, over bare Python ({bare:.2f} s):")
    times = {name: seconds(code) - bare for name, code in IMPORTS.items()}
    for name, taken in times.items():
        print(
            f"{name:20} {taken:5.2f} s, {taken / times['torch']:.2f} of torch"
        )


if __name__ == "__main__":
    main()
