"""Predictions and quizzes: what a reader answers, beside what is so.

    predict(question, choices)      enter a prediction; keep it
    quiz(questions)                 multiple choice, each answer explained
    pre_test(), post_test()         the five questions of 00 and 11
    timed_card(card)                explain against a clock; mark yourself
    follow_ups(questions)           one at a time, answers behind folds

Answers live in the widget and nowhere else. Running the cell again empties
it. Without a kernel, questions and answers show as a list to unfold.

    asking       what all of them are made of
    questions    quiz and pre_test
    predictions  predict, and the result beside it
    post_test    the pre-test again, beside what was chosen then
    cards        timed cards
    clock        the clock of a card
    follow_ups   what is asked after an explanation
"""

from helpers.quiz.cards import timed_card
from helpers.quiz.follow_ups import follow_ups
from helpers.quiz.post_test import post_test
from helpers.quiz.predictions import predict
from helpers.quiz.questions import pre_test, quiz

__all__ = [
    "follow_ups",
    "post_test",
    "pre_test",
    "predict",
    "quiz",
    "timed_card",
]
