"""The panel that measures time: two buttons, a picture, a table."""

from helpers.controls import Message, Stage, button, switch
from helpers.explorers.ledger import timing, views
from helpers.explorers.slices import Slices


class Clock:
    """Measures what a layer takes now, in slices, for several h.

    Parameters
    ----------
    on_failure : callable
        Called with the exception if a measurement fails.
    """

    def __init__(self, on_failure):
        self.times = timing.Times(1, 1)
        self._h = 1
        self.slices = Slices(on_failure, self._ended)
        self.measure = button(
            "measure time now", "Run attention on this machine: some seconds"
        )
        self.stop = button(
            "stop measuring", "Stop after the run that is under way"
        )
        self.stop.disabled = True
        self.show_table = switch("measured times as a table", False)
        self.status = Message(lines=3)
        self.picture = Stage("212px")
        self.table = Stage()
        self.measure.on_click(self._on_measure)
        self.stop.on_click(lambda _: self.slices.stop())
        self.show_table.observe(lambda _: self._show(), "value")

    @property
    def controls(self):
        """The buttons and the switch, to be set in one row."""
        return self.measure, self.stop, self.show_table

    @property
    def below(self):
        """What stands below the controls."""
        return self.status.widget, self.picture.widget, self.table.widget

    def follow(self, state):
        """Keep the times if they belong to `state`, else forget them."""
        N, d_model = timing.timed_N(state.N), state.sizes.d_model
        self._h = state.sizes.h
        if (self.times.N, self.times.d_model) != (N, d_model):
            self.slices.stop()
            self.times = timing.Times(N, d_model)
        if not self.slices.running or self.times.seconds:
            self._show()

    def _on_measure(self, _):
        self.times = timing.Times(self.times.N, self.times.d_model)
        self.measure.disabled, self.stop.disabled = True, False
        self._show()
        self.status.say(views.MEASURING)
        self.slices.start(self._measuring())

    def _measuring(self):
        N, d_model = self.times.N, self.times.d_model
        heads = timing.timed_heads(d_model)
        for run in timing.runs(N, d_model, heads):
            if run is not None:
                self.times = self.times.with_run(*run)
                if run[0] == heads[-1]:
                    self._show()
            yield

    def _ended(self, _):
        self.measure.disabled, self.stop.disabled = False, True
        self._show()

    def _show(self):
        measured = len(timing.timed_heads(self.times.d_model))
        self.picture.show(views.times_picture, self.times, self._h, measured)
        self.status.say(views.times_in_words(self.times))
        if self.show_table.value:
            self.table.show(views.times_table, self.times)
        else:
            self.table.clear()
