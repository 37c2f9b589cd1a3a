"""The glossary: one source for the page, the notebooks and the card."""

import re

import nbformat
import pytest

from helpers.glossary import PAGE, names_card, page, terms
from tests.tools import ROOT

NOTEBOOKS = {
    path.name[:2]: nbformat.read(path, as_version=4)
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
}


def prose(notebook):
    return "\n".join(
        cell.source for cell in notebook.cells if cell.cell_type == "markdown"
    )


def test_the_page_is_what_the_command_writes():
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_word_is_said_once_and_as_a_sentence():
    words = [term.word for term in terms()]
    assert len(words) == len(set(words)) > 45
    for term in terms():
        assert term.meaning.endswith("."), term.word
        assert len(term.meaning.split()) <= 30, term.word


@pytest.mark.parametrize("term", terms(), ids=lambda term: term.word)
def test_the_notebook_it_names_speaks_of_it(term):
    if term.notebook not in NOTEBOOKS:
        pytest.fail(f"no notebook {term.notebook}")
    text = " ".join(prose(NOTEBOOKS[term.notebook]).split()).casefold()
    pattern = rf"\b{re.escape(term.word.casefold())}"
    assert re.search(pattern, text), term.word


def test_the_start_page_shows_the_same_card():
    assert names_card() in prose(NOTEBOOKS["00"])
