"""Notebook 10's playground, used as a lecturer uses it."""

import pytest

from tests.browser.test_main_explorer import CONTROLS, FOCUSED, drawn, maps

NOTEBOOK = "notebooks/10_playground.ipynb"
WIRING = "Wiring: h = {}, n_kv = {},"


@pytest.fixture
def playground(run_notebook):
    """Return the notebook, run to its end."""
    return run_notebook(NOTEBOOK, maps(8, 512))


def code_field(notebook):
    return (
        notebook.panel.locator(".widget-text")
        .filter(has_text="code of this setting")
        .locator("input")
    )


def type_code(notebook, code, copy=0):
    field = code_field(notebook).nth(copy)
    field.fill(code)
    field.press("Enter")


def test_a_code_is_typed(playground):
    type_code(playground, "set 24-6-2")
    playground.picture(maps(6, 24)).wait_for()
    playground.picture(WIRING.format(6, 2)).wait_for()
    playground.wait_for_text("6 heads on 2 key/value heads: 35,424 FLOPs")
    assert playground.slider("key/value heads n_kv").shown == "2"
    assert code_field(playground).input_value().startswith("set 24-6-2-")
    type_code(playground, "set 24-5")
    playground.wait_for_text("h can't be 5 here: 4 is the nearest that can.")
    playground.picture(maps(6, 24)).wait_for()


def test_a_code_after_another_leaves_no_slider_behind(playground):
    n_kv = playground.slider("key/value heads n_kv")
    for _ in range(2):
        playground.panel.get_by_role("button", name="start again").click()
        playground.wait_for_text("Back at the start.")
        type_code(playground, "set 512-1-1")
        playground.picture(WIRING.format(1, 1)).wait_for()
        type_code(playground, "set 512-512-512")
        n_kv.wait_until("512")
        playground.page.wait_for_timeout(1000)  # the page may answer late
        assert n_kv.shown == "512"
        assert (
            code_field(playground).input_value().startswith("set 512-512-512-")
        )


def test_sizes_move_by_keyboard(playground):
    playground.slider("key/value heads n_kv").press("Home")
    playground.picture(WIRING.format(8, 1)).wait_for()
    playground.slider("heads h").press("ArrowLeft")
    playground.picture(WIRING.format(4, 1)).wait_for()
    playground.slider("width d_model").press("Home")
    playground.picture(maps(4, 8)).wait_for()
    playground.wait_for_text("✓ counted = formula")


def test_four_kinds_and_nothing_jumps(playground):
    seen, places = set(), set()
    for kind, h, d_model in (
        ("hand-built", 8, 512),
        ("random (control)", 8, 512),
        ("trained", 8, 32),
        ("real", 12, 384),
        ("hand-built", 8, 512),
    ):
        playground.toggle("heads are", kind)
        playground.picture(maps(h, d_model)).wait_for()
        playground.page.wait_for_timeout(300)
        seen.add(drawn(playground))
        below = playground.slider("ledger N").box.bounding_box()
        above = playground.panel.locator(".why-explorer").bounding_box()
        places.add(round(below["y"] - above["y"]))
        name = kind.partition(" ")[0]
        playground.screenshot(f"10_{name}", playground.cell_of("ledger N"))
    assert len(seen) == 4
    assert len(places) == 1, places


def test_a_sentence_that_real_heads_do_not_know(playground):
    words = (
        playground.panel.locator(".widget-text")
        .filter(has_text="words")
        .locator("input")
    )
    words.fill("My dolphin sees <b>my</b> dolphin")
    words.press("Enter")
    playground.toggle("heads are", "real")
    playground.wait_for_text("Real heads are not possible here")
    playground.picture(maps(8, 512)).wait_for()


def test_a_copy_is_pinned_beside(playground):
    playground.page.set_viewport_size({"width": 1700, "height": 1200})
    playground.panel.get_by_role("button", name="pin a second copy").click()
    playground.page.wait_for_function(
        "document.querySelectorAll('.why-explorer').length === 2"
    )
    type_code(playground, "set 512-1-1", copy=1)
    playground.picture(maps(1, 512)).wait_for()
    assert playground.picture(maps(8, 512)).count() == 1
    own, other = (
        playground.picture(maps(h, 512)).bounding_box() for h in (8, 1)
    )
    assert other["x"] >= own["x"] + own["width"] - 1
    assert abs(other["y"] - own["y"]) < 40
    for h in (8, 1):  # and no map is cut off
        place = playground.picture(maps(h, 512)).locator("xpath=..")
        assert place.evaluate("x => x.scrollWidth - x.clientWidth") <= 0
    playground.screenshot("10_pinned", playground.cell_of("ledger N").first)
    playground.panel.get_by_role("button", name="take the copy away").click()
    playground.picture(maps(1, 512)).wait_for(state="detached")


def test_the_picture_is_saved(playground):
    type_code(playground, "set 24-6-2")
    playground.picture(maps(6, 24)).wait_for()
    playground.panel.get_by_role("button", name="picture as SVG").click()
    link = playground.panel.locator("a[download]")
    with playground.page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename.startswith("Playground_24-6-2-")
    text = download.value.path().read_text(encoding="utf-8")
    assert text.startswith("<svg") and "h = 6, d_model = 24" in text


def test_large_type_fits_a_projector(playground):
    playground.page.set_viewport_size({"width": 1280, "height": 720})
    playground.checkbox("large type").check()
    box = playground.panel.locator(".why-explorer.why-large")
    box.wait_for()
    size = playground.slider("heads h").box.evaluate(
        "x => parseFloat(getComputedStyle(x).fontSize)"
    )
    assert size >= 19
    assert box.evaluate("x => x.scrollWidth - x.clientWidth") <= 1
    playground.screenshot("10_large", box)


def test_tab_reaches_every_control(playground):
    playground.slider("width d_model").handle.focus()
    reached = set()
    for _ in range(70):
        name = playground.page.evaluate(FOCUSED)
        if name is None:
            break
        reached.add(name)
        playground.page.keyboard.press("Tab")
    shown = playground.cell_of("ledger N").evaluate(CONTROLS)
    resting = {"layer of the real model"}  # disabled until heads are real
    assert len(shown) > 15 and "" not in shown
    assert reached >= set(shown) - resting, set(shown) - reached


def test_the_dark_theme(open_notebook):
    notebook = open_notebook(NOTEBOOK, theme="JupyterLab Dark")
    notebook.run_all()
    notebook.picture(maps(8, 512)).wait_for()
    notebook.screenshot("10_dark", notebook.cell_of("ledger N"))
    assert notebook.problems == []
