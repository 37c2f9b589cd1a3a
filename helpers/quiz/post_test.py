"""The five questions again, beside what was answered at the start."""

from helpers.controls import selection
from helpers.pictures.text import escape
from helpers.questions.pre_test import PRE_TEST
from helpers.quiz import questions
from helpers.quiz.questions import Quiz

UNKNOWN = "not written down", -1  # a label and its value


def post_test():
    """Return the questions of 00, and what has changed since.

    What was chosen in 00 is known only if this kernel has run it. If not,
    the reader enters the number that was written down.

    Returns
    -------
    PostTest
        A box; the last line of a cell shows it.
    """
    return PostTest(questions.last_pre_test())


class PostTest(Quiz):
    """The pre-test once more; answers of before stand beside those of now.

    Parameters
    ----------
    before : tuple or None
        The places chosen in 00, None where nothing was chosen.
    """

    def __init__(self, before=None):
        self.before = before if before and any_chosen(before) else None
        numbers = [UNKNOWN]
        numbers += [(str(n), n) for n in range(len(PRE_TEST) + 1)]
        self.number = selection("right answers in notebook 00", numbers, -1)
        self.number.layout.width = "480px"
        super().__init__(PRE_TEST, explained=False)
        if self.before is None:
            first, *rest = self.children
            self.children = (first, self.number, *rest)
            self.watch(self.number)

    def compute(self, state):
        """Return what to say below each question."""
        said = super().compute(state)
        if self.before is None:
            return said
        return [
            f"{now} {self._chosen_before(place)}".strip() if now else now
            for place, now in enumerate(said)
        ]

    def _chosen_before(self, place):
        chosen = self.before[place]
        if chosen is None:
            return ""
        return f"In 00 you chose: {PRE_TEST[place].choices[chosen].text}"

    def remark(self, state):
        """Return how many are right, now and before."""
        said = super().remark(state)
        before = self.number.value
        if self.before is not None:
            before = right_of(self.before)
        if before < 0:
            return said
        now = "" if None in state else f" Now: {right_of(state)}."
        return f"{said} Before the course: {before}.{now}"

    def printed(self):
        """Return the questions, and without a kernel no comparison."""
        html, text = super().printed()
        note = "Compare with the number that you wrote down in notebook 00."
        return f"{html}<p>{escape(note)}</p>", f"{text}\n{note}"


def any_chosen(places):
    """Return True if at least one question was answered."""
    return any(place is not None for place in places)


def right_of(places):
    """Return how many of the chosen places are right."""
    return sum(
        place == question.right
        for place, question in zip(places, PRE_TEST, strict=True)
    )
