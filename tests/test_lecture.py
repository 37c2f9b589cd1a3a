"""The lecture: paths that fit their time, codes that work, a right key."""

import base64
import json
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
from jupyterlab.commands import get_app_dir

from helpers.attention import scaled_dot_product_attention
from helpers.cost import flops, softmax_work
from helpers.models import model
from helpers.sizes import Sizes
from helpers.stills import EXPLORERS
from helpers.weights import random_projections
from publish import screens
from publish.paths import LINK, file_of, heading_of, notes_of, paths
from publish.timetable import PAGE, filled, notes, timetable
from publish.tree import ROOT, copy_to

PATHS = paths()
WORDS_A_MINUTE = 110
MARKING = ROOT / "lecture" / "marking.md"
EXERCISES = ROOT / "lecture" / "exercises.md"
each = pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)


@each
def test_a_path_leaves_some_minutes_for_questions(path):
    limit = float(path.name)
    assert 0.9 * limit <= path.minutes <= 0.98 * limit


@each
def test_every_slide_has_cells_that_exist_and_notes_in_their_notebook(path):
    for slide in path.slides:
        assert notes(slide)
        if not slide.cells:
            assert bool(slide.poll) != bool(slide.text)
            continue
        notebook = nbformat.read(file_of(slide.notebook), as_version=4)
        cells = {cell.id: cell for cell in notebook.cells}
        assert heading_of(slide, notebook)
        assert set(slide.cells) <= set(cells)
        if not slide.say:
            said = cells[notes_of(slide)]
            assert said.metadata.slideshow.slide_type == "notes"
            assert said.source.startswith(
                "<details><summary>For the lecturer</summary>\n\n"
            )


@each
def test_the_longest_path_has_the_slides_of_the_others(path):
    def shown(slides):
        return {(s.cells, s.poll, s.text, s.code, s.at_once) for s in slides}

    def pictures(slides):
        return {(s.explorer, state) for s in slides for state in s.states}

    for part in (shown, pictures):
        assert part(path.slides) <= part(PATHS["90"].slides)


@each
def test_what_is_said_fits_its_minutes(path):
    for slide in path.slides:
        count = len(re.findall(r"\w[\w'’.]*", notes(slide)))
        assert count <= WORDS_A_MINUTE * slide.minutes, notes(slide)
        sentences = re.findall(r"[.?!:](?=\s|$)", notes(slide))
        assert 2 <= len(sentences) <= 8, notes(slide)


NUMBERS = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten".split()
    )
}


@each
def test_minutes_given_to_the_room_leave_one_for_its_answers(path):
    for slide in path.slides:
        for word in re.findall(r"(\w+) minutes", slide.text):
            assert NUMBERS[word.lower()] <= slide.minutes - 1, slide.text


@each
def test_a_slide_that_speaks_of_its_cell_shows_what_it_gives(path):
    for slide in (s for s in path.slides if s.cells and not s.states):
        notebook = nbformat.read(file_of(slide.notebook), as_version=4)
        cells = [c for c in notebook.cells if c.id in slide.cells]
        prose = " ".join(c.source for c in cells if c.cell_type != "code")
        if re.search(r"\b[Tt]he cell\b", prose):
            assert any(c.cell_type == "code" for c in cells), slide.cells


@each
def test_every_code_restores_its_setting(path):
    codes = [
        (slide.explorer, state.code)
        for slide in path.slides
        for state in slide.states
        if state.code
    ]
    assert codes
    for explorer, code in codes:
        shown = EXPLORERS[f"{explorer}.svg"]()
        shown.restore(code)
        assert shown.code == code
        assert not shown.message.text or "fail" not in shown.message.text


def test_the_codes_show_what_the_slides_say():
    shown = EXPLORERS["04_main_explorer.svg"]()
    seen = {}
    for name in ("45", "90"):
        for slide in PATHS[name].slides:
            for state in slide.states:
                seen[state.see.split(":")[0]] = (slide.explorer, state.code)
    for words, h in (("h = 8", 8), ("h = 1", 1)):
        shown.restore(seen[words][1])
        assert shown.h.value == h
    shown.restore(seen["Three relations, h = 1"][1])
    on = [name for name, box in shown.relations.items() if box.value]
    assert len(on) == 3 and shown.h.value == 1
    grouped = EXPLORERS["07_grouped_heads.svg"]()
    for words, n_kv in (("n_kv = 8", 8), ("n_kv = 2", 2)):
        grouped.restore(seen[words][1])
        assert grouped.n_kv.value == n_kv


def test_a_code_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="nearest"):
        screens.picture("04_main_explorer", "set 512-7")


def test_a_picture_keeps_the_parts_that_are_asked_for():
    def size(parts, wide=0):
        shown = screens.picture("04_main_explorer", "", parts, wide)
        return _svg(shown)

    whole, maps, bars = size(()), size((0,)), size((1,))
    assert _high(maps) + _high(bars) == _high(whole)
    assert whole.count("<svg") == 3
    assert maps.count("<svg") == bars.count("<svg") == 2
    assert 'viewBox="0 0 500 ' in size((0,), 500)
    assert 'y="0"' in bars


def _svg(shown):
    data = re.search(r"base64,([^\"]+)", shown)[1]
    return base64.b64decode(data).decode("utf-8")


def _high(svg):
    return int(re.search(r'viewBox="0 0 \d+ (\d+)"', svg)[1])


# --- LECTURING.md -------------------------------------------------------


def test_the_timetables_are_those_of_the_paths():
    text = PAGE.read_text(encoding="utf-8")
    assert filled(text) == text, "run: python -m publish.timetable"
    assert all(timetable(path) in text for path in PATHS.values())


def test_each_vote_has_an_expected_split_with_the_right_answer():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w -]+ \d): (.+) \|$", text, re.M)
    polls = {slide.poll for p in PATHS.values() for slide in p.slides} - {""}
    assert {name for name, _ in rows} == polls
    for name, rest in rows:
        _, *shares, right, _ = (part.strip() for part in rest.split("|"))
        asked = screens.question(name)
        given = [int(share) for share in shares if share]
        assert len(given) == len(asked.choices)
        assert sum(given) == 10
        assert right == screens.LETTERS[asked.right]


def test_the_page_calls_its_splits_an_expectation():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert "nobody has been polled" in text


def test_the_controls_that_the_page_names_are_those_of_the_explorers():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    keeping = EXPLORERS["04_main_explorer.svg"]().keeping
    labels = (
        keeping.code.description,
        keeping.large.description,
        keeping.pin.description,
    )
    assert all(f"*{label}*" in text for label in labels)


def test_links_in_slides_become_their_words():
    text = "see [02](02_single_head.ipynb), [a](https://a.b), ![x](y.svg)"
    assert LINK.sub(r"\1", text) == ("see 02, [a](https://a.b), ![x](y.svg)")


# --- the exercise sheet and its key -------------------------------------


def key():
    """Return what the key says: the number of a question -> its row."""
    rows = re.findall(
        r"^\| (\d[a-d]?) \| (.+?) \| ([\d +]+) \|",
        MARKING.read_text(encoding="utf-8"),
        re.M,
    )
    return {name: (answer, points) for name, answer, points in rows}


def test_the_points_of_sheet_and_key_agree():
    sheet = re.findall(
        r"\*\*(\d)\. [^*]+\*\* \((\d) points\)",
        EXERCISES.read_text(encoding="utf-8"),
    )
    marked = dict.fromkeys((number for number, _ in sheet), 0)
    for name, (_, points) in key().items():
        marked[name[0]] += sum(map(int, points.split("+")))
    assert marked == {number: int(points) for number, points in sheet}
    assert sum(marked.values()) == 22


def computed():
    """Return the numbers of the key, from the course's own code."""
    s, one = Sizes(512, 8), Sizes(512, 1)
    llama = model("Llama 3 8B")
    W = random_projections(s)
    row = np.array([0.7, 0.2])
    errors = 1 - row
    total = flops(9, s).total
    assert total == flops(9, one).total
    token = llama.kv_bytes(N=1)
    plain = llama.kv_bytes(N=1, n_kv=llama.n_heads)
    exponentials = [softmax_work(9, h).exponentials for h in (1, 8)]
    return {
        "1a": [f"{1 - row.sum():.2f}"],
        "1b": [f"{e:.2f}" for e in (*errors, errors.sum())],
        "4a": [f"{s.d_k}"],
        "4b": [f"{W.W_Q.shape[0]}"],
        "4c": [f"{W.W_Q.size:,}"],
        "5a": [f"{total:,}"],
        "5b": [f"{n:,}" for n in exponentials],
        "6a": [f"{token // 1024} KiB"],
        "6b": [f"{plain // 1024} KiB"],
        "6c": [f"{16 * 2**30 // token:,}"],
    }


def test_the_numbers_of_the_key_are_computed():
    answers = key()
    sheet = EXERCISES.read_text(encoding="utf-8")
    for name, numbers in computed().items():
        for number in numbers:
            assert number in answers[name][0], name
            if len(number) > 3 and number != "512 KiB":
                assert number not in sheet.replace("d_model = 512", "")


def test_the_outputs_of_both_orders_are_computed():
    values = {"cat": (1.0, 0), "ate": (0.0, 0), "fish": (0.0, 1)}
    for name, weights in (("3a", (0.45, 0.1, 0.45)), ("3b", (0.6, 0.1, 0.3))):
        Q = np.ones((1, 1))
        K = np.log(np.array(weights))[:, None]
        for order in (("cat", "ate", "fish"), ("fish", "ate", "cat")):
            V = np.array([values[word] for word in order])
            out, _ = scaled_dot_product_attention(Q, K, V)
            x, y = out[0]
            assert f"({x:.2f}, {y:.2f})" in key()[name][0]


def test_no_published_copy_holds_the_key(tmp_path):
    copy_to(tmp_path)
    names = [path.name for path in tmp_path.rglob("*.md")]
    assert "README.md" in names
    assert "marking.md" not in names
    code = "".join(
        p.read_text(encoding="utf-8") for p in (ROOT / "publish").glob("*.py")
    )
    assert "marking" not in code
    assert "exercises.md" in code
    text = PAGE.read_text(encoding="utf-8")
    assert "](lecture/marking.md)" not in text


def menu_places(items, above=""):
    """Yield (command, "Menu → Submenu") of JupyterLab's own menus."""
    for item in items:
        if "submenu" in item:
            name = item["submenu"]["label"]
            yield from menu_places(item["submenu"]["items"], f" → {name}")
        elif "command" in item:
            yield item["command"], above


def test_presentation_mode_is_where_the_page_says():
    schema = "schemas/@jupyterlab/application-extension/commands.json"
    raw = (Path(get_app_dir()) / schema).read_text(encoding="utf-8")
    menus = json.loads(raw)["jupyter.lab.menus"]["main"]
    (view,) = (m["items"] for m in menus if m["id"] == "jp-mainmenu-view")
    place = dict(menu_places(view))["application:toggle-presentation-mode"]
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"*View{place} → Presentation Mode*" in text
