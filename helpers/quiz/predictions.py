"""Predictions: entered first, then kept beside the result."""

import math
from numbers import Real

import ipywidgets as widgets

from helpers.controls import Message, choice, selection, style_sheet, switch
from helpers.pictures.text import escape
from helpers.quiz.asking import (
    STYLES,
    Asking,
    in_words,
    lines_for,
    paragraph,
)
from helpers.sizes import nearest

MOST_BUTTONS = 8  # more choices than that become a slider
MOST_STEPS = 400


def predict(question, choices=None, *, low=None, high=None, step=None):
    """Return a box to enter a prediction in, before the result is shown.

    Parameters
    ----------
    question : str
    choices : sequence of str or of numbers, optional
        At least two. Up to eight are buttons, more are a slider.
    low, high, step : numbers, optional
        Instead of choices: the numbers from `low` to `high`. `step` is 1
        between whole numbers, else a twentieth of the way.

    Returns
    -------
    Prediction
        Show it in one cell. In a later one, `beside(result)` shows the
        result with it.

    Raises
    ------
    ValueError
        If there is nothing to choose from.
    """
    if choices is None:
        choices = numbers_between(low, high, step)
    return Prediction(question, choices)


def numbers_between(low, high, step=None):
    """Return the numbers from `low` to `high`, both included if they fit."""
    ends = all(isinstance(n, Real) and math.isfinite(n) for n in (low, high))
    if not ends or not low < high:
        raise ValueError(
            f"predict needs choices, or numbers low < high: got low={low!r}, "
            f"high={high!r}"
        )
    whole = isinstance(low, int) and isinstance(high, int)
    if step is None:
        step = 1 if whole else (high - low) / 20
    elif not isinstance(step, Real):
        raise ValueError(f"step must be a number above 0: got {step!r}")
    count = int((high - low) / step + 1e-9) + 1 if step > 0 else 0
    if not 2 <= count <= MOST_STEPS:
        raise ValueError(
            f"from low={low} to high={high} in steps of {step} are {count} "
            f"choices; 2 to {MOST_STEPS} are possible"
        )
    return tuple(
        low + i * step
        if whole and isinstance(step, int)
        else round(low + i * step, 10)
        for i in range(count)
    )


class Prediction(Asking):
    """A question before its answer. `kept` is None until one is entered."""

    _comparisons = ()

    def __init__(self, question, choices):
        self.question, self.options = str(question), tuple(choices)
        labels = [in_words(option) for option in self.options]
        if len(labels) < 2 or len(set(labels)) < len(labels):
            raise ValueError(
                f"a prediction needs two or more different choices: got "
                f"{labels}"
            )
        super().__init__()
        places = [(label, place) for place, label in enumerate(labels)]
        buttons = len(labels) <= MOST_BUTTONS
        if buttons:
            self.choice = choice("I predict", places, None)
            if max(map(len, labels)) > 24:
                self.choice.add_class("why-column")
        else:
            self.choice = selection("I predict", places, len(labels) // 2)
        self.keep = switch("keep this prediction", buttons)
        self.keep.layout.display = "none" if buttons else None
        self.children = (
            style_sheet(STYLES),
            widgets.HTML(paragraph(self.question)),
            widgets.HBox((self.choice, self.keep)),
            self.message.widget,
        )
        self.controls = (self.choice, self.keep)
        self.watch(*self.controls)
        self.refresh()

    @property
    def kept(self):
        """The choice that the reader has entered, or None."""
        if self.choice.value is None or not self.keep.value:
            return None
        return self.options[self.choice.value]

    def read(self):
        """Return the prediction, or None."""
        return self.kept

    def compute(self, state):
        """Return what to say of it."""
        if state is None:
            return "Nothing is kept yet. There is no wrong prediction."
        return f"Kept: {in_words(state)}. The result comes below."

    def show(self, state, result):
        """Hold a kept slider still; what is said is the remark."""
        self.choice.disabled = (
            isinstance(self.choice, widgets.SelectionSlider)
            and state is not None
        )

    def remark(self, state):
        """Return what is kept, in words."""
        return self.compute(state)

    def printed(self):
        """Return the question and its choices."""
        labels = [in_words(option) for option in self.options]
        if len(labels) > MOST_BUTTONS:
            labels = [f"{labels[0]} to {labels[-1]}"]
        items = "".join(f"<li>{escape(label)}</li>" for label in labels)
        return (
            f"<p>Predict: {escape(self.question)}</p><ul>{items}</ul>",
            f"Predict: {self.question}",
        )

    def beside(self, result, sentence=""):
        """Return the result beside the prediction, once there is one.

        Parameters
        ----------
        result : str or number
            What is so. Numbers are compared with the nearest choice.
        sentence : str
            Why, or what to look at; shown with the result.

        Returns
        -------
        Comparison
            A box; the last line of a cell shows it.
        """
        comparison = Comparison(self, result, sentence)
        self._comparisons = (*self._comparisons, comparison)
        return comparison

    def close(self):
        """Tell the results that they wait for a box that is gone."""
        for comparison in self._comparisons:
            comparison.message.say(
                "The prediction's cell has run again. Run this one again too."
            )
        self._comparisons = ()
        super().close()


class Comparison(Asking):
    """A result that waits for its prediction, and then stands beside it."""

    _heard = ()  # the controls that it listens to

    def __init__(self, prediction, result, sentence=""):
        super().__init__()
        self.prediction, self.result = prediction, result
        self.sentence = sentence
        self.anyway = switch("show it without a prediction", False)
        self.message = Message(lines_for(len(sentence) + 90))
        self.children = (
            style_sheet(STYLES),
            self.message.widget,
            self.anyway,
        )
        self._heard = prediction.controls
        self.watch(self.anyway, *self._heard)
        self.refresh()

    def close(self):
        """Stop listening to the prediction, too."""
        for control in self._heard:
            control.unobserve(self._changed, "value")
        self._heard = ()
        super().close()

    def read(self):
        """Return the prediction and whether the result may show."""
        kept = self.prediction.kept
        return kept, kept is not None or self.anyway.value

    def compute(self, state):
        """Return the sentence to show."""
        kept, shown = state
        if not shown:
            return (
                "Predict first, in the box above: your prediction and the "
                "result then stand here."
            )
        told = f"It is {in_words(self.result)}."
        if kept is not None:
            told = f"You predicted {in_words(kept)}. {told}"
            told += self._judged(kept)
        return f"{told} {self.sentence}".strip()

    def _judged(self, kept):
        if in_words(kept) == in_words(self.result):
            return " Your prediction holds."
        if isinstance(self.result, Real) and isinstance(kept, Real):
            if nearest(self.prediction.options, self.result) == kept:
                return " No other choice is nearer."
        return ""

    def show(self, state, result):
        """Hide the switch once there is a prediction."""
        kept, _ = state
        self.anyway.layout.visibility = "visible" if kept is None else "hidden"

    def remark(self, state):
        """Return the sentence to show."""
        return self.compute(state)

    def printed(self):
        """Return the result behind a fold."""
        told = f"It is {in_words(self.result)}. {self.sentence}".strip()
        return (
            f"<details><summary>The result of: "
            f"{escape(self.prediction.question)}</summary>{escape(told)}"
            f"</details>",
            told,
        )
