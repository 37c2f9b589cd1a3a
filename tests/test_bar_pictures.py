"""Bars and grids of work: each as long as its number, where it belongs."""

import re
import xml.etree.ElementTree as ET

import pytest

from helpers.pictures import amounts, budgets, decoding
from helpers.pictures.amounts import Amount, amount_bars
from helpers.pictures.budgets import Budget, Error, budget_bars
from helpers.pictures.decoding import AGAIN, NEW, Bar, work_bars, work_grids

SVG = "{http://www.w3.org/2000/svg}"


def bars_in(svg):
    """Return (x, y, width, height, fill, title) of each rectangle."""
    return [
        (
            *(float(b.get(name)) for name in ("x", "y", "width", "height")),
            b.get("fill"),
            b.findtext(f"{SVG}title"),
        )
        for b in ET.fromstring(svg).iter(f"{SVG}rect")
    ]


# --- measured times -----------------------------------------------------


def test_a_bar_is_the_middle_and_its_line_goes_from_low_to_high():
    two = [
        Amount("h = 1", 1.0, 2.0, 4.0, "2 ms"),
        Amount("h = 8", 3.0, 5.0, 8.0, "5 ms"),
    ]
    svg = amount_bars(two, "times", rows=3)
    room = amounts.RIGHT - amounts.LEFT
    widths = [width for _, _, width, *_ in bars_in(svg)]
    assert widths == pytest.approx([room * 2 / 8, room * 5 / 8], abs=0.01)
    lines = re.findall(r'd="M([\d.]+) [\d.]+H([\d.]+)M', svg)
    ends = [(float(low), float(high)) for low, high in lines]
    for amount, (low, high) in zip(two, ends, strict=True):
        wanted = [
            amounts.LEFT + room * x / 8 for x in (amount.low, amount.high)
        ]
        assert (low, high) == pytest.approx(wanted, abs=0.01)
    assert max(high for _, high in ends) == amounts.RIGHT


# --- what a row spends, and its errors ----------------------------------


def test_the_parts_of_a_budget_lie_side_by_side_and_an_error_is_its_size():
    parts = (("cat", 0.2, "#0072B2"), ("ate", 0.5, None), ("fish", 0.3, None))
    svg = budget_bars(
        [Budget("head 1: ate", parts)],
        [Error("verb → subject", 0.8, "#0072B2", "ate → cat")],
        "budgets",
    )
    room = budgets.RIGHT - budgets.LEFT
    said = {title: place for *place, title in bars_in(svg)}
    spent = 0
    for name, share, colour in parts:
        x, _, width, _, fill = said[f"{name} {share:.2f}"]
        assert x == pytest.approx(budgets.LEFT + room * spent, abs=0.02)
        assert width == pytest.approx(room * share, abs=0.02)
        assert fill == (colour or budgets.GREY)
        spent += share
    x, _, width, _, fill = said["verb → subject: error 0.80"]
    whole = budgets.ERROR_RIGHT - budgets.ERROR_LEFT
    assert (x, fill) == (budgets.ERROR_LEFT, "#0072B2")
    assert width == pytest.approx(0.8 * whole)


# --- a step of decoding -------------------------------------------------

TOKENS = tuple("abcdefgh")
CELL = decoding.SIZE / len(TOKENS)


def grid(left):
    """Return {what it says: (column, row, columns, rows, fill)} of a grid."""
    svg = work_grids(6, 4, TOKENS, "two new tokens behind four")
    found = {}
    for x, y, wide, high, fill, said in bars_in(svg):
        if said and left <= x < left + decoding.SIZE:
            in_strip = high == decoding.STRIP
            found[said] = (
                round((x - left) / CELL, 2),
                None if in_strip else round((y - decoding.TOP) / CELL, 2),
                round(wide / CELL, 2),
                None if in_strip else round(high / CELL, 2),
                fill,
            )
    return found, svg


def test_without_a_cache_the_rows_of_before_are_computed_again():
    found, _ = grid(decoding.LEFTS[0])
    assert found == {
        "4 rows computed again": (0, 0, 6, 4, AGAIN),
        "keys and values of 4 tokens, again": (0, None, 4, None, AGAIN),
        "2 new rows of scores: 2 x 6": (0, 4, 6, 2, NEW),
        "keys and values of 2 new tokens": (4, None, 2, None, NEW),
    }


def test_with_a_cache_the_rows_of_before_are_not_there():
    found, _ = grid(decoding.LEFTS[1])
    kept = found.pop("keys and values of 4 tokens: kept")
    assert kept[:4] == (0, None, 4, None)
    assert kept[4] not in (AGAIN, NEW)
    assert found == {
        "2 new rows of scores: 2 x 6": (0, 4, 6, 2, NEW),
        "keys and values of 2 new tokens": (4, None, 2, None, NEW),
    }


def test_what_the_mask_hides_is_faint_from_the_first_row_that_is_computed():
    _, svg = grid(decoding.LEFTS[0])
    faint = re.findall(r'd="(M[^"]*)z" fill="[^"]*" fill-opacity=".62"', svg)
    tops = [float(path.split("H")[0].split()[1]) for path in faint]
    assert tops == pytest.approx(
        [decoding.TOP, decoding.TOP + 4 * CELL], abs=0.01
    )
    assert [path.count("H") for path in faint] == [6, 2]


def test_a_bar_of_work_is_its_part_of_the_most():
    bars = (
        Bar("without", 600, "600 FLOPs", AGAIN, 800),
        Bar("with a cache", 200, "200 FLOPs", NEW, 800),
    )
    room = decoding.BAR_RIGHT - decoding.BAR_LEFT
    found = [
        (fill, width)
        for _, _, width, _, fill, _ in bars_in(
            work_bars({"so far": bars}, "w")
        )
    ]
    assert found == [
        (AGAIN, pytest.approx(room * 0.75)),
        (NEW, pytest.approx(room * 0.25)),
    ]
