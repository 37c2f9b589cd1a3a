"""What a multiple-choice question is made of."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """One answer to choose, and what is to be said when it is chosen."""

    text: str
    because: str  # why it is right, or which misconception it comes from


@dataclass(frozen=True)
class Question:
    """A question, its choices, and which of them is right.

    Parameters
    ----------
    text : str
    choices : tuple of Choice
        At least two, all different.
    right : int
        The place of the right choice, from 0.
    answered_in : str
        The notebook that answers it, such as "04", or "".

    Raises
    ------
    ValueError
        If there is nothing to choose, or a choice says nothing.
    """

    text: str
    choices: tuple[Choice, ...]
    right: int
    answered_in: str = ""

    def __post_init__(self):
        texts = [choice.text for choice in self.choices]
        if len(texts) < 2 or len(set(texts)) < len(texts):
            raise ValueError(
                f"a question needs two or more different choices: got {texts}"
            )
        if self.right not in range(len(texts)):
            raise ValueError(
                f"right must be the place of a choice, 0 to {len(texts) - 1}: "
                f"got {self.right!r}"
            )
        for said in (self.text, *texts, *(c.because for c in self.choices)):
            if not said.strip():
                raise ValueError(
                    f"a text is empty in the question {self.text!r}"
                )
