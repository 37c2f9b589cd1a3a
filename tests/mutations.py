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

TESTS = {
    "attention": ("test_attention", "test_masks"),
    "array_rules": ("test_bad_input", "test_masks"),
    "sizes": ("test_sizes",),
    "cost": ("test_cost",),
    "counted": ("test_counted",),
    "sentences": ("test_sentences",),
    "weights": ("test_weights",),
    "cache": ("test_cache",),
    "pooling": ("test_pooling",),
    "roles": ("test_roles",),
    "rope": ("test_rope",),
    "tiled": ("test_tiled",),
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
    "checks/answers": ("test_checks",),
    "checks/cache_bytes": ("test_checks_decoding",),
    "checks/decoding": ("test_checks_decoding",),
    "checks/grouped": ("test_checks_grouped",),
    "checks/time_limit": ("test_checks",),
    "checks/verdict": ("test_checks",),
    "controls/explorer": ("test_controls", "test_settings"),
    "controls/keeping": ("test_settings",),
    "controls/linked": ("test_controls",),
    "controls/places": ("test_controls",),
    "controls/runs": ("test_controls",),
    "controls/settings": ("test_settings",),
    "explorers/average/explorer": ("test_explorer_average",),
    "explorers/budget/explorer": ("test_explorer_budget",),
    "explorers/decoding/explorer": ("test_explorer_decoding",),
    "explorers/grouped/explorer": ("test_explorer_grouped",),
    "explorers/ledger/clock": ("test_explorer_ledger",),
    "explorers/ledger/explorer": ("test_explorer_ledger",),
    "explorers/map_reading": ("test_explorer_map_reading",),
    "explorers/multi_head/desk": ("test_explorer_multi_head",),
    "explorers/multi_head/explorer": ("test_explorer_multi_head",),
    "explorers/scaling/explorer": ("test_explorer_scaling",),
    "explorers/self_test": ("test_self_test",),
    "explorers/shared_heads": ("test_explorer_grouped",),
    "explorers/slices": ("test_explorer_ledger",),
    "checks/circuit": ("test_checks_real_heads",),
    "checks/induction": ("test_checks_learned_heads",),
    "checks/mystery": ("test_checks_learned_heads",),
    "checks/next_place": ("test_checks_real_heads",),
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
    "explorers/playground/desk": ("test_explorer_playground",),
    "explorers/playground/kinds": ("test_explorer_playground",),
    "explorers/playground/layer": ("test_explorer_playground",),
    "explorers/playground/views": ("test_explorer_playground",),
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
    "checks/tipping": ("test_checks_tipping",),
    "pictures/summary": ("test_checks_by_heart",),
    "pictures/strips": ("test_training_pictures", "test_explorer_study"),
}
CALLBACKS = {"_changed", "_chosen", "_start_again", "_switch_all_on"}
SECONDS = 600  # longer is red: CI would stop it too
ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "NO_SHRINKING": "1"}


class Mutation(NamedTuple):
    """In helpers/`module`.py, `old` (there once) becomes `new`."""

    name: str
    module: str
    old: str
    new: str


def mutations():
    """Return every change of tests/mutations.toml, and every raised error."""
    text = (ROOT / "tests" / "mutations.toml").read_text(encoding="utf-8")
    written = [
        Mutation(module=module, **change)
        for module, changes in tomllib.loads(text).items()
        for change in changes
    ]
    return written + raised_errors()


def raised_errors():
    """Return, for each callback of a widget, the change that it fails."""
    found = []
    for part in ("controls", "explorers", "quiz"):
        for path in sorted((ROOT / "helpers" / part).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            module = path.relative_to(ROOT / "helpers").with_suffix("")
            for node in ast.walk(ast.parse(text)):
                if not (
                    isinstance(node, ast.FunctionDef)
                    and (node.name in CALLBACKS or node.name[:4] == "_on_")
                ):
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
