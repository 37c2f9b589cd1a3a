"""Planes, curves, bars and the map with sums: well-formed and in place."""

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.pictures.curves import Chart, Line, bars, curves
from helpers.pictures.plane import Arrow, Mark, Plane, hull, planes
from helpers.pictures.shares import shares_map
from tests.test_pictures import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = st.integers(-20, 20)


def texts(svg):
    found = ET.fromstring(svg).iter(f"{SVG}text")
    return ["".join(t.itertext()) for t in found]


# --- the hull -----------------------------------------------------------


@given(st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=30))
def test_the_hull_holds_all_points_and_is_made_of_them(points):
    corners = hull(points)
    assert set(corners) <= set(points)
    for angle in np.linspace(0, 2 * np.pi, 37):
        way = np.array([np.cos(angle), np.sin(angle)])
        assert (np.array(points) @ way).max() == pytest.approx(
            (np.array(corners) @ way).max()
        )


def test_the_hull_leaves_out_edges_twins_and_insides():
    square = [(0, 0), (2, 0), (2, 2), (0, 2)]
    assert hull([*square, (1, 0), (1, 1), (2, 2)]) == square
    assert hull([(1, 1)]) == [(1, 1)]
    assert hull([(0, 0), (1, 1), (3, 3)]) == [(0, 0), (3, 3)]


# --- planes -------------------------------------------------------------


def plane(**settings):
    mark = Mark("cat", 1, 2, 9, "#123456", "cat 0.25")
    return Plane("keys", (mark,), (Arrow("query", -1, 1),), **settings)


def test_a_name_stands_on_the_side_that_is_asked_for():
    anchors = {"left": "end", "right": "start"}
    for side, radius in itertools.product(
        ("left", "right", "above", "below"), (0, 6)
    ):
        mark = Mark("cat", 0, 0, radius, name_at=side)
        svg = planes([Plane("p", (mark,))], "a name")
        x, y, how = re.search(
            r'<text x="([\d.]+)" y="([\d.]+)"([^>]*)>cat<', svg
        ).groups()
        assert (float(x) < 490, float(x) > 490) == (
            side == "left",
            side == "right",
        )
        assert (float(y) < 170, float(y) > 180) == (
            side == "above",
            side == "below",
        )
        assert f'text-anchor="{anchors.get(side, "middle")}"' in how
        assert ("600" in how) == (radius == 0)


def test_a_plane_puts_points_where_they_belong():
    svg = planes([plane(), plane()], "two planes", reach=4)
    root = ET.fromstring(svg)
    assert root.get("viewBox") == "0 0 980 372"
    circle = next(root.iter(f"{SVG}circle"))
    unit = 346 / 8
    assert float(circle.get("cx")) == pytest.approx(241 + unit, abs=0.06)
    assert float(circle.get("cy")) == pytest.approx(173 - 2 * unit, abs=0.06)
    assert circle.find(f"{SVG}title").text == "cat 0.25"
    assert texts(svg).count("query") == 2


def test_a_zero_arrow_is_a_ring_and_a_cross_has_no_disc():
    ring = planes([Plane("p", arrows=(Arrow("query", 0, 0),))], "zero")
    assert ring.count("<circle") == 1 and "NaN" not in ring
    cross = planes([Plane("p", (Mark("out", 0, 0, 0),))], "a cross")
    assert "<circle" not in cross


def test_a_hull_is_drawn_with_its_corners():
    svg = planes([plane(hull=((0, 0), (1, 0), (0, 1)))], "hull")
    corners = re.search(r'<polygon points="([^"]*)" fill="#0072B2"', svg)[1]
    assert len(corners.split()) == 3


@pytest.mark.parametrize("bad", (np.nan, np.inf))
def test_what_is_not_finite_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        planes([Plane("p", (Mark("a", bad, 0),))], "bad")
    with pytest.raises(ValueError, match="finite"):
        curves([Chart("t", "x", ("1",), (Line("a", (bad,), "red"),))], "bad")
    with pytest.raises(ValueError, match="finite"):
        bars([bad], ["a"], "t", "bad")


@pytest.mark.parametrize("top", (0, -1, np.nan, np.inf, "text", None))
def test_an_axis_without_height_is_refused(top):
    line = Line("a", (0.5,), "red")
    with pytest.raises(ValueError, match="top must be a number above 0"):
        curves([Chart("t", "x", ("1",), (line,), top=top)], "bad")
    with pytest.raises(ValueError, match="top must be a number above 0"):
        bars([0.5], ["a"], "t", "bad", top=top)


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="needs a panel"):
        planes([], "none")
    with pytest.raises(ValueError, match="at least 1"):
        bars([], [], "t", "none")
    with pytest.raises(ValueError, match="needs 2 numbers"):
        bars([1], ["a", "b"], "t", "too few")


@pytest.mark.parametrize("text", HOSTILE)
def test_words_are_shown_literally(text):
    mark = Mark(text, 0, 0, said=text)
    line = Line(text, (1, 0), "red")
    for svg in (
        planes([Plane(text, (mark,), (Arrow(text, 1, 1),))], text),
        curves([Chart(text, text, (text, "b"), (line,))], text),
        bars([0.5], [text], text, text),
        shares_map(np.eye(1), [text], [text], text),
    ):
        assert ET.fromstring(svg).get("aria-label") == text
        assert "<script" not in svg and "<img" not in svg


# --- curves and bars ----------------------------------------------------


def test_a_curve_runs_from_bottom_to_top_of_its_axis():
    line = Line("rises", (0, 2), "#ff0000", "4 2")
    svg = curves([Chart("t", "x", ("1", "2"), (line,), 2, 1)], "a line")
    way = re.search(r'<polyline points="([^"]*)"', svg)[1].split()
    (_, low), (_, high) = (map(float, place.split(",")) for place in way)
    assert (low, high) == (176, 28)
    assert "rises at 2: 2" in svg and 'stroke-dasharray="4 2"' in svg
    assert texts(svg)[:4] == ["t", "0", "1", "2"]


def test_the_mark_stands_on_the_marked_point():
    line = Line("line", (1, 0.25, 0.75), "#ff0000")
    svg = curves([Chart("t", "x", ("1", "2", "3"), (line,), 1, 1)], "a line")
    way = re.search(r'<polyline points="([^"]*)"', svg)[1].split()
    (mark,) = ET.fromstring(svg).iter(f"{SVG}circle")
    assert f"{mark.get('cx')},{mark.get('cy')}" == way[1]
    assert mark.find(f"{SVG}title").text == "line at 2: 0.25"


def test_the_legend_names_each_line_once():
    chart = Chart("t", "x", ("1",), (Line("same", (0,), "red"),))
    assert texts(curves([chart] * 3, "three")).count("same") == 1


def test_bars_are_as_high_as_their_values():
    svg = bars([0, 0.25, 1], ["a", "b", "c"], "t", "three bars")
    heights = [
        float(bar.get("height"))
        for bar in ET.fromstring(svg).iter(f"{SVG}rect")
    ]
    assert heights == pytest.approx([0, 102 / 4, 102], abs=0.06)
    assert "0.25" in texts(svg) and "b 0.250" in svg


def test_a_bar_stays_in_its_room():
    root = ET.fromstring(
        bars([-0.5, 3, 1.5], ["a", "b", "c"], "t", "d", top=2)
    )
    found = [float(b.get("height")) for b in root.iter(f"{SVG}rect")]
    assert found == pytest.approx([0, 102, 102 * 0.75], abs=0.06)


def test_many_bars_are_labelled_thinly():
    names = [str(i) for i in range(200)]
    labels = texts(bars([0.5] * 200, names, "t", "many"))
    assert 20 < len(labels) < 60


# --- the map with sums --------------------------------------------------


def test_sums_say_what_is_wrong_with_a_row():
    attn = np.array([[0.5, 0.5, 0], [0.25, 0, 0], [0, 0, 0]])
    visible = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    svg = shares_map(attn, "abc", "xyz", "three rows", visible)
    said = texts(svg)
    assert [t for t in said if t[:2] in ("1.", "0.")] == [
        "1.00",
        "0.25  not 1",
        "0.00  sees nothing",
    ]
    assert svg.count("l34 34") == 6  # a stroke for each hidden key


def test_queries_and_keys_may_differ_in_number():
    svg = shares_map(np.full((2, 5), 0.2), "ab", "vwxyz", "2 x 5")
    assert svg.count("h-34z") == 10
    assert texts(svg).count("1.00") == 2
