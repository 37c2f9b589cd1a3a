"""Choose what to make: see the package."""

import argparse
from pathlib import Path

from publish import lite, paths, reading, slides

COPIES = {
    "reading": reading.build,
    "slides": slides.build,
    "lite": lite.build,
}


def main():
    """Make one copy, and say where it is."""
    parser = argparse.ArgumentParser(prog="python -m publish")
    parser.add_argument("copy", choices=COPIES)
    parser.add_argument(
        "--pyodide",
        type=Path,
        metavar="FOLDER",
        help="for lite: Pyodide's files, to be copied into the site",
    )
    parser.add_argument(
        "--path",
        choices=paths.paths(),
        help="for slides: one path of the lecture, in minutes, and no more",
    )
    asked = parser.parse_args()
    if asked.pyodide and asked.copy != "lite":
        parser.error("--pyodide belongs to lite")
    if asked.path and asked.copy != "slides":
        parser.error("--path belongs to slides")
    more = {"pyodide": asked.pyodide} if asked.pyodide else {}
    if asked.path:
        more["only"] = asked.path
    print("Open", COPIES[asked.copy](**more))


if __name__ == "__main__":
    main()
