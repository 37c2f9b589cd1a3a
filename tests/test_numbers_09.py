"""What the prose of notebook 09 says: of the sample and the shipped scores.

What the causal model says is compared with the stored findings; the tests of
helpers/pretrained compare those with the model.
"""

import json
import re

import nbformat
import numpy as np
import pytest

from helpers.attention import split_heads
from helpers.checks.circuit import PAIRS, shift
from helpers.checks.next_place import next_score
from helpers.pretrained import causal_findings
from helpers.pretrained.causal import load_causal
from helpers.pretrained.encoder import encoder_or_sentence
from helpers.pretrained.files import MINILM, SMOLLM2, or_sentence
from helpers.pretrained.findings import best, merged, name, pattern_scores
from helpers.pretrained.layer import linear
from helpers.pretrained.reading import Reader
from helpers.pretrained.sample import load_sample
from helpers.pretrained.scores import load_scores
from helpers.questions.real_heads import CONCLUDE
from tests import notebook_rules as rules
from tests.tools import ROOT, missing, prose_of

NOTEBOOK = ROOT / "notebooks" / "09_heads_in_a_real_model.ipynb"
IT, FIRST, SECOND, ADJECTIVE = 7, 2, 5, 9
FOUR_TWO = 3, 1


@pytest.fixture(scope="module")
def cells():
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]


@pytest.fixture(scope="module")
def prose():
    return prose_of("09")


@pytest.fixture(scope="module")
def code(cells):
    return "\n".join(
        "".join(c["source"]) for c in cells if c["cell_type"] == "code"
    )


@pytest.fixture(scope="module")
def sample():
    return load_sample()


@pytest.fixture(scope="module")
def attn(sample):
    return sample.attn(0)


@pytest.fixture(scope="module")
def scores():
    return load_scores()


@pytest.fixture(scope="module")
def found():
    return causal_findings.shipped()


def short(number, digits=2):
    """Return .59 for 0.594."""
    return f"{number:.{digits}f}".lstrip("0")


def ranked(array):
    return [
        name(*divmod(int(place), array.shape[1]))
        for place in np.argsort(-array, axis=None)
    ]


# --- the model, and the sample ------------------------------------------


def test_the_model_is_named_and_is_not_called_something_else(prose, sample):
    c = sample.config
    assert (c.n_layers, c.h, c.d_model, c.n_layers * c.h) == (6, 12, 384, 72)
    assert "6 layers of 12 heads, d_model = 384" in prose
    assert len(sample.sentences) == 18 and "for 18 sentences" in prose
    said = prose.replace("What Does BERT Look At?", "")  # a title
    assert len(re.findall(r"\bBERT\b(?!-type)", said)) == 2  # Clark et al.
    for sentence in re.findall(r"[^.]*\bBERT\b(?!-type)[^.]*", said):
        assert "2019" in sentence or "report such heads" in sentence


def test_the_places_that_the_cells_count_on(sample, code):
    for pair in PAIRS:
        texts = [sample.pieces(place) for place in pair]
        for pieces in texts:
            assert pieces.pieces[IT] == "it" and pieces.pieces[-1] == "[SEP]"
            assert set(pieces.word_of[ADJECTIVE:-1]) == {8}
        nouns = [(p.pieces[FIRST], p.pieces[SECOND]) for p in texts]
        assert nouns[0] == nouns[1]
    assert f"PAIRS = {', '.join(map(str, PAIRS))}" in code
    assert "IT, ADJECTIVE = 7, 9" in code


def test_resting_heads_write_little(sample, attn, prose):
    on_first = attn[:, :, 1:-1, 0].mean(-1)
    ratio = np.empty((6, 12))
    for layer, X in enumerate(sample.hidden(0)):
        part = sample.part(layer)
        V = split_heads(linear(X, *part["V"]), 12)
        W_O = part["O"][0].T.reshape(12, 32, -1)
        size = np.linalg.norm(V @ W_O, axis=-1)
        ratio[layer] = size[:, 0] / size[:, 1:-1].mean(-1)
    assert np.median(ratio[on_first > 0.5]) < 0.05
    assert ratio[on_first > 0.5].max() < 0.2  # "next to nothing"
    assert np.median(ratio[on_first < 0.2]) > 0.4
    assert 20 < np.sum(on_first > 0.5) < 45
    near = {name(*at): on_first[at] for at in np.ndindex(6, 12)}
    said = [head for head in near if f"{near[head]:.2f}" == "0.50"]
    assert said == ["2-4", "4-10"] and near["4-10"] > 0.5 > near["2-4"]
    assert "Two say .50: 4-10 is just above it, 2-4 just below." in prose
    assert "[CLS] writes next to nothing" in prose


# --- scores ---------------------------------------------------------------


def test_patterns(sample, scores, attn, prose):
    here = pattern_scores([sample.reading(i) for i in range(18)])
    for known in (here, scores["A"]["patterns"]):
        heads = {role: name(*best(score)) for role, score in known.items()}
        assert heads["previous"] == "1-3" and heads["next"] == "2-9"
        assert heads["broad"] == "1-4" and short(known["broad"].max()) == ".93"
        assert known["previous"].max() > 0.99
        assert short(known["itself"].max()) == ".17"
        assert 0.5 < known["next"].max() < 0.65
    assert "a little more than half on the next place (2-9)" in prose
    assert name(*best(here["on [CLS]"])) != name(
        *best(scores["A"]["patterns"]["on [CLS]"])
    )
    assert np.sort(here["on [CLS]"].ravel())[-4] > 0.8
    assert name(*best(next_score(attn))) == "2-9"
    assert ".17 is not a role" in prose and ".93 of the largest" in prose


def test_relations(scores, prose):
    a, b = (scores[part]["relations"] for part in "AB")
    wanted = {
        "determiner → noun": "3-9",
        "subject → verb": "3-4",
        "object → verb": "3-1",
        "preposition → noun": "2-8",
        "pronoun → antecedent": "4-2",
    }
    for relation, score in a.items():
        at = best(score["rate"])
        other = b[relation]
        holds = score["rate"][at] > score["offset_rate"] + 0.2
        holds &= other["rate"][at] > other["offset_rate"] + 0.2
        assert holds == (relation in wanted), relation
        if holds:
            assert name(*at) == wanted[relation]
            assert f"{wanted[relation]} from" in prose
    assert b["it → adjective"]["n"] == 5
    none = a["verb → subject"]
    assert none["rate"].max() - none["offset_rate"] < 0.02


def test_the_bad_example(scores, prose):
    a, b = (scores[part]["relations"]["verb → object"] for part in "AB")
    at = best(a["rate"])
    assert name(*at) == "6-12"
    assert f"verb in {a['rate'][at]:.0%}".replace("%", " %") in prose
    assert f"offset: {a['offset_rate']:.0%}".replace("%", " %") in prose
    assert f"choose it: {a['held_out']:.0%} again".replace("%", " %") in prose
    assert f"{b['rate'][at]:.0%}" == "36%" and b["rate"][at] > 1 / 3
    assert b["rate"][at] < b["offset_rate"]
    assert "81 % of 160 sentences" in CONCLUDE[1].text
    assert scores["A"]["sentences"] == 160 and scores["B"]["sentences"] == 24


# --- one word, one head ---------------------------------------------------


def test_one_head_of_72_moves(sample, scores, prose):
    moved = []
    for pair in PAIRS:
        rows = [sample.attn(place)[:, :, IT] for place in pair]
        lead = [row[..., FIRST] - row[..., SECOND] for row in rows]
        moved.append(lead[0] - lead[1])
    fits = scores["fits"]["active"]
    for array in (np.mean(moved, axis=0), fits["shift"]):
        assert ranked(array)[0] == "4-2" and np.sum(array > 0.2) == 1
    right, both = fits["right"][FOUR_TWO], fits["both"][FOUR_TWO]
    assert f"in {short(right)} of the sentences" in prose
    assert f"in both of a pair in {short(both)}" in prose
    assert fits["moved"][FOUR_TWO] == 1 and "in all 60" in prose
    assert f"scored on the other: {short(fits['held_out'])}" in prose
    near = [short(fits["right"][3, head]) for head in (3, 5)]
    assert f"({near[0]}, {near[1]})" in prose


def test_where_it_reads_the_adjective(attn, scores, prose):
    reads = attn[2, :, IT, ADJECTIVE]
    assert [int(i) + 1 for i in np.argsort(-reads)[:4]] == [9, 2, 4, 3]
    assert np.sort(reads)[-4] > 0.15 > np.sort(reads)[-5]
    hidden = scores["circuit"]["hidden"]
    assert hidden["3-2"]["shift"] > hidden["nothing"]["shift"] - 0.05
    alone = sorted(
        (f"3-{n}" for n in range(1, 13)), key=lambda h: hidden[h]["shift"]
    )
    assert alone[:2] == ["3-9", "3-4"]
    pair = hidden["3-4 and 3-9"]["right"]
    assert f"right in {short(pair)}" in prose


def test_the_cut_and_the_patch(sample, scores, prose):
    hidden = scores["circuit"]["hidden"]
    assert hidden["layer 3"]["shift"] < 0.2 * hidden["nothing"]["shift"]
    for what in ("layers 1 to 2", "layers 4 to 6"):
        assert hidden[what]["shift"] > 0.9 * hidden["nothing"]["shift"]
    assert shift(()) > 0.5 and shift(("3-4", "3-9")) < 0.08 < shift(("3-9",))
    state = sample.circuit(1).state[IT]
    row = sample.circuit(0, patch=(IT, state)).attn_4[1, IT]
    assert row[SECOND] > row[FIRST] + 0.2
    lead, patched = (scores["circuit"][key] for key in ("lead", "patched"))
    carried = {
        layer: (lead[0] - patched[f"into layer {layer}"][0])
        / (lead[0] - lead[1])
        for layer in (3, 4, 5)
    }
    assert f"{carried[4]:.0%}".replace("%", " %") + " of the change" in prose
    assert f"it carries {carried[3]:.0%}".replace("%", " %") in prose
    assert carried[5] == 0


def test_where_it_fails(sample, scores, prose):
    fits = scores["fits"]
    eater = fits["animals only"]["right"][FOUR_TWO]
    assert fits["animals only"]["n"] == 20 and "20 sentences: the" in prose
    assert fits["winograd"]["n"] == 10 and "Ten pairs that need" in prose
    assert f"the eater in {short(eater)}" in prose
    change = [
        short(fits[k]["shift"][FOUR_TWO]) for k in ("active", "reversed")
    ]
    assert f"falls from {change[0]} to {change[1]}" in prose
    world = fits["winograd"]
    told = f"{short(world['right'][FOUR_TWO])}, both of a pair in "
    assert told + short(world["both"][FOUR_TWO]) in prose
    row = sample.attn(8)[FOUR_TWO][IT]
    assert sample.pieces(8).pieces[SECOND] == "cat"
    assert row.argmax() == SECOND


# --- the model that writes -------------------------------------------------


def test_the_causal_model(found, prose):
    sentence = found["the sentence"]
    assert sentence["bit-identical"] and sentence["row of it"] == IT
    best_at = found["relations"]["verb → subject"]
    assert best_at["head"] == "14-9"
    rates = short(best_at["A"]["rate"]), short(best_at["B"]["rate"])
    assert f"{rates[0]} on A and {rates[1]} on B" in prose
    fit = found["adjective → noun"]
    assert fit["head"] == "14-9"
    assert f"in {short(fit['active']['rate'])} of 60 pairs" in prose
    assert f"two animals: {short(fit['two animals']['rate'])}" in prose
    assert f"Winograd: {short(fit['winograd']['rate'])}" in prose
    assert fit["reversed"]["rate"] == 0.75  # "in three of four"


def test_induction(found, prose):
    listed = found["a list, twice"]
    assert listed["head"] == "19-7"
    again = np.array(listed["map"])
    pieces = listed["pieces"]
    assert pieces[8] == "cup" and pieces[again[8].argmax()] == "moon"
    assert (again[1:7, 0] > 0.9).all()  # "rests on the start"
    tokens = found["random tokens, twice"]
    lost = tokens["loss in nats"]
    assert f"be known: about {lost['all heads']['first copy']:.1f}" in prose
    assert f"all heads: {lost['all heads']['second copy']:.1f}" in prose
    ten = lost["without the top 10"]
    assert 11 < ten["second copy"] and len(ten["heads"]) == 10
    assert abs(ten["first copy"] - lost["all heads"]["first copy"]) < 0.1
    gained = lost["all heads"]["first copy"] - lost["all heads"]["second copy"]
    gone = ten["second copy"] - lost["all heads"]["second copy"]
    assert 0.7 < gone / gained < 0.8 and "three quarters of what" in prose
    assert f"guess would be {np.log(49152):.1f}" in prose
    draws = [draw["second copy"] for draw in lost["without random 10"]]
    assert len(draws) == 10 and max(draws) < 3


def test_shared_keys(found):
    trios = found["random tokens, twice"]["heads that share keys"]
    score = {
        head: roles["induction"]
        for trio in trios
        for head, roles in trio.items()
    }
    assert min(score[f"18-{n}"] for n in (4, 5, 6)) > 0.75
    assert score["19-9"] < 0.01 and score["19-7"] > 0.9
    apart = found["maps of two heads of a layer differ by"]
    assert 0 < apart["do not"] - apart["share keys"] < 0.1


def test_the_text_that_it_writes(code):
    model, why_not = or_sentence(load_causal)
    if model is None:
        missing("the package of requirements-real-lm.txt")
    ids = model.ids("The capital of France is")
    text = model.words.decode(list(model.generate(ids, 8)))
    assert f'shipped result:", repr({json.dumps(text)})' in code
    s = model.settings
    assert s.vocabulary == 49152  # "a fair guess would be"
    assert (s.n_layers, s.sizes.h, s.sizes.n_kv, s.sizes.d_k) == (30, 9, 3, 64)


# --- on your own ----------------------------------------------------------


def row_of(reading, word):
    """Return {word: weight} of 4-2 in the row of `word`."""
    words = ["[CLS]", *reading.text.split(), "[SEP]"]
    row = merged(reading.attn[FOUR_TWO], reading.word_of)[words.index(word)]
    return dict(zip(words, row, strict=True))


def strongest(row):
    best_word = max(row, key=row.get)
    return best_word, short(row[best_word])


def test_the_answers_of_on_your_own(sample, attn, prose):
    answers = prose.partition("## On your own")[2]
    for place, noun in ((12, "bicycle"), (17, "portrait")):
        word, weight = strongest(row_of(sample.reading(place), "it"))
        assert word == noun and f"*{noun}* {weight}" in answers
    on_first = attn[:, :, 1:-1, 0].mean(-1)
    above = [name(*at) for at in np.ndindex(6, 12) if on_first[at] > 0.8]
    assert len(above) == 7
    assert f"Seven, in layers 2 to 5: {', '.join(above)}." in answers
    state = sample.circuit(0).state[IT]
    moved = sample.circuit(1, patch=(IT, state)).attn_4[1, IT]
    cat, fish = (short(moved[place]) for place in (FIRST, SECOND))
    assert f"cat {cat}, fish {fish}, as in the hungry run" in answers
    plain = sample.circuit(0).attn_4[1, IT]
    for place in (FIRST, SECOND):
        assert abs(moved[place] - plain[place]) < 0.03


def test_what_it_does_with_she(prose):
    encoder, _ = encoder_or_sentence()
    if encoder is None:
        missing("the package of requirements-real.txt")
    read = Reader(encoder)
    for ending in ("hungry", "tasty"):
        text = f"The cat ate the fish because she was {ending}"
        word, weight = strongest(row_of(read(text), "she"))
        assert word == "cat" and f"*{ending}* ({weight})" in prose


# --- without the packages --------------------------------------------------

HIDDEN = """
import importlib.util as util

find = util.find_spec
util.find_spec = lambda name, package=None: (
    None if name in {names!r} else find(name, package)
)
"""


def test_without_packages_it_says_so_and_goes_on(tmp_path, monkeypatch):
    names = MINILM.package, SMOLLM2.package
    (tmp_path / "sitecustomize.py").write_text(
        HIDDEN.format(names=names), encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    done = rules.executed(notebook, NOTEBOOK.parent)
    assert not rules.run_complaints(done)
    said = "".join(
        output.get("text", "")
        for cell in rules.code_cells(done)
        for output in cell.outputs
    )
    assert MINILM.missing in said and SMOLLM2.missing in said
    assert said.count("shipped result") >= 4 and "computed here" not in said
