"""What the explorer of trained heads computes: a model without some heads."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from helpers import roles
from helpers.attention import softmax
from helpers.learn.model import Model
from helpers.learn.repeat import patterns
from helpers.learn.snapshots import examination
from helpers.learn.training import Score, examine

TRAINED, RANDOM = "trained", "random (control)"
SENTENCE_SEED, RANDOM_SEED = 82, 83
SENTENCES = tuple(range(1, 9))
ALL_ON = frozenset()
NO_TRAINING = (RANDOM, 0)
READ = {  # roles on the rows that the loss reads, and no others
    "previous": "previous, read rows",
    "induction": "induction, read rows",
}


@dataclass(frozen=True)
class State:
    """What the controls say."""

    kind: str
    step: int
    off: frozenset  # of (layer, head), from 0
    picked: tuple[int, int]  # layer and head, from 0
    sentence: int
    query: int  # from 0

    @property
    def model(self):
        """What chooses the weights."""
        return (self.kind, self.step if self.kind == TRAINED else 0)


@dataclass(frozen=True, eq=False)
class Result:
    """The model as it stands, and what to compare it with.

    Scores are dicts from a role to an array (n_layers, h).
    """

    now: Score  # held-out sentences, some heads removed
    whole: Score  # all heads on
    control: Score  # random weights, all heads on
    scores: dict
    control_scores: dict
    attn: np.ndarray  # (n_layers, h, N, N), of the chosen sentence
    shares: np.ndarray  # (N, vocabulary): what comes next, at each place
    tokens: np.ndarray  # (N,)
    words: tuple  # N of them
    vocabulary: tuple
    asked: tuple  # the places at which the next token can be known


class Trials:
    """Runs models; remembers what the last moves asked for.

    Parameters
    ----------
    record : helpers.learn.snapshots.Record
    """

    def __init__(self, record):
        self._models = dict(record.snapshots)
        self.task = record.recipe.task
        settings = record.snapshots[0][1].settings
        self.n_layers, self.h = settings.n_layers, settings.h
        self._random = Model(settings, RANDOM_SEED)
        self._batch = examination(self.task)
        self.score = lru_cache(maxsize=256)(self._score)
        self.head_scores = lru_cache(maxsize=64)(self._head_scores)
        self.look = lru_cache(maxsize=32)(self._look)

    def sentence(self, number):
        """Return the tokens of a sentence, and the places that are asked."""
        rng = np.random.default_rng([SENTENCE_SEED, number])
        batch = self.task.draw(rng, 1)
        places = batch.asked["next"].places
        return batch.tokens[0], tuple(places.tolist())

    def words(self, number):
        """Return the words of a sentence."""
        tokens, _ = self.sentence(number)
        return tuple(self.task.words[token] for token in tokens)

    def run(self, state):
        """Return the Result of `state`."""
        tokens, asked = self.sentence(state.sentence)
        attn, shares = self.look(state.model, state.off, state.sentence)
        return Result(
            now=self.score(state.model, state.off),
            whole=self.score(state.model, ALL_ON),
            control=self.score(NO_TRAINING, ALL_ON),
            scores=self.head_scores(state.model, state.off),
            control_scores=self.head_scores(NO_TRAINING, ALL_ON),
            attn=attn,
            shares=shares,
            tokens=tokens,
            words=self.words(state.sentence),
            vocabulary=self.task.words,
            asked=asked,
        )

    def without_each(self, state):
        """Return the Score without each head alone, by (layer, head)."""
        return {
            place: self.score(state.model, frozenset([place]))
            for place in np.ndindex(self.n_layers, self.h)
        }

    def _score(self, model, off):
        """Return the Score on the held-out sentences."""
        found = examine(self._model(model), self._batch, self._mask(off))
        return found["next"]

    def _head_scores(self, model, off):
        """Return what each head does there."""
        tokens = self._batch.tokens
        _, notes = self._model(model).forward(tokens, self._mask(off))
        counted = patterns(self._batch)
        layers = [
            roles.scores(note.attn, tokens)
            | {n: roles.score(note.attn, counted[r]) for r, n in READ.items()}
            for note in notes["attention"]
        ]
        return {n: np.stack([found[n] for found in layers]) for n in layers[0]}

    def _look(self, model, off, number):
        """Return the maps of one sentence, and the shares of all answers."""
        model = self._model(model)
        tokens, _ = self.sentence(number)
        X, notes = model.forward(tokens[None], self._mask(off))
        attn = np.stack([note.attn[0] for note in notes["attention"]])
        return attn, softmax(X[0] @ model.parts["read next"])

    def _model(self, chosen):
        kind, step = chosen
        return self._models[step] if kind == TRAINED else self._random

    def _mask(self, off):
        if not off:
            return None
        return roles.head_mask(self.n_layers, self.h, sorted(off))
