"""The playground: every kind and size, what it says, what it counts."""

import itertools
import re
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers.controls.settings import CodeError
from helpers.cost import binary_units, flops, kv_cache_bytes, parameters
from helpers.explorers.multi_head import explore_multi_head
from helpers.explorers.multi_head.layer import HAND_BUILT, RANDOM
from helpers.explorers.playground import explore_playground
from helpers.explorers.playground.kinds import KINDS, REAL, TRAINED, why_not
from helpers.explorers.playground.layer import Layers
from helpers.learn import role_weights
from helpers.learn.role_weights import SHAPES, TASK, load_role_model
from helpers.learn.training import examine
from helpers.learn.weights_on_disk import WeightsError
from helpers.pretrained.sample import load_sample
from helpers.sentences import HUNGRY, SENTENCES, words
from helpers.sizes import D_MODEL_CHOICES, SizeError, Sizes, divisors
from tests.explorers import count_shows, is_old, label, plant_failure

CONTROLS = (
    "d_model h n_kv sentence text kind depth causal query key ledger_N "
    "number_type show_table show_ledger page"
).split()
DOLPHIN = "My dolphin sees my dolphin"


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_playground()


def shown(explorer):
    state = explorer.read()
    return state, explorer.compute(state)


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state, result = shown(explorer)
    s, N = state.sizes, state.ledger_N
    assert result.attn.shape == (s.h, state.N, state.N)
    assert np.allclose(result.attn.sum(-1), 1, atol=1e-5)
    assert result.counted == result.formula.total
    assert "✓ counted = formula" in explorer.badge.picture
    assert f"{flops(N, s).total:,} FLOPs" in explorer.price.picture
    assert f"{s.h * N * N:,} exponentials" in explorer.not_free.picture
    assert f"{parameters(s).total:,} in the four" in explorer.kept.picture
    for stage, said in (
        (explorer.maps, f"Attention maps: h = {s.h}, d_model = {s.d_model},"),
        (explorer.wires, f"Wiring: h = {s.h}, n_kv = {s.n_kv},"),
        (explorer.bars, f"FLOPs of the matrix products at N = {N:,}."),
        (explorer.cache, f"KV cache of one layer, {N:,} tokens"),
    ):
        label = ET.fromstring(stage.picture).get("aria-label")
        assert label.startswith(said)
    for stage in explorer.stages:
        assert stage.widget.value == stage.picture


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sentence", ("hungry", "tasty", "swapped"))
def test_every_kind_with_every_sentence(explorer, kind, sentence):
    explorer.kind.value = kind
    explorer.sentence.value = sentence
    assert explorer.kind.value == kind
    is_sound(explorer)


@pytest.mark.parametrize("kind", (HAND_BUILT, RANDOM))
@pytest.mark.parametrize("d_model", D_MODEL_CHOICES)
def test_sizes_that_can_be_set(explorer, kind, d_model):
    explorer.kind.value, explorer.d_model.value = kind, d_model
    assert tuple(explorer.h.options) == divisors(d_model)
    for h in {1, 2, 6, 8, d_model} & set(divisors(d_model)):
        explorer.h.value = h
        assert tuple(explorer.n_kv.options) == divisors(h)
        for n_kv in {1, 2, h} & set(divisors(h)):
            explorer.n_kv.value = n_kv
            is_sound(explorer)


def test_ledger_and_number_types(explorer):
    explorer.restore("set 24-6-2")
    for (_, N), number_type in itertools.product(
        explorer.ledger_N.options, explorer.number_type.options
    ):
        explorer.ledger_N.value = N
        explorer.number_type.value = number_type
        is_sound(explorer)
        wanted = kv_cache_bytes(1, 2, 4, N, number_type=number_type)
        assert f"<title>{wanted:,} bytes</title>" in explorer.cache.picture
        assert f"in {number_type}" in explorer.not_free.picture


def test_what_is_shared_stands_beside_what_is_not(explorer):
    explorer.restore("set 24-6-2")
    N, plain, shared = explorer.ledger_N.value, Sizes(24, 6), Sizes(24, 6, 2)
    said = label(explorer.bars)
    assert f"n_kv = h = 6: {flops(N, plain).total:,} FLOPs" in said
    assert f"n_kv = 2, here: {flops(N, shared).total:,} FLOPs" in said
    few, many = (
        binary_units(
            kv_cache_bytes(
                1, n_kv, 4, N, number_type=explorer.number_type.value
            )
        )
        for n_kv in (2, 6)
    )
    assert f"</b> {few} a layer" in explorer.kept.picture
    assert f"(n_kv = h: {many})" in explorer.kept.picture


# --- what one control does to another --------------------------------------


def test_n_kv_follows_h_while_they_are_equal(explorer):
    explorer.h.value = 4
    assert explorer.n_kv.value == 4
    explorer.n_kv.value, explorer.h.value = 2, 8
    assert explorer.n_kv.value == 2
    explorer.d_model.value = 60
    assert (explorer.h.value, explorer.n_kv.value) == (6, 2)
    assert "heads h moved from 8 to 6" in explorer.message.text


def test_the_maps_are_the_main_explorers():
    main, own = explore_multi_head(6, 24), explore_playground(6, 24)
    for causal in (False, True):
        main.causal.value = own.causal.value = causal
        assert own.maps.picture == main.maps.picture


def test_of_random_heads_that_share_the_first_keeps_its_map(explorer):
    explorer.kind.value = RANDOM
    before = shown(explorer)[1].attn
    explorer.n_kv.value = 4
    after = shown(explorer)[1].attn
    same = [np.allclose(a, b, atol=1e-6) for a, b in zip(before, after)]
    assert same == [True, False] * 4


def test_sizes_of_its_own_are_said_in_place_of_the_sliders(explorer):
    sliders = (explorer.d_model, explorer.h, explorer.n_kv)

    def fixed():
        return [
            explorer.fixed[s].value
            for s in sliders
            if s.layout.display == "none"
        ]

    assert fixed() == []
    explorer.kind.value = TRAINED
    assert fixed() == ["32, the model's own"]
    explorer.kind.value = REAL
    assert fixed() == [f"{n}, the model's own" for n in (384, 12, 12)]
    assert explorer.causal.disabled and not explorer.depth.disabled
    explorer.kind.value = RANDOM
    assert fixed() == []
    assert not explorer.causal.disabled and explorer.depth.disabled


@pytest.mark.parametrize("kind", (TRAINED, REAL))
def test_a_mask_is_not_carried_into_models_that_have_none(explorer, kind):
    explorer.kind.value = kind
    without = explorer.portrait()
    explorer.kind.value = RANDOM
    explorer.causal.value = True
    explorer.kind.value = kind
    assert explorer.causal.disabled and not explorer.read().causal
    assert explorer.portrait() == without
    explorer.kind.value = RANDOM
    assert explorer.read().causal  # it was chosen, and comes back


def test_trained_heads_come_in_the_sizes_that_are_shipped(explorer):
    for d_model, offered in ((512, (1, 2, 4, 8)), (60, (1, 2, 4))):
        explorer.d_model.value = d_model
        explorer.h.value = d_model
        explorer.kind.value = TRAINED
        assert tuple(explorer.h.options) == offered
        assert explorer.h.value == offered[-1]
        assert f"heads h moved from {d_model} to" in explorer.message.text
        is_sound(explorer)
        explorer.kind.value = HAND_BUILT
        assert explorer.h.value == d_model


def test_the_chosen_word_stays_when_pieces_are_shown(explorer):
    for kind in (REAL, HAND_BUILT, REAL, TRAINED):
        explorer.kind.value = kind
        state = explorer.read()
        assert [state.tokens[i] for i in state.chosen] == ["ate", "cat"]


@pytest.mark.parametrize("kind", (TRAINED, REAL))
def test_heads_that_cannot_read_a_sentence_are_refused(explorer, kind):
    explorer.text.value = DOLPHIN
    before = explorer.maps.picture
    explorer.kind.value = kind
    assert explorer.kind.value == HAND_BUILT
    assert f"{kind.title()} heads are not possible" in explorer.message.text
    assert explorer.maps.picture == before
    assert f"why-no-{kind}" in explorer.kind._dom_classes
    explorer.sentence.value = "hungry"
    assert f"why-no-{kind}" not in explorer.kind._dom_classes
    explorer.kind.value = kind
    explorer.text.value = DOLPHIN
    assert explorer.kind.value == HAND_BUILT
    assert f"{kind.title()} heads are not possible" in explorer.message.text
    is_sound(explorer)


@pytest.mark.parametrize(
    ("sentence", "fits"),
    [
        ("the wolf bit the lamb because it was weak", True),
        ("The Wolf bit the lamb because it was weak", True),
        ("the wolf bit the wolf because it was weak", False),
        ("the wolf bit the lamb because it was", False),
        ("the wolf bit a lamb because it was weak", False),
        ("the wolf bit the ate because it was weak", False),
        ("the wolf lamb the lamb because it was weak", False),
        (" ", False),
    ],
)
def test_which_sentences_trained_heads_know(sentence, fits):
    assert (why_not(TRAINED, sentence.split()) == "") == fits


def test_no_word_leaves_the_picture_old_and_every_kind_whole(explorer):
    for kind in KINDS:
        explorer.sentence.value, explorer.kind.value = "hungry", kind
        explorer.text.value = "   "
        assert "at least one word" in explorer.message.text
        assert is_old(explorer.maps)
        explorer.sentence.value = "hungry"
        is_sound(explorer)


# --- trained and real -------------------------------------------------------


@pytest.mark.parametrize(("h", "n_kv"), SHAPES)
def test_trained_heads_are_those_of_the_model(explorer, h, n_kv):
    explorer.restore(f"set 32-{h}-{n_kv}-0-2")
    state, result = shown(explorer)
    model = load_role_model(h, n_kv)
    tokens = TASK.tokens(state.sentence)[None]
    _, notes = model.forward(tokens)
    assert np.allclose(result.attn, notes["attention"][0].attn[0], atol=1e-5)
    scores = examine(model, TASK.ask(tokens))
    for role, noun, share in result.answers:
        if scores[role].accuracy == 1:
            assert share == pytest.approx(scores[role].p_correct, abs=1e-4)
            assert f"{role} {noun} {share:.2f}" in explorer.message.text
    is_sound(explorer)


def test_shipped_models_do_what_the_study_says():
    held = TASK.draw(np.random.default_rng(5), 300, held=True)
    for h, n_kv in SHAPES:
        scores = examine(load_role_model(h, n_kv), held)
        worse = min(scores["subject"].p_correct, scores["object"].p_correct)
        assert (worse > 0.95) == (h > 1)
        assert scores["antecedent"].p_correct > 0.95


def test_a_model_that_is_missing_says_how_to_make_it(tmp_path, monkeypatch):
    load_role_model.cache_clear()
    with pytest.raises(WeightsError, match="h = 3 and n_kv = 1"):
        load_role_model(3, 1)
    broken = tmp_path / "who_did_what.npz"
    monkeypatch.setattr(role_weights, "FILE", broken)
    for content in (None, b"no weights"):
        if content:
            broken.write_bytes(content)
        with pytest.raises(WeightsError, match='weights "who did what"'):
            load_role_model(2, 2)


def test_making_the_models_is_repeatable(tmp_path, monkeypatch):
    shipped = {s: load_role_model(*s).flat for s in SHAPES[:1]}
    monkeypatch.setattr(role_weights, "SHIPPED", tmp_path)
    monkeypatch.setattr(role_weights, "FILE", tmp_path / "made.npz")
    monkeypatch.setattr(role_weights, "SHAPES", SHAPES[:1])
    load_role_model.cache_clear()
    role_weights.make_role_models()
    for shape, flat in shipped.items():
        assert np.allclose(load_role_model(*shape).flat, flat, atol=1e-2)
    load_role_model.cache_clear()


@pytest.mark.parametrize("depth", range(1, 7))
def test_real_heads_are_those_of_the_sample(explorer, depth):
    explorer.kind.value, explorer.depth.value = REAL, depth
    wanted = load_sample().attn(HUNGRY)[depth - 1]
    assert np.allclose(shown(explorer)[1].attn, wanted, atol=1e-6)
    assert f"Real model: layer {depth} of" in explorer.message.text
    is_sound(explorer)


# --- codes, starts, speed ---------------------------------------------------


def test_the_code_of_the_course(explorer):
    explorer.restore("set 24-6-2")
    sizes = explorer.read().sizes
    assert (sizes.d_model, sizes.h, sizes.n_kv) == (24, 6, 2)
    assert "35,424 FLOPs" in explorer.price.picture


@pytest.mark.parametrize("kind", KINDS)
def test_a_code_of_sizes_can_be_read_by_any_kind(explorer, kind):
    explorer.kind.value = kind
    explorer.restore("set 24-6-2")
    assert explorer.read().sizes.h == 6
    kept = kind if kind == RANDOM else HAND_BUILT
    assert explorer.read().kind == kept


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "code", ("set 24-5", "set 24-6-4", "words", "512-8-8-0-9", "24-6-2-0-0-7")
)
def test_a_wrong_code_moves_nothing(explorer, kind, code):
    explorer.kind.value = kind
    before, picture = explorer.code, explorer.maps.picture
    with pytest.raises(CodeError):
        explorer.restore(code)
    assert (explorer.code, explorer.maps.picture) == (before, picture)


def test_words_of_ones_own_come_back(explorer):
    explorer.text.value = DOLPHIN
    other = explore_playground()
    other.restore(explorer.code)
    assert other.read().tokens == words(DOLPHIN)
    assert other.maps.picture == explorer.maps.picture


@pytest.mark.parametrize("kind", KINDS)
def test_start_again_is_the_start(kind):
    explorer = explore_playground(4, 24, 2, "tasty", kind)
    start, picture = explorer.code, explorer.maps.picture
    for other in KINDS:
        explorer.kind.value = other
        explorer.d_model.value, explorer.h.value = 60, 1
        explorer.text.value = DOLPHIN
        explorer.restart.click()
        assert (explorer.code, explorer.maps.picture) == (start, picture)
        assert explorer.message.text.startswith("Back at the start.")


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"h": 5}, SizeError, "h must divide d_model"),
        ({"n_kv": 3}, SizeError, "n_kv must divide h"),
        ({"d_model": 500, "h": 5}, ValueError, "one of 8, 16"),
        ({"kind": "best"}, ValueError, "kind must be one of hand-built"),
        ({"kind": REAL, "sentence": DOLPHIN}, ValueError, "none of them"),
        ({"sentence": ""}, ValueError, "at least one word"),
    ],
)
def test_a_start_that_is_not_possible(settings, error, said):
    with pytest.raises(error, match=re.escape(said)):
        explore_playground(**settings)


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("d_model", 60),
        ("h", 2),
        ("n_kv", 2),
        ("sentence", "tasty"),
        ("text", DOLPHIN),
        ("kind", TRAINED),
        ("kind", REAL),
        ("causal", True),
        ("ledger_N", 1024),
        ("number_type", "float8"),
        ("query", 5),
    ],
)
def test_one_move_is_one_redraw(explorer, control, value, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    getattr(explorer, control).value = value
    assert len(shows) == 1


def test_what_the_ledger_alone_depends_on_draws_no_map(explorer, monkeypatch):
    def refuse(*_):
        raise AssertionError("computed again")

    monkeypatch.setattr(Layers, "_run", refuse)
    before = explorer.maps.picture
    explorer.ledger_N.value, explorer.number_type.value = 1024, "float8"
    explorer.query.value = 3
    explorer.query.value = 2
    assert explorer.maps.picture == before


def test_a_move_of_h_takes_ten_milliseconds_of_cpu(explorer):
    taken = []
    for h in (1, 2, 4, 8, 16, 32, 64, 1, 2, 4, 8, 16, 32, 64):
        start = time.process_time()
        explorer.h.value = h
        taken.append(time.process_time() - start)
    assert sorted(taken)[len(taken) // 2] < 0.010


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.n_kv.value = 2
    assert "planted" in explorer.message.text
    assert is_old(explorer.maps)


def test_tables_stand_on_a_switch(explorer):
    assert explorer.row_table.picture == explorer.ledger_table.picture == ""
    explorer.show_table.value = explorer.show_ledger.value = True
    assert "<table" in explorer.row_table.picture
    assert "<table" in explorer.ledger_table.picture
    is_sound(explorer)


def test_every_control_has_a_description(explorer):
    for name in CONTROLS:
        assert getattr(explorer, name).description
    for box in explorer.relations.values():
        assert box.description


def test_typed_words_are_shown_and_not_run(explorer):
    explorer.text.value = "<b>bold</b> & <script>"
    assert "<b>bold" not in explorer.maps.picture
    assert "<script>" not in explorer.maps.picture
    is_sound(explorer)


def test_two_copies_live_side_by_side(explorer):
    other = explore_playground(1)
    explorer.kind.value = REAL
    assert other.read().kind == HAND_BUILT
    assert "h = 1," in other.maps.picture


def test_without_a_kernel_there_is_a_picture(explorer):
    html = explorer._repr_mimebundle_()["text/html"]
    assert html.count("<img") == 1
    assert "Wiring: h = 8, n_kv = 8" in html


def test_all_presets_are_in_the_sample_and_in_the_task():
    for sentence in SENTENCES:
        assert not why_not(REAL, words(sentence))
        assert not why_not(TRAINED, words(sentence))
