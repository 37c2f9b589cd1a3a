"""Task: who did what, in sentences like the running one.

    The cat ate the fish because it was hungry
                ^ read here: subject, object
                                        ^ read here: what "it" stands for

Any noun can be subject or object, so a word alone does not tell its role.
Subject and object are both read at the verb: two questions to one row of
attention. The adjective tells whether "it" is the subject (hungry) or the
object (tasty). Asked for at "it", the answer takes two steps: the query of
"it" has not seen the adjective.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from helpers.choice_rules import require_choice
from helpers.learn.batch import (
    Asked,
    Batch,
    drawn,
    parted,
    require_share,
    tokens_of,
)
from helpers.learn.model import Settings
from helpers.number_rules import as_array, require_switch
from helpers.sizes import SizeError, whole

NOUNS = tuple(
    """cat fish dog bird fox hen wolf lamb bear bee frog fly owl mouse snake
    rat lion deer crab shrimp seal squid hawk duck goat mole toad moth shark
    eel crow worm""".split()
)
VERBS = tuple("ate caught bit chased hunted fought followed found".split())
OF_SUBJECT = tuple(
    "hungry greedy fierce strong quick starving bold cruel".split()
)
OF_OBJECT = tuple("tasty weak slow tender small lost careless fresh".split())
OTHERS = ("the", "because", "it", "was")
PLACES = {"subject": 1, "verb": 2, "object": 4, "it": 6, "adjective": 8}
N = 9
ROLES = ("subject", "object", "antecedent")


@dataclass(frozen=True)
class WhoDidWhat:
    """The task.

    Parameters
    ----------
    n_nouns : int
        How many nouns there are, 2 to 32. With two, the object is "the one
        with less weight", and one head is enough.
    held_share : float
        The share of noun pairs, in both orders, that training never shows.
        "cat" and "fish" are the first of them, so the running sentence is
        new to a trained model.
    split_seed : int
        Chooses the others.
    read_it : str
        "adjective" or "it": at which word the antecedent is read.
    """

    n_nouns: int = len(NOUNS)
    held_share: float = 0.2
    split_seed: int = 0
    read_it: str = "adjective"

    # What the task is trained with, unless something else is asked for.
    steps, batch, learning_rate, falls = 600, 64, 5e-3, True
    beta_2 = 0.99

    def __post_init__(self):
        whole("n_nouns", self.n_nouns, 2, len(NOUNS))
        whole("split_seed", self.split_seed, 0)
        require_share(self.held_share)
        require_choice("read_it", self.read_it, ("adjective", "it"), repr)

    @cached_property
    def words(self):
        """All words; a token is a word's place in it, nouns first."""
        nouns = NOUNS[: self.n_nouns]
        return nouns + VERBS + OF_SUBJECT + OF_OBJECT + OTHERS

    def tokens(self, sentence):
        """Return the tokens of a sentence, int array (N,).

        Raises
        ------
        ValueError
            If a word is not one of `words`.
        """
        return tokens_of(sentence, self.words)

    @cached_property
    def pairs(self):
        """Noun pairs to train on and held back: two arrays (n, 2)."""
        all_pairs = np.array(list(combinations(range(self.n_nouns), 2)))
        rng = np.random.default_rng(self.split_seed)
        order = 1 + rng.permutation(len(all_pairs) - 1)
        order = np.concatenate([[0], order])  # cat and fish come first
        return parted(all_pairs, order, self.held_share)

    def settings(self, d_model=32, h=2, spread=0.02, **others):
        """Return the settings of a model for this task."""
        read_outs = tuple((role, self.n_nouns) for role in ROLES)
        return Settings(
            *(len(self.words), N, read_outs, d_model, h),
            **{"spread": spread, **others},
        )

    def draw(self, rng, batch, held=False):
        """Draw sentences.

        Parameters
        ----------
        rng : numpy Generator
        batch : int
        held : bool
            True: of noun pairs that training never shows.

        Returns
        -------
        Batch
        """
        require_switch("held", held)
        pairs = self.pairs[1 if held else 0]
        if not len(pairs):
            raise ValueError("No noun pair is held back.")
        nouns = drawn(rng, pairs, batch)
        verbs = self.n_nouns + rng.integers(len(VERBS), size=batch)
        kind = rng.integers(len(OF_SUBJECT + OF_OBJECT), size=batch)
        adjectives = self.n_nouns + len(VERBS) + kind
        sentence = "the cat ate the fish because it was hungry"
        tokens = np.tile(self.tokens(sentence), (batch, 1))  # (batch, N)
        columns = (*nouns.T, verbs, adjectives)
        for name, column in zip(
            ("subject", "object", "verb", "adjective"), columns
        ):
            tokens[:, PLACES[name]] = column
        return self.ask(tokens)

    def ask(self, tokens):
        """Put the three questions to sentences (batch, N)."""
        tokens = as_array("tokens", tokens)
        if tokens.ndim != 2 or tokens.shape[1] != N:
            raise SizeError(
                f"tokens must be (batch, N), with N = {N}: got {tokens.shape}."
            )
        subject = tokens[:, PLACES["subject"]]
        object_ = tokens[:, PLACES["object"]]
        adjective = tokens[:, PLACES["adjective"]]
        of_subject = adjective < self.n_nouns + len(VERBS + OF_SUBJECT)
        antecedent = np.where(of_subject, subject, object_)
        rows = np.arange(len(tokens))
        verb = np.full(len(tokens), PLACES["verb"])
        return Batch(
            tokens,
            {
                "subject": Asked(rows, verb, subject),
                "object": Asked(rows, verb, object_),
                "antecedent": Asked(
                    rows,
                    np.full(len(tokens), PLACES[self.read_it]),
                    antecedent,
                ),
            },
        )
