"""What the study explorer shows: a strip plot, tables, sentences."""

import math

from helpers.explorers.study.results import difference, estimate, spread
from helpers.pictures.stills import still
from helpers.pictures.strips import Strip, dot_strips
from helpers.pictures.text import INK, escape, table


def strips(study, column, shipped, here):
    """Draw a dot for each seed of each row, shipped and trained here."""
    drawn = [
        Strip(row, _dots(shipped, row, column), _dots(here, row, column))
        for row in study.rows
    ]
    numbers = [n for strip in drawn for _, n in strip.shipped + strip.here]
    return dot_strips(
        drawn,
        column,
        top_of(max(numbers, default=1)),
        in_words(study, column, shipped, here),
        low_of(min(numbers, default=0)),
    )


def low_of(smallest):
    """Return where an axis begins: 0, or a round number below `smallest`."""
    return 0 if smallest > -0.02 else -top_of(-smallest)


def _dots(trained, row, column):
    return tuple(
        (f"seed {t.seed}", t.number(column))
        for t in trained
        if t.row == row and not math.isnan(t.number(column))
    )


def top_of(largest):
    """Return where an axis ends: 1, or a round number above `largest`."""
    if largest <= 1:
        return 1
    size = 10 ** math.floor(math.log10(largest))
    return size * math.ceil(largest / size)


def in_words(study, column, shipped, here):
    """Say the mean and the range of each row."""
    said = [f"{study.name}, {column}: mean (lowest … highest) over seeds"]
    for row in study.rows:
        line = f"{row}: {spread(shipped, row, column).in_words()}"
        again = spread(here, row, column)
        if again.numbers:
            line += f", here {again.in_words()}"
        said.append(line)
    return "; ".join(said) + "."


def results_table(study, columns, shipped, here):
    """Return mean and range of each row as a table.

    Parameters
    ----------
    study : Study
    columns : tuple of str
    shipped, here : tuples of Trained
    """
    header = ["model"]
    for column in columns:
        header.append(f"{column}, shipped" if here else column)
        if here:
            header.append("here")
    rows = []
    for row in study.rows:
        cells = [row]
        for column in columns:
            cells.append(spread(shipped, row, column).in_words())
            if here:
                cells.append(spread(here, row, column).in_words())
        rows.append(cells)
    return table("Mean (lowest … highest) over the seeds.", header, rows)


def heading(study, record):
    """Return the study's question, and where its results come from."""
    seeds = record["seeds"]
    steps = sorted(set(record["steps"].values()))
    listed = " or ".join(f"{n:,}" for n in steps)
    return (
        f'<div style="color:{INK};line-height:1.5"><b>'
        f"{escape(study.title)}</b><br>Shipped: seeds {seeds[0]} to "
        f"{seeds[-1]}, {listed} steps, Python "
        f"{escape(record['python'])}, NumPy {escape(record['numpy'])}, made "
        f"by <code>{escape(record['command'])}</code></div>"
    )


def offer(study, shipped, seeds):
    """Say how long it takes to run `seeds` again."""
    seconds = estimate(shipped, seeds)
    count = len(study.rows) * len(seeds)
    if seconds is None:
        return (
            f"{count} trainings; how long they took was not noted. Stop "
            f"ends them at any time."
        )
    return (
        f"{count} trainings. They took {max(1, round(seconds)):,} s of one "
        f"core where the shipped results were made; a busy machine may need "
        f"several times as long."
    )


def compared(column, shipped, here, total):
    """Say how far the trainings here are from the shipped ones."""
    if not here:
        return "Nothing is trained here yet."
    gap = difference(shipped, here, column)
    part = f"{len(here)} of {total} trainings done here"
    if gap is None:
        return f"{part}."
    return (
        f"{part}. Largest difference from the shipped number of the same "
        f"model and seed, in {column}: {gap:.2g}."
    )


def portrait(study, column, shipped, here):
    """Return the strip plot as a still picture, and its description."""
    said = in_words(study, column, shipped, here)
    picture = strips(study, column, shipped, here)
    return still(picture, description=said), said
