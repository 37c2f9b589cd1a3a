"""The decoding explorer, headless: every value, corners, playing."""

import asyncio
import re
import xml.etree.ElementTree as ET

import pytest

from helpers.cost import flops, kv_cache_bytes
from helpers.explorers.decoding import explore_decoding, views
from helpers.explorers.decoding.explorer import (
    LONG,
    TEXTS,
    DecodingExplorer,
    prompts,
)
from helpers.explorers.decoding.layer import H, _Run
from helpers.pictures.stills import still
from helpers.sizes import divisors
from tests.explorers import count_shows, is_old, plant_failure, until


@pytest.fixture
def explorer():
    """Return a fresh explorer; a hidden failure would raise in it."""
    return explore_decoding()


def shown(explorer):
    state = explorer.read()
    return state, explorer.compute(state)


def is_sound(explorer):
    """Check what must hold at any setting whatever."""
    state, result = shown(explorer)
    label = ET.fromstring(explorer.grids.picture).get("aria-label")
    assert label.startswith(
        f"Decoding: token {state.N} of {len(state.tokens)}, n_kv = "
        f"{state.sizes.n_kv}."
    )
    assert ET.fromstring(explorer.bars.picture).get("role") == "img"
    assert explorer.grids.widget.value == explorer.grids.picture
    assert explorer.badge.picture.count("✓") == 3
    last, sizes = result.last, state.sizes
    new = last.N - last.before
    assert last.N == state.N == state.prompt + len(result.steps) - 1
    assert last.without == flops(last.N, sizes).total
    assert last.cached == flops(new, sizes, last.N, new).total
    assert last.n_bytes == kv_cache_bytes(
        1, sizes.n_kv, sizes.d_k, last.N, number_type="float32"
    )
    assert last.apart < 1e-5
    for number in (last.without, last.cached, result.without, result.cached):
        assert f"{number:,} FLOPs" in explorer.bars.picture


def test_the_default_is_the_texts_setting(explorer):
    is_sound(explorer)
    assert explorer.status.text == (
        "Token 5, “fish”: 170,240 FLOPs without a cache, 34,048 with one: "
        "5.0 times less. So far 505,600 and 167,680: 3.0 times less. The "
        "cache holds 2,560 bytes."
    )


@pytest.mark.parametrize("text", TEXTS)
def test_every_place_with_every_prompt(explorer, text):
    explorer.text.value = text
    for prompt in prompts(TEXTS[text]):
        explorer.prompt.value = prompt
        assert explorer.N.options == tuple(range(prompt, TEXTS[text] + 1))
        for N in explorer.N.options[:: 1 if text == "9 words" else 9]:
            explorer.N.value = N
            is_sound(explorer)


@pytest.mark.parametrize("n_kv", divisors(H))
@pytest.mark.parametrize("text", TEXTS)
def test_corners(explorer, text, n_kv):
    explorer.text.value, explorer.n_kv.value = text, n_kv
    explorer.show_table.value = True
    for prompt in (prompts(TEXTS[text])[0], prompts(TEXTS[text])[-1]):
        explorer.prompt.value = prompt
        for N in (explorer.N.options[0], explorer.N.options[-1]):
            explorer.N.value = N
            is_sound(explorer)
            assert "<table" in explorer.steps_table.picture


def test_with_one_prompt_a_step_is_n_times_less(explorer):
    """h * d_k = d_model: a row costs the same whoever computes it."""
    for N in range(2, 10):
        explorer.N.value = N
        last = shown(explorer)[1].last
        assert last.without == N * last.cached


def test_the_cache_shrinks_with_n_kv_and_the_scores_do_not(explorer):
    seen = {}
    for n_kv in divisors(H):
        explorer.n_kv.value = n_kv
        seen[n_kv] = shown(explorer)[1].last.n_bytes
    assert [seen[8] // seen[n] for n in (1, 2, 4, 8)] == [8, 4, 2, 1]
    explorer.n_kv.value = 2
    assert "The cache keeps 2 heads of 8." in explorer.message.text


def test_prefill_is_the_same_both_ways(explorer):
    explorer.prompt.value = 7
    assert explorer.N.value == 7
    _, result = shown(explorer)
    assert result.without == result.cached and len(result.steps) == 1
    assert explorer.status.text.startswith("Prefill: 7 tokens at once.")
    assert "This is the prefill" in explorer.message.text


def test_tokens_keep_return_and_say(explorer):
    explorer.prompt.value = 8
    assert explorer.N.value == 8
    assert "moved from 5 to 8" in explorer.message.text
    explorer.prompt.value = 2
    assert explorer.N.value == 5
    assert "back at your own choice" in explorer.message.text


def test_texts_keep_prompts_legal(explorer):
    explorer.text.value = "64 words"
    explorer.prompt.value = 32
    explorer.text.value = "9 words"
    assert explorer.prompt.value == 8 and explorer.N.value >= 8
    is_sound(explorer)
    explorer.text.value = "64 words"
    assert explorer.prompt.value == 32
    is_sound(explorer)


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("N", 7),
        ("prompt", 3),
        ("prompt", 8),
        ("n_kv", 2),
        ("text", "64 words"),
    ],
)
def test_one_move_is_one_redraw(explorer, control, value, monkeypatch):
    shows = count_shows(explorer, monkeypatch)
    getattr(explorer, control).value = value
    assert len(shows) == 1


def test_going_back_runs_nothing_again(explorer, monkeypatch):
    explorer.N.value = 9

    def refuse(*_):
        raise AssertionError("a step ran again")

    monkeypatch.setattr(_Run, "_next", refuse)
    for N in range(1, 10):
        explorer.N.value = N
        is_sound(explorer)


# --- playing ------------------------------------------------------------


def test_without_a_loop_it_plays_to_the_end_at_once(explorer):
    explorer.playing.value = True
    assert explorer.N.value == 9 and explorer.playing.value is False
    is_sound(explorer)
    places = []
    explorer.N.observe(lambda change: places.append(change["new"]), "value")
    explorer.playing.value = True  # from the end it begins again
    assert places == [*explorer.N.options] and places[-1] == 9


def in_a_loop(play, monkeypatch):
    monkeypatch.setattr(
        "helpers.explorers.decoding.explorer.SECONDS", {9: 0.01, LONG: 0.001}
    )
    asyncio.run(play())


def test_it_plays_as_a_task_to_the_end(explorer, monkeypatch):
    async def play():
        explorer.playing.value = True
        assert explorer.N.value == 5  # the task has not begun
        assert explorer.playing.description == "■ stop"
        await until(lambda: explorer._playing is None)
        assert explorer.N.value == 9

    in_a_loop(play, monkeypatch)
    assert explorer.playing.value is False
    assert explorer.playing.description == "▶ play"


def test_stop_is_heard(explorer, monkeypatch):
    explorer.text.value, explorer.N.value = "64 words", 1

    async def play():
        explorer.playing.value = True
        await until(lambda: explorer.N.value > 3)
        explorer.playing.value = False
        there = explorer.N.value
        await asyncio.sleep(0.05)
        assert explorer.N.value == there < 64

    in_a_loop(play, monkeypatch)
    assert explorer.playing.description == "▶ play"
    is_sound(explorer)


def test_stopped_and_started_at_once_it_plays_on(explorer, monkeypatch):
    async def play():
        explorer.playing.value = True
        explorer.playing.value = False
        explorer.playing.value = True
        assert explorer.playing.description == "■ stop"
        await until(lambda: explorer._playing is None)
        assert explorer.N.value == 9

    in_a_loop(play, monkeypatch)
    assert explorer.playing.description == "▶ play"


def test_other_controls_may_move_while_it_plays(explorer, monkeypatch):
    async def play():
        explorer.playing.value = True
        await until(lambda: explorer.N.value > 5)
        explorer.n_kv.value = 2
        explorer.text.value = "64 words"
        await until(lambda: explorer._playing is None)
        assert explorer.N.value == 64

    in_a_loop(play, monkeypatch)
    is_sound(explorer)


def test_closing_stops_playing(explorer, monkeypatch):
    async def play():
        explorer.playing.value = True
        task = explorer._playing
        explorer.close()
        await until(task.done)
        assert task.cancelled()

    in_a_loop(play, monkeypatch)


def test_a_failure_while_playing_is_said(explorer, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(DecodingExplorer, "compute", fail)
    with pytest.raises(ZeroDivisionError):
        explorer.playing.value = True
    assert "planted" in explorer.message.text
    assert explorer.playing.value is False

    async def play():
        explorer.playing.value = True
        task = explorer._playing
        await until(task.done)
        with pytest.raises(ZeroDivisionError):
            task.result()
        assert explorer.playing.value is False

    in_a_loop(play, monkeypatch)
    assert "planted" in explorer.message.text


@pytest.mark.parametrize("part", ("read", "compute", "show"))
def test_a_failure_in_a_callback_is_seen(explorer, part, monkeypatch):
    plant_failure(explorer, part, monkeypatch)
    with pytest.raises(ZeroDivisionError):
        explorer.N.value = 4
    assert "planted" in explorer.message.text
    assert is_old(explorer.grids)


# --- what it says, and beyond -------------------------------------------


def test_a_badge_that_does_not_hold_says_so(explorer):
    state, result = shown(explorer)
    broken = type(result)(
        tuple(
            type(step)(*step.__dict__.values()) for step in result.steps[:-1]
        )
        + (
            type(result.last)(
                **{**result.last.__dict__, "cached": 1, "apart": 0.3}
            ),
        )
    )
    said = views.badge(state, broken)
    assert "✗ not: same output" in said
    assert "✗ not: counted = formula" in said
    assert "✓ bytes = formula" in said


def test_the_table_has_the_last_steps(explorer):
    explorer.show_table.value = True
    rows = re.findall(r"<tr>(.*?)</tr>", explorer.steps_table.picture)
    assert len(rows) == 1 + 5
    assert re.findall(r">([^<]+)</t[dh]>", rows[-1]) == [
        "5",
        "fish",
        "170,240",
        "34,048",
        "2,560",
    ]
    explorer.text.value, explorer.N.value = "64 words", 64
    assert "The first 52 are left out." in explorer.steps_table.picture
    rows = re.findall(r"<tr>(.*?)</tr>", explorer.steps_table.picture)[1:]
    first = [re.search(r">([^<]+)</t[dh]>", line)[1] for line in rows]
    assert first == [str(n) for n in range(53, 65)]
    explorer.show_table.value = False
    assert explorer.steps_table.widget.value == ""


def test_two_copies_live_side_by_side(explorer):
    other = explore_decoding(N=3)
    explorer.N.value = 8
    assert other.N.value == 3
    assert "token 3 of 9" in other.grids.picture


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"N": 10}, "the nearest is 9"),
        ({"N": 2, "prompt": 4}, "the nearest is 4"),
        ({"prompt": 9}, "the nearest is 8"),
        ({"n_kv": 3}, "1, 2, 4, 8: got 3; the nearest is 2"),
        ({"text": "<b>"}, "9 words, 64 words"),
        ({"N": "5"}, "got '5'"),
        ({"n_kv": [8]}, r"got [8]"),
    ],
)
def test_a_start_that_is_not_possible(settings, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        explore_decoding(**settings)


def test_every_control_has_a_description(explorer):
    for name in "N text prompt n_kv show_table playing".split():
        assert getattr(explorer, name).description


def test_the_bundle_has_a_picture_for_where_nothing_runs(explorer):
    bundle = explorer._repr_mimebundle_()
    assert bundle["text/html"].startswith('<img alt="Token 5, “fish”')
    svg, said = explorer.portrait()
    assert ET.fromstring(svg).get("aria-label") == said
    assert still(explorer.grids.picture, description="x")


def test_pictures_have_the_same_size_at_every_step(explorer):
    sizes = set()
    for text in TEXTS:
        explorer.text.value = text
        for N in explorer.N.options:
            explorer.N.value = N
            sizes.add(
                tuple(
                    re.search('viewBox="([^"]*)"', stage.picture)[1]
                    for stage in (explorer.grids, explorer.bars)
                )
            )
    assert len(sizes) == 1


def test_a_step_of_playing_is_one_token():
    explorer = explore_decoding()
    places = [explorer.N.value]
    while explorer.advance():
        places.append(explorer.N.value)
    assert places == list(range(places[0], explorer.N.options[-1] + 1))
    assert len(places) > 2
