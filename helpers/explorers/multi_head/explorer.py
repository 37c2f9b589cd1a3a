"""The controls of the main explorer, and what happens when one moves."""

import ipywidgets as widgets

from helpers.controls import (
    Explorer,
    LinkedSelection,
    Message,
    Stage,
    require_choice,
    row,
    style_sheet,
)
from helpers.explorers.costs import IN_NARROW, TABLE_HEIGHT
from helpers.explorers.multi_head import views
from helpers.explorers.multi_head.desk import (
    NO_BUG,
    SWATCHES,
    MainDesk,
    preset_of,
)
from helpers.explorers.multi_head.layer import (
    HAND_BUILT,
    RANDOM,
    Layers,
    State,
)
from helpers.pictures.maps import MOST_MAPS
from helpers.sentences import (
    relations,
    words,
)
from helpers.sizes import D_MODEL_CHOICES, Sizes, divisors

LEDGER_HEIGHT = "190px"
GALLERY_HEIGHT = f"calc(18.7em + {IN_NARROW} * 1.5em)"  # of the longest bug
TABLE_WIDTHS = "622px", "310px"  # of the largest numbers: both in one line


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


class MultiHeadExplorer(MainDesk, Explorer):
    """Heads, their maps, and what they cost, side by side."""

    def __init__(self, h, d_model, sentence, kind, causal):
        require_choice("d_model", d_model, D_MODEL_CHOICES)
        require_choice("kind", kind, (HAND_BUILT, RANDOM))
        Sizes(d_model, h)  # raises if h does not go with d_model
        preset, text = preset_of(sentence)
        tokens = words(text)
        super().__init__()
        self._layers = Layers()
        self._make_controls(h, d_model, preset, text)
        self.kind.value, self.causal.value = kind, causal
        self._follow_sentence(tokens)
        self._make_stages()
        self.lay_out(self._arranged())
        self._connect()
        self.refresh()

    def _make_stages(self):
        self.status = Message(lines=1)
        self.maps = Stage()
        self.ledger = Stage(LEDGER_HEIGHT)
        self.badge = Stage("2em")
        self.row_table = Stage()
        self.ledger_table, self.shapes_table = (
            Stage(TABLE_HEIGHT, width) for width in TABLE_WIDTHS
        )
        self.gallery = Stage(GALLERY_HEIGHT)
        self.stages = (
            self.maps,
            self.ledger,
            self.badge,
            self.row_table,
            self.ledger_table,
            self.shapes_table,
        )

    def _arranged(self):
        tables = widgets.Layout(
            flex_flow="row wrap", grid_gap="2px 30px", align_items="flex-start"
        )

        return (
            style_sheet(SWATCHES),
            row(self.h, self.d_model, self.causal, self.restart),
            row(self.sentence, self.text),
            row(self.kind, self.bug),
            row(*self.relations.values()),
            self.message.widget,
            self.status.widget,
            self.maps.widget,
            row(self.query, self.key, self.show_table, self.page),
            self.row_table.widget,
            self.badge.widget,
            row(self.ledger_N, self.show_ledger),
            self.ledger.widget,
            widgets.HBox(
                (self.ledger_table.widget, self.shapes_table.widget),
                layout=tables,
            ),
            self.gallery.widget,
        )

    def _connect(self):
        self._linked_h = LinkedSelection(self.h, self._changed)
        self._start = [(c, c.value) for c in self.settings()]
        self.restart.on_click(self._start_again)
        self.d_model.observe(self._on_width, "value")
        self.sentence.observe(self._on_sentence, "value")
        self.text.observe(self._on_text, "value")
        followed = (self.d_model, self.h, self.sentence, self.text)
        self.watch(*(c for c in self.settings() if c not in followed))

    # What one control does to others; each ends in one refresh.

    def _on_width(self, change):
        moved = self._linked_h.offer(divisors(change["new"]))
        if not self._busy:
            self.refresh(moved)

    # The three steps.

    def read(self):
        """Return the controls' State."""
        tokens = words(self.text.value)
        sizes = Sizes(self.d_model.value, self.h.value)
        self.offer_pages(self.page, sizes.h, MOST_MAPS)
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
            bug=None if self.bug.value == NO_BUG else self.bug.value,
            ledger_N=self.ledger_N.value,
            chosen=(self.query.value, self.key.value),
            first=self.page.value,
        )

    def compute(self, state):
        """Return the Result of `state`."""
        return self._layers.run(state)

    def show(self, state, result):
        """Show pictures, tables and sentences of `state`."""
        self.maps.show(views.maps, state, result)
        self.status.say(views.cell_in_words(state, result))
        self.badge.show(views.badge, state.N, result.counted, result.formula)
        self.ledger.show(views.ledger, state.ledger_N, state.sizes)
        self.row_table.show_if(
            self.show_table.value, views.weights_table, state, result
        )
        on = self.show_ledger.value
        self.ledger_table.show_if(
            on, views.ledger_table, state.ledger_N, state.sizes
        )
        self.shapes_table.show_if(on, views.shapes_table, state.N, state.sizes)
        self.gallery.show(views.gallery, state.bug, state.causal)

    def remark(self, state):
        """Return what limits these maps, or ""."""
        return views.limits_in_words(state)

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(state, self.compute(state))
