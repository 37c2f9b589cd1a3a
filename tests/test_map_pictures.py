"""Maps and bars: which head, which word, which cell, and how long."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers.cost import flops
from helpers.pictures.bars import STEP_NAMES, flop_bars
from helpers.pictures.colours import RELATION_COLOURS
from helpers.pictures.maps import MOST_MAPS, Outline, attention_maps
from helpers.pictures.one_map import one_map
from helpers.pictures.pixels import map_png
from helpers.sizes import Sizes

SVG = "{http://www.w3.org/2000/svg}"
TOKENS = ("the", "cat", "ate", "fish", "and", "slept")


def maps_of(h):
    N = len(TOKENS)
    return np.random.default_rng(7).dirichlet(np.ones(N), size=(h, N))


def drawn(h, **settings):
    return ET.fromstring(attention_maps(maps_of(h), TOKENS, "m", **settings))


def texts(root):
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def test_the_chosen_query_is_bold_in_rows_and_the_key_in_columns():
    root = drawn(1, chosen=(2, 5))
    bold = [
        t for t in root.iter(f"{SVG}text") if t.get("font-weight") == "700"
    ]
    turned = {t.text for t in bold if "rotate" in (t.get("transform") or "")}
    assert turned == {"slept"}
    assert {t.text for t in bold} - turned == {"ate"}


@pytest.mark.parametrize("h", (1, 3, 16))
def test_heads_are_named_from_1_and_the_average_says_of_how_many(h):
    said = texts(drawn(h))
    named = [t for t in said if re.match(r"head \d+$", t)]
    assert named == [f"head {number}" for number in range(1, h + 1)]
    assert f"average of {h} head{'s' * (h > 1)}" in said


def test_a_page_counts_on_where_the_one_before_ended():
    h = 2 * MOST_MAPS + 3
    for first in (0, MOST_MAPS, 2 * MOST_MAPS):
        said = texts(drawn(h, first=first))
        found = [re.fullmatch(r"(?:head )?(\d+)", text) for text in said]
        named = [int(match[1]) for match in found if match]
        shown = range(first, min(first + MOST_MAPS, h))
        # 0 and 1 stand at the ends of the scale of weights too
        assert [n for n in named if n > 1] == [n + 1 for n in shown if n]


def test_the_average_is_of_all_heads_and_not_of_the_page():
    attn = maps_of(2 * MOST_MAPS)
    attn[MOST_MAPS:] = np.eye(len(TOKENS))
    for first in (0, MOST_MAPS):
        svg = attention_maps(attn, TOKENS, "maps", first=first)
        pictures = re.findall(r'href="([^"]+)"', svg)
        whole = map_png(np.rint(100 * attn.mean(axis=0)).astype(int))
        assert pictures[-1] == whole
        own = map_png(np.rint(100 * attn[first]).astype(int))
        assert pictures[0] == own


def test_hidden_cells_of_an_outline_are_dashed_and_the_others_are_not():
    cells, hidden = ((1, 2), (4, 3)), frozenset({(1, 2)})
    outline = Outline(2, "a relation", cells, hidden)
    root = drawn(1, outlines=[[outline]])
    at = {}
    for path in root.iter(f"{SVG}path"):
        if path.get("stroke") == RELATION_COLOURS[outline.number]:
            x, y = re.match(r"M([\d.]+) ([\d.]+)h", path.get("d")).groups()
            at[int(float(y)), int(float(x))] = path.get("stroke-dasharray")
    assert set(at) == set(cells)
    assert [at[cell] is not None for cell in cells] == [True, False]


def test_one_map_has_its_ring_and_its_hidden_cells_and_no_average():
    attn, visible = maps_of(1)[0], np.tri(len(TOKENS), dtype=bool)
    svg = one_map(attn, TOKENS, "one", visible, (3, 1))
    assert ET.fromstring(svg).get("viewBox") == "0 0 452 442"
    rings = re.findall(r'd="M([\d.]+) ([\d.]+)h[^"]*" stroke="#000"', svg)
    assert [round(float(n)) for n in rings[0]] == [1, 3]  # the key, the query
    struck = re.search(r'd="((?:M\d+ \d+l1 1)+)"', svg)[1]
    hidden = {
        (int(q), int(k)) for k, q in re.findall(r"M(\d+) (\d+)l", struck)
    }
    assert hidden == set(zip(*np.nonzero(~visible), strict=True))
    assert 'stroke="#000"' not in one_map(attn, TOKENS, "one", visible)


# --- bars of work -------------------------------------------------------


def bars_of(svg):
    """Return, for each row of bars, {step: (start, length, what it says)}."""
    rows = {}
    for bar in ET.fromstring(svg).iter(f"{SVG}rect"):
        if bar.get("height") == "20":
            said = bar.find(f"{SVG}title").text
            step = said.partition(":")[0]
            place = float(bar.get("x")), float(bar.get("width"))
            rows.setdefault(float(bar.get("y")), {})[step] = (*place, said)
    return list(rows.values())


def test_bars_are_as_long_as_their_work_and_lie_side_by_side():
    counts = {
        "short": flops(9, Sizes(d_model=60, h=6)),
        "long": flops(22, Sizes(d_model=60, h=6)),
    }
    rows = bars_of(flop_bars(counts, "bars"))
    most = counts["long"].total
    for row, ledger in zip(rows, counts.values(), strict=True):
        steps = ledger.as_dict()
        assert len(row) == len(steps)
        end = None
        for step, name in STEP_NAMES.items():
            _, length, said = row[name]
            assert length == pytest.approx(800 * steps[step] / most, abs=0.01)
            share = f"{steps[step] / ledger.total:.1%}"
            assert said == f"{name}: {steps[step]:,} FLOPs, {share}"
        for start, length, _ in sorted(row.values()):
            assert end is None or start == pytest.approx(end, abs=0.02)
            end = start + length
