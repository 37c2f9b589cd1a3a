"""Text that comes with a model: vocabularies, and settings as JSON."""

import json
from pathlib import Path

from helpers.pretrained.files import FileError, opened, shown

LARGEST_TEXT = 12 * 1024**2  # bytes


def read_text(path):
    """Return a text file's content, if it is UTF-8 and not too large."""
    with opened(path) as file:
        content = file.read(LARGEST_TEXT + 1)
    if len(content) > LARGEST_TEXT:
        raise FileError(
            f"{shown(Path(path))} is larger than {LARGEST_TEXT // 1024**2} "
            f"MiB, too large for a text file of a model."
        )
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{shown(Path(path))} is not UTF-8 text.") from None


def read_json(path):
    """Return the dict that a JSON file holds; see `parsed_json`."""
    return parsed_json(read_text(path), Path(path).name)


def parsed_json(text, name):
    """Return the dict that JSON text holds.

    Raises
    ------
    FileError
        If it is no JSON object, names a key twice, holds NaN or a number of
        thousands of digits, or is nested too deep.
    """
    try:
        found = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        reason = "nested too deep"
        if not isinstance(error, RecursionError):
            reason = str(error)[:80]
        raise FileError(f"{name} is not valid JSON: {reason}.") from None
    if not isinstance(found, dict):
        raise FileError(f"{name} must hold one JSON object.")
    return found


def _unique(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands in it twice")
    return found


def _no_constant(name):
    raise ValueError(f"{name} is no JSON number")
