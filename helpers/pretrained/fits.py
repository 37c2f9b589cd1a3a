"""Sentences in which one word decides what "it" is: two texts each.

animals_and_foods   hungry: the animal; tasty: the food; also with the roles
                    turned, and in the passive
animals_only        both nouns could be hungry: only the role decides
winograd_pairs      knowledge of the world decides
"""

from dataclasses import dataclass
from functools import cache

from helpers.pretrained.corpus import WORDS


@dataclass(frozen=True)
class Fit:
    """Two sentences that differ in one word, and what "it" is in each.

    With the first of `texts`, "it" is the first of `nouns` (places of
    words), with the second the second; `it` and `adjective` are places too.
    """

    texts: tuple
    nouns: tuple
    it: int
    adjective: int


def _fit(frame, nouns, adjectives):
    """Fill "The {0} ate the {1} because it was {2}"."""
    texts = tuple(frame.format(*nouns, word) for word in adjectives)
    words = texts[0].split()
    return Fit(
        texts,
        tuple(words.index(noun) for noun in nouns),
        words.index("it"),
        len(words) - 1,
    )


KINDS = ("active", "reversed", "passive")


@cache
def animals_and_foods(kind="active"):
    """Return 60 Fit: an animal, a food, and an adjective for each.

    Parameters
    ----------
    kind : {"active", "reversed", "passive"}
        "The cat ate the fish …", "The fish ate the cat …", "The fish was
        eaten by the cat …", each "because it was hungry / tasty".
    """
    data = WORDS["animals and foods"]
    animals, foods = data["animals"], data["foods"]
    return tuple(
        _fit(
            data[kind],
            (animals[i % 10], foods[(i + i // 10) % 10]),
            (
                data["of animals"][i % len(data["of animals"])],
                data["of foods"][i // 10 % len(data["of foods"])],
            ),
        )
        for i in range(60)
    )


@cache
def animals_only():
    """Return 20 sentences in which both nouns could be hungry, as Fit.

    "it" is who eats, in both texts: the nouns have traded places.
    """
    data = WORDS["animals and foods"]
    animals = data["animals"]
    both = [
        (animals[i], animals[(i + k) % 10]) for k in (1, 3) for i in range(10)
    ]
    return tuple(_fit(data["active"], pair, ("hungry",)) for pair in both)


@cache
def winograd_pairs():
    """Return 10 Fit that ask for knowledge of the world."""
    return tuple(
        _fit(entry["text"], entry["nouns"], entry["words"])
        for entry in WORDS["winograd"]
    )
