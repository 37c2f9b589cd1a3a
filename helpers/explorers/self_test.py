"""Do widgets work here? A box that answers by itself, then by a slider."""

from helpers.controls import Message, selection, style_sheet
from helpers.pictures.text import escape
from helpers.quiz.asking import Asking

START = 4
WAITING = (
    "Waiting for this page to answer. If this sentence stays, the page can "
    "draw sliders but does not reach Python: choose Kernel → Restart Kernel "
    "and Run All Cells."
)
ANSWERED = "1 of 2: the page and Python talk to each other."
MOVE = "2 of 2: move the slider. This sentence must change while you do."
DEAD = (
    "Widgets are not running here. If you see this in an open notebook, the "
    "page has nothing to draw sliders with: close it, and run the first "
    "command of README.md again. On GitHub, in an export, or before you run "
    "the cell, it is as it should be: pictures stand in for the explorers."
)


def try_widgets():
    """Return a box that says in plain words whether widgets work.

    Returns
    -------
    SelfTest
        A box; the last line of a cell shows it. What it says where it can't
        be drawn is the answer too.
    """
    return SelfTest()


class SelfTest(Asking):
    """Two sentences: one waits for the page, one for the reader."""

    lines = 0  # it has a message for failures only

    def __init__(self):
        super().__init__()
        self.slider = selection("move me", range(1, 9), START)
        self.page = Message(lines=1)
        self.page.widget._view_count = 0  # the page counts its views here
        self.moved = Message(lines=1)
        self._has_moved = False
        self.children = (
            style_sheet(),
            self.page.widget,
            self.slider,
            self.moved.widget,
            self.message.widget,
        )
        self.page.widget.observe(self._changed, "_view_count")
        self.slider.observe(self._on_move, "value")
        self.refresh()

    def _on_move(self, change):
        self._has_moved = True
        self._changed(change)

    def read(self):
        """Return (whether the page has answered, the slider or None)."""
        place = self.slider.value if self._has_moved else None
        return bool(self.page.widget._view_count), place

    def compute(self, state):
        """Return the two sentences."""
        answered, place = state
        return (
            ANSWERED if answered or place is not None else WAITING,
            MOVE
            if place is None
            else f"2 of 2: the slider is at {place}. Sliders work here.",
        )

    def show(self, state, result):
        """Say what has changed."""
        for message, said in zip((self.page, self.moved), result, strict=True):
            if message.text != said:
                message.say(said)

    def printed(self):
        """Return what to read where nothing can be drawn."""
        return f"<p>{escape(DEAD)}</p>", DEAD
