"""A study: the same question to many small models, and what came out.

A row of a study is a kind of model, a column is what is measured, and each
pair of row and seed is one training. The results that are shipped were made
by `python -m helpers.learn.make studies`; `Study.run` makes one again.
"""

import json
import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path

from helpers.choice_rules import require_choice
from helpers.learn.model import Model
from helpers.learn.training import train
from helpers.sizes import quoted, whole

SHIPPED = Path(__file__).with_name("shipped")
SECONDS = "CPU seconds"


@dataclass(frozen=True)
class Study:
    """What is compared, and how one training of it is run.

    Parameters
    ----------
    name : str
        Also names the file of its shipped results.
    title : str
        One sentence, for above the table.
    rows, columns : tuple of str
        Kinds of model; what is measured of each. The column SECONDS, if
        there is one, is filled by the study itself.
    seeds : tuple of int
        With which the shipped results were made.
    trains : function
        trains(row, seed) is a generator of Progress; it returns
        {column: float}. A number that does not exist is NaN.
    """

    name: str
    title: str
    rows: tuple
    columns: tuple
    seeds: tuple
    trains: Callable = field(repr=False, compare=False)

    def run(self, row, seed):
        """Train the model of a row once more.

        Parameters
        ----------
        row : str
        seed : int
            Any, not only those that were shipped.

        Returns
        -------
        generator
            Yields Progress after every step; returns {column: float}.

        Raises
        ------
        ValueError, SizeError
            At once, if there is no such row or seed.
        """
        require_choice(
            f"a row of the study {self.name!r}", row, self.rows, repr
        )
        return self._timed(row, whole("seed", seed, 0))

    def _timed(self, row, seed) -> Generator:
        """Count CPU time in the training only, not in who runs the loop."""
        training = self.trains(row, seed)
        seconds, result = 0.0, None
        while result is None:
            start = time.process_time()
            try:
                progress = next(training)
            except StopIteration as end:
                result = dict(end.value)
            seconds += time.process_time() - start
            if result is None:
                yield progress
        if SECONDS in self.columns:
            result[SECONDS] = seconds
        return {column: float(result[column]) for column in self.columns}


@dataclass(frozen=True)
class Plan:
    """A task, what is special about the model, and how long it trains."""

    task: object
    settings: dict
    steps: int | None = None  # as many as the task says, if left out


def training_by(plans, measure):
    """Return a `trains` for Study: train by the row's plan, then measure.

    Parameters
    ----------
    plans : dict of Plan
        By row.
    measure : function
        measure(model, task) -> {column: float}
    """

    def trains(row, seed):
        plan = plans[row]
        model = Model(plan.task.settings(**plan.settings), seed)
        yield from train(model, plan.task, plan.steps, seed=seed)
        return measure(model, plan.task)

    return trains


def outcome(training):
    """Run a training to its end; return (its result, its last step)."""
    last = 0
    while True:
        try:
            last = next(training).step
        except StopIteration as end:
            return end.value, last


def file_of(name):
    """Return where the results of a study lie."""
    return SHIPPED / f"{name.replace(' ', '_')}.json"


def record(name):
    """Return all that is shipped with a study, as it stands in its file.

    Returns
    -------
    dict
        "command", "python", "numpy", "seeds", "steps" by row, "results".

    Raises
    ------
    ValueError
        If there is no such file.
    """
    path, known = file_of(str(name)), sorted(SHIPPED.glob("*.json"))
    if path not in known:
        raise ValueError(
            f"No results of a study {quoted(name)} are shipped; there are "
            f"{', '.join(found.stem for found in known)}."
        )
    return json.loads(path.read_text(encoding="utf-8"))


def shipped(name):
    """Return a study's shipped results.

    Returns
    -------
    dict
        row -> column -> list of floats, one a seed; NaN where a number
        does not exist.
    """
    return {
        row: {
            column: [math.nan if n is None else float(n) for n in numbers]
            for column, numbers in columns.items()
        }
        for row, columns in record(name)["results"].items()
    }
