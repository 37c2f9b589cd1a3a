"""The studies of repeating: when it is learnt, and when it is not.

seeds          the same training, other random numbers, other h
one layer      is a second layer needed?
fixed length   the trap: one layer wins by position alone
"""

from helpers.learn import repeat_measures as measure
from helpers.learn.model import Model
from helpers.learn.repeat import Repeat
from helpers.learn.snapshots import RECIPES
from helpers.learn.study import SECONDS, Plan, Study, training_by
from helpers.learn.training import train

TASK = RECIPES["repeat"].task
SMALL = RECIPES["repeat"].settings  # d_model 32, h 4
FIVE = tuple(range(5))
RECENT = 10  # batches: the accuracy of one jumps about
ANSWERS = ("loss", "accuracy")


def _with_steps_of(plans):
    """Note, on the way, when the accuracy has passed .5 and .95."""

    def trains(row, seed):
        plan = plans[row]
        model = Model(plan.task.settings(**plan.settings), seed)
        recent, passed = [], {}
        for progress in train(model, plan.task, plan.steps, seed=seed):
            recent = [*recent, progress.scores["next"].accuracy][-RECENT:]
            for bound in (0.5, 0.95):
                if sum(recent) / RECENT > bound:
                    passed.setdefault(f"step of {bound}", progress.step)
            yield progress
        never = dict.fromkeys(STEPS_OF, float("nan"))
        return never | passed | measure.of_layers(model, plan.task)

    return trains


STEPS_OF = ("step of 0.5", "step of 0.95")
SEEDS = Study(
    "seeds",
    "Two layers learn to repeat: d_model = 32, 1000 steps.",
    ("h = 1", "h = 2", "h = 4", "h = 8"),
    (
        *(*STEPS_OF, *ANSWERS),
        *("previous, layer 1", "induction, layer 2"),
        *("largest rise, layer 1", "second rise, layer 1"),
        *("largest rise, layer 2", SECONDS),
    ),
    FIVE,
    _with_steps_of(
        {f"h = {h}": Plan(TASK, {**SMALL, "h": h}, 1000) for h in (1, 2, 4, 8)}
    ),
)


def _study(name, title, columns, plans, what):
    return Study(
        name, title, tuple(plans), columns, FIVE, training_by(plans, what)
    )


ONE_LAYER = _study(
    "one layer",
    "Is a second layer needed? 800 steps, the best head's scores.",
    (*ANSWERS, "previous", "induction", SECONDS),
    {
        "two layers": Plan(TASK, SMALL, 800),
        "one layer": Plan(TASK, {**SMALL, "n_layers": 1}, 800),
        "one layer, 8 heads": Plan(
            TASK, {**SMALL, "h": 8, "n_layers": 1}, 800
        ),
        "one layer, twice as wide": Plan(
            TASK, {**SMALL, "d_model": 64, "n_layers": 1}, 800
        ),
        "one layer, 2400 steps": Plan(TASK, {**SMALL, "n_layers": 1}, 2400),
    },
    measure.of_roles,
)

ALWAYS_8 = Repeat(TASK.vocabulary, TASK.N, 8, 8)
FIXED_LENGTH = _study(
    "fixed length",
    "If the copy always has 8 tokens, counting places is enough.",
    (
        *("accuracy", "accuracy, length 8", "accuracy, 9 to 12"),
        *("weight at 7 back", "induction", SECONDS),
    ),
    {
        "always 8, one layer": Plan(ALWAYS_8, {**SMALL, "n_layers": 1}, 400),
        "always 8, two layers": Plan(ALWAYS_8, SMALL, 400),
        "5 to 12, one layer": Plan(TASK, {**SMALL, "n_layers": 1}, 800),
        "5 to 12, two layers": Plan(TASK, SMALL, 800),
    },
    measure.of_distance,
)

REPEAT_STUDIES = {
    study.name: study for study in (SEEDS, ONE_LAYER, FIXED_LENGTH)
}
