"""Which sentence stands beside which."""

import pytest

from helpers.explorers.real_heads.partners import partner_of

PAIRED = (
    "the cat ate the fish",
    "the cat ate the mouse",
    "a dog saw it",
    "a dog saw them",
    "the fish ate the cat",
)


@pytest.mark.parametrize(
    ("here", "partner"),
    [(0, 1), (1, 0), (2, 3), (3, 2), (4, 0)],
)
def test_pairs_find_each_other(here, partner):
    assert partner_of(PAIRED, here) == partner


def test_one_other_word_comes_before_another_order():
    sentences = "b a c", "x y z", "a b c", "a b d"
    assert partner_of(sentences, 2) == 3


def test_of_several_the_one_beside_is_taken():
    sentences = "a b", "a c", "a d", "a e"
    assert [partner_of(sentences, n) for n in range(4)] == [1, 0, 3, 2]


@pytest.mark.parametrize("other", ["a d e", "a b c d", "a b", "x y z"])
def test_what_differs_in_more_is_no_partner(other):
    assert partner_of(("a b c", other), 0) is None
