"""The controls of the explorer of trained heads."""

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
from helpers.explorers.learned_heads import views, words
from helpers.explorers.learned_heads.trials import (
    RANDOM,
    SENTENCES,
    TRAINED,
    State,
    Trials,
)
from helpers.learn.weights_on_disk import load

KINDS = (TRAINED, RANDOM)


def explore_learned_heads(step=None, kind=TRAINED, sentence=1):
    """Open the explorer of trained heads.

    Parameters
    ----------
    step : int, optional
        A training step whose weights are shipped. Left out: the last.
    kind : str
        "trained" or "random (control)".
    sentence : int
        One of SENTENCES.

    Returns
    -------
    LearnedHeadsExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    ValueError
        If a starting value is not possible, or the weights can't be read.
    """
    return LearnedHeadsExplorer(step, kind, sentence)


class LearnedHeadsExplorer(Explorer):
    """A training to slide through, and heads to switch off."""

    def __init__(self, step, kind, sentence):
        record = load("repeat")
        self._steps = tuple(kept for kept, _ in record.snapshots)
        step = self._steps[-1] if step is None else step
        require_choice("step", step, self._steps)
        require_choice("kind", kind, KINDS)
        require_choice("sentence", sentence, SENTENCES)
        super().__init__()
        self._trials = Trials(record)
        self._kept = record.curves | {
            "vocabulary": record.recipe.task.vocabulary
        }
        self._make_controls(step, kind, sentence)
        self._make_stages()
        self.lay_out(self._arranged())
        self.sentence.observe(self._on_sentence, "value")
        self.all_on.on_click(self._switch_all_on)
        self.watch(
            self.step,
            self.kind,
            *self.on.values(),
            self.layer,
            self.head,
            self.query,
            self.show_table,
        )
        self.refresh()

    def _make_controls(self, step, kind, sentence):
        places = [
            (layer, head)
            for layer in range(self._trials.n_layers)
            for head in range(self._trials.h)
        ]
        self.step = selection("training step", self._steps, step, "420px")
        self.kind = choice("weights are", KINDS, kind)
        self.on = {
            p: switch("use " + words.head_name(p), True) for p in places
        }
        self.all_on = widgets.Button(
            description="all heads on", layout=widgets.Layout(width="auto")
        )
        layer, head = self._best_induction_head()
        self.layer = choice(
            "large map: layer", _numbered(self._trials.n_layers), layer
        )
        self.head = choice("head", _numbered(self._trials.h), head)
        self.sentence = selection("sentence", SENTENCES, sentence, "240px")
        asked = self._trials.sentence(sentence)[1]
        self.query = selection(
            "query", self._places(), asked[len(asked) // 2], "300px"
        )
        self.show_table = switch("all numbers as tables", False)
        self.dials = {
            "step": self.step,
            "weights are": self.kind,
            "heads on": tuple(self.on.values()),
            "layer": self.layer,
            "head": self.head,
            "sentence": self.sentence,
            "query": self.query,
        }

    def _switches(self):
        """Return the switches, a row a layer."""
        boxes, h = tuple(self.on.values()), self._trials.h
        return [boxes[at : at + h] for at in range(0, len(boxes), h)]

    def _best_induction_head(self):
        scores = self._kept["induction"][-1, -1]
        return self._trials.n_layers - 1, int(scores.argmax())

    def _places(self):
        tokens = self._trials.words(self.sentence.value)
        return [(f"{i + 1} {token}", i) for i, token in enumerate(tokens)]

    def _make_stages(self):
        self.curves = Stage()
        self.page = Stage()
        self.status = Message(lines=2)
        self.scores = Message(lines=3)
        self.heads_table = Stage(width="auto")
        self.curves_table = Stage(width="auto")
        self.stages = (
            self.curves,
            self.page,
            self.heads_table,
            self.curves_table,
        )

    def _arranged(self):
        return (
            style_sheet(),
            row(self.step, self.kind),
            self.curves.widget,
            row(
                widgets.VBox([row(*boxes) for boxes in self._switches()]),
                widgets.VBox(
                    (
                        row(self.layer, self.head, self.all_on),
                        row(self.sentence, self.query),
                    )
                ),
            ),
            self.message.widget,
            self.page.widget,
            self.status.widget,
            self.scores.widget,
            row(self.show_table),
            self.heads_table.widget,
            self.curves_table.widget,
        )

    def _on_sentence(self, _):
        """Name the places anew; the query keeps its place."""
        place = self.query.value
        with self.query.hold_sync():
            self.set_quietly(self.query, options=self._places(), value=place)
        self._changed(_)

    def _switch_all_on(self, _):
        for box in self.on.values():
            self.set_quietly(box, value=True)
        self.refresh()

    def read(self):
        """Return the controls' State."""
        self.step.disabled = self.kind.value == RANDOM
        return State(
            kind=self.kind.value,
            step=self.step.value,
            off=frozenset(p for p, box in self.on.items() if not box.value),
            picked=(self.layer.value, self.head.value),
            sentence=self.sentence.value,
            query=self.query.value,
        )

    def compute(self, state):
        """Return the Result of `state`."""
        return self._trials.run(state)

    def show(self, state, result):
        """Show curves, maps, sentences and tables of `state`."""
        self.curves.show(self._history, self._marked(state))
        self.page.show(views.page, state, result)
        self.status.say(words.query_in_words(state, result))
        self.scores.say(words.scores_in_words(state, result))
        on = self.show_table.value
        without = self._trials.without_each(state) if on else None
        self.heads_table.show_if(on, views.heads_table, state, result, without)
        self.curves_table.show_if(
            on, views.curves_table, self._kept, self._steps
        )
        self._result = result

    def remark(self, state):
        """Return what the heads that are off cost."""
        said = words.loss_in_words(state, self._result)
        if state.kind == RANDOM:
            said += " These weights never trained: the step does not matter."
        return said

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(
            self._kept, self._marked(state), state, self.compute(state)
        )

    def _history(self, marked):
        return views.history(self._kept, marked)

    def _marked(self, state):
        if state.kind == RANDOM:
            return None
        return self._kept["step"].tolist().index(state.step)


def _numbered(count):
    return [(str(place + 1), place) for place in range(count)]
