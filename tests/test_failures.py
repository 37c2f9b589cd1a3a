"""What is said when the course's own code fails, and how often."""

import pytest

from helpers.controls.failures import named, own_failure, said


class Says:
    """Notes what it says; its callback fails, or gives back its argument."""

    def __init__(self):
        self.sentences = []

    def say_failure(self, sentence):
        self.sentences.append(sentence)

    @said
    def _on_move(self, change):
        if isinstance(change, Exception):
            raise change
        return change


def test_a_failure_is_named_and_the_picture_is_called_old():
    error = ZeroDivisionError("planted")
    assert named(error) == (
        "The course's own code failed (ZeroDivisionError: planted)."
    )
    assert own_failure(error).startswith(named(error))
    assert "picture below is the last good one" in own_failure(error)


def test_a_callback_that_fails_says_it_once_and_fails():
    says, error = Says(), KeyError("planted")
    with pytest.raises(KeyError):
        says._on_move(error)
    assert says.sentences == [own_failure(error)]


def test_what_was_said_is_not_said_again():
    says, error = Says(), KeyError("planted")
    error.was_said = True
    with pytest.raises(KeyError):
        says._on_move(error)
    assert says.sentences == []


def test_a_callback_gives_back_what_it_gives():
    assert Says()._on_move(7) == 7


def test_a_callback_of_a_parent_is_not_wrapped_again():
    assert said(Says._on_move) is Says._on_move
