"""The controls of the budget explorer, and what happens when one moves."""

import ipywidgets as widgets

from helpers.controls import (
    Explorer,
    Message,
    Stage,
    choice,
    require_choice,
    row,
    selection,
    style_sheet,
    switch,
)
from helpers.explorers.budget import views
from helpers.explorers.budget.rows import ATE, IT, WHOLE, State, compute
from helpers.pictures.text import INK
from helpers.sentences import HUNGRY, SWAPPED, TASTY
from helpers.sizes import whole

SENTENCE_CHOICES = {"hungry": HUNGRY, "tasty": TASTY, "swapped": SWAPPED}
STEP = 5  # percent
NOUN_NAMES = ("1st noun", "2nd noun")
HALF, FIRST = (50, 50), (WHOLE, 0)


def explore_budget(heads=1, sentence="hungry", causal=False):
    """Open the budget explorer.

    Parameters
    ----------
    heads : int
        1 or 2.
    sentence : str
        "hungry", "tasty" or "swapped".
    causal : bool

    Returns
    -------
    BudgetExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    SizeError, ValueError
        If a starting value is not possible.
    """
    return BudgetExplorer(heads, sentence, causal)


class BudgetExplorer(Explorer):
    """What two rows spend, and the error of three relations."""

    def __init__(self, heads, sentence, causal):
        heads = whole("heads", heads, 1, 2)
        require_choice("sentence", sentence, SENTENCE_CHOICES)
        super().__init__()
        self._make_controls(heads, sentence, causal)
        self._make_stages()
        self.lay_out(self._arranged())
        self._connect()
        self.refresh()

    def _make_controls(self, heads, sentence, causal):
        self.heads = choice("heads", [("one", 1), ("two", 2)], heads)
        self.sentence = choice("sentence", list(SENTENCE_CHOICES), sentence)
        self.causal = switch("causal mask: no key to the right", bool(causal))
        self.budgets = {
            (0, ATE): _pair("head 1: ate", HALF),
            (1, ATE): _pair("head 2: ate", HALF),
            (0, IT): _pair("head 1: it", FIRST),
        }
        self.show_table = switch("rows as a table", False)
        sliders = [slider for pair in self.budgets.values() for slider in pair]
        self.dials = {
            "heads": self.heads,
            "sentence": self.sentence,
            "causal mask": self.causal,
            **{slider.description: slider for slider in sliders},
        }

    def _make_stages(self):
        self.status = Message()
        self.bars = Stage("175px")
        self.verdict = Stage("7em")
        self.rows_table = Stage()
        self.stages = (self.bars, self.verdict, self.rows_table)

    def _arranged(self):
        return (
            style_sheet(),
            row(self.heads, self.sentence, self.causal),
            *(row(*pair) for pair in self.budgets.values()),
            widgets.HTML(
                f'<div style="color:{INK}">What is left of a row goes '
                f"evenly to its other words.</div>"
            ),
            self.message.widget,
            self.bars.widget,
            self.status.widget,
            self.verdict.widget,
            row(self.show_table),
            self.rows_table.widget,
        )

    def _connect(self):
        self.watch(self.heads, self.sentence, self.causal, self.show_table)
        for (_, query), pair in self.budgets.items():
            for place in (0, 1):
                pair[place].observe(self._on_spending(query, pair, place))

    def _on_spending(self, query, pair, place):
        """Return what a slider does: the other gives way if it must."""

        def spend(change):
            if self._busy or change["name"] != "value":
                return
            other, notice = pair[1 - place], ""
            left = WHOLE - change["new"]
            if other.value > left:
                notice = views.gave_way(
                    query, NOUN_NAMES[1 - place], other.value, left
                )
                self._busy = True
                try:
                    other.value = left
                finally:
                    self._busy = False
            self.refresh(notice)

        return spend

    def read(self):
        """Return the controls' State."""
        h, causal = self.heads.value, self.causal.value
        for slider in self.budgets[1, ATE]:
            slider.layout.visibility = "visible" if h == 2 else "hidden"
            slider.disabled = h == 1
        for head in range(h):
            self.budgets[head, ATE][1].disabled = causal
        spent = [_values(self.budgets[head, ATE]) for head in range(h)]
        return State(
            sentence=SENTENCE_CHOICES[self.sentence.value],
            spent=tuple(spent),
            spent_by_it=_values(self.budgets[0, IT]),
            causal=causal,
        )

    def compute(self, state):
        """Return the Result of `state`."""
        return compute(state)

    def show(self, state, result):
        """Show pictures, tables and sentences of `state`."""
        self.bars.show(views.picture, result)
        self.status.say(views.errors_in_words(result))
        self.verdict.show(views.verdict, state, result)
        self.rows_table.show_if(
            self.show_table.value, views.rows_table, result
        )

    def remark(self, state):
        """Return what the mask hides, or ""."""
        return views.limits(state)

    def portrait(self):
        """Return a still picture and its description."""
        return views.portrait(self.compute(self.read()))


def _pair(name, start):
    options = [
        (f"{percent / WHOLE:.2f}", percent)
        for percent in range(0, WHOLE + 1, STEP)
    ]
    return tuple(
        selection(f"{name} → {noun}", options, value, width="360px")
        for noun, value in zip(NOUN_NAMES, start, strict=True)
    )


def _values(pair):
    return tuple(slider.value for slider in pair)
