"""The shipped scores of all 72 heads, for readers without the model."""

import json
from functools import cache
from pathlib import Path

import numpy as np

from helpers.pretrained.files import FileError

PATH = Path(__file__).with_name("sample") / "scores.json"


@cache
def load_scores():
    """Return the shipped scores.

    Returns
    -------
    dict
        "A", "B": the sets of sentences, each with "patterns" (name -> array
        (6, 12)) and "relations" (name -> dict with "rate" and "mass",
        arrays (6, 12), "n", "offset", "offset_rate", "held_out").
        "fits": kind -> dict with "right", "both", "shift", "moved", arrays
        (6, 12). "circuit": "hidden": what is hidden -> "shift" and "right"
        of one head; "lead" and "patched": mean lead of the first noun in
        the first and the second text.

    Raises
    ------
    FileError
        If the file is missing or broken.
    """
    return read_scores(PATH)


def read_scores(path):
    """Return the scores of a file; see `load_scores`."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        found = _with_arrays(found)
        parts = [found[part] for part in ("A", "B", "fits", "circuit")]
    except (OSError, ValueError, LookupError, TypeError):
        parts = [None]
    if not all(isinstance(part, dict) for part in parts):
        raise FileError(
            "The shipped scores are missing or broken: scores.json in "
            "helpers/pretrained/sample. Download the collection again."
        )
    return found


def _with_arrays(value):
    if isinstance(value, dict):
        return {name: _with_arrays(inner) for name, inner in value.items()}
    if isinstance(value, list):
        array = np.array(value, float)
        array.flags.writeable = False
        return array
    return value
