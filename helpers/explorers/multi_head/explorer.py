"""The controls of the main explorer, and what happens when one moves."""

import ipywidgets as widgets

from helpers.bugs import BUGS
from helpers.controls import (
    WIDE,
    Explorer,
    LinkedSelection,
    Message,
    Stage,
    choice,
    selection,
    style_sheet,
    switch,
)
from helpers.explorers.multi_head import views
from helpers.explorers.multi_head.layer import (
    HAND_BUILT,
    RANDOM,
    Layers,
    State,
)
from helpers.pictures.colours import RELATION_COLOURS
from helpers.pictures.maps import MOST_MAPS
from helpers.sentences import (
    ANY_SENTENCE,
    HUNGRY,
    RELATION_NAMES,
    SWAPPED,
    TASTY,
    relations,
    words,
)
from helpers.sizes import D_MODEL_CHOICES, Sizes, divisors, whole

OWN = "your own"
SENTENCE_CHOICES = {
    "hungry": HUNGRY,
    "tasty": TASTY,
    "swapped": SWAPPED,
    OWN: None,
}
LEDGER_N = (9, *(2**power for power in range(4, 18)))
LEDGER_HEIGHT, TABLES_HEIGHT = "190px", "250px"

_SWATCHES = "".join(
    f".why-relation-{i} label::before"
    f"{{content:'■';color:{colour};margin-right:4px}}"
    for i, colour in enumerate(RELATION_COLOURS)
)


def explore_multi_head(
    h=8, d_model=512, sentence="hungry", kind=HAND_BUILT, causal=False
):
    """Open the main explorer.

    Parameters
    ----------
    h, d_model : int
        Where the sliders start. h divides d_model; d_model is one of
        `sizes.D_MODEL_CHOICES`.
    sentence : str
        "hungry", "tasty", "swapped", or a sentence of your own.
    kind : str
        "hand-built" or "random (control)".
    causal : bool

    Returns
    -------
    MultiHeadExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    SizeError, TextError, ValueError
        If a starting value is not possible.
    """
    return MultiHeadExplorer(h, d_model, sentence, kind, causal)


class MultiHeadExplorer(Explorer):
    """Heads, their maps, and what they cost, side by side."""

    def __init__(self, h, d_model, sentence, kind, causal):
        _require_choice("d_model", d_model, D_MODEL_CHOICES)
        _require_choice("kind", kind, (HAND_BUILT, RANDOM))
        whole("h", Sizes(d_model, h).h)
        known = sentence in SENTENCE_CHOICES and sentence != OWN
        text = SENTENCE_CHOICES[sentence] if known else sentence
        tokens = words(text)
        super().__init__()
        self._layers = Layers()
        self._make_controls(h, d_model, sentence if known else OWN, text)
        self.kind.value, self.causal.value = kind, causal
        self._follow_sentence(tokens)
        self._make_stages()
        self.children = self._arranged()
        self._connect()
        self.refresh()

    def _make_controls(self, h, d_model, sentence, text):
        self.sentence = choice("sentence", list(SENTENCE_CHOICES), sentence)
        self.text = widgets.Text(
            value=text,
            description="words",
            continuous_update=False,
            style=WIDE,
            layout=widgets.Layout(width="420px"),
        )
        self.d_model = selection("width d_model", D_MODEL_CHOICES, d_model)
        self.h = selection("heads h", divisors(d_model), h)
        self.kind = choice("heads are", (HAND_BUILT, RANDOM), HAND_BUILT)
        self.causal = switch("causal mask: no key to the right", False)
        self.relations = {name: switch(name, True) for name in RELATION_NAMES}
        for number, box in enumerate(self.relations.values()):
            box.add_class(f"why-relation-{number}")
        self.query = selection("query", [("1", 0)], 0)
        self.key = selection("key", [("1", 0)], 0)
        self.page = selection("heads shown", [("1", 0)], 0)
        self.ledger_N = selection(
            "ledger N", [(f"{N:,}", N) for N in LEDGER_N], LEDGER_N[0]
        )
        self.show_table = switch("row of the query as a table", False)
        self.show_ledger = switch("ledger and shapes as tables", True)
        self.bug = choice(
            "bug", [("none", None), *((b, b) for b in BUGS)], None
        )

    def _make_stages(self):
        self.status = Message()
        self.maps = Stage()
        self.ledger = Stage(LEDGER_HEIGHT)
        self.badge = Stage("2em")
        self.row_table = Stage()
        self.ledger_table = Stage(TABLES_HEIGHT, width="auto")
        self.shapes_table = Stage(TABLES_HEIGHT, width="auto")
        self.gallery = Stage("220px")
        self.stages = (
            self.maps,
            self.ledger,
            self.badge,
            self.row_table,
            self.ledger_table,
            self.shapes_table,
        )

    def _arranged(self):
        wrap = widgets.Layout(flex_flow="row wrap", grid_gap="2px 14px")
        tables = widgets.Layout(
            flex_flow="row wrap", grid_gap="2px 40px", align_items="flex-start"
        )

        def row(*children):
            return widgets.HBox(children, layout=wrap)

        return (
            style_sheet(_SWATCHES),
            row(self.h, self.d_model, self.causal),
            row(self.sentence, self.text),
            row(self.kind),
            row(*self.relations.values()),
            self.message.widget,
            self.maps.widget,
            row(self.query, self.key, self.page, self.show_table),
            self.status.widget,
            self.row_table.widget,
            self.badge.widget,
            row(self.ledger_N, self.show_ledger),
            self.ledger.widget,
            widgets.HBox(
                (self.ledger_table.widget, self.shapes_table.widget),
                layout=tables,
            ),
            row(self.bug),
            self.gallery.widget,
        )

    def _connect(self):
        self._linked_h = LinkedSelection(self.h, self._changed)
        self.d_model.observe(self._on_width, "value")
        self.sentence.observe(self._on_sentence, "value")
        self.text.observe(self._on_text, "value")
        self.watch(
            self.kind,
            self.causal,
            *self.relations.values(),
            self.query,
            self.key,
            self.page,
            self.ledger_N,
            self.show_table,
            self.show_ledger,
            self.bug,
        )

    # What one control does to others; each ends in one refresh.

    def _on_width(self, change):
        self.refresh(self._linked_h.offer(divisors(change["new"])))

    def _on_sentence(self, change):
        if self._busy:
            return
        text = SENTENCE_CHOICES[change["new"]]
        if text is not None:
            self._quietly(self.text, text)
        self._use_text()

    def _on_text(self, _):
        if self._busy:
            return
        known = [
            k for k, v in SENTENCE_CHOICES.items() if v == self.text.value
        ]
        self._quietly(self.sentence, known[0] if known else OWN)
        self._use_text()

    def _quietly(self, control, value):
        self._busy = True
        try:
            control.value = value
        finally:
            self._busy = False

    def _use_text(self):
        try:
            tokens = words(self.text.value)
        except ValueError:
            self.refresh()  # says what is wrong, and marks the picture old
            return
        self._follow_sentence(tokens)
        self.refresh()

    def _follow_sentence(self, tokens):
        """Offer the places and the relations that this sentence has."""
        self._busy = True
        try:
            places = [(f"{i + 1} {t[:12]}", i) for i, t in enumerate(tokens)]
            for slider, preferred in ((self.query, 2), (self.key, 1)):
                value = slider.value if len(slider.options) > 1 else preferred
                slider.options = places
                slider.value = min(value, len(tokens) - 1)
            found = {relation.name for relation in relations(tokens)}
            for name, box in self.relations.items():
                box.disabled = name not in found
                box.tooltip = "" if name in found else _why_not(name)
        finally:
            self._busy = False

    # The three steps.

    def read(self):
        """Return the controls' State."""
        tokens = words(self.text.value)
        sizes = Sizes(self.d_model.value, self.h.value)
        self._offer_pages(sizes.h)
        on = tuple(
            relation
            for relation in relations(tokens)
            if self.relations[relation.name].value
        )
        return State(
            tokens=tokens,
            relations=on,
            sizes=sizes,
            kind=self.kind.value,
            causal=self.causal.value,
            bug=self.bug.value,
            ledger_N=self.ledger_N.value,
            chosen=(self.query.value, self.key.value),
            first=self.page.value,
        )

    def _offer_pages(self, h):
        pages = tuple(
            (f"{first + 1} to {min(first + MOST_MAPS, h)}", first)
            for first in range(0, h, MOST_MAPS)
        )
        if pages != tuple(self.page.options):
            self._busy = True
            try:
                self.page.options = pages
            finally:
                self._busy = False
        self.page.layout.display = None if len(pages) > 1 else "none"

    def compute(self, state):
        """Return the Result of `state`."""
        return self._layers.run(state)

    def show(self, state, result):
        """Show pictures, tables and sentences of `state`."""
        self.maps.show(views.maps, state, result)
        self.status.say(views.cell_in_words(state, result))
        self.badge.show(views.badge, state.N, result.counted, result.formula)
        self.ledger.show(views.ledger, state.ledger_N, state.sizes)
        if self.show_table.value:
            self.row_table.show(views.weights_table, state, result)
        else:
            self.row_table.clear()
        if self.show_ledger.value:
            self.ledger_table.show(
                views.ledger_table, state.ledger_N, state.sizes
            )
            self.shapes_table.show(views.shapes_table, state.N, state.sizes)
        else:
            self.ledger_table.clear()
            self.shapes_table.clear()
        self.gallery.show(views.gallery, state.bug, state.causal)

    def remark(self, state):
        """Return what limits these maps, or ""."""
        return views.limits_in_words(state)

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(state, self.compute(state))


def _why_not(name):
    if name in ANY_SENTENCE:
        return "No two places of this sentence stand in this relation."
    return "Nothing here parses grammar: only the course's sentences have it."


def _require_choice(name, value, choices):
    if value not in choices:
        listed = ", ".join(map(str, choices))
        raise ValueError(f"{name} must be one of {listed}: got {value!r}.")
