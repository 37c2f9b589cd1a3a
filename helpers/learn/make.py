"""Make what is shipped: `python -m helpers.learn.make studies [name…]`.

With `weights` in place of `studies` it makes weights: see snapshots.py.

Each study is trained for all rows and seeds, on one core, and its results
are written to helpers/learn/shipped. On another machine they differ a
little, and where training is chaotic by more.
"""

import json
import math
import platform
import sys

import numpy as np

from helpers.learn.role_weights import NAME, make_role_models
from helpers.learn.studies import STUDIES
from helpers.learn.study import SECONDS, file_of, outcome
from helpers.learn.weights_on_disk import RECIPES, make_weights


def rounded(column, number):
    """Return a number as it is shipped; None for NaN."""
    if math.isnan(number):
        return None
    return round(number, 2 if column == SECONDS else 4) + 0.0  # no -0.0


def results_of(study, report=print):
    """Train all rows and seeds; return (results, steps by row)."""
    results = {row: {c: [] for c in study.columns} for row in study.rows}
    steps = {}
    for row in study.rows:
        for seed in study.seeds:
            measured, steps[row] = outcome(study.run(row, seed))
            report(f"{study.name}: {row}, seed {seed}")
            for column, number in measured.items():
                results[row][column].append(rounded(column, number))
    return results, steps


def make_study(name):
    """Write a study's file anew, and return its path."""
    study = STUDIES[name]
    results, steps = results_of(study)
    content = {
        "study": name,
        "command": f"python -m helpers.learn.make studies {name!r}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "seeds": list(study.seeds),
        "steps": steps,
        "results": results,
    }
    path = file_of(name)
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(content, indent=1)
    path.write_text(one_line_lists(text) + "\n", encoding="utf-8")
    return path


def one_line_lists(text):
    """Put each list of numbers into one line of a JSON text."""
    lines, inside = [], False
    for line in text.splitlines():
        if inside:
            lines[-1] += line.strip().replace(",", ", ", 1)
        else:
            lines.append(line)
        inside = (inside or line.endswith("[")) and "]" not in line
    return "\n".join(line.replace("], ", "],") for line in lines)


def _make_weights(name):
    return make_role_models() if name == NAME else make_weights(name)


def makers():
    """Return {kind: (function, the names it can make)}."""
    return {
        "studies": (make_study, STUDIES),
        "weights": (_make_weights, (*RECIPES, NAME)),
    }


def main(arguments):
    """Make one kind of thing, or all of them; return the exit status."""
    known_kinds = makers()
    kinds = [a for a in arguments[:1] if a in known_kinds]
    names = arguments[len(kinds) :]
    for kind in kinds or known_kinds:
        make, known = known_kinds[kind]
        unknown = [name for name in names if name not in known]
        if unknown:
            print(f"No {kind} {unknown[0]!r}: there are {', '.join(known)}.")
            return 2
        for name in names or known:
            print(make(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
