"""Each number that notebooks 01 and 02 print in prose."""

import json
import re

import numpy as np
import pytest

from helpers.attention import causal_mask, softmax
from helpers.explorers.average.scene import (
    KEYS,
    TEMPERATURES,
    VALUES,
    WORDS,
    State,
    average,
)
from helpers.explorers.scaling.tables import (
    AFTER,
    BEFORE,
    BOTH,
    D_K,
    DRAWS,
    Masked,
    masked_map,
    rows,
)
from helpers.explorers.scaling.tables import KEYS as MANY
from helpers.rope import rotate
from helpers.sentences import HUNGRY, words
from tests.test_numbers_04 import notebook
from tests.tools import prose_of as prose

ONE, TWO = "01_one_query_one_average", "02_single_head"
CAT, ATE, FISH, IT, HUNGRY_WORD = range(5)


def code(name):
    return "\n".join(
        cell.source
        for cell in notebook(name).cells
        if cell.cell_type == "code"
    )


# --- 01 -----------------------------------------------------------------


def test_the_five_words():
    assert WORDS == ("cat", "ate", "fish", "it", "hungry")
    assert "Five words" in prose(ONE) and "the same share, 1/5" in prose(ONE)
    assert "exactly the key of *cat*, (1, 0.9)" in prose(ONE)
    assert KEYS[CAT].tolist() == [1, 0.9]


def test_fish_is_louder_and_the_cosine_would_prefer_cat():
    long = np.linalg.norm(KEYS, axis=1)
    assert "about 1.7 times as long" in prose(ONE)
    assert long[FISH] / long[CAT] == pytest.approx(1.73, abs=0.01)
    scores = KEYS @ KEYS[CAT]
    assert scores.argmax() == FISH
    assert (scores / long).argmax() == CAT


def test_where_exp_overflows():
    assert "exp overflows above 709.8." in prose(ONE)
    with np.errstate(over="ignore"):
        assert np.isfinite(np.exp(709.0)) and np.isinf(np.exp(710.0))
    assert "e = 2.72 times" in prose(ONE)
    assert np.e == pytest.approx(2.72, abs=0.005)


def test_cat_gains_and_then_loses_as_it_gets_hot():
    assert "At 2 and at 8, compare *cat*" in prose(ONE)
    at = {t: average(State(1.5, 1, t)).shares for t in (1, 2, 8, 100)}
    assert at[1][CAT] < at[2][CAT] > at[8][CAT] > at[100][CAT]
    others = [ATE, IT, HUNGRY_WORD]
    assert (at[8][others] > at[2][others]).all()


def test_what_is_to_be_found_can_be_found():
    """Each setting that the text sends the reader to is on the sliders."""
    assert "**Find** a query that brings the output close to *ate*" in prose(
        ONE
    )
    assert "the query (−3, 3). More *cat* than *fish*: (−1, 1)." in prose(ONE)
    near = average(State(-3, 3, 1)).output
    assert np.hypot(*(near - VALUES[ATE])) < 0.1
    shares = average(State(-1, 1, 1)).shares
    assert shares[CAT] > shares[FISH]
    middle = VALUES.mean(axis=0)
    assert "the query (0, 0) exactly, the temperature 100 nearly" in prose(ONE)
    assert max(TEMPERATURES) == 100
    assert average(State(0, 0, 1)).output == pytest.approx(middle)
    hot = average(State(1.5, 1, max(TEMPERATURES))).output
    assert np.hypot(*(hot - middle)) < 0.05


def test_the_hull_is_tried_as_often_as_it_says():
    assert "2,000 random queries" in prose(ONE)
    assert "in 360 directions" in prose(ONE)
    assert "(2000, 2)" in code(ONE) and "2 * np.pi, 360)" in code(ONE)


def test_the_best_error_is_a_quarter_of_the_squared_distance():
    assert "is a quarter of the squared distance" in prose(ONE)
    out = (VALUES[CAT] + VALUES[FISH]) / 2
    errors = [((out - VALUES[i]) ** 2).sum() for i in (CAT, FISH)]
    assert np.mean(errors) == pytest.approx(
        ((VALUES[CAT] - VALUES[FISH]) ** 2).sum() / 4
    )


def test_it_lies_inside_the_others():
    assert "The value of *it* lies inside the hull of the others" in prose(ONE)
    others = np.delete(VALUES, IT, axis=0)
    for angle in np.linspace(0, 2 * np.pi, 360):
        way = np.array([np.cos(angle), np.sin(angle)])
        assert VALUES[IT] @ way < (others @ way).max()


def test_the_answers_of_on_your_own():
    page = prose(ONE)
    assert "every word gets 1/5, whatever the query" in page
    for query in ((1.5, 1.0), (-2.0, 0.25)):
        same = softmax(np.tile(KEYS[FISH], (5, 1)) @ query)
        np.testing.assert_allclose(same, 1 / 5)
    assert "Half the temperature" in page
    np.testing.assert_allclose(
        average(State(1.5, 1, 1)).shares, average(State(3, 2, 2)).shares
    )
    assert ".05 *cat*, .50 *ate*, .40 *fish*, .05 *hungry*: up to 0.01" in page
    row = np.array([0.05, 0.5, 0.4, 0, 0.05])
    assert row.sum() == pytest.approx(1)
    assert np.abs(row @ VALUES - VALUES[IT]).max() < 0.0105


# --- 02 -----------------------------------------------------------------


def test_the_draws_are_as_many_as_it_says():
    assert "20,000 pairs" in prose(TWO) and "(2, 20_000, width)" in code(TWO)
    assert "400 queries for each d_k, each with 32 keys" in prose(TWO)
    assert "(400, 32, width)" in code(TWO)
    assert "the median of 400 rows" in prose(TWO)
    assert (DRAWS, MANY) == (400, 32)


def test_what_is_said_of_the_curves():
    raw = rows(False)
    assert "it rises first" in prose(TWO)
    assert D_K[int(raw.gradient.argmax())] in (8, 16)
    below = [
        d_k
        for d_k, median, mean in zip(
            D_K, raw.gradient, raw.mean_gradient, strict=True
        )
        if median < mean and d_k > 1
    ]
    assert "the first one past it" in prose(TWO)
    peak = D_K[int(raw.gradient.argmax())]
    assert min(d_k for d_k in below if d_k > peak) == 64
    assert "is largest at d_k = 16, and its median is below its mean from" in (
        prose(TWO)
    )
    assert (peak, below[-5:]) == (16, [64, 128, 256, 512, 1024])
    assert raw.example[-1].max() > 0.5 > rows(True).example[-1].max()
    assert "two rows see nothing; *after* the softmax, most sums" in prose(TWO)
    for acts, empty in ((BEFORE, 2), (AFTER, 2)):
        sums = masked_map(Masked(BOTH, acts, 7)).attn.sum(axis=1)
        assert (sums == 0).sum() == empty
        assert (sums < 0.99).sum() == (empty if acts == BEFORE else 8)
    place = D_K.index(256)
    assert "At d_k = 256 a typical row has put nearly everything on" in prose(
        TWO
    )
    assert raw.largest[place] > 0.98
    assert raw.mean_gradient[place] > 5 * raw.gradient[place]


def test_hidden_words():
    tokens, mask = words(HUNGRY), causal_mask(9)
    for query, key in (("ate", "fish"), ("it", "hungry")):
        assert f"*{query}* can't see *{key}*".lower() in prose(TWO).lower()
        assert not mask[tokens.index(query), tokens.index(key)]
    assert mask[tokens.index("hungry"), tokens.index("cat")]


def test_minus_10_000_is_not_low_enough():
    assert "scores −15,000" in prose(TWO)
    assert softmax(np.array([-15e3, -1e4, -1e4])).tolist() == [0, 0.5, 0.5]


def test_how_two_queries_line_up_with_five_keys():
    assert causal_mask(2, 5).sum(axis=1).tolist() == [4, 5]
    assert "the two would see 1 and 2 keys" in prose(TWO)


def test_both_ways_find_the_previous_word():
    same = np.full((9, 8), np.sqrt(8))
    turned = rotate(same, np.arange(9), base=10)
    keys = rotate(same, np.arange(9) + 1, base=10)
    attn = softmax(turned @ keys.T / np.sqrt(8))
    assert (np.diag(attn, -1) > 0.95).all() and attn[0, 0] > 0.95


def test_the_first_pair_turns_by_one_radian():
    assert "The first pair's step is 1 radian, 57°" in prose(TWO)
    x, y = rotate(np.tile([1.0, 0.0], (2, 1)))[1]
    assert np.degrees(np.arctan2(y, x)) == pytest.approx(57.3, abs=0.01)


def test_the_fourth_root():
    assert "divided by the fourth root of d_k" in prose(TWO)
    assert "64 ** 0.25" in code(TWO) and "softmax(9 * scaled)" in code(TWO)
    assert "W_Q and W_K grow by 3" in code(TWO)


def test_how_many_keys_are_left_is_what_is_asked_for():
    assert "how many of the 32 keys get a weight above 0.05" in prose(TWO)
    assert "the median of all 400" in prose(TWO)
    assert "np.median((rows > 0.05).sum(axis=1))" in code(TWO)


def test_the_answers_to_what_a_mean_of_1_does():
    """One product (1 + a)(1 + b): its moments by those of 1 + a, exactly."""
    square = 1 + 1  # the mean of (1 + a)², variance 1 and mean 1
    assert "It is 3 · d_k, and the mean score is d_k" in prose(TWO)
    assert square * square - 1 == 3
    assert "the rest varies by 2 · d_k" in prose(TWO)
    rng = np.random.default_rng(11)
    q = 1 + rng.standard_normal((300, 1, 64))
    k = 1 + rng.standard_normal((300, 32, 64))
    scores = (q @ k.swapaxes(1, 2))[:, 0]
    assert scores.mean() / 64 == pytest.approx(1, abs=0.1)
    within = scores.var(axis=1, ddof=1).mean() / 64
    assert within == pytest.approx(square, abs=0.15)


def test_both_ways_find_the_next_word():
    assert "Turning: one place more for each query" in prose(TWO)
    same = np.full((9, 8), np.sqrt(8))
    turned = rotate(same, np.arange(9) + 1, base=10)
    attn = softmax(turned @ rotate(same, base=10).T / np.sqrt(8))
    assert (np.diag(attn, 1) > 0.95).all()
    assert "Codes: `np.eye(N, k=1)` in `W_Q_place`" in prose(TWO)
    attn = softmax(8 * np.eye(9, k=1))
    assert (np.diag(attn, 1) > 0.95).all()
    np.testing.assert_allclose(attn[-1], 1 / 9)


def test_what_a_doubled_key_does():
    assert "All other weights shrink by one factor" in prose(TWO)
    scores = np.array([1.0, -0.5, 2.0, 0.3])
    one, two = softmax(scores), softmax(np.append(scores, scores[2]))
    ratio = two[[0, 1, 3]] / one[[0, 1, 3]]
    np.testing.assert_allclose(ratio, ratio[0])
    assert ratio[0] < 1 and two[2] + two[4] > one[2]


# --- the planted bugs are the ones that the check knows ------------------


def test_the_planted_function_is_the_checks_own():
    from helpers.checks.mended import _drawn, check_mended, with_bugs

    cell = next(c for c in notebook(TWO).cells if c.id == "mended-stub")
    body = re.search(r"def mended.*?\n\n", cell.source, re.S)[0]
    space = {"np": np, "softmax": softmax}
    types_function = type(lambda: 0)
    types_function(compile(body, "<cell>", "exec"), space)()
    arguments = _drawn()
    assert space["mended"](*arguments) == pytest.approx(
        with_bugs(("divisor", "axis", "mask"), *arguments)
    )
    assert check_mended(space["mended"]).status == "not yet"


def test_no_answer_stands_in_the_notebooks():
    for name in (ONE, TWO):
        assert "keepdims=True" not in json.dumps(code(name))
