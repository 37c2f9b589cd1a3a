"""The playground: the loop, and what stands where."""

from helpers.controls import (
    Explorer,
    LinkedSelection,
    Message,
    Stage,
    require_choice,
    row,
    style_sheet,
)
from helpers.controls.settings import CodeError
from helpers.explorers.costs import ledger_table
from helpers.explorers.grouped.views import wires
from helpers.explorers.multi_head import views as heads
from helpers.explorers.multi_head.desk import SWATCHES, preset_of
from helpers.explorers.multi_head.layer import HAND_BUILT
from helpers.explorers.playground import views
from helpers.explorers.playground.desk import (
    AS_SLIDERS,
    GREYED,
    PlaygroundDesk,
)
from helpers.explorers.playground.kinds import (
    FIXED,
    KINDS,
    sizes_of,
    why_not,
)
from helpers.explorers.playground.layer import Layers, State
from helpers.explorers.shared_heads import SharedSelection
from helpers.pictures.maps import MOST_MAPS
from helpers.sentences import relations, words
from helpers.sizes import D_MODEL_CHOICES, Sizes


def explore_playground(
    h=8, d_model=512, n_kv=None, sentence="hungry", kind=HAND_BUILT
):
    """Open the playground.

    Parameters
    ----------
    h, d_model : int
        Where the sliders start. h divides d_model; d_model is one of
        `sizes.D_MODEL_CHOICES`.
    n_kv : int, optional
        Key/value heads; divides h. Left out: h.
    sentence : str
        "hungry", "tasty", "swapped", or a sentence of your own.
    kind : str
        "hand-built", "random (control)", "trained" or "real".

    Returns
    -------
    PlaygroundExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    SizeError, TextError, ValueError
        If a starting value is not possible.
    """
    return PlaygroundExplorer(h, d_model, n_kv, sentence, kind)


class PlaygroundExplorer(PlaygroundDesk, Explorer):
    """Maps, wiring, work and memory of one layer, under all controls."""

    lines = 3

    def __init__(self, h, d_model, n_kv, sentence, kind):
        require_choice("d_model", d_model, D_MODEL_CHOICES)
        require_choice("kind", kind, KINDS)
        sizes = Sizes(d_model, h, n_kv)  # raises if they do not fit
        preset, text = preset_of(sentence)
        tokens = words(text)
        if reason := why_not(kind, tokens):
            raise ValueError(reason)
        super().__init__()
        self._layers = Layers()
        self._make_controls(sizes.h, sizes.n_kv, d_model, preset, text)
        self._make_stages()
        self.lay_out(self._arranged())
        self._follow_sentence(tokens)
        self._connect()
        self._start_kind = kind
        self._take_kind(kind)
        self.refresh()

    def _make_stages(self):
        self.status = Message(lines=2)
        self.maps, self.row_table = Stage(), Stage()
        self.wires, self.badge = Stage(), Stage("2em")
        self.price, self.bars = Stage("3.2em"), Stage()
        self.not_free, self.kept = Stage("9.2em"), Stage("3em")
        self.cache, self.ledger_table = Stage(), Stage()
        self.stages = (
            *(self.maps, self.row_table, self.wires, self.badge),
            *(self.price, self.bars, self.not_free, self.kept),
            *(self.cache, self.ledger_table),
        )

    def _arranged(self):
        sliders = (self.d_model, self.h, self.n_kv)
        pairs = [c for s in sliders for c in (s, self.fixed[s])]
        return (
            style_sheet(SWATCHES + GREYED + AS_SLIDERS),
            row(*pairs, self.restart),
            row(self.sentence, self.text),
            row(self.kind, self.causal),
            row(self.depth),
            row(*self.relations.values()),
            self.message.widget,
            self.status.widget,
            self.maps.widget,
            row(self.query, self.key, self.show_table, self.page),
            self.row_table.widget,
            self.wires.widget,
            self.badge.widget,
            row(self.ledger_N, self.number_type, self.show_ledger),
            self.price.widget,
            self.bars.widget,
            self.not_free.widget,
            self.kept.widget,
            self.cache.widget,
            self.ledger_table.widget,
        )

    def _connect(self):
        self._linked_h = LinkedSelection(self.h, self._on_heads)
        self._shared = SharedSelection(self.n_kv, self._on_shared)
        self._plain = self.n_kv.value == self.h.value
        self._start = [(c, c.value) for c in self.settings()]
        self.restart.on_click(self._start_again)
        self.d_model.observe(self._on_width, "value")
        self.sentence.observe(self._on_sentence, "value")
        self.text.observe(self._on_text, "value")
        self.kind.observe(self._on_kind, "value")
        followed = (
            *(self.d_model, self.h, self.n_kv),
            *(self.sentence, self.text, self.kind),
        )
        self.watch(*(c for c in self.settings() if c not in followed))

    def restore(self, code, **limits):
        """Move the controls to where `code` says, in one redraw.

        Heads that have sizes of their own give way first, so that a code of
        sizes can be read; a longer code brings its own kind.
        """
        before, own = self.code, self._kind in FIXED
        if own:
            self._take_kind(HAND_BUILT)
        try:
            return super().restore(code, **limits)
        except CodeError:
            if own:
                super().restore(before)
            raise

    def read(self):
        """Return the controls' State."""
        tokens = words(self.text.value)
        kind = self._kind
        sizes = sizes_of(
            kind, self.d_model.value, self.h.value, self.n_kv.value
        )
        self.offer_pages(self.page, sizes.h, MOST_MAPS)
        return State(
            tokens=self._shown(tokens),
            relations=tuple(
                relation
                for relation in relations(tokens)
                if kind == HAND_BUILT and self.relations[relation.name].value
            ),
            sizes=sizes,
            kind=kind,
            causal=self.causal.value and kind not in FIXED,
            bug=None,
            ledger_N=self.ledger_N.value,
            chosen=(self.query.value, self.key.value),
            first=self.page.value,
            sentence=" ".join(tokens),
            depth=self.depth.value - 1,
            number_type=self.number_type.value,
        )

    def compute(self, state):
        """Return the Result of `state`."""
        return self._layers.run(state)

    def show(self, state, result):
        """Show pictures, tables and sentences of `state`."""
        N, sizes, number_type = state.ledger_N, state.sizes, state.number_type
        self.maps.show(heads.maps, state, result)
        self.status.say(heads.cell_in_words(state, result))
        self.row_table.show_if(
            self.show_table.value, heads.weights_table, state, result
        )
        self.wires.show(wires, state.sharing)
        self.badge.show(heads.badge, state.N, result.counted, result.formula)
        self.price.show(views.price, N, sizes)
        self.bars.show(views.bars, N, sizes)
        self.not_free.show(views.not_free, N, sizes, number_type)
        self.kept.show(views.kept, N, sizes, number_type)
        self.cache.show(views.cache, N, sizes, number_type)
        self.ledger_table.show_if(
            self.show_ledger.value, ledger_table, N, sizes
        )

    def remark(self, state):
        """Return what these maps are evidence of, and what limits them."""
        return views.remark(state, self.compute(state))

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(state, self.compute(state))
