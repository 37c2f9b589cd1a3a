"""Shipped models of who did what: the running sentence, h heads on n_kv.

    model = load_role_model(h=2, n_kv=2)

All have d_model = 32 and one layer; they differ in h and n_kv only. Each was
trained as the task says, in float64, and is shipped in 16 bits a weight.
`python -m helpers.learn.make weights "who did what"` makes them again.
"""

import json
from functools import cache

import numpy as np

from helpers.learn.model import Model
from helpers.learn.study import SHIPPED
from helpers.learn.training import train
from helpers.learn.weights_on_disk import (
    UNREADABLE,
    WeightsError,
    command,
    read_arrays,
)
from helpers.learn.who_did_what import WhoDidWhat
from helpers.sizes import divisors

NAME = "who did what"
TASK = WhoDidWhat()
SEED = 0
HEADS = (1, 2, 4, 8)
SHAPES = tuple((h, n_kv) for h in HEADS for n_kv in divisors(h))
FILE = SHIPPED / "who_did_what.npz"


def settings_of(h, n_kv):
    """Return the settings of the model with h heads on n_kv."""
    return TASK.settings(h=h, n_kv=n_kv)


def make_role_models(_name=NAME):
    """Train all of them anew, write the file, and return its path."""
    about = {"command": command(f'"{NAME}"'), "numpy": np.__version__}
    about |= {"seed": SEED, "steps": TASK.steps}
    kept = {"about": np.array(json.dumps(about))}
    for h, n_kv in SHAPES:
        model = Model(settings_of(h, n_kv), SEED, np.float64)
        for _ in train(model, TASK, seed=SEED):
            pass
        kept[_key(h, n_kv)] = model.flat.astype(np.float16)
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, **kept)
    return FILE


@cache
def load_role_model(h, n_kv):
    """Return a shipped Model, float32; do not change it.

    Raises
    ------
    WeightsError
        If there is no such model, or the file is missing or broken.
    """
    if (h, n_kv) not in SHAPES:
        raise WeightsError(
            f"No model with h = {h} and n_kv = {n_kv} is shipped; h is one of "
            f"{', '.join(map(str, HEADS))}, and n_kv divides it."
        )
    model = Model(settings_of(h, n_kv))
    try:
        flat = read_arrays(FILE)[_key(h, n_kv)]
        if flat.shape != model.flat.shape or not np.isfinite(flat).all():
            raise ValueError("its weights do not fit")
    except UNREADABLE as error:
        said = str(error).partition("\n")[0] or type(error).__name__
        raise WeightsError(
            f"helpers/learn/shipped/{FILE.name} is missing or broken "
            f"({said}). Download the collection again, or make it anew: "
            + command(f'"{NAME}"')
        ) from None
    model.flat[...] = flat
    return model


def _key(h, n_kv):
    return f"h{h} n_kv{n_kv}"
