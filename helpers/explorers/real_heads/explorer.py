"""The controls of the explorer of a real encoder's heads."""

import ipywidgets as widgets

from helpers.controls import (
    Explorer,
    Message,
    Stage,
    require_choice,
    row,
    style_sheet,
)
from helpers.explorers.real_heads import views, words
from helpers.explorers.real_heads.desk import RULES, Desk
from helpers.explorers.real_heads.heads import OWN, Heads, State, installed
from helpers.explorers.real_heads.scoring import SCORES, score_of
from helpers.pretrained.files import MINILM
from helpers.pretrained.findings import name, place

ANTECEDENT = "pronoun → antecedent"
ROWS_HEIGHT = "180px"


def explore_real_heads(sentence=1, head="4-2", score=ANTECEDENT):
    """Open the explorer of all-MiniLM-L6-v2's heads.

    Parameters
    ----------
    sentence : int or str
        The number of a sentence of the shipped sample, from 1, or words of
        your own, if the whole encoder is installed.
    head : str
        Layer and head, from 1.
    score : str
        One of scoring.SCORES.

    Returns
    -------
    RealHeadsExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    ValueError
        If a starting value is not possible, or the sample can't be read.
    """
    return RealHeadsExplorer(sentence, head, score)


class RealHeadsExplorer(Desk, Explorer):
    """72 maps, one of them large, and a circuit to cut."""

    def __init__(self, sentence, head, score):
        super().__init__()
        self.add_class("why-real")
        self._heads, self._own = Heads(), installed()
        self._scores = {n: score_of(self._heads.scores, n) for n in SCORES}
        require_choice("score", score, SCORES)
        require_choice(
            "head", head, [name(*p) for p in self._scores[score].ranked]
        )
        numbers = {t: n for n, t in enumerate(self._heads.sentences, 1)}
        number = numbers.get(sentence, sentence)
        text = ""
        if isinstance(number, str):
            if not self._own:
                raise ValueError(MINILM.missing)
            number, text = OWN, sentence
            self._heads.seen(text)
        else:
            require_choice("sentence", number, list(numbers.values()))
        self._make_controls(number, text, place(head), score)
        self._make_stages()
        self._tokens = ()
        self._follow()
        self.lay_out(self._arranged())
        for control in (self.sentence, self.text, self.view):
            control.observe(self._on_text, "value")
        self.to_best.on_click(self._on_best)
        self.watch(
            self.score,
            self.order,
            self.layer,
            self.head,
            self.query,
            self.key,
            self.hide,
            self.show_table,
        )
        self.refresh()

    def _make_stages(self):
        self.wall = _part(Stage("1px", "auto"), "614 1 470px")
        self.map = _part(Stage("1px", "auto"), "392 1 300px")
        self.rows = Stage(ROWS_HEIGHT)
        self.row_said = Message(lines=1)
        self.change_said = Message(lines=1)
        self.circuit_said = Message(lines=2)
        self.best = Stage(width="auto")
        self.row_table = Stage(width="auto")
        self.scores_table = Stage(width="auto")
        self.stages = (
            self.wall,
            self.map,
            self.rows,
            self.best,
            self.row_table,
            self.scores_table,
        )

    def _arranged(self):
        how = Message(lines=1)
        how.say("" if self._own else MINILM.missing)
        how.widget.layout.display = "none" if self._own else None
        licence = Message(lines=1)
        licence.say(f"{words.EVIDENCE}. {words.LICENCE}")
        side_by_side = widgets.HBox(
            (self.wall.widget, self.map.widget),
            layout=widgets.Layout(
                flex_flow="row wrap",
                align_items="flex-start",
                max_width="1290px",
            ),
        )
        return (
            style_sheet(RULES),
            row(self.sentence, self.text),
            how.widget,
            row(self.score),
            row(self.order, self.to_best),
            row(self.layer, self.head),
            self.message.widget,
            side_by_side,
            row(self.view, self.query, self.key),
            self.row_said.widget,
            self.change_said.widget,
            row(self.hide),
            self.rows.widget,
            self.circuit_said.widget,
            self.best.widget,
            row(self.show_table),
            self.row_table.widget,
            self.scores_table.widget,
            licence.widget,
        )

    def _on_text(self, change):
        if self._busy:
            return
        if change["owner"] is self.text:
            self.set_quietly(self.sentence, value=OWN)
        self._follow()
        self.refresh()

    def _on_best(self, _):
        layer, head = self._scores[self.score.value].ranked[0]
        self.set_quietly(self.layer, value=layer + 1)
        self.set_quietly(self.head, value=head + 1)
        self.refresh()

    def read(self):
        """Return the controls' State."""
        return State(
            text=self._chosen_text(),
            score=self.score.value,
            order=self.order.value,
            picked=(self.layer.value - 1, self.head.value - 1),
            view=self.view.value,
            query=self.query.value,
            key=self.key.value,
            hide=self.hide.value,
        )

    def compute(self, state):
        """Return the Result of `state`."""
        return self._heads.run(state)

    def show(self, state, result):
        """Show maps, rows, sentences and tables of `state`."""
        seen, score = result.seen, self._scores[state.score]
        self.wall.show(
            views.wall, seen, state.view, score, state.order, state.picked
        )
        self.map.show(views.one_head, state, seen)
        self.row_said.say(words.row_in_words(state, seen))
        self.change_said.say(words.change_in_words(state, result))
        shown = bool(result.circuits)
        self.hide.disabled = not shown
        self.rows.show_if(shown, views.rows, state.hide, result)
        measured = self._heads.scores["circuit"]
        self.circuit_said.say(words.circuit_in_words(state, result, measured))
        self.best.show(views.best_table, score)
        on = self.show_table.value
        self.row_table.show_if(on, views.row_table, state, seen)
        self.scores_table.show_if(on, views.scores_table, score)

    def remark(self, state):
        """Return the best heads of the score, and what to compare."""
        return words.score_in_words(state, self._scores[state.score])

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(
            state, self.compute(state), self._scores[state.score]
        )


def _part(stage, flex):
    stage.widget.layout.flex, stage.widget.layout.min_width = flex, "0"
    return stage
