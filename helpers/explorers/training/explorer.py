"""The controls of the training explorer, and what happens on Train."""

from helpers.controls import (
    Message,
    Stage,
    button,
    choice,
    row,
    selection,
    style_sheet,
)
from helpers.explorers.trainer import Trainer
from helpers.explorers.training import runs, views
from helpers.explorers.training.attempts import attempts_table
from helpers.explorers.training.setting import (
    HEADS,
    NOUNS,
    RATES,
    SEEDS,
    VARIANTS,
    Setting,
    require_offered,
)
from helpers.explorers.training.shipped import shipped_runs


def explore_training(
    h=1, variant="as it stands", nouns=32, seed=0, learning_rate=0.005
):
    """Open the training explorer; nothing is trained until Train is pressed.

    Parameters
    ----------
    h : int
        1, 2, 4 or 8 heads.
    variant : str
        One of `setting.VARIANTS`: what is changed about the model.
    nouns : int
        2, 3, 8 or 32.
    seed : int
        0 to 9: of the first weights and of the sentences.
    learning_rate : float
        One of `setting.RATES`; with the largest the loss runs away.

    Returns
    -------
    TrainingExplorer
        A box; the last line of a cell shows it.

    Raises
    ------
    ValueError
        If a starting value is not offered.
    """
    return TrainingExplorer(
        h=h,
        variant=variant,
        nouns=nouns,
        seed=seed,
        learning_rate=learning_rate,
    )


class TrainingExplorer(Trainer):
    """A small model to train: who did what, with as few heads as it takes."""

    def __init__(self, **start):
        require_offered(**start)
        super().__init__()
        self.attempts = tuple(shipped_runs().values())
        self._by_setting = dict(shipped_runs())
        self._live = None  # the Setting that is trained now
        self.shown = self.attempts[0]
        self._make_controls(**start)
        self._make_stages()
        self.lay_out(self._arranged())
        self.watch(*self.dials.values())
        self.train.on_click(self._on_train)
        self.refresh()

    def _make_controls(self, h, variant, nouns, seed, learning_rate):
        self.h = selection("heads h", HEADS, h)
        self.variant = choice("model", list(VARIANTS), variant)
        self.nouns = selection("nouns", NOUNS, nouns)
        self.seed = selection("seed", SEEDS, seed)
        rates = [(f"{rate:g}", rate) for rate in RATES]
        self.learning_rate = selection("learning rate", rates, learning_rate)
        self.dials = {
            "h": self.h,
            "variant": self.variant,
            "nouns": self.nouns,
            "seed": self.seed,
            "learning_rate": self.learning_rate,
        }
        self.train = button("Train", "Train a fresh model: some seconds")
        self._make_stop("Stop after the step that runs now", "steps", 1)

    def _make_stages(self):
        self.price = Stage("3em")
        self.curves = Stage("230px")
        self.maps = Stage("184px")  # two heads, two orders
        self.words = Message()
        self.table = Stage("12em")
        self.stages = (self.curves, self.maps)

    def _arranged(self):
        return (
            style_sheet(),
            row(self.h, self.nouns),
            self.variant,
            row(self.seed, self.learning_rate),
            row(self.train, self.stop, self.progress),
            self.price.widget,
            self.message.widget,
            self.curves.widget,
            self.words.widget,
            self.maps.widget,
            self.table.widget,
        )

    # The three steps.

    def read(self):
        """Return the controls' Setting."""
        return Setting(
            self.h.value,
            self.variant.value,
            self.nouns.value,
            self.seed.value,
            self.learning_rate.value,
        )

    def compute(self, state):
        """Return the Run to show of `state`, or None if there is none."""
        if self.shown.setting == state:
            return self.shown
        return self._by_setting.get(state)

    def show(self, state, result):
        """Show the cost of `state`, and its run; grey what is another's."""
        self.price.show(views.price, state)
        self.table.show(attempts_table, self.attempts)
        if self._live is not None:
            return
        if result is not None:
            self.shown = result
        self._draw(self.shown)
        if result is None:
            self._mark_old()

    def remark(self, state):
        """Return what the picture has to do with `state`."""
        if self._live is not None:
            return views.goes_on(self._live, state)
        if self.shown.setting == state:
            return views.outcome_in_words(self.shown)
        return views.not_trained(state, self.shown)

    def portrait(self):
        """Return the shipped runs as a still picture, and its description."""
        return views.portrait(tuple(shipped_runs().values()))

    def _draw(self, run):
        self.curves.show(views.curves, run)
        self.maps.show(views.maps, run)
        self.words.say(views.answers_in_words(run))

    def _mark_old(self):
        for stage in self.stages:
            stage.mark_old()

    # Training.

    def _on_train(self, _):
        self.slices.stop()
        self._live = self.read()
        self._so_far = None
        self.refresh()
        self._train(self._training(self._live))

    def _training(self, setting):
        for run in runs.training(setting):
            if run is not None:
                self._so_far = run
                self._draw(run)
                self.progress.max = run.steps
                self.progress.value = run.step
            yield

    def _ended(self, _):
        """Keep what is finished, label what is not, say what went wrong."""
        setting, self._live = self._live, None
        run, self.stop.disabled = self._so_far, True
        notice, style = "", "warning"
        if self._problem:
            style = "danger"
        elif run is None:
            notice = "Stopped before there was anything to draw."
        elif run.status == runs.FINISHED:
            self.attempts = (*self.attempts, run)
            self._by_setting[setting] = self.shown = run
            style = "success"
        else:
            self.shown = run.stopped()
        self.progress.bar_style = style
        self.refresh(notice)
        if self._problem:
            self.say_failure(views.problem(self._problem, self.shown))
