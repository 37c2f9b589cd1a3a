"""Questions of quizzes, as plain data: no widget, no picture.

    question     what a question is made of
    pre_test     the five that notebooks 00 and 11 ask
    map_reading  the five cells of a map, notebook 00

A file for each quiz. Each choice says why it is right, or which
misconception it comes from.
"""

from helpers.questions.question import Choice, Question

__all__ = ["Choice", "Question"]
