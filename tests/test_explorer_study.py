"""The study explorer, headless: shipped numbers, and a run beside them."""

import asyncio
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from helpers.explorers.study import explore_study, results, views
from helpers.explorers.study import explorer as module
from helpers.learn.studies import SECONDS, STUDIES, shipped
from helpers.learn.study import file_of
from helpers.learn.training import Progress, TrainingError
from tests.explorers import count_shows, is_old, plant_failure, until


def quick(row, seed):
    """Train nothing for three steps; give what was shipped for seed 0."""
    for step in (1, 2, 3):
        yield Progress(step, 3, {}, 0.0)
    known = shipped("heads")[row]
    return {column: numbers[seed] for column, numbers in known.items()}


def use_trains(monkeypatch, trains):
    study = replace(STUDIES["heads"], trains=trains)
    monkeypatch.setitem(module.STUDIES, "heads", study)


@pytest.fixture
def explorer(monkeypatch):
    """Return an explorer whose trainings take no time."""
    use_trains(monkeypatch, quick)
    return explore_study("heads")


# --- what is shipped ----------------------------------------------------


@pytest.mark.parametrize("name", [n for n in STUDIES if file_of(n).exists()])
def test_every_study_and_column(name):
    explorer = explore_study(name)
    study, known = explorer.study, shipped(name)
    for column in study.columns:
        explorer.column.value = column
        label = ET.fromstring(explorer.strips.picture).get("aria-label")
        assert label.startswith(f"{name}, {column}: mean")
        dots = explorer.strips.picture.count("<circle") - 1
        numbers = [n for row in study.rows for n in known[row][column]]
        assert dots == sum(not math.isnan(n) for n in numbers)
        for row in study.rows:
            finite = [n for n in known[row][column] if not math.isnan(n)]
            said = "–"
            if finite:
                mean = sum(finite) / len(finite)
                said = f"{mean:.2f}"
            if len(finite) > 1:
                said += f" ({min(finite):.2f} … {max(finite):.2f})"
            assert f"{row}: {said}" in label
            assert said in explorer.table.picture
        assert not is_old(explorer.strips)
    explorer.all_columns.value = True
    assert explorer.table.picture.count("<th scope") == 1 + len(
        study.columns
    ) + len(study.rows)


def test_opening_trains_nothing(monkeypatch):
    def fail(*_):
        raise AssertionError("it trains")

    use_trains(monkeypatch, fail)
    explorer = explore_study("heads", "loss object")
    assert explorer.column.value == "loss object"
    assert "trained here" not in explorer.strips.picture
    assert explorer.status.text == "Nothing is trained here yet."
    explorer.portrait()


def test_where_the_numbers_come_from_is_said(explorer):
    record = explorer.record
    said = explorer.heading.picture
    assert f"NumPy {record['numpy']}" in said
    assert "python -m helpers.learn.make studies" in said
    assert "seeds 0 to 7, 600 steps" in said


def test_the_estimate_grows_with_the_seeds(explorer):
    seconds = [
        [n for row in explorer.study.rows for n in shipped("heads")[row][c]]
        for c in (SECONDS,)
    ][0]
    explorer.n_seeds.value = 8
    said = f"They took {round(sum(seconds))} s of one core"
    assert said in explorer.message.text
    assert explorer.message.text.startswith("32 trainings.")
    without = tuple(
        replace(t, numbers=tuple(n for n in t.numbers if n[0] != SECONDS))
        for t in explorer.shipped
    )
    assert results.estimate(without, (0,)) is None
    assert "was not noted" in views.offer(explorer.study, without, (0,))


def test_a_spread_says_what_there_is():
    said = [results.Spread(n).in_words() for n in ((), (0.4,), (0, 1))]
    assert said == ["–", "0.40", "0.50 (0.00 … 1.00)"]


def test_axes_end_at_round_numbers():
    tops = [views.top_of(n) for n in (0, 0.4, 1, 1.2, 4.38, 20, 41)]
    assert tops == [1, 1, 1, 2, 5, 20, 50]
    assert [views.low_of(n) for n in (0.3, -0.003, -0.8, -3)] == [0, 0, -1, -3]


# --- running it again ---------------------------------------------------


def test_a_run_without_a_loop_stands_beside_the_shipped(explorer):
    explorer.n_seeds.value = 2
    explorer.run.click()
    assert len(explorer.here) == 8
    assert [t.seed for t in explorer.here] == [0] * 4 + [1] * 4
    assert "trained here" in explorer.strips.picture
    assert explorer.strips.picture.count("<circle") == 32 + 8 + 2
    assert "8 of 8 trainings done here. Largest" in explorer.status.text
    assert explorer.status.text.endswith(f"in {explorer.column.value}: 0.")
    assert f"{explorer.column.value}, shipped" in explorer.table.picture
    assert explorer.progress.bar_style == "success"
    assert explorer.progress.value == module.PARTS
    assert explorer.stop.disabled


def test_a_new_run_takes_the_place_of_the_last(explorer):
    explorer.n_seeds.value = 3
    explorer.run.click()
    explorer.n_seeds.value = 1
    explorer.run.click()
    assert [t.seed for t in explorer.here] == [0] * 4
    assert "4 of 4 trainings done here" in explorer.status.text


def test_a_real_run_is_what_was_shipped():
    explorer = explore_study("heads")
    for _, trained in results.running(explorer.study, (0,)):
        if trained is not None and trained.row == "h = 2":
            break
    column = "P object"
    known = shipped("heads")["h = 2"][column][0]
    assert trained.number(column) == pytest.approx(known, abs=0.02)


def test_stop_keeps_what_is_finished(explorer, monkeypatch):
    def slow(row, seed):
        if row == explorer.study.rows[1]:
            for _ in range(10**6):
                yield Progress(1, 2, {}, 0.0)
        return (yield from quick(row, seed))

    use_trains(monkeypatch, slow)
    explorer = explore_study("heads")

    async def use():
        explorer.run.click()
        assert "Stop ends it" in explorer.message.text
        assert not explorer.stop.disabled
        await until(lambda: explorer.here)
        explorer.stop.click()
        await asyncio.sleep(0.03)

    asyncio.run(use())
    assert len(explorer.here) == 1 and not explorer.slices.running
    assert "Stopped: 1 of 4 trainings are finished" in explorer.message.text
    assert explorer.progress.bar_style == "warning"
    assert "1 of 4 trainings done here" in explorer.status.text


def test_a_run_while_one_runs_begins_anew(explorer):
    async def use():
        explorer.run.click()
        explorer.n_seeds.value = 2
        explorer.run.click()
        await until(lambda: not explorer.slices.running)

    asyncio.run(use())
    assert len(explorer.here) == 8


@pytest.mark.parametrize("loop", (False, True))
@pytest.mark.parametrize("error", (TrainingError, ZeroDivisionError))
def test_a_failure_while_training_is_said(monkeypatch, error, loop):
    def fails(_row, _seed):
        yield Progress(1, 2, {}, 0.0)
        raise error("planted")

    use_trains(monkeypatch, fails)
    explorer = explore_study("heads")

    async def use():
        explorer.run.click()
        await until(lambda: not explorer.slices.running)

    if loop:
        asyncio.run(use())
    elif error is TrainingError:
        explorer._on_run(None)
    else:
        with pytest.raises(error):
            explorer._on_run(None)
    assert "planted" in explorer.message.text
    assert "Stopped: 0 of 4" in explorer.message.text
    assert explorer.stop.disabled and explorer.here == ()


def test_closing_ends_the_run(explorer):
    async def use():
        explorer.run.click()
        explorer.close()
        assert not explorer.slices.running

    asyncio.run(use())


# --- the loop, and bad starts -------------------------------------------


@pytest.mark.parametrize(
    ("dial", "value"),
    [("column", "P object"), ("n_seeds", 3), ("all_columns", True)],
)
def test_one_move_is_one_redraw(explorer, monkeypatch, dial, value):
    shows = count_shows(explorer, monkeypatch)
    explorer.dials[dial].value = value
    assert len(shows) == 1


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.column.value = "P object"
    assert "planted" in explorer.message.text and is_old(explorer.strips)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no such",), "There is no study 'no such'; there are heads"),
        (("<b>",), "There is no study '<b>'"),
        ((None,), "There is no study None"),
        (("heads", "P nothing"), "has no column 'P nothing'; it has P"),
    ],
)
def test_a_start_that_is_not_possible(arguments, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explore_study(*arguments)


def test_every_control_has_a_description(explorer):
    controls = (*explorer.dials.values(), explorer.progress)
    for control in (*controls, explorer.run, explorer.stop):
        assert control.description
