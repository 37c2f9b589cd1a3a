"""The ledger explorer, headless: every value, what it says, the clock."""

import asyncio
import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from helpers.cost import (
    binary_units,
    flops,
    full_width_heads,
    one_head,
    parameters,
)
from helpers.explorers import costs
from helpers.explorers.ledger import explore_ledger, timing, views
from helpers.explorers.ledger.explorer import N_CHOICES
from helpers.explorers.ledger.timing import Times, timed_heads, timed_N
from helpers.explorers.slices import Slices
from helpers.pictures.bars import FLOPS_IN, STEP_NAMES
from helpers.sizes import D_MODEL_CHOICES, Sizes, divisors
from tests.explorers import count_shows, is_old, plant_failure, until


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_ledger()


@pytest.fixture
def quick(monkeypatch):
    """Measure with a clock that counts instead of one that waits."""
    real, ticks = timing.runs, itertools.count()

    def runs(N, d_model, heads, rounds=2):
        return real(N, d_model, heads, rounds, lambda: next(ticks) / 1000)

    monkeypatch.setattr(timing, "runs", runs)


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state = explorer.read()
    N, sizes = state.N, state.sizes
    per = FLOPS_IN[state.unit]
    label = ET.fromstring(explorer.bars.picture).get("aria-label")
    total = flops(N, sizes).total
    assert f": {total // per:,} {state.unit}, of which" in label
    assert f"{total // per:,} {state.unit}</b>" in explorer.price.picture
    assert explorer.bars.widget.value == explorer.bars.picture
    single = flops(N, one_head(sizes)).total
    if sizes.n_kv == sizes.h and state.one_head_mixes:
        assert total == single
        assert "the same as one head" in explorer.price.picture
    else:
        assert ("the same as one head" in explorer.price.picture) == (
            total
            == single - (0 if state.one_head_mixes else single_W_O(N, sizes))
        )
    assert flops(N, full_width_heads(sizes)).total >= total
    balance = costs.balance_N(sizes)
    assert flops(balance, sizes).projections == flops(balance, sizes).attention
    assert f"= {balance:,}.<br>" in explorer.not_free.picture


def single_W_O(N, sizes):
    return flops(N, one_head(sizes)).W_O


def test_the_default_is_the_texts_setting(explorer):
    assert "8 heads: 1,610,612,736 FLOPs" in explorer.price.picture
    assert "12,884,901,888, 8.0 times" in explorer.price.picture
    assert "score memory 8 MiB in float32 (h = 1: 1 MiB)" in (
        explorer.not_free.picture
    )
    assert "N = 2 · d_model = 1,024" in explorer.not_free.picture
    is_sound(explorer)


@pytest.mark.parametrize("d_model", D_MODEL_CHOICES)
def test_every_width_h_and_n_kv(explorer, d_model):
    explorer.d_model.value = d_model
    assert tuple(explorer.h.options) == divisors(d_model)
    for h in divisors(d_model):
        explorer.h.value = h
        assert tuple(explorer.n_kv.options) == divisors(h)
        assert explorer.n_kv.value == h
        for n_kv in divisors(h):
            explorer.n_kv.value = n_kv
            is_sound(explorer)
        explorer.n_kv.value = h


@pytest.mark.parametrize("mixes", (True, False))
@pytest.mark.parametrize("unit", FLOPS_IN)
def test_every_N_at_the_corners(explorer, unit, mixes):
    explorer.unit.value = unit
    explorer.one_head_mixes.value = mixes
    for d_model, h, n_kv in ((8, 1, 1), (8, 8, 1), (1024, 1024, 1024)):
        explorer.d_model.value = d_model
        explorer.h.value = h
        explorer.n_kv.value = n_kv
        for N in N_CHOICES:
            explorer.N.value = N
            is_sound(explorer)


def test_softmax_and_memory_grow_and_products_do_not(explorer):
    for h in (1, 8, 64, 512):
        explorer.h.value = h
        assert "1,610,612,736 FLOPs" in explorer.price.picture
        assert f"softmax, {h * 512 * 512:,} exponentials" in (
            explorer.not_free.picture
        )


def test_without_the_full_width_bar_the_two_bars_stay(explorer):
    def widths():
        found = re.findall(
            r'width="([\d.]+)" height="20"', explorer.bars.picture
        )
        return [float(width) for width in found]

    assert len(widths()) == 18
    explorer.draws_full.value = False
    before = widths()
    assert len(before) == 12 and before[:6] == before[6:]
    for h in (1, 64, 512):
        explorer.h.value = h
        assert widths() == before
    assert "of full width" not in explorer.bars.picture
    assert "of full width" in explorer.ledger_table.picture


def test_n_kv_follows_h_until_the_reader_chooses(explorer):
    explorer.h.value = 32
    assert explorer.n_kv.value == 32 and explorer.message.text == ""
    explorer.n_kv.value = 8
    explorer.h.value = 64
    assert explorer.n_kv.value == 8
    explorer.h.value = 4
    assert explorer.n_kv.value == 4
    assert "n_kv moved from 8 to 4" in explorer.message.text
    explorer.h.value = 16
    assert explorer.n_kv.value == 8
    assert "back at your own choice" in explorer.message.text


def test_shared_heads_tip_the_balance_earlier(explorer):
    explorer.n_kv.value = 2
    assert "d_model · (1 + n_kv / h) = 640" in explorer.not_free.picture
    assert "25.0% fewer than one head" in explorer.price.picture
    explorer.N.value = 512
    is_sound(explorer)


def test_h_moves_with_d_model_and_says_so(explorer):
    explorer.d_model.value = 60
    assert (explorer.h.value, explorer.n_kv.value) == (6, 6)
    assert "heads h moved from 8 to 6" in explorer.message.text
    explorer.d_model.value = 512
    assert (explorer.h.value, explorer.n_kv.value) == (8, 8)


def test_w_o_left_out_on_one_side(explorer):
    explorer.one_head_mixes.value = False
    assert "20.0% more than one head" in explorer.price.picture
    assert "one head, no W_O: 1,342,177,280" in explorer.bars.picture


def test_multiply_adds_are_half_and_labels_agree(explorer):
    explorer.unit.value = "multiply-adds"
    for stage in (explorer.price, explorer.bars):
        assert "805,306,368 multiply-adds" in stage.picture
    assert "1,610,612,736" not in explorer.ledger_table.picture
    assert "multiply-adds at N = 512" in explorer.ledger_table.picture
    assert " FLOPs," not in explorer.bars.picture


def test_causal_pairs_stand_in_the_note(explorer):
    explorer.d_model.value, explorer.h.value = 8, 2
    explorer.N.value = 8
    assert "N(N + 1)/2 = 36 of 64" in explorer.not_free.picture
    assert "1,152 FLOPs in scores" in explorer.not_free.picture
    assert flops(8, Sizes(8, 2)).attention == 2048


def test_the_table_agrees_with_cost(explorer):
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", explorer.ledger_table.picture)
    place = cells.index("all products")
    assert cells[place + 1 : place + 4] == [
        "1,610,612,736",
        "1,610,612,736",
        "12,884,901,888",
    ]
    explorer.show_table.value = False
    assert explorer.ledger_table.widget.value == ""


def test_each_cell_of_the_table_is_what_cost_says():
    N, sizes = 11, Sizes(d_model=60, h=6)
    html = costs.ledger_table(N, sizes, "multiply-adds", False)
    rows = [
        re.findall(r"<t[dh][^>]*>([^<]*)", line)
        for line in re.findall(r"<tr>(.*?)</tr>", html)
    ]
    told = {name: cells for name, *cells in rows}
    single, full = one_head(sizes), full_width_heads(sizes)
    counts = [flops(N, s).as_dict() for s in (single, sizes, full)]
    counts[0]["W_O"] = 0
    for step, name in STEP_NAMES.items():
        assert told[name] == [f"{count[step] // 2:,}" for count in counts]
    memory = [4 * s.h * N * N for s in (single, sizes, full)]
    assert told["score memory"] == list(map(binary_units, memory))
    numbers = [parameters(s).total for s in (single, sizes, full)]
    numbers[0] -= parameters(single).W_O
    assert told["parameters"] == [f"{number:,}" for number in numbers]


# --- the clock ----------------------------------------------------------


def test_measuring_without_a_loop_runs_at_once(explorer, quick):
    assert "Nothing is measured yet" in explorer.clock.picture.picture
    explorer.clock.measure.click()
    assert explorer.clock.times.rounds == 2
    label = ET.fromstring(explorer.clock.picture.picture).get("aria-label")
    assert label.startswith("Measured here, N = 128, d_model = 512: h = 1")
    assert "301,989,888 FLOPs" in explorer.clock.status.text
    assert (explorer.clock.measure.disabled, explorer.clock.stop.disabled) == (
        False,
        True,
    )
    explorer.clock.show_table.value = True
    assert explorer.clock.table.picture.count("<tr>") == 9
    explorer.clock.show_table.value = False
    assert explorer.clock.table.picture == ""


def test_measuring_again_forgets_the_runs_before(explorer, quick):
    explorer.clock.measure.click()
    explorer.clock.measure.click()
    assert explorer.clock.times.rounds == 2


def test_times_belong_to_their_setting(explorer, quick):
    explorer.clock.measure.click()
    explorer.h.value = 4
    assert explorer.clock.times.rounds == 2
    explorer.N.value = 256  # still 128 on the clock
    assert explorer.clock.times.rounds == 2
    explorer.d_model.value = 64
    assert "Nothing is measured yet" in explorer.clock.picture.picture
    assert "d_model = 64" in explorer.clock.picture.picture


def test_stop_is_heard_between_slices(explorer, quick):
    async def use():
        explorer.clock.measure.click()
        assert (
            explorer.clock.measure.disabled
            and not explorer.clock.stop.disabled
        )
        await until(lambda: explorer.clock.times.seconds)
        explorer.clock.stop.click()
        done = explorer.clock.times
        await asyncio.sleep(0.05)
        assert explorer.clock.times == done and done.rounds < 2
        assert (
            not explorer.clock.measure.disabled
            and explorer.clock.stop.disabled
        )

    asyncio.run(use())
    assert explorer.clock.slices.running is False


def test_another_setting_ends_the_measurement(explorer, quick):
    async def use():
        explorer.clock.measure.click()
        await until(lambda: explorer.clock.times.seconds)
        explorer.d_model.value = 64
        assert not explorer.clock.slices.running
        assert not explorer.clock.measure.disabled
        await asyncio.sleep(0.05)
        assert explorer.clock.times == Times(128, 64)

    asyncio.run(use())


def test_measuring_in_a_loop_comes_to_its_end(explorer, quick):
    explorer.d_model.value = 8

    async def use():
        explorer.clock.measure.click()
        await until(lambda: not explorer.clock.slices.running)

    asyncio.run(use())
    assert explorer.clock.times.rounds == 2
    assert not explorer.clock.measure.disabled


@pytest.mark.parametrize("loop", (False, True))
def test_a_failure_while_measuring_is_said(explorer, monkeypatch, loop):
    def fail(*_):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(timing, "multi_head_attention", fail)

    async def use():
        explorer.clock.measure.click()
        await until(lambda: not explorer.clock.slices.running)

    if loop:
        asyncio.run(use())
    else:
        with pytest.raises(ZeroDivisionError):
            explorer.clock.measure._click_handlers.callbacks[0](
                explorer.clock.measure
            )
    assert "planted" in explorer.message.text
    assert not explorer.clock.measure.disabled


def test_closing_ends_the_measurement(explorer, quick):
    async def use():
        explorer.clock.measure.click()
        explorer.close()
        assert not explorer.clock.slices.running

    asyncio.run(use())


def test_slices_start_again_in_place_of_what_runs():
    ends = []

    async def use():
        slices = Slices(on_failure=None, on_end=ends.append)
        slices.start(iter(range(1000)))
        slices.start(iter(range(2)))
        await until(lambda: not slices.running)

    asyncio.run(use())
    assert ends == [False, True]


@pytest.mark.parametrize("d_model", D_MODEL_CHOICES)
def test_what_is_timed_is_small_and_legal(d_model):
    heads = timed_heads(d_model)
    assert heads[0] == 1 and 2 < len(heads) <= timing.MOST_MEASURED
    assert all(d_model % h == 0 for h in heads)
    assert len(set(heads)) == len(heads)
    assert max(heads) * timed_N(131_072) ** 2 <= 2**21


def test_times_sum_up():
    times = Times(8, 8)
    for h, seconds in ((1, 0.2), (2, 0.5), (1, 0.1), (1, 0.4), (2, 0.7)):
        times = times.with_run(h, seconds)
    assert times.rounds == 2
    assert times.summary() == ((1, 0.1, 0.2, 0.4), (2, 0.5, 0.6, 0.7))


# --- the loop, and bad starts -------------------------------------------


@pytest.mark.parametrize("control", ("h", "n_kv", "d_model", "N", "unit"))
def test_one_move_is_one_redraw(explorer, control, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    values = {"h": 16, "n_kv": 2, "d_model": 60, "N": 9}
    getattr(explorer, control).value = values.get(control, "multiply-adds")
    assert len(shows) == 1


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.h.value = 4
    assert "planted" in explorer.message.text
    assert is_old(explorer.bars)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"h": 12, "d_model": 64}, "h=8 or h=16"),
        ({"h": 0}, "from 1"),
        ({"n_kv": 3}, "divisors of 8 are 1, 2, 4, 8"),
        ({"d_model": 100, "h": 10}, "one of 8, 16"),
        ({"d_model": 100}, "got 100; the nearest is 96"),
        ({"N": 10**6}, "131,072: got 1000000; the nearest is 131,072"),
        ({"N": "many"}, "got 'many'"),
    ],
)
def test_a_start_that_is_not_possible(settings, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explore_ledger(**settings)


def test_two_copies_live_side_by_side(explorer):
    other = explore_ledger(h=32, n_kv=8, d_model=1024, N=131_072)
    is_sound(other)
    explorer.h.value = 2
    assert (other.h.value, other.n_kv.value) == (32, 8)


def test_every_control_has_a_description(explorer):
    names = "h n_kv d_model N unit one_head_mixes draws_full show_table"
    controls = [getattr(explorer, name) for name in names.split()]
    for control in (*controls, *explorer.clock.controls):
        assert control.description


def test_noise_is_said():
    apart = Times(8, 8).with_run(1, 1.0).with_run(2, 2.0)
    assert "overlap" not in views.times_in_words(apart)
    assert "2.0 times as long" in views.times_in_words(apart)
    noisy = apart.with_run(1, 3.0).with_run(2, 1.5)
    assert "these two lines overlap" in views.times_in_words(noisy).lower()
