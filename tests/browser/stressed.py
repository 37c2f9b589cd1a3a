"""An explorer in a page, and a random reader with a seed."""

import json
import random

from playwright.sync_api import Error

from tests.tools import notebook_of

# Every way in which a failure might stay out of sight is written down: what
# an explorer says, what IPython would show somewhere, what is only logged.
MAKE = """import logging
from IPython import get_ipython
from helpers.controls.explorer import Explorer
from helpers.stills import EXPLORERS
if "FAILED" not in globals():
    FAILED = []
    say, trace = Explorer.say_failure, get_ipython().showtraceback
    def said(self, sentence):
        if "own code failed" in sentence:
            FAILED.append(sentence)
        return say(self, sentence)
    def traced(*args, **named):
        import traceback
        FAILED.append(traceback.format_exc())
        return trace(*args, **named)
    Explorer.say_failure, get_ipython().showtraceback = said, traced
    log = logging.Handler(logging.ERROR)
    log.emit = lambda record: FAILED.append(log.format(record))
    for logger in (None, "Comm", "traitlets", "ipywidgets", "asyncio"):
        logging.getLogger(logger).addHandler(log)
    get_ipython().kernel.log.addHandler(log)
explorer = EXPLORERS[{name!r}]()
explorer"""
ASK = """import gc, json, resource
import ipywidgets
from ipywidgets.widgets.widget import _instances
gc.collect()
with open("/proc/self/statm") as sizes:
    pages = int(sizes.read().split()[1])
print("ASKED " + json.dumps(dict(
    widgets=len(_instances), mb=pages * resource.getpagesize() / 2**20,
    code=explorer.code if explorer.dials else "",
    said=explorer.message.text, failed=FAILED,
    shown=[s.widget.value for s in explorer.stages])))"""
FIELD = ".widget-text input[type=text]"
TEXTS = (
    "set 1-1-1",
    "set 0",
    "set 99-99-99",
    'set 1 "<b>"',
    "<img src=x>",
    "",
)
HEIGHT = "area => Math.round(area.getBoundingClientRect().height)"


def notebook_with(name):
    """Return a notebook: a cell that makes an explorer, one that asks."""
    return notebook_of(MAKE.format(name=name), ASK)


def click(part):
    """Click a part, unless it comes to rest or goes before one can."""
    try:
        part.click(timeout=5000)
    except Error:
        if part.count() and part.is_enabled():
            raise


class Stressed:
    """An explorer in a page, and a random reader with a seed."""

    def __init__(self, notebook, seed):
        self.notebook, self.page = notebook, notebook.page
        self.chance = random.Random(seed)
        cell = notebook.panel.locator(".jp-CodeCell").first
        self.area = cell.locator(".jp-Cell-outputArea")
        self.box = self.area.locator(".why-explorer").first
        self.box.wait_for()
        self.ticks = self.ticked()

    def ticked(self):
        """Return which boxes are ticked, in the order of the page."""
        boxes = self.box.locator(".widget-checkbox input")
        return boxes.evaluate_all("all => all.map(one => one.checked)")

    def settle(self):
        """Wait until the kernel is idle and a frame was drawn."""
        self.page.wait_for_timeout(150)
        self.page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()
        self.page.wait_for_timeout(50)

    def run(self, cell):
        """Run one cell by Control and Enter, and wait for its new number."""
        at = self.notebook.panel.locator(".jp-CodeCell").nth(cell)
        number = at.locator(".jp-InputPrompt")
        before, prompt = number.inner_text(), number.element_handle()
        at.locator(".jp-InputArea-editor").click()
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(
            "([prompt, before]) => prompt.textContent.trim() !== before &&"
            " /^\\[\\d+\\]:$/.test(prompt.textContent.trim())",
            arg=[prompt, before.strip()],
        )
        prompt.dispose()  # or the page would keep it
        self.settle()

    def ask(self):
        """Return what the kernel holds: widgets, memory, code, pictures."""
        asked = self.notebook.panel.locator(".jp-CodeCell").nth(1)
        self.run(1)
        line = asked.locator(
            ".jp-OutputArea-output", has_text="ASKED"
        ).last.inner_text()
        return json.loads(line.partition("ASKED ")[2])

    def shown(self, selector):
        """Return what is seen and not disabled, as locators."""
        found = self.box.locator(selector)
        return [one for one in found.all() if one.is_visible()]

    def drag(self):
        """Take a handle, run along the track and back, let go anywhere."""
        grips = self.shown("[role=slider]:not([disabled] *)")
        if not grips:
            return
        grip = self.chance.choice(grips)
        grip.scroll_into_view_if_needed()
        at = grip.bounding_box()
        track = grip.locator(
            "xpath=ancestor::*[contains(@class,'noUi-target')]"
        ).bounding_box()
        if at is None or track is None:
            return
        y = at["y"] + at["height"] / 2
        self.page.mouse.move(at["x"] + at["width"] / 2, y)
        self.page.mouse.down()
        for _ in range(20):
            x = track["x"] + track["width"] * self.chance.uniform(-0.1, 1.1)
            self.page.mouse.move(x, y)
        self.page.mouse.up()

    def corner(self):
        """Send a handle to one of its ends."""
        grips = self.shown("[role=slider]:not([disabled] *)")
        if grips:
            self.chance.choice(grips).focus()
            self.page.keyboard.press(self.chance.choice(("Home", "End")))

    def type(self):
        """Type a hostile or a plain text, letter by letter, and Enter."""
        fields = self.shown(FIELD)
        if fields:
            field = self.chance.choice(fields)
            field.fill("")
            field.press_sequentially(self.chance.choice(TEXTS))
            field.press("Enter")

    def code(self):
        """Type a code of random numbers."""
        numbers = self.chance.choices((0, 1, 2, 3, 8, 64, 512), k=6)
        fields = self.shown(FIELD)
        if fields:
            code = "-".join(map(str, numbers[: self.chance.randint(1, 6)]))
            fields[-1].fill(f"set {code}")
            fields[-1].press("Enter")

    def press(self):
        """Press a choice or tick a box; nothing that trains or downloads."""
        found = self.shown(
            ".widget-toggle-buttons button:not(:disabled),"
            " .widget-checkbox input:not(:disabled)"
        )
        if found:
            click(self.chance.choice(found))

    def button(self):
        """Press a button of any kind: training, measuring, a copy, a save."""
        found = self.shown(
            ".jupyter-button:not(.widget-toggle-buttons *):not(:disabled)"
        )
        if found:
            click(self.chance.choice(found))

    def move(self, more=()):
        """Do one thing at random; return its name."""
        kinds = ("drag", "drag", "corner", "type", "code", "press", *more)
        kind = self.chance.choice(kinds)
        getattr(self, kind)()
        return kind

    def rest(self):
        """Stop what runs, take a copy away, tick what was ticked at first."""
        for name in ("Stop", "take the copy away"):
            for one in self.shown("button:not(:disabled)"):
                if one.inner_text().strip() == name:
                    click(one)
                    self.settle()
                    break
        boxes = self.box.locator(".widget-checkbox input")
        for place, (was, is_now) in enumerate(zip(self.ticks, self.ticked())):
            if was != is_now and boxes.nth(place).is_visible():
                boxes.nth(place).click()
                self.settle()

    def type_code(self, code):
        """Type a code where the explorer's own code stands."""
        field = self.box.locator(".widget-text").filter(
            has_text="code of this setting"
        )
        field.first.locator("input").fill(code)
        field.first.locator("input").press("Enter")
        self.settle()

    def require_sound(self):
        """Check that what is seen is what the kernel last drew."""
        self.settle()
        asked = self.ask()
        seen = self.box.locator(".widget-html-content").evaluate_all(
            "all => all.map(one => one.innerHTML)"
        )
        parsed = self.page.evaluate(
            "all => all.map(one => { const p = document.createElement('div');"
            " p.innerHTML = one; return p.innerHTML; })",
            asked["shown"],
        )
        for picture in parsed:
            assert picture in seen, "a picture of an older value"
        assert asked["failed"] == []
        assert "own code failed" not in (asked["said"] or "")
        assert "own code failed" not in self.box.inner_text()
        assert self.notebook.errors() == []
        assert self.notebook.problems == []
        return asked
