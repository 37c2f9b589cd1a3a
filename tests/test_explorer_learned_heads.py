"""The explorer of trained heads: every value, what it says, what it runs."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers import roles
from helpers.explorers.learned_heads import explore_learned_heads, views, words
from helpers.explorers.learned_heads import explorer as explorer_module
from helpers.explorers.learned_heads.trials import (
    RANDOM,
    READ,
    SENTENCES,
    TRAINED,
    Trials,
)
from helpers.learn import weights_on_disk
from helpers.learn.snapshots import examination, head_scores
from helpers.learn.weights_on_disk import WeightsError, load
from helpers.pictures.role_bars import NAME, NUMBER, Bar, role_bars
from tests.explorers import count_shows, is_old, label, plant_failure

STEPS = tuple(step for step, _ in load("repeat").snapshots)
PREVIOUS, IDLE, INDUCTION = (0, 0), (0, 2), (1, 0)
CONTROLS = "step kind layer head sentence query show_table all_on".split()


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_learned_heads()


def shown(explorer):
    state = explorer.read()
    return state, explorer.compute(state)


def bars(explorer):
    """Return {name: what is written} of the page's bars, in their order."""
    texts = [
        "".join(node.itertext())
        for node in ET.fromstring(explorer.page.picture).iter()
        if node.tag.endswith("}text")
    ]
    names = ("previous", "induction", "entropy", "as switched", "all heads on")
    names += ("next", "itself", "first token", "same word", "random weights")
    return [
        (name, text)
        for name, text in zip(texts, texts[1:], strict=False)
        if name in names
    ]


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state, result = shown(explorer)
    trained = state.kind == TRAINED
    where = f"step {state.step:,}" if trained else "random weights"
    assert label(explorer.page).startswith(f"Heads at {where}: layer 1 head 1")
    assert f"Large: {words.head_name(state.picked)}." in label(explorer.page)
    evidence = "trained here" if trained else "no structure"
    assert evidence in label(explorer.page)
    assert words.EVIDENCE[state.kind] in explorer.page.picture
    assert result.attn.shape == (2, 4, 24, 24)
    assert np.allclose(result.attn.sum(-1), 1, atol=1e-5)
    assert (np.triu(result.attn, 1) == 0).all()
    for stage in (explorer.curves, explorer.page):
        assert ET.fromstring(stage.picture).get("role") == "img"
    for stage in explorer.stages:
        assert stage.widget.value == stage.picture
    off = explorer.page.picture.count('stroke="#D55E00" stroke-width="2.5"')
    assert off == len(state.off) + (state.picked in state.off)
    said = f"{result.now.loss:.2f}, {result.now.accuracy:.0%}"
    assert ("as switched", said) in bars(explorer)
    assert f"loss {result.now.loss:.2f} nats" in explorer.message.text


def test_the_default_shows_an_induction_head_that_works(explorer):
    state, result = shown(explorer)
    assert (state.kind, state.step) == (TRAINED, STEPS[-1])
    assert state.picked[0] == 1
    assert result.scores[READ["induction"]][state.picked] > 0.85
    assert result.scores[READ["previous"]][PREVIOUS] > 0.9
    assert "right behind the first" in explorer.status.text
    assert explorer.status.text.endswith(": right.")
    assert result.now.loss < 0.1 < 3 < result.control.loss
    is_sound(explorer)


@pytest.mark.parametrize("kind", (TRAINED, RANDOM))
def test_every_step_with_every_head_large(explorer, kind):
    explorer.kind.value = kind
    for step in STEPS:
        explorer.step.value = step
        is_sound(explorer)
    for layer in (0, 1):
        for head in range(4):
            explorer.layer.value, explorer.head.value = layer, head
            is_sound(explorer)


def test_every_sentence_and_every_query(explorer):
    seen = set()
    for number in SENTENCES:
        explorer.sentence.value = number
        state, result = shown(explorer)
        seen.add(result.words)
        names = [name for name, _ in explorer.query.options]
        assert names == [f"{i + 1} {w}" for i, w in enumerate(result.words)]
        for query in range(24):
            explorer.query.value = query
            asked = query in result.asked
            assert ("The model answers" in explorer.status.text) == asked
        is_sound(explorer)
    assert len(seen) == len(SENTENCES)


def test_the_query_keeps_its_place_in_another_sentence(explorer):
    explorer.query.value = 20
    explorer.sentence.value = SENTENCES[3]
    assert explorer.read().query == 20


@pytest.mark.parametrize("kind", (TRAINED, RANDOM))
@pytest.mark.parametrize("step", (STEPS[0], STEPS[6], STEPS[-1]))
def test_every_switch_and_none_at_all(explorer, step, kind):
    explorer.step.value, explorer.kind.value = step, kind
    for box in explorer.on.values():
        box.value = False
        is_sound(explorer)
    assert shown(explorer)[0].off == frozenset(explorer.on)
    explorer.all_on.click()
    assert all(box.value for box in explorer.on.values())
    is_sound(explorer)


def test_without_the_previous_token_head_the_induction_head_is_blind(explorer):
    _, before = shown(explorer)
    explorer.on[PREVIOUS].value = False
    _, after = shown(explorer)
    assert before.scores[READ["induction"]][INDUCTION] > 0.85
    assert after.scores[READ["induction"]][INDUCTION] < 0.25
    assert after.now.loss > 4 and after.now.accuracy < 0.3
    assert after.whole == before.now
    assert explorer.message.text == (
        f"Without layer 1 head 1: loss {after.now.loss:.2f} nats instead of "
        f"{after.whole.loss:.2f}, accuracy {after.now.accuracy:.0%} instead "
        f"of {after.whole.accuracy:.0%}."
    )
    assert ": wrong, " in explorer.status.text
    induction = roles.induction(after.tokens)
    weight = [
        (result.attn[INDUCTION] * induction).sum(-1)[list(result.asked)].mean()
        for result in (before, after)
    ]
    assert weight[0] > 0.8 and weight[1] < 0.25


def test_without_an_idle_head_nothing_happens(explorer):
    _, before = shown(explorer)
    explorer.on[IDLE].value = False
    _, after = shown(explorer)
    assert after.now.loss < before.now.loss + 0.05
    assert after.scores[READ["induction"]][INDUCTION] > 0.8
    assert explorer.status.text.endswith(": right.")


@pytest.mark.parametrize("step", (STEPS[5], STEPS[-1]))
@pytest.mark.parametrize(
    "off", [[PREVIOUS], [IDLE, (1, 1)], [(0, 3), (1, 0), (1, 2)]]
)
def test_a_removed_head_is_one_that_writes_zeros(explorer, step, off):
    explorer.step.value = step
    for place in off:
        explorer.on[place].value = False
    state, result = shown(explorer)
    record = load("repeat")
    model = dict(record.snapshots)[step].copy()
    d_v = 32 // 4
    for layer, head in off:  # another way: its rows of W_O are gone
        W_O = model.parts[f"W_O {layer}"]
        W_O[head * d_v : (head + 1) * d_v] = 0
    batch = examination(record.recipe.task)
    scores, found = head_scores(model, batch)
    assert result.now.loss == pytest.approx(scores["next"].loss, rel=1e-4)
    assert result.now.accuracy == scores["next"].accuracy
    for role, name in READ.items():
        assert result.scores[name] == pytest.approx(found[role], abs=1e-5)
    _, notes = model.forward(result.tokens[None])
    for layer in (0, 1):
        maps = notes["attention"][layer].attn[0]
        assert result.attn[layer] == pytest.approx(maps, abs=1e-5)


def test_heads_that_are_off_are_named_by_layer(explorer):
    for place in (PREVIOUS, IDLE, INDUCTION):
        explorer.on[place].value = False
    said = "Without layer 1 heads 1, 3; layer 2 head 1: loss"
    assert explorer.message.text.startswith(said)


def test_curves_and_live_numbers_agree(explorer):
    kept = load("repeat").curves
    for step in STEPS:
        explorer.step.value = step
        _, result = shown(explorer)
        place = kept["step"].tolist().index(step)
        assert result.now.loss == pytest.approx(kept["loss"][place], abs=0.02)
        for role, name in READ.items():
            found = result.scores[name]
            assert found == pytest.approx(kept[role][place], abs=0.02)
        said = label(explorer.curves)
        assert f"step {step:,}: loss of two layers" in said
        assert f"two layers {kept['loss'][place]:.2f} nats" in said
        assert f"one layer {kept['control loss'][place]:.2f};" in said
        assert f"{kept['previous'][place, 0].max():.2f}, best ind" in said
        assert f"layer 2 {kept['induction'][place, 1].max():.2f}." in said


def test_each_curve_is_its_own(explorer):
    kept, marked = explorer._kept, 17
    svg = views.history(kept, marked)
    step = kept["step"][marked]
    even = np.log(kept["vocabulary"])
    for name, number in (
        ("two layers", kept["loss"][marked]),
        ("one layer (control)", kept["control loss"][marked]),
        (f"even guess, ln {kept['vocabulary']} = {even:.2f}", even),
        ("previous token, layer 1", kept["previous"][marked, 0].max()),
        ("induction, layer 2", kept["induction"][marked, 1].max()),
    ):
        assert f"<title>{name} at {step}: {number:.3g}</title>" in svg


def test_the_tick_of_a_bar_is_of_random_weights(explorer):
    state, result = shown(explorer)
    blocks = views._score_bars(state, result)
    ticks = {bar.name: bar.control for _, bars in blocks for bar in bars}
    wanted = {
        **{role: READ[role] for role in READ},
        **{role: role for role in words.ALL_ROWS},
        "entropy": "entropy",
    }
    for name, column in wanted.items():
        control = result.control_scores[column][state.picked]
        assert ticks[name] == pytest.approx(control)
    read = READ["induction"]
    assert ticks["induction"] < 0.2 < result.scores[read][state.picked]


def test_the_three_losses_stand_under_their_own_names(explorer):
    explorer.layer.value, explorer.head.value = INDUCTION
    explorer.on[PREVIOUS].value = False
    _, result = shown(explorer)
    found = dict(bars(explorer))
    for name, score in (
        ("as switched", result.now),
        ("all heads on", result.whole),
        ("random weights", result.control),
    ):
        assert found[name] == f"{score.loss:.2f}, {score.accuracy:.0%}"
    assert len({result.now, result.whole, result.control}) == 3


def test_the_cursor_stands_at_the_step_and_not_for_random_weights(explorer):
    explorer.step.value = STEPS[5]
    assert f"two layers at {STEPS[5]}: " in explorer.curves.picture
    assert not explorer.step.disabled
    explorer.kind.value = RANDOM
    assert "<circle" not in explorer.curves.picture
    assert explorer.step.disabled
    assert "never trained" in explorer.message.text
    explorer.kind.value = TRAINED
    assert not explorer.step.disabled
    assert f"two layers at {STEPS[5]}: " in explorer.curves.picture


def test_random_weights_show_no_role(explorer):
    explorer.kind.value = RANDOM
    _, result = shown(explorer)
    for name in READ.values():
        assert result.scores[name].max() < words.CLEAR
    assert result.now == result.control
    start = explore_learned_heads(step=STEPS[0])
    assert shown(start)[1].now.loss != result.now.loss  # another draw
    assert result.now.accuracy < 0.1
    assert " previous 0" not in label(explorer.page)


def test_the_text_says_what_the_bars_show(explorer):
    for place in (PREVIOUS, INDUCTION, (1, 3)):
        explorer.layer.value, explorer.head.value = place
        state, result = shown(explorer)
        found = [number for _, number in bars(explorer)]
        roles_shown = (*READ.values(), *words.ALL_ROWS)
        numbers = [f"{result.scores[name][place]:.2f}" for name in roles_shown]
        assert [n for n in found if re.fullmatch(r"\d\.\d\d", n)] == numbers
        for name, number in zip(roles_shown, numbers, strict=True):
            control = result.control_scores[name][place]
            assert f"{name} {number} ({control:.2f})" in explorer.scores.text
        nats = result.scores["entropy"][place]
        assert ("entropy", f"{nats:.2f} nats") in bars(explorer)
        bits = nats / np.log(2)
        said = f"Entropy {nats:.2f} nats = {bits:.2f} bits"
        assert said in explorer.scores.text
        even = np.log(np.arange(1, 25)).mean()
        assert f"have {even:.2f} nats" in explorer.scores.text
        assert f"ln 24 = {np.log(24):.2f}." in explorer.scores.text


def test_the_ring_is_on_the_largest_weight(explorer):
    state, result = shown(explorer)
    query, key = words.cell_of(state, result)
    assert result.attn[state.picked][query].argmax() == key
    assert f"place {key + 1})" in explorer.status.text
    share = result.attn[state.picked][query, key]
    assert f": {share:.2f}. The model" in explorer.status.text


@pytest.mark.parametrize("place", (PREVIOUS, (1, 3)))
def test_the_cells_of_the_large_map_say_their_weights(explorer, place):
    explorer.layer.value, explorer.head.value = place
    _, result = shown(explorer)
    titles = re.findall(
        r"d=\"M\d+ \d+h1v1h-1z\"><title>([^<]*)<", explorer.page.picture
    )
    w = result.words
    assert titles == [
        f"{w[q]} → {w[k]} {result.attn[place][q, k]:.2f}"
        for q in range(24)
        for k in range(q + 1)
    ]


def test_a_bar_stays_in_its_room():
    blocks = [("a < b", [Bar("one", 7.5, "7.5", top=5, control=9)])]
    drawn = role_bars(blocks, 230)
    assert "a &lt; b" in drawn
    ends = [float(end) for end in re.findall(r"H(\d+\.\d)", drawn)]
    assert ends == [230 - NUMBER]
    half = role_bars([("", [Bar("one", 2.5, "2.5", top=5)])], 230)
    assert f"H{(230 - NUMBER + NAME) / 2:.1f}v" in half


def test_the_outlines_are_the_two_roles(explorer):
    state, result = shown(explorer)
    previous, induction = views.outlines(result)
    tokens = result.tokens.tolist()
    assert set(previous.cells) == {(i, i - 1) for i in range(1, 24)}
    assert set(induction.cells) == {
        (q, k + 1)
        for q in range(24)
        for k in range(q)
        if tokens[k] == tokens[q]
    }
    assert "■</tspan> previous" in explorer.page.picture
    assert "■</tspan> induction" in explorer.page.picture


def test_tables_on_a_switch(explorer):
    explorer.on[IDLE].value = False
    explorer.show_table.value = True
    _, result = shown(explorer)
    table = explorer.heads_table.picture.replace("\u00a0", " ")
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", table)
    loss = explorer.on[PREVIOUS]
    place = cells.index("layer 1 head 1")
    row = cells[place + 1 : place + 12]
    assert row[0] == f"{result.scores[READ['previous']][PREVIOUS]:.2f}"
    assert "layer 1 head 3 (off)" in cells
    explorer.all_on.click()
    loss.value = False
    _, alone = shown(explorer)
    assert row[-2:] == [f"{alone.now.loss:.2f}", f"{alone.now.accuracy:.0%}"]
    curves = re.findall(r"<t[dh][^>]*>([^<]*)", explorer.curves_table.picture)
    assert [c for c in curves if c in map(str, STEPS)] == list(map(str, STEPS))
    is_sound(explorer)
    explorer.show_table.value = False
    assert explorer.heads_table.widget.value == ""
    assert explorer.curves_table.widget.value == ""


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("step", STEPS[2]),
        ("kind", RANDOM),
        ("layer", 0),
        ("head", 2),
        ("sentence", 3),
        ("query", 5),
        ("show_table", True),
    ],
)
def test_one_move_is_one_redraw(explorer, control, value, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    getattr(explorer, control).value = value
    assert len(shows) == 1


def test_one_switch_or_all_on_is_one_redraw(explorer, monkeypatch):
    explorer.on[IDLE].value = explorer.on[INDUCTION].value = False
    shows = count_shows(explorer, monkeypatch)
    explorer.on[PREVIOUS].value = False
    assert len(shows) == 1
    explorer.all_on.click()
    assert len(shows) == 2


def test_a_cursor_does_not_run_the_model_again(explorer, monkeypatch):
    def refuse(*_):
        raise AssertionError("the model ran again")

    monkeypatch.setattr(Trials, "_model", refuse)
    explorer.query.value, explorer.head.value = 4, 2
    assert explorer.status.text.startswith("From “")


def test_opening_trains_nothing(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("it trains")

    monkeypatch.setattr("helpers.learn.snapshots.train", refuse)
    monkeypatch.setattr("helpers.learn.training.learn_from", refuse)
    is_sound(explore_learned_heads())


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.on[PREVIOUS].value = False
    assert "planted" in explorer.message.text
    assert is_old(explorer.page)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"step": 7}, "step must be one of 0, 100"),
        ({"kind": "real"}, "trained, random (control)"),
        ({"sentence": 0}, "sentence must be one of 1, 2"),
    ],
)
def test_a_start_that_is_not_possible(settings, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explore_learned_heads(**settings)


def test_missing_weights_are_said_in_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(weights_on_disk, "SHIPPED", tmp_path)
    with pytest.raises(WeightsError, match="make weights repeat"):
        explore_learned_heads()


def test_a_code_restores_a_setting(explorer):
    explorer.step.value, explorer.on[PREVIOUS].value = STEPS[3], False
    explorer.layer.value, explorer.head.value = 0, 0
    explorer.sentence.value, explorer.query.value = 5, 20
    other = explore_learned_heads()
    other.restore(explorer.code)
    assert other.read() == explorer.read()
    is_sound(other)


def test_two_copies_live_side_by_side(explorer):
    other = explore_learned_heads(step=STEPS[0])
    explorer.on[PREVIOUS].value = False
    assert other.on[PREVIOUS].value
    assert shown(other)[1].now.loss < 5
    is_sound(other)


def test_every_control_has_a_description(explorer):
    controls = [getattr(explorer, name) for name in CONTROLS]
    for control in (*controls, *explorer.on.values()):
        assert control.description
    assert len({box.description for box in explorer.on.values()}) == 8


def test_the_still_says_the_kind_of_evidence(explorer):
    svg, said = explorer.portrait()
    assert ET.fromstring(svg).get("aria-label") == said
    assert "Evidence: trained here, shipped weights" in said
    assert explorer_module.KINDS == (TRAINED, RANDOM)
