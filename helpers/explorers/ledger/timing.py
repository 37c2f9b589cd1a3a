"""Measure what a layer takes on this machine, one short run at a time."""

import math
import statistics
import time
from dataclasses import dataclass

import numpy as np

from helpers.attention import multi_head_attention
from helpers.sizes import divisors

MOST_N = 128  # a run is one slice, so it has to stay short
MOST_HEADS = 128
MOST_MEASURED = 8  # values of h
ROUNDS = 9


@dataclass(frozen=True)
class Times:
    """Seconds of each h, in the order they were measured."""

    N: int
    d_model: int
    seconds: tuple[tuple[int, tuple[float, ...]], ...] = ()

    def with_run(self, h, seconds):
        """Return these times and one more."""
        known = dict(self.seconds)
        known[h] = (*known.get(h, ()), seconds)
        return Times(self.N, self.d_model, tuple(known.items()))

    @property
    def rounds(self):
        """Runs of every h that are done."""
        return min((len(runs) for _, runs in self.seconds), default=0)

    def summary(self):
        """Return (h, fastest, median, slowest), in seconds."""
        return tuple(
            (h, min(runs), statistics.median(runs), max(runs))
            for h, runs in self.seconds
        )


def timed_N(N):
    """Return how many tokens are timed where the ledger counts N."""
    return min(N, MOST_N)


def timed_heads(d_model):
    """Return the values of h to time: 1, and up to seven more divisors."""
    legal = [h for h in divisors(d_model) if h <= MOST_HEADS]
    if len(legal) <= MOST_MEASURED:
        return tuple(legal)
    places = np.linspace(0, len(legal) - 1, MOST_MEASURED)
    return tuple(legal[round(place)] for place in places)


def runs(N, d_model, heads, rounds=ROUNDS, clock=time.perf_counter):
    """Measure; yield after every short piece of work.

    All matrices are the same for every h, in float32. The values of h take
    turns, so that a slow moment of the machine meets them all alike. The
    first round warms up and is not counted.

    Yields
    ------
    (h, seconds), or None where there is nothing to note.
    """
    rng = np.random.default_rng(7)
    arrays = [rng.standard_normal((N, d_model), dtype=np.float32)]
    for _ in range(4):
        W = rng.standard_normal((d_model, d_model), dtype=np.float32)
        arrays.append(W / np.float32(math.sqrt(d_model)))
        yield None
    for turn in range(rounds + 1):
        for h in heads:
            began = clock()
            multi_head_attention(*arrays, h)
            seconds = clock() - began
            yield (h, seconds) if turn else None
