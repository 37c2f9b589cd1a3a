"""Numbers in the prose of notebooks 03 and 05, against the code."""

import re

import nbformat
import numpy as np
import pytest

from helpers.attention import scaled_dot_product_attention, softmax
from helpers.cost import (
    binary_units,
    flops,
    full_width_heads,
    score_bytes,
    softmax_work,
)
from helpers.explorers.costs import balance_N
from helpers.explorers.ledger import explore_ledger
from helpers.explorers.ledger.views import not_free, price
from helpers.sizes import Sizes
from tests.tools import ROOT


def prose(name):
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    cells = [c.source for c in notebook.cells if c.cell_type == "markdown"]
    return re.sub(r"\s+", " ", "\n".join(cells))


@pytest.fixture(scope="module")
def one_head_page():
    return prose("03_why_one_head_is_not_enough.ipynb")


@pytest.fixture(scope="module")
def cost_page():
    return prose("05_what_does_it_cost.ipynb")


def of_three_words(exponentials):
    """Return weights and output of "ate", for cat-ate-fish and back."""
    scores = np.log(np.array(exponentials, dtype=float))
    found = []
    for nouns in (np.eye(3)[[0, 2, 1], :2], np.eye(3)[[1, 2, 0], :2]):
        out, attn = scaled_dot_product_attention(
            np.ones((1, 1)), scores[:, None], nouns
        )
        found.append((attn[0].round(3).tolist(), out[0].round(3).tolist()))
    return found


def test_the_hand_constructions(one_head_page):
    half = of_three_words((4.5, 1, 4.5))
    assert half == [([0.45, 0.1, 0.45], [0.45, 0.45])] * 2
    assert "4.5, 1, 4.5, and the weights .45, .10, .45" in one_head_page
    assert "(.45, .45)" in one_head_page
    uneven = of_three_words((6, 1, 3))
    assert [out for _, out in uneven] == [[0.6, 0.3], [0.3, 0.6]]
    assert "exponentials 6, 1, 3, so the weights are .6, .1 and .3" in (
        one_head_page
    )
    assert "(.6, .3) and (.3, .6)" in one_head_page
    one, two = of_three_words((8, 1, 1)), of_three_words((1, 1, 8))
    assert [a[1] + b[1] for a, b in zip(one, two, strict=True)] == [
        [0.8, 0.1, 0.1, 0.8],
        [0.1, 0.8, 0.8, 0.1],
    ]
    assert "(.8, .1 | .1, .8) against (.1, .8 | .8, .1)" in one_head_page


def test_the_switch_names_it_with_any_number_of_nouns():
    M = 6
    for first in range(M):
        for second in range(M):
            for is_hungry in (True, False):
                if first == second:
                    continue
                head_1 = softmax(np.array([0, 8.0, 16 * is_hungry]))
                head_2 = softmax(np.array([8.0, 0, 16 * (not is_hungry)]))
                out = np.zeros(M)
                for head in (head_1, head_2):
                    out[[first, second]] += head[:2]
                assert out.argmax() == (first if is_hungry else second)


def test_three_roles_in_two_heads():
    points = np.array([[0.5, 0], [0, 0.5], [0.5, 0.5]])
    found = points @ np.array([[1, -0.5, 1], [-0.5, 1, 1]])
    assert found.argmax(axis=0).tolist() == [0, 1, 2]
    assert (found.max(axis=0) > 0).all()


def test_the_ledger(cost_page):
    N = d_model = 512
    sizes = Sizes(d_model, 8)
    total = flops(N, sizes).total
    assert total == 8 * N * d_model**2 + 4 * N**2 * d_model
    assert flops(N, full_width_heads(sizes)).total == 8 * total
    assert balance_N(sizes) == 1024
    assert "N = 2 · d_model: 1,024 tokens here" in cost_page
    one = flops(N, Sizes(d_model, 1))
    assert f"{one.total / (one.total - one.W_O) - 1:.0%}" == "20%"


def test_what_grows(cost_page):
    shares = [
        softmax_work(512, h).operations / flops(512, Sizes(512, h)).total
        for h in (1, 64, 512)
    ]
    assert [f"{share:.1%}" for share in shares] == ["0.1%", "5.2%", "41.7%"]
    assert (
        "From 0.1 % with one head to 5 % with 64, and 42 % with heads of "
        "width 1" in cost_page
    )
    assert binary_units(score_bytes(512, 64)) == "64 MiB"


def test_llama_3_8b_in_the_questions(cost_page):
    assert "d_model = 4,096, h = 32 and n_kv = 8" in cost_page
    assert balance_N(Sizes(4096, 32, 8)) == 5120 < 8192


def test_the_find_instructions_of_the_ledger_in_their_order(cost_page):
    explorer = explore_ledger()
    explorer.draws_full.value = False
    explorer.h.value = 512
    explorer.h.value = 8
    explorer.N.value = 1024
    assert "are 50.0% of the products" in not_free(explorer.read())
    explorer.n_kv.value = 4
    assert "n_kv / h) = 768." in not_free(explorer.read())
    explorer.n_kv.value, explorer.N.value = 8, 512
    explorer.one_head_mixes.value = False
    state = explorer.read()
    assert "20.0% more than one head" in price(state, explorer.compute(state))
    assert "W_O too*: 20.0 % more." in cost_page
    for control in (explorer.n_kv, explorer.one_head_mixes, explorer.N):
        assert f"*{control.description}*" in cost_page
    assert f"*{explorer.clock.stop.description}*" in cost_page
