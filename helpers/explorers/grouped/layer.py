"""What the explorer of grouped heads computes: h maps on n_kv heads."""

from dataclasses import dataclass, replace

import numpy as np

from helpers.attention import grouped_query_attention, split_heads
from helpers.explorers.shared_heads import Sharing
from helpers.sentences import RELATION_NAMES, Relation
from helpers.sizes import Sizes
from helpers.weights import hand_built, random_projections, token_vectors

HAND_BUILT, RANDOM = "hand-built", "random (control)"
WIDTH = 16  # d_k of the sentence's heads: enough for nine places
DEALT = len(RELATION_NAMES)  # from head 9 on, relations are dealt again
NUMBER_TYPE = np.float32


@dataclass(frozen=True)
class Shape:
    """The sizes of a whole model: what its cache and its work depend on."""

    name: str
    n_layers: int
    sizes: Sizes  # of one layer; n_kv is the model's own
    context: int
    note: str = ""
    public: bool = True


@dataclass(frozen=True)
class State:
    """What the controls say."""

    shape: Shape
    n_kv: int
    N: int  # tokens in the cache
    batch: int
    number_type: str
    limit: int  # bytes for the cache
    units: str
    kind: str
    tokens: tuple[str, ...]
    relations: tuple[Relation, ...]
    chosen: tuple[int, int]  # the query and the key, from 0
    first: int  # the first head of the page

    @property
    def h(self):
        """Query heads."""
        return self.shape.sizes.h

    @property
    def order(self):
        """Which key/value head each query head reads: 0, 0, 1, 1."""
        return Sharing(self.h, self.n_kv).order

    def of_heads(self):
        """Return the state without what only the memory depends on."""
        return replace(
            self, N=1, batch=1, number_type="float32", limit=1, units=""
        )

    def of_memory(self):
        """Return the state without what only the maps depend on."""
        return replace(self.at_no_place(), kind=HAND_BUILT)

    def at_no_place(self):
        """Return the state without a chosen cell or page."""
        return replace(self, chosen=(0, 0), first=0)


@dataclass(frozen=True, eq=False)
class Result:
    """The maps of all query heads, and the bytes of their K and V."""

    attn: np.ndarray  # (h, N, N)
    kept: int  # K.nbytes + V.nbytes
    visible: None = None


class Layers:
    """Runs the sentence through h heads; remembers what does not change.

    The projections are those of a small layer with the model's heads, each
    16 wide: a real model's matrices take gigabytes. Turning the dial keeps
    the queries, and of K and V the first head of each n_kv that share.
    """

    def __init__(self):
        self._projected = (None, None)
        self._last = (None, None)

    def run(self, state):
        """Return the Result of `state`."""
        key = state.tokens, state.h, state.n_kv, state.kind
        if self._last[0] != key:
            self._last = (key, self._run(state))
        return self._last[1]

    def _run(self, state):
        Q, K, V = self._heads(state)
        step = state.h // state.n_kv
        K, V = K[::step].copy(), V[::step].copy()  # (n_kv, N, d_k)
        _, attn = grouped_query_attention(Q, K, V)
        return Result(attn, K.nbytes + V.nbytes)

    def _heads(self, state):
        key = state.tokens, state.h, state.kind
        if self._projected[0] != key:
            build = _built if state.kind == HAND_BUILT else _drawn
            self._projected = (key, build(state))
        return self._projected[1]


def _built(state):
    """Project with hand-built weights: relation after relation."""
    h = state.h
    dealt = min(h, DEALT)
    sizes = Sizes(4 * WIDTH, dealt, d_k=WIDTH)
    X = token_vectors(len(state.tokens), sizes.d_model)
    W_Q, W_K, W_V, _ = hand_built(X, state.relations, sizes)
    again = np.arange(h) % dealt
    return tuple(
        split_heads(X @ W, dealt)[again].astype(NUMBER_TYPE)
        for W in (W_Q, W_K, W_V)
    )


def _drawn(state):
    """Project with random weights, tokens of length sqrt(d_model)."""
    sizes = Sizes(4 * WIDTH, state.h, d_k=WIDTH)
    X = token_vectors(len(state.tokens), sizes.d_model)
    X *= np.sqrt(sizes.d_model)
    W_Q, W_K, W_V, _ = random_projections(sizes)
    return tuple(
        split_heads(X @ W, state.h).astype(NUMBER_TYPE)
        for W in (W_Q, W_K, W_V)
    )
