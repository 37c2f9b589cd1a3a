"""The words of the course, each said once, and other people's names for them.

    python -m helpers.glossary

writes GLOSSARY.md from glossary.json. The notebooks, the reading copy and
the tests use the same file.
"""

import json
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).with_name("glossary.json")
PAGE = Path(__file__).parent.parent / "GLOSSARY.md"


class Term(NamedTuple):
    """A word, what it means here, and the notebook that builds it."""

    word: str
    meaning: str
    notebook: str


def terms():
    """Return all terms, by letter.

    Returns
    -------
    tuple of Term
    """
    found = (Term(**term) for term in _data()["terms"])
    return tuple(sorted(found, key=lambda term: term.word.casefold()))


def names_card():
    """Return the names card, a Markdown table."""
    data = _data()
    columns = data["name columns"]
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    for names in data["names"]:
        cells = (f" {name} " if name else " " for name in names)
        lines.append("|" + "|".join(cells) + "|")
    return "\n".join(lines)


def page():
    """Return GLOSSARY.md: the terms, and the names card."""
    lines = (
        f"- **{word}**: {meaning} *Notebook {notebook}.*"
        for word, meaning, notebook in terms()
    )
    return f"""# Glossary

Each word as this course uses it, and the notebook that builds it.

{chr(10).join(lines)}

## One thing, many names

{names_card()}

Sources: {_data()["sources of the names"]}
"""


def _data():
    return json.loads(DATA.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    print(f"wrote {PAGE}")
