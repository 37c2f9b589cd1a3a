"""The checks of notebook 08: right forms, and wrong answers by name."""

import numpy as np
import pytest

from helpers import roles
from helpers.checks import induction as induction_check
from helpers.checks.induction import check_induction_score
from helpers.checks.mystery import (
    ANSWER,
    COPIES,
    DISTANCE,
    LETTERS,
    NAMES,
    check_mystery_heads,
    mystery_heads,
)
from helpers.checks.repeating import (
    LENGTHS,
    check_repeat_test,
    counts_back,
    repeats,
)
from helpers.learn.repeat import Repeat

# --- the induction score ------------------------------------------------


def by_loops(attn, tokens):
    h, N, _ = attn.shape
    total, asked = np.zeros(h), 0
    for i in range(N):
        keys = [j + 1 for j in range(i) if tokens[j] == tokens[i]]
        if keys:
            total += attn[:, i, keys].sum(-1)
            asked += 1
    return total / asked


RIGHT_SCORES = {
    "helper": lambda attn, tokens: roles.score(attn, roles.induction(tokens)),
    "loops": by_loops,
    "list": lambda attn, tokens: by_loops(attn, tokens).tolist(),
    "tuple": lambda attn, tokens: tuple(by_loops(attn, tokens)),
    "float32": lambda attn, tokens: by_loops(attn, tokens).astype(np.float32),
}


def loops(behind=1, first=0, until=lambda i, N: i, by="queries", best=False):
    """Return a score by loops with one thing in it changed."""

    def f(attn, tokens):
        h, N, _ = attn.shape
        found = []
        for i in range(N):
            keys = [
                j + behind
                for j in range(first, until(i, N))
                if tokens[j] == tokens[i] and 0 <= j + behind < N
            ]
            if keys:
                found.append((i, keys))
        sums = np.array([attn[:, i, keys].sum(-1) for i, keys in found])
        if best:
            return sums.max(0)
        count = {
            "queries": len(found),
            "N": N,
            "1": 1,
            "keys": sum(len(keys) for _, keys in found),
        }
        return sums.sum(0) / count[by]

    return f


def one_key(which):
    def f(attn, tokens):
        tokens, h = list(tokens), len(attn)
        kept = []
        for i, token in enumerate(tokens):
            places = [j for j in range(i) if tokens[j] == token]
            if places:
                kept.append(attn[:, i, places[which] + 1])
        return np.mean(kept, axis=0).reshape(h)

    return f


def hits(attn, tokens):
    pattern = roles.induction(tokens)
    rows = np.flatnonzero(pattern.any(-1))
    best = attn[:, rows].argmax(-1)
    return np.mean(pattern[rows, best], axis=-1)


def later_too(tokens):
    return np.pad(roles.same_word(tokens)[:, :-1], ((0, 0), (1, 0)))


WRONG_SCORES = {
    "same word": (loops(behind=0), "earlier occurrence itself"),
    "one before": (loops(behind=-1), "one place before"),
    "later too": (
        lambda attn, tokens: roles.score(attn, later_too(tokens)),
        "after the query",
    ),
    "itself too": (loops(until=lambda i, N: min(i + 1, N - 1)), "its own"),
    "first only": (one_key(0), "first occurrence"),
    "latest only": (one_key(-1), "latest occurrence"),
    "previous": (
        lambda attn, t: roles.score(attn, roles.at_offset(len(t), -1)),
        "previous-token",
    ),
    "over N": (loops(by="N"), "over all queries"),
    "sum": (loops(by="1"), "the sum"),
    "by keys": (loops(by="keys"), "number of keys"),
    "best row": (loops(best=True), "best query"),
    "hits": (hits, "how often"),
    "transposed": (
        lambda attn, t: by_loops(attn.swapaxes(1, 2), t),
        "swapped",
    ),
    "one number": (lambda attn, t: by_loops(attn, t).mean(), "all heads"),
    "written in": (
        lambda attn, t: by_loops(*induction_check.example(0)),
        "same for two",
    ),
    "zeros": (lambda attn, t: np.zeros(len(attn)), "is 0"),
    "NaN": (lambda attn, t: np.full(len(attn), np.nan), "NaN"),
    "text": (lambda attn, t: "high", "real numbers"),
    "two axes": (lambda attn, t: by_loops(attn, t)[None], "The shape is"),
    "stops": (lambda attn, t: attn[:, 99], "IndexError"),
}


@pytest.mark.parametrize("name", RIGHT_SCORES)
def test_a_right_score_is_accepted(name):
    assert check_induction_score(RIGHT_SCORES[name]).ok


@pytest.mark.parametrize("name", WRONG_SCORES)
def test_a_wrong_score_is_named(name):
    f, word = WRONG_SCORES[name]
    result = check_induction_score(f)
    assert result.status == "no" and result.hint
    assert word in result.sentence, result


def test_a_score_that_is_right_once_is_not_right():
    once = len(induction_check.SENTENCES[0])

    def right_once(attn, tokens):
        score = RIGHT_SCORES["helper"](attn, tokens)
        return score if len(tokens) == once else score / 2

    assert check_induction_score(right_once).status == "no"


def test_each_mistake_in_scores_has_a_hint_of_its_own():
    hints = [m.hint for m in induction_check.MISTAKES]
    sentences = [m.sentence for m in induction_check.MISTAKES]
    assert len(set(hints)) == len(hints)
    assert len(set(sentences)) == len(sentences)


def test_a_missing_score_is_not_yet():
    for f in (None, lambda *_: None, lambda *_: ...):
        assert check_induction_score(f).status == "not yet"


# --- six heads without a name -------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        ANSWER,
        list(ANSWER.values()),
        tuple(ANSWER.values()),
        ", ".join(ANSWER.values()),
        {k.lower(): v.upper() for k, v in ANSWER.items()},
        dict(reversed(ANSWER.items())),
        {k: v.replace(" ", "_") for k, v in ANSWER.items()},
        {k: v.replace(" ", "-") + " head" for k, v in ANSWER.items()},
        ANSWER | {"B": "fixed offset", "C": "Previous token", "E": "random"},
    ],
    ids=str,
)
def test_right_labels_in_any_form(labels):
    assert check_mystery_heads(labels).ok


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("name", NAMES)
def test_each_wrong_label_names_its_head(letter, name):
    result = check_mystery_heads(ANSWER | {letter: name})
    if ANSWER[letter] == name:
        assert result.ok
    else:
        assert result.status == "no" and result.hint
        assert result.sentence.startswith(letter)


@pytest.mark.parametrize(
    ("letter", "name", "word"),
    [
        ("B", "induction", "first sentence only"),
        ("D", "first token", "nothing to find"),
        ("D", "fixed distance", "elsewhere not"),
        ("A", "induction", "not behind it"),
        ("A", "first token", "rests"),
        ("C", "fixed distance", "it is 1"),
        ("E", "previous", "no role"),
        ("F", "none", "one column"),
        ("F", "same word", "whatever the words"),
    ],
)
def test_the_deceptions_are_named(letter, name, word):
    assert word in check_mystery_heads(ANSWER | {letter: name}).sentence


def test_what_is_no_label_is_refused():
    for labels, word in (
        (ANSWER | {"A": "clever"}, "not one of the roles"),
        (ANSWER | {"G": "none"}, "no head 'G'"),
        (["previous"] * 5, "5 labels"),
        (7, "no label"),
    ):
        result = check_mystery_heads(labels)
        assert result.status == "no" and word in result.sentence


@pytest.mark.parametrize(
    "labels", [None, ..., {}, dict.fromkeys(LETTERS, ...), {"A": "same word"}]
)
def test_missing_labels_are_not_yet(labels):
    assert check_mystery_heads(labels).status == "not yet"


def test_the_double_looks_like_induction_on_one_sentence_only():
    attn, tokens = mystery_heads()
    assert DISTANCE == COPIES[0] - 1 and len(set(COPIES)) == len(COPIES)
    one = roles.scores(attn[0], tokens[0])["induction"]
    assert one[1] > 0.9 and one[3] > 0.9
    for place in range(1, len(COPIES)):
        other = roles.scores(attn[place], tokens[place])["induction"]
        assert other[1] < 0.1 and other[3] > 0.9


def test_each_built_head_has_its_role_and_none_has_none():
    attn, tokens = mystery_heads()
    found = roles.scores(attn, tokens)
    place = {name: LETTERS.index(k) for k, name in ANSWER.items()}
    for name in ("previous", "first token", "induction"):
        assert found[name][place[name]] > 0.9
        assert found[name].argmax() == place[name]
    # The first occurrence is asked too, and can't look ahead: half at most.
    assert 0.4 < found["same word"][place["same word"]] <= 0.5
    none = [s[place["none"]] for k, s in found.items() if k != "entropy"]
    assert max(none) < 0.3
    assert not np.triu(attn, 1).any()
    assert np.allclose(attn.sum(-1), 1)


def test_a_built_head_with_nothing_to_find_rests_on_the_first_token():
    attn, tokens = mystery_heads()
    idle = ~roles.induction(tokens).any(-1)
    head = [k for k, name in ANSWER.items() if name == "induction"]
    resting = attn[:, LETTERS.index(head[0]), :, 0]
    assert resting[idle].mean() > 0.9 > 0.1 > resting[~idle].mean()


# --- a test of repeating ------------------------------------------------


def honest(answer, need=0.9, task=None, batch=64):
    drawn = (task or Repeat()).draw(np.random.default_rng(7), batch)
    asked = drawn.asked["next"]
    guess = answer(drawn.tokens)[asked.rows, asked.places]
    return np.mean(guess == asked.answers) >= need


def own_lengths(answer):
    for length in (6, 9, 14):
        rng = np.random.default_rng(length)
        start = rng.permutation(32)[: 32 - length]
        tokens = np.concatenate([start, start[-length:]])
        guess = answer(tokens[None])[0]
        assert np.mean(guess[-length:-1] == tokens[-length + 1 :]) > 0.8
    return True


RIGHT_TESTS = {
    "all lengths": honest,
    "numpy bool": lambda answer: np.bool_(honest(answer)),
    "half is enough": lambda answer: honest(answer, 0.5),
    "asserts": own_lengths,
    "the task of the notebook": lambda answer: honest(
        answer, task=Repeat(26, 24, 5, 12)
    ),
    "two lengths": lambda answer: all(
        honest(answer, 0.8, Repeat(shortest=n, longest=n)) for n in (6, 13)
    ),
    "one sentence": lambda answer: (
        all(
            answer(row)[-2] == row[-1]
            for row in Repeat().draw(np.random.default_rng(2), 9).tokens
        )
        or honest(answer)
    ),
}


def everywhere(answer):
    tokens = Repeat().draw(np.random.default_rng(7), 64).tokens
    return np.mean(answer(tokens)[:, :-1] == tokens[:, 1:]) > 0.9


def shape_only(answer):
    tokens = Repeat().draw(np.random.default_rng(7), 64).tokens
    return answer(tokens).shape == tokens.shape


def fixed(length, need=0.9):
    task = Repeat(shortest=length, longest=length)
    return lambda answer: honest(answer, need, task)


def array_of(answer):
    drawn = Repeat().draw(np.random.default_rng(7), 8)
    return answer(drawn.tokens) == drawn.tokens


def share(answer):
    return float(honest(answer))


WRONG_TESTS = {
    "one length": (fixed(8), "7 places back"),
    "another length": (fixed(12), "11 places back"),
    "always": (lambda answer: True, "never calls"),
    "shape": (shape_only, "only guesses"),
    "never": (lambda answer: honest(answer) and False, "without a mistake"),
    "everywhere": (everywhere, "without a mistake"),
    "perfect": (lambda answer: honest(answer, 1.0), "97 times"),
    "too easy": (lambda answer: honest(answer, 0.0), "only guesses"),
    "lax": (lambda answer: honest(answer, 0.1), "places back"),
    "an array": (array_of, "an array"),
    "a number": (share, "not True or False"),
    "stops": (lambda answer: answer(np.zeros((2, 4)))[9], "IndexError"),
}


@pytest.mark.parametrize("name", RIGHT_TESTS)
def test_a_right_test_is_accepted(name):
    assert check_repeat_test(RIGHT_TESTS[name]).ok


@pytest.mark.parametrize("name", WRONG_TESTS)
def test_a_wrong_test_is_named(name):
    f, word = WRONG_TESTS[name]
    result = check_repeat_test(f)
    assert result.status == "no" and result.hint
    assert word in result.sentence, result


def test_one_length_and_a_lax_share_get_different_hints():
    one, lax = (
        check_repeat_test(WRONG_TESTS[name][0]).hint
        for name in ("one length", "lax")
    )
    assert "one distance is always right" in one and "higher share" in lax


def test_no_test_is_not_yet():
    for f in (None, lambda answer: None, lambda answer: ...):
        assert check_repeat_test(f).status == "not yet"


def test_the_rules_that_the_check_uses_do_what_they_say():
    drawn = Repeat().draw(np.random.default_rng(0), 200)
    asked = drawn.asked["next"]

    def right(guess):
        return np.mean(guess[asked.rows, asked.places] == asked.answers)

    assert right(repeats(drawn.tokens)) == 1
    assert 0.95 < right(repeats(drawn.tokens, 0.97)) < 0.99
    assert max(right(counts_back(n - 1, drawn.tokens)) for n in LENGTHS) < 0.25
