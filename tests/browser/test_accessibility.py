"""What axe finds in the outputs; explorers and quizzes by keyboard alone.

axe-core looks at every notebook's outputs, plots too, in both themes, at
100 % and 200 % zoom (half the width), first as they are, then with every
box ticked and every question answered.
"""

import nbformat
import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tests.explorers import ONE_OF_EACH_KIND
from tests.tools import ROOT, notebook_of

NOTEBOOKS = sorted(
    path.name
    for path in (ROOT / "notebooks").glob("*.ipynb")
    if path.name != "solutions.ipynb"  # has no outputs of its own kind
)
WIDTH, HEIGHT = 1400, 1700
# JupyterLab's body has no height of its own and hides what overflows it, so
# that axe takes all for unseen, and looks at no colour.
SIGHT = "() => { document.body.style.minHeight = '100vh'; }"
FIND = """() => axe.run(
    {include: ['.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell-outputArea']},
    {resultTypes: ['violations']}
).then(found => found.violations.flatMap(rule => rule.nodes.map(
    node => [rule.id, node.html])))"""
# ipywidgets' own: its sliders give noUiSlider's handle no accessible name,
# and nothing in the kernel can. Our status line says what moved in words.
FOREIGN = ("aria-input-field-name", "noUi-handle")
TICK = """() => document.querySelectorAll(
    '.jp-NotebookPanel:not(.lm-mod-hidden) .widget-checkbox input'
).forEach(box => box.checked || box.closest('.widget-checkbox').innerText
    .includes('large type') || box.click())"""
ANSWER = """() => document.querySelectorAll(
    '.why-quiz .widget-toggle-buttons').forEach(
    box => box.querySelector('button:not(:disabled)')?.click())"""


def complaints(notebook):
    """Return what axe finds in the outputs, without ipywidgets' own."""
    notebook.page.evaluate(SIGHT)
    return [
        f"{rule}: {html[:300]}"
        for rule, html in notebook.page.evaluate(FIND)
        if not (rule == FOREIGN[0] and FOREIGN[1] in html)
    ]


def write(lab, cell):
    """Write a notebook of one cell."""
    nbformat.write(notebook_of(cell), lab.root / "one_cell.ipynb")


def zoom(notebook, times):
    """Show the page as a browser does whose zoom is `times` 100 %."""
    notebook.page.set_viewport_size(
        {"width": WIDTH // times, "height": HEIGHT // times}
    )
    notebook.page.wait_for_timeout(300)


def turn_dark(notebook):
    """Choose the dark theme from the menu, with everything in place."""
    page = notebook.page
    for name in ("Settings", "Theme", "JupyterLab Dark"):
        kind = "MenuBar" if name == "Settings" else "Menu"
        page.locator(f".lm-{kind}-item", has_text=name).first.click()
    page.locator("body[data-jp-theme-light=false]").wait_for(state="attached")
    page.wait_for_timeout(500)  # its style sheet, and 0.2 s of transition


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_axe_finds_nothing_of_ours(open_notebook, name):
    notebook = open_notebook(f"notebooks/{name}")
    notebook.run_all(120)
    notebook.page.evaluate(AXE_SCRIPT)
    found = {"light": complaints(notebook)}
    notebook.page.evaluate(TICK)
    notebook.page.evaluate(ANSWER)
    notebook.page.wait_for_timeout(1500)
    zoom(notebook, 2)
    found["light, 200 %, all shown"] = complaints(notebook)
    zoom(notebook, 1)
    turn_dark(notebook)
    found["dark, all shown"] = complaints(notebook)
    zoom(notebook, 2)
    found["dark, 200 %, all shown"] = complaints(notebook)
    assert {where: what for where, what in found.items() if what} == {}
    assert notebook.errors() == []
    assert notebook.problems == []


def test_axe_would_find_what_is_wrong(lab, open_notebook):
    wrong = (
        "<table><tr><th></th><td>1</td></tr></table>"
        "<p style='color:#ccc;background:#fff'>pale</p>"
    )
    write(lab, f"from IPython.display import HTML\nHTML({wrong!r})")
    notebook = open_notebook("one_cell.ipynb")
    notebook.run_all()
    notebook.page.evaluate(AXE_SCRIPT)
    found = " ".join(complaints(notebook))
    assert "empty-table-header" in found and "color-contrast" in found


def test_a_problem_is_legible_in_both_themes(lab, open_notebook):
    write(
        lab,
        "from helpers.controls.places import Message\n"
        "message = Message()\n"
        "message.say('The loss ran away.', problem=True)\n"
        "message.widget",
    )
    notebook = open_notebook("one_cell.ipynb")
    notebook.run_all()
    notebook.wait_for_text("The loss ran away.")
    notebook.page.evaluate(AXE_SCRIPT)
    assert complaints(notebook) == []
    turn_dark(notebook)
    assert complaints(notebook) == []


# --- by keyboard alone ----------------------------------------------------


ONE_CELL = {
    name: f"from helpers.stills import EXPLORERS\nEXPLORERS[{name!r}]()"
    for name in ONE_OF_EACH_KIND
} | {
    "a quiz": "from helpers.questions.sharing import SHARING\n"
    "from helpers.quiz import quiz\nquiz(SHARING)",
    "the pre-test": "from helpers.quiz import pre_test\npre_test()",
    "the post-test": "from helpers.quiz import post_test\npost_test()",
    "a prediction": "from helpers.quiz import predict\n"
    "predict('How many?', (2, 3, 9))",
    "a prediction on a range": "from helpers.quiz import predict\n"
    "predict('How many?', low=0, high=6)",
    "a timed card": "from helpers.questions.said_aloud import ONE_MINUTE\n"
    "from helpers.quiz import timed_card\ntimed_card(ONE_MINUTE)",
    "follow-ups": "from helpers.questions.follow_ups import FOLLOW_UPS\n"
    "from helpers.quiz import follow_ups\nfollow_ups(FOLLOW_UPS)",
}


@pytest.fixture
def one_explorer(lab, open_notebook):
    """Return a function: a name of ONE_CELL to its page, and its area."""

    def opened(name, **how):
        write(lab, ONE_CELL[name])
        notebook = open_notebook("one_cell.ipynb", **how)
        notebook.run_all()
        area = notebook.panel.locator(".jp-Cell-outputArea")
        area.locator(".why-explorer, .why-quiz").first.wait_for()
        return notebook, area

    return opened


PARTS = (
    ".widget-slider, .widget-text, .widget-checkbox, .widget-toggle-buttons,"
    " .widget-toggle-button:not(.widget-toggle-buttons *),"
    " .widget-button:not(.widget-toggle-buttons *)"
)
# What stands under the focus: its kind, what it is called, how it stands,
# and whether one sees that it has the focus.
FOCUS = f"""area => {{
    const at = document.activeElement;
    if (!area.contains(at)) return null;
    const part = at.closest('{PARTS}');
    if (!part) return {{kind: 'scrolls', name: '', seen: true}};
    const kind = ['slider', 'text', 'checkbox', 'toggle-buttons'].find(
        kind => part.classList.contains('widget-' + kind)) || 'button';
    const style = getComputedStyle(at);
    const look = () => {{
        const s = getComputedStyle(at), p = getComputedStyle(part);
        return [s.outlineStyle === 'none' ? 0 : s.outlineWidth, s.boxShadow,
                s.borderColor, s.backgroundColor, p.boxShadow,
                s.textDecorationLine].join();
    }};
    const focused = look();
    at.blur();
    const blurred = look();
    at.focus({{focusVisible: true}});
    return {{
        kind, name: part.innerText.trim().split('\\n')[0],
        key: [...area.querySelectorAll('{PARTS}')].indexOf(part),
        resting: part.querySelector('[disabled]') !== null,
        seen: focused !== blurred || look() !== blurred,
        how: focused + ' / ' + blurred,
    }};
}}"""
SHOWN = f"""area => [...area.querySelectorAll('{PARTS}')].map(
    (part, key) => [key, part]).filter(([key, part]) =>
    part.checkVisibility({{visibilityProperty: true}}) &&
    part.querySelector('[disabled]') === null && !part.disabled).map(
    ([key, part]) => [key, part.innerText.trim().split('\\n')[0]])"""
STANDS = f"""(area, key) => {{
    const part = area.querySelectorAll('{PARTS}')[key];
    return [part.querySelector('.widget-readout')?.innerText,
        part.querySelector('input')?.checked,
        part.querySelector('input[type=text]')?.value,
        [...part.querySelectorAll('button')].map(
            b => b.classList.contains('mod-active')),
        ].join('|');
}}"""


def in_words(area):
    """Return what the status lines and pictures of an explorer say."""
    return area.locator('[role="status"], [role="img"]').evaluate_all(
        "all => all.map(one => one.textContent.trim()"
        " + (one.getAttribute('aria-label') || ''))"
    )


@pytest.mark.parametrize("name", ONE_CELL)
def test_every_control_is_reached_seen_and_moved(one_explorer, name):
    notebook, area = one_explorer(name)
    page = notebook.page
    shown = dict(area.evaluate(SHOWN))
    area.locator("button, input, [role=slider]").first.focus()
    reached, unseen, unmoved, unsaid = {}, set(), set(), set()
    for _ in range(150):
        at = area.evaluate(FOCUS)
        if at is None:
            break
        if not at["seen"]:
            unseen.add((at["name"], at["how"]))
        if at["kind"] != "scrolls" and at["key"] not in reached:
            reached[at["key"]] = at["name"]
            moved, said = move(page, area, at)
            if not moved:
                unmoved.add((at["kind"], at["name"]))
            if not said:
                unsaid.add((at["kind"], at["name"]))
        page.keyboard.press("Tab")
    else:
        raise AssertionError("the Tab key never leaves the explorer")
    # A move may hide what was there: only what stays must be reached.
    stays = dict(area.evaluate(SHOWN)).items() & shown.items()
    assert {name for key, name in stays if key not in reached} == set()
    assert "" not in reached.values()
    assert (unseen, unmoved, unsaid) == (set(), set(), set())
    assert notebook.errors() == []
    assert notebook.problems == []


def move(page, area, at):
    """Move the control under the focus; return whether it moved and spoke."""
    kind, key = at["kind"], at["key"]
    if at["resting"]:  # noUiSlider's handle takes the focus all the same
        return True, True
    if kind in ("button", "text"):  # pressed and typed in other tests
        return True, True
    before, words = area.evaluate(STANDS, key), in_words(area)
    if kind == "toggle-buttons":
        made = "() => document.activeElement.classList.contains('mod-active')"
        if page.evaluate(made):
            page.keyboard.press("Tab")  # to a choice that is not made
    keys = ("ArrowRight", "ArrowLeft") if kind == "slider" else ("Space",)
    for press in keys:
        page.keyboard.press(press)
        for _ in range(100):  # up to 4 s, where a machine is busy
            moved = area.evaluate(STANDS, key) != before
            said = in_words(area) != words
            if moved and said:
                return True, True
            page.wait_for_timeout(40)
        if moved:
            # What a box shows or hides, a screen reader hears from the box.
            return True, kind == "checkbox"
    return False, False
