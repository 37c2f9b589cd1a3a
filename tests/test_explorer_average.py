"""The plane's explorer, headless: every value, corners, what it says."""

import itertools
import re
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers.attention import scaled_dot_product_attention
from helpers.explorers.average import explore_average, views
from helpers.explorers.average.scene import (
    KEYS,
    QUERY_STEPS,
    TEMPERATURES,
    VALUES,
    WORDS,
    State,
    average,
)
from tests.explorers import count_shows, is_old, plant_failure

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_average()


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state = explorer.read()
    result = explorer.compute(state)
    label = ET.fromstring(explorer.planes.picture).get("aria-label")
    assert label == explorer.status.text
    assert label.startswith(f"Query ({state.x:g}, {state.y:g}), temperature")
    ET.fromstring(explorer.bars.picture)
    assert result.shares.sum() == pytest.approx(1, abs=1e-12)
    for angle in np.linspace(0, 2 * np.pi, 25):
        way = np.array([np.cos(angle), np.sin(angle)])
        assert result.output @ way <= (VALUES @ way).max() + 1e-12


def test_every_value_of_every_control(explorer):
    for x, y in itertools.product(QUERY_STEPS[::3], QUERY_STEPS[::3]):
        explorer.x.value, explorer.y.value = x, y
        is_sound(explorer)
    for control, values in (
        (explorer.x, QUERY_STEPS),
        (explorer.y, QUERY_STEPS),
        (explorer.temperature, TEMPERATURES),
    ):
        for value in values:
            control.value = value
            is_sound(explorer)


def test_the_corners(explorer):
    for x, y, t in itertools.product((-3, 3), (-3, 3), (0.05, 100)):
        explorer.x.value, explorer.y.value = x, y
        explorer.temperature.value = t
        is_sound(explorer)


def test_it_is_one_row_of_attention():
    state = State(1.25, -0.5, 0.5)
    wanted, attn = scaled_dot_product_attention(
        state.query[None], KEYS, VALUES, scale=2
    )
    result = average(state)
    assert result.output == pytest.approx(wanted[0])
    assert result.shares == pytest.approx(attn[0])


def test_a_zero_query_gives_the_plain_average(explorer):
    explorer.x.value = explorer.y.value = 0.0
    output = explorer.compute(explorer.read()).output
    assert output == pytest.approx(VALUES.mean(axis=0))
    assert "plain average" in explorer.message.text


def test_cold_takes_one_value_and_hot_the_middle(explorer):
    explorer.temperature.value = 0.05
    output = explorer.compute(explorer.read()).output
    assert output == pytest.approx(VALUES[WORDS.index("fish")], abs=0.01)
    assert "the value of fish" in explorer.message.text
    explorer.temperature.value = 100
    assert "nearly equal" in explorer.message.text


def test_a_long_key_beats_a_better_aligned_one(explorer):
    """What the text says of the default: fish, not cat."""
    state = State(1, 0.9, 1)  # exactly the key of cat
    shares = dict(zip(WORDS, average(state).shares, strict=True))
    assert shares["fish"] > shares["cat"] > shares["ate"]


@pytest.mark.parametrize("control", ("x", "y", "temperature", "show_table"))
def test_one_move_is_one_redraw(explorer, control, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    values = {"x": -1.0, "y": 2.0, "temperature": 4, "show_table": True}
    getattr(explorer, control).value = values[control]
    assert len(shows) == 1


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.x.value = 0.0
    assert "planted" in explorer.message.text
    assert is_old(explorer.planes)


def test_the_cross_is_the_output_and_an_area_is_a_weight(explorer):
    state = State(-1.5, 0.75, 0.5)
    result = average(state)
    svg = ET.fromstring(views.picture(state, result))
    (panel,) = list(svg.iter(f"{SVG}g"))[-2:-1]  # the last is the grid's
    radii = [float(c.get("r")) - 4 for c in panel.iter(f"{SVG}circle")]
    areas = np.square(radii)
    assert areas / 16**2 == pytest.approx(result.shares, abs=0.005)
    (cross,) = (
        path
        for path in panel.iter(f"{SVG}path")
        if path.get("stroke") == views.OUTPUT_COLOUR
    )
    corner = re.match(r"M([\d.]+) ([\d.]+)l", cross.get("d")).groups()
    place = np.array(list(map(float, corner))) + 7
    discs = [
        [float(c.get("cx")), float(c.get("cy"))]
        for c in panel.iter(f"{SVG}circle")
    ]
    assert place == pytest.approx(result.shares @ np.array(discs), abs=0.2)


def box(text):
    """Return where letters of 7 by 12 pixels begin and end: x, x, y, y."""
    x, y = float(text.get("x")), float(text.get("y"))
    wide = 7 * len(text.text)
    x -= wide * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
    return x, x + wide, y - 10, y + 2


def test_the_outputs_name_covers_no_word():
    sides = set()
    for place in itertools.product(
        QUERY_STEPS[::2], QUERY_STEPS[::2], TEMPERATURES
    ):
        state = State(*place)
        svg = ET.fromstring(views.picture(state, average(state)))
        panel = list(svg.iter(f"{SVG}g"))[-2]
        named = {text.text: text for text in panel.iter(f"{SVG}text")}
        left, right, top, bottom = box(named["output"])
        for word in WORDS:
            begin, end, over, under = box(named[word])
            apart = right < begin or end < left or bottom < over or under < top
            assert apart, (place, word)
        sides.add(named["output"].get("text-anchor"))
    assert len(sides) > 1  # it did have to move


def test_the_rows_of_the_table_add_up(explorer):
    explorer.x.value, explorer.show_table.value = -0.5, True
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", explorer.table.picture)
    result = explorer.compute(explorer.read())
    for word, share, value in zip(WORDS, result.shares, VALUES, strict=True):
        x, y = share * value
        assert cells[cells.index(word) + 5] == f"({x:z.2f}, {y:z.2f})"


def test_the_table_is_the_pictures_twin(explorer):
    explorer.show_table.value = True
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", explorer.table.picture)
    at = cells.index("sum")
    assert cells[at + 3] == "1.000"
    output = explorer.compute(explorer.read()).output
    assert cells[at + 5] == f"({output[0]:.2f}, {output[1]:.2f})"
    explorer.show_table.value = False
    assert explorer.table.widget.value == ""


@pytest.mark.parametrize("setting", ({"x": 9}, {"y": 0.1}, {"temperature": 0}))
def test_a_start_that_is_not_offered_is_refused(setting):
    with pytest.raises(ValueError, match="must be one of"):
        explore_average(**setting)


def test_it_starts_where_it_is_asked_to():
    explorer = explore_average(x=-2, y=0.75, temperature=2)
    assert explorer.read() == State(-2, 0.75, 2)


def test_every_control_has_a_description(explorer):
    for control in (explorer.x, explorer.y, explorer.temperature):
        assert control.description


def test_two_copies_live_side_by_side(explorer):
    other = explore_average(x=-2)
    explorer.x.value = 3.0
    assert other.x.value == -2
    assert "Query (-2," in other.planes.picture


def test_a_move_takes_a_few_milliseconds(explorer):
    start = time.process_time()
    for x in QUERY_STEPS:
        explorer.x.value = x
    assert (time.process_time() - start) / len(QUERY_STEPS) < 0.05
