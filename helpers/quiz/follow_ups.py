"""Follow-up questions, one at a time: answer aloud, unfold, mark."""

import ipywidgets as widgets

from helpers.controls import choice, selection, style_sheet
from helpers.quiz.asking import STYLES, Asking, lines_for, paragraph
from helpers.quiz.cards import folded

MARKS = ("all of it", "half of it", "not yet")


def follow_ups(questions):
    """Return a box that asks one follow-up question after the other.

    Parameters
    ----------
    questions : sequence of helpers.questions.card.FollowUp

    Returns
    -------
    FollowUps
        A box; the last line of a cell shows it.
    """
    return FollowUps(questions)


class FollowUps(Asking):
    """A question, its answer and the common wrong one behind folds."""

    def __init__(self, questions):
        self.questions = tuple(questions)
        topics = sum(len(q.topic) + 10 for q in self.questions)
        self.lines = lines_for(topics)
        super().__init__()
        self.marks = [None] * len(self.questions)
        places = [
            (f"{number} of {len(self.questions)}", number - 1)
            for number in range(1, len(self.questions) + 1)
        ]
        self.place = selection("question", places, 0)
        self.text = widgets.HTML(layout=widgets.Layout(min_height="140px"))
        self.mark = choice("I said", [(m, m) for m in MARKS], None)
        self.children = (
            style_sheet(STYLES),
            self.place,
            self.text,
            self.mark,
            self.message.widget,
        )
        self.place.observe(self._on_place, "value")
        self.mark.observe(self._on_mark, "value")
        self.refresh()

    def _on_place(self, change):
        self.set_quietly(self.mark, value=self.marks[change["new"]])
        self.refresh()

    def _on_mark(self, change):
        if not self._busy:
            self.marks[self.place.value] = change["new"]
            self.refresh()

    def read(self):
        """Return the place and all marks."""
        return self.place.value, tuple(self.marks)

    def compute(self, state):
        """Return the question with its folds."""
        return unfolding(self.questions[state[0]])

    def show(self, state, result):
        """Show the question; its folds stay as they are while it stays."""
        if self.text.value != result:
            self.text.value = result

    def remark(self, state):
        """Say what is answered, and where to read again."""
        _, marks = state
        marked = sum(mark is not None for mark in marks)
        if not marked:
            return "Answer aloud, then unfold, then mark yourself."
        said = f"{marked} of {len(marks)} marked, {marks.count(MARKS[0])} said"
        again = [
            f"{q.topic} ({q.answered_in})"
            for q, mark in zip(self.questions, marks, strict=True)
            if mark in MARKS[1:]
        ]
        if not again:
            return f"{said}."
        return f"{said}. Read again: {'; '.join(again)}."

    def printed(self):
        """Return all questions with their folds."""
        items = "".join(f"<li>{unfolding(q)}</li>" for q in self.questions)
        return f"<ol>{items}</ol>", "\n".join(
            f"{number}. {q.question}"
            for number, q in enumerate(self.questions, start=1)
        )


def unfolding(asked):
    """Return a question, its answer, and the common wrong answer."""
    source = f"Notebook {asked.answered_in} shows it."
    return (
        paragraph(asked.question)
        + folded("A good answer", (asked.answer, source))
        + folded("The common wrong answer", (asked.wrong,))
        + folded("Why people think so", (asked.because,))
    )
