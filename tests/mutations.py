"""Break the code on purpose, a small change at a time: a test must notice.

    python -m tests.mutations            all of them, a few minutes
    python -m tests.mutations softmax    those whose names hold "softmax"

Each change is made in a copy of helpers/ and tests/ in a temporary folder,
and the module's own fast tests run there. A change that leaves them green
has found a gap in the tests.
"""

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

TESTS = {
    "attention": ("test_attention", "test_masks"),
    "array_rules": ("test_bad_input", "test_masks"),
    "sizes": ("test_sizes",),
    "cost": ("test_cost",),
    "counted": ("test_counted",),
    "sentences": ("test_sentences",),
    "weights": ("test_weights",),
    "roles": ("test_roles",),
    "learn/adam": ("test_learn_gradients",),
    "learn/conversion": ("test_learn_heads",),
    "learn/gradients": ("test_learn_gradients", "test_learn_heads"),
    "learn/make": ("test_learn_studies",),
    "learn/model": ("test_learn_gradients",),
    "learn/products": ("test_learn_gradients",),
    "learn/pruning": ("test_learn_heads",),
    "learn/repeat": ("test_learn_training", "test_learn_weights"),
    "learn/repeat_measures": ("test_learn_heads",),
    "learn/repeat_studies": ("test_learn_heads",),
    "learn/role_measures": ("test_learn_studies",),
    "learn/role_studies": ("test_learn_studies",),
    "learn/roles_in_a_row": ("test_learn_studies",),
    "learn/sixteen_heads_studies": ("test_learn_heads",),
    "learn/snapshots": ("test_learn_weights",),
    "learn/study": ("test_learn_studies",),
    "learn/training": ("test_learn_training",),
    "learn/weights_on_disk": ("test_learn_weights",),
    "learn/who_did_what": ("test_learn_training", "test_learn_studies"),
    "pretrained/byte_pairs": ("test_pretrained_byte_pairs",),
    "pretrained/causal": ("test_pretrained_causal",),
    "pretrained/causal_findings": ("test_pretrained_causal_findings",),
    "pretrained/causal_layer": ("test_pretrained_causal",),
    "pretrained/causal_parts": ("test_pretrained_causal",),
    "pretrained/causal_tokens": ("test_pretrained_causal_findings",),
    "pretrained/gguf": ("test_pretrained_gguf",),
    "pretrained/gguf_header": ("test_pretrained_gguf",),
    "pretrained/encoder": ("test_pretrained_encoder",),
    "pretrained/files": (
        "test_pretrained_files",
        "test_pretrained_safetensors",
    ),
    "pretrained/functions": ("test_pretrained_encoder",),
    "pretrained/layer": ("test_pretrained_encoder",),
    "pretrained/model_folder": ("test_pretrained_files",),
    "pretrained/parts": ("test_pretrained_encoder",),
    "pretrained/safetensors": ("test_pretrained_safetensors",),
    "pretrained/text_files": ("test_pretrained_safetensors",),
    "pretrained/wordpiece": ("test_pretrained_wordpiece",),
    "pretrained/corpus": ("test_pretrained_corpus",),
    "pretrained/findings": ("test_pretrained_findings",),
    "pretrained/fits": ("test_pretrained_corpus",),
    "pretrained/fitting": ("test_pretrained_findings",),
    "pretrained/make_sample": ("test_pretrained_sample",),
    "pretrained/make_scores": ("test_pretrained_findings",),
    "pretrained/reading": ("test_pretrained_findings",),
    "pretrained/sample": ("test_pretrained_sample",),
    "pretrained/scores": ("test_pretrained_sample",),
    "checks/induction": ("test_checks_learned_heads",),
    "checks/mystery": ("test_checks_learned_heads",),
    "checks/places": ("test_checks_places",),
    "checks/repeating": ("test_checks_learned_heads",),
    "explorers/learned_heads/explorer": ("test_explorer_learned_heads",),
    "explorers/learned_heads/trials": ("test_explorer_learned_heads",),
    "explorers/learned_heads/words": ("test_explorer_learned_heads",),
    "pictures/layer_maps": ("test_explorer_learned_heads",),
    "pictures/role_bars": ("test_explorer_learned_heads",),
    "explorers/training/explorer": ("test_explorer_training",),
    "explorers/training/lessons": ("test_explorer_training",),
    "explorers/training/runs": ("test_explorer_training",),
    "explorers/training/setting": ("test_explorer_training",),
    "explorers/study/explorer": ("test_explorer_study",),
    "explorers/study/results": ("test_explorer_study",),
    "explorers/real_heads/desk": ("test_explorer_real_heads",),
    "explorers/real_heads/explorer": ("test_explorer_real_heads",),
    "explorers/real_heads/heads": ("test_explorer_real_heads",),
    "explorers/real_heads/places": ("test_explorer_real_heads",),
    "explorers/real_heads/scoring": ("test_explorer_real_heads",),
    "explorers/real_heads/words": ("test_explorer_real_heads",),
    "pictures/head_wall": ("test_explorer_real_heads",),
    "quiz/cards": ("test_quiz_aloud",),
    "quiz/clock": ("test_quiz_aloud",),
    "quiz/follow_ups": ("test_quiz_aloud",),
    "quiz/post_test": ("test_quiz_aloud",),
    "checks/by_heart": ("test_checks_by_heart",),
    "pictures/summary": ("test_checks_by_heart",),
}
ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "NO_SHRINKING": "1"}


class Mutation(NamedTuple):
    """In helpers/`module`.py, `old` (there once) becomes `new`."""

    name: str
    module: str
    old: str
    new: str


def mutations():
    """Return every change of tests/mutations.toml."""
    text = (ROOT / "tests" / "mutations.toml").read_text(encoding="utf-8")
    return [
        Mutation(module=module, **change)
        for module, changes in tomllib.loads(text).items()
        for change in changes
    ]


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
    heavy = {"browser", "__pycache__", ".hypothesis"}
    return [name for name in names if name in heavy]


def outcome(mutation=None, module=None):
    """Run a module's tests on a changed copy; return "red", "green" or why.

    Without a mutation the tests of `module` run on the copy as it is.
    """
    module = mutation.module if mutation else module
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in ("helpers", "tests"):
            shutil.copytree(ROOT / name, folder / name, ignore=_ignore)
        shutil.copy(ROOT / "pyproject.toml", folder)
        if mutation:
            changed = folder / "helpers" / f"{module}.py"
            changed.write_text(text_of(mutation), encoding="utf-8")
        tests = [f"tests/{name}.py" for name in TESTS[module]]
        options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=folder,
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            text=True,
            timeout=300,
        )
    answers = {0: "green", 1: "red"}
    return answers.get(done.returncode, done.stdout[-2000:] + done.stderr)


def outcomes(chosen):
    """Give (mutation, outcome) for each, as many at once as there are CPUs."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from zip(chosen, pool.map(outcome, chosen), strict=True)


def main():
    """Run the mutations whose names hold the given words; 1 if one lives."""
    wanted = " ".join(sys.argv[1:])
    chosen = [m for m in mutations() if wanted in f"{m.module}: {m.name}"]
    survivors = 0
    for mutation, answer in outcomes(chosen):
        survivors += answer != "red"
        print(f"{answer:6} {mutation.module}: {mutation.name}", flush=True)
    print(f"{len(chosen)} changes, {survivors} not noticed")
    return bool(survivors)


if __name__ == "__main__":
    sys.exit(main())
