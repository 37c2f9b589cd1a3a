"""Timed cards: explain against a clock, then mark what you said."""

import ipywidgets as widgets

from helpers.controls import row, style_sheet, switch
from helpers.pictures.text import FAINT, INK, escape
from helpers.quiz.asking import STYLES, Asking, lines_for, paragraph
from helpers.quiz.clock import Clock, minutes

START, STOP, AGAIN = "start the clock", "stop the clock", "start again"
RUNNING = "#0072B2"
POINTS = (
    ".why-points .widget-checkbox{height:auto}"
    ".why-points .widget-label-basic{white-space:normal;line-height:1.4;"
    "align-items:baseline}"
)


def timed_card(card):
    """Return a card with a clock, a model text and points to mark.

    Parameters
    ----------
    card : helpers.questions.card.Card

    Returns
    -------
    TimedCard
        A box; the last line of a cell shows it.
    """
    return TimedCard(card)


class TimedCard(Asking):
    """An explanation to say aloud. Nothing is recorded, nothing is kept."""

    def __init__(self, card, now=None):
        names = sum(len(point.name) + 2 for point in card.points)
        self.lines = lines_for(names + 70)
        super().__init__()
        self.card = card
        settings = {} if now is None else {"now": now}
        self.clock = Clock(card.seconds, self.refresh, **settings)
        self.button = widgets.Button(
            description=START, layout=widgets.Layout(width="130px")
        )
        self.face = widgets.HTML()
        self.points = [switch(point.text, False) for point in card.points]
        self.marking = switch("show the points, to mark what I said", False)
        self.rubric = widgets.VBox(self.points)
        self.rubric.add_class("why-points")
        self.children = (
            style_sheet(STYLES + POINTS),
            widgets.HTML(paragraph(card.task)),
            row(self.button, self.face),
            self.marking,
            self.rubric,
            self.message.widget,
            widgets.HTML(folded("One way to say it", card.model_text)),
        )
        self.button.on_click(self._on_click)
        self.watch(self.marking, *self.points)
        self.refresh()

    def _on_click(self, _):
        if self.clock.running:
            self.clock.stop()
        else:
            self.clock.start()
        self.refresh()

    def close(self):
        """Stop the clock, too."""
        if hasattr(self, "clock"):
            self.clock.stop()
        super().close()

    def read(self):
        """Return (running, seconds passed, which points are marked)."""
        return (
            self.clock.running,
            self.clock.passed,
            tuple(point.value for point in self.points),
        )

    def compute(self, state):
        """Return the sentence below the points."""
        running, passed, marked = state
        if running:
            if not self.clock.ticks:
                return "The time runs, unseen. Stop it, and it is shown."
            return "Speak. The clock stops by itself."
        if any(marked) or (self.marking.value and passed):
            return summed_up(self.card.points, marked)
        if passed == self.card.seconds:
            return "Time is up. Now show the points, and mark what you said."
        if passed:
            return f"You stopped after {passed} s. Now mark what you said."
        return "Start the clock and say it aloud. Nothing is recorded."

    def show(self, state, result):
        """Move the clock; show or hide the points."""
        running, passed, _ = state
        begun = AGAIN if passed else START
        self.button.description = STOP if running else begun
        face = clock_face(passed, self.card.seconds, running)
        if self.face.value != face:
            self.face.value = face
        self.rubric.layout.display = None if self.marking.value else "none"

    def remark(self, state):
        """Return the sentence below the points."""
        return self.compute(state)

    def printed(self):
        """Return the task, the points and the model text, folded."""
        points = "".join(
            f"<li>{escape(point.text)}</li>" for point in self.card.points
        )
        html = (
            f"<p><b>{escape(self.card.task)}</b> "
            f"({minutes(self.card.seconds)} minutes)</p>"
            + folded("One way to say it", self.card.model_text)
            + f"<details><summary>The points, to mark yourself</summary>"
            f"<ul>{points}</ul></details>"
        )
        return html, f"{self.card.task} ({minutes(self.card.seconds)})"


def folded(summary, paragraphs):
    """Return paragraphs behind a fold."""
    text = "".join(
        f'<p style="margin:4px 0;line-height:1.45">{escape(p)}</p>'
        for p in paragraphs
    )
    return (
        f'<details style="color:{INK}"><summary>{escape(summary)}</summary>'
        f"{text}</details>"
    )


def clock_face(passed, seconds, running):
    """Return the time as digits of equal width, and as a bar."""
    digits = f"{minutes(passed)} of {minutes(seconds)}"
    colour = RUNNING if running else FAINT
    return (
        f'<div role="timer" aria-label="{digits}" style="display:flex;'
        f"align-items:center;gap:12px;color:{INK};font-size:18px;"
        f'font-variant-numeric:tabular-nums;line-height:28px">{digits}'
        f'<span style="display:inline-block;width:300px;height:10px;'
        f'border:1px solid {FAINT}"><span style="display:block;height:100%;'
        f"width:{passed / seconds:.1%};background:{colour}"
        f'"></span></span></div>'
    )


def summed_up(points, marked):
    """Say in one sentence which points are marked, and which are not."""
    said = [p.name for p, yes in zip(points, marked, strict=True) if yes]
    missed = [p.name for p, yes in zip(points, marked, strict=True) if not yes]
    if not missed:
        return f"You said all {len(points)} points."
    missing = f"Missing: {'; '.join(missed)}."
    if not said:
        return f"None of the {len(points)} points is marked yet. {missing}"
    return (
        f"You said {len(said)} of {len(points)} points: {'; '.join(said)}. "
        f"{missing}"
    )
