"""One training in slices: a snapshot now and then, a result at the end."""

import time
from dataclasses import dataclass, replace

import numpy as np

from helpers.explorers.training.setting import Setting
from helpers.learn.training import examine, train
from helpers.learn.who_did_what import PLACES, ROLES

SLICE = 0.02  # seconds of training before the kernel hears the reader
REDRAW = 1 / 12  # seconds between two snapshots, at least
PER_POINT = 6  # steps whose average is one point of a curve
EXAMINED = 1024  # sentences
SENTENCES = (
    "the cat ate the fish because it was hungry",
    "the fish ate the cat because it was hungry",
)
QUERIES = (PLACES["verb"], PLACES["adjective"])  # rows that carry a loss
TRAINING, STOPPED, FINISHED = "training", "stopped", "finished"


@dataclass(frozen=True)
class Point:
    """The average of a few steps; one number a role."""

    step: int
    losses: tuple[float, ...]
    ps: tuple[float, ...]


@dataclass(frozen=True)
class Answer:
    """A right answer, and the probability that the model gives to it."""

    role: str
    word: str
    p: float


@dataclass(frozen=True, eq=False)
class Run:
    """A training, so far or done.

    `shares` are the weights of the rows "ate" and "hungry", as nested
    tuples: sentence, layer, head, row, key. `seen` and `new` are P(correct)
    a role, on noun pairs that were trained and on others; None until it is
    examined, and where no pair was held back.
    """

    setting: Setting
    step: int
    steps: int
    points: tuple[Point, ...]
    shares: tuple
    answers: tuple[tuple[Answer, ...], ...]
    status: str = TRAINING
    seen: tuple[float, ...] | None = None
    new: tuple[float, ...] | None = None
    seconds: float | None = None  # None: it was shipped

    @property
    def judged(self):
        """What the run is judged by: new pairs, or all if none is new."""
        return self.seen if self.new is None else self.new

    def stopped(self):
        """Return this run as one that was ended half-way."""
        return replace(self, status=STOPPED)


def training(setting, clock=time.perf_counter):
    """Train; every turn of a loop is one slice.

    Yields
    ------
    Run or None
        None where there is nothing new to draw. The last one is finished.

    Raises
    ------
    TrainingError
        If the loss runs away.
    """
    task, model = setting.task(), setting.model()
    steps = train(model, task, learning_rate=setting.rate, seed=setting.seed)
    points, bucket = [], []
    busy, drawn, done = 0.0, -REDRAW, False
    began = clock()
    while not done:
        slice_began = clock()
        while not done and clock() - slice_began < SLICE:
            progress = next(steps, None)
            if progress is None:
                done = True
                break
            bucket.append(progress)
            if len(bucket) == PER_POINT:
                points.append(_point(bucket))
                bucket = []
        busy += clock() - slice_began
        if not done and points and clock() - began - drawn >= REDRAW:
            drawn = clock() - began
            yield snapshot(setting, model, task, points, task.steps)
        else:
            yield None
    run = snapshot(setting, model, task, points, task.steps)
    seen = _examined(model, task, setting.seed, held=False)
    yield None
    new = None
    if len(task.pairs[1]):
        new = _examined(model, task, setting.seed, held=True)
    yield replace(run, status=FINISHED, seen=seen, new=new, seconds=busy)


def _point(bucket):
    scores = [[p.scores[role] for role in ROLES] for p in bucket]
    losses = np.mean([[s.loss for s in row] for row in scores], axis=0)
    ps = np.mean([[s.p_correct for s in row] for row in scores], axis=0)
    return Point(bucket[-1].step, tuple(losses.tolist()), tuple(ps.tolist()))


def _examined(model, task, seed, held):
    rng = np.random.default_rng([seed, 2])
    scores = examine(model, task.draw(rng, EXAMINED, held))
    return tuple(scores[role].p_correct for role in ROLES)


def snapshot(setting, model, task, points, steps):
    """Return where a training stands, as a Run."""
    tokens = np.array([task.tokens(sentence) for sentence in SENTENCES])
    batch = task.ask(tokens)
    _, notes = model.forward(tokens)
    by_layer = [note.attn[:, :, QUERIES] for note in notes["attention"]]
    shares = np.stack(by_layer, axis=1)  # (sentence, layer, head, 2, N)
    answers = []
    for one, _ in enumerate(SENTENCES):
        alone = task.ask(tokens[one : one + 1])
        scores = examine(model, alone)
        answers.append(
            tuple(
                Answer(
                    role,
                    task.words[batch.asked[role].answers[one]],
                    scores[role].p_correct,
                )
                for role in ROLES
            )
        )
    return Run(
        setting,
        points[-1].step,
        steps,
        tuple(points),
        tuples(shares.tolist()),
        tuple(answers),
    )


def tuples(nested):
    """Return nested lists as nested tuples."""
    if isinstance(nested, list):
        return tuple(tuples(part) for part in nested)
    return nested
