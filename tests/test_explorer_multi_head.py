"""The main explorer, headless: every value, corner pairs, what it says."""

import re
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest

from helpers.bugs import BUGS
from helpers.cost import flops
from helpers.explorers.multi_head import explore_multi_head, views
from helpers.explorers.multi_head.desk import (
    LEDGER_N,
    OWN,
    SENTENCE_CHOICES,
)
from helpers.explorers.multi_head.layer import HAND_BUILT, RANDOM, Layers
from helpers.sentences import RELATION_NAMES, TEXT_RELATIONS, TextError
from helpers.sizes import D_MODEL_CHOICES, SizeError, Sizes, divisors
from helpers.stills import FOLDER, stills
from tests.explorers import count_shows, is_old, plant_failure


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_multi_head()


def shown(explorer):
    """Return the state and the result that the controls stand for."""
    state = explorer.read()
    return state, explorer.compute(state)


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state, result = shown(explorer)
    label = ET.fromstring(explorer.maps.picture).get("aria-label")
    assert f"h = {state.sizes.h}, d_model = {state.sizes.d_model}," in label
    assert explorer.maps.widget.value == explorer.maps.picture
    assert result.counted == flops(state.N, state.sizes).total
    assert "✓ counted = formula" in explorer.badge.picture
    assert result.attn.shape == (state.sizes.h, state.N, state.N)
    if state.bug is None:
        assert np.allclose(result.attn.sum(-1), 1, atol=1e-5)


def test_the_default_is_the_texts_setting(explorer):
    assert (explorer.h.value, explorer.d_model.value) == (8, 512)
    assert "19,040,256 FLOPs" in explorer.badge.picture
    assert "19,040,256 FLOPs" in explorer.ledger.picture
    assert explorer.status.text.startswith(
        "head 1: ate → cat 1.00, head 2 0.00"
    )
    is_sound(explorer)


def test_flops_stay_and_softmax_grows_with_h(explorer):
    for h in (1, 8, 64, 512):
        explorer.h.value = h
        assert "<b>19,040,256 FLOPs</b>" in explorer.ledger.picture
        assert f"softmax, {81 * h:,} exponentials" in explorer.ledger.picture
        is_sound(explorer)


def test_one_head_shows_the_blur(explorer):
    explorer.h.value = 1
    _, result = shown(explorer)
    assert result.attn[0, 2, 1:5] == pytest.approx([0.25] * 4, abs=0.003)
    assert explorer.status.text == "head 1: ate → cat 0.25. Average 0.25."


def test_one_head_with_the_texts_three_relations(explorer):
    explorer.h.value = 1
    for name, box in explorer.relations.items():
        box.value = name in TEXT_RELATIONS
    _, result = shown(explorer)
    assert result.attn[0, 2, [1, 4]] == pytest.approx([0.5, 0.5], abs=0.003)
    assert result.attn[0, 6, 1] == pytest.approx(1, abs=0.004)


def test_a_narrow_head_loses(explorer):
    explorer.d_model.value = 16
    _, result = shown(explorer)
    assert explorer.h.value == 8
    assert result.attn[0, 2, 1] == pytest.approx(0.76, abs=0.005)
    assert "d_k = 2" in explorer.message.text


def test_average_of_sharp_heads_resembles_the_single_head(explorer):
    eight = shown(explorer)[1].attn.mean(axis=0)
    explorer.h.value = 1
    one = shown(explorer)[1].attn[0]
    assert np.corrcoef(eight.ravel(), one.ravel())[0, 1] > 0.85


@pytest.mark.parametrize("d_model", D_MODEL_CHOICES)
def test_every_width_with_every_h_it_allows(explorer, d_model):
    explorer.d_model.value = d_model
    assert tuple(explorer.h.options) == divisors(d_model)
    for h in divisors(d_model):
        explorer.h.value = h
        is_sound(explorer)


@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("kind", (HAND_BUILT, RANDOM))
@pytest.mark.parametrize("sentence", SENTENCE_CHOICES)
def test_every_choice_at_the_corners(explorer, sentence, kind, causal):
    explorer.sentence.value = sentence
    explorer.kind.value = kind
    explorer.causal.value = causal
    for d_model, h in ((8, 1), (8, 8), (1024, 1), (1024, 1024), (60, 6)):
        explorer.d_model.value = d_model
        explorer.h.value = h
        is_sound(explorer)
        for page in [value for _, value in explorer.page.options]:
            explorer.page.value = page
            is_sound(explorer)


def test_each_relation_alone_stands_in_its_own_head(explorer):
    for number, name in enumerate(RELATION_NAMES):
        for other, box in explorer.relations.items():
            box.value = other == name
        state, result = shown(explorer)
        for query, key in state.relations[0].pairs:
            assert result.attn[number, query, key] > 0.99
        rest = np.delete(result.attn, number, axis=0)
        assert rest == pytest.approx(np.full_like(rest, 1 / 9), abs=1e-5)
    assert explorer.maps.picture.count(f"</tspan> {name}") == 1


def test_every_ledger_n_and_the_balance_tips(explorer):
    for N in LEDGER_N:
        explorer.ledger_N.value = N
        assert f"at N = {N:,}" in explorer.ledger.picture
    for N, share in ((1024, "50.0%"), (131_072, "99.2%")):
        explorer.ledger_N.value = N
        assert f"are {share} of it" in explorer.ledger.picture
    assert "at N = 9," in explorer.badge.picture


@pytest.mark.parametrize("bug", BUGS)
@pytest.mark.parametrize("causal", (False, True))
def test_every_bug_runs_and_says_who_notices(explorer, bug, causal):
    explorer.causal.value = causal
    explorer.bug.value = bug
    assert BUGS[bug].title in explorer.maps.picture.replace("&#x27;", "'")
    assert "notices" in explorer.gallery.picture
    shapes = re.search(
        r"shapes</th><td[^>]*>([^<]*)", explorer.gallery.picture
    )
    assert shapes.group(1) == "sees nothing"
    explorer.bug.value = "none"
    is_sound(explorer)


def test_h_keeps_returns_and_says(explorer):
    explorer.d_model.value = 64
    explorer.d_model.value = 48
    assert explorer.h.value == 8
    assert explorer.message.text.startswith("With d_k = 6")
    explorer.d_model.value = 60
    assert explorer.h.value == 6
    assert "moved from 8 to 6" in explorer.message.text
    explorer.d_model.value = 512
    assert explorer.h.value == 8


def test_start_again_brings_everything_back(explorer):
    first = [control.value for control in explorer.settings()]
    explorer.text.value = "three other words"
    explorer.d_model.value, explorer.h.value = 60, 5
    explorer.kind.value, explorer.causal.value = RANDOM, True
    explorer.relations["previous"].value = False
    explorer.bug.value = "bare reshape"
    explorer.ledger_N.value, explorer.query.value = 1024, 0
    explorer.restart.click()
    assert [control.value for control in explorer.settings()] == first
    assert explorer.message.text == "Back at the start."
    assert explorer.status.text.startswith("head 1: ate → cat 1.00")
    is_sound(explorer)


@pytest.mark.parametrize(
    "bug", ("bare reshape", "√d_model", "softmax over queries")
)
def test_a_bug_that_is_switched_moves_the_maps_and_only_it_does(explorer, bug):
    right = shown(explorer)[1].attn
    explorer.bug.value = bug
    wrong = shown(explorer)[1].attn
    assert np.abs(wrong - right).max() > 0.1
    explorer.bug.value = "none"
    assert np.array_equal(shown(explorer)[1].attn, right)


def test_only_what_the_mask_hides_is_outlined_as_hidden(explorer):
    for causal in (False, True):
        explorer.causal.value = causal
        state, result = shown(explorer)
        dealt = views.outlines(state, result)
        assert len(dealt) == state.sizes.h
        for head, found in enumerate(dealt):
            for outline in found:
                assert outline.number % state.sizes.h == head
                later = {(q, k) for q, k in outline.cells if k > q}
                assert outline.hidden == (later if causal else set())
        cells = [outline.hidden for found in dealt for outline in found]
        assert any(cells) is causal and not all(cells)


def test_a_count_that_differs_from_the_formula_says_so():
    formula = flops(9, Sizes(60, 6))
    for counted in (formula.total - 2, formula.total + 2):
        said = views.badge(9, counted, formula)
        assert "✗ counted ≠ formula" in said and "✓" not in said
        assert f"{counted:,} and {formula.total:,} at N = 9" in said


def test_of_many_heads_the_strongest_three_are_named(explorer):
    explorer.kind.value, explorer.h.value = RANDOM, 16
    state, result = shown(explorer)
    shares = result.attn[:, *state.chosen]
    best = np.argsort(-shares)[:3]
    named = re.findall(r"head (\d+)", explorer.status.text)
    assert [int(n) - 1 for n in named] == best.tolist()
    for head in best:
        assert f"{shares[head]:.2f}" in explorer.status.text
    assert f"Average {shares.mean():.2f}." in explorer.status.text


def test_a_bug_of_the_mask_asks_for_it_while_it_is_off(explorer):
    explorer.bug.value = "mask after softmax"
    for causal in (False, True, False):
        explorer.causal.value = causal
        for said in (explorer.message.text, explorer.gallery.picture):
            assert ("Switch the causal mask on" in said) is not causal


def test_a_bug_is_said_beside_the_maps(explorer):
    explorer.bug.value = "wrong merge"
    assert explorer.message.text.startswith("Bug on: ")
    assert "only the output is wrong" in explorer.message.text
    explorer.bug.value = "tiled KV heads"
    assert "n_kv = h" in explorer.message.text


@pytest.mark.parametrize("control", ("h", "d_model", "query", "causal"))
def test_one_move_is_one_redraw(explorer, control, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    values = {"h": 16, "d_model": 60, "query": 5, "causal": True}
    getattr(explorer, control).value = values[control]
    assert len(shows) == 1


def test_a_cursor_does_not_run_the_layer_again(explorer, monkeypatch):
    def refuse(*_):
        raise AssertionError("the layer ran again")

    monkeypatch.setattr(Layers, "_run", refuse)
    explorer.query.value, explorer.key.value = 6, 8
    explorer.ledger_N.value = 4096
    assert "it → hungry" in explorer.status.text


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.h.value = 4
    assert "planted" in explorer.message.text
    assert is_old(explorer.maps)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Type a sentence"),
        (" \n\t ", "Type a sentence"),
        ("w " * 65, "got 65. Leave out 1."),
        ("w " * 2000, "got 2,000"),
        ("x" * 81, "word 1 has 81"),
        ("a \ud800 b", "Word 2 holds"),
        ("a b\x07", "Word 2 holds"),
    ],
)
def test_text_that_cannot_be_used(explorer, text, said):
    before = explorer.maps.picture
    explorer.text.value = text
    assert said in explorer.message.text
    assert is_old(explorer.maps)
    assert explorer.maps.picture == before
    explorer.h.value = 4  # other controls do not hide it
    assert said in explorer.message.text
    explorer.text.value = "two words"
    assert not is_old(explorer.maps)
    is_sound(explorer)


def test_hostile_text_is_shown_literally(explorer):
    explorer.text.value = (
        "<img/src=x onerror=alert(1)> $$ & \" ' שלום 猫 👩‍👩‍👧"
    )
    explorer.show_table.value = True
    for stage in (explorer.maps, explorer.row_table, explorer.gallery):
        assert "<img/" not in stage.widget.value
    assert "<img" not in explorer.status.widget.value
    assert "&lt;img/src=x" in explorer.maps.picture
    assert explorer._repr_mimebundle_()["text/html"].count("<img") == 1
    is_sound(explorer)


def test_own_words_have_four_relations_and_the_reason_why(explorer):
    explorer.text.value = "the cat saw the cat"
    assert explorer.sentence.value == OWN
    usable = [n for n, box in explorer.relations.items() if not box.disabled]
    assert usable == ["previous", "next", "itself", "same word"]
    assert "grammar" in explorer.relations["verb → object"].tooltip
    explorer.query.value, explorer.key.value = 3, 0
    assert "head 1: the → the" in explorer.status.text
    assert shown(explorer)[1].attn[7, 3, 0] > 0.99


def test_a_shorter_sentence_moves_the_cursor_inside(explorer):
    explorer.query.value, explorer.key.value = 8, 7
    explorer.text.value = "three short words"
    assert (explorer.query.value, explorer.key.value) == (2, 2)
    explorer.text.value = "one"
    assert (explorer.query.value, explorer.key.value) == (0, 0)
    assert "one → one 1.00" in explorer.status.text


def test_the_longest_sentence_with_the_most_heads(explorer):
    explorer.text.value = " ".join(f"w{i}" for i in range(64))
    explorer.d_model.value = 1024
    explorer.h.value = 1024
    assert len(explorer.page.options) == 16
    assert explorer.maps.picture.count("<image") == 65
    is_sound(explorer)


def test_the_causal_mask_hides_and_says_so(explorer):
    explorer.causal.value = True
    explorer.key.value = 4
    assert explorer.status.text == (
        "ate → fish: hidden by the causal mask in every head."
    )
    assert "The mask hides (dashed): verb → object, next" in (
        explorer.message.text
    )
    _, result = shown(explorer)
    assert (np.triu(result.attn, 1) == 0).all()


def test_random_heads_are_called_a_control(explorer):
    explorer.kind.value = RANDOM
    assert "control" in explorer.message.text
    assert "No structure is meant" in explorer.maps.picture
    assert "■" not in explorer.maps.picture
    first = shown(explorer)[1].attn
    assert first.max() > 0.5  # scores of size about 1, not all but equal
    again = explore_multi_head(kind=RANDOM)
    assert (shown(again)[1].attn == first).all()


def test_the_row_as_a_table_sums_to_one(explorer):
    explorer.show_table.value = True
    table = explorer.row_table.picture
    rows = re.findall(r"<tr>(.*?)</tr>", table)[1:]
    assert len(rows) == 8
    for row in rows:
        cells = re.findall(r"<td[^>]*>([^<]*)", row)
        assert sum(map(float, cells)) == pytest.approx(1, abs=0.05)
    explorer.show_table.value = False
    assert explorer.row_table.widget.value == ""


def test_tables_agree_with_cost(explorer):
    N, sizes = 9, Sizes(512, 8)
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", views.ledger_table(N, sizes))
    place = cells.index("all products")
    assert cells[place + 1 : place + 4] == [
        "19,040,256",
        "19,040,256",
        f"{8 * 19_040_256:,}",
    ]
    explorer.show_ledger.value = False
    assert explorer.ledger_table.widget.value == ""


def test_two_copies_live_side_by_side(explorer):
    other = explore_multi_head(h=2)
    explorer.h.value = 32
    assert other.h.value == 2
    assert "h = 2," in other.maps.picture


def test_memory_does_not_grow_with_use(explorer):
    import tracemalloc

    def use():
        for h in (1, 2, 8, 16):
            explorer.h.value = h
            explorer.causal.value = not explorer.causal.value

    use()
    tracemalloc.start()
    use()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(10):
        use()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 500_000  # a picture kept at each of 80 moves: 5 MB


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"h": 12, "d_model": 64}, SizeError, "h=8 or h=16"),
        ({"h": 0}, SizeError, "from 1"),
        ({"d_model": 100, "h": 10}, ValueError, "one of 8, 16"),
        ({"kind": "trained"}, ValueError, "hand-built, random"),
        ({"sentence": ""}, TextError, "Type a sentence"),
    ],
)
def test_a_start_that_is_not_possible(settings, error, said):
    with pytest.raises(error, match=re.escape(said)):
        explore_multi_head(**settings)


def test_every_control_has_a_description(explorer):
    controls = [
        getattr(explorer, name)
        for name in (
            "sentence text d_model h kind causal query key page ledger_N "
            "show_table show_ledger bug restart"
        ).split()
    ]
    for control in (*controls, *explorer.relations.values()):
        assert control.description


@pytest.mark.parametrize("name", stills())
def test_committed_still_is_what_the_explorer_draws(name):
    committed = (FOLDER / name).read_text(encoding="utf-8").rstrip("\n")
    drawn = stills()[name]
    number = re.compile(r"\d+\.\d+")
    assert number.sub("#", committed) == number.sub("#", drawn)
    theirs, ours = (
        [float(n) for n in number.findall(svg)] for svg in (committed, drawn)
    )
    assert theirs == pytest.approx(ours, abs=0.011)


def test_a04_the_maps_and_the_shapes_show_one_width(explorer):
    for d_model, h, d_k in ((512, 8, 64), (512, 4, 128), (60, 5, 12)):
        explorer.d_model.value, explorer.h.value = d_model, h
        assert f"d_k = {d_k};" in explorer.maps.picture
        assert f"d_k = d_model / h = {d_k}" in (explorer.shapes_table.picture)
        assert shown(explorer)[0].sizes.d_k == d_k


def test_a08_what_the_mask_hides_stands_beside_it(explorer):
    assert explorer.causal.description == "causal mask: no key to the right"
    explorer.causal.value = True
    attn = shown(explorer)[1].attn
    assert (np.triu(attn, 1) == 0).all()
    assert (np.tril(attn) > 0).any(axis=-1).all()


def test_a15_the_table_is_the_map_and_changes_no_number(explorer):
    for causal, kind in ((False, RANDOM), (True, RANDOM), (True, HAND_BUILT)):
        explorer.causal.value, explorer.kind.value = causal, kind
        before, maps = shown(explorer)[1].attn, explorer.maps.picture
        explorer.show_table.value = True
        assert np.array_equal(shown(explorer)[1].attn, before)
        assert explorer.maps.picture == maps
        query = explorer.query.value
        body = re.findall(r"<tr>(.*?)</tr>", explorer.row_table.picture)[1:]
        cells = [re.findall(r">([^<]+)</t[dh]>", row) for row in body]
        assert cells == [
            [str(head + 1), *(f"{weight:.2f}" for weight in shares[query])]
            for head, shares in enumerate(before)
        ]
        explorer.query.value = (query + 3) % 9  # another row each time
        explorer.show_table.value = False


def test_c08_the_second_the_is_row_3(explorer):
    explorer.text.value = "the cat saw the cat"
    explorer.kind.value, explorer.h.value = RANDOM, 1
    labels = [label for label, _ in explorer.query.options]
    assert labels == ["1 the", "2 cat", "3 saw", "4 the", "5 cat"]
    explorer.query.value, explorer.key.value = 3, 2
    attn = shown(explorer)[1].attn
    assert attn.shape == (1, 5, 5)
    assert f"the → saw {attn[0, 3, 2]:.2f}" in explorer.status.text
    assert attn[0, 3, 2] != pytest.approx(attn[0, 0, 2], abs=0.005)


def test_d03_a_hundred_moves_open_no_figure(explorer):
    before = plt.get_fignums()
    for move in range(50):
        explorer.h.value = (1, 2, 4, 8)[move % 4]
        explorer.causal.value = not explorer.causal.value
    assert plt.get_fignums() == before
