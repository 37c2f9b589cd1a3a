"""Numbers in the prose of notebooks 03 and 05, against the code."""

import tracemalloc

import numpy as np
import pytest

from helpers.attention import scaled_dot_product_attention, softmax
from helpers.cost import (
    binary_units,
    flops,
    full_width_heads,
    score_bytes,
    softmax_work,
)
from helpers.counted import count, counting
from helpers.explorers.costs import balance_N
from helpers.explorers.ledger import explore_ledger
from helpers.explorers.ledger.views import not_free, price
from helpers.learn.model import Model
from helpers.learn.role_measures import fresh, weights_on_answers
from helpers.learn.roles_in_a_row import RolesInARow
from helpers.learn.studies import SECONDS, STUDIES, shipped
from helpers.learn.training import examine, train
from helpers.learn.who_did_what import WhoDidWhat
from helpers.sentences import HUNGRY, SWAPPED
from helpers.sizes import Sizes
from helpers.tiled import tiled_attention
from tests.tools import prose_of


@pytest.fixture(scope="module")
def one_head_page():
    return prose_of("03")


@pytest.fixture(scope="module")
def cost_page():
    return prose_of("05")


def of_three_words(exponentials):
    """Return weights and output of "ate", for cat-ate-fish and back."""
    scores = np.log(np.array(exponentials, dtype=float))
    found = []
    for nouns in (np.eye(3)[[0, 2, 1], :2], np.eye(3)[[1, 2, 0], :2]):
        out, attn = scaled_dot_product_attention(
            np.ones((1, 1)), scores[:, None], nouns
        )
        found.append((attn[0].round(3).tolist(), out[0].round(3).tolist()))
    return found


def test_the_hand_constructions(one_head_page):
    half = of_three_words((4.5, 1, 4.5))
    assert half == [([0.45, 0.1, 0.45], [0.45, 0.45])] * 2
    assert "4.5, 1, 4.5, and the weights .45, .10, .45" in one_head_page
    assert "(.45, .45)" in one_head_page
    uneven = of_three_words((6, 1, 3))
    assert [out for _, out in uneven] == [[0.6, 0.3], [0.3, 0.6]]
    assert "exponentials 6, 1, 3, so the weights are .6, .1 and .3" in (
        one_head_page
    )
    assert "(.6, .3) and (.3, .6)" in one_head_page
    one, two = of_three_words((8, 1, 1)), of_three_words((1, 1, 8))
    assert [a[1] + b[1] for a, b in zip(one, two, strict=True)] == [
        [0.8, 0.1, 0.1, 0.8],
        [0.1, 0.8, 0.8, 0.1],
    ]
    assert "(.8, .1 | .1, .8) against (.1, .8 | .8, .1)" in one_head_page


def test_the_switch_names_it_with_any_number_of_nouns():
    M = 6
    for first in range(M):
        for second in range(M):
            for is_hungry in (True, False):
                if first == second:
                    continue
                head_1 = softmax(np.array([0, 8.0, 16 * is_hungry]))
                head_2 = softmax(np.array([8.0, 0, 16 * (not is_hungry)]))
                out = np.zeros(M)
                for head in (head_1, head_2):
                    out[[first, second]] += head[:2]
                assert out.argmax() == (first if is_hungry else second)


def test_three_roles_in_two_heads():
    points = np.array([[0.5, 0], [0, 0.5], [0.5, 0.5]])
    found = points @ np.array([[1, -0.5, 1], [-0.5, 1, 1]])
    assert found.argmax(axis=0).tolist() == [0, 1, 2]
    assert (found.max(axis=0) > 0).all()


def test_the_answers_of_on_your_own(one_head_page):
    heads = np.array([[0.6, 0.4], [0.3, 0.2]])
    assert "Head 2 is half of head 1" in one_head_page
    np.testing.assert_allclose(heads[1], heads[0] / 2)
    assert "ln(8,000,000) = 15.9 above the others" in one_head_page
    assert "exactly 1 from about 38.5 on" in one_head_page
    for gap, error in ((15.9, 1e-6), (38.5, 0.0)):
        row = softmax(np.array([gap] + [0.0] * 8))
        assert 1 - row[0] <= error
        assert 1 - softmax(np.array([gap - 1] + [0.0] * 8))[0] > error
    assert np.log(8e6) == pytest.approx(15.9, abs=0.05)
    assert "From h = 6" in one_head_page
    least = {
        h: min(f["P, the mean"]) for h, f in shipped("five roles").items()
    }
    assert [h for h, p in least.items() if p > 0.95] == ["h = 6"]
    assert "neighbouring corners lie 0.13 apart" in one_head_page
    angles = np.linspace(0, np.pi / 2, 5)
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    corners /= corners.sum(axis=0)  # each head spends 1.0
    near = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    np.testing.assert_allclose(near, 0.13, atol=0.005)


# --- notebook 03: what was trained ----------------------------------------


def both_roles(found, what):
    """Return P of subject and of object, array (2, seeds)."""
    return np.array([found[f"P {r}{what}"] for r in ("subject", "object")])


@pytest.fixture(scope="module")
def one_and_two():
    """Return notebook 03's two models and its 1,000 new sentences."""
    task, models = WhoDidWhat(), {}
    for h in (1, 2):
        models[h] = Model(task.settings(h=h), seed=0)
        for _ in train(models[h], task, steps=600, seed=0):
            pass
    return task, models, task.draw(np.random.default_rng(99), 1000, held=True)


def test_the_models_that_the_page_trains(one_head_page, one_and_two):
    task, models, new = one_and_two
    assert models[1].flat.size == models[2].flat.size
    one, two = (examine(models[h], new) for h in (1, 2))
    p = [one[role].p_correct for role in ("subject", "object")]
    losses = [one[role].loss for role in ("subject", "object")]
    assert "the two P add up to about 1" in one_head_page
    assert 0.85 < sum(p) < 1.15
    assert "the worse of the two losses is above ln 2" in one_head_page
    assert max(losses) > np.log(2)
    assert "ln 2 = 0.69 nats" in one_head_page
    assert one["antecedent"].p_correct > 0.95
    assert min(score.p_correct for score in two.values()) > 0.95


def test_the_rows_that_the_page_shows(one_and_two):
    task, models, _ = one_and_two
    both = np.array([task.tokens(text) for text in (HUNGRY, SWAPPED)])
    at_verb = {
        h: model.forward(both)[1]["attention"][0].attn[:, :, 2]
        for h, model in models.items()
    }
    for order in range(2):
        assert at_verb[1][order, 0, [1, 4]].sum() > 0.9
        first, second = at_verb[2][order].argmax(axis=-1)
        assert {first, second} == {1, 4}
        assert at_verb[2][order].max(axis=-1).min() > 0.9
    X_out, _ = models[2].forward(both)
    for role, wanted in (("subject", [0, 1]), ("object", [1, 0])):
        p = softmax(X_out[:, 2] @ models[2].parts["read " + role])
        assert p[[0, 1], wanted].min() > 0.9


@pytest.mark.parametrize("study", ("heads", "three_roles", "variants", "it"))
def test_a_study_is_predicted_before_its_picture(one_head_page, study):
    before, found, after = one_head_page.partition(
        f"](images/03_study_{study}"
    )
    asked = before[before.rindex("**Predict**") :]
    assert found and len(asked) < 500  # this study's own
    assert asked.rindex("<details>") > asked.rfind("</details>")
    assert "**Predict**" not in after[:200]


def test_eight_seeds_of_one_head(one_head_page):
    one = shipped("heads")["h = 1"]
    on_nouns = np.array([one["weight on subject"], one["weight on object"]])
    p, who = both_roles(one, ""), np.array(one["P one of the two"])
    blurred = np.abs(on_nouns - 0.5).max(axis=0) < 0.05
    one_sided = (on_nouns.max(axis=0) > 0.95) & (on_nouns.min(axis=0) < 0.05)
    assert (blurred.sum(), one_sided.sum()) == (5, 3)
    assert "in five seeds the single head is **blurred**" in one_head_page
    assert "In three it is **one-sided**" in one_head_page
    assert who[blurred].min() > 0.85 and who[one_sided].max() < 0.6
    assert (p[:, one_sided].max(axis=0) > 0.95).all()
    assert (p[:, one_sided].min(axis=0) < 0.05).all()
    assert np.abs(p.mean(axis=0) - 0.5).max() < 0.05
    for what in ("", ", seen"):
        losses = [one[f"loss {r}{what}"] for r in ("subject", "object")]
        assert np.max(losses, axis=0).min() > np.log(2)


def test_eight_seeds_of_more_heads(one_head_page):
    results = shipped("heads")
    assert STUDIES["heads"].rows == ("h = 1", "h = 2", "h = 4", "h = 8")
    for row in ("h = 2", "h = 4", "h = 8"):
        assert both_roles(results[row], "").min() > 0.95
        assert min(results[row]["one head each"]) > 0.9
    seconds = [np.mean(found[SECONDS]) for found in results.values()]
    assert seconds == sorted(seconds)
    assert "Two heads solve it in all eight seeds" in one_head_page


def test_three_roles_and_five(one_head_page):
    three, five = shipped("three roles"), shipped("five roles")
    assert three["h = 2"]["roles right"] == [3] * 5
    assert np.allclose(three["h = 2"]["largest weight"], 0.5, atol=0.05)
    assert np.allclose(three["h = 1"]["P, the mean"], 1 / 3, atol=0.05)
    assert "name all three roles in each of five seeds" in one_head_page
    assert set(five["h = 3"]["roles right"]) == {4, 5}
    assert "all five roles in some seeds, and four roles in the" in (
        one_head_page
    )
    assert abs(np.mean(five["h = 2"]["P, the mean"]) - 2 / 3) < 0.05
    assert max(five["h = 2"]["P, the mean"]) < 0.75
    assert five["h = 6"]["roles right"] == [5] * 5
    assert min(five["h = 6"]["P, the mean"]) > 0.99


def test_training_finds_the_corners_of_the_square(one_head_page):
    task = RolesInARow(3)
    model = Model(task.settings(h=2), seed=0)
    for _ in train(model, task, steps=800, seed=0):
        pass
    points = weights_on_answers(model, fresh(task), task.roles).T
    corners = [[0, 0.5], [0.5, 0], [0.5, 0.5]]
    found = sorted((2 * points).round() / 2, key=tuple)
    assert np.array_equal(found, corners)
    assert np.allclose(points, (2 * points).round() / 2, atol=0.05)
    assert "training has found the corners of the square" in one_head_page


def test_what_rescues_one_head_and_what_does_not(one_head_page):
    results = shipped("variants")
    seen = {row: both_roles(f, ", seen") for row, f in results.items()}
    new = {row: both_roles(f, ", new") for row, f in results.items()}
    for row in (
        *("one head", "twice as wide", "three times as long"),
        *("larger start", "MLP before"),
    ):
        assert new[row].min(axis=0).max() < 0.6, row
        assert 0.8 < new[row].sum(axis=0).mean() < 1.2, row
    no_rescue = "*twice as wide*, *three times as long*, a *larger start*"
    assert no_rescue in one_head_page
    for row in ("places in V", "MLP after"):
        long = f"{row}, three times as long"
        gaps = [(seen[r] - new[r]).sum(axis=0) for r in (row, long)]
        assert gaps[0].mean() > 0.1 and gaps[1].mean() > 1.3 * gaps[0].mean()
        assert seen[long].sum(axis=0).mean() > seen[row].sum(axis=0).mean()
        assert new[long].min(axis=0).max() < 0.8
    assert "Longer training widens that gap" in one_head_page
    assert new["two layers"].min() > 0.95
    mlp = new["MLP before, places in V"]
    assert (mlp.min(axis=0) > 0.85).sum() == 4
    assert mlp.min(axis=0).min() < 0.05 and mlp.max(axis=0).min() > 0.85
    assert "in all seeds but a one-sided one" in one_head_page
    assert seen["two nouns"].min() > 0.99
    assert new["two heads"].min() > 0.95


def test_it_takes_two_layers_and_no_one_route(one_head_page):
    results, clean = shipped("it in two layers"), []
    for row, found in results.items():
        p = np.array(found["P antecedent"])
        if row.startswith("1 layer"):
            assert np.abs(p - 0.5).max() < 0.1
            continue
        assert p.min() > 0.98
        for route in ("A", "B"):
            steps = [n for c, n in found.items() if c.startswith(route)]
            clean += (np.min(steps, axis=0) > 0.9).tolist()
    assert len(clean) == 2 * 3 * 5 and 0 < sum(clean) <= 5
    assert "one layer stays at a coin for every h" in one_head_page
    assert "don't expect one clean map" in one_head_page


# --- notebook 05 ----------------------------------------------------------


def test_the_ledger(cost_page):
    N = d_model = 512
    sizes = Sizes(d_model, 8)
    total = flops(N, sizes).total
    assert total == 8 * N * d_model**2 + 4 * N**2 * d_model
    assert flops(N, full_width_heads(sizes)).total == 8 * total
    assert balance_N(sizes) == 1024
    assert "N = 2 · d_model: 1,024 tokens here" in cost_page
    one = flops(N, Sizes(d_model, 1))
    assert f"{one.total / (one.total - one.W_O) - 1:.0%}" == "20%"


def test_what_grows(cost_page):
    shares = [
        softmax_work(512, h).operations / flops(512, Sizes(512, h)).total
        for h in (1, 64, 512)
    ]
    assert [f"{share:.1%}" for share in shares] == ["0.1%", "5.2%", "41.7%"]
    assert (
        "From 0.1 % with one head to 5 % with 64, and 42 % with heads of "
        "width 1" in cost_page
    )
    assert binary_units(score_bytes(512, 64)) == "64 MiB"


def test_llama_3_8b_in_the_questions(cost_page):
    assert "d_model = 4,096, h = 32 and n_kv = 8" in cost_page
    assert balance_N(Sizes(4096, 32, 8)) == 5120 < 8192


def test_the_find_instructions_of_the_ledger_in_their_order(cost_page):
    explorer = explore_ledger()
    explorer.draws_full.value = False
    explorer.h.value = 512
    explorer.h.value = 8
    explorer.N.value = 1024
    assert "are 50.0% of the products" in not_free(explorer.read())
    explorer.n_kv.value = 4
    assert "n_kv / h) = 768." in not_free(explorer.read())
    explorer.n_kv.value, explorer.N.value = 8, 512
    explorer.one_head_mixes.value = False
    state = explorer.read()
    assert "20.0% more than one head" in price(state, explorer.compute(state))
    assert "W_O too*: 20.0 % more." in cost_page
    for control in (explorer.n_kv, explorer.one_head_mixes, explorer.N):
        assert f"*{control.description}*" in cost_page
    assert f"*{explorer.clock.stop.description}*" in cost_page


def held(attend, N, h=8, d_k=16):
    """Return the most bytes that a call holds beyond its inputs."""
    draw = np.random.default_rng(7).standard_normal
    arrays = draw((3, h, N, d_k), np.float32)
    attend(*arrays)
    tracemalloc.start()
    attend(*arrays)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_tiles_hold_no_array_of_scores(cost_page):
    assert "one array of scores, and little else" in cost_page
    scores = score_bytes(1024, 8)
    assert scores < held(scaled_dot_product_attention, 1024) < 1.1 * scores
    assert "Memory no longer grows with N² but with N" in cost_page
    at_1024, at_2048 = held(tiled_attention, 1024), held(tiled_attention, 2048)
    assert at_1024 < 0.05 * scores
    assert at_1024 < at_2048 < 2 * at_1024


def test_tiles_add_one_product_with_ones(cost_page):
    assert "ones adds these up: 2 · h · N² FLOPs more" in cost_page
    h, N, d_k = 3, 70, 5
    Q, K, V = np.random.default_rng(7).standard_normal((3, h, N, d_k))
    ran = []
    for attend in (scaled_dot_product_attention, tiled_attention):
        with counting() as tally:
            attend(count(Q), K, V)
        ran.append(tally)
    plain, tiled = ran
    assert tiled.flops - plain.flops == 2 * h * N**2
    assert tiled.exponentials == plain.exponentials == h * N**2


def test_the_answers_of_the_cost_page(cost_page):
    N, N_k, d_model = 7, 11, 30
    for h in (1, 6):
        line = flops(N, Sizes(d_model, h), N_k=N_k)
        assert line.Q == line.W_O == 2 * N * d_model**2
        assert line.K == line.V == 2 * N_k * d_model**2
        assert line.scores == line.weighted_sum == 2 * N * N_k * d_model
    for said in (
        "Q and W_O: 2 · N · d_model² each.",
        "K and V: 2 · N_k · d_model² each.",
        "Scores and weighted sum: 2 · N · N_k · d_model each.",
        f"4,096 · (1 + 8 / 32) = {balance_N(Sizes(4096, 32, 8)):,} tokens",
    ):
        assert said in cost_page
