"""What the studies of repeating measure of a model."""

import math

import numpy as np

from helpers import roles
from helpers.learn import pruning
from helpers.learn.repeat import Repeat, patterns
from helpers.learn.snapshots import examination, head_scores
from helpers.learn.training import examine

N_SENTENCES, SEED = 200, 98


def sentences(task):
    """Return the sentences results are measured on: nothing is chosen here.

    What has to be chosen is chosen on `snapshots.examination`.
    """
    return task.draw(np.random.default_rng(SEED), N_SENTENCES)


def of_answers(model, task):
    """Return loss (nats) and accuracy."""
    score = examine(model, sentences(task))["next"]
    return {"loss": score.loss, "accuracy": score.accuracy}


def of_roles(model, task):
    """Return loss, accuracy, and the best score in the model for each role."""
    _, found = head_scores(model, sentences(task))
    best = {name: float(found[name].max()) for name in found}
    return of_answers(model, task) | best


def of_layers(model, task):
    """Return the best scores of layer 1 and 2, and what removals cost.

    "second rise, layer 1" is large if two heads share the work; NaN if
    there is no second.
    """
    batch = sentences(task)
    scores, found = head_scores(model, batch)
    lower, upper = np.sort(pruning.ablation(model, batch), axis=1)
    return {
        "loss": scores["next"].loss,
        "accuracy": scores["next"].accuracy,
        "previous, layer 1": found["previous"][0].max(),
        "induction, layer 2": found["induction"][1].max(),
        "largest rise, layer 1": lower[-1],
        "second rise, layer 1": lower[-2] if len(lower) > 1 else math.nan,
        "largest rise, layer 2": upper[-1],
    }


def of_distance(model, task):
    """Return what a model knows of lengths it was not trained on.

    "weight at 7 back" is the best head's, whatever the sentence's length;
    "induction" its weight on what followed last time. With a length of 8
    both are one key, so they are measured on sentences of other lengths.
    """
    batch = sentences(task)
    at_eight, others = (
        sentences(Repeat(task.vocabulary, task.N, *lengths))
        for lengths in ((8, 8), (9, 12))
    )
    rows = patterns(others)["induction"].any(axis=-1, keepdims=True)
    back = roles.at_offset(task.N, -7) & rows
    _, notes = model.forward(others.tokens)
    maps = [note.attn for note in notes["attention"]]
    _, found = head_scores(model, others)
    return {
        "accuracy": examine(model, batch)["next"].accuracy,
        "accuracy, length 8": examine(model, at_eight)["next"].accuracy,
        "accuracy, 9 to 12": examine(model, others)["next"].accuracy,
        "weight at 7 back": max(roles.score(m, back).max() for m in maps),
        "induction": found["induction"].max(),
    }


def of_worth(model, task):
    """Compare what heads cost with what one way back makes of them.

    "correlation" is of the numbers, "rank correlation" of their order.
    """
    batch = sentences(task)
    cost = pruning.ablation(model, batch).ravel()
    guess = pruning.importance(model, batch).ravel()
    _, found = head_scores(model, batch)
    return {
        "correlation": np.corrcoef(cost, guess)[0, 1],
        "rank correlation": np.corrcoef(
            cost.argsort().argsort(), guess.argsort().argsort()
        )[0, 1],
        "largest rise": cost.max(),
        "heads above 0.1 nats": (cost > 0.1).sum(),
        "previous": found["previous"].max(),
        "induction": found["induction"].max(),
    }


def of_pruning(model, task, order):
    """Return the accuracy with 0, 1, … heads removed in this order."""
    curve = pruning.curve(model, sentences(task), order)
    return {
        f"{n} removed": scores["next"].accuracy
        for n, scores in enumerate(curve)
    }


def of_alone(model, task, layers):
    """Return loss and accuracy with one head left in each of the layers."""
    kept = pruning.best_alone(model, examination(task), layers)
    mask = pruning.only(model, kept)
    score = examine(model, sentences(task), mask)["next"]
    return {"loss": score.loss, "accuracy": score.accuracy}
