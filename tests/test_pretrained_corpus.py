"""The annotated sentences: every pair is inside, and of the right words."""

import hashlib
import json

import pytest

from helpers.pretrained import corpus, fits

A, B = corpus.templates(), corpus.hand_annotated()
DETERMINERS = "the this my a an every his our".split()
PREPOSITIONS = (
    "near behind in beside under at with from to of on about".split()
)
PREPOSITIONS += "after beneath".split()
PRONOUNS = "it she he they".split()


def both(name):
    """Return (word of query, word of key) of a relation, lower-case."""
    return [
        (sentence.words[query].lower(), sentence.words[key].lower())
        for sentence in A + B
        for query, key in sentence.pairs[name]
    ]


def nouns(sentences):
    pairs = "determiner → noun"
    return {s.words[key] for s in sentences for _, key in s.pairs[pairs]}


def verbs(sentences):
    pairs = "subject → verb"
    return {s.words[key] for s in sentences for _, key in s.pairs[pairs]}


def test_the_sets_have_their_sizes_and_no_sentence_twice():
    assert (len(A), len(B)) == (160, 24)
    assert len({sentence.text for sentence in A + B}) == 184
    assert {sentence.frame for sentence in A} == set(range(8))
    assert {sentence.frame for sentence in B} == {-1}
    lengths = {len(sentence.words) for sentence in A}
    assert min(lengths) == 9 and max(lengths) >= 18


@pytest.mark.parametrize("sentence", A + B, ids=lambda s: s.text[:40])
def test_every_pair_lies_inside_and_joins_two_words(sentence):
    assert set(sentence.pairs) == set(corpus.RELATIONS)
    for pairs in sentence.pairs.values():
        assert len(set(pairs)) == len(pairs)
        for query, key in pairs:
            assert 0 <= query < len(sentence.words)
            assert 0 <= key < len(sentence.words)
            assert query != key


def test_by_hand_each_word_is_as_said():
    for entry in corpus.WORDS["by hand"]:
        words = entry["text"].split()
        for name in set(entry) - {"text"}:
            assert name in corpus.RELATIONS
            for said in entry[name]:
                for end in said.split(" → "):
                    place, word = end.split()
                    assert words[int(place)] == word, said


def test_the_words_of_a_relation_are_of_its_kind():
    all_verbs = verbs(A + B) | {"checked", "forgot", "left", "had"}
    for determiner, noun in both("determiner → noun"):
        assert determiner in DETERMINERS and noun not in DETERMINERS
    for pronoun, noun in both("pronoun → antecedent"):
        assert pronoun in PRONOUNS
        assert noun in {n.lower() for n in nouns(A + B)}
    assert {query for query, _ in both("preposition → noun")} <= {
        *PREPOSITIONS
    }
    assert {query for query, _ in both("it → adjective")} == {"it"}
    for name in ("subject → verb", "object → verb"):
        assert {key for _, key in both(name)} <= all_verbs
    for name in ("verb → subject", "verb → object"):
        assert {query for query, _ in both(name)} <= all_verbs


def test_subject_and_object_are_told_in_both_directions():
    for sentence in A + B:
        for one, other in (
            ("subject → verb", "verb → subject"),
            ("object → verb", "verb → object"),
        ):
            turned = {pair[::-1] for pair in sentence.pairs[other]}
            assert set(sentence.pairs[one]) == turned


def test_set_b_has_other_words_than_set_a():
    assert not nouns(A) & nouns(B)
    assert not verbs(A) & verbs(B)


def test_the_reason_is_about_subject_and_object_equally_often():
    for frame in range(8):
        of_frame = [s for s in A if s.frame == frame]
        about_subject = [
            s.pairs["pronoun → antecedent"][0][1]
            == s.pairs["subject → verb"][0][0]
            for s in of_frame
        ]
        assert (len(of_frame), sum(about_subject)) == (20, 10)


def test_the_templates_are_the_same_everywhere():
    text = json.dumps([[s.text, s.pairs] for s in A], ensure_ascii=False)
    got = hashlib.sha256(text.encode()).hexdigest()
    assert got.startswith("1adbf1836e356930")


@pytest.mark.parametrize("kind", fits.KINDS)
def test_60_pairs_of_an_animal_and_a_food(kind):
    pairs = fits.animals_and_foods(kind)
    data = fits.WORDS["animals and foods"]
    assert len({pair.texts for pair in pairs}) == 60
    animals_foods = set()
    for pair in pairs:
        first, second = (text.split() for text in pair.texts)
        differ = [i for i, (a, b) in enumerate(zip(first, second)) if a != b]
        assert differ == [pair.adjective] and len(first) == len(second)
        assert first[pair.it] == second[pair.it] == "it"
        animal, food = (first[place] for place in pair.nouns)
        assert animal in data["animals"] and food in data["foods"]
        assert first[pair.adjective] in data["of animals"]
        assert second[pair.adjective] in data["of foods"]
        assert (pair.nouns[0] < pair.nouns[1]) == (kind == "active")
        animals_foods.add((animal, food))
    assert len(animals_foods) == 60


def test_every_animal_and_adjective_has_its_turn_evenly():
    first = [pair.texts[0].split() for pair in fits.animals_and_foods()]
    counts = {w: sum(w in words for words in first) for w in ("cat", "mouse")}
    assert counts == {"cat": 6, "mouse": 6}
    last = [
        text.split()[-1]
        for pair in fits.animals_and_foods()
        for text in pair.texts
    ]
    assert [last.count(w) for w in ("hungry", "tasty", "fresh")] == [
        30,
        20,
        20,
    ]


def test_winograd_pairs_and_animals_only():
    assert len(fits.winograd_pairs()) == 10
    for pair in fits.winograd_pairs():
        assert len(pair.texts) == 2
        for number, place in enumerate(pair.nouns):
            assert place < pair.it < pair.adjective
            assert pair.texts[0].split()[place] != "the", number
    assert len({pair.texts for pair in fits.animals_only()}) == 20
    for pair in fits.animals_only():
        words = pair.texts[0].split()
        assert words[1] != words[4] and pair.nouns == (1, 4)
