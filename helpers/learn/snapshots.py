"""A training, kept: the weights at a few steps, and curves of all of it.

What a text says about a head that has a number is true of one model only,
so that model is shipped. `python -m helpers.learn.make weights repeat`
trains it again: in float64, so that another machine gets the same to the
precision that is shipped, 16 bits a weight.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from helpers import roles
from helpers.learn.batch import require_drawn
from helpers.learn.model import Model
from helpers.learn.repeat import Repeat, patterns
from helpers.learn.training import (
    answered,
    require_model,
    require_task,
    train,
)

EXAMINED = 100  # sentences
EXAMINATION_SEED = 99


@dataclass(frozen=True)
class Recipe:
    """How a shipped model is made.

    Parameters
    ----------
    name : str
    task : Repeat
    settings : dict
        What is special about the model.
    seed, steps : int
    kept : tuple of int
        The steps whose weights are kept; 0 is the start, at random.
    every : int
        Curves have a point every so many steps.
    """

    name: str
    task: Repeat
    settings: dict = field(hash=False)
    seed: int
    steps: int
    kept: tuple
    every: int = 10

    def __post_init__(self):
        if any(step % self.every for step in (*self.kept, self.steps)):
            raise ValueError(f"Steps must be multiples of {self.every}.")


RECIPES = {
    "repeat": Recipe(
        "repeat",
        Repeat(vocabulary=26, N=24, shortest=5, longest=12),
        {"d_model": 32, "h": 4},
        seed=0,
        steps=800,
        kept=(0, 100, 200, 300, 350, 400, 430, 460, 500, 550, 600, 800),
    )
}


class Record(NamedTuple):
    """A training as it was."""

    recipe: Recipe
    snapshots: tuple  # of (step, Model)
    curves: dict  # {name: array}; see `curves_of`


def examination(task):
    """Return the sentences that every model of a task is examined on."""
    require_task(task)
    rng = np.random.default_rng(EXAMINATION_SEED)
    return task.draw(rng, EXAMINED)


def head_scores(model, batch):
    """Return what each head does, on the rows that count.

    Returns
    -------
    scores : dict of Score
    found : dict of {"previous", "induction": array (n_layers, h)}
    """
    require_model(model)
    require_drawn(batch)
    X, notes = model.forward(batch.tokens)
    found = {
        name: np.array(
            [roles.score(note.attn, pattern) for note in notes["attention"]]
        )
        for name, pattern in patterns(batch).items()
    }
    return answered(model, batch, X), found


def curves_of(recipe, n_layers):
    """Train a model, and measure it every few steps.

    Returns
    -------
    snapshots : list of (step, Model)
    curves : dict
        "loss" (nats) and "accuracy": arrays (n,); "previous" and
        "induction": arrays (n, n_layers, h).
    """
    task, batch = recipe.task, examination(recipe.task)
    settings = task.settings(**recipe.settings, n_layers=n_layers)
    model = Model(settings, recipe.seed, np.float64)
    snapshots, points = [], []

    def measure(step):
        if step in recipe.kept:
            snapshots.append((step, model.copy()))
        if step % recipe.every == 0:
            scores, found = head_scores(model, batch)
            score = scores["next"]
            points.append(
                {"loss": score.loss, "accuracy": score.accuracy, **found}
            )

    measure(0)
    for progress in train(model, task, recipe.steps, seed=recipe.seed):
        measure(progress.step)
    curves = {
        name: np.array([point[name] for point in points]) for name in points[0]
    }
    return snapshots, curves


def recorded(recipe):
    """Train the model of a recipe, and a control with one layer.

    Returns
    -------
    Record
        Its curves: "step" (n,); "loss", "accuracy" (n,); "previous",
        "induction" (n, 2, h); "control loss", "control accuracy" (n,).
    """
    snapshots, curves = curves_of(recipe, n_layers=2)
    _, control = curves_of(recipe, n_layers=1)
    curves |= {
        "step": np.arange(0, recipe.steps + 1, recipe.every),
        "control loss": control["loss"],
        "control accuracy": control["accuracy"],
    }
    return Record(recipe, tuple(snapshots), curves)
