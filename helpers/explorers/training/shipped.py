"""The two runs the explorer opens with: one head, two heads.

python -m helpers.explorers.training.shipped

trains them again and writes the file. On another machine the numbers differ
a little; a test allows for it.
"""

import json
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from helpers.explorers.training.runs import (
    Answer,
    Point,
    Run,
    training,
    tuples,
)
from helpers.explorers.training.setting import Setting

FILE = Path(__file__).with_name("shipped.json")
SHIPPED = (Setting(h=1), Setting(h=2))
DIGITS = 4


@cache
def shipped_runs():
    """Return {Setting: Run} of what is shipped."""
    read = json.loads(FILE.read_text(encoding="utf-8"))
    return {run.setting: run for run in map(_run, read)}


def _run(fields):
    return Run(
        **fields
        | {
            "setting": Setting(**fields["setting"]),
            "points": tuple(
                Point(p["step"], tuple(p["losses"]), tuple(p["ps"]))
                for p in fields["points"]
            ),
            "shares": tuples(fields["shares"]),
            "answers": tuple(
                tuple(Answer(**answer) for answer in answers)
                for answers in fields["answers"]
            ),
            "seen": tuple(fields["seen"]),
            "new": tuple(fields["new"]),
        }
    )


def made_anew(setting):
    """Train at a setting and return the fields of its Run, rounded."""
    *_, run = training(setting)
    return _rounded(asdict(replace(run, seconds=None)))


def _rounded(value):
    if isinstance(value, dict):
        return {
            key: part if key == "setting" else _rounded(part)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [_rounded(part) for part in value]
    return round(value, DIGITS) if isinstance(value, float) else value


if __name__ == "__main__":
    made = [json.dumps(made_anew(setting)) for setting in SHIPPED]
    text = "[\n" + ",\n".join(made) + "\n]\n"
    FILE.write_text(text, encoding="utf-8", newline="\n")
    print(f"wrote {FILE}")
