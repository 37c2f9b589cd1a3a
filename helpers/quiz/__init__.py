"""Predictions and quizzes: what a reader answers, beside what is so.

    predict(question, choices)      enter a prediction; keep it
    quiz(questions)                 multiple choice, each answer explained
    pre_test()                      the five questions of 00 and 11

Answers live in the widget and nowhere else. Running the cell again empties
it. Without a kernel, questions and answers show as a list to unfold.

    asking       what all of them are made of
    questions    quiz and pre_test
    predictions  predict, and the result beside it
"""

from helpers.quiz.predictions import predict
from helpers.quiz.questions import pre_test, quiz

__all__ = ["predict", "pre_test", "quiz"]
