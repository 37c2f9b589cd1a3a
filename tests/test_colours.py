"""Every palette, to every eye: colour-blind, in grey, light and dark.

Colours that mean different things in one picture are told apart in each of
the common kinds of colour blindness, and in grey by a step of lightness or
by a second sign: a dash, strokes over them, a name or a number on them.

Sources: Machado, Oliveira and Fernandes (2009), the matrices; WCAG 2.1,
contrast 1.4.3 (text, 4.5) and 1.4.11 (graphics, 3); CIE 1976, distances.
"""

import itertools
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers.explorers.average import views as average
from helpers.explorers.learned_heads import views as learned
from helpers.explorers.scaling import views as scaling
from helpers.pictures import budgets, decoding, memory, strips
from helpers.pictures.colours import (
    RELATION_COLOURS,
    STEP_COLOURS,
    contrast,
)
from helpers.pictures.text import FAINT, INK
from helpers.pictures.wiring import KV_COLOURS
from helpers.stills import stills

WHITE, DARK = (255, 255, 255), (17, 17, 17)  # JupyterLab's two papers
JUST_NOTICED = 2.3  # Mahy, Van Eycken and Oosterlinck (1994)
PALETTES = {
    "relations and roles": RELATION_COLOURS,
    "steps of the ledger": tuple(STEP_COLOURS.values()),
    "key/value heads": tuple(fill for fill, _ in KV_COLOURS),
    "work when decoding": (decoding.NEW, decoding.AGAIN),
    "memory": (memory.KEPT, memory.TOO_MUCH),
    "studies": (strips.OLD, strips.NEW),
    "learning curves": (learned.LOSS, learned.CONTROL),
    "scaled and not": (
        scaling.RAW_COLOUR,
        scaling.SCALED_COLOUR,
        scaling.MEAN_COLOUR,
    ),
    "shares of a budget": (budgets.GREY, budgets.DARK_GREY),
}
# In grey some of these are alike; then the pictures hold a second sign, and
# the test of that name below holds it.
GREY_STEP = 5  # of CIE lightness, 0..100
SECOND_SIGN = {
    "relations and roles": "named",
    "steps of the ledger": "named",
    "key/value heads": "numbered",  # tests/test_wiring.py
    "work when decoding": "stroked",
    "memory": "stroked",
    "studies": "shape",
    "learning curves": "dashed",
}
PICTURES = stills()
# Machado, Oliveira and Fernandes (2009), severity 1.0, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


def lab(rgb, matrix):
    c = np.asarray(rgb) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    linear = np.clip(matrix @ linear, 0, 1)
    xyz = (
        np.array(
            [
                [0.4124, 0.3576, 0.1805],
                [0.2126, 0.7152, 0.0722],
                [0.0193, 0.1192, 0.9505],
            ]
        )
        @ linear
        / (0.9505, 1.0, 1.089)
    )
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array(
        [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
    )


def rgb(colour):
    return list(bytes.fromhex(colour[1:]))


@pytest.mark.parametrize("kind", BLINDNESS)
@pytest.mark.parametrize("name", PALETTES)
def test_colours_are_told_apart(name, kind):
    seen = [lab(rgb(colour), BLINDNESS[kind]) for colour in PALETTES[name]]
    closest = min(
        np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)
    )
    assert closest > 2 * JUST_NOTICED


@pytest.mark.parametrize("name", PALETTES)
def test_in_grey_a_step_or_a_second_sign(name):
    grey = [lab(rgb(colour), np.eye(3))[0] for colour in PALETTES[name]]
    step = min(abs(a - b) for a, b in itertools.combinations(grey, 2))
    assert (step > GREY_STEP) != (name in SECOND_SIGN)


def elements(svg):
    """Yield (element, inherited fill) of a picture."""

    def below(element, fill):
        fill = element.get("fill", fill)
        yield element, fill
        for child in element:
            yield from below(child, fill)

    return below(ET.fromstring(svg), None)


@pytest.mark.parametrize("name", PICTURES)
def test_words_are_in_ink(name):
    """Words are in the theme's own ink, or black or white on a fill.

    Which of the two is tested where the fill is chosen (PERCENT_INK and
    others); what a square is called stands in ink beside it.
    """
    inks = {INK, FAINT, "#000", "#fff"}
    for element, fill in elements(PICTURES[name]):
        if element.tag.endswith(("text", "tspan")) and element.text:
            words = element.text.strip()
            assert not words or fill in inks or words == "■", (words, fill)


@pytest.mark.parametrize("name", PICTURES)
def test_curves_of_one_chart_differ_by_dash_or_are_seen_on_both_papers(name):
    """A line that is pale on one paper has a dash and a name."""
    lines = {}
    for element, _ in elements(PICTURES[name]):
        if element.tag.endswith("polyline"):
            stroke = element.get("stroke")
            lines.setdefault(stroke, element.get("stroke-dasharray"))
    dashes = list(lines.values())
    solid = dashes.count(None)
    assert solid <= 1 or name == "08_learned_heads.svg" and solid == 2
    for stroke, dash in lines.items():
        pale = min(contrast(rgb(stroke), paper) for paper in (WHITE, DARK))
        assert pale >= 3 or dash, stroke


def test_every_relation_is_named_beside_its_colour():
    for name in ("04_main_explorer.svg", "10_playground.svg"):
        found = {
            fill: (element.tail or "").strip()
            for element, fill in elements(PICTURES[name])
            if element.text == "■"
        }
        assert set(found) == set(RELATION_COLOURS)
        assert all(found.values()) and len(set(found.values())) == 8


@pytest.mark.parametrize("name", PICTURES)
def test_a_square_of_a_legend_has_a_rim(name):
    squares = [e for e, _ in elements(PICTURES[name]) if e.text == "■"]
    assert {e.get("stroke") for e in squares} <= {FAINT}


def test_work_and_memory_are_stroked_too():
    assert '#5B3A1A" stroke-width="1.6"' in PICTURES["06_decoding.svg"]
    assert '#7a2f17" stroke-width=".8"' in PICTURES["07_grouped_heads.svg"]


@pytest.mark.parametrize("colour", [average.QUERY_COLOUR, strips.NEW])
def test_a_lone_mark_is_seen_on_both_papers(colour):
    for paper in (WHITE, DARK):
        assert contrast(rgb(colour), paper) >= 3


@pytest.mark.parametrize("ground", ["#0b6b3a", "#b00020", "#2e7d32"])
def test_white_words_are_read_on_a_verdict(ground):
    assert contrast(rgb(ground), WHITE) >= 4.5
