"""The table of attempts: one line each, and what each of them teaches."""

from helpers.explorers.training.lessons import SOLVED, lesson, verdict
from helpers.pictures.text import INK, escape, table

MOST_SHOWN = 12


def attempts_table(attempts):
    """Return the attempts as a table, and what each of them teaches.

    Parameters
    ----------
    attempts : tuple of Run
        Finished ones, in their order.
    """
    first = max(0, len(attempts) - MOST_SHOWN)
    shown = list(enumerate(attempts, 1))[first:]
    rows = [
        [
            number,
            run.setting.h,
            run.setting.variant,
            run.setting.nouns,
            run.setting.seed,
            f"{run.setting.rate:g}",
            _ps(run.seen),
            _ps(run.new),
            "shipped" if run.seconds is None else f"{run.seconds:.1f}",
            verdict(run),
        ]
        for number, run in shown
    ]
    header = (
        "attempt",
        "h",
        "model",
        "nouns",
        "seed",
        "rate",
        "seen pairs",
        "new pairs",
        "seconds",
        "outcome",
    )
    said = "".join(
        f'<li value="{number}">{escape(lesson(run))}</li>'
        for number, run in shown
    )
    return (
        table(caption(len(attempts)), header, rows)
        + f'<div style="color:{INK};line-height:1.5;max-width:75em">What '
        f'each attempt teaches:<ol style="margin:0">{said}</ol></div>'
    )


def caption(count):
    """Return the caption of the attempts."""
    last = f", the last {MOST_SHOWN} of {count}" if count > MOST_SHOWN else ""
    return (
        f"Attempts{last}: P(correct) of subject / object / antecedent; "
        f"“solved” is {SOLVED} or more for both roles, on new pairs if there "
        f"are any."
    )


def _ps(ps):
    return "none" if ps is None else " / ".join(f"{p:.2f}" for p in ps)
