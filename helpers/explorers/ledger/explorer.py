"""The controls of the ledger explorer, and what happens when one moves."""

from dataclasses import dataclass

from helpers.controls import (
    Explorer,
    LinkedSelection,
    Stage,
    choice,
    require_choice,
    row,
    selection,
    style_sheet,
    switch,
)
from helpers.controls.places import MORE_LINES
from helpers.explorers.costs import (
    IN_NARROW,
    TABLE_HEIGHT,
    columns,
    ledger_table,
)
from helpers.explorers.ledger import views
from helpers.explorers.ledger.clock import Clock
from helpers.explorers.shared_heads import SharedSelection
from helpers.pictures.bars import FLOPS_IN
from helpers.sizes import D_MODEL_CHOICES, Sizes, divisors

# Six lines of text, or seven; in a window narrower still they are nine.
NOT_FREE_HEIGHT = f"calc(9.2em + {MORE_LINES} + {IN_NARROW} * 1.5em)"
N_CHOICES = (8, 9, *(2**power for power in range(4, 18)))


@dataclass(frozen=True)
class State:
    """What the controls say."""

    N: int
    sizes: Sizes
    unit: str
    one_head_mixes: bool
    draws_full: bool
    number_type: str = "float32"  # of the scores


def explore_ledger(h=8, d_model=512, N=512, n_kv=None):
    """Open the ledger explorer.

    Parameters
    ----------
    h, d_model : int
        Where the sliders start. h divides d_model; d_model is one of
        `sizes.D_MODEL_CHOICES`.
    N : int
        Tokens: 8, 9, or a power of two up to 131,072.
    n_kv : int, optional
        Key/value heads; divides h. Left out: h.

    Returns
    -------
    LedgerExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    SizeError, ValueError
        If a starting value is not possible.
    """
    return LedgerExplorer(h, d_model, N, n_kv)


class LedgerExplorer(Explorer):
    """One head, h heads, and h heads of full width: what each costs."""

    clock = None  # until the start is known to be possible

    def __init__(self, h, d_model, N, n_kv):
        require_choice("d_model", d_model, D_MODEL_CHOICES)
        require_choice("N", N, N_CHOICES, "{:,}".format)
        sizes = Sizes(d_model, h, n_kv)
        super().__init__()
        self.clock = Clock(self._failed)
        self._make_controls(sizes, N)
        self._make_stages()
        self.lay_out(self._arranged())
        self._connect()
        self.refresh()

    def _make_controls(self, sizes, N):
        self.h = selection("heads h", divisors(sizes.d_model), sizes.h)
        self.n_kv = selection(
            "key/value heads n_kv", divisors(sizes.h), sizes.n_kv, "360px"
        )
        self.d_model = selection(
            "width d_model", D_MODEL_CHOICES, sizes.d_model
        )
        self.N = selection("tokens N", [(f"{n:,}", n) for n in N_CHOICES], N)
        self.unit = choice("count in", list(FLOPS_IN), "FLOPs")
        self.one_head_mixes = switch("one head has a W_O too", True)
        self.draws_full = switch("draw full-width heads too", True)
        self.show_table = switch("ledger as a table", True)
        self.dials = {
            "d_model": self.d_model,
            "h": self.h,
            "n_kv": self.n_kv,
            "N": self.N,
            "count in": self.unit,
            "one head has a W_O": self.one_head_mixes,
            "full-width heads": self.draws_full,
        }

    def _make_stages(self):
        self.price = Stage("3.2em")
        self.bars = Stage("120px")
        self.not_free = Stage(NOT_FREE_HEIGHT)
        self.ledger_table = Stage(TABLE_HEIGHT)
        self.stages = (
            self.price,
            self.bars,
            self.not_free,
            self.ledger_table,
        )

    def _arranged(self):
        return (
            style_sheet(),
            row(self.h, self.n_kv),
            row(self.d_model, self.N),
            row(self.unit, self.one_head_mixes),
            row(self.draws_full, self.show_table),
            self.message.widget,
            self.price.widget,
            self.bars.widget,
            self.not_free.widget,
            self.ledger_table.widget,
            row(*self.clock.controls),
            *self.clock.below,
        )

    def _connect(self):
        self._linked_h = LinkedSelection(self.h, self._on_heads)
        self._shared = SharedSelection(self.n_kv, self._on_shared)
        self._plain = self.n_kv.value == self.h.value
        self.d_model.observe(self._on_width, "value")
        self.watch(
            self.N,
            self.unit,
            self.one_head_mixes,
            self.draws_full,
            self.show_table,
        )

    # What one control does to others; each ends in one refresh.

    def _on_width(self, change):
        said = self._linked_h.offer(divisors(change["new"]))
        self.refresh(f"{said} {self._follow_h()}".strip())

    def _on_heads(self, _):
        self.refresh(self._follow_h())

    def _on_shared(self, _):
        self._plain = self.n_kv.value == self.h.value
        self.refresh()

    def _follow_h(self):
        return self._shared.follow(self.h.value, self._plain)

    # The three steps.

    def read(self):
        """Return the controls' State."""
        return State(
            N=self.N.value,
            sizes=Sizes(self.d_model.value, self.h.value, self.n_kv.value),
            unit=self.unit.value,
            one_head_mixes=self.one_head_mixes.value,
            draws_full=self.draws_full.value,
        )

    def compute(self, state):
        """Return the three columns of `state`."""
        return columns(state.N, state.sizes, state.one_head_mixes)

    def show(self, state, result):
        """Show pictures, tables and sentences of `state`."""
        self.price.show(views.price, state, result)
        self.bars.show(views.picture, state, result)
        self.not_free.show(views.not_free, state)
        self.ledger_table.show_if(
            self.show_table.value,
            ledger_table,
            state.N,
            state.sizes,
            state.unit,
            state.one_head_mixes,
        )
        self.clock.follow(state)

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(state, self.compute(state))

    # Measuring.

    def _failed(self, error):
        self.message.say(views.failed(error), problem=True)

    def close(self):
        """Close the explorer; a measurement ends with it."""
        if self.clock is not None:
            self.clock.slices.stop()
        super().close()
