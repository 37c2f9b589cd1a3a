"""The training explorer, headless: settings, runs, what goes wrong."""

import asyncio
import itertools
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from helpers.controls import runs as cell_runs
from helpers.counted import count, counting
from helpers.explorers.training import (
    attempts,
    explore_training,
    runs,
    views,
)
from helpers.explorers.training.lessons import lesson, verdict
from helpers.explorers.training.setting import (
    HEADS,
    NOUNS,
    RATES,
    SEEDS,
    VARIANTS,
    Setting,
    cost,
)
from helpers.explorers.training.shipped import made_anew, shipped_runs
from helpers.learn import gradients
from helpers.learn.who_did_what import ROLES, WhoDidWhat
from tests.explorers import count_shows, is_old, plant_failure, until

STEPS = 18  # enough for three points of a curve
TOO_FAST = RATES[-1]


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_training()


@pytest.fixture
def short(monkeypatch):
    """Train for a few steps only."""
    monkeypatch.setattr(WhoDidWhat, "steps", STEPS)


def last_of(setting):
    *_, run = runs.training(setting)
    return run


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    setting = explorer.read()
    own = cost(setting)
    price = explorer.price.picture
    assert f"{own.parameters:,} parameters, {own.flops:,} FLOPs" in price
    assert ": the same for h = " in price
    for stage in (explorer.curves, explorer.maps):
        ET.fromstring(stage.picture)
        assert is_old(stage) == (explorer.shown.setting != setting)
    label = ET.fromstring(explorer.curves.picture).get("aria-label")
    assert explorer.shown.setting.in_words() in label
    if is_old(explorer.curves):
        assert explorer.message.text.startswith("Not trained yet: ")
        assert setting.in_words() in explorer.message.text
    for row in all_rows(explorer.shown):
        assert sum(row) == pytest.approx(1, abs=1e-3)
    assert explorer.stop.disabled and not explorer.slices.running


def all_rows(run):
    return [
        row
        for sentence in run.shares
        for layer in sentence
        for head in layer
        for row in head
    ]


# --- opening, and every setting -----------------------------------------


def test_opening_trains_nothing(monkeypatch):
    def fail(*_, **__):
        raise AssertionError("it trains")

    monkeypatch.setattr(runs, "train", fail)
    explorer = explore_training()
    assert not is_old(explorer.curves)
    assert explorer.message.text.startswith("Blurred")
    explorer.h.value = 2
    assert not is_old(explorer.curves)
    assert "reads the subject" in explorer.message.text
    assert explorer.table.picture.count("shipped") == 2
    explorer.portrait()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("nouns", NOUNS)
def test_every_setting_is_sound(explorer, variant, nouns):
    explorer.variant.value, explorer.nouns.value = variant, nouns
    for h in HEADS:
        explorer.h.value = h
        is_sound(explorer)
    for seed, rate in ((SEEDS[-1], RATES[0]), (SEEDS[0], RATES[-1])):
        explorer.seed.value, explorer.learning_rate.value = seed, rate
        is_sound(explorer)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("h", HEADS)
def test_the_cost_is_what_the_code_does(monkeypatch, variant, h):
    monkeypatch.setattr(gradients, "project", lambda X, W: X @ W)
    setting = Setting(h, variant, nouns=8)
    model, task = setting.model(), setting.task()
    for name in model.parts:
        model.parts[name] = count(model.parts[name])
    tokens = task.tokens(runs.SENTENCES[0])[None]
    with counting() as tally:
        X, _ = model.forward(tokens)
        for role, asked in task.ask(tokens).asked.items():
            X[asked.rows, asked.places] @ model.parts["read " + role]
    assert cost(setting).flops == tally.flops
    assert cost(setting).exponentials == tally.exponentials
    assert cost(setting).parameters == model.flat.size


def test_all_dials_are_named(explorer):
    assert list(explorer.dials) == [
        "h",
        "variant",
        "nouns",
        "seed",
        "learning_rate",
    ]
    controls = (*explorer.dials.values(), explorer.progress)
    for control in (*controls, explorer.train, explorer.stop):
        assert control.description


# --- training ------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("h", HEADS)
def test_a_training_adds_one_line(explorer, short, variant, h):
    explorer.variant.value, explorer.h.value = variant, h
    explorer.seed.value = 1
    explorer.train.click()
    is_sound(explorer)
    assert len(explorer.attempts) == 3
    run = explorer.attempts[-1]
    assert run.setting == explorer.read() and run.step == STEPS
    assert explorer.message.text == lesson(run)
    assert explorer.table.picture.count("<tr>") == 4
    heads = h * (2 if variant == "two layers" else 1)
    assert len(all_rows(run)) == 2 * 2 * heads
    assert explorer.progress.bar_style == "success"
    assert explorer.progress.value == explorer.progress.max == STEPS


@pytest.mark.parametrize("nouns", (2, 3))
def test_with_few_nouns_no_pair_is_new(explorer, short, nouns):
    explorer.nouns.value = nouns
    explorer.train.click()
    assert explorer.shown.new is None
    assert explorer.shown.judged == explorer.shown.seen
    assert "none of them new" in explorer.words.text
    is_sound(explorer)


def test_the_same_setting_gives_the_same_run(short):
    one, other = last_of(Setting(seed=4)), last_of(Setting(seed=4))
    assert one.points == other.points and one.shares == other.shares
    assert (one.seen, one.new) == (other.seen, other.new)
    assert one.points != last_of(Setting(seed=5)).points


def test_a_finished_run_is_shown_again(explorer, short):
    explorer.nouns.value = 8
    explorer.train.click()
    run = explorer.shown
    explorer.h.value = 4
    assert is_old(explorer.curves)
    explorer.h.value = 1
    assert explorer.shown is run and not is_old(explorer.curves)
    assert len(explorer.attempts) == 3


def test_each_row_of_a_map_has_the_name_of_its_word():
    for run in shipped_runs().values():
        h = run.setting.h
        for sentence, layers, answers in zip(
            runs.SENTENCES, run.shares, run.answers, strict=True
        ):
            block = views._block(sentence, layers, answers)
            words = sentence.split()
            for part, place in zip(block.parts, (2, -1), strict=True):
                names = [f"{words[place]}, head {n + 1}" for n in range(h)]
                assert [row.name for row in part] == names
            for place, part in enumerate(block.parts):
                rows = [heads[place] for heads in layers[0]]
                assert [row.shares for row in part] == rows


def test_an_attempt_says_seen_pairs_and_new_ones_each_in_its_column():
    run, _ = shipped_runs().values()
    for new in (run.new, None):
        html = attempts.attempts_table([replace(run, new=new)])
        header, row = (
            re.findall(r"<t[dh][^>]*>([^<]*)", line)
            for line in re.findall(r"<tr>(.*?)</tr>", html)
        )
        cells = dict(zip(header, row, strict=True))
        seen = " / ".join(f"{p:.2f}" for p in run.seen)
        assert cells["seen pairs"] == seen
        wanted = " / ".join(f"{p:.2f}" for p in new) if new else "none"
        assert cells["new pairs"] == wanted != seen


def test_the_last_attempts_are_shown_with_their_numbers():
    run = shipped_runs()[Setting()]
    shown = attempts.attempts_table((run,) * 15)
    assert "the last 12 of 15" in shown
    assert re.findall(r'<li value="(\d+)"', shown)[0] == "4"


def test_pictures_come_at_most_twelve_times_a_second(monkeypatch):
    monkeypatch.setattr(WhoDidWhat, "steps", 120)
    ticks = itertools.count()
    times = []

    def clock():
        times.append(next(ticks) / 200)
        return times[-1]

    drawn = [r for r in runs.training(Setting(), clock) if r is not None]
    assert len(drawn) > 2
    assert len(drawn) <= (times[-1] - times[0]) / runs.REDRAW + 2


def test_training_draws_while_it_goes_on(explorer):
    async def use():
        explorer.seed.value = 3
        explorer.train.click()
        assert explorer.message.text.startswith("Training: h = 1")
        await until(lambda: explorer.progress.value > 60)
        early = explorer.curves.picture
        assert "now step" in early and not is_old(explorer.curves)
        await until(lambda: explorer.curves.picture != early)
        await until(lambda: not explorer.slices.running)

    asyncio.run(use())
    assert len(explorer.attempts) == 3
    assert "now step" not in explorer.curves.picture
    is_sound(explorer)


def test_two_heads_solve_what_one_can_not():
    run = last_of(Setting(h=2, seed=1))
    assert verdict(run) == "solved" and min(run.new) > 0.95
    one = last_of(Setting(h=1, seed=1))
    assert verdict(one) in ("blurred", "one-sided")
    assert one.new[2] > 0.95 and sum(one.new[:2]) < 1.15


@pytest.mark.parametrize("setting", shipped_runs())
def test_what_is_shipped_can_be_made_again(setting):
    again, known = made_anew(setting), shipped_runs()[setting]
    assert len(again["points"]) == len(known.points) == 100
    assert known.steps == WhoDidWhat.steps
    assert again["seconds"] is None  # they are this machine's
    for new, old in zip(again["points"][:5], known.points):
        assert new["losses"] == pytest.approx(old.losses, abs=0.05)
    # One head may end blurred or one-sided: on another machine a rounding
    # decides. What it knows of both roles together stays.
    assert sum(again["new"][:2]) == pytest.approx(sum(known.new[:2]), abs=0.2)
    assert again["new"][2] == pytest.approx(known.new[2], abs=0.05)
    if setting.h == 2:
        assert again["new"] == pytest.approx(known.new, abs=0.05)
        assert np.array(again["shares"]) == pytest.approx(
            np.array(known.shares), abs=0.1
        )


# --- what goes wrong ----------------------------------------------------


@pytest.mark.parametrize("loop", (False, True))
def test_a_loss_that_runs_away_keeps_the_old_picture(explorer, loop):
    before = explorer.curves.picture, explorer.maps.picture

    async def use():
        explorer.learning_rate.value = TOO_FAST
        explorer.train.click()
        await until(lambda: not explorer.slices.running)

    if loop:
        asyncio.run(use())
    else:
        explorer.learning_rate.value = TOO_FAST
        explorer.train.click()
    assert explorer.message.text.startswith("The loss ran away at step")
    assert "is too large; 0.005 is usual here" in explorer.message.text
    assert "The grey picture is of h = 1" in explorer.message.text
    assert "error-color" in explorer.message.widget.value
    assert (explorer.curves.picture, explorer.maps.picture) == before
    assert is_old(explorer.curves) and is_old(explorer.maps)
    assert len(explorer.attempts) == 2
    explorer.learning_rate.value = 0.005
    is_sound(explorer)


def test_stop_keeps_the_curve_and_labels_it(explorer):
    async def use():
        explorer.h.value, explorer.seed.value = 8, 1
        explorer.train.click()
        assert not explorer.stop.disabled
        await until(lambda: explorer.progress.value > 0)
        assert "new noun pairs" not in explorer.words.text  # of the old run
        explorer.stop.click()
        run, picture = explorer.shown, explorer.curves.picture
        await asyncio.sleep(0.05)
        assert explorer.shown is run and explorer.curves.picture == picture

    asyncio.run(use())
    run = explorer.shown
    assert run.status == runs.STOPPED and run.step < run.steps
    assert f"stopped at step {run.step}" in explorer.curves.picture
    assert f"Stopped at step {run.step} of 600" in explorer.message.text
    assert len(explorer.attempts) == 2
    is_sound(explorer)
    explorer.h.value, explorer.seed.value = 1, 0  # shipped: shown instead
    explorer.h.value, explorer.seed.value = 8, 1
    assert is_old(explorer.curves)  # a stopped run is no result to keep


def test_stop_before_the_first_picture(explorer):
    async def use():
        explorer.train.click()
        explorer.stop.click()

    asyncio.run(use())
    assert explorer.message.text.startswith("Stopped before there was any")
    assert len(explorer.attempts) == 2
    is_sound(explorer)


def test_train_while_training_begins_anew(explorer, short):
    async def use():
        explorer.seed.value = 1
        explorer.train.click()
        explorer.seed.value = 2
        assert "Training goes on with h = 1" in explorer.message.text
        explorer.train.click()
        await until(lambda: not explorer.slices.running)

    asyncio.run(use())
    assert [run.setting.seed for run in explorer.attempts] == [0, 0, 2]
    is_sound(explorer)


def test_what_ends_under_other_controls_is_grey(explorer, short):
    async def use():
        explorer.seed.value = 1
        explorer.train.click()
        explorer.seed.value = 2
        await until(lambda: not explorer.slices.running)

    asyncio.run(use())
    assert explorer.shown.setting.seed == 1 and len(explorer.attempts) == 3
    is_sound(explorer)


@pytest.mark.parametrize("loop", (False, True))
def test_a_failure_while_training_is_said(explorer, monkeypatch, loop):
    def fail(*_):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(runs, "examine", fail)

    async def use():
        explorer.train.click()
        await until(lambda: not explorer.slices.running)

    if loop:
        asyncio.run(use())
    else:
        with pytest.raises(ZeroDivisionError):
            explorer._on_train(None)
    assert "planted" in explorer.message.text
    assert is_old(explorer.curves) and explorer.stop.disabled
    assert len(explorer.attempts) == 2


def test_closing_ends_the_training(explorer):
    async def use():
        explorer.train.click()
        explorer.close()
        assert not explorer.slices.running

    asyncio.run(use())


def test_a_cell_run_twice_ends_the_first_training(monkeypatch):
    run = ["run 1"]
    monkeypatch.setattr(cell_runs, "_RUNS", {})
    monkeypatch.setattr(cell_runs, "_this_run", lambda: ("cell 1", run[0]))

    async def use():
        first = explore_training()
        first.train.click()
        run[0] = "run 2"
        second = explore_training()
        assert not first.slices.running and first.comm is None
        assert second.comm is not None

    asyncio.run(use())


@pytest.mark.parametrize(
    ("dial", "value"),
    [
        ("h", 4),
        ("variant", "MLP after"),
        ("nouns", 8),
        ("seed", 5),
        ("learning_rate", 0.02),
    ],
)
def test_one_move_is_one_redraw(explorer, monkeypatch, dial, value):
    shows = count_shows(explorer, monkeypatch)
    explorer.dials[dial].value = value
    assert len(shows) == 1


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.h.value = 4
    assert "planted" in explorer.message.text and is_old(explorer.maps)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ({"h": 3}, "h must be one of 1, 2, 4, 8: got 3"),
        ({"nouns": 1}, "nouns must be one of 2, 3, 8, 32: got 1"),
        ({"seed": -1}, "seed must be one of 0, 1"),
        ({"learning_rate": float("nan")}, "learning_rate must be one of"),
        ({"variant": "<b>no</b>"}, "got '<b>no</b>'"),
        ({"variant": None}, "variant must be one of as it stands"),
        ({"h": [1]}, "got [1]"),
    ],
)
def test_a_start_that_is_not_offered(start, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explore_training(**start)


def test_two_copies_live_side_by_side(explorer, short):
    other = explore_training(8, "two layers", 3, 9, 0.02)
    is_sound(other)
    explorer.seed.value = 7
    explorer.train.click()
    assert len(other.attempts) == 2 and other.seed.value == 9


# --- what attempts teach ------------------------------------------------


def ended(seen, new, heads, **setting):
    """Return a finished run with these P and weights of row "ate"."""
    rows = tuple(
        ((0, s, 0, 0, o, 0, 0, 0, 0), (0, 1, 0, 0, 0, 0, 0, 0, 0))
        for s, o in heads
    )
    return replace(
        shipped_runs()[Setting()],
        setting=Setting(h=len(heads), **setting),
        seen=seen,
        new=new,
        shares=((rows,), (rows,)),
    )


@pytest.mark.parametrize(
    ("run", "outcome", "said"),
    [
        (
            ended((0.5, 0.5, 1), (0.45, 0.5, 1), [(0.52, 0.47)]),
            "blurred",
            "0.52 on the subject, 0.47 on the object",
        ),
        (
            ended((1, 0.04, 1), (1, 0.01, 1), [(1, 0)], seed=2),
            "one-sided",
            "the subject is bought at the object's cost",
        ),
        (
            ended((0.04, 1, 1), (0.01, 1, 1), [(0, 1)]),
            "one-sided",
            "the object is bought at the subject's cost",
        ),
        (
            ended((1, 0.5, 1), None, [(1, 0)], nouns=3),
            "one-sided",
            "two are left for it",
        ),
        (
            ended((1, 1, 1), None, [(0.1, 0.9)], nouns=2),
            "solved",
            "the one with less weight",
        ),
        (
            ended(
                (0.99, 0.99, 1),
                (0.9, 0.91, 1),
                [(0.48, 0.51)],
                variant="MLP before, places in V",
            ),
            "solved",
            "a value knows its place",
        ),
        (
            ended(
                (1, 1, 1),
                None,
                [(0, 0.99)],
                variant="MLP before, places in V",
                nouns=3,
            ),
            "solved",
            "no pair is new here",
        ),
        (
            ended((1, 1, 1), None, [(1, 0)] * 2, nouns=2),
            "solved",
            "do not need a second row",
        ),
        (
            ended((1, 0.5, 1), None, [(0.8, 0), (0.9, 0)], nouns=3),
            "one-sided",
            "at most 0.90 on the subject, 0.00 on the object, of any head",
        ),
        (
            ended((1, 0.9, 1), (0.4, 0.6, 1), [(0, 1)], nouns=8),
            "learned by heart",
            "less so on new ones (subject 0.40, object 0.60)",
        ),
        (
            ended((0.25, 1, 1), (0.12, 0.88, 1), [(0, 1)], nouns=8),
            "one-sided",
            "the object is bought at the subject's cost",
        ),
        (
            ended((0.8, 0.9, 1), (0.4, 0.6, 1), [(0, 1)], nouns=8),
            "blurred",
            "On pairs it has seen: subject 0.80, object 0.90",
        ),
        (
            ended(
                (0.5, 0.5, 1),
                (0.5, 0.5, 1),
                [(0.5, 0.5)],
                variant="MLP before",
            ),
            "blurred",
            "without their places",
        ),
        (
            ended((1, 1, 1), (1, 1, 1), [(0, 1), (0.98, 0)]),
            "solved",
            "Head 2 reads the subject (0.98), head 1 the object (1.00)",
        ),
        (
            ended((1, 1, 1), (1, 1, 1), [(0.3, 0.4)] * 4),
            "solved",
            "not one head a relation",
        ),
        (
            ended((0.95, 0.95, 1), (0.7, 0.6, 1), [(0.6, 0.4)]),
            "learned by heart",
            "pairs by heart, not roles",
        ),
        (
            ended((0.87, 0.79, 1), (0.77, 0.68, 1), [(0.62, 0.36)]),
            "in between",
            "part of it is learned by heart",
        ),
        (
            ended((0.2, 0.15, 0.4), (0.2, 0.14, 0.3), [(0.5, 0.4)]),
            "not learned",
            "nothing of heads",
        ),
    ],
)
def test_the_lesson_is_of_the_outcome(run, outcome, said):
    assert verdict(run) == outcome
    assert said in lesson(run)
    apart = ("blurred", "one-sided")
    assert ("a row of its own" in lesson(run)) == (outcome in apart)


def test_the_lesson_does_not_follow_the_setting_alone():
    failed = ended((0.5, 0.5, 1), (0.4, 0.5, 1), [(0.5, 0.5)] * 2)
    assert verdict(failed) == "blurred" and "reads" not in lesson(failed)


def test_the_words_name_both_orders(explorer):
    for role in ROLES:
        assert f"{role} " in explorer.words.text
    assert "“the fish ate the cat”: subject 0.20" in explorer.words.text
