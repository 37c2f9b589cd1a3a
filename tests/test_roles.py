"""Scores of heads on maps made by hand, whose scores are known."""

import numpy as np
import pytest

from helpers import roles
from helpers.sentences import HUNGRY, words
from helpers.sizes import SizeError

ABCA = np.array(list("abcab"))
EVEN = np.full((1, 5, 5), 0.2)


def pure(pattern):
    """Return the map of one head: all weight of a row on its first key."""
    return (pattern & (pattern.cumsum(axis=-1) == 1)).astype(float)[None]


def test_patterns_look_where_they_say():
    def keys(pattern):
        return [tuple(map(int, pair)) for pair in np.argwhere(pattern)]

    assert keys(roles.at_offset(3, -1)) == [(1, 0), (2, 1)]
    assert keys(roles.at_offset(3, 1)) == [(0, 1), (1, 2)]
    assert keys(roles.at_offset(3, 0)) == [(0, 0), (1, 1), (2, 2)]
    assert keys(roles.first_token(3)) == [(1, 0), (2, 0)]
    assert keys(roles.same_word(ABCA)) == [(0, 3), (1, 4), (3, 0), (4, 1)]
    assert keys(roles.induction(ABCA)) == [(3, 1), (4, 2)]


def test_a_word_twice_in_a_row_follows_itself():
    """In "a a", what followed the first a is the query itself."""
    assert np.argwhere(roles.induction(["a", "a"])).tolist() == [[1, 1]]


@pytest.mark.parametrize(
    "pattern",
    [
        *(roles.at_offset(5, offset) for offset in (-1, 0, 1)),
        roles.first_token(5),
        roles.same_word(ABCA),
        roles.induction(ABCA),
    ],
)
def test_a_pure_head_scores_1_and_an_even_one_its_share(pattern):
    assert roles.score(pure(pattern), pattern).tolist() == [1]
    per_query = pattern.sum(-1)[pattern.any(-1)].mean()
    assert roles.score(EVEN, pattern) == pytest.approx([0.2 * per_query])
    assert roles.score(1 - pure(pattern), pattern).max() == 0


def test_a_score_is_the_mean_over_queries_that_have_a_key():
    attn = np.zeros((2, 3, 3))
    attn[0, 1, 0], attn[0, 2, 1], attn[1, 2, 1] = 0.5, 0.75, 0.25
    got = roles.score(attn, roles.at_offset(3, -1))
    assert got.tolist() == [0.625, 0.125]


def test_sentences_of_a_batch_keep_their_own_pattern():
    tokens = np.array([list("abcab"), list("abcdb")])
    attn = np.stack([pure(p) for p in roles.induction(tokens)])
    assert attn.shape == (2, 1, 5, 5)
    assert roles.score(attn, roles.induction(tokens)).tolist() == [1]
    swapped = roles.score(attn[::-1], roles.induction(tokens))
    assert swapped.tolist() == [2 / 3]  # only one looks from 3 to 1
    one = roles.score(attn, roles.at_offset(5, 0))
    assert one.tolist() == [0]


def test_entropy_of_one_key_and_of_all():
    attn = np.stack([np.eye(5), EVEN[0]])
    assert roles.entropy(attn) == pytest.approx([0, np.log(5)])
    both = np.stack([attn, attn[::-1]])
    assert roles.entropy(both) == pytest.approx([np.log(5) / 2] * 2)


def test_all_scores_of_the_running_sentence():
    tokens = [word.casefold() for word in words(HUNGRY)]
    previous = pure(roles.at_offset(9, -1))
    got = roles.scores(previous, tokens)
    assert got["previous"] == 1 and got["entropy"] == 0
    assert got["next"] == got["itself"] == got["same word"] == 0
    assert got["first token"] == 1 / 8
    assert "same word" not in roles.scores(EVEN, list("abcde"))
    assert set(roles.scores(EVEN, ABCA)) == {
        *("previous", "next", "itself", "first token", "same word"),
        *("induction", "entropy"),
    }


def test_a_relation_is_compared_with_the_best_offset():
    pairs = [[(0, 0), (2, 1)], [(0, 1), (1, 0)]]
    assert roles.best_offset(pairs) == (-1, 0.5)
    assert roles.best_offset([[(0, 1), (1, 0), (3, 0)]]) == (-1, 1 / 3)
    assert roles.best_offset([[(0, 3), (1, 0)]]) == (-1, 0.5)


def test_ablation_removes_one_head_at_a_time():
    need = np.array([[1.0, 0], [0, 3], [0.5, 0]])
    rise = roles.ablation(lambda mask: 7 + ((1 - mask) * need).sum(), 3, 2)
    assert rise == pytest.approx(need)
    mask = roles.head_mask(3, 2, [(0, 1), (2, 0)])
    assert mask.tolist() == [[1, 0], [1, 1], [0, 1]]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: roles.score(np.eye(5), np.eye(5, dtype=bool)),
        lambda: roles.score(EVEN, np.eye(4, dtype=bool)),
        lambda: roles.score(EVEN, np.zeros((5, 5), bool)),
        lambda: roles.best_offset([[]]),
        lambda: roles.head_mask(2, 2, [(2, 0)]),
        lambda: roles.head_mask(2, 2, [(0, -1)]),
        lambda: roles.at_offset(0, 1),
        lambda: roles.at_offset(5, "text"),
        lambda: roles.at_offset(5, 2.5),
        lambda: roles.at_offset(10**6, 1),
        lambda: roles.first_token(10**6),
    ],
)
def test_wrong_sizes_are_refused(wrong):
    with pytest.raises(SizeError):
        wrong()
    with pytest.raises(TypeError):
        roles.score(EVEN, np.eye(5))
