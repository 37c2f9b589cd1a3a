"""The studies of a model with 16 heads: share, remove, weigh them.

conversion     from 8 key/value heads to 4, 2, 1, trained on or not
pruning        heads removed one after another, in five orders
heads left     one head of a layer against all of them
worth          what heads cost, and what the gradient makes of it

All look at one model a seed, two layers of 8 heads that repeat. It is
trained once, and kept while the program runs.
"""

from helpers.learn import repeat_measures as measure
from helpers.learn.conversion import CONTROL, WAYS, converted, up_train
from helpers.learn.model import Model
from helpers.learn.pruning import ORDERS, greedy, order_of
from helpers.learn.snapshots import RECIPES, examination
from helpers.learn.study import Study
from helpers.learn.training import train

TASK = RECIPES["repeat"].task
BASE = {"d_model": 64, "h": 8}
BASE_STEPS = 500
SHARES = (0, 5, 10, 25)  # percent of BASE_STEPS that a model trains on
UP_STEPS = BASE_STEPS * SHARES[-1] // 100
ALL_STEPS = BASE_STEPS + UP_STEPS
ANSWERS = ("loss", "accuracy")
FIVE = tuple(range(5))

_trained = {}  # seed: (model, the last Progress)


def _shifted(training, done, steps):
    """Count a training's steps as part of a longer one."""
    for progress in training:
        yield progress._replace(step=done + progress.step, steps=steps)


def _base(seed, more=0):
    """Train the model of 16 heads, unless it is there; return a copy.

    Parameters
    ----------
    more : int
        Steps that will follow.
    """
    steps = BASE_STEPS + more
    if seed in _trained:
        yield _trained[seed][1]._replace(steps=steps)
    else:
        model = Model(TASK.settings(**BASE), seed)
        training = train(model, TASK, BASE_STEPS, seed=seed)
        for progress in _shifted(training, 0, steps):
            yield progress
        _trained[seed] = (model, progress)
    return _trained[seed][0].copy()


def _columns(model, share):
    answers = measure.of_answers(model, TASK)
    return {f"{name}, {share} %": answers[name] for name in answers}


def _converts(row, seed):
    """Measure a model at its conversion, and at each share of up-training.

    From scratch: as many steps in all, at each of them.
    """
    n_kv, how = START[row]
    if how == SCRATCH:
        done = 0
        model = Model(TASK.settings(**BASE, n_kv=n_kv), seed)
        training = train(model, TASK, ALL_STEPS, seed=seed)
    else:
        done = BASE_STEPS
        base = yield from _base(seed, UP_STEPS)
        model = converted(base, n_kv, how, seed)
        training = up_train(model, TASK, UP_STEPS, seed)
    wanted = {BASE_STEPS + BASE_STEPS * s // 100: s for s in SHARES}
    found = {} if done == 0 else _columns(model, 0)
    for progress in _shifted(training, done, ALL_STEPS):
        if progress.step in wanted:
            found |= _columns(model, wanted[progress.step])
        yield progress
    return found


SCRATCH = "from scratch"
START = {"n_kv = 8": (8, "mean")} | {
    f"n_kv = {n_kv}, {how}": (n_kv, how)
    for n_kv in (4, 2, 1)
    for how in (*WAYS, SCRATCH)
    if how != CONTROL or n_kv == 4
}
CONVERSION = Study(
    "conversion",
    "Two layers of 8 heads, 500 steps, turned into fewer key/value heads; "
    "then trained on for a share of 500 steps. From scratch: as many in all.",
    tuple(START),
    tuple(f"{name}, {s} %" for name in reversed(ANSWERS) for s in SHARES),
    FIVE,
    _converts,
)


def _prunes(row, seed):
    """Choose on some sentences, greedily a head at a time; judge on others."""
    model = yield from _base(seed)
    batch = examination(TASK)
    if row == "greedy":
        order = []
        for head in greedy(model, batch):
            order.append(head)
            yield _trained[seed][1]
    else:
        order = order_of(model, batch, row, seed)
    return measure.of_pruning(model, TASK, order)


PRUNING = Study(
    "pruning",
    "The accuracy when heads of 16 are removed one after another.",
    ORDERS,
    tuple(f"{n} removed" for n in range(17)),
    FIVE,
    _prunes,
)

ALONE = {
    "all 16 heads": (),
    "one head of layer 1": (0,),
    "one head of layer 2": (1,),
    "one head of each": (0, 1),
}
TRAINED_ALONE = "trained with one head each"


def _leaves(row, seed):
    if row == TRAINED_ALONE:
        model = Model(TASK.settings(**{**BASE, "h": 1}), seed)
        yield from train(model, TASK, BASE_STEPS, seed=seed)
        return measure.of_answers(model, TASK)
    model = yield from _base(seed)
    return measure.of_alone(model, TASK, ALONE[row])


HEADS_LEFT = Study(
    "heads left",
    "The best head of a layer does its work alone, nothing trained on.",
    (*ALONE, TRAINED_ALONE),
    ANSWERS,
    FIVE,
    _leaves,
)


def _weighs(row, seed):
    model = yield from _base(seed)
    if row == "at the start":
        model = Model(TASK.settings(**BASE), seed)
    return measure.of_worth(model, TASK)


WORTH = Study(
    "worth",
    "What each of 16 heads costs, against a guess from one way back.",
    ("trained", "at the start"),
    (
        *("correlation", "rank correlation", "largest rise"),
        *("heads above 0.1 nats", "previous", "induction"),
    ),
    FIVE,
    _weighs,
)

SIXTEEN_HEADS_STUDIES = {
    study.name: study for study in (CONVERSION, PRUNING, HEADS_LEFT, WORTH)
}
