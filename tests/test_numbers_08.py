"""What the prose of notebook 08 says: of the shipped model, and of bands."""

from itertools import combinations

import numpy as np
import pytest

from helpers import roles
from helpers.attention import softmax
from helpers.explorers.learned_heads.trials import RANDOM_SEED
from helpers.learn import weights_on_disk
from helpers.learn.conversion import converted, up_train
from helpers.learn.model import Model
from helpers.learn.pruning import curve, order_of
from helpers.learn.repeat import Repeat, patterns
from helpers.learn.sixteen_heads_studies import BASE
from helpers.learn.snapshots import examination, head_scores
from helpers.learn.studies import STUDIES
from helpers.learn.studies import shipped as shipped_study
from helpers.learn.training import examine, train
from tests.tools import prose_of

TASK = Repeat(vocabulary=26, N=24, shortest=5, longest=12)
SETTINGS = {"d_model": 64, "h": 2}


@pytest.fixture(scope="module")
def prose():
    return prose_of("08")


@pytest.fixture(scope="module")
def batch():
    return examination(TASK)


@pytest.fixture(scope="module")
def shipped():
    return weights_on_disk.load_model()


@pytest.fixture(scope="module")
def random_start():
    return weights_on_disk.snapshots()[0][1]


@pytest.fixture(scope="module")
def alone(shipped, batch):
    return {place: without(shipped, batch, place) for place in all_heads()}


def all_heads():
    return list(np.ndindex(2, 4))


def without(model, batch, *heads):
    mask = roles.head_mask(2, 4, heads)
    return examine(model, batch, mask)["next"].loss


# --- the task -----------------------------------------------------------


def test_the_shipped_model_is_the_one_the_text_speaks_of(prose, shipped):
    recipe = weights_on_disk.RECIPES["repeat"]
    assert recipe.task == TASK and recipe.seed == 0 and recipe.steps == 800
    assert "*Random (control)* is a draw of its own, not step 0" in prose
    assert RANDOM_SEED != recipe.seed
    s = shipped.settings
    assert (s.n_layers, s.h, s.d_model) == (2, 4, 32)
    assert "two layers of four heads, d_model 32, seed 0, 800 steps" in prose
    assert 40 / recipe.steps == 0.05 and "40 more steps are 5 %" in prose


def test_the_rule_and_the_fixed_distance(batch, prose):
    rows, places, answers = batch.asked["next"]
    right = [
        np.mean(batch.tokens[rows, places - n] == answers) for n in range(12)
    ]
    assert max(right) < 0.25
    found = patterns(batch)["induction"].argmax(-1)[rows, places]
    assert (batch.tokens[rows, found] == answers).all()
    longest_ago = []
    for row, place in zip(rows, places):
        last = {t: i for i, t in enumerate(batch.tokens[row, : place + 1])}
        longest_ago.append(min(last, key=last.get))
    share = np.mean(longest_ago == answers)
    assert (
        f"the third, tried elsewhere, is right in {share:.0%}".replace(
            "%", " %"
        )
        in prose
    )


def test_fair_guesses(prose):
    assert f"26 letters: {np.log(26):.2f}" in prose
    below = np.log(np.arange(1, 25)).mean()  # even over what a row sees
    assert f"would have {below:.2f} nats" in prose


# --- live training, in bands --------------------------------------------


def watched(n_layers, seed, steps, batch):
    model = Model(TASK.settings(**SETTINGS, n_layers=n_layers), seed)
    loss, previous, induction = [], [], []
    for progress in train(model, TASK, steps):
        if progress.step % 10 == 0:
            scores, found = head_scores(model, batch)
            loss.append(scores["next"].loss)
            previous.append(found["previous"][0].max())
            induction.append(found["induction"][-1].max())
            if scores["next"].accuracy > 0.95:
                break
    return model, np.array(loss), np.array(previous), np.array(induction)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_two_layers_drop_while_both_scores_rise(seed, batch, prose):
    _, loss, previous, induction = watched(2, seed, 600, batch)
    steps = len(loss) * 10
    assert "two layers have nearly all after 300" in prose
    assert steps <= 300 and loss[-1] < 0.4
    assert max(previous[:6].max(), induction[:6].max()) < 0.3
    assert previous[-1] > 0.6 and induction[-1] > 0.6
    rises = [10 * np.argmax(curve > 0.4) for curve in (previous, induction)]
    assert abs(rises[0] - rises[1]) <= 100
    # Slowly at first, below ln 26; then more than half of it in 100 steps.
    drops = -np.diff(loss)
    assert drops.argmax() > len(drops) / 2
    assert loss[-11] < np.log(26) + 0.1
    assert loss[-11] - loss[-1] > (loss[0] - loss[-1]) / 2


def test_the_answers_of_on_your_own(batch, prose, shipped):
    answers = prose.partition("## On your own")[2]
    assert "with seed 0 all three need about 200 steps" in answers
    first = {}
    for h, seed in ((1, 0), (2, 0), (4, 0), (2, 3)):
        model = Model(TASK.settings(d_model=64, h=h, n_layers=2), seed)
        for progress in train(model, TASK, 300):
            if progress.step % 10 == 0:
                scores, found = head_scores(model, batch)
                if scores["next"].accuracy > 0.95:
                    break
        assert 150 <= progress.step <= 260, (h, seed)
        first[h, seed] = 1 + found["previous"][0].argmax()
        if h == 2:
            assert (found["induction"][1] > 0.4).all()
    assert "Both heads of layer 2 share the induction role" in answers
    assert (
        f"With seed 3, layer 1 looks one back in head {first[2, 3]}, with "
        f"seed 0 in head {first[2, 0]}." in answers
    )
    mean, zero = with_mean(shipped, batch), without(shipped, batch, (1, 0))
    assert f"to X: {mean:.2f}, not {zero:.2f}." in answers


def with_mean(model, batch):
    """Return the loss with the mean of layer 2, head 1 for its output."""
    X, notes = model.forward(batch.tokens, roles.head_mask(2, 4, [(1, 0)]))
    heads = notes["attention"][1].heads[:, 0]  # (lines, N, d_v)
    X = X + heads.mean(axis=0) @ model.parts["W_O 1"][: heads.shape[-1]]
    rows, places, right = batch.asked["next"]
    said = softmax(X[rows, places] @ model.parts["read next"])
    return -np.log(said[np.arange(len(right)), right]).mean()


def test_one_layer_stays_far_above(batch):
    _, two, *_ = watched(2, 0, 600, batch)
    _, one, *_ = watched(1, 0, 10 * len(two), batch)
    assert np.abs(one[:8] - two[:8]).max() < 0.4
    assert one[-1] > 2 and two[-1] < 0.4


def test_a_wide_layer_alone_goes_on_falling(batch, prose):
    assert "more than half of the letters right after 800 steps" in prose
    model = Model(TASK.settings(d_model=128, h=8, n_layers=1), 0)
    for _ in train(model, TASK, 500):
        pass
    assert 0.5 < examine(model, batch)["next"].accuracy < 0.9
    # Where its heads look: at no head's one distance, and at no letter.
    assert "Heads look 4 to 11 places back, each at a few distances" in prose
    _, notes = model.forward(batch.tokens)
    asking = patterns(batch)["induction"].any(-1)[..., None]
    at = [
        roles.score(
            notes["attention"][0].attn, roles.at_offset(TASK.N, -n) & asking
        )
        for n in range(4, 12)
    ]
    assert (np.sum(at, axis=0) > 0.8).all() and np.max(at) < 0.6


@pytest.mark.parametrize("n_layers", [1, 2])
def test_letters_of_the_line_are_preferred_before_the_drop(n_layers, batch):
    model = Model(TASK.settings(**SETTINGS, n_layers=n_layers), 0)
    rows, places, _ = batch.asked["next"]
    so_far = [batch.tokens[r, : p + 1] for r, p in zip(rows, places)]
    seen = np.array([np.isin(np.arange(26), line) for line in so_far])

    def preferred():
        X, _ = model.forward(batch.tokens)
        shares = softmax(X[rows, places] @ model.parts["read next"])
        return (shares * seen).sum(-1).mean()

    even = seen.mean()
    assert abs(preferred() - even) < 0.05
    for _ in train(model, TASK, 120):
        pass
    assert preferred() > even + 0.07


def test_the_wide_start_does_not_drop(batch):
    wide = TASK.settings(**SETTINGS, spread=64**-0.5 * 32**0.25)
    for seed in (0, 1):
        model = Model(wide, seed)
        for _ in train(model, TASK, 300):
            pass
        assert examine(model, batch)["next"].loss > 2.5


def test_smaller_matrices_without_the_scale_begin_alike():
    """W_Q and W_K d_k^(1/4) times smaller, no √d_k: the same scores."""
    rng = np.random.default_rng(0)
    X, W_Q, W_K = (rng.standard_normal(s) for s in ((7, 6), (6, 5), (6, 5)))
    usual = (X @ W_Q) @ (X @ W_K).T / np.sqrt(5)
    small = (X @ W_Q / 5**0.25) @ (X @ W_K / 5**0.25).T
    assert np.allclose(usual, small)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_trap(seed, batch, prose):
    eight = Repeat(26, 24, 8, 8)
    model = Model(eight.settings(**SETTINGS, n_layers=1), seed)
    for _ in train(model, eight, 150):
        pass
    for length, band in ((8, (0.98, 1)), (7, (0, 0.1)), (12, (0, 0.1))):
        drawn = Repeat(26, 24, length, length)
        drawn = drawn.draw(np.random.default_rng(length), 100)
        low, high = band
        assert low <= examine(model, drawn)["next"].accuracy <= high
    assert 0.03 < examine(model, batch)["next"].accuracy < 0.2
    _, notes = model.forward(batch.tokens)
    seven = (
        roles.at_offset(24, -7)
        & (patterns(batch)["induction"].any(-1)[..., None])
    )
    assert roles.score(notes["attention"][0].attn, seven).max() > 0.6


# --- the shipped model --------------------------------------------------


def test_the_scores_the_text_reads_out(shipped, random_start, batch):
    _, found = head_scores(shipped, batch)
    _, chance = head_scores(random_start, batch)
    previous, induction = found["previous"], found["induction"]
    assert previous[0, 0] > 0.9 and induction[1, :3].min() > 0.85
    assert 0.3 < previous[0, 3] < 0.5 and 0.25 < induction[1, 3] < 0.5
    assert max(chance["previous"].max(), chance["induction"].max()) < 0.15
    assert induction[0].max() < 0.15 and previous[1].max() < 0.15


def test_no_other_role_is_near_1(shipped, batch):
    asking = patterns(batch)["induction"].any(-1)[..., None]
    _, notes = shipped.forward(batch.tokens)
    for note in notes["attention"]:
        for pattern in (
            roles.same_word(batch.tokens),
            roles.at_offset(24, 0),
            roles.first_token(24),
        ):
            assert roles.score(note.attn, pattern & asking).max() < 0.2


def test_the_word_in_a_line(shipped):
    line = TASK.ask("xyzwepound catfish catfish")
    _, notes = shipped.forward(line.tokens)
    attn = [note.attn[0, 0] for note in notes["attention"]]
    assert [attn[1][i].argmax() for i in (17, 18, 19)] == [11, 12, 13]
    diagonal = np.diagonal(attn[0], -1)[:16]
    assert diagonal.min() > 0.8


def test_one_head_carries_it_and_its_neighbours_nothing(
    shipped, batch, alone, prose
):
    base = without(shipped, batch)
    assert f"loss {base:.2f} nats" in prose
    assert alone[0, 0] > 5 > np.log(26)
    assert max(alone[0, n] for n in (1, 2, 3)) < 0.1
    assert all(0.05 < alone[1, n] - base < 0.4 for n in range(4))


def test_the_word_without_a_head(shipped):
    line = TASK.ask("xyzwepound catfish catfish")

    def said(*heads):
        X, _ = shipped.forward(line.tokens, roles.head_mask(2, 4, heads))
        best = (X @ shipped.parts["read next"]).argmax(-1)
        return "".join(TASK.words[token] for token in best[0, 17:-1])

    assert said() == said((0, 1)) == said((0, 2)) == said((0, 3)) == "atfish"
    wrong = said((0, 0))
    assert not any(a == b for a, b in zip(wrong, "atfish", strict=True))


def test_pairs_of_induction_heads_cost_more_than_both(shipped, batch, alone):
    base = without(shipped, batch)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        both = without(shipped, batch, (1, one), (1, other)) - base
        assert both > 2 * (alone[1, one] + alone[1, other] - 2 * base)


def test_without_the_previous_head_one_more_makes_less_sure(shipped, batch):
    def answers(*heads):
        X, _ = shipped.forward(batch.tokens, roles.head_mask(2, 4, heads))
        rows, places, right = batch.asked["next"]
        shares = softmax(X[rows, places] @ shipped.parts["read next"])
        return shares.max(-1).mean(), np.mean(shares.argmax(-1) == right)

    sure, right = answers((0, 0))
    for head in range(4):
        less_sure, as_many = answers((0, 0), (1, head))
        assert less_sure < sure - 0.03 and abs(as_many - right) < 0.03


def test_the_induction_heads_go_blind(shipped, batch):
    wanted = patterns(batch)["induction"]
    mask = roles.head_mask(2, 4, [(0, 0)])
    _, notes = shipped.forward(batch.tokens, mask)
    assert roles.score(notes["attention"][1].attn, wanted).max() < 0.2


# --- conversion and pruning ---------------------------------------------


def accuracies(model, n_kv, how, batch):
    small = converted(model, n_kv, how)
    found = [examine(small, batch)["next"].accuracy]
    for progress in up_train(small, TASK, 80):
        if progress.step in (40, 80):
            found.append(examine(small, batch)["next"].accuracy)
    return np.array(found)


def test_first_heads_win_by_their_place(shipped, batch):
    columns = np.arange(32).reshape(4, -1)[[1, 0, 2, 3]].ravel()
    moved = shipped.copy()
    for name in ("W_Q 0", "W_K 0", "W_V 0"):
        moved.parts[name][...] = shipped.parts[name][:, columns]
    moved.parts["W_O 0"][...] = shipped.parts["W_O 0"][columns]
    tokens = batch.tokens
    assert np.allclose(
        moved.forward(tokens)[0], shipped.forward(tokens)[0], atol=1e-4
    )
    mean, first = (accuracies(shipped, 1, w, batch) for w in ("mean", "first"))
    assert (first > mean).all() and first[1] > mean[1] + 0.3
    mean, first, fresh = (
        accuracies(moved, 1, w, batch) for w in ("mean", "first", "at random")
    )
    assert mean[2] > first[2] + 0.4
    assert first[2] > fresh[2]


def test_half_the_key_heads_are_mended_soon(shipped, batch):
    for how in ("mean", "first"):
        found = accuracies(shipped, 2, how, batch)
        assert found[0] < 0.8 and found[1] > 0.9 and found[2] > 0.97


def test_how_many_heads_can_go(shipped, batch):
    others = TASK.draw(np.random.default_rng(5), 100)
    left = {
        how: [
            scores["next"].accuracy
            for scores in curve(shipped, batch, order_of(shipped, others, how))
        ]
        for how in ("greedy", "by ablation", "by gradient", "at random")
    }
    assert left["greedy"][4] > 0.88 and left["by ablation"][4] > 0.93
    assert left["at random"][4] < 0.5
    assert max(shares[7] for shares in left.values()) < 0.1
    assert left["by gradient"][5] < left["by ablation"][5] - 0.1
    greedy, ablation = np.array(left["greedy"]), np.array(left["by ablation"])
    assert (ablation > greedy - 0.03).all()  # "good all the same"
    assert greedy[5] > greedy[4]  # "may dip and rise"


# --- the studies that are shipped -----------------------------------------


def test_what_the_study_of_conversion_found():
    found = {row: of["accuracy, 5 %"] for row, of in study("conversion")}
    late = {row: of["accuracy, 25 %"] for row, of in study("conversion")}
    assert min(found["n_kv = 4, mean"]) > 0.95
    assert max(found["n_kv = 1, mean"]) < 0.2
    assert min(late["n_kv = 1, mean"]) < 0.9
    assert np.mean(late["n_kv = 1, first"]) < 0.9
    for n_kv in (4, 2):
        mean, first = (
            np.mean(found[f"n_kv = {n_kv}, {way}"])
            for way in ("mean", "first")
        )
        assert mean > first + 0.1
    for n_kv in (4, 2, 1):
        scratch = f"n_kv = {n_kv}, from scratch"
        assert min(found[scratch]) > 0.9
        for way in ("mean", "first"):
            row = f"n_kv = {n_kv}, {way}"
            for column in (found, late):
                # "as good": within half a percent
                assert np.mean(column[scratch]) > np.mean(column[row]) - 0.005
    assert study_seeds("conversion") == study_seeds("pruning") == 5


def test_what_the_study_of_pruning_found():
    found = dict(study("pruning"))
    for order in ("greedy", "by ablation", "by gradient"):
        assert min(found[order]["12 removed"]) > 0.9
        assert max(found[order]["14 removed"]) < 0.85
        assert max(found[order]["15 removed"]) < 0.2
    for order in ("at random", "most important first"):
        assert max(found[order]["12 removed"]) < 0.3


def test_one_head_a_layer_is_enough_if_trained_so():
    found = {row: of["accuracy"] for row, of in study("heads left")}
    assert min(found["trained with one head each"]) > 0.99
    assert max(found["one head of each"]) < 0.85
    assert BASE["h"] == 8  # "eight times as wide": one head has all of d_model


def study(name):
    return shipped_study(name).items()


def study_seeds(name):
    return len(STUDIES[name].seeds)


def test_three_heads_are_enough_and_two_are_not(shipped, batch):
    def right(kept):
        mask = 1 - roles.head_mask(2, 4, kept)
        return examine(shipped, batch, mask)["next"].accuracy

    assert right([(0, 0), (1, 0), (1, 2)]) > 0.94
    assert max(right(pair) for pair in combinations(all_heads(), 2)) < 0.9


# --- what is published --------------------------------------------------


def test_published_numbers_stand_as_in_the_sources(prose):
    assert "removed for 0.15 BLEU (English–Russian)" in prose
    assert "38 of 48 heads" in prose
