"""What the main explorer computes: one layer on one sentence."""

import math
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from helpers.attention import causal_mask, multi_head_attention
from helpers.bugs import attention_with
from helpers.cost import Flops, flops
from helpers.counted import count, counting
from helpers.pooling import pooled_layer
from helpers.sentences import Relation
from helpers.sizes import D_MODEL_CHOICES, Sizes
from helpers.weights import (
    hand_built,
    mixing_matrices,
    random_projections,
    token_vectors,
)

HAND_BUILT, RANDOM = "hand-built", "random (control)"
NUMBER_TYPE = np.float32


@dataclass(frozen=True)
class State:
    """What the controls say."""

    tokens: tuple[str, ...]
    relations: tuple[Relation, ...]  # those that are on
    sizes: Sizes
    kind: str
    causal: bool
    bug: str | None
    ledger_N: int
    chosen: tuple[int, int]  # the query and the key, from 0
    first: int  # the first head of the page

    @property
    def N(self):
        """Tokens of the sentence."""
        return len(self.tokens)

    @property
    def layer(self):
        """The part of the state that the maps depend on."""
        return (
            self.tokens,
            self.relations if self.kind == HAND_BUILT else None,
            self.sizes,
            self.kind,
            self.causal,
            self.bug,
        )


@dataclass(frozen=True, eq=False)
class Result:
    """One layer's maps, and the FLOPs that were counted while it ran."""

    attn: np.ndarray  # (h, N, N)
    visible: np.ndarray | None  # bool (N, N)
    counted: int
    formula: Flops


class Layers:
    """Runs layers; remembers the last one, so that a cursor costs nothing."""

    def __init__(self):
        self._last = (None, None)
        self._vectors = (None, None)
        self._random = (None, None)

    def run(self, state):
        """Return the Result of `state`."""
        if self._last[0] != state.layer:
            self._last = (state.layer, self._run(state))
        return self._last[1]

    def _run(self, state):
        X = self._token_vectors(state.N, state.sizes.d_model)
        projections = self._projections(X, state)
        layer = multi_head_attention if state.bug is None else _buggy(state)
        if state.kind == RANDOM:  # numbers of size about 1, as after a norm
            X = X * NUMBER_TYPE(math.sqrt(state.sizes.d_model))
        with counting() as tally:
            _, attn = layer(
                count(X),
                *projections,
                h=state.sizes.h,
                n_kv=state.sizes.n_kv,
                causal=state.causal,
            )
        return Result(
            attn=np.asarray(attn),
            visible=causal_mask(state.N) if state.causal else None,
            counted=tally.flops,
            formula=flops(state.N, state.sizes),
        )

    def _token_vectors(self, N, d_model):
        if self._vectors[0] != (N, d_model):
            X = token_vectors(N, d_model, number_type=NUMBER_TYPE)
            self._vectors = ((N, d_model), X)
        return self._vectors[1]

    def _projections(self, X, state):
        sizes = state.sizes
        if state.kind == HAND_BUILT:
            d_model, kept = sizes.d_model, sizes.n_kv * sizes.d_v
            W_V, W_O = _widest_mixing()
            mixing = W_V[:d_model, :kept], W_O[:d_model, :d_model]
            return hand_built(X, state.relations, sizes, mixing)
        if self._random[0] != sizes.d_model:  # the same for every h
            plain = Sizes(sizes.d_model, sizes.h)
            drawn = random_projections(plain, number_type=NUMBER_TYPE)
            self._random = (sizes.d_model, drawn)
        if sizes.n_kv == sizes.h:
            return self._random[1]
        return pooled_layer(*self._random[1], sizes.h, sizes.n_kv, "first")


def _buggy(state):
    return partial(attention_with, state.bug)


@cache
def _widest_mixing():
    """Return W_V and W_O for the widest layer; narrower ones take a part."""
    return mixing_matrices(
        Sizes(max(D_MODEL_CHOICES), h=1), number_type=NUMBER_TYPE
    )
