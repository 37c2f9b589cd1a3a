"""The explorer of real heads: every value, what it says, what it runs."""

import re
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers.controls.settings import CodeError
from helpers.explorers.real_heads import explore_real_heads, views, words
from helpers.explorers.real_heads import heads as heads_module
from helpers.explorers.real_heads.desk import EXAMPLE
from helpers.explorers.real_heads.heads import (
    MOST,
    NOTHING,
    OWN,
    PIECES,
    WORDS,
    Heads,
)
from helpers.explorers.real_heads.partners import partner_of
from helpers.explorers.real_heads.scoring import FIT, SCORES
from helpers.pictures.head_wall import Small, head_wall, large_map
from helpers.pretrained.files import MINILM, FileError
from helpers.pretrained.findings import name, place
from helpers.pretrained.sample import Sample, load_sample
from helpers.pretrained.scores import load_scores
from helpers.sentences import HUNGRY, TASTY
from tests import small_bert
from tests.explorers import count_shows, is_old, label, plant_failure

SENTENCES = load_sample().sentences
BOTH = "3-4 and 3-9"
HIDES = (NOTHING, "3-4", "3-9", BOTH, f"layer 3 without {BOTH}", "layer 3")
CONTROLS = (
    "sentence text score order layer head to_best view query key hide "
    "show_table"
).split()


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_real_heads()


@pytest.fixture
def whole():
    """Return an explorer that has the whole encoder."""
    small_bert.installed_minilm()
    return explore_real_heads()


@pytest.fixture
def bare(monkeypatch):
    """Return an explorer where the package is not installed."""
    monkeypatch.setattr(heads_module, "package_folder", lambda _: None)

    def refuse():
        raise AssertionError("the whole encoder was asked for")

    monkeypatch.setattr(heads_module, "_encoder", refuse)
    return explore_real_heads()


def shown(explorer):
    state = explorer.read()
    return state, explorer.compute(state)


def texts(stage):
    return [
        "".join(node.itertext())
        for node in ET.fromstring(stage.picture).iter()
        if node.tag.endswith("}text")
    ]


def captions(explorer):
    """Return what stands below the small maps, in their order."""
    return [t for t in texts(explorer.wall) if re.match(r"\d-\d+ ", t)]


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state, result = shown(explorer)
    seen = result.seen
    picked = name(*state.picked)
    assert f"Picked: {picked}, " in label(explorer.wall)
    assert label(explorer.map).startswith(f"Head {picked} on “")
    for stage in (explorer.wall, explorer.map):
        assert label(stage).endswith(f"{words.EVIDENCE}.")
    assert words.EVIDENCE in explorer.map.picture
    for view in (WORDS, PIECES):
        N = len(seen.tokens[view])
        assert seen.attn[view].shape == (6, 12, N, N)
        assert np.allclose(seen.attn[view].sum(-1), 1, atol=1e-5)
    assert len(captions(explorer)) == explorer.wall.picture.count("<image")
    assert len(captions(explorer)) == 72
    assert len(explorer.query.options) == len(seen.tokens[state.view])
    share = seen.attn[state.view][state.picked][state.query, state.key]
    assert explorer.row_said.text.endswith(f": {share:.2f}.")
    for stage in explorer.stages:
        assert stage.widget.value == stage.picture
    assert (explorer.rows.picture != "") == (seen.pronoun is not None)
    assert "best of 72 heads" in explorer.message.text


# --- what a reader sees first ---------------------------------------------


def test_the_default_shows_the_head_that_reads_it(explorer):
    state, result = shown(explorer)
    assert (state.text, state.picked) == (HUNGRY, (3, 1))
    assert result.seen.tokens[WORDS][state.query] == "it"
    assert explorer.row_said.text.startswith("From “it” 4-2 looks at cat .")
    assert result.partner.text == TASTY
    row, other = (
        one.attn[WORDS][3, 1, 7] for one in (result.seen, result.partner)
    )
    assert row[2] > row[5] and other[5] > other[2] + 0.2
    assert explorer.change_said.text == (
        f"From “hungry” to “tasty”, row “it” of 4-2: [CLS] "
        f"{row[0]:.2f} → {other[0]:.2f}, cat {row[2]:.2f} → {other[2]:.2f}, "
        f"fish {row[5]:.2f} → {other[5]:.2f}."
    ).replace("0.", ".")
    is_sound(explorer)


def test_hungry_and_tasty_are_one_step_apart(explorer):
    before = explorer.change_said.text
    explorer.sentence.value = 2
    state, result = shown(explorer)
    assert state.text == TASTY
    assert result.seen.tokens[WORDS][state.query] == "it"
    swapped = re.sub(r"(\.\d+) → (\.\d+)", r"\2 → \1", before)
    swapped = swapped.replace("“hungry” to “tasty”", "“tasty” to “hungry”")
    assert explorer.change_said.text == swapped


@pytest.mark.parametrize("view", (WORDS, PIECES))
def test_every_sentence(explorer, view):
    explorer.view.value = view
    for number, text in enumerate(SENTENCES, 1):
        explorer.sentence.value = number
        state, result = shown(explorer)
        assert state.text == result.seen.text == text
        is_sound(explorer)
        tokens = result.seen.tokens[view]
        names = [named for named, _ in explorer.query.options]
        assert names == [f"{i} {t}" for i, t in enumerate(tokens)]


def test_the_maps_are_the_samples(explorer):
    for number in (1, 2, 9):
        explorer.sentence.value = number
        _, result = shown(explorer)
        attn = load_sample().attn(number - 1)
        assert (result.seen.attn[PIECES] == attn).all()
        words_only, unit = result.seen.attn[WORDS], result.seen.unit
        for at in range(len(result.seen.tokens[WORDS])):
            mine = [i for i, place in enumerate(unit) if place == at]
            row = attn[:, :, mine].mean(axis=2)  # rows are means,
            for key in range(len(result.seen.tokens[WORDS])):
                of_key = [i for i, place in enumerate(unit) if place == key]
                total = row[..., of_key].sum(axis=-1)  # columns are sums
                assert np.allclose(words_only[..., at, key], total, atol=1e-6)


@pytest.mark.parametrize("order", views.ORDERS)
def test_every_score_in_every_order(explorer, order):
    explorer.order.value = order
    for named in SCORES:
        explorer.score.value = named
        is_sound(explorer)
        score = explorer._scores[named]
        said = captions(explorer)
        values = [float(c.split()[1]) for c in said]
        if order == views.BEST_FIRST:
            assert values == sorted(values, reverse=True)
            assert said[0].startswith(name(*score.ranked[0]))
        else:
            assert [c.split()[0] for c in said] == [
                f"{layer}-{head}"
                for layer in range(1, 7)
                for head in range(1, 13)
            ]
        faded = explorer.wall.picture.count('<g opacity=".22">')
        clear = {explorer.read().picked, *score.ranked[:5]}
        assert faded == (order == views.ONLY_BEST) * (72 - len(clear))
        framed = explorer.wall.picture.count('stroke="#D55E00"')
        assert framed == 3
        assert score.ranked[0] == np.unravel_index(
            score.values.argmax(), (6, 12)
        )


def test_scores_are_the_shipped_ones_with_their_baselines(explorer):
    scores = load_scores()
    for named, shipped in scores["A"]["relations"].items():
        explorer.score.value = named
        other = scores["B"]["relations"][named]
        best = np.unravel_index(shipped["rate"].argmax(), (6, 12))
        said = explorer.message.text
        assert said.startswith(named[0].upper() + named[1:])
        assert (
            f"heads {name(*best)} {shipped['rate'].max():.2f}".replace(
                "0.", "."
            ).replace("1.00", "1.0")
            in said
        )
        for number in (shipped["offset_rate"], shipped["held_out"]):
            assert f": {number:.2f}".replace("0.", ".") in said
        n, rate = other["n"], other["rate"][best]
        assert f"{n} pairs in other sentences: {name(*best)} " in said
        row = re.findall(r"<t[dh][^>]*>([^<]*)", explorer.best.picture)
        at = row.index(name(*best))
        assert row[at + 1 : at + 5] == [
            f"{shipped['rate'][best]:.2f}",
            f"{shipped['offset_rate']:.2f}",
            f"{shipped['held_out']:.2f}",
            f"{rate:.2f}",
        ]
        assert row[at + 8] == "–"  # held out is of the best head only
    for pattern, values in scores["A"]["patterns"].items():
        explorer.score.value = pattern
        median = f"{np.median(values):.2f}".replace("0.", ".")
        assert f"median of all heads: {median}." in explorer.message.text
    explorer.score.value = FIT
    assert "Any rule of place: .50" in explorer.message.text
    assert "60 pairs in the passive: 4-2" in explorer.message.text


def test_the_wall_shows_the_kinds_of_heads(explorer):
    """A diagonal, a column on [CLS], an even grey: what the score promises."""
    _, result = shown(explorer)
    attn = result.seen.attn[WORDS]
    for score, picked in (("previous", "1-3"), ("on [CLS]", "5-6")):
        explorer.score.value = score
        explorer.to_best.click()
        assert explorer.read().picked == place(picked)
        assert f"Picked: {picked}," in label(explorer.wall)
    assert (np.diagonal(attn[0, 2], -1) > 0.97).all()
    assert (attn[4, 5, 1:-1, 0] > 0.6).all()
    explorer.score.value = "broad"
    explorer.to_best.click()
    assert explorer.read().picked == (0, 3)
    spread = [np.median(attn[place(head)]) for head in ("1-4", "1-3", "5-6")]
    assert spread[0] > 0.03 > 0.015 > max(spread[1:])


# --- cursor and tables ----------------------------------------------------


@pytest.mark.parametrize("view", (WORDS, PIECES))
def test_every_head_query_and_key(explorer, view):
    explorer.sentence.value, explorer.view.value = 2, view
    N = 12 if view == PIECES else 11
    for layer in range(1, 7):
        explorer.layer.value = layer
        explorer.head.value = 13 - layer
        is_sound(explorer)
    explorer.head.value = 12
    for at in range(N):
        explorer.query.value, explorer.key.value = at, N - 1 - at
        is_sound(explorer)
        seen = shown(explorer)[1].seen
        word = seen.tokens[WORDS][seen.unit[at] if view == PIECES else at]
        word = word.replace("tasty", "tasty/hungry")
        assert explorer.change_said.text.startswith(
            f"From “tasty” to “hungry”, row “{word}” of 6-12: "
        )


def test_the_text_twin_has_the_rows_largest_weights(explorer):
    state, result = shown(explorer)
    row = result.seen.attn[WORDS][state.picked][state.query]
    tokens = result.seen.tokens[WORDS]
    told = re.findall(r"(\S+) (\.\d\d)[,;]", explorer.row_said.text)
    order = np.argsort(-row)[:3]
    assert told == [(tokens[k], f"{row[k]:.2f}"[1:]) for k in order]


def test_tables_on_a_switch(explorer):
    explorer.show_table.value = True
    state, result = shown(explorer)
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", explorer.row_table.picture)
    at = cells.index("4-2")
    row = result.seen.attn[WORDS][3, 1, state.query]
    assert cells[at + 1 : at + 12] == [f"{share:.2f}" for share in row]
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", explorer.scores_table.picture)
    values = explorer._scores[state.score].values
    at = cells.index("4", cells.index("head 12"))
    assert cells[at + 1 : at + 13] == [f"{v:.2f}" for v in values[3]]
    is_sound(explorer)
    explorer.show_table.value = False
    assert explorer.row_table.widget.value == ""
    assert explorer.scores_table.widget.value == ""


def test_a_word_keeps_its_row_when_the_sentence_changes(explorer):
    explorer.query.value = 9  # hungry
    explorer.sentence.value = 7  # … did not cross the street …
    assert explorer.query.value == 9  # no such word: the same place
    explorer.query.value = 8  # because
    explorer.sentence.value = 1
    tokens = shown(explorer)[1].seen.tokens[WORDS]
    assert tokens[explorer.query.value] == "because"
    explorer.query.value = 7
    explorer.sentence.value = 7  # "it" stands two places on
    tokens = shown(explorer)[1].seen.tokens[WORDS]
    assert (explorer.query.value, tokens[9]) == (9, "it")


# --- the circuit ----------------------------------------------------------


def test_every_switch_of_the_circuit(explorer):
    assert tuple(v for v in explorer.hide.options) == HIDES
    shipped = load_scores()["circuit"]["hidden"]
    for hide in HIDES:
        explorer.hide.value = hide
        is_sound(explorer)
        _, result = shown(explorer)
        assert len(result.circuits) == 2
        said = explorer.circuit_said.text
        assert f"shift of 4-2 is {shipped[hide]['shift']:.2f}" in said
        assert ("instead of" in said) == (hide != NOTHING)
        assert ("… word hidden" in texts(explorer.rows)) == (hide != NOTHING)
        for circuit in result.circuits:
            for head in circuit.after:
                if head[0] == 2:
                    gone = head in explorer._heads.hides[hide]
                    assert (circuit.after[head][circuit.key] == 0) == gone
                assert circuit.after[head].sum() == pytest.approx(1, abs=1e-5)


def test_hiding_in_two_heads_takes_most_of_the_difference(explorer):
    def lead(hide):
        explorer.hide.value = hide
        _, result = shown(explorer)
        rows = [circuit.after[3, 1] for circuit in result.circuits]
        return rows[0][2] - rows[0][5] - (rows[1][2] - rows[1][5])

    whole, cut, others = lead(NOTHING), lead(BOTH), lead(HIDES[4])
    assert whole > 0.35
    assert cut < 0.4 * whole
    assert others > 0.7 * whole


def test_the_circuit_is_the_samples(explorer):
    explorer.hide.value = BOTH
    _, result = shown(explorer)
    block = [(2, 3, 7, 9), (2, 8, 7, 9)]
    found = load_sample().circuit(HUNGRY, block)
    circuit = result.circuits[0]
    assert np.allclose(circuit.after[3, 1], found.attn_4[1, 7], atol=1e-6)
    assert np.allclose(circuit.after[2, 8], found.attn_3[8, 7], atol=1e-6)
    assert circuit.tokens[circuit.key] == "hungry"
    cat, fish = (f"{circuit.after[3, 1][k]:.2f}"[1:] for k in (2, 5))
    assert f"3-9: cat {cat}, fish {fish}." in explorer.circuit_said.text
    assert f"3-4 and 3-9: fish {fish}, " in label(explorer.rows)


def test_another_head_of_layer_4_can_be_watched(explorer):
    explorer.head.value = 4
    explorer.hide.value = BOTH
    assert "Then 4-4 looks" in explorer.circuit_said.text
    assert "shift" not in explorer.circuit_said.text  # shipped for 4-2 only
    explorer.layer.value = 6
    assert "Then 4-2 looks" in explorer.circuit_said.text


def test_a_sentence_without_it_has_no_circuit(explorer):
    explorer.sentence.value = 15
    assert shown(explorer)[1].circuits == ()
    assert "no “it”" in explorer.circuit_said.text
    assert explorer.hide.disabled
    explorer.sentence.value = 1
    assert not explorer.hide.disabled


def test_partners():
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7), (10, 11)]
    for one, other in pairs:
        assert partner_of(SENTENCES, one) == other
        assert partner_of(SENTENCES, other) == one
    assert SENTENCES[partner_of(SENTENCES, 8)] == HUNGRY  # roles turned
    assert partner_of(("a b", "a b c"), 0) is None
    assert name(*place("4-12")) == "4-12"


# --- text of one's own ----------------------------------------------------


def test_without_the_package_the_sample_goes_on(bare):
    is_sound(bare)
    assert bare.text.disabled and bare.text.value == ""
    assert OWN not in [number for _, number in bare.sentence.options]
    values = [
        w.value
        for w in bare.children[0].children[0].children
        if hasattr(w, "value")
    ]
    said = [v for v in values if MINILM.requirements in str(v)]
    assert len(said) == 1 and "python -m pip install" in said[0]
    for number in (2, 12, 18):
        bare.sentence.value = number
        is_sound(bare)
    bare.sentence.value = 1
    bare.hide.value = BOTH
    is_sound(bare)
    with pytest.raises(ValueError, match="pip install"):
        explore_real_heads("The dog slept")
    for code in ("set 99", 'set 1 "the dog slept"'):
        with pytest.raises(CodeError):
            bare.restore(code)
    assert bare.read().text == HUNGRY


def test_the_still_is_the_same_without_the_package(explorer, monkeypatch):
    monkeypatch.setattr(heads_module, "package_folder", lambda _: None)
    assert explore_real_heads().portrait() == explorer.portrait()


def test_a_text_of_ones_own(whole):
    whole.text.value = "The bird ate the bread because it was hungry."
    state, result = shown(whole)
    assert whole.sentence.value == OWN
    assert result.seen.tokens[WORDS][-2] == "."
    is_sound(whole)
    assert result.circuits[0].tokens[result.circuits[0].key] == "hungry"
    assert result.partner is None
    assert whole.change_said.text == words.ALONE
    before = result.circuits[0].before[3, 1]
    whole.hide.value = "layer 3"
    _, result = shown(whole)
    circuit = result.circuits[0]
    assert (circuit.before[3, 1] == before).all()
    assert abs(circuit.after[3, 1] - before).max() > 0.05
    assert circuit.after[2, 8][circuit.key] == 0
    whole.sentence.value = 1
    assert shown(whole)[0].text == HUNGRY
    whole.sentence.value = OWN
    assert shown(whole)[0].text.startswith("The bird")


def test_after_a_text_without_it_the_next_one_shows_it_again(whole):
    whole.text.value = "Hello"
    tokens = shown(whole)[1].seen.tokens[WORDS]
    assert tokens[whole.query.value] == tokens[whole.key.value] == "hello"
    whole.text.value = "The big dog ate the bread because it was hungry"
    tokens = shown(whole)[1].seen.tokens[WORDS]
    assert tokens[whole.query.value] == "it"
    is_sound(whole)


def test_the_whole_encoder_agrees_with_the_sample(whole):
    whole.text.value = HUNGRY + " "  # not a text of the sample
    _, own = shown(whole)
    whole.sentence.value = 1
    _, sample = shown(whole)
    gap = own.seen.attn[PIECES] - sample.seen.attn[PIECES]
    assert 0 < abs(gap).max() < 2e-3
    whole.hide.value = BOTH
    _, cut = shown(whole)
    whole.sentence.value = OWN
    _, own = shown(whole)
    for head, row in own.circuits[0].after.items():
        assert abs(row - cut.circuits[0].after[head]).max() < 2e-3


def test_an_empty_field_stands_for_the_example(whole):
    whole.sentence.value = OWN
    assert whole.text.value == "" and whole.text.placeholder == EXAMPLE
    assert shown(whole)[0].text == EXAMPLE
    is_sound(whole)


@pytest.mark.parametrize(
    "text",
    [
        '<script>alert("x")</script> & it was </svg>',
        "שלום it was מאוד",
        "猫は魚を食べた because it 是 好",
        "🐈 ate 🐟 because it was 😋",
        "[MASK] [SEP] it was [CLS]",
        "it",
        "it it it it it",
        "a" * 80,
        "naïve café — “it” was ½ ?!",
    ],
)
@pytest.mark.parametrize("view", (WORDS, PIECES))
def test_hostile_texts_are_shown_as_text(whole, text, view):
    whole.view.value = view
    whole.text.value = text
    is_sound(whole)
    for stage in (whole.wall, whole.map, whole.rows):
        assert "<script" not in stage.picture
    for hide in (NOTHING, BOTH):
        whole.hide.value = hide
        is_sound(whole)
    whole.show_table.value = True
    assert "<script" not in whole.row_table.picture
    whole.portrait()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("   ", "at least one word"),
        ("a\x00b", "control character"),
        ("\ud800", "half a character"),
        ("cat " * 65, "64 words"),
        ("x" * 200_000, "200,000 characters"),
        (("qzxjvkqwzx" * 8 + " ") * 3, f"A text may have {MOST} pieces here"),
        (("qzxjvkqwzx" * 8 + " ") * 64, "512 pieces"),
    ],
)
def test_texts_that_cannot_be_read_are_said(whole, text, said):
    whole.text.value = text
    assert said in whole.message.text
    assert is_old(whole.map)
    whole.query.value = 3  # the cursor still answers, nothing is raised
    whole.sentence.value = 1
    is_sound(whole)
    with pytest.raises(ValueError, match=re.escape(said)):
        explore_real_heads(text)


def test_the_longest_text_still_has_all_maps(whole):
    whole.text.value = "cat " * 64
    state, result = shown(whole)
    assert len(result.seen.tokens[WORDS]) == 66
    is_sound(whole)


def test_a_spoilt_package_is_said(whole, monkeypatch):
    def spoilt():
        raise FileError("model.safetensors is not the published one.")

    monkeypatch.setattr(heads_module, "_encoder", spoilt)
    whole.text.value = "A text nobody has read here"
    assert "not the published one" in whole.message.text
    whole.sentence.value = 2
    is_sound(whole)


# --- the loop -------------------------------------------------------------


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("sentence", 2),
        ("score", "next"),
        ("order", views.BEST_FIRST),
        ("layer", 2),
        ("head", 7),
        ("view", PIECES),
        ("query", 5),
        ("key", 5),
        ("hide", BOTH),
        ("show_table", True),
    ],
)
def test_one_move_is_one_redraw(explorer, control, value, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    getattr(explorer, control).value = value
    assert len(shows) == 1


def test_a_text_and_the_button_are_one_redraw_each(whole, monkeypatch):
    shows = count_shows(whole, monkeypatch)
    whole.text.value = "The dog slept because it was tired"
    assert len(shows) == 1
    whole.score.value = "previous"
    whole.to_best.click()
    assert len(shows) == 3


def test_a_cursor_computes_nothing_again(explorer, monkeypatch):
    def refuse(*_):
        raise AssertionError("the model ran again")

    wall = explorer.wall.widget
    sent = []
    wall.observe(sent.append, "value")
    monkeypatch.setattr(Sample, "attn", refuse)
    monkeypatch.setattr(Sample, "circuit", refuse)
    explorer.query.value, explorer.key.value = 3, 2
    assert explorer.row_said.text.startswith("From “ate”")
    assert sent == []  # the wall does not move with the cursor


def test_moves_are_quick(explorer):
    def best(control, values):
        found = []
        for value in values:
            start = time.process_time()
            control.value = value
            found.append(time.process_time() - start)
        return min(found)

    assert best(explorer.query, (1, 2, 3, 4, 5)) < 0.02
    assert best(explorer.sentence, (3, 5, 7, 9, 11)) < 0.06


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.head.value = 5
    assert "planted" in explorer.message.text
    assert is_old(explorer.wall)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"sentence": 0}, "sentence must be one of 1, 2"),
        ({"sentence": 19}, "sentence must be one of 1, 2"),
        ({"head": "7-1"}, "head must be one of"),
        ({"head": (3, 1)}, "head must be one of"),
        ({"score": "nothing"}, "score must be one of previous, next"),
    ],
)
def test_a_start_that_is_not_possible(settings, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explore_real_heads(**settings)


def test_a_start_of_ones_own():
    explorer = explore_real_heads(TASTY, head="1-3", score="previous")
    assert (explorer.sentence.value, explorer.read().picked) == (2, (0, 2))
    small_bert.installed_minilm()
    explorer = explore_real_heads("It rained")
    assert explorer.sentence.value == OWN
    is_sound(explorer)


def test_a_code_restores_a_text_of_ones_own(whole):
    whole.text.value = 'The "old" dog slept because it was tired'
    whole.view.value, whole.query.value = PIECES, 9
    whole.hide.value = BOTH
    other = explore_real_heads()
    other.restore(whole.code)
    assert other.read() == whole.read()
    assert other.portrait() == whole.portrait()


def test_every_control_has_a_description(explorer):
    for named in CONTROLS:
        assert getattr(explorer, named).description


def test_the_still_says_the_kind_of_evidence(explorer):
    explorer.hide.value = BOTH
    svg, said = explorer.portrait()
    assert ET.fromstring(svg).get("aria-label") == said
    assert words.EVIDENCE in said and "hidden in 3-4 and 3-9" in said


def test_the_licence_stands_on_the_page(explorer):
    values = [
        getattr(w, "value", "")
        for w in explorer.children[0].children[0].children
    ]
    assert any("Apache License 2.0" in str(value) for value in values)


# --- the pictures ---------------------------------------------------------


def test_a_wall_of_any_size():
    attn = np.eye(3)
    maps = [Small(attn, f"a<{i}", best=i == 0, faded=i > 5) for i in range(9)]
    root = ET.fromstring(head_wall(maps, 3, "T<", "m&", "said"))
    assert root.get("aria-label") == "said"
    images = [n for n in root.iter() if n.tag.endswith("}image")]
    assert len(images) == 9
    corners = [(float(n.get("x")), float(n.get("y"))) for n in images]
    assert corners == sorted(corners, key=lambda corner: corner[::-1])
    assert len({x for x, _ in corners}) == len({y for _, y in corners}) == 3


@pytest.mark.parametrize("columns", [1, 7, 12])
def test_no_map_hangs_out_of_the_wall(columns):
    maps = [Small(np.eye(3), f"a{i}") for i in range(72)]
    root = ET.fromstring(head_wall(maps, columns, "T", "m", "said"))
    _, _, wide, high = map(float, root.get("viewBox").split())
    images = [n for n in root.iter() if n.tag.endswith("}image")]
    side = float(images[0].get("width"))
    assert max(float(n.get("x")) for n in images) + side <= wide
    assert max(float(n.get("y")) for n in images) + side <= high


@pytest.mark.parametrize("columns", [0, -1, 13, 10**6, "text", 2.5])
def test_a_row_that_does_not_fit_the_wall_is_refused(columns):
    maps = [Small(np.eye(3), "a")]
    with pytest.raises(ValueError, match="columns must be"):
        head_wall(maps, columns, "T", "m", "said")


@pytest.mark.parametrize(("N", "pixels"), [(2, 0), (28, 0), (29, 1)])
def test_a_large_map_has_shapes_while_they_are_few(N, pixels):
    attn = np.full((N, N), 1 / N)
    attn[0], attn[0, 1] = 0, 1
    svg = large_map(attn, [f"w{i}" for i in range(N)], "T", "E", (0, 1), "d")
    assert ET.fromstring(svg) is not None
    assert svg.count("<image") == pixels
    assert ("w0 → w1 1.00" in svg) == (not pixels)


def test_every_head_has_its_name_from_one():
    assert Heads().head == (3, 1)
    assert {name(*p) for p in np.ndindex(6, 12)} == {
        f"{layer}-{head}" for layer in range(1, 7) for head in range(1, 13)
    }
