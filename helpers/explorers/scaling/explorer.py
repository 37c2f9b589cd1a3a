"""The controls of the explorer of scale and masks."""

from dataclasses import dataclass

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
from helpers.explorers.scaling import views
from helpers.explorers.scaling.tables import (
    AFTER,
    BEFORE,
    D_K,
    MASKS,
    NO_MASK,
    Masked,
    masked_map,
)


@dataclass(frozen=True)
class State:
    """What the controls say."""

    d_k: int
    scaled: bool
    masked: Masked


def explore_scaling(d_k=64, scaled=False, mask=NO_MASK):
    """Open the explorer of scale and masks.

    Parameters
    ----------
    d_k : int
        A power of 2 from 1 to 1024.
    scaled : bool
        True: scores are divided by √d_k.
    mask : str
        One of `tables.MASKS`.

    Returns
    -------
    ScalingExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    ValueError
        If a starting value is not among the choices.
    """
    return ScalingExplorer(d_k, scaled, mask)


class ScalingExplorer(Explorer):
    """What d_k does to a row, and what a mask does to a sentence."""

    def __init__(self, d_k, scaled, mask):
        require_choice("d_k", d_k, D_K)
        require_choice("mask", mask, MASKS)
        super().__init__()
        self.d_k = selection("width d_k", D_K, d_k)
        self.scaled = switch("scale: divide by √d_k", bool(scaled))
        self.show_curves = switch("curves as a table", False)
        self.mask = choice("mask", MASKS, mask)
        self.real = selection("words, the rest padding", range(10), 7)
        self.acts = choice("the mask acts", (BEFORE, AFTER), BEFORE)
        self.show_map = switch("map as a table", False)
        self.dials = {
            "width d_k": self.d_k,
            "scale": self.scaled,
            "mask": self.mask,
            "words": self.real,
            "the mask acts": self.acts,
        }
        self.scale_status, self.mask_status = Message(), Message()
        self.curves, self.bars, self.map = Stage(), Stage(), Stage()
        self.curve_table = Stage(width="auto")
        self.map_table = Stage(width="auto")
        self.stages = (
            self.curves,
            self.bars,
            self.map,
            self.curve_table,
            self.map_table,
        )
        self.lay_out(self._arranged())
        self.watch(
            self.d_k,
            self.scaled,
            self.show_curves,
            self.mask,
            self.real,
            self.acts,
            self.show_map,
        )
        self.refresh()

    def _arranged(self):
        return (
            style_sheet(),
            row(self.d_k, self.scaled, self.show_curves),
            self.message.widget,
            self.curves.widget,
            self.bars.widget,
            self.scale_status.widget,
            self.curve_table.widget,
            row(self.mask, self.real),
            row(self.acts, self.show_map),
            self.map.widget,
            self.mask_status.widget,
            self.map_table.widget,
        )

    def read(self):
        """Return the controls' State."""
        return State(
            self.d_k.value,
            self.scaled.value,
            Masked(self.mask.value, self.acts.value, self.real.value),
        )

    def compute(self, state):
        """Return the MaskedMap of `state`; the curves are computed once."""
        return masked_map(state.masked)

    def show(self, state, result):
        """Show pictures, tables and sentences of `state`."""
        self.real.disabled = "padding" not in state.masked.mask
        self.curves.show(views.scale_curves, state.d_k, state.scaled)
        self.bars.show(views.example_bars, state.d_k, state.scaled)
        self.scale_status.say(views.scale_in_words(state.d_k, state.scaled))
        self.map.show(views.mask_map, state.masked, result)
        self.mask_status.say(views.mask_in_words(state.masked, result))
        self.curve_table.show_if(self.show_curves.value, views.scale_table)
        self.map_table.show_if(self.show_map.value, views.mask_table, result)

    def remark(self, state):
        """Return what matters most at this d_k, or ""."""
        return views.scale_remark(state.d_k, state.scaled)

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(
            state.d_k, state.scaled, state.masked, self.compute(state)
        )
