"""Sentences with annotated relations, on which heads are scored.

A   160 sentences made from templates, of varied length and order
B   24 sentences written and annotated by hand, in other words

Heads are chosen on A and asked again on B: a score on the sentences that
chose it flatters a head. A word is known by its place, counted from 0.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

RELATIONS = (
    "determiner → noun",
    "subject → verb",
    "object → verb",
    "verb → object",
    "verb → subject",
    "pronoun → antecedent",
    "it → adjective",
    "preposition → noun",
)
N_TEMPLATES = 160


@dataclass(frozen=True)
class Annotated:
    """A sentence and its relations.

    `pairs` maps a name of RELATIONS to (query, key) places of words; `frame`
    is the number of the template, or -1 for a sentence written by hand.
    """

    text: str
    pairs: dict
    frame: int = -1

    @property
    def words(self):
        """The words, split at white space."""
        return tuple(self.text.split())


class _Sentence:
    """A sentence in the making: put words, and say how they are related."""

    def __init__(self, pick):
        self.pick, self.words = pick, []
        self.pairs = {name: [] for name in RELATIONS}

    def put(self, word):
        self.words.append(word)
        return len(self.words) - 1

    def noun(self, noun, adjectives=("",)):
        determiner = self.put(self.pick(("the", "the", "the", "this", "my")))
        adjective = self.pick(adjectives)
        for word in adjective.split():
            self.put(word)
        place = self.put(noun)
        self.pairs["determiner → noun"].append((determiner, place))
        return place

    def place(self, phrase):
        """Put "near the old door"."""
        preposition, noun = phrase.split()
        preposition = self.put(preposition)
        noun = self.noun(noun, WORDS["before nouns"])
        self.pairs["preposition → noun"].append((preposition, noun))

    def related(self, subject, verb, object_):
        for name, pair in (
            ("subject → verb", (subject, verb)),
            ("object → verb", (object_, verb)),
            ("verb → object", (verb, object_)),
            ("verb → subject", (verb, subject)),
        ):
            self.pairs[name].append(pair)

    def reason(self, word, pronoun, adjective):
        """Put "because it was hungry"; return the place of the pronoun."""
        self.put(word)
        place = self.put(pronoun)
        self.put("was")
        extra = self.pick(("", "", "very", "so"))
        if extra:
            self.put(extra)
        last = self.put(adjective)
        if pronoun == "it":
            self.pairs["it → adjective"].append((place, last))
        return place


WORDS = json.loads(
    Path(__file__).with_name("corpus.json").read_text(encoding="utf-8")
)
_FRAMES = 8


def _scene(pick, number):
    """Draw who does what to what, and whom the reason is about.

    Returns subject, verb, object, pronoun, adjective, and whether the
    reason is about the subject (every other sentence).
    """
    scene = WORDS["scenes"][number // _FRAMES % len(WORDS["scenes"])]
    subject, she_or_he = pick(scene["subjects"]).split("/")
    of_subject = number % 2 == 0
    return (
        subject,
        pick(scene["verbs"]),
        pick(scene["objects"]),
        she_or_he if of_subject else "it",
        pick(scene["of subject" if of_subject else "of object"]),
        of_subject,
    )


def _template(pick, number):
    frame = number % _FRAMES
    # whom the reason is about must not hang on the frame
    scene = _scene(pick, number + number // _FRAMES % 2)
    subject, verb, object_, pronoun, adjective, of_subject = scene
    made = _Sentence(pick)
    reason = "but" if frame == 6 else "because"
    if frame == 4:
        it = made.reason(reason, pronoun, adjective)
    if frame in (1, 7):
        made.put(pick(WORDS["times"]))
    if frame == 3:
        made.place(pick(WORDS["places"]))
    s = made.noun(subject, WORDS["before nouns"])
    if frame in (2, 7):
        made.place(pick(WORDS["places"]))
    if frame in (3, 5):
        made.put(pick(WORDS["adverbs"]))
    v = made.put(verb)
    o = made.noun(object_, WORDS["before nouns"])
    if frame == 6:
        made.place(pick(WORDS["places"]))
    if frame != 4:
        it = made.reason(reason, pronoun, adjective)
    made.related(s, v, o)
    made.pairs["pronoun → antecedent"].append((it, s if of_subject else o))
    pairs = {name: tuple(found) for name, found in made.pairs.items()}
    return Annotated(" ".join(made.words), pairs, frame)


@cache
def templates():
    """Return set A: 160 Annotated, the same on every machine.

    Eight frames, from "the cat ate the fish because it was hungry" to
    "yesterday the old cat near the door ate a fish because …" and "because
    it was hungry the cat ate …"; the reason is about subject and object
    equally often in each.
    """
    draw = Random(2019).random  # random() is the same in every Python

    def pick(options):
        return options[int(draw() * len(options))]

    made = {}
    while len(made) < N_TEMPLATES:
        sentence = _template(pick, len(made))
        made.setdefault(sentence.text, sentence)
    return tuple(made.values())


@cache
def hand_annotated():
    """Return set B: 24 Annotated of other words than A's."""
    return tuple(
        Annotated(
            entry["text"],
            {
                name: tuple(map(_pair, entry.get(name, ())))
                for name in RELATIONS
            },
        )
        for entry in WORDS["by hand"]
    )


def _pair(said):  # "6 it → 4 fish"
    return tuple(int(end.split()[0]) for end in said.split("→"))
