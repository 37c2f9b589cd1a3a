"""The explorer of grouped heads: every value, what it says, what it counts."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers.cost import flops, kv_cache_bytes
from helpers.explorers.grouped import amounts, explore_grouped, views
from helpers.explorers.grouped.explorer import (
    BATCHES,
    CONTEXTS,
    EXAMPLE,
    MEMORY,
    NUMBER_TYPES,
    SHAPES,
)
from helpers.explorers.grouped.layer import HAND_BUILT, RANDOM, Layers
from helpers.models import MODELS
from helpers.sizes import SizeError, divisors
from tests.explorers import count_shows, is_old, label, plant_failure

LLAMA_8B = "Llama 3 8B"
CONTROLS = (
    "model n_kv N batch number_type limit units kind query key page show_table"
).split()


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_grouped()


def shown(explorer):
    state = explorer.read()
    return state, explorer.compute(state)


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state, result = shown(explorer)
    h, n_kv = state.h, state.n_kv
    assert h % n_kv == 0
    assert f"h = {h}, n_kv = {n_kv}," in label(explorer.wires)
    assert f"h = {h} query heads on n_kv = {n_kv} " in label(explorer.maps)
    assert result.attn.shape == (h, 9, 9)
    assert np.allclose(result.attn.sum(-1), 1, atol=1e-5)
    assert "✓ measured = formula" in explorer.bytes_line.picture
    assert f"all {h} maps" in explorer.work_line.picture
    for stage in (explorer.cache, explorer.work):
        assert ET.fromstring(stage.picture).get("role") == "img"
    for stage in explorer.stages:
        assert stage.widget.value == stage.picture


def test_the_default_is_an_example_of_8_heads_on_4(explorer):
    state, _ = shown(explorer)
    assert (state.h, state.n_kv) == (8, 4)
    assert state.order == (0, 0, 1, 1, 2, 2, 3, 3)
    assert "<b>12 KiB a token</b>" in explorer.bytes_line.picture
    assert "head 1: ate → cat 1.00" in explorer.status.text
    is_sound(explorer)


@pytest.mark.parametrize("name", SHAPES)
def test_every_model_with_every_n_kv_it_allows(explorer, name):
    explorer.model.value = name
    shape = SHAPES[name]
    assert explorer.n_kv.value == shape.sizes.n_kv
    options = divisors(shape.sizes.h)
    assert tuple(explorer.n_kv.options) == options
    for n_kv in {1, 8, shape.sizes.h} & set(options):
        explorer.n_kv.value = n_kv
        is_sound(explorer)


@pytest.mark.parametrize("kind", (HAND_BUILT, RANDOM))
@pytest.mark.parametrize("name", (EXAMPLE, "Falcon 180B", "SmolLM2 135M"))
def test_every_step_of_the_dial_and_every_page(explorer, name, kind):
    explorer.model.value, explorer.kind.value = name, kind
    for n_kv in divisors(SHAPES[name].sizes.h):
        explorer.n_kv.value = n_kv
        is_sound(explorer)
    for _, page in explorer.page.options:
        explorer.page.value = page
        is_sound(explorer)


def test_another_model_begins_at_its_first_heads(explorer):
    explorer.model.value = "Llama 3.1 405B"
    explorer.page.value = explorer.page.options[1][1]
    assert explorer.read().first > 0
    pages = explorer.page.options
    explorer.model.value = "Falcon 40B"
    assert explorer.page.options == pages  # else they begin anew anyway
    assert explorer.read().first == 0


@pytest.mark.parametrize("name", (EXAMPLE, "Llama 3.1 405B", "Gemma 2B"))
def test_every_memory_setting_at_the_corners(explorer, name):
    explorer.model.value = name
    for N in CONTEXTS:
        explorer.N.value = N
        is_sound(explorer)
    for batch in (*BATCHES, 1):
        explorer.batch.value = batch
        is_sound(explorer)
    for N in (CONTEXTS[0], CONTEXTS[-1]):
        for batch in (BATCHES[0], BATCHES[-1]):
            for limit in MEMORY:
                for number_type in NUMBER_TYPES:
                    explorer.N.value, explorer.batch.value = N, batch
                    explorer.limit.value = limit
                    explorer.number_type.value = number_type
            for units in amounts.UNITS:
                explorer.units.value = units
                is_sound(explorer)


@pytest.mark.parametrize(
    ("name", "own", "plain", "times"),
    [
        ("Llama 3 8B", "128 KiB", "512 KiB", 4),
        ("Llama 3 70B", "320 KiB", "2.50 MiB", 8),
        ("Llama 3.1 405B", "504 KiB", "7.88 MiB", 16),
    ],
)
def test_bytes_of_a_token_of_llama_3(explorer, name, own, plain, times):
    explorer.model.value = name
    said = explorer.bytes_line.picture
    assert f"<b>{own} a token</b>" in said
    assert f"keep {plain}, {times} times" in said


def test_a_token_is_never_written_as_0_gb(explorer):
    explorer.units.value = amounts.GB
    explorer.n_kv.value = 1
    assert "<b>0.00000307 GB a token</b>" in explorer.bytes_line.picture
    assert "1 key/value head ×" in explorer.bytes_line.picture
    explorer.model.value = LLAMA_8B
    assert "<b>0.000131 GB a token</b>" in explorer.bytes_line.picture


def test_nothing_is_shared_at_n_kv_h(explorer):
    explorer.n_kv.value, explorer.kind.value = 8, RANDOM
    assert "n_kv = h: nothing is shared." in explorer.bytes_line.picture
    assert "1 times" not in explorer.bytes_line.picture
    assert "At n_kv = h each has" in explorer.shared.picture
    explorer.n_kv.value = 4
    assert "of the first are kept" in explorer.shared.picture


@pytest.mark.parametrize(
    ("model", "n_kv", "legal"),
    [
        (LLAMA_8B, 5, "1, 2, 4, 8, 16, 32"),
        (LLAMA_8B, 0, "1, 2, 4, 8, 16, 32"),
        (LLAMA_8B, -1, "1, 2, 4, 8, 16, 32"),
        (LLAMA_8B, 64, "1, 2, 4, 8, 16, 32"),
        (LLAMA_8B, 2.0, "1, 2, 4, 8, 16, 32"),
        ("Falcon 7B", 2, "1, 71"),
    ],
)
def test_b03_an_n_kv_that_does_not_divide_h_is_refused(model, n_kv, legal):
    with pytest.raises(SizeError, match=f"are {legal}"):
        explore_grouped(model, n_kv=n_kv)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "Llama 9"}, "model must be one of example"),
        ({"N": 1000}, "N must be one of 1, 9, 128"),
        ({"batch": 3}, "batch must be one of 1, 2"),
        ({"number_type": "int4"}, "float32, bfloat16"),
    ],
)
def test_a_start_that_is_not_possible(settings, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explore_grouped(**settings)


def test_what_fits_is_exact(explorer):
    explorer.model.value = LLAMA_8B
    explorer.limit.value = 16 * 2**30
    explorer.N.value = 131_072
    state, _ = shown(explorer)
    assert amounts.fits(state) == (131_072, 1)
    assert amounts.fits(state, 32) == (32_768, 0)
    assert "fit 131,072 tokens, or 1 sentence of 131,072" in (
        explorer.bytes_line.picture
    )
    assert "too much" in explorer.cache.picture


def test_score_flops_stay_and_projections_shrink(explorer):
    explorer.model.value = LLAMA_8B
    explorer.N.value = 512
    attention = set()
    shares = {}
    for n_kv in divisors(32):
        explorer.n_kv.value = n_kv
        state, _ = shown(explorer)
        here = flops(512, amounts.layers_of(state)[f"n_kv = {n_kv}, dial"])
        attention.add(here.attention)
        shares[n_kv] = re.search(
            r"so ([\d.]+)% of the", explorer.work_line.picture
        )[1]
    assert len(attention) == 1
    assert shares[32] == "100.0"
    assert shares[8] == "64.7"
    assert "(62.5%)" not in explorer.work_line.picture
    explorer.n_kv.value = 8
    assert "(62.5%)" in explorer.work_line.picture


def test_hand_built_maps_do_not_move_and_random_ones_do(explorer):
    before = shown(explorer)[1].attn
    explorer.n_kv.value = 8
    assert (shown(explorer)[1].attn == before).all()
    explorer.kind.value = RANDOM
    wide = shown(explorer)[1].attn
    explorer.n_kv.value = 2
    narrow = shown(explorer)[1].attn
    same = [np.array_equal(a, b) for a, b in zip(wide, narrow, strict=True)]
    assert same == [True, False, False, False] * 2
    assert len(np.unique(narrow.round(6), axis=0)) == 8


def test_each_relation_stands_in_its_head_and_comes_again(explorer):
    explorer.model.value = LLAMA_8B
    state, result = shown(explorer)
    for relation in state.relations:
        for head in range(relation.number, 32, 8):
            for query, key in relation.pairs:
                assert result.attn[head, query, key] > 0.99


def test_each_relation_is_outlined_in_every_head_it_is_dealt_to(explorer):
    explorer.model.value = LLAMA_8B
    state, _ = shown(explorer)
    for head, found in enumerate(views.outlines(state)):
        names = [r.name for r in state.relations if r.number == head % 8]
        assert [outline.name for outline in found] == names
    explorer.kind.value = RANDOM
    assert not any(views.outlines(shown(explorer)[0]))
    assert "heads read 0, 0, 0, 0, 1, 1, 1, 1, …." in label(explorer.wires)


def test_table_agrees_with_cost(explorer):
    explorer.model.value = LLAMA_8B
    explorer.N.value = 8192
    explorer.show_table.value = True
    cells = re.findall(r"<t[dh][^>]*>([^<]*)", explorer.table.picture)

    def row(name):
        place = cells.index(name)
        return cells[place + 1 : place + 4]

    assert row("maps a layer") == ["32", "32", "32"]
    assert row("cache: all") == ["4 GiB", "1 GiB", "128 MiB"]
    assert row("cache: one token") == ["512 KiB", "128 KiB", "16 KiB"]
    assert len(set(row("FLOPs: scores and weighted sum"))) == 1
    assert row("parameters: W_K and W_V")[1] == f"{2 * 4096 * 8 * 128:,}"
    explorer.show_table.value = False
    assert explorer.table.widget.value == ""


def test_measured_bytes_are_those_of_the_sentence(explorer):
    for n_kv in divisors(8):
        explorer.n_kv.value = n_kv
        _, result = shown(explorer)
        wanted = kv_cache_bytes(1, n_kv, 16, 9, number_type="float32")
        assert result.kept == wanted


def test_bytes_that_differ_from_the_formula_are_not_called_equal(explorer):
    state, result = shown(explorer)
    for measured in (result.kept - 1, result.kept + 1):
        said = amounts.bytes_line(state, measured)
        assert "✗ measured ≠ formula" in said and "✓" not in said
        assert f"{measured:,} bytes" in said


def test_what_is_said_of_a_model(explorer):
    explorer.model.value = LLAMA_8B
    assert explorer.message.text == "Llama 3 8B has n_kv = 8."
    explorer.n_kv.value = 4
    assert "4 is a what-if" in explorer.message.text
    explorer.N.value = 131_072
    assert "made for 8,192 tokens" in explorer.message.text
    explorer.model.value = "Gemma 2 9B"
    assert "Note: " in explorer.message.text
    explorer.model.value = EXAMPLE
    assert explorer.message.text.startswith("An example: 12 layers, 8 heads")


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("model", "Falcon 180B"),
        ("n_kv", 2),
        ("N", 1024),
        ("query", 5),
        ("kind", RANDOM),
        ("units", amounts.GB),
    ],
)
def test_one_move_is_one_redraw(explorer, control, value, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    getattr(explorer, control).value = value
    assert len(shows) == 1


def test_memory_moves_draw_no_map(explorer, monkeypatch):
    def refuse(*_):
        raise AssertionError("drawn again")

    monkeypatch.setattr(Layers, "_run", refuse)
    before = explorer.maps.picture
    explorer.N.value, explorer.batch.value = 1024, 16
    explorer.limit.value = MEMORY[3]
    assert explorer.maps.picture is before


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.n_kv.value = 2
    assert "planted" in explorer.message.text
    assert is_old(explorer.maps)


def test_two_copies_live_side_by_side(explorer):
    other = explore_grouped(LLAMA_8B)
    explorer.n_kv.value = 1
    assert other.n_kv.value == 8
    assert "n_kv = 8," in label(other.wires)


def test_every_control_has_a_description(explorer):
    for name in CONTROLS:
        assert getattr(explorer, name).description


def test_presets_are_the_public_models(explorer):
    assert list(SHAPES) == [EXAMPLE, *MODELS]
    assert tuple(explorer.model.options) == tuple(SHAPES)


def test_without_a_kernel_there_is_a_picture(explorer):
    html = explorer._repr_mimebundle_()["text/html"]
    assert html.count("<img") == 1
    assert "The query heads read 0, 0, 1, 1, 2, 2, 3, 3" in html


def test_b09_units_change_and_the_bytes_stay(explorer):
    explorer.model.value = LLAMA_8B
    explorer.n_kv.value, explorer.N.value = 8, 8192
    for units, written in zip(
        amounts.UNITS, ("1 GiB", "1.074 GB", "1,024 MiB"), strict=True
    ):
        explorer.units.value = units
        assert f"{written} · too much" in explorer.cache.picture
        assert "1,073,741,824 bytes" in explorer.cache.picture
        assert "Gib" not in explorer.cache.picture


def test_a_batch_multiplies_the_cache(explorer):
    explorer.model.value = LLAMA_8B
    explorer.N.value = 8192
    for batch in (1, 2):  # 4 is what plain heads keep
        explorer.batch.value = batch
        n_bytes = batch * 1_073_741_824
        assert f"{n_bytes:,} bytes" in explorer.cache.picture
