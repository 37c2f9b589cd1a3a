"""An explorer that trains: a Stop, a progress bar, and one end for all."""

import ipywidgets as widgets

from helpers.controls import Explorer, button
from helpers.controls.failures import named
from helpers.explorers.slices import Slices
from helpers.learn.training import TrainingError


class Trainer(Explorer):
    """Trains in slices, so that a Stop is heard; closing it stops too.

    A subclass makes what it needs for that by `_make_stop`, starts by
    `_train(steps)`, and gives `_ended(came_to_end)`; `_problem` then says
    what went wrong, or is "".
    """

    slices = None  # until the start is known to be possible

    def _make_stop(self, tooltip, counted, parts):
        """Make `stop` and `progress`, which counts to `parts`."""
        self._problem = ""
        self.slices = Slices(self._failed, self._ended)
        self.stop = button("Stop", tooltip)
        self.stop.disabled = True
        self.stop.on_click(lambda _: self.slices.stop())
        self.progress = widgets.IntProgress(
            0,
            0,
            parts,
            description=counted,
            layout=widgets.Layout(width="300px"),
        )

    def _train(self, steps):
        """Run the generator `steps`, a slice at a time."""
        self._problem = ""
        self.stop.disabled = False
        self.progress.value, self.progress.bar_style = 0, ""
        self.slices.start(self._noting_problems(steps))

    def _noting_problems(self, steps):
        try:
            yield from steps
        except TrainingError as error:
            self._problem = str(error)

    def _failed(self, error):
        self._problem = named(error)

    def close(self):
        """Close the explorer; a training ends with it."""
        if self.slices is not None:
            self.slices.stop()
        super().close()
