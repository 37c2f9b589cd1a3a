"""Heads weighed, removed and shared: on models that train in a moment.

Loose bounds hold for other seeds and machines too. About nine seconds of
CPU time, most of it two trainings.
"""

from itertools import pairwise

import numpy as np
import pytest

from helpers import roles
from helpers.learn import conversion, pruning, sixteen_heads_studies
from helpers.learn import repeat_measures as measure
from helpers.learn.gradients import attention_layer, head_mask_backward
from helpers.learn.model import Model, Settings
from helpers.learn.repeat import Repeat
from helpers.learn.snapshots import examination
from helpers.learn.studies import STUDIES
from helpers.learn.study import outcome, shipped
from helpers.learn.training import examine, learn_from, train
from helpers.learn.weights_on_disk import RECIPES, load_model, snapshots
from helpers.pooling import pool_heads
from helpers.sizes import SizeError
from helpers.weights import Projections
from tests.layers import D_MODEL, N_KV, H, N, layer
from tests.test_learn_gradients import ASKED, STEP, VARIANTS, Batch

TASK = RECIPES["repeat"].task
SMALL = Repeat(vocabulary=7, N=8, shortest=2, longest=3)


@pytest.fixture(scope="module")
def batch():
    return examination(TASK)


@pytest.fixture(scope="module")
def model():
    return load_model()


# --- the gradient of the head mask ------------------------------------------


@pytest.mark.parametrize("mask", (None, (1, 0, 0.5, 1, 2, 0)))
def test_the_gradient_of_a_layers_head_mask(mask):
    """Finite differences, for each sentence; no mask is a mask of ones."""
    _, *matrices = layer(4)
    W = Projections(*matrices)
    rng = np.random.default_rng(4)
    X, towards = rng.normal(size=(2, 3, N, D_MODEL))
    _, notes = attention_layer(
        X, X, X, W, H, N_KV, True, mask and (np.array(mask))
    )
    got = head_mask_backward(towards, W, notes)
    assert got.shape == (3, H)
    start = np.ones(H) if mask is None else np.array(mask, float)
    for head in range(H):
        above, below = (
            attention_layer(
                *(X, X, X, W, H, N_KV, True),
                start + sign * STEP * (np.arange(H) == head),
            )[0]
            for sign in (1, -1)
        )
        slope = ((above - below) * towards).sum(axis=(1, 2)) / (2 * STEP)
        assert got[:, head] == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_the_gradient_of_a_models_head_mask(variant):
    """Layers of 4 heads, with an MLP or none, two read-outs at one place."""
    settings = Settings(
        11, 5, (("one", 3), ("other", 4)), d_model=12, **{"h": 4, **variant}
    )
    model = Model(settings, 6, np.float64)
    tokens = np.random.default_rng(7).integers(11, size=(3, 5))
    asked = Batch(tokens, ASKED)
    mask = np.ones((settings.n_layers, 4))
    mask[-1, 1], mask[0, 2] = 0.5, 0
    loss = pruning.loss_of(model, asked)
    slopes = np.full((settings.n_layers, 3, 4), np.nan)
    _, gradient = learn_from(model, asked, mask, slopes)
    _, without = learn_from(model, asked, mask)
    assert np.array_equal(gradient, without)
    for place in np.ndindex(mask.shape):
        kept, losses = mask[place], []
        for sign in (1, -1):
            mask[place] = kept + sign * STEP
            losses.append(loss(mask))
        mask[place] = kept
        want = (losses[0] - losses[1]) / (2 * STEP)
        got = slopes[place[0], :, place[1]].sum()
        assert got == pytest.approx(want, rel=1e-5, abs=1e-8)


def test_each_sentences_slope_is_its_own():
    """A sentence that asks nothing has none; sizes are added up."""
    settings = SMALL.settings(d_model=8, h=2)
    model = Model(settings, 1, np.float64)
    drawn = SMALL.draw(np.random.default_rng(2), 6)
    asked = drawn.asked["next"]
    kept = asked.rows != 4
    fewer = drawn._replace(
        asked={"next": type(asked)(*(part[kept] for part in asked))}
    )
    slopes = np.zeros((2, 6, 2))
    learn_from(model, fewer, d_head_mask=slopes)
    assert not slopes[:, 4].any() and slopes[:, 3].all()
    signs = np.sign(slopes).sum(axis=1)
    assert (np.abs(signs) < 5).any()  # some would cancel
    assert pruning.importance(model, fewer) == pytest.approx(
        np.abs(slopes).sum(axis=1)
    )


# --- pruning ----------------------------------------------------------------


def test_the_gradient_finds_the_head_that_matters(model, batch):
    cost = pruning.ablation(model, batch)
    guess = pruning.importance(model, batch)
    assert cost.shape == guess.shape == (2, 4)
    assert cost.argmax() == guess.argmax() == 0
    assert np.corrcoef(cost.ravel(), guess.ravel())[0, 1] > 0.7


def test_orders_are_what_they_say(model, batch):
    cost = pruning.ablation(model, batch)
    orders = {
        how: pruning.order_of(model, batch, how) for how in pruning.ORDERS
    }
    for order in orders.values():
        assert sorted(order) == sorted(pruning.heads_of(model))
    for low, high in pairwise(orders["by ablation"]):
        assert cost[low] <= cost[high]
    assert orders["most important first"] == orders["by ablation"][::-1]
    worth = pruning.importance(model, batch)
    for low, high in pairwise(orders["by gradient"]):
        assert worth[low] <= worth[high]
    again = pruning.order_of(model, batch, "at random", 0)
    assert again == orders["at random"]
    assert pruning.order_of(model, batch, "at random", 1) != again
    with pytest.raises(ValueError, match="greedy.*got 'best'"):
        pruning.order_of(model, batch, "best")


def test_greedy_takes_the_cheapest_every_time(batch):
    """Half-way, what a head is worth depends on those that are left."""
    model = dict(snapshots())[460]
    order = pruning.order_of(model, batch, "greedy")
    assert order != pruning.order_of(model, batch, "by ablation")
    loss = pruning.loss_of(model, batch)
    gone = []
    for head in order:
        costs = {
            other: loss(roles.head_mask(2, 4, [*gone, other]))
            for other in pruning.heads_of(model)
            if other not in gone
        }
        assert costs[head] == min(costs.values())
        gone.append(head)


def test_a_curve_begins_whole_and_ends_with_no_head(model, batch):
    order = pruning.order_of(model, batch, "by ablation")
    curve = [scores["next"] for scores in pruning.curve(model, batch, order)]
    assert len(curve) == 9
    assert curve[0] == examine(model, batch)["next"]
    nothing = np.zeros((2, 4))
    assert curve[-1] == examine(model, batch, nothing)["next"]
    assert curve[3].accuracy > 0.95 and curve[-1].accuracy < 0.2
    first = pruning.curve(model, batch, order[::-1])[1]["next"]
    assert first.accuracy < 0.3  # the previous-token head went first


def test_the_best_head_of_a_layer_may_do_its_work_alone(model, batch):
    (layer_head,) = pruning.best_alone(model, batch, (0,))
    assert layer_head == (0, 0)
    mask = pruning.only(model, [layer_head])
    assert mask.tolist() == [[1, 0, 0, 0], [1, 1, 1, 1]]
    assert examine(model, batch, mask)["next"].accuracy > 0.9
    both = pruning.best_alone(model, batch, (0, 1))
    assert both[0] == (0, 0) and both[1][0] == 1 and both[1][1] in (0, 1, 2)
    assert pruning.only(model, both).sum() == 2
    assert pruning.only(model, ()).all()


# --- conversion -----------------------------------------------------------


@pytest.mark.parametrize("how", conversion.WAYS)
def test_conversion_pools_keys_and_values_and_nothing_else(model, how):
    before = model.flat.copy()
    new = conversion.converted(model, 2, how, seed=5)
    assert new.settings.n_kv == 2 and new.settings.h == 4
    assert np.array_equal(model.flat, before)
    for name, matrix in model.parts.items():
        if name[:3] not in ("W_K", "W_V"):
            assert np.array_equal(new.parts[name], matrix), name
        elif how != conversion.CONTROL:
            want = pool_heads(matrix, 4, 2, how)
            assert np.array_equal(new.parts[name], want), name
        else:
            assert new.parts[name].shape == (32, 16)
            assert abs(new.parts[name].std() * 32**0.5 - 1) < 0.15
    new.flat[...] = 0
    assert np.array_equal(model.flat, before)


def test_as_many_key_value_heads_as_before_change_nothing(model, batch):
    same = conversion.converted(model, 4)
    assert examine(same, batch) == examine(model, batch)


def test_conversions_that_do_not_fit_are_refused(model):
    with pytest.raises(SizeError):
        conversion.converted(model, 3)
    with pytest.raises(ValueError, match="mean, first, at random: got 'sum'"):
        conversion.converted(model, 2, "sum")
    grouped = conversion.converted(model, 2)
    with pytest.raises(ValueError, match="n_kv=2, h=4"):
        conversion.converted(grouped, 1)


def test_up_training_mends_what_conversion_broke(model, batch):
    halved = conversion.converted(model, 2)
    broken = examine(halved, batch)["next"].accuracy
    assert broken < 0.8
    for _ in conversion.up_train(halved, TASK, 100):
        pass
    mended = examine(halved, batch)["next"].accuracy
    assert mended > 0.9
    control = conversion.converted(model, 2, conversion.CONTROL)
    for _ in conversion.up_train(control, TASK, 100):
        pass
    assert examine(control, batch)["next"].accuracy < 0.6


def test_up_training_sees_other_sentences():
    """And climbs for five steps only."""
    settings = SMALL.settings(d_model=8, h=2)
    ways = {
        "up": lambda m: conversion.up_train(m, SMALL, 9, 3),
        "same seed": lambda m: train(m, SMALL, 9, seed=3, warm_up_steps=5),
        "slow": lambda m: train(m, SMALL, 9, seed=1003),
        "as said": lambda m: train(m, SMALL, 9, seed=1003, warm_up_steps=5),
    }
    ends = {}
    for name, way in ways.items():
        model = Model(settings)
        assert len(list(way(model))) == 9
        ends[name] = model.flat
    assert np.array_equal(ends["up"], ends["as said"])
    assert not np.allclose(ends["up"], ends["same seed"])
    assert not np.allclose(ends["up"], ends["slow"])


# --- the studies ------------------------------------------------------------

NAMES = (
    *("seeds", "one layer", "fixed length"),
    *("conversion", "pruning", "heads left", "worth"),
)


@pytest.mark.parametrize("name", NAMES)
def test_shipped_results_fit_their_study(name):
    study, results = STUDIES[name], shipped(name)
    assert tuple(results) == study.rows
    for columns in results.values():
        assert tuple(columns) == study.columns
        assert {len(found) for found in columns.values()} == {5}


def test_measures_of_the_shipped_model(model):
    """Which numbers belong to which layer, and what one head's loss costs."""
    found = measure.of_layers(model, TASK)
    assert found["accuracy"] > 0.98 and found["loss"] < 0.06
    assert found["previous, layer 1"] > 0.9
    assert found["induction, layer 2"] > 0.85
    assert found["largest rise, layer 1"] > 4
    assert found["second rise, layer 1"] < 0.1
    assert 0.1 < found["largest rise, layer 2"] < 0.4
    both = measure.of_roles(model, TASK)
    assert both["previous"] > 0.9 and both["induction"] > 0.85
    worth = measure.of_worth(model, TASK)
    assert worth["heads above 0.1 nats"] in (4, 5)
    assert worth["largest rise"] == pytest.approx(
        found["largest rise, layer 1"]
    )
    assert worth["correlation"] > 0.7 and worth["rank correlation"] > 0.3
    far = measure.of_distance(model, TASK)
    assert far["accuracy, 9 to 12"] > 0.95 and far["induction"] > 0.85
    assert far["weight at 7 back"] < 0.3
    alone = measure.of_alone(model, TASK, (0,))
    assert found["loss"] < alone["loss"] < 0.3
    one = Model(TASK.settings(d_model=8, h=1))
    assert np.isnan(measure.of_layers(one, TASK)["second rise, layer 1"])


def test_a_fixed_length_is_learnt_by_position_alone():
    """The study run again, beside what is shipped of it."""
    study, row = STUDIES["fixed length"], "always 8, one layer"
    again, last = outcome(study.run(row, 0))
    assert last == 400
    old = {name: found[0] for name, found in shipped(study.name)[row].items()}
    for found in (again, old):
        assert found["accuracy"] > 0.95 and found["accuracy, length 8"] > 0.95
        assert found["accuracy, 9 to 12"] < 0.3
        assert found["weight at 7 back"] > 0.6 and found["induction"] < 0.3


def test_the_steps_of_the_drop_are_noted():
    study = STUDIES["seeds"]
    accuracies, training = [], study.run("h = 2", 0)
    with pytest.raises(StopIteration) as end:
        while True:
            accuracies.append(next(training).scores["next"].accuracy)
    again, recent = end.value.value, np.array(accuracies)
    assert len(recent) == 1000 and again["accuracy"] > 0.95
    means = np.convolve(recent, np.ones(10) / 10)[:1000]  # of the last ten
    half, most = again["step of 0.5"], again["step of 0.95"]
    assert half == (means > 0.5).argmax() + 1
    assert most == (means > 0.95).argmax() + 1
    old = shipped("seeds")["h = 2"]
    assert half == pytest.approx(old["step of 0.5"][0], rel=0.2)
    assert most == pytest.approx(old["step of 0.95"][0], rel=0.3)


@pytest.fixture
def brief(monkeypatch):
    """Make the trainings of 16 heads short; forget them afterwards."""
    for name, number in (
        ("BASE_STEPS", 20),
        ("UP_STEPS", 5),
        ("ALL_STEPS", 25),
        ("_trained", {}),
    ):
        monkeypatch.setattr(sixteen_heads_studies, name, number)


def test_all_rows_of_a_conversion_have_as_many_steps(brief):
    study = STUDIES["conversion"]
    ends = {}
    for row in study.rows:
        training = study.run(row, 3)
        progress = next(training)
        assert progress.steps == 25
        ends[row] = outcome(training)
    assert {last for _, last in ends.values()} == {25}
    alike = [ends[row][0] for row in ("n_kv = 4, mean", "n_kv = 4, first")]
    assert alike[0] != alike[1]


def test_the_base_is_trained_once_and_stays_what_it_is(brief):
    study = STUDIES["heads left"]
    result, last = outcome(study.run("all 16 heads", 4))
    outcome(STUDIES["conversion"].run("n_kv = 8", 4))
    training = study.run("all 16 heads", 4)
    assert next(training).step == 20
    assert outcome(training)[0] == result and last == 20
    other, _ = outcome(study.run("all 16 heads", 5))
    assert other != result


def test_a_study_stopped_half_way_leaves_nothing(brief):
    training = STUDIES["worth"].run("trained", 6)
    for _ in range(7):
        next(training)
    training.close()
    assert 6 not in sixteen_heads_studies._trained
