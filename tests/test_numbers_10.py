"""The numbers in the prose of notebook 10: each code is typed, and asked."""

import re

import nbformat
import numpy as np
import pytest

from helpers.explorers.playground import explore_playground
from helpers.sentences import relations
from tests.tools import ROOT, prose_of

NOTEBOOK = ROOT / "notebooks" / "10_playground.ipynb"
QUESTION = re.compile(r"^\*\*(\d+)\.\*\* ")


@pytest.fixture(scope="module")
def questions():
    """Return {number: (codes, answer)} of the ten questions."""
    found = {}
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if number := QUESTION.match(cell.source):
            codes = re.search(r"```text\n(.*?)\n```", cell.source, re.S)[1]
            answer = cell.source.partition("</summary>")[2]
            found[int(number[1])] = codes.split("\n"), " ".join(answer.split())
    return found


@pytest.fixture
def asked(questions):
    """Return a function: number -> (explorers at its codes, its answer)."""

    def of(number):
        codes, answer = questions[number]
        explorers = []
        for code in codes:
            explorers.append(explore_playground())
            explorers[-1].restore(code)
            assert explorers[-1].code.startswith(code)
        return explorers, answer

    return of


def plain(stage):
    return " ".join(re.sub("<[^>]*>", " ", stage.picture).split())


def test_there_are_ten_and_each_names_its_evidence(questions):
    assert list(questions) == list(range(1, 11))
    assert all("*Evidence: " in answer for _, answer in questions.values())


def test_1_one_head_and_eight(asked):
    (one, eight), answer = asked(1)
    assert one.status.text.startswith("head 1: ate → cat 0.25.")
    assert eight.status.text.startswith("head 1: ate → cat 1.00,")
    assert eight.status.text.endswith("Average 0.29.")
    row = one.compute(one.read()).attn[0, 2]
    assert (row > 0.2).sum() == 4
    for said in ("0.25, since four places", "1.00", "0.29"):
        assert said in answer


def test_2_three_relations(asked):
    (one,), answer = asked(2)
    attn = one.compute(one.read()).attn[0]
    assert f"ate → cat is {attn[2, 1]:.2f}" in answer
    assert f"{attn[2, 4]:.2f}" == "0.50"
    assert f"it → cat is {attn[6, 1]:.2f}" in answer


def test_3_products_stay_and_exponentials_grow(asked):
    explorers, answer = asked(3)
    for explorer, exponentials in zip(explorers, ("81", "41,472")):
        assert "19,040,256 FLOPs" in plain(explorer.price)
        assert f"{exponentials} exponentials" in plain(explorer.not_free)
        assert exponentials in answer
    assert "19,040,256 FLOPs" in answer
    assert 41_472 == 512 * 81


def test_4_what_shared_heads_save(asked):
    (shared,), answer = asked(4)
    assert "35,424 FLOPs in matrix products, 28.1% fewer" in plain(
        shared.price
    )
    assert "49,248 FLOPs" in shared.bars.picture
    for said in ("28.1 % fewer", "35,424", "49,248", "to a third"):
        assert said in answer


@pytest.mark.parametrize(
    ("number", "share", "N"), [(5, "50.0", "1,024"), (6, "64.0", "576")]
)
def test_5_and_6_the_balance(asked, number, share, N):
    (explorer,), answer = asked(number)
    said = plain(explorer.not_free)
    assert f"{share}% of the products at N = 1,024" in said
    assert re.search(rf"projections at N = [^=]*= {N}\.", said)
    assert f"{share} %" in answer
    assert N in answer


def test_7_the_cache(asked):
    explorers, answer = asked(7)
    for explorer, amount in zip(explorers, ("128 MiB", "64 MiB")):
        assert f"KV cache: {amount} a layer" in plain(explorer.kept)
        assert amount in answer
    assert "n_kv = h: 512 MiB" in plain(explorers[0].kept)
    assert "512 MiB" in answer


def test_8_who_keeps_its_map(asked):
    (own, shared), answer = asked(8)
    before, after = (e.compute(e.read()).attn for e in (own, shared))
    same = [
        head
        for head, maps in enumerate(zip(before, after), 1)
        if np.allclose(*maps, atol=1e-6)
    ]
    assert same == [1, 3, 5, 7]
    assert "Heads 1, 3, 5 and 7" in answer
    assert len(np.unique(after.round(4), axis=0)) == 8


def test_9_one_head_cannot_tell_who_did_it(asked):
    explorers, answer = asked(9)
    subjects = [e.compute(e.read()).answers[0][1] for e in explorers]
    assert subjects == ["cat", "cat", "cat", "fish"]
    for one in explorers[:2]:
        row = one.compute(one.read()).attn[0, 2]
        assert np.allclose(row[[1, 4]], 0.5, atol=0.05)
    assert "One head says *cat* both times" in answer
    assert "Two heads say *cat*, then *fish*" in answer


def test_10_a_real_head_reads_it(asked):
    explorers, answer = asked(10)
    cat, fish = (
        [f"{e.compute(e.read()).attn[1, 7, key]:.2f}" for e in explorers]
        for key in (2, 5)
    )
    assert f"it → cat falls from {cat[0]} to {cat[1]}" in answer
    assert f"rises from {fish[0]} to {fish[1]}" in answer
    pieces = explorers[0].read().tokens
    assert (pieces[7], pieces[2], pieces[5]) == ("it", "cat", "fish")


def test_the_smallest_width_with_097():
    shares = {}
    for d_k in (2, 3, 4):
        explorer = explore_playground(8, 8 * d_k)
        shares[d_k] = explorer.compute(explorer.read()).attn[0, 2, 1]
    assert f"{shares[4]:.2f}" == "0.97"
    assert max(shares[2], shares[3]) < 0.8


def test_the_answers_of_on_your_own():
    answers = prose_of("10").partition("## On your own")[2]
    listed = explore_playground()
    listed.restore("set 512-8-8-0-0-4-1")
    (hidden,) = re.findall(
        r"The mask hides \(dashed\): ([^.]*)\.", listed.message.text
    )
    assert hidden.split(", ") == ["verb → object", "next", "same word"]
    assert "*verb → object* and *next* look ahead, and so does" in answers
    names = {r.name for r in relations("a b c a".split())}
    assert names == {"previous", "next", "itself", "same word"}
    assert "*previous*, *next* and *itself*; *same word* if a word" in answers
    two = explore_playground(8, 16)
    share = two.compute(two.read()).attn[0, 2, 1]
    assert f"d_k = 2 gives {share:.2f}" in answers
    one = explore_playground()
    one.restore("set 32-1-1-1-2")
    shown = one.compute(one.read())
    assert shown.answers[2][:2] == ("antecedent", "fish")
    cat, fish = (f"{shown.attn[0, 2, key]:.2f}"[1:] for key in (1, 4))
    assert f"share the row *ate*, {cat} and {fish}" in answers
