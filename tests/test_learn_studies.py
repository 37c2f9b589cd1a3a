"""Studies: what is shipped is whole, and one training of each comes again.

The trainings that run here again take about six seconds of CPU time.
"""

import itertools
import json
import math
import time

import numpy as np
import pytest

from helpers.attention import softmax
from helpers.learn import make, role_measures, study
from helpers.learn.model import Model
from helpers.learn.role_studies import ROLE_STUDIES
from helpers.learn.roles_in_a_row import RolesInARow
from helpers.learn.studies import STUDIES, shipped
from helpers.learn.study import (
    SECONDS,
    Plan,
    Study,
    outcome,
    record,
    training_by,
)
from helpers.learn.training import Progress, examine, train
from helpers.learn.who_did_what import WhoDidWhat
from helpers.sizes import SizeError

ROLES = WhoDidWhat()
SMALL = WhoDidWhat(n_nouns=5)


def tiny(name="tiny", columns=("P subject", SECONDS), seeds=(0, 1)):
    """Return a study that trains for three steps."""

    def measure(model, task):
        return {
            "P subject": role_measures.answers_to(
                model, role_measures.fresh(task), ("subject",)
            )["P subject"],
            "nothing": math.nan,
        }

    plans = {f"h = {h}": Plan(SMALL, {"h": h}, 3) for h in (1, 2)}
    trains = training_by(plans, measure)
    return Study(name, "A title.", tuple(plans), columns, seeds, trains)


# --- a study ------------------------------------------------------------


def test_a_run_yields_its_progress_and_returns_its_columns_in_order():
    steps = list(tiny().run("h = 2", 1))
    assert [p.step for p in steps] == [1, 2, 3]
    assert all(isinstance(p, Progress) and p.steps == 3 for p in steps)
    columns = (SECONDS, "nothing", "P subject")
    result, count = outcome(tiny(columns=columns).run("h = 2", 1))
    assert tuple(result) == columns and count == 3
    assert math.isnan(result["nothing"])
    assert all(type(number) is float for number in result.values())


def test_a_run_is_its_row_and_its_seed():
    columns = ("P subject",)
    found = {
        (row, seed): outcome(tiny(columns=columns).run(row, seed))[0]
        for row in ("h = 1", "h = 2")
        for seed in (0, 1)
    }
    assert len({r["P subject"] for r in found.values()}) == 4
    again = outcome(tiny(columns=columns).run("h = 2", 1))[0]
    assert again == found["h = 2", 1]
    model = Model(SMALL.settings(h=2), seed=1)
    for _ in train(model, SMALL, steps=3, seed=1):
        pass
    batch = role_measures.fresh(SMALL)
    assert again == {"P subject": examine(model, batch)["subject"].p_correct}


def test_seconds_are_those_of_the_training_only():
    def busy():
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass

    def trains(row, seed):
        busy()
        yield Progress(1, 1, {}, 0.0)
        return {}

    run = Study("s", "", ("row",), (SECONDS,), (0,), trains).run("row", 0)
    next(run)
    busy()
    busy()
    with pytest.raises(StopIteration) as end:
        next(run)
    assert 0.19 < end.value.value[SECONDS] < 0.39


@pytest.mark.parametrize("one", ROLE_STUDIES.values(), ids=str)
def test_what_a_study_lacks_is_refused_at_once(one):
    with pytest.raises(ValueError, match="must be one of '.*': got 'h = 99'"):
        one.run("h = 99", 0)
    with pytest.raises(SizeError, match="seed"):
        one.run(one.rows[0], -1)


# --- what is shipped ------------------------------------------------------


@pytest.mark.parametrize("name", STUDIES)
def test_all_rows_columns_and_seeds_are_shipped(name):
    one, whole = STUDIES[name], record(name)
    assert one.name == whole["study"] == name
    assert name in whole["command"]
    assert whole["numpy"] and whole["seeds"] == list(one.seeds)
    assert tuple(whole["steps"]) == one.rows
    assert all(steps > 0 for steps in whole["steps"].values())
    results = shipped(name)
    assert tuple(results) == one.rows
    for row in results.values():
        assert tuple(row) == one.columns
        for column, numbers in row.items():
            assert len(numbers) == len(one.seeds)
            known = [n for n in numbers if not math.isnan(n)]
            if column.startswith("loss "):
                assert all(n >= 0 for n in known)
            if column.startswith("P "):
                assert all(0 <= n <= 1 for n in known)


def test_what_does_not_exist_is_not_shipped_as_a_number():
    two = shipped("variants")["two nouns"]
    missing = {c for c in two if any(map(math.isnan, two[c]))}
    assert missing == {c for c in two if c.endswith(", new")}
    with pytest.raises(ValueError, match="No results .*'dreams'"):
        shipped("dreams")


AGAIN = (  # a row, a seed, how near P must be, and the losses
    ("heads", "h = 2", 3, 0.03, 0.05),
    ("variants", "two layers", 0, 0.1, 0.2),
    ("variants", "MLP before, places in V", 0, 0.1, 0.2),
    ("three roles", "h = 3", 1, 0.03, 0.05),
    ("five roles", "h = 6", 0, 0.1, 0.2),
    ("it in two layers", "2 layers, h = 1", 0, 0.1, 0.2),
)


@pytest.mark.parametrize(("name", "row", "seed", "p", "loss"), AGAIN)
def test_a_training_comes_out_as_shipped(name, row, seed, p, loss):
    one = STUDIES[name]
    result, steps = outcome(one.run(row, seed))
    assert steps == record(name)["steps"][row]
    was = {c: numbers[seed] for c, numbers in shipped(name)[row].items()}
    for column in one.columns:
        if column.startswith("P "):
            assert abs(result[column] - was[column]) < p, column
        if column.startswith("loss "):
            assert abs(result[column] - was[column]) < loss, column
    assert 0 < result[SECONDS] < 60


def test_each_study_has_a_training_that_runs_again():
    assert {again[0] for again in AGAIN} == set(ROLE_STUDIES)


# --- the command ------------------------------------------------------------


def test_a_study_is_written_and_read_back(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "SHIPPED", tmp_path / "new")
    columns = ("P subject", "nothing")
    monkeypatch.setitem(STUDIES, "tiny one", tiny("tiny one", columns))
    assert make.main(["studies", "tiny one"]) == 0
    text = (tmp_path / "new" / "tiny_one.json").read_text(encoding="utf-8")
    assert json.loads(text) == record("tiny one")
    assert '"seeds": [0, 1],\n' in text and "null, null]\n" in text
    assert record("tiny one")["steps"] == {"h = 1": 3, "h = 2": 3}
    for seed in (0, 1):
        result, _ = outcome(STUDIES["tiny one"].run("h = 2", seed))
        was = shipped("tiny one")["h = 2"]
        assert was["P subject"][seed] == round(result["P subject"], 4)
        assert math.isnan(was["nothing"][seed])


def test_the_command_names_what_it_can_make(capsys):
    assert make.main(["studies", "dreams"]) == 2
    assert "No studies 'dreams': there are heads," in capsys.readouterr().out


def test_weights_are_made_by_the_one_who_makes_them(monkeypatch, capsys):
    monkeypatch.setattr(make, "make_role_models", lambda: "role models")
    monkeypatch.setattr(make, "make_weights", lambda name: f"of {name}")
    assert make.main(["weights"]) == 0
    made = [*(f"of {name}" for name in make.RECIPES), "role models"]
    assert capsys.readouterr().out.splitlines() == made


# --- roles in a row -------------------------------------------------------


@pytest.mark.parametrize("held", (False, True))
@pytest.mark.parametrize("n_roles", (2, 3, 5))
def test_roles_in_a_row_asks_for_all_nouns_at_the_verb(n_roles, held):
    task = RolesInARow(n_roles, n_nouns=7)
    train_sets, held_sets = (set(map(tuple, s)) for s in task.sets)
    every = set(itertools.combinations(range(7), n_roles))
    assert train_sets | held_sets == every
    assert len(held_sets) == len(every) // 5
    batch = task.draw(np.random.default_rng(9), 500, held)
    allowed, orders = (held_sets if held else train_sets), set()
    assert batch.tokens.shape == (500, n_roles + 1)
    assert tuple(batch.asked) == task.roles
    for row, tokens in enumerate(batch.tokens):
        nouns = [int(token) for token in np.delete(tokens, 1)]
        assert 7 <= tokens[1] < len(task.words)
        assert tuple(sorted(nouns)) in allowed
        orders.add(tuple(np.argsort(nouns)))
        for role, noun in zip(task.roles, nouns, strict=True):
            asked = batch.asked[role]
            assert (asked.rows[row], asked.places[row]) == (row, 1)
            assert asked.answers[row] == noun
    assert len(orders) > math.factorial(n_roles) * 0.9


def test_roles_in_a_row_reads_a_sentence_of_its_words():
    task = RolesInARow()
    tokens = task.tokens("Cat gave fish dog")
    assert [task.words[token] for token in tokens] == (
        "cat gave fish dog".split()
    )
    with pytest.raises(ValueError, match="'ate'"):
        task.tokens("cat ate fish dog")
    settings = task.settings()
    assert (settings.N, settings.d_model, settings.h) == (4, 48, 2)
    assert len({Model(task.settings(h=h)).flat.size for h in (1, 3, 8)}) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: RolesInARow(1),
        lambda: RolesInARow(6),
        lambda: RolesInARow(4, n_nouns=3),
        lambda: RolesInARow(held_share=1),
        lambda: RolesInARow(held_share=0).draw(None, 1, held=True),
        lambda: WhoDidWhat(read_it="the"),
    ],
)
def test_rows_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ValueError):
        wrong()


def test_the_antecedent_can_be_read_at_it():
    at_it = WhoDidWhat(read_it="it")
    tokens = ROLES.draw(np.random.default_rng(4), 20).tokens
    asked, usual = at_it.ask(tokens).asked, ROLES.ask(tokens).asked
    for role in asked:
        assert np.array_equal(asked[role].answers, usual[role].answers)
    assert set(asked["antecedent"].places) == {6}
    assert set(usual["antecedent"].places) == {8}
    assert set(asked["object"].places) == {2}


# --- what is measured -------------------------------------------------------


def test_one_head_each_means_two_heads():
    measure = role_measures.one_head_each
    assert measure(np.array([[0.6, 0.3]])) == 0.3
    assert measure(np.array([[0.9, 0.1], [0.2, 0.7]])) == 0.7
    assert measure(np.array([[0.1, 0.8], [0.9, 0.2]])) == 0.8
    assert measure(np.array([[0.5, 0.5], [0.0, 0.0]])) == 0.0
    assert measure(np.array([[0.9, 0.9], [0.1, 0.2]])) == 0.2


def test_weights_and_shares_against_plain_loops():
    model = Model(SMALL.settings(d_model=8, h=2, spread=2.0), seed=5)
    batch = role_measures.fresh(SMALL)
    few = SMALL.ask(batch.tokens[:30])
    X, notes = model.forward(few.tokens)
    attn = notes["attention"][0].attn
    means, shares = np.zeros((2, 2)), []
    for row, tokens in enumerate(few.tokens):
        for head in range(2):
            means[head] += attn[row, head, 2, [1, 4]] / 30
        for role in ("subject", "object"):
            p = softmax(X[row, 2] @ model.parts["read " + role])
            shares.append(p[tokens[1]] + p[tokens[4]])
    asked = ("subject", "object")
    found = role_measures.weights_on_answers(model, few, asked)
    assert np.allclose(found, means, atol=1e-6)
    assert np.isclose(
        role_measures.share_of_the_two(model, few), np.mean(shares)
    )


def test_fresh_sentences_are_always_the_same_and_of_their_side():
    new, again = role_measures.fresh(ROLES), role_measures.fresh(ROLES)
    assert np.array_equal(new.tokens, again.tokens)
    held = set(map(tuple, ROLES.pairs[1]))
    for batch, side in ((new, True), (role_measures.fresh(ROLES, False), 0)):
        pairs = {tuple(sorted(t)) for t in batch.tokens[:, [1, 4]]}
        assert pairs <= held if side else not pairs & held


def test_routes_to_it_in_a_model_that_looks_everywhere_alike():
    task = WhoDidWhat(n_nouns=5, read_it="it")
    for n_layers in (1, 2):
        settings = task.settings(d_model=8, h=2, n_layers=n_layers)
        model = Model(settings, seed=1)
        for layer in range(n_layers):
            model.parts[f"W_Q {layer}"][...] = 0
        found = role_measures.of_it(model, task)
        routes = [v for name, v in found.items() if " → " in name]
        exist = [v for v in routes if not math.isnan(v)]
        assert len(routes) == 4 and len(exist) == 2 * n_layers
        assert np.allclose(exist, 1 / 9, atol=1e-5)


def test_a_route_is_the_weight_of_one_row_on_one_word():
    task = WhoDidWhat(n_nouns=5, read_it="it")
    model = Model(task.settings(d_model=8, h=2, n_layers=2, spread=2.0), 1)
    batch = role_measures.fresh(task)
    maps = [n.attn for n in model.forward(batch.tokens)[1]["attention"]]
    noun = np.where(
        batch.asked["antecedent"].answers == batch.tokens[:, 1], 1, 4
    )
    every = np.arange(len(noun))
    found = role_measures.of_it(model, task)
    wanted = {
        "A1 it → adjective": maps[0][:, :, 6, 8],
        "A2 it → noun": maps[1][every, :, 6, noun],
        "B1 adjective → noun": maps[0][every, :, 8, noun],
        "B2 it → adjective": maps[1][:, :, 6, 8],
    }
    for name, by_head in wanted.items():
        assert np.isclose(found[name], by_head.mean(0).max(), atol=1e-5)
