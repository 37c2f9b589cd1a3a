"""The studies of who did what: how many heads it takes, and what else helps.

heads             one head against several
variants          what rescues one head, and what does not
three roles       are three heads needed?
five roles        and five?
it in two layers  the antecedent, read at "it"

What is measured, and what the columns mean, stands in `role_measures`.
"""

from helpers.learn import role_measures as measure
from helpers.learn.role_measures import AT_VERB
from helpers.learn.roles_in_a_row import RolesInARow
from helpers.learn.study import SECONDS, Plan, Study, training_by
from helpers.learn.who_did_what import ROLES, WhoDidWhat

TASK = WhoDidWhat()
AT_IT = WhoDidWhat(read_it="it")
SEEN = tuple(
    f"{what} {role}, seen" for what in ("P", "loss") for role in AT_VERB
)
NEW = tuple(name.replace("seen", "new") for name in SEEN)
P_AND_LOSS = tuple(
    f"{what} {role}" for what in ("P", "loss") for role in ROLES
)


def _plans(task, head_counts, steps=None):
    return {f"h = {h}": Plan(task, {"h": h}, steps) for h in head_counts}


def _study(name, title, columns, n_seeds, plans, what):
    return Study(
        name,
        title,
        tuple(plans),
        (*columns, SECONDS),
        tuple(range(n_seeds)),
        training_by(plans, what),
    )


HEADS = _study(
    "heads",
    "Subject and object, both read at the verb: the same parameters and "
    "FLOPs in matrix products in every row.",
    (
        "P worse role",
        "P, the mean",
        *P_AND_LOSS,
        *SEEN,
        "P one of the two",
        "weight on subject",
        "weight on object",
        "one head each",
    ),
    8,
    _plans(TASK, (1, 2, 4, 8)),
    measure.of_heads,
)

VARIANTS = _study(
    "variants",
    "Try to make one head win: one thing is changed in each row.",
    ("P worse role, new", "P worse role, seen", *NEW, *SEEN),
    5,
    {
        "one head": Plan(TASK, {"h": 1}),
        "twice as wide": Plan(TASK, {"h": 1, "d_model": 64}),
        "three times as long": Plan(TASK, {"h": 1}, 1800),
        "larger start": Plan(TASK, {"h": 1, "spread": None}),
        "places in V": Plan(TASK, {"h": 1, "positions": "Q, K, V"}),
        "places in V, three times as long": Plan(
            TASK, {"h": 1, "positions": "Q, K, V"}, 1800
        ),
        "MLP after": Plan(TASK, {"h": 1, "mlp": "after"}),
        "MLP after, three times as long": Plan(
            TASK, {"h": 1, "mlp": "after"}, 1800
        ),
        "MLP before": Plan(TASK, {"h": 1, "mlp": "before"}),
        "MLP before, places in V": Plan(
            TASK, {"h": 1, "mlp": "before", "positions": "Q, K, V"}
        ),
        "two layers": Plan(TASK, {"h": 1, "n_layers": 2}),
        "two nouns": Plan(WhoDidWhat(n_nouns=2), {"h": 1}),
        "two heads": Plan(TASK, {"h": 2}),
    },
    measure.of_variants,
)


def _roles_study(name, n_roles, head_counts, steps):
    task = RolesInARow(n_roles)
    return _study(
        name,
        f"{n_roles} nouns in one sentence, all read at its verb, on sets of "
        f"nouns that training has never shown.",
        (
            "roles right",
            "P, the mean",
            *(f"P {role}" for role in task.roles),
            *(f"loss {role}" for role in task.roles),
            "largest weight",
        ),
        5,
        _plans(task, head_counts, steps),
        measure.of_rows,
    )


THREE_ROLES = _roles_study("three roles", 3, (1, 2, 3, 4), 800)
FIVE_ROLES = _roles_study("five roles", 5, (1, 2, 3, 4, 6), 1500)

IT_IN_TWO_LAYERS = _study(
    "it in two layers",
    "What “it” stands for, read at “it”, on new pairs of nouns.",
    (
        *P_AND_LOSS,
        "A1 it → adjective",
        "A2 it → noun",
        "B1 adjective → noun",
        "B2 it → adjective",
    ),
    5,
    {
        f"{n} layer{'s' * (n > 1)}, h = {h}": Plan(
            AT_IT, {"h": h, "n_layers": n}, 1000
        )
        for n, h in ((1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 4))
    },
    measure.of_it,
)

ROLE_STUDIES = {
    study.name: study
    for study in (
        HEADS,
        VARIANTS,
        THREE_ROLES,
        FIVE_ROLES,
        IT_IN_TWO_LAYERS,
    )
}
