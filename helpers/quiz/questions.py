"""Quizzes: multiple choice, with a reason for each answer."""

import ipywidgets as widgets

from helpers.controls import Message, choice, style_sheet, switch
from helpers.pictures.text import escape
from helpers.questions import Question
from helpers.questions.pre_test import PRE_TEST
from helpers.quiz.asking import (
    LETTERS_A_LINE,
    STYLES,
    Asking,
    lines_for,
    paragraph,
)

SHORT = 12  # letters; answers no longer than that stand in one row
_PRE_TESTS = []  # the last one, in this kernel's memory and nowhere else


def quiz(questions):
    """Return a quiz: choose, and read at once why it is right or wrong.

    Parameters
    ----------
    questions : sequence of Question
        One file of `helpers/questions`.

    Returns
    -------
    Quiz
        A box; the last line of a cell shows it.
    """
    return Quiz(questions)


def pre_test():
    """Return the five questions of 00 and 11; each is explained on demand."""
    _PRE_TESTS[:] = [Quiz(PRE_TEST, explained=False)]
    return _PRE_TESTS[0]


def last_pre_test():
    """Return what the last pre-test of this kernel has, or None."""
    return _PRE_TESTS[0].read() if _PRE_TESTS else None


class AskedQuestion:
    """The widgets of one question: its text, its choices, the verdict.

    Parameters
    ----------
    question : Question
    name : str
        What the choices are called, for a screen reader: "answer 1".
    in_a_line : int
        Letters that one line of the verdict has room for.
    """

    def __init__(self, question, name, in_a_line=LETTERS_A_LINE):
        self.question = question
        self.text = widgets.HTML(paragraph(question.text))
        self.choice = choice(
            name, [(c.text, i) for i, c in enumerate(question.choices)], None
        )
        if max(len(c.text) for c in question.choices) > SHORT:
            self.choice.add_class("why-column")
        longest = max(len(verdict(question, i)) for i in self.places)
        self.verdict = Message(lines_for(longest, in_a_line))

    @property
    def places(self):
        """The places of the choices, from 0."""
        return range(len(self.question.choices))

    @property
    def widgets(self):
        """What to show, from top to bottom."""
        return (self.text, self.choice, self.verdict.widget)


def verdict(question, chosen):
    """Say whether a choice is right, and why; "" if none is made."""
    if chosen is None:
        return ""
    word = "Right." if chosen == question.right else "Not so."
    return f"{word} {question.choices[chosen].because}"


def as_list(questions):
    """Return questions and answers as HTML that needs no kernel."""
    items = "".join(
        f"<li>{escape(q.text)}<ul>"
        + "".join(f"<li>{escape(c.text)}</li>" for c in q.choices)
        + "</ul><details><summary>Answer</summary><ul>"
        + "".join(
            f"<li><b>{escape(c.text)}</b> {escape(verdict(q, i))}</li>"
            for i, c in enumerate(q.choices)
        )
        + "</ul></details></li>"
        for q in questions
    )
    return f"<ol>{items}</ol>"


class Quiz(Asking):
    """Multiple-choice questions, one below the other."""

    def __init__(self, questions, explained=True):
        self.questions = tuple(questions)
        if not self.questions or not all(
            isinstance(q, Question) for q in self.questions
        ):
            raise ValueError("a quiz needs Questions: see helpers/questions")
        super().__init__()
        self.asked = [
            AskedQuestion(question, f"answer {number}")
            for number, question in enumerate(self.questions, start=1)
        ]
        self.explain = switch("explain each answer", explained)
        self.explain.layout.display = "none" if explained else None
        self.children = (
            style_sheet(STYLES),
            *(part for asked in self.asked for part in asked.widgets),
            self.explain,
            self.message.widget,
        )
        self.watch(*(asked.choice for asked in self.asked), self.explain)
        self.refresh()

    def read(self):
        """Return the chosen places, None where nothing is chosen."""
        return tuple(asked.choice.value for asked in self.asked)

    def compute(self, state):
        """Return what to say below each question."""
        if self.explain.value:
            return list(map(verdict, self.questions, state))
        return [
            "" if chosen is None else _kept(question)
            for question, chosen in zip(self.questions, state, strict=True)
        ]

    def show(self, state, result):
        """Say it."""
        for asked, said in zip(self.asked, result, strict=True):
            if asked.verdict.text != said:
                asked.verdict.say(said)

    def remark(self, state):
        """Return how many are answered, and how many of them are right."""
        answered = sum(chosen is not None for chosen in state)
        right = sum(
            chosen == question.right
            for question, chosen in zip(self.questions, state, strict=True)
        )
        said = f"{answered} of {len(state)} answered"
        if self.explain.value or answered == len(state):
            said += f", {right} right"
        return f"{said}."

    def printed(self):
        """Return the questions as a list, answers folded."""
        return as_list(self.questions), "\n".join(
            f"{number}. {question.text}"
            for number, question in enumerate(self.questions, start=1)
        )


def _kept(question):
    if not question.answered_in:
        return "Kept."
    return f"Kept. Notebook {question.answered_in} answers it."
