"""The explorer of scale and masks, headless; and the numbers it shows."""

import itertools
import re
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers.attention import softmax
from helpers.explorers.scaling import explore_scaling, views
from helpers.explorers.scaling.tables import (
    AFTER,
    BEFORE,
    BOTH,
    CAUSAL,
    D_K,
    KEYS,
    MASKS,
    PAD_LEFT,
    PAD_RIGHT,
    Masked,
    entropy,
    gradient_size,
    masked_map,
    rows,
)
from tests.explorers import count_shows, is_old, plant_failure


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_scaling()


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state = explorer.read()
    result = explorer.compute(state)
    label = ET.fromstring(explorer.curves.picture).get("aria-label")
    assert label == explorer.scale_status.text
    assert label.startswith(f"d_k = {state.d_k}, ")
    assert ("without scale" in label) is not state.scaled
    colours = views.RAW_COLOUR, views.SCALED_COLOUR
    filled = [f'fill="{c}"' in explorer.bars.picture for c in colours]
    assert filled == [not state.scaled, state.scaled]
    label = ET.fromstring(explorer.map.picture).get("aria-label")
    assert label == explorer.mask_status.text
    assert (result.attn[~result.visible] == 0).all()
    if state.masked.acts == BEFORE:
        sums = result.attn.sum(axis=-1)
        assert sums == pytest.approx(1.0 * result.visible.any(axis=-1))


def test_every_value_of_every_control(explorer):
    for scaled, d_k in itertools.product((False, True), D_K):
        explorer.scaled.value, explorer.d_k.value = scaled, d_k
        is_sound(explorer)
    for mask, acts in itertools.product(MASKS, (BEFORE, AFTER)):
        explorer.mask.value, explorer.acts.value = mask, acts
        for real in range(10):
            explorer.real.value = real
            is_sound(explorer)


# --- what the scale does ------------------------------------------------


def test_the_gradient_is_the_derivative_of_softmax():
    scores = np.random.default_rng(7).standard_normal(5)
    step = 1e-6
    jacobian = [
        (softmax(scores + step * e) - softmax(scores - step * e)) / (2 * step)
        for e in np.eye(5)
    ]
    assert gradient_size(softmax(scores)) == pytest.approx(
        np.linalg.norm(jacobian), rel=1e-6
    )


def test_entropy_runs_from_0_to_its_most():
    assert entropy(np.eye(4)[0]) == 0
    assert entropy(np.full(4, 0.25)) == pytest.approx(np.log(4))


def test_the_variance_of_a_score_is_d_k():
    assert rows(False).variance == pytest.approx(D_K, rel=0.05)


def test_the_gradient_rises_first_and_its_median_collapses():
    raw = rows(False)
    peak = int(raw.gradient.argmax())
    assert D_K[peak] in (8, 16)
    assert raw.gradient[peak] > 1.5 * raw.gradient[0]
    assert raw.gradient[-1] < raw.gradient[peak] / 500
    assert raw.mean_gradient[-1] > raw.mean_gradient.max() / 10
    assert raw.entropy[-1] < 0.01 and raw.largest[-1] > 0.99


def test_with_the_scale_nothing_moves_with_d_k():
    tame = rows(True)
    assert np.ptp(tame.entropy[1:]) < 0.06
    assert np.ptp(tame.largest[1:]) < 0.05
    assert np.ptp(tame.gradient[1:]) < 0.03
    assert rows(False).gradient[0] == tame.gradient[0]  # √1 changes nothing


def test_what_matters_is_said(explorer):
    assert explorer.message.text == ""
    explorer.d_k.value = 256
    assert "saturated" in explorer.message.text
    explorer.scaled.value = True
    assert "nearly level" in explorer.message.text


def test_the_tables_are_made_once(explorer):
    before = rows(False)
    explorer.d_k.value = 1024
    assert rows(False) is before
    assert before.example.shape == (len(D_K), KEYS)


# --- what a mask does ---------------------------------------------------


def test_ate_and_it_before_and_under_the_causal_mask():
    free = masked_map(Masked("none", BEFORE, 9)).attn
    assert free[2, [1, 4]] == pytest.approx(0.5, abs=0.001)
    assert free[6, [1, 8]] == pytest.approx(0.5, abs=0.001)
    hidden = masked_map(Masked(CAUSAL, BEFORE, 9)).attn
    assert hidden[2, [1, 4]] == pytest.approx([1, 0], abs=0.001)
    assert hidden[6, [1, 8]] == pytest.approx([1, 0], abs=0.003)


def test_after_the_softmax_the_rows_lose_their_sum(explorer):
    explorer.mask.value, explorer.acts.value = CAUSAL, AFTER
    sums = explorer.compute(explorer.read()).attn.sum(axis=-1)
    assert sums[0] == pytest.approx(1 / 9) and sums[2] < 0.51
    assert "no longer sum to 1" in explorer.mask_status.text
    assert "not 1" in explorer.map.picture


def test_rows_that_see_nothing(explorer):
    explorer.mask.value, explorer.real.value = BOTH, 6
    result = explorer.compute(explorer.read())
    assert (result.attn[:3] == 0).all()
    assert "3 rows may see nothing" in explorer.mask_status.text
    assert explorer.map.picture.count("sees nothing</text>") == 3
    explorer.mask.value, explorer.real.value = PAD_LEFT, 0
    assert "9 rows may see nothing" in explorer.mask_status.text


def test_padding_stands_where_it_is_said():
    right = masked_map(Masked(PAD_RIGHT, BEFORE, 7))
    left = masked_map(Masked(PAD_LEFT, BEFORE, 7))
    assert right.tokens[:2] == ("The", "cat") == left.tokens[2:4]
    assert right.tokens[7:] == left.tokens[:2]
    assert not right.visible[:, 7:].any() and not left.visible[:, :2].any()
    assert left.attn[4, 3] == pytest.approx(0.5, abs=0.001)  # ate -> cat


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (Masked("none", AFTER, 9), "Mask: none, after softmax (times 0)."),
        (
            Masked(CAUSAL, BEFORE, 9),
            "ate: cat 1.00, fish hidden. it: cat 1.00, hungry hidden.",
        ),
        (
            Masked(PAD_RIGHT, BEFORE, 5),
            "ate: cat 0.50, fish 0.50.",
        ),
        (
            Masked(BOTH, BEFORE, 7),
            "it: cat 1.00. 2 rows may see nothing: weights 0, output 0.",
        ),
        (
            Masked(BOTH, BEFORE, 8),
            "it: cat 1.00. 1 row may see nothing: weights 0, output 0.",
        ),
        (Masked(CAUSAL, AFTER, 9), "Some rows no longer sum to 1."),
    ],
)
def test_the_map_in_words(setting, said):
    found = views.mask_in_words(setting, masked_map(setting))
    assert said in found
    assert ("no longer" in found) == ("no longer" in said)
    assert ("may see nothing" in found) == ("may see nothing" in said)


# --- the controls -------------------------------------------------------


@pytest.mark.parametrize(
    "control", ("d_k", "scaled", "mask", "acts", "show_curves", "show_map")
)
def test_one_move_is_one_redraw(explorer, control, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    values = {"d_k": 8, "mask": CAUSAL, "acts": AFTER}
    getattr(explorer, control).value = values.get(control, True)
    assert len(shows) == 1


def test_a_moved_mask_leaves_the_curves_alone(explorer):
    before = explorer.curves.picture
    explorer.mask.value = CAUSAL
    assert explorer.curves.picture is before


def test_padding_needs_a_padding_mask(explorer):
    assert explorer.real.disabled
    explorer.mask.value = PAD_RIGHT
    assert not explorer.real.disabled


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.d_k.value = 4
    assert "planted" in explorer.message.text
    assert is_old(explorer.curves)


def test_tables_are_the_pictures_twins(explorer):
    explorer.show_curves.value = explorer.show_map.value = True
    assert explorer.curve_table.picture.count("<tr>") == 1 + len(D_K)
    explorer.mask.value = CAUSAL
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", explorer.map_table.picture)
    assert cells.count("–") == 36 and cells[-1] == "1.00"
    explorer.show_curves.value = explorer.show_map.value = False
    assert explorer.curve_table.widget.value == ""
    assert explorer.map_table.widget.value == ""


@pytest.mark.parametrize("setting", ({"d_k": 3}, {"mask": "all"}))
def test_a_start_that_is_not_offered_is_refused(setting):
    with pytest.raises(ValueError, match="must be one of"):
        explore_scaling(**setting)


def test_two_copies_live_side_by_side(explorer):
    other = explore_scaling(d_k=2, mask=CAUSAL)
    explorer.d_k.value = 1024
    assert other.d_k.value == 2 and "d_k = 2," in other.curves.picture


def test_a_move_takes_a_few_milliseconds(explorer):
    start = time.process_time()
    for d_k in D_K:
        explorer.d_k.value = d_k
    for mask in MASKS:
        explorer.mask.value = mask
    assert (time.process_time() - start) / 16 < 0.05
