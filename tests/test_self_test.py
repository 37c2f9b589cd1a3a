"""Is everything here, and do widgets answer? In plain words."""

import re

import pytest

from helpers.environment import DRAWS, MEND, NEEDED, faults, installed
from helpers.explorers.self_test import ANSWERED, DEAD, WAITING, try_widgets
from tests.tools import ROOT

GOOD = {
    "numpy": "2.4.6",
    "matplotlib": "3.11.2",
    "ipywidgets": "8.1.9",
    "jupyterlab": "4.6.6",
    DRAWS: "3.0.17",
}


def test_the_bounds_are_those_of_the_requirements():
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    bounds = dict(re.findall(r"^(\w+)\s*>=\s*([\d.]+)", text, re.M))
    assert {k: v.removesuffix(".0") for k, v in bounds.items()} == NEEDED


def test_nothing_is_wrong_here():
    assert all(installed().values())
    assert faults() == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ipywidgets": None}, "ipywidgets is missing"),
        ({"ipywidgets": "7.8.5"}, "ipywidgets 7.8.5 is too old"),
        ({"ipywidgets": "8.1.4"}, "needs 8.1.5 or newer"),
        ({"numpy": "1.9.0"}, "numpy 1.9.0 is too old"),
        ({DRAWS: None}, "nothing to draw sliders with"),
        ({DRAWS: "1.1.11"}, "does not fit ipywidgets 8"),
    ],
)
def test_what_is_wrong_is_said_and_how_to_mend_it(change, said):
    found = faults(GOOD | change, ())
    assert said in found[0]
    assert found[-1] == MEND


def test_newer_versions_and_odd_names_pass():
    newer = {"numpy": "10.0", "jupyterlab": "4.10.0rc1", "matplotlib": "4.0"}
    assert faults(GOOD | newer, ()) == []


def test_an_untested_place_is_named():
    assert "Colab" in faults(GOOD, {"google.colab"})[0]


def test_it_waits_for_the_page():
    box = try_widgets()
    assert box.page.text == WAITING
    assert box.page.widget._view_count == 0  # None: no page would count
    box.page.widget._view_count = 1  # as the page does when it draws
    assert box.page.text == ANSWERED


def test_it_waits_for_the_reader():
    box = try_widgets()
    assert box.moved.text.endswith("This sentence must change while you do.")
    for place in range(1, 9):
        box.slider.value = place
        if place > 1:
            assert f"the slider is at {place}." in box.moved.text
    box.slider.value = 4
    assert "the slider is at 4." in box.moved.text
    assert box.page.text == ANSWERED


def test_what_is_read_where_nothing_can_be_drawn():
    bundle = try_widgets()._repr_mimebundle_()
    assert bundle["text/plain"] == DEAD
    assert "<svg" not in bundle["text/html"]


def test_a_failure_is_seen(monkeypatch):
    box = try_widgets()
    monkeypatch.setattr(box, "compute", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        box.slider.value = 7
