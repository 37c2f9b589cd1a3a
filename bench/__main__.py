"""Run all benchmarks, and keep what they print: `python -m bench`.

    python -m pip install -r requirements-bench.txt
    python -m bench                   # about ten minutes, on a quiet machine
    python -m bench attention tiled   # only these; the others stay as kept

Each prints ratios against a peer that ran in turns with it. The output goes
to bench/RESULTS.md, under the machine it was measured on.
"""

import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "RESULTS.md"
BENCHES = {
    "attention": [],
    "tiled": [],
    "tiled, two threads": ["--threads", "2"],
    "decoding": [],
    "training": [],
    "explorer": ["--browser"],
    "real_encoder": [],
    "real_causal": [],
    "load": ["--class", "20"],
    "setup": [],
    "notebooks": [],
}


def machine():
    """Return one line on where this was measured."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        text = info.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"model name\s*:\s*(.+)", text)
        model = found[1] if found else model
    versions = [f"Python {platform.python_version()}"]
    for name in ("numpy", "matplotlib", "ipywidgets", "jupyterlab", "torch"):
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}; "
        f"{', '.join(versions)}; load {load:.1f} at the start."
    )


def sections():
    """Return what RESULTS.md holds, by benchmark."""
    if not RESULTS.exists():
        return {}
    text = RESULTS.read_text(encoding="utf-8")
    return dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.M | re.S))


def main(names):
    """Run the benchmarks and write RESULTS.md; return the exit status."""
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"No benchmark {unknown[0]!r}: {', '.join(BENCHES)}.")
        return 2
    kept, failed = sections(), []
    for name in names or BENCHES:
        module = name.partition(",")[0]
        where = machine()
        command = [sys.executable, "-m", f"bench.{module}", *BENCHES[name]]
        print(f"{name} …", flush=True)
        done = subprocess.run(
            command, cwd=FOLDER.parent, capture_output=True, encoding="utf-8"
        )
        if done.returncode:
            failed.append(name)
            print(done.stderr)
            continue
        shown = " ".join(["python -m", f"bench.{module}", *BENCHES[name]])
        kept[name] = (
            f"\n{where}\n\n```\n$ {shown}\n{done.stdout.strip()}\n```\n\n"
        )
    body = "".join(
        f"## {n}\n{kept[n].rstrip()}\n\n" for n in BENCHES if n in kept
    )
    RESULTS.write_text(
        "# Results\n\nWhat `python -m bench` printed. README.md says what is "
        "compared and how.\n\n" + body.rstrip() + "\n",
        encoding="utf-8",
        newline="\n",
    )
    print("FAILED:" if failed else "wrote", ", ".join(failed) or RESULTS)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
