"""Each number that notebook 04 prints in prose."""

import re

import nbformat
import numpy as np

from helpers import bugs
from helpers.attention import multi_head_attention, softmax
from helpers.checks import verdict
from helpers.cost import flops, score_bytes, softmax_work
from helpers.sentences import HUNGRY, SWAPPED, TEXT_RELATIONS, relations, words
from helpers.sizes import Sizes
from helpers.weights import hand_built, token_vectors
from tests import notebook_rules as rules
from tests.tools import ROOT, prose_of

TOKENS = words(HUNGRY)
FOUND = relations(TOKENS)
N, D_MODEL = 9, 512
_, CAT, ATE, THE_2, FISH, _, IT = range(7)


def notebook(name):
    return nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)


def maps(h, d_model=D_MODEL, found=FOUND, causal=False, larger=1, **sizes):
    X = token_vectors(N, d_model)
    built = hand_built(X, found, Sizes(d_model, h, **sizes))
    built = built._replace(W_Q=larger * built.W_Q)
    return multi_head_attention(X, *built, h, causal=causal)[1]


def says(text, name="04"):
    assert text in prose_of(name), text


def test_each_relation_has_its_head():
    attn = maps(h=8)
    for number, relation in enumerate(FOUND):
        for query, key in relation.pairs:
            assert attn[number, query, key] > 0.995
    says("1/9 = 0.11")
    np.testing.assert_allclose(attn[3, 0], 1 / 9)


def test_the_blur():
    says("The row *ate* reads .25 four times")
    blurred = maps(h=1)[0]
    top = [CAT, ATE, THE_2, FISH]
    np.testing.assert_allclose(blurred[ATE, top], 0.25, atol=0.004)
    says("their correlation is above 0.9")
    average = maps(h=8).mean(axis=0)
    assert np.corrcoef(average.ravel(), blurred.ravel())[0, 1] > 0.9


def test_three_relations_compete_in_one_row_only():
    says("*ate* gives ½ to *cat* and ½ to *fish*, but *it* still gives 1.00")
    three = [r for r in FOUND if r.name in TEXT_RELATIONS]
    assert three == list(FOUND[:3])
    attn = maps(h=1, found=three)[0]
    np.testing.assert_allclose(attn[ATE, [CAT, FISH]], 0.5, atol=0.002)
    assert attn[IT, CAT] > 0.995


def test_the_first_guess_is_about_two_words_and_so_is_its_result():
    """The box asks for cat and fish alone; the map shows all relations."""
    cells = {cell.id: cell for cell in notebook("04_build_multi_head").cells}
    assert "hand_built(X, found[:2]," in cells["share-beside"].source
    assert 'so each "\n    "gets 0.25' in cells["share-beside"].source
    halves = maps(h=1, found=FOUND[:2])[0, ATE, [CAT, FISH]]
    assert halves.round(2).tolist() == [0.5, 0.5]
    quarter = maps(h=1)[0, ATE, [CAT, FISH]]
    assert quarter.round(2).tolist() == [0.25, 0.25]
    says("Heads 4, 5 and 6 want *cat*, *the* and *ate* itself")
    wanted = [dict(r.pairs).get(ATE) for r in FOUND]
    assert wanted == [CAT, FISH, None, CAT, THE_2, ATE, None, None]


def test_a_narrow_head():
    says("its targets get about .76")
    attn = maps(h=8, d_model=16)
    assert round(float(attn[0, ATE, CAT]), 2) == 0.76
    weight = {
        (width, larger): maps(8, d_k=width, larger=larger)[0, ATE, CAT]
        for width in (64, 8, 4, 2, 1)
        for larger in (1, 10)
    }
    assert weight[2, 1] < 0.8 and weight[2, 10] > 0.995
    says("places lie on a line, only its two ends can win")
    assert weight[1, 1] < 0.3 and weight[1, 10] < 0.01


def test_the_cost():
    says("19,040,256 FLOPs for every h")
    for h in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        assert flops(N, Sizes(D_MODEL, h)).total == 19_040_256
        assert softmax_work(N, h).exponentials == 81 * h
        assert score_bytes(N, h) == 4 * 81 * h
    says("a sliver of the bar: under 1 %")
    line = flops(N, Sizes(D_MODEL, 8))
    assert 0 < line.attention < 0.01 * line.total
    says("N = 2 · d_model, 1,024 words here")
    line = flops(1024, Sizes(D_MODEL, 8))
    assert line.attention == line.projections


def test_a_slice_loses_the_relation():
    says("a head that sees one slice no longer finds the cat")
    X = token_vectors(N, D_MODEL)
    W_Q, W_K, *_ = hand_built(X, FOUND, Sizes(D_MODEL, 8))
    own = slice(0, 64)
    Q, K = X[:, own] @ W_Q[own, own], X[:, own] @ W_K[own, own]
    assert softmax(Q @ K.T / 8)[ATE, CAT] < 0.2


def test_the_mask_hides_the_fish():
    says("*ate* stands before *fish*, so it can no longer see it")
    assert maps(h=8, causal=True)[1, ATE, FISH] == 0


def test_six_bugs_eight_checks_five_seconds():
    says("Meet six bugs")
    says("Eight checks look at each bug")
    assert len(bugs.BUGS) == 6
    assert {len(bugs.noticed_by(bug)) for bug in bugs.BUGS} == {8}
    says("stops your code after 5 seconds")
    assert verdict.SECONDS == 5


def test_without_head_3_every_row_changes():
    says("All nine rows. Head 3 points somewhere from *it* alone")
    assert [query for query, _ in FOUND[2].pairs] == [IT]
    X = token_vectors(N, D_MODEL)
    W_Q, W_K, W_V, W_O = hand_built(X, FOUND, Sizes(D_MODEL, 8))
    own = slice(128, 192)
    attn = maps(h=8)[2]
    np.testing.assert_allclose(np.delete(attn, IT, axis=0), 1 / 9)
    write = attn @ (X @ W_V[:, own]) @ W_O[own]
    lengths = np.linalg.norm(write, axis=1)
    assert len(lengths) == 9 and lengths.min() > 0.01


def test_swapped_has_the_same_places():
    says("So no map changes", "solutions")
    says("*ate* still asks for places 2 and 5")
    assert [FOUND[head].pairs for head in (0, 1)] == [
        ((ATE, CAT),),
        ((ATE, FISH),),
    ]
    assert (CAT + 1, FISH + 1) == (2, 5)
    places = [r.pairs for r in relations(words(SWAPPED))]
    assert places == [r.pairs for r in FOUND]


def test_stubs_are_not_yet():
    done = rules.executed(notebook("04_build_multi_head"), ROOT / "notebooks")
    outputs = (o for c in rules.code_cells(done) for o in c.outputs)
    shown = [o["data"].get("text/plain", "") for o in outputs if "data" in o]
    opened = [text for text in shown if text.startswith("Not yet.")]
    assert len(opened) == 3
    assert not any("No." in text or "Yes." in text for text in opened)


def test_the_learners_notebook_holds_no_answer():
    for cell in rules.code_cells(notebook("04_build_multi_head")):
        for body in re.findall(r"def my_\w+\(.*?\):\n(.*?)\n\n", cell.source):
            assert body.strip().startswith("...  # your code")
