"""The controls of the explorer of grouped heads."""

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
from helpers.cost import binary_units
from helpers.explorers.grouped import amounts, views
from helpers.explorers.grouped.layer import (
    HAND_BUILT,
    RANDOM,
    Layers,
    Shape,
    State,
)
from helpers.explorers.multi_head.views import cell_in_words
from helpers.models import MODELS
from helpers.pictures.maps import MOST_MAPS
from helpers.sentences import HUNGRY, relations, words
from helpers.sizes import Sizes, divisors, require_n_kv

EXAMPLE = "example: 8 heads"
SHAPES = {
    EXAMPLE: Shape(EXAMPLE, 12, Sizes(512, 8, n_kv=4), 8192, public=False),
    **{
        name: Shape(name, m.n_layers, m.sizes(), m.context, m.note)
        for name, m in MODELS.items()
    },
}
CONTEXTS = (1, 9, *(2**power for power in range(7, 21)))
BATCHES = tuple(2**power for power in range(11))
NUMBER_TYPES = ("float32", "bfloat16", "float8")
MEMORY = (  # bytes
    *(amount * 2**20 for amount in (128, 512)),
    *(amount * 2**30 for amount in (1, 2, 4, 8, 16, 24, 40, 80)),
    *(amount * 2**30 for amount in (160, 320, 640, 1280)),
)
MAPS_HEIGHT, WIRES_HEIGHT = "446px", "172px"


def explore_grouped(
    model=EXAMPLE, n_kv=None, N=8192, batch=1, number_type="bfloat16"
):
    """Open the explorer of grouped heads.

    Parameters
    ----------
    model : str
        A name in `models.MODELS`, or "example: 8 heads".
    n_kv : int, optional
        Where the dial starts; divides the model's h. Left out: the model's
        own.
    N, batch : int
        Tokens in the cache, one of CONTEXTS; sentences, one of BATCHES.
    number_type : str
        One of NUMBER_TYPES.

    Returns
    -------
    GroupedExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    SizeError, ValueError
        If a starting value is not possible.
    """
    return GroupedExplorer(model, n_kv, N, batch, number_type)


class GroupedExplorer(Explorer):
    """Wiring, maps, cache and work, all under the dial n_kv."""

    def __init__(self, model, n_kv, N, batch, number_type):
        require_choice("model", model, SHAPES, most=16)
        require_choice("N", N, CONTEXTS, most=16)
        require_choice("batch", batch, BATCHES)
        require_choice("number_type", number_type, NUMBER_TYPES)
        sizes = SHAPES[model].sizes
        n_kv = sizes.n_kv if n_kv is None else require_n_kv(n_kv, sizes.h)
        super().__init__()
        self._layers = Layers()
        self._tokens = words(HUNGRY)
        self._relations = relations(self._tokens)
        self._make_controls(model, n_kv, N, batch, number_type)
        self._make_stages()
        self.lay_out(self._arranged())
        self.model.observe(self._on_model, "value")
        self.watch(
            self.n_kv,
            self.N,
            self.batch,
            self.number_type,
            self.limit,
            self.units,
            self.kind,
            self.query,
            self.key,
            self.page,
            self.show_table,
        )
        self.refresh()

    def _make_controls(self, model, n_kv, N, batch, number_type):
        h = SHAPES[model].sizes.h
        self.model = selection("model", tuple(SHAPES), model, "460px")
        self.n_kv = selection("key/value heads n_kv", divisors(h), n_kv)
        self.N = selection(
            "context N", [(f"{n:,}", n) for n in CONTEXTS], N, "360px"
        )
        self.batch = selection("batch", BATCHES, batch)
        self.number_type = choice("number type", NUMBER_TYPES, number_type)
        self.limit = selection(
            "memory for the cache",
            [(binary_units(amount), amount) for amount in MEMORY],
            MEMORY[0],
            "360px",
        )
        self.units = choice("bytes in", amounts.UNITS, amounts.GIB)
        self.kind = choice("heads are", (HAND_BUILT, RANDOM), HAND_BUILT)
        places = [(f"{i + 1} {t}", i) for i, t in enumerate(self._tokens)]
        self.query = selection("query", places, 2)
        self.key = selection("key", places, 1)
        self.page = selection("heads shown", [("1", 0)], 0)
        self.show_table = switch("all numbers as a table", False)
        self.dials = {
            "model": self.model,
            "n_kv": self.n_kv,
            "N": self.N,
            "batch": self.batch,
            "number type": self.number_type,
            "memory": self.limit,
            "bytes in": self.units,
            "heads are": self.kind,
            "query": self.query,
            "key": self.key,
        }

    def _make_stages(self):
        self.status = Message()
        self.shared = Stage("3em")
        self.wires = Stage(WIRES_HEIGHT)
        self.maps = Stage(MAPS_HEIGHT)
        self.cache = Stage("130px")
        self.bytes_line = Stage("6em")
        self.work = Stage("122px")
        self.work_line = Stage("3em")
        self.table = Stage(width="auto")
        self.stages = (
            self.shared,
            self.wires,
            self.maps,
            self.cache,
            self.bytes_line,
            self.work,
            self.work_line,
            self.table,
        )

    def _arranged(self):
        return (
            style_sheet(),
            row(self.n_kv, self.model),
            row(self.kind),
            self.shared.widget,
            self.message.widget,
            self.wires.widget,
            self.maps.widget,
            row(self.query, self.key, self.page),
            self.status.widget,
            row(self.N, self.batch, self.limit),
            row(self.number_type, self.units),
            self.cache.widget,
            self.bytes_line.widget,
            self.work.widget,
            self.work_line.widget,
            row(self.show_table),
            self.table.widget,
        )

    def _on_model(self, change):
        """Take another model's heads, and its own n_kv."""
        sizes = SHAPES[change["new"]].sizes
        self._busy = True
        try:
            with self.n_kv.hold_sync():
                self.n_kv.options = divisors(sizes.h)
                self.n_kv.value = sizes.n_kv
            self.page.value = self.page.options[0][1]
        finally:
            self._busy = False
        self.refresh()

    def read(self):
        """Return the controls' State."""
        shape = SHAPES[self.model.value]
        self.offer_pages(self.page, shape.sizes.h, MOST_MAPS)
        return State(
            shape=shape,
            n_kv=self.n_kv.value,
            N=self.N.value,
            batch=self.batch.value,
            number_type=self.number_type.value,
            limit=self.limit.value,
            units=self.units.value,
            kind=self.kind.value,
            tokens=self._tokens,
            relations=self._relations,
            chosen=(self.query.value, self.key.value),
            first=self.page.value,
        )

    def compute(self, state):
        """Return the Result of `state`."""
        return self._layers.run(state)

    def show(self, state, result):
        """Show pictures, sentences and the table of `state`."""
        heads, memory = state.of_heads(), state.of_memory()
        self.wires.show(views.wires, heads.at_no_place())
        self.maps.show(views.maps, heads, result)
        self.shared.show(views.shared, heads.at_no_place())
        self.status.say(cell_in_words(state, result))
        self.cache.show(amounts.cache, memory)
        self.bytes_line.show(amounts.bytes_line, memory, result.kept)
        self.work.show(amounts.work, memory)
        self.work_line.show(amounts.work_line, memory)
        self.table.show_if(self.show_table.value, amounts.work_table, memory)

    def remark(self, state):
        """Return what is special of this model at this setting."""
        return views.remark(state)

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(state, self.compute(state))
