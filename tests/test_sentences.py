"""The sentence, its words, and who looks at whom."""

import dataclasses
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.sentences import (
    ANY_SENTENCE,
    HUNGRY,
    LONGEST_WORD,
    MOST_WORDS,
    RELATION_NAMES,
    SENTENCES,
    SWAPPED,
    TASTY,
    TEXT_RELATIONS,
    Relation,
    TextError,
    relations,
    words,
)
from tests.layers import few


def pairs(sentence):
    """Return {relation: [(word, word)]}, read aloud."""
    tokens = words(sentence)
    return {
        r.name: [(tokens[q], tokens[k]) for q, k in r.pairs]
        for r in relations(tokens)
    }


def places(sentence):
    return {r.name: r.pairs for r in relations(words(sentence))}


def test_the_sentence_has_nine_words():
    assert words(HUNGRY) == tuple(
        "The cat ate the fish because it was hungry".split()
    )
    assert SENTENCES == (HUNGRY, TASTY, SWAPPED)


def test_the_relations_of_the_course_in_its_order():
    found = pairs(HUNGRY)
    assert tuple(found) == RELATION_NAMES
    assert len(RELATION_NAMES) == len(set(RELATION_NAMES)) == 8
    assert found["verb → subject"] == [("ate", "cat")]
    assert found["verb → object"] == [("ate", "fish")]
    assert found["pronoun → antecedent"] == [("it", "cat")]
    assert found["noun → determiner"] == [("cat", "The"), ("fish", "the")]
    assert found["same word"] == [("The", "the"), ("the", "The")]
    assert places(HUNGRY)["previous"] == tuple((q, q - 1) for q in range(1, 9))
    assert places(HUNGRY)["next"] == tuple((q, q + 1) for q in range(8))
    assert places(HUNGRY)["itself"] == tuple((q, q) for q in range(9))


def test_the_variants_change_who_is_meant():
    assert pairs(TASTY)["pronoun → antecedent"] == [("it", "fish")]
    assert pairs(TASTY)["verb → subject"] == [("ate", "cat")]
    assert pairs(SWAPPED)["verb → subject"] == [("ate", "fish")]
    assert pairs(SWAPPED)["verb → object"] == [("ate", "cat")]
    assert pairs(SWAPPED)["pronoun → antecedent"] == [("it", "fish")]


def test_the_two_that_compete_for_a_row_come_first():
    assert TEXT_RELATIONS == RELATION_NAMES[:3]
    rows = [q for name in TEXT_RELATIONS[:2] for q, _ in places(HUNGRY)[name]]
    assert rows == [2, 2]
    numbers = [r.number for r in relations(words(HUNGRY))]
    assert numbers == list(range(8))


@few
@given(st.lists(st.sampled_from(["a", "A", "b", "é", "ß"]), min_size=1))
def test_any_sentence_has_only_the_relations_of_places(tokens):
    tokens = words(" ".join(tokens[:MOST_WORDS]))
    found = relations(tokens)
    assert {r.name for r in found} <= set(ANY_SENTENCE)
    assert [r.number for r in found] == sorted(r.number for r in found)
    for relation in found:
        assert relation.pairs
        for q, k in relation.pairs:
            assert 0 <= q < len(tokens) and 0 <= k < len(tokens)
    same = {p for r in found if r.name == "same word" for p in r.pairs}
    assert same == {
        (q, k)
        for q in range(len(tokens))
        for k in range(len(tokens))
        if q != k and tokens[q].casefold() == tokens[k].casefold()
    }


def test_one_word_has_no_neighbours():
    assert [r.name for r in relations(("cat",))] == ["itself"]
    assert relations(()) == ()


def test_repeated_words_stay_apart():
    assert places("no no no")["same word"] == (
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 2),
        (2, 0),
        (2, 1),
    )


def test_a_relation_is_frozen_and_knows_its_place():
    relation = Relation("next", ((0, 1),))
    assert relation.number == 4
    with pytest.raises(dataclasses.FrozenInstanceError):
        relation.name = "previous"


@pytest.mark.parametrize(
    "text",
    [
        "$x^2$ costs $5",
        "<b>bold</b> &amp; <script>alert(1)</script>",
        "\N{CAT FACE} eats \N{FISH} \N{FAMILY}\u200d\N{BOY}",
        "القطة أكلت السمكة",
        "החתול אכל",
        "Κανένα café naïve 東京",
        "a\u2028b\u00a0c\td\r\ne",
        "'quotes' \"double\" back\\slash {braces} %s",
    ],
)
def test_any_text_is_split_at_white_space_and_kept_as_typed(text):
    assert words(text) == tuple(text.split())
    assert relations(words(text))


@pytest.mark.parametrize("text", ["", " ", "\n\t \u2003", "\u200b", "\u200e "])
def test_a_sentence_without_a_word_that_shows_is_refused(text):
    with pytest.raises(TextError, match="at least one word|cannot be seen"):
        words(text)


def test_the_limits_are_said_with_the_numbers():
    assert len(words("a " * MOST_WORDS)) == MOST_WORDS
    with pytest.raises(TextError, match="got 65. Leave out 1.$"):
        words("a " * (MOST_WORDS + 1))
    with pytest.raises(TextError) as refused:
        words("a " * 40_000)
    assert str(refused.value) == (
        "A sentence may have 64 words here: got 40,000. Leave out 39,936."
    )
    assert words("a" * LONGEST_WORD)
    with pytest.raises(TextError) as refused:
        words("b " + "a" * 80_000)
    assert str(refused.value) == (
        "A word may have 80 characters here: word 2 has 80,000."
    )


def test_an_enormous_text_is_refused_before_it_is_split():
    text = "a " * 5_000_000
    tracemalloc.start()
    with pytest.raises(TextError) as refused:
        words(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000
    assert str(refused.value) == (
        "A sentence may have 64 words of 80 characters here: got a text of "
        "10,000,000 characters."
    )


@pytest.mark.parametrize(
    "bad", ["\x00", "\x07", "\x1b[31m", "\x7f", "\ud800", "\ufffe", "\uffff"]
)
def test_what_no_page_can_show_is_refused_with_its_place(bad):
    """XML, and so SVG, may hold none of these."""
    with pytest.raises(TextError, match="Word 2 holds a .*Take it out"):
        words(f"a {bad}b c")


@pytest.mark.parametrize("text", [None, 3, b"bytes", ["a", "b"]])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(TypeError, match="A sentence must be text: got"):
        words(text)


def test_a_text_error_is_a_value_error():
    assert issubclass(TextError, ValueError)
