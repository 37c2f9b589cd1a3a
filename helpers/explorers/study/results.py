"""Results of a study: numbers by row, seed and column; made in slices."""

import math
import time
from dataclasses import dataclass

from helpers.learn.studies import SECONDS

SLICE = 0.02  # seconds of training before the kernel hears the reader


@dataclass(frozen=True)
class Trained:
    """What one training gave."""

    row: str
    seed: int
    numbers: tuple[tuple[str, float], ...]

    def number(self, column):
        """Return what was measured in a column; NaN if nothing was."""
        return dict(self.numbers)[column]


@dataclass(frozen=True)
class Spread:
    """Several seeds of one row in one column; NaN is left out."""

    numbers: tuple[float, ...]

    @property
    def mean(self):
        """The average."""
        return sum(self.numbers) / len(self.numbers)

    def in_words(self):
        """Return "0.50 (0.01 … 1.00)"; one number alone; "–" for none."""
        if not self.numbers:
            return "–"
        if len(self.numbers) == 1:
            return f"{self.mean:.2f}"
        low, high = min(self.numbers), max(self.numbers)
        return f"{self.mean:.2f} ({low:.2f} … {high:.2f})"


def shipped_trainings(results, seeds):
    """Return shipped results (row -> column -> numbers) as Trained."""
    return tuple(
        Trained(
            row,
            seed,
            tuple((name, numbers[place]) for name, numbers in columns.items()),
        )
        for row, columns in results.items()
        for place, seed in enumerate(seeds)
    )


def spread(trained, row, column):
    """Return the Spread of a row over its seeds."""
    numbers = (t.number(column) for t in trained if t.row == row)
    return Spread(tuple(n for n in numbers if not math.isnan(n)))


def estimate(trained, seeds):
    """Return the CPU seconds that shipped trainings of `seeds` took.

    None if they were not measured.
    """
    seconds = [
        dict(t.numbers).get(SECONDS, math.nan)
        for t in trained
        if t.seed in seeds
    ]
    total = sum(seconds)
    return None if math.isnan(total) or not seconds else total


def difference(shipped, here, column):
    """Return the largest difference at the same row and seed, or None."""
    known = {(t.row, t.seed): t.number(column) for t in shipped}
    gaps = [
        abs(t.number(column) - known[t.row, t.seed])
        for t in here
        if (t.row, t.seed) in known
    ]
    gaps = [gap for gap in gaps if not math.isnan(gap)]
    return max(gaps, default=None)


def running(study, seeds, clock=time.perf_counter):
    """Run a study again: all rows with one seed, then with the next.

    Yields
    ------
    (share, trained)
        After each slice: the share of all work that is done, 0 to 1, and a
        Trained if one has just come to its end, else None.
    """
    jobs = [(row, seed) for seed in seeds for row in study.rows]
    for done, (row, seed) in enumerate(jobs):
        steps, trained, part = study.run(row, seed), None, 0
        while trained is None:
            began = clock()
            while trained is None and clock() - began < SLICE:
                try:
                    progress = next(steps)
                    part = progress.step / progress.steps
                except StopIteration as end:
                    part = 1
                    trained = Trained(row, seed, tuple(end.value.items()))
            yield (done + part) / len(jobs), trained
