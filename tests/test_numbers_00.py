"""What notebook 00 says: its map, its paths, and the names card."""

import json
import re

import nbformat
import numpy as np
import pytest

from helpers.attention import multi_head_attention
from helpers.checks import verdict
from helpers.explorers.map_reading import map_of_one_head
from helpers.questions.pre_test import PRE_TEST
from helpers.sentences import HUNGRY, relations, words
from helpers.sizes import Sizes
from helpers.stills import FIRST, stills
from helpers.weights import hand_built, token_vectors
from tests import notebook_rules as rules
from tests.tools import ROOT, files

NOTEBOOKS = ROOT / "notebooks"
START = nbformat.read(NOTEBOOKS / "00_start_here.ipynb", as_version=4)
PROSE = " ".join(
    " ".join(cell.source.split()) for cell in rules.prose_cells(START)
)
TOKENS = words(HUNGRY)
THE_2, FISH, IT = 3, 4, 6
HALF, HALF_MINUTES = "03_why_one_head_is_not_enough.ipynb", 25


def minutes_of(name):
    title = nbformat.read(NOTEBOOKS / name, as_version=4).cells[0].source
    return int(re.search(r"(\d+) min", title)[1])


def path(begins):
    (row,) = re.findall(rf"\| {begins}[^|]* \|([^|]*)\|", PROSE)
    return re.findall(r"\]\((\w+\.ipynb)\)", row)


# --- the map ------------------------------------------------------------


def map_from(chosen):
    X = token_vectors(len(TOKENS), d_model=64)
    built = hand_built(X, chosen, Sizes(d_model=64, h=1))
    return multi_head_attention(X, *built, h=1)[1][0]


def test_the_cells_head_is_the_explorers_head():
    attn = map_from(relations(TOKENS)[:3])
    np.testing.assert_array_equal(attn, map_of_one_head(causal=False))
    assert TOKENS[attn[IT].argmax()] == "cat"
    assert "here 1.00, so the whole average is" in PROSE
    assert attn[IT].max() > 0.995


def test_the_answers_of_on_your_own():
    attn = map_of_one_head(causal=False)
    assert "All but *ate* and *it*" in PROSE
    alike = [q for q in range(9) if TOKENS[q] not in ("ate", "it")]
    np.testing.assert_allclose(attn[alike], 1 / 9)
    assert "1/9 = 0.11" in PROSE
    assert "*fish* gives 1.00 to *the*" in PROSE
    assert relations(TOKENS)[6].name == "noun → determiner"
    assert map_from(relations(TOKENS)[6:7])[FISH, THE_2] > 0.995


def test_the_check_stops_after_five_seconds():
    assert "after 5 seconds" in PROSE
    assert verdict.SECONDS == 5


# --- the first picture ---------------------------------------------------


def test_the_first_picture_asks_and_does_not_answer():
    svg = stills()[FIRST]
    said = re.findall(r"<text [^>]*>([^<]+)</text>", svg)
    assert [w for w in said if w in TOKENS] == list(TOKENS)
    assert [w for w in said if w.isdigit()] == [str(n) for n in range(9)]
    assert f"images/{FIRST}" in START.cells[0].source
    middle = dict(re.findall(r'<text x="([\d.]+)" [^>]*>(\w+)</text>', svg))
    lines = re.findall(r'd="M([\d.]+) (\d+)Q[\d.]+ \d+ [\d.]+ (\d+)"', svg)
    assert [middle[x] for x, _, _ in lines] == ["2", "2", "6"]
    assert all(int(end) < int(start) for _, start, end in lines)  # upwards
    asked = [w for w in said if w.endswith("?")]
    assert asked == ["who ate?", "what was eaten?", "who is it?"]


# --- the paths ----------------------------------------------------------


def test_the_whole_path_names_every_notebook_in_order():
    names = [p.name for p in files("notebooks/[01]*.ipynb")]
    assert path("the whole") == sorted(names)[1:]
    hours = (sum(map(minutes_of, names))) / 60
    assert "the whole, about six hours" in PROSE
    assert 5.5 < hours < 6.5


def test_the_readme_has_the_minutes_and_the_exercises_of_the_notebooks():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = dict(
        re.findall(r"\(notebooks/(\w+\.ipynb)\) \|.*\| (\d+) \|", readme)
    )
    assert {name: int(said) for name, said in rows.items()} == {
        p.name: minutes_of(p.name) for p in files("notebooks/*.ipynb")
    }
    asked = [
        found
        for page in files("notebooks/[01]*.ipynb")
        for cell in rules.prose_cells(nbformat.read(page, as_version=4))
        for found in re.findall(r"^\*\*Exercise", cell.source, re.M)
    ]
    assert f"its {len(asked)} exercises" in " ".join(readme.split())


@pytest.mark.parametrize("page", files("notebooks/[01]*.ipynb"), ids=str)
def test_what_a_claim_rests_on_is_one_of_the_kinds_named_here(page):
    kinds = re.search(r"It says which: (.*?)\.", PROSE)[1]
    kinds = re.findall(r"\*([^*]+)\*", kinds)
    assert len(kinds) == 8
    notebook = nbformat.read(page, as_version=4)
    prose = " ".join(cell.source for cell in rules.prose_cells(notebook))
    for said in re.findall(r"\*Evidence: ([^*]*)\*", " ".join(prose.split())):
        assert said.startswith(tuple(kinds)), said


@pytest.mark.parametrize(
    ("minutes", "explorer_only"),
    [(45, "04_build_multi_head"), (90, "07_grouped_query_attention")],
)
def test_a_path_fits_its_time(minutes, explorer_only):
    """An explorer alone is taken for 10 to 15 minutes."""
    names = path(f"{minutes} minutes")
    assert names.pop() == f"{explorer_only}.ipynb"
    total = minutes_of("00_start_here.ipynb") + sum(map(minutes_of, names))
    total -= minutes_of(HALF) - HALF_MINUTES  # it is read to its training
    assert minutes - 15 <= total <= minutes - 10


def test_two_minutes_have_a_path():
    assert PROSE.count("[Read five cells](#Read-five-cells)") == 2
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "paths of 2, 15, 45 and 90" in " ".join(readme.split())
    for minutes in (2, 15, 45, 90):
        assert f"| {minutes} minutes |" in PROSE


def test_links_inside_the_page_lead_to_headings():
    places = re.findall(r"\]\(#([^)]+)\)", PROSE)
    headings = {h.replace(" ", "-") for h in rules.headings(START)}
    assert places and set(places) <= headings


def test_two_paths_read_notebook_03_up_to_its_training():
    last = "Let training look for it"
    assert PROSE.count(f"]({HALF}) up to *{last}*") == 2
    notebook = nbformat.read(NOTEBOOKS / HALF, as_version=4)
    assert last in rules.headings(notebook)


def test_the_pre_test_names_notebooks_that_stand():
    for question in PRE_TEST:
        assert list(NOTEBOOKS.glob(f"{question.answered_in}_*.ipynb"))


def test_it_says_how_to_keep_ones_work():
    assert "](../KEEPING_YOUR_WORK.md)" in PROSE


def test_run_all_comes_first():
    first = START.cells[0].source.split("\n\n")[1]
    assert "**Run → Run All Cells**" in first


def test_it_starts_light():
    code = "\n".join(cell.source for cell in rules.code_cells(START))
    assert "matplotlib" not in code and "plots" not in code


# --- the names ----------------------------------------------------------


def names_of(column):
    """Return the code names in a column of the card."""
    rows = [line.split("|")[1:-1] for line in CARD.splitlines()]
    place = [cell.strip() for cell in rows[0]].index(column)
    return set(re.findall(r"`(\w+)`", " ".join(row[place] for row in rows)))


CARD = "\n".join(
    line
    for cell in rules.prose_cells(START)
    if "| here | it is |" in cell.source
    for line in cell.source.splitlines()
    if line.startswith("|")
)


def test_the_card_has_the_symbols_of_the_course():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    symbols = set(re.findall(r"`(\w+)`", text[text.index("## Symbols") :]))
    assert names_of("here") <= symbols


def test_the_names_of_pytorch_are_its_names():
    seen = json.loads(
        (ROOT / "tests/vectors/pytorch_names.json").read_text(encoding="utf-8")
    )
    assert names_of("PyTorch")
    assert names_of("PyTorch") <= {*seen["names"], *seen["symbols"]}
    assert seen["true_in_scaled_dot_product_attention"] == "see"
    assert seen["true_in_MultiheadAttention"] == "hide"
