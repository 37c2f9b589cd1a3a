"""Training, one step at a time.

`train` is a generator: each turn of a loop is one step of a few
milliseconds, so whoever runs the loop can draw, count, or stop.

    for progress in train(model, task):
        ...
"""

import math
from numbers import Real
from typing import NamedTuple

import numpy as np

from helpers.choice_rules import require_kind
from helpers.learn.adam import Adam, cosine, warm_up
from helpers.learn.batch import require_batch, require_drawn
from helpers.learn.gradients import cross_entropy
from helpers.learn.model import Model, named_parts
from helpers.learn.products import added_products, project
from helpers.sizes import quoted, whole

TOO_MUCH = 20.0  # nats a question: far above any guess at random


class TrainingError(ValueError):
    """Training that can't go on; the text says why, and what would do."""


class Score(NamedTuple):
    """How well one kind of question is answered."""

    loss: float  # cross-entropy in nats
    p_correct: float  # mean probability of the right answer
    accuracy: float  # share of questions whose likeliest answer is right


class Progress(NamedTuple):
    """Where training stands after a step."""

    step: int  # from 1
    steps: int
    scores: dict  # {read-out: Score}, on the batch of this step
    loss: float  # their sum


def require_model(model):
    """Raise a TypeError unless `model` is a Model."""
    require_kind("model", model, Model, "Model(task.settings())")


def require_task(task):
    """Raise a TypeError unless sentences can be drawn of `task`."""
    if isinstance(task, type) or not hasattr(task, "draw"):
        raise TypeError(
            f"task must be a task, such as WhoDidWhat(): got {quoted(task)}."
        )


def train(
    model,
    task,
    steps=None,
    batch=None,
    learning_rate=None,
    seed=0,
    head_mask=None,
    warm_up_steps=50,
):
    """Train the model in place; yield after every step.

    Parameters
    ----------
    model : Model
    task : WhoDidWhat or Repeat
        Draws the sentences; says what is usual for what is left out.
    steps, batch : int, optional
    learning_rate : float, optional
    seed : int
        Of the sentences. The same seed gives the same run.
    head_mask : array (n_layers, h), optional
    warm_up_steps : int
        The learning rate climbs for so long.

    Yields
    ------
    Progress

    Raises
    ------
    SizeError, TrainingError
        At once if a number is impossible; later if the loss runs away.
    """
    require_model(model)
    require_task(task)
    steps = task.steps if steps is None else whole("steps", steps)
    batch = task.batch if batch is None else require_batch(batch)
    rate = task.learning_rate if learning_rate is None else learning_rate
    if not isinstance(rate, Real) or not 0 < rate < math.inf:
        raise TrainingError(
            f"The learning rate must be a number above 0: got {quoted(rate)}; "
            f"{task.learning_rate} is usual here."
        )
    climb = whole("warm_up_steps", warm_up_steps)
    seed = whole("seed", seed, 0)
    return _steps(model, task, steps, batch, rate, seed, head_mask, climb)


def _steps(model, task, steps, batch, rate, seed, head_mask, climb):
    rng = np.random.default_rng([seed, 1])
    adam = Adam(model.flat, beta_2=task.beta_2)
    for step in range(steps):
        share = warm_up(step, climb) * (
            cosine(step, steps) if task.falls else 1
        )
        try:
            with np.errstate(all="ignore"):
                scores, gradient = learn_from(
                    model, task.draw(rng, batch), head_mask
                )
                adam.step(gradient, rate * share)
        except ValueError:  # attention refuses NaN and infinity
            raise _ran_away(step, rate, task) from None
        if not all(score.loss < TOO_MUCH for score in scores.values()):
            raise _ran_away(step, rate, task)
        loss = sum(score.loss for score in scores.values())
        yield Progress(step + 1, steps, scores, loss)


def _ran_away(step, rate, task):
    return TrainingError(
        f"The loss ran away at step {step + 1}: the learning rate {rate} is "
        f"too large; {task.learning_rate} is usual here. Start with a new "
        f"model."
    )


def learn_from(model, batch, head_mask=None, d_head_mask=None):
    """Return the scores on a batch, and the gradient of the summed losses.

    Parameters
    ----------
    model : Model
    batch : Batch
    head_mask : array (n_layers, h), optional
    d_head_mask : array (n_layers, batch, h), optional
        Filled with the gradient of the head mask, sentence by sentence;
        added up over the sentences it is that of the losses.

    Returns
    -------
    scores : dict of Score
    gradient : array (n,)
        Ordered like `model.flat`.
    """
    require_model(model)
    require_drawn(batch)
    gradient = np.zeros_like(model.flat)
    gradients = named_parts(gradient, model.settings.shapes())
    if d_head_mask is not None:
        gradients["head mask"] = d_head_mask
    X, notes = model.forward(batch.tokens, head_mask)
    d_X = np.zeros_like(X)
    scores = {}
    for name, asked in batch.asked.items():
        read_out = model.parts["read " + name]
        seen = X[asked.rows, asked.places]  # (n, d_model)
        scores[name], d_logits = _score(project(seen, read_out), asked.answers)
        gradients["read " + name] += added_products(seen, d_logits)
        d_X[asked.rows, asked.places] += project(d_logits, read_out.T)
    model.backward(d_X, notes, gradients)
    return scores, gradient


def examine(model, batch, head_mask=None):
    """Return {read-out: Score} on a batch; nothing is learnt.

    `head_mask` (n_layers, h) has 0 for a head that is removed, 1 elsewhere.
    """
    require_model(model)
    require_drawn(batch)
    X, _ = model.forward(batch.tokens, head_mask)
    return answered(model, batch, X)


def answered(model, batch, X):
    """Return {read-out: Score} of what a model's last layer gave."""
    scores = {}
    for name, asked in batch.asked.items():
        seen = X[asked.rows, asked.places]
        logits = project(seen, model.parts["read " + name])
        scores[name], _ = _score(logits, asked.answers)
    return scores


def _score(logits, answers):
    loss, d_logits, shares = cross_entropy(logits, answers)
    right = shares[np.arange(len(answers)), answers]
    best = shares.argmax(axis=-1) == answers
    score = Score(loss, float(right.mean()), float(best.mean()))
    return score, d_logits
