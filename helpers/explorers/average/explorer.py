"""The controls of the plane's explorer, and what happens when one moves."""

from helpers.controls import (
    Explorer,
    Message,
    Stage,
    require_choice,
    row,
    selection,
    style_sheet,
    switch,
)
from helpers.explorers.average import views
from helpers.explorers.average.scene import (
    QUERY_STEPS,
    TEMPERATURES,
    State,
    average,
)


def explore_average(x=1.5, y=1, temperature=1):
    """Open the plane: move a query, see weights and output move.

    Parameters
    ----------
    x, y : float
        Where the query starts: -3 to 3 in quarters.
    temperature : float
        What scores are divided by; one of `scene.TEMPERATURES`.

    Returns
    -------
    AverageExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    ValueError
        If a starting value is not among the choices.
    """
    return AverageExplorer(x, y, temperature)


class AverageExplorer(Explorer):
    """A query, five keys and values, and the average that comes out."""

    def __init__(self, x, y, temperature):
        for name, value, choices in (
            ("x", x, QUERY_STEPS),
            ("y", y, QUERY_STEPS),
            ("temperature", temperature, TEMPERATURES),
        ):
            require_choice(name, value, choices, "{:g}".format)
        super().__init__()
        steps = [(f"{step:g}", step) for step in QUERY_STEPS]
        self.x = selection("query x", steps, float(x))
        self.y = selection("query y", steps, float(y))
        self.temperature = selection(
            "temperature",
            [(f"{value:g}", value) for value in TEMPERATURES],
            temperature,
        )
        self.show_table = switch("scores and weights as a table", False)
        self.status = Message()
        self.planes, self.bars = Stage(), Stage()
        self.table = Stage(width="auto")
        self.stages = (self.planes, self.bars, self.table)
        self.dials = {
            "temperature": self.temperature,
            "query x": self.x,
            "query y": self.y,
        }
        self.lay_out(
            (
                style_sheet(),
                row(self.x, self.y, self.temperature),
                self.message.widget,
                self.planes.widget,
                self.bars.widget,
                self.status.widget,
                self.show_table,
                self.table.widget,
            )
        )
        self.watch(self.x, self.y, self.temperature, self.show_table)
        self.refresh()

    def read(self):
        """Return the controls' State."""
        return State(self.x.value, self.y.value, self.temperature.value)

    def compute(self, state):
        """Return the Result of `state`."""
        return average(state)

    def show(self, state, result):
        """Show pictures, table and sentences of `state`."""
        self.planes.show(views.picture, state, result)
        self.bars.show(views.weight_bars, state, result)
        self.status.say(views.in_words(state, result))
        self.table.show_if(
            self.show_table.value, views.row_table, state, result
        )

    def remark(self, state):
        """Return what is special about this setting, or ""."""
        return views.remark(state, average(state))

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(state, self.compute(state))
