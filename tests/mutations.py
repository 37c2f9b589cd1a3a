"""Break the code on purpose, a small change at a time: a test must notice.

    python -m tests.mutations            all of them, an hour or two
    python -m tests.mutations softmax    those whose names hold "softmax"
    python -m tests.mutations raises     each callback of a widget fails

Each change is made in a copy of the repository in a temporary folder, and
the module's own fast tests run there. A change that leaves them green has
found a gap in the tests. On the way it is seen that they are green without.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.tools import ROOT

CALLBACKS = {"_changed", "_chosen", "_start_again", "_switch_all_on"}
SECONDS = 600  # longer is red: CI would stop it too
ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "NO_SHRINKING": "1"}
FILES = ("mutations.toml", "mutations_shown.toml")
WRITTEN = [
    tomllib.loads((ROOT / "tests" / name).read_text(encoding="utf-8"))
    for name in FILES
]
NAMED = [file.pop("TESTS") for file in WRITTEN]
TESTS = {
    module: tuple(names) for named in NAMED for module, names in named.items()
}


class Mutation(NamedTuple):
    """In helpers/`module`.py, `old` (there once) becomes `new`."""

    name: str
    module: str
    old: str
    new: str


def mutations():
    """Return every change that is written, and every raised error."""
    written = [
        Mutation(module=module, **change)
        for file in WRITTEN
        for module, changes in file.items()
        for change in changes
    ]
    return written + raised_errors()


def raised_errors():
    """Return, for each callback and task of a widget, that it fails."""
    found = []
    for part in ("controls", "explorers", "quiz"):
        for path in sorted((ROOT / "helpers" / part).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            module = path.relative_to(ROOT / "helpers").with_suffix("")
            for node in ast.walk(ast.parse(text)):
                called = isinstance(node, ast.FunctionDef) and (
                    node.name in CALLBACKS or node.name.startswith("_on_")
                )
                if not (called or isinstance(node, ast.AsyncFunctionDef)):
                    continue
                old = text.splitlines()[node.lineno - 1] + "\n"
                indent = " " * (node.col_offset + 4)
                new = f'{old}{indent}raise RuntimeError("on purpose")\n'
                name = f"{node.name} raises"
                found.append(Mutation(name, module.as_posix(), old, new))
    return found


def text_of(mutation):
    """Return the module's text with the change made."""
    path = ROOT / "helpers" / f"{mutation.module}.py"
    text = path.read_text(encoding="utf-8")
    found = text.count(mutation.old)
    if found != 1:
        raise LookupError(
            f"{mutation.name}: the old text is in {path.name} {found} times."
        )
    return text.replace(mutation.old, mutation.new)


def _ignore(folder, names):
    heavy = {"browser", "node_modules", "bench", "docs"}
    return [n for n in names if n in heavy or n.startswith((".", "__py"))]


def outcome(mutation=None, module=None):
    """Run a module's tests on a changed copy; return "red", "green" or why.

    Without a mutation the tests of `module` run on the copy as it is.
    """
    module = mutation.module if mutation else module
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        shutil.copytree(ROOT, folder, ignore=_ignore, dirs_exist_ok=True)
        if mutation:
            changed = folder / "helpers" / f"{module}.py"
            changed.write_text(text_of(mutation), encoding="utf-8")
        tests = [f"tests/{name}.py" for name in TESTS[module]]
        options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-n", "0", *options, *tests],
                cwd=folder,
                env={**os.environ, **ENVIRONMENT},
                capture_output=True,
                text=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return "red" if mutation else f"longer than {SECONDS} seconds"
    answers = {0: "green", 1: "red"}
    return answers.get(done.returncode, done.stdout[-2000:] + done.stderr)


def outcomes(chosen):
    """Give (mutation, outcome) for each, as many at once as there are CPUs."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from zip(chosen, pool.map(outcome, chosen), strict=True)


def unsound(chosen):
    """Return {module: outcome} of those whose tests fail unchanged."""
    modules = sorted({mutation.module for mutation in chosen})
    tests = {TESTS[module]: module for module in modules}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda m: outcome(module=m), tests.values())
        return {
            module: answer
            for module, answer in zip(tests.values(), answers, strict=True)
            if answer != "green"
        }


def main():
    """Run the mutations whose names hold the given words; 1 if one lives."""
    wanted = " ".join(sys.argv[1:])
    chosen = [m for m in mutations() if wanted in f"{m.module}: {m.name}"]
    failing = unsound(chosen)
    for module, answer in failing.items():
        print(f"{module}: {answer} before it is changed", flush=True)
    survivors = 0
    for mutation, answer in outcomes(chosen):
        survivors += answer != "red"
        print(f"{answer:6} {mutation.module}: {mutation.name}", flush=True)
    print(f"{len(chosen)} changes, {survivors} not noticed")
    return bool(survivors or failing)


if __name__ == "__main__":
    sys.exit(main())
