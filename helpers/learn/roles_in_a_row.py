"""Task: several nouns, all read in the row of one verb.

    cat gave fish dog
        ^ read here: role 1, role 2, role 3

Any noun can play any role. All roles are asked of one row of attention, so
each head has one weighting for all of them together.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from helpers.learn.batch import (
    Asked,
    Batch,
    drawn,
    parted,
    require_share,
    tokens_of,
)
from helpers.learn.model import Settings
from helpers.learn.who_did_what import NOUNS
from helpers.number_rules import require_switch
from helpers.sizes import whole

VERBS = tuple("gave sent showed lent sold brought promised handed".split())
VERB = 1  # its place; the nouns stand before it and behind it


@dataclass(frozen=True)
class RolesInARow:
    """The task.

    Parameters
    ----------
    n_roles : int
        How many nouns a sentence has, 2 to 5.
    n_nouns : int
        How many there are to choose from.
    held_share : float
        The share of noun sets, in all orders, that training never shows.
    split_seed : int
        Chooses them.
    """

    n_roles: int = 3
    n_nouns: int = len(NOUNS)
    held_share: float = 0.2
    split_seed: int = 0

    # What the task is trained with, unless something else is asked for.
    steps, batch, learning_rate, falls = 800, 64, 5e-3, True
    beta_2 = 0.99

    def __post_init__(self):
        whole("n_roles", self.n_roles, 2, 5)
        whole("n_nouns", self.n_nouns, self.n_roles, len(NOUNS))
        whole("split_seed", self.split_seed, 0)
        require_share(self.held_share)

    @property
    def roles(self):
        """What is asked, in the order of the sentence."""
        return tuple(f"role {n + 1}" for n in range(self.n_roles))

    @cached_property
    def words(self):
        """All words; a token is a word's place in it, nouns first."""
        return NOUNS[: self.n_nouns] + VERBS

    def tokens(self, sentence):
        """Return the tokens of a sentence, int array (N,)."""
        return tokens_of(sentence, self.words)

    @cached_property
    def sets(self):
        """Noun sets to train on and held back: two arrays (n, n_roles)."""
        every = np.array(list(combinations(range(self.n_nouns), self.n_roles)))
        rng = np.random.default_rng(self.split_seed)
        order = rng.permutation(len(every))
        return parted(every, order, self.held_share)

    def settings(self, d_model=48, h=2, spread=0.02, **others):
        """Return the settings of a model for this task."""
        read_outs = tuple((role, self.n_nouns) for role in self.roles)
        return Settings(
            *(len(self.words), self.n_roles + 1, read_outs, d_model, h),
            **{"spread": spread, **others},
        )

    def draw(self, rng, batch, held=False):
        """Draw sentences.

        Parameters
        ----------
        rng : numpy Generator
        batch : int
        held : bool
            True: of noun sets that training never shows.

        Returns
        -------
        Batch
        """
        require_switch("held", held)
        sets = self.sets[1 if held else 0]
        if not len(sets):
            raise ValueError("No set of nouns is held back.")
        nouns = drawn(rng, sets, batch)
        verbs = self.n_nouns + rng.integers(len(VERBS), size=batch)
        return self.ask(np.insert(nouns, VERB, verbs, axis=1))

    def ask(self, tokens):
        """Put the question for each role to sentences (batch, N)."""
        rows = np.arange(len(tokens))
        at_verb = np.full(len(tokens), VERB)
        nouns = np.delete(tokens, VERB, axis=1)
        return Batch(
            tokens,
            {
                role: Asked(rows, at_verb, answers)
                for role, answers in zip(self.roles, nouns.T)
            },
        )
