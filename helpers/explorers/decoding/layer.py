"""What the decoding explorer computes: each step in both ways, counted."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from helpers.attention import multi_head_attention
from helpers.cache import KVCache, step
from helpers.counted import count, counting
from helpers.sizes import Sizes
from helpers.weights import random_projections, token_vectors

D_MODEL, H = 64, 8
NUMBER_TYPE = "float32"


@dataclass(frozen=True)
class State:
    """What the controls say."""

    tokens: tuple[str, ...]  # the whole text
    prompt: int  # tokens of the first step
    N: int  # tokens so far
    sizes: Sizes

    @property
    def run(self):
        """The part of the state that the arrays depend on."""
        return len(self.tokens), self.prompt, self.sizes


@dataclass(frozen=True)
class Step:
    """One step, done both ways, and what was counted meanwhile.

    FLOPs of the matrix products; `apart` is the largest difference between
    the two outputs for the new tokens.
    """

    before: int
    N: int
    without: int
    cached: int
    n_bytes: int
    apart: float


@dataclass(frozen=True)
class Result:
    """The steps so far; the last one is the one to show."""

    steps: tuple[Step, ...]

    @property
    def last(self):
        """The step that led to the tokens so far."""
        return self.steps[-1]

    @cached_property
    def without(self):
        """FLOPs so far without a cache."""
        return sum(step.without for step in self.steps)

    @cached_property
    def cached(self):
        """FLOPs so far with a cache."""
        return sum(step.cached for step in self.steps)


class Decoder:
    """Runs steps; remembers those it ran, so that going back is free."""

    def __init__(self):
        self._run = None

    def result(self, state):
        """Return the Result of `state`."""
        if self._run is None or self._run.key != state.run:
            self._run = _Run(state)
        steps = self._run.up_to(state.N)
        return Result(tuple(steps))


class _Run:
    """One text, step by step."""

    def __init__(self, state):
        self.key = state.run
        self._sizes, self._prompt = state.sizes, state.prompt
        # Numbers of size about 1, as after a layer norm.
        X = token_vectors(len(state.tokens), D_MODEL) * np.sqrt(D_MODEL)
        self._X = X.astype(NUMBER_TYPE)
        self._W = random_projections(self._sizes, number_type=NUMBER_TYPE)
        self._cache = KVCache(self._sizes, number_type=NUMBER_TYPE)
        self._steps = []

    def up_to(self, N):
        while not self._steps or self._steps[-1].N < N:
            self._steps.append(self._next())
        return [step for step in self._steps if step.N <= N]

    def _next(self):
        before = self._cache.N
        N = before + 1 if before else self._prompt
        with counting() as without:
            full, _ = multi_head_attention(
                count(self._X[:N]),
                *self._W,
                h=self._sizes.h,
                n_kv=self._sizes.n_kv,
                causal=True,
            )
        with counting() as cached:
            new, _ = step(
                count(self._X[before:N]),
                *self._W,
                h=self._sizes.h,
                cache=self._cache,
            )
        return Step(
            before=before,
            N=N,
            without=without.flops,
            cached=cached.flops,
            n_bytes=self._cache.nbytes,
            apart=float(np.abs(np.asarray(full[before:] - new)).max()),
        )
