"""Our training beside PyTorch's, and what each training here takes.

    python -m pip install -r requirements-bench.txt
    python -m bench.training

Both take the same step: the same weights, sentences, questions and Adam, in
float32, on one thread. The gradients are compared before anything is timed.
"""

import argparse
import itertools
import math
import os
import time

for variable in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{variable}_NUM_THREADS"] = "1"  # before NumPy is loaded

import numpy as np  # noqa: E402

from bench.attention import seconds_each  # noqa: E402
from helpers.learn.model import Model  # noqa: E402
from helpers.learn.repeat import Repeat  # noqa: E402
from helpers.learn.snapshots import RECIPES  # noqa: E402
from helpers.learn.training import learn_from, train  # noqa: E402
from helpers.learn.who_did_what import WhoDidWhat  # noqa: E402

BOUND = 1.5  # of ours / it
SECONDS_OF_ROLES, SECONDS_OF_REPEAT = 2.0, 4.0  # CPU, to be met
GOOD, RECENT = 0.95, 10  # accuracy, over so many batches
ROUNDS = 15
ROLES, REPEAT = WhoDidWhat(), Repeat()
SHIPPED = RECIPES["repeat"]
STEPS = {
    **{
        f"who did what, h = {h}": (ROLES, ROLES.settings(h=h))
        for h in (1, 2, 4, 8)
    },
    "repeat, d_model 64, h = 2": (REPEAT, REPEAT.settings()),
    "repeat, d_model 64, h = 8": (REPEAT, REPEAT.settings(h=8)),
    "repeat, as shipped": (
        SHIPPED.task,
        SHIPPED.task.settings(**SHIPPED.settings),
    ),
}
NO_BOUND = {"repeat, d_model 64, h = 8"}  # for a whole training


# --- the same step in PyTorch ------------------------------------------------


def torch_loss(model, fused):
    """Return (loss of a batch, parameters): the model as PyTorch has it.

    Parameters
    ----------
    fused : bool
        True: with scaled_dot_product_attention; False: written out.
    """
    import torch
    from torch.nn import functional as F

    s = model.settings
    parts = {
        name: torch.from_numpy(part.copy()).requires_grad_()
        for name, part in model.parts.items()
    }
    hidden = torch.ones(s.N, s.N, dtype=torch.bool).triu(1)

    def layer(X, number):
        def heads(inputs, name):
            W = parts[f"{name} {number}"]
            return (inputs @ W).view(*X.shape[:2], s.h, -1).transpose(1, 2)

        X_place = X + parts["places"]
        q, k, v = heads(X_place, "W_Q"), heads(X_place, "W_K"), heads(X, "W_V")
        if fused:
            out = F.scaled_dot_product_attention(q, k, v, is_causal=s.causal)
        else:
            scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
            if s.causal:
                scores = scores.masked_fill(hidden, -math.inf)
            out = torch.softmax(scores, dim=-1) @ v
        concat = out.transpose(1, 2).reshape(X.shape)
        return X + concat @ parts[f"W_O {number}"]

    def loss(batch):
        X = F.embedding(torch.from_numpy(batch.tokens), parts["tokens"])
        for number in range(s.n_layers):
            X = layer(X, number)
        return sum(
            F.cross_entropy(
                X[torch.from_numpy(asked.rows), torch.from_numpy(asked.places)]
                @ parts["read " + name],
                torch.from_numpy(asked.answers),
            )
            for name, asked in batch.asked.items()
        )

    return loss, parts


def torch_step(model, task, batches, fused):
    """Return a call that takes one step of training in PyTorch."""
    import torch

    torch.set_num_threads(1)
    loss, parts = torch_loss(model, fused)
    _compare(model, batches[0], loss, parts)
    adam = torch.optim.Adam(
        list(parts.values()),
        lr=task.learning_rate,
        betas=(0.9, task.beta_2),
        fused=fused,
    )
    turns = itertools.cycle(batches)

    def step():
        adam.zero_grad()
        loss(next(turns)).backward()
        adam.step()

    return step


def _compare(model, batch, loss, parts):
    scores, gradient = learn_from(model, batch)
    theirs = loss(batch)
    theirs.backward()
    ours = sum(score.loss for score in scores.values())
    flat = np.concatenate([p.grad.numpy().ravel() for p in parts.values()])
    same = math.isclose(theirs.item(), ours, rel_tol=1e-4)
    if not (same and np.allclose(flat, gradient, rtol=1e-3, atol=1e-5)):
        raise ArithmeticError("PyTorch computes something else.")


class _Given:
    """A task that draws what it is given: sentences cost no time."""

    def __init__(self, task, batches):
        self.task, self.turns = task, itertools.cycle(batches)

    def __getattr__(self, name):
        return getattr(self.task, name)

    def draw(self, rng, batch):
        return next(self.turns)


def compare(rounds):
    """Print a step against PyTorch's two."""
    print(f"{'a step of':28} {'ms':>6} {'/ plain':>8} {'/ fused':>8}  bound")
    for name, (task, settings) in STEPS.items():
        rng = np.random.default_rng(3)
        batches = [task.draw(rng, task.batch) for _ in range(20)]
        model = Model(settings)
        ours = train(model.copy(), _Given(task, batches), steps=10**6)
        calls = {"ours": ours.__next__} | {
            way: torch_step(model, task, batches, way == "fused")
            for way in ("plain", "fused")
        }
        seconds = seconds_each(calls, rounds)
        ratios = [seconds["ours"] / seconds[way] for way in ("plain", "fused")]
        verdict = "met" if max(ratios) <= BOUND else "MISSED"
        print(
            f"{name:28} {seconds['ours'] * 1e3:6.2f} {ratios[0]:8.2f} "
            f"{ratios[1]:8.2f}  {BOUND} {verdict}"
        )


# --- whole trainings ---------------------------------------------------------


def seconds_of(task, settings, seed, good=None):
    """Train; return (CPU seconds, steps, accuracy of the last batches).

    Parameters
    ----------
    good : float, optional
        Stop when the last batches are so accurate, after 1000 steps at the
        latest; if left out, train as long as the task says.
    """
    model, recent = Model(settings, seed), []
    steps = None if good is None else 1000
    start = time.process_time()
    for progress in train(model, task, steps, seed=seed):
        worst = min(score.accuracy for score in progress.scores.values())
        recent = [*recent, worst][-RECENT:]
        if good is not None and sum(recent) / RECENT >= good:
            break
    seconds = time.process_time() - start
    return seconds, progress.step, sum(recent) / RECENT


def whole(n_seeds):
    """Print what the trainings of the notebooks take."""
    print(f"\n{'a whole training':28} {'steps':>9} {'CPU s':>11}  bound")
    rows = [(name, None, SECONDS_OF_ROLES) for name in STEPS if "who" in name]
    rows += [
        (name, GOOD, SECONDS_OF_REPEAT) for name in STEPS if "repeat" in name
    ]
    for name, good, bound in rows:
        runs = [seconds_of(*STEPS[name], s, good) for s in range(n_seeds)]
        seconds, steps, accuracy = (sorted(part) for part in zip(*runs))
        held = good is None or accuracy[0] >= good
        verdict = "met" if seconds[-1] <= bound and held else "MISSED"
        verdict = f"{bound} {verdict}" if name not in NO_BOUND else ""
        print(
            f"{name:28} {steps[0]:4}-{steps[-1]:4} {seconds[0]:5.2f}-"
            f"{seconds[-1]:5.2f}  {verdict}"
        )


def main():
    """Read the options and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    print("float32, one thread, CPU time; ours / PyTorch's, medians\n")
    compare(options.rounds)
    whole(options.seeds)


if __name__ == "__main__":
    main()
