"""Training: the same for a seed, stoppable, and it learns what it should.

Bounds are loose on purpose: they hold for other seeds and machines too.
All trainings together take about eight seconds of CPU time.
"""

from itertools import islice

import numpy as np
import pytest

from helpers import roles
from helpers.attention import softmax
from helpers.learn.model import Model
from helpers.learn.repeat import Repeat
from helpers.learn.training import TrainingError, examine, train
from helpers.learn.who_did_what import OF_SUBJECT, PLACES, WhoDidWhat
from helpers.sentences import HUNGRY, SENTENCES, TASTY
from helpers.sizes import SizeError

ROLES = WhoDidWhat()
REPEAT = Repeat()
SMALL = Repeat(vocabulary=7, N=8, shortest=2, longest=3)


def rng(seed=9):
    return np.random.default_rng(seed)


# --- the loop -------------------------------------------------------------


def run(task, settings, seed=0, enough=2.0, **options):
    """Train a new model, until each accuracy is `enough`; return both."""
    model = Model(settings, seed)
    for progress in train(model, task, seed=seed, **options):
        if min(s.accuracy for s in progress.scores.values()) >= enough:
            break
    return model, progress


@pytest.mark.parametrize("task", (ROLES, SMALL), ids=("roles", "repeat"))
def test_a_seed_gives_the_same_run(task):
    settings = task.settings(d_model=8, h=2)
    one, progress = run(task, settings, 3, steps=12, batch=5)
    again, progress_again = run(task, settings, 3, steps=12, batch=5)
    other, _ = run(task, settings, 4, steps=12, batch=5)
    assert np.array_equal(one.flat, again.flat)
    assert progress == progress_again
    assert not np.array_equal(one.flat, other.flat)


def test_progress_comes_after_every_step_and_not_before():
    model = Model(SMALL.settings(d_model=8))
    start = model.flat.copy()
    training = train(model, SMALL, steps=3, batch=4)
    assert np.array_equal(model.flat, start)
    first = next(training)
    assert (first.step, first.steps) == (1, 3)
    assert first.loss == first.scores["next"].loss
    assert not np.array_equal(model.flat, start)
    assert [progress.step for progress in training] == [2, 3]


def test_stopping_half_way_leaves_the_steps_taken():
    whole, half = (Model(SMALL.settings(d_model=8)) for _ in range(2))
    seen = list(islice(train(whole, SMALL, steps=9, batch=4), 4))
    training = train(half, SMALL, steps=9, batch=4)
    for progress in training:
        if progress.step == 4:
            training.close()
    assert progress == seen[-1]
    assert np.array_equal(whole.flat, half.flat)


@pytest.mark.parametrize("rate", (0, -1e-3, np.inf, np.nan))
def test_an_impossible_learning_rate_is_refused_at_once(rate):
    with pytest.raises(TrainingError, match="above 0.*0.003 is usual"):
        train(Model(SMALL.settings()), SMALL, learning_rate=rate)


@pytest.mark.parametrize(
    "number",
    (
        {"steps": 0},
        {"batch": 0},
        {"batch": 10**6},
        {"seed": -1},
        {"seed": "text"},
    ),
)
def test_impossible_numbers_are_refused_at_once(number):
    with pytest.raises(SizeError):
        train(Model(SMALL.settings()), SMALL, **number)


@pytest.mark.parametrize("rate", (10, 1e20, 1e38))
def test_a_loss_that_runs_away_is_said(rate):
    model = Model(ROLES.settings())
    with pytest.raises(TrainingError, match="ran away at step .*0.005"):
        for _ in train(model, ROLES, steps=20, learning_rate=rate):
            pass


# --- the tasks --------------------------------------------------------------


@pytest.mark.parametrize("held", (False, True))
def test_who_did_what_asks_for_what_the_sentence_says(held):
    batch = ROLES.draw(rng(), 400, held)
    train_pairs, held_pairs = (set(map(tuple, p)) for p in ROLES.pairs)
    assert not train_pairs & held_pairs and (0, 1) in held_pairs
    assert len(held_pairs) == 99 and len(train_pairs) == 397
    allowed = held_pairs if held else train_pairs
    orders = set()
    for row, tokens in enumerate(batch.tokens):
        words = [ROLES.words[token] for token in tokens]
        subject, object_ = tokens[1], tokens[4]
        assert words[0] == words[3] == "the"
        assert words[5:8] == ["because", "it", "was"]
        assert tuple(sorted((subject, object_))) in allowed
        orders.add(subject < object_)
        of = subject if words[8] in OF_SUBJECT else object_
        wanted = {"subject": subject, "object": object_, "antecedent": of}
        for name, asked in batch.asked.items():
            assert asked.rows[row] == row
            assert asked.answers[row] == wanted[name]
            assert words[asked.places[row]] == (
                words[8] if name == "antecedent" else words[2]
            )
    assert orders == {False, True}


def test_the_running_sentences_can_be_asked():
    tokens = np.array([ROLES.tokens(text) for text in SENTENCES])
    asked = ROLES.ask(tokens).asked
    named = {
        name: [ROLES.words[answer] for answer in question.answers]
        for name, question in asked.items()
    }
    assert named == {
        "subject": ["cat", "cat", "fish"],
        "object": ["fish", "fish", "cat"],
        "antecedent": ["cat", "fish", "fish"],
    }
    assert SENTENCES[:2] == (HUNGRY, TASTY)
    with pytest.raises(ValueError, match="does not know the word 'tea'"):
        ROLES.tokens("The cat ate the tea")


def test_every_h_has_the_same_parameters():
    sizes = {Model(ROLES.settings(h=h)).flat.size for h in (1, 2, 4, 8, 32)}
    assert sizes == {9_376}
    assert Model(REPEAT.settings()).flat.size == 38_912


def test_repeat_repeats_and_asks_only_what_can_be_known():
    batch = REPEAT.draw(rng(), 300)
    asked = batch.asked["next"]
    lengths = set()
    for row, tokens in enumerate(batch.tokens):
        mine = asked.rows == row
        length = mine.sum() + 1
        lengths.add(int(length))
        first, second = tokens[:-length], tokens[-length:]
        assert len(set(first)) == len(first)
        assert np.array_equal(first[-length:], second)
        assert np.array_equal(asked.places[mine], np.arange(32 - length, 31))
        assert np.array_equal(asked.answers[mine], second[1:])
    assert lengths == set(range(6, 17))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Repeat(longest=17),
        lambda: Repeat(vocabulary=25),
        lambda: Repeat(shortest=9, longest=8),
        lambda: Repeat(shortest=1),
        lambda: Repeat(vocabulary="text"),
        lambda: Repeat(vocabulary=10**6),
        lambda: Repeat(N="text"),
        lambda: REPEAT.draw(rng(), -1),
        lambda: REPEAT.draw(rng(), 2.5),
        lambda: REPEAT.draw(rng(), 10**6),
        lambda: ROLES.draw(rng(), "text"),
        lambda: ROLES.draw(rng(), 0),
        lambda: WhoDidWhat(split_seed=-1),
        lambda: WhoDidWhat(split_seed="text"),
        lambda: WhoDidWhat(n_nouns=1),
        lambda: WhoDidWhat(n_nouns=33),
    ],
)
def test_tasks_that_do_not_fit_are_refused(wrong):
    with pytest.raises(SizeError):
        wrong()


def test_a_task_may_hold_nothing_back():
    two = WhoDidWhat(n_nouns=2)
    with pytest.raises(ValueError, match="held back"):
        two.draw(rng(), 3, held=True)
    with pytest.raises(ValueError, match="held_share"):
        WhoDidWhat(held_share=1)
    with pytest.raises(ValueError, match="held_share"):
        WhoDidWhat(held_share="text")


# --- who did what -------------------------------------------------------


@pytest.fixture(scope="module", params=(0, 2))
def one_and_two(request):
    """Return models with one head and with two, after 300 steps.

    With seed 0 the one head looks at both nouns alike; with seed 2 it takes
    the subject, and gives the object up.
    """
    seed = request.param
    return [
        run(ROLES, ROLES.settings(h=h), seed, steps=300)[0] for h in (1, 2)
    ]


def p_correct(model, batch, head_mask=None):
    scores = examine(model, batch, head_mask)
    return [score.p_correct for score in scores.values()]


def test_one_head_knows_who_but_not_who_did_what(one_and_two):
    """Blurred or one-sided, it does no better than a coin over both."""
    model, _ = one_and_two
    batch = ROLES.draw(rng(), 500)
    subject, object_, antecedent = p_correct(model, batch)
    assert 0.4 < (subject + object_) / 2 < 0.6
    assert antecedent > 0.95  # another row is another softmax
    scores = examine(model, batch)
    both = scores["subject"].loss + scores["object"].loss
    assert both > 2 * np.log(2) - 0.1
    X, notes = model.forward(batch.tokens)
    at_verb = X[:, PLACES["verb"]] @ model.parts["read subject"]
    nouns = batch.tokens[:, [PLACES["subject"], PLACES["object"]]]
    shares = np.take_along_axis(softmax(at_verb), nouns, axis=1)
    assert shares.sum(axis=1).mean() > 0.75  # of 32 nouns, these two


def test_two_heads_solve_it_for_pairs_they_have_never_seen(one_and_two):
    _, model = one_and_two
    assert min(p_correct(model, ROLES.draw(rng(), 500))) > 0.95
    assert min(p_correct(model, ROLES.draw(rng(), 500, held=True))) > 0.9


def test_each_of_two_heads_has_its_own_question(one_and_two):
    """Seen in the maps, and when a head is removed: its answer goes."""
    _, model = one_and_two
    batch = ROLES.draw(rng(), 200)
    _, notes = model.forward(batch.tokens)
    maps = notes["attention"][0].attn  # (batch, h, N, N)
    found = []
    for number, role in enumerate(("subject", "object")):
        looks = maps[:, :, PLACES["verb"]].argmax(axis=-1)  # (batch, h)
        rate = (looks == PLACES[role]).mean(axis=0)
        head = int(rate.argmax())
        assert rate[head] > 0.9 and rate[1 - head] < 0.1
        found.append(head)
        without = roles.head_mask(1, 2, [(0, head)])
        left = p_correct(model, batch, without)
        assert left[number] < 0.3 and left[1 - number] > 0.9
    assert sorted(found) == [0, 1]


def test_with_two_nouns_one_head_is_enough():
    two = WhoDidWhat(n_nouns=2)
    model, _ = run(two, two.settings(h=1), steps=200)
    assert min(p_correct(model, two.draw(rng(), 100))) > 0.9


# --- repeat what you have seen --------------------------------------------


@pytest.fixture(scope="module")
def two_layers():
    """Stop when a batch is nearly right, or after 500 steps."""
    return run(REPEAT, REPEAT.settings(), steps=500, enough=0.985)


def test_two_layers_learn_to_repeat(two_layers):
    model, progress = two_layers
    assert progress.step < 500
    score = examine(model, REPEAT.draw(rng(), 200))["next"]
    assert score.accuracy > 0.95 and score.loss < 0.3


def test_they_look_back_one_place_then_behind_the_first_copy(two_layers):
    model, _ = two_layers
    batch = REPEAT.draw(rng(), 100)
    _, notes = model.forward(batch.tokens)
    lower, upper = (note.attn for note in notes["attention"])
    pattern = roles.induction(batch.tokens)
    assert roles.score(upper, pattern).max() > 0.6
    assert roles.score(lower, pattern).max() < 0.3
    previous = roles.at_offset(REPEAT.N, -1)
    assert roles.score(lower, previous).max() > 0.5
    assert roles.score(upper, previous).max() < 0.3

    def loss_of(mask):
        return examine(model, batch, mask)["next"].loss

    assert roles.ablation(loss_of, 2, 2).max() > 1


def test_one_layer_does_not_learn_to_repeat():
    model, _ = run(REPEAT, REPEAT.settings(n_layers=1), steps=300)
    score = examine(model, REPEAT.draw(rng(), 200))["next"]
    assert score.accuracy < 0.4 and score.loss > 1.5


def test_with_one_fixed_length_one_layer_wins_by_position_alone():
    """So the length has to vary: what looks like copying is counting."""
    fixed = Repeat(shortest=8, longest=8)
    model, _ = run(fixed, fixed.settings(n_layers=1), steps=300, enough=0.985)
    assert examine(model, fixed.draw(rng(), 100))["next"].accuracy > 0.95
    assert examine(model, REPEAT.draw(rng(), 100))["next"].accuracy < 0.3
