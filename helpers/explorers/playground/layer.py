"""What the playground computes: one layer of any kind on one sentence."""

from dataclasses import dataclass

import numpy as np

from helpers.attention import (
    grouped_query_attention,
    merge_heads,
    softmax,
    split_heads,
)
from helpers.cost import flops
from helpers.counted import count, counting
from helpers.explorers.multi_head import layer as main
from helpers.explorers.playground.kinds import REAL, TRAINED
from helpers.explorers.shared_heads import Sharing
from helpers.learn.role_weights import TASK, load_role_model
from helpers.learn.who_did_what import NOUNS, ROLES
from helpers.pretrained.layer import attend, linear
from helpers.pretrained.sample import load_sample


@dataclass(frozen=True)
class State(main.State):
    """What the controls say; of real heads, `tokens` are word pieces."""

    sentence: str
    depth: int  # which layer of the real model, from 0
    number_type: str

    @property
    def layer(self):
        """The part of the state that the maps depend on."""
        return (*super().layer, self.sentence, self.depth)

    @property
    def sharing(self):
        """Who reads whose keys and values."""
        return Sharing(self.sizes.h, self.sizes.n_kv)


@dataclass(frozen=True, eq=False)
class Result(main.Result):
    """Maps and FLOPs, and what a trained model answers."""

    answers: tuple = ()  # of (role, noun, probability)


class Layers(main.Layers):
    """Runs layers of all kinds; remembers the last one."""

    def _run(self, state):
        if state.kind == TRAINED:
            return _trained(state)
        return _real(state) if state.kind == REAL else super()._run(state)


def _trained(state):
    """Run a shipped model; places are added where Q and K are made."""
    sizes = state.sizes
    model = load_role_model(sizes.h, sizes.n_kv)
    tokens = TASK.tokens(state.sentence)
    X, W = model.parts["tokens"][tokens], model.projections(0)
    with counting() as tally:
        X_place = count(X + model.parts["places"])
        heads, attn = grouped_query_attention(
            split_heads(X_place @ W.W_Q, sizes.h),
            split_heads(X_place @ W.W_K, sizes.n_kv),
            split_heads(count(X) @ W.W_V, sizes.n_kv),
        )
        out = merge_heads(heads) @ W.W_O
    answers = _answers(model, np.asarray(X + out), tokens)
    return _result(state, attn, tally, answers)


def _answers(model, X, tokens):
    """Return (role, noun, its probability), the likeliest of each role."""
    asked = TASK.ask(tokens[None]).asked
    found = []
    for role in ROLES:
        row = X[asked[role].places[0]]
        shares = softmax(row @ model.parts[f"read {role}"])
        best = int(shares.argmax())
        found.append((role, NOUNS[best], float(shares[best])))
    return tuple(found)


def _real(state):
    """Run one layer of the shipped sample on the state that enters it."""
    sample = load_sample()
    X = sample.hidden(state.sentence)[state.depth]
    part = sample.part(state.depth)
    with counting() as tally:
        heads, attn = attend(count(X), part, state.sizes.h)
        linear(merge_heads(heads), *part["O"])
    return _result(state, attn, tally)


def _result(state, attn, tally, answers=()):
    return Result(
        attn=np.asarray(attn),
        visible=None,
        counted=tally.flops,
        formula=flops(state.N, state.sizes),
        answers=answers,
    )
