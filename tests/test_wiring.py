"""The wiring diagram and the memory bars: who reads whom, what fits."""

import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from helpers.cost import binary_units
from helpers.pictures.colours import contrast
from helpers.pictures.memory import KEPT, TOO_MUCH, memory_bars
from helpers.pictures.wiring import KV_COLOURS, wiring
from helpers.sizes import divisors

SVG = "{http://www.w3.org/2000/svg}"


def boxes(svg):
    return [
        (box.get("fill"), box.find(f"{SVG}title").text)
        for box in ET.fromstring(svg).iter(f"{SVG}rect")
    ]


def lines(svg):
    return [
        tuple(map(float, re.findall(r"[\d.]+", path.get("d"))))
        for path in ET.fromstring(svg).iter(f"{SVG}path")
    ]


def texts(svg):
    return [t.text for t in ET.fromstring(svg).iter(f"{SVG}text")]


def rgb(colour):
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def test_four_on_two_reads_0_0_1_1():
    svg = wiring((0, 0, 1, 1), "four on two")
    said = boxes(svg)
    assert [s for _, s in said[:4]] == [
        "query head 0 reads key/value head 0",
        "query head 1 reads key/value head 0",
        "query head 2 reads key/value head 1",
        "query head 3 reads key/value head 1",
    ]
    colours = [fill for fill, _ in said]
    first, second = KV_COLOURS[0][0], KV_COLOURS[1][0]
    assert colours == [first, first, second, second, first, second]
    ends = [line[2] for line in lines(svg)]
    assert ends[0] == ends[1] < ends[2] == ends[3]
    assert texts(svg)[3:] == [*"0123", *"0011", *"01"]


def test_each_key_value_head_says_how_many_read_it():
    said = [said for _, said in boxes(wiring((0, 2, 2, 2, 0), "uneven"))]
    assert said[5:] == [
        "key/value head 0, read by 2",
        "key/value head 1, read by 0",
        "key/value head 2, read by 3",
    ]


def test_tiled_order_crosses():
    ends = [line[2] for line in lines(wiring((0, 1, 0, 1), "tiled"))]
    assert ends[0] == ends[2] < ends[1] == ends[3]


@pytest.mark.parametrize("h", (1, 2, 7, 25, 32, 71, 128, 232))
def test_every_number_of_heads_gives_a_picture_of_one_size(h):
    for n_kv in divisors(h):
        order = [i * n_kv // h for i in range(h)]
        svg = wiring(order, f"{h} on {n_kv}")
        root = ET.fromstring(svg)
        assert root.get("viewBox") == "0 0 980 168"
        assert len(boxes(svg)) == h + n_kv
        assert len(lines(svg)) == h
        for box in root.iter(f"{SVG}rect"):
            x, width = float(box.get("x")), float(box.get("width"))
            assert 100 < x < x + width < 980
        assert "0" in texts(svg)


def test_description_is_escaped_and_there():
    root = ET.fromstring(wiring((0,), 'one "<head>"'))
    assert root.get("aria-label") == 'one "<head>"'
    assert root.get("role") == "img"


@pytest.mark.parametrize("order", ((), (0, -1), (0, 2)))
def test_an_order_that_names_no_head_is_refused(order):
    with pytest.raises(ValueError, match="key/value heads 0 to"):
        wiring(order, "wrong", n_kv=2 if order else None)


@pytest.mark.parametrize("order", (("0", 1), (0, 2.5), (0, 10**9)))
def test_an_order_is_made_of_whole_numbers(order):
    with pytest.raises(ValueError, match="order must be"):
        wiring(order, "wrong")


def test_numbers_are_legible_on_every_colour():
    for fill, _ in KV_COLOURS:
        assert contrast(rgb(fill), (0, 0, 0)) >= 4.5
    fills = {fill for fill, _ in KV_COLOURS}
    assert len(fills) == len(KV_COLOURS)


def test_neighbours_differ_in_more_than_a_little():
    for one, other in itertools.pairwise([f for f, _ in KV_COLOURS]):
        away = [abs(a - b) for a, b in zip(rgb(one), rgb(other), strict=True)]
        assert sum(away) > 90


def test_bars_stop_at_the_line_and_say_what_is_too_much():
    amounts = {"small": 2**30, "large": 4 * 2**30}
    svg = memory_bars(amounts, 2 * 2**30, binary_units, "bars")
    root = ET.fromstring(svg)
    bars = list(root.iter(f"{SVG}rect"))
    kept = [b for b in bars if b.get("fill") == KEPT]
    over = [b for b in bars if b.get("fill") == TOO_MUCH]
    widths = [float(b.get("width")) for b in (*kept, *over)]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.1)
    assert widths[2] == 0
    assert widths[3] == pytest.approx(widths[1], abs=0.1)
    said = texts(svg)
    assert "1 GiB" in said
    assert "4 GiB · too much" in said
    assert "memory for the cache: 2 GiB" in said


def test_what_fits_to_the_last_byte_is_not_too_much():
    amounts = {"just": 2**31, "one more": 2**31 + 1}
    said = texts(memory_bars(amounts, 2**31, "{:,}".format, "bars"))
    assert f"{2**31:,}" in said
    assert f"{2**31 + 1:,} · too much" in said


@pytest.mark.parametrize("n_bytes", (1, 10**6, 10**12, 10**17))
def test_any_amount_stays_inside_the_picture(n_bytes):
    svg = memory_bars({"<x>": n_bytes}, 2**33, binary_units, "<b>")
    root = ET.fromstring(svg)
    assert root.get("aria-label") == "<b>"
    for bar in root.iter(f"{SVG}rect"):
        assert float(bar.get("x")) + float(bar.get("width")) < 840
    assert len(svg) < 20_000
