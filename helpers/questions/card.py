"""What is said aloud: an explanation with its points, a follow-up."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """A point to mark: its name in a sentence, and what counts for it."""

    name: str
    text: str


@dataclass(frozen=True)
class Card:
    """An explanation to say against a clock.

    Parameters
    ----------
    task : str
        What to explain, and to whom.
    seconds : int
    model_text : tuple of str
        One way to say it: paragraphs.
    points : tuple of Point
    """

    task: str
    seconds: int
    model_text: tuple[str, ...]
    points: tuple[Point, ...]


@dataclass(frozen=True)
class FollowUp:
    """A question that comes after the explanation.

    Parameters
    ----------
    topic, question, answer : str
    wrong, because : str
        The common wrong answer, and why people think so.
    answered_in : str
        The notebook that shows it, such as "04".
    """

    topic: str
    question: str
    answer: str
    wrong: str
    because: str
    answered_in: str
