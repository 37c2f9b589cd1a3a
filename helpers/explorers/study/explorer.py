"""The controls of the study explorer, and what happens on a run."""

from dataclasses import dataclass

from helpers.controls import (
    Message,
    Stage,
    button,
    row,
    selection,
    style_sheet,
    switch,
)
from helpers.explorers.study import results, views
from helpers.explorers.trainer import Trainer
from helpers.learn.studies import STUDIES, shipped
from helpers.learn.study import record

PARTS = 1000  # of the progress bar


@dataclass(frozen=True)
class State:
    """What the controls say."""

    column: str
    seeds: tuple[int, ...]  # to run
    all_columns: bool


def explore_study(name, column=None):
    """Open the results of a study; nothing is trained until it is asked for.

    Parameters
    ----------
    name : str
        A key of `helpers.learn.studies.STUDIES`.
    column : str, optional
        What to show of it; the first thing measured if left out.

    Returns
    -------
    StudyExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    ValueError
        If there is no such study or column, or nothing of it is shipped.
    """
    return StudyExplorer(name, column)


class StudyExplorer(Trainer):
    """Numbers over several seeds, shipped ones and your own beside them."""

    def __init__(self, name, column):
        if name not in STUDIES:
            raise ValueError(
                f"There is no study {name!r}; there are {', '.join(STUDIES)}."
            )
        self.study, self.record = STUDIES[name], record(name)
        columns = self.study.columns
        if column is not None and column not in columns:
            raise ValueError(
                f"The study {name!r} has no column {column!r}; it has "
                f"{', '.join(columns)}."
            )
        super().__init__()
        self.shipped = results.shipped_trainings(
            shipped(name), self.record["seeds"]
        )
        self.here, self._total = (), 0
        self._make_controls(columns, column or columns[0])
        self._make_stages()
        self.lay_out(self._arranged())
        self.watch(*self.dials.values())
        self.run.on_click(self._on_run)
        self.refresh()

    def _make_controls(self, columns, column):
        self.column = selection("measured", columns, column, "420px")
        counts = range(1, len(self.record["seeds"]) + 1)
        self.n_seeds = selection("seeds to run", counts, 1)
        self.all_columns = switch("all that is measured, as a table", False)
        self.dials = {
            "column": self.column,
            "n_seeds": self.n_seeds,
            "all_columns": self.all_columns,
        }
        self.run = button("run it again here", "Train all rows, in slices")
        self._make_stop("Stop; what is finished stays", "done", PARTS)

    def _make_stages(self):
        self.heading = Stage("3em")
        self.strips = Stage("120px")
        self.table = Stage()
        self.status = Message()
        self.stages = (self.strips, self.table)

    def _arranged(self):
        return (
            style_sheet(),
            self.heading.widget,
            row(self.column, self.all_columns),
            row(self.n_seeds, self.run, self.stop, self.progress),
            self.message.widget,
            self.strips.widget,
            self.status.widget,
            self.table.widget,
        )

    # The three steps.

    def read(self):
        """Return the controls' State."""
        return State(
            self.column.value,
            tuple(self.record["seeds"][: self.n_seeds.value]),
            self.all_columns.value,
        )

    def compute(self, _state):
        """Return what is shipped and what was trained here."""
        return self.shipped, self.here

    def show(self, state, result):
        """Show the numbers of `state`, old and new side by side."""
        columns = self.study.columns if state.all_columns else (state.column,)
        self.heading.show(views.heading, self.study, self.record)
        self.strips.show(views.strips, self.study, state.column, *result)
        self.table.show(views.results_table, self.study, columns, *result)
        self.status.say(views.compared(state.column, *result, self._total))

    def remark(self, state):
        """Return how long a run takes, or that one is under way."""
        if self.slices.running:
            return "Training. Stop ends it; what is finished stays."
        return views.offer(self.study, self.shipped, state.seeds)

    def portrait(self):
        """Return a still picture and its description."""
        state = self.read()
        return views.portrait(
            self.study, state.column, self.shipped, self.here
        )

    # Training.

    def _on_run(self, _):
        self.slices.stop()
        seeds = self.read().seeds
        self.here = ()
        self._total = len(seeds) * len(self.study.rows)
        self._train(self._running(seeds))
        if self.slices.running:
            self.refresh()

    def _running(self, seeds):
        for share, trained in results.running(self.study, seeds):
            self.progress.value = round(PARTS * share)
            if trained is not None:
                self.here = (*self.here, trained)
                self.refresh()
            yield

    def _ended(self, came_to_end):
        """Say how it ended; what is finished stays."""
        self.stop.disabled = True
        whole = came_to_end and not self._problem
        self.progress.bar_style = "success" if whole else "warning"
        notice = ""
        if not whole:
            notice = (
                f"Stopped: {len(self.here)} of {self._total} trainings are "
                f"finished; the one under way is dropped."
            )
        self.refresh(notice)
        if self._problem:
            self.message.say(f"{self._problem} {notice}", problem=True)
