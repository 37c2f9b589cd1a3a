"""Learning curves, rows of maps, strips of dots: sound, and escaped."""

import re
import xml.etree.ElementTree as ET

import pytest

from helpers.pictures.learning import (
    LEFT,
    RIGHT,
    WIDTH,
    Curve,
    Panel,
    learning_curves,
)
from helpers.pictures.map_rows import HEAD, ROOM, MapRow, RowBlock, map_rows
from helpers.pictures.strips import LEFT as AXIS
from helpers.pictures.strips import RIGHT as AXIS_END
from helpers.pictures.strips import Strip, dot_strips

HOSTILE = '<script>"&'


def drawn(last=60, note=""):
    panel = Panel(
        HOSTILE,
        (6, 12),
        (Curve(HOSTILE, (4.0, 1.0), "#000"), Curve("b", (9, -1), "#111")),
        4,
        ("ln 2", 1),
    )
    return learning_curves(HOSTILE, [panel], last, "a coin", HOSTILE, note)


def points(svg):
    return [
        [tuple(map(float, pair.split(","))) for pair in way.split()]
        for way in re.findall(r'<polyline points="([^"]*)"', svg)
    ]


def test_curves_fill_as_much_as_is_trained():
    full = WIDTH - LEFT - RIGHT
    (start, end), _ = points(drawn(last=12))
    assert end[0] == WIDTH - RIGHT
    (start, end), _ = points(drawn(last=60))
    assert end[0] == pytest.approx(LEFT + full / 5, abs=0.1)
    assert start[1] < end[1]  # the loss falls


def test_curves_stay_inside_their_axes():
    svg = drawn()
    inside, outside = points(svg)
    assert outside[0][1] == inside[0][1]  # 9 is cut at the top, 4
    level = float(re.search(r'd="M\d+ ([\d.]+)h[\d.]+" stroke="var', svg)[1])
    assert level == inside[1][1]  # both are 1


def test_a_note_stands_where_the_curves_end():
    assert "stopped at step 12" in drawn(note="stopped at step 12")
    assert 'text-anchor="start"' in drawn(last=60, note="now")
    assert drawn(last=12, note="now").count('font-weight="600"') == 3


@pytest.mark.parametrize("rows", (1, 2, 8, 16))
def test_rows_share_the_height(rows):
    row = MapRow(HOSTILE, (0.2, 0.8), ((1, "#0072B2"),))
    block = RowBlock((HOSTILE, "b"), ((row,) * rows,) * 2, (("P", "#000"),))
    svg = map_rows([block, block], HOSTILE)
    tree = ET.fromstring(svg)
    height = float(tree.get("viewBox").split()[3])
    assert height <= HEAD + ROOM + 30
    boxes = [e for e in tree.iter() if e.tag.endswith("rect")]
    assert len(boxes) == 2 * 2 * rows * 3
    assert all(float(e.get("y")) < height for e in boxes)
    assert svg.count('stroke="#0072B2"') == 4 * rows


def test_dots_stand_at_their_numbers():
    strips = [
        Strip(HOSTILE, (("seed 0", 0.0), ("seed 1", 2.0)), (("h", 1.0),)),
        Strip("nothing", ()),
    ]
    svg = dot_strips(strips, HOSTILE, 2, HOSTILE)
    ET.fromstring(svg)
    xs = [float(x) for x in re.findall(r'cx="([\d.]+)"', svg)]
    assert xs[:3] == [AXIS, AXIS_END, (AXIS + AXIS_END) / 2]
    assert "trained here" in svg
    assert f'd="M{(AXIS + AXIS_END) / 2:.1f}' in svg  # the mean
    assert "trained here" not in dot_strips(strips[1:], "t", 2, "d")
    lower = dot_strips(strips, "t", 2, "d", low=-2)
    xs = [float(x) for x in re.findall(r'cx="([\d.]+)"', lower)]
    assert xs[:2] == [(AXIS + AXIS_END) / 2, AXIS_END]


def test_dots_that_hide_each_other_are_counted():
    same = tuple((f"seed {n}", 3.0) for n in range(5))
    svg = dot_strips([Strip("h = 2", same)], "roles right", 3, "d")
    assert svg.count("× 5") == 1
    ticks = re.findall(r'text-anchor="middle">([\d.]+)<', svg)
    assert ticks == ["0", "1", "2", "3"]
    apart = (*same, ("seed 5", 2.0), ("seed 6", 2.0), ("seed 7", 1.0))
    svg = dot_strips([Strip("h = 2", apart)], "t", 3, "d")
    assert re.findall(r"× (\d)", svg) == ["2", "5"]
    assert "× n: so many that touch" in svg
    assert "×" not in dot_strips([Strip("h = 2", same[:1])], "t", 3, "d")


@pytest.mark.parametrize(
    ("numbers", "anchor"),
    [
        ((0.5, 0.5, 0.6), "end"),  # their mean is near, to the right
        ((0.5, 0.5, 0.8), "start"),
        ((0.5, 0.5, 0.52, 0.8), "end"),
        ((0.48, 0.5, 0.5, 0.52), "middle"),
        ((0.0, 0.0, 0.02), "middle"),  # the row's name stands to the left
        ((0.98, 1.0, 1.0), "start"),
    ],
)
def test_a_count_covers_no_other_dot(numbers, anchor):
    dots = tuple((f"seed {n}", x) for n, x in enumerate(numbers))
    svg = dot_strips([Strip("h = 2", dots)], "t", 1, "d")
    ((x, y, where),) = re.findall(
        r'<text x="([\d.]+)" y="([\d.]+)" font-size="10" '
        r'text-anchor="(\w+)">× 2<',
        svg,
    )
    assert where == anchor
    wide = 22  # "× 2" in the widest of usual fonts
    left = float(x) - {"start": 0, "middle": wide / 2, "end": wide}[where]
    for cx, cy in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg)[:-1]:
        beside = not left - 4.5 < float(cx) < left + wide + 4.5
        assert beside or float(y) < float(cy) - 4.5


def test_answers_stay_inside_their_block():
    row = MapRow("ate, head 1", (0.2,) * 9)
    said = ("subject P(fish) 0.20", "object P(fish) 0.21")
    said = tuple((s, "#000") for s in (*said, "antecedent P(fish) 1.00"))
    block = RowBlock(tuple("abcdefghi"), ((row,),), said)
    svg = map_rows([block, block], "d")
    found = re.findall(r'<text x="([\d.]+)"[^>]*><tspan[^>]*>■</tspan>', svg)
    assert len(found) == 6
    assert float(found[1]) - float(found[0]) > 10 + 6.7 * len(said[0][0])
    # An 11 px letter is 6.7 wide on average in the widest of usual fonts.
    assert float(found[2]) + 10 + 6.7 * len(said[2][0]) < 490
    assert float(found[5]) + 10 + 6.7 * len(said[2][0]) < 980


@pytest.mark.parametrize(
    "svg",
    (
        drawn(),
        map_rows([RowBlock((HOSTILE,), ((MapRow(HOSTILE, (1,)),),))], "d"),
        dot_strips([Strip(HOSTILE, ((HOSTILE, 1),))], HOSTILE, 1, HOSTILE),
    ),
)
def test_words_are_escaped(svg):
    ET.fromstring(svg)
    assert "<script" not in svg


def test_a_scale_may_begin_above_0_and_keeps_every_number_inside():
    strip = Strip("one", (("seed 1", 0.5), ("seed 2", 3.0)), ())
    svg = dot_strips([strip], "title", 2.0, "said", low=1.0)
    ends = {
        float(x) for x in re.findall(r'<circle cx="([\d.]+)" cy="[\d.]+"', svg)
    }
    ticks = re.findall(r'<path d="M([\d.]+) [^<]*<text[^>]*>([\d.]+)<', svg)
    assert [number for _, number in ticks] == ["1", "1.25", "1.5", "1.75", "2"]
    left, right = float(ticks[0][0]), float(ticks[-1][0])
    assert ends == {left, right}
