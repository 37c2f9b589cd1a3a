"""What the budget explorer shows: pictures, tables and sentences."""

from helpers.explorers.budget.rows import ATE, NOUNS, WHOLE
from helpers.pictures.budgets import Budget, Error, budget_bars
from helpers.pictures.colours import RELATION_COLOURS
from helpers.pictures.stills import still
from helpers.pictures.text import INK, escape, table


def budgets(result):
    """Return the rows as bars; a relation's own target has its colour."""
    return tuple(
        Budget(
            f"head {row.head + 1}: {result.tokens[row.query]}",
            tuple(
                (token, float(share), _colour(result, row, place))
                for place, (token, share) in enumerate(
                    zip(result.tokens, row.shares, strict=True)
                )
            ),
        )
        for row in result.rows
    )


def _colour(result, row, place):
    for reading in result.readings:
        if (reading.query, reading.key) == (row.query, place):
            return RELATION_COLOURS[reading.relation.number]
    return None


def errors(result):
    """Return what is left wrong of each relation, as bars."""
    return tuple(
        Error(
            reading.relation.name,
            reading.error,
            RELATION_COLOURS[reading.relation.number],
            "hidden by the mask"
            if reading.hidden
            else f"{pair_in_words(result, reading)}, read from head "
            f"{reading.head + 1}",
        )
        for reading in result.readings
    )


def pair_in_words(result, reading):
    """Return "ate → cat"."""
    return f"{result.tokens[reading.query]} → {result.tokens[reading.key]}"


def picture(result):
    """Draw budgets and errors."""
    return budget_bars(
        budgets(result), errors(result), picture_in_words(result)
    )


def picture_in_words(result):
    """Say what the picture shows."""
    said = "; ".join(
        f"head {row.head + 1}, row {result.tokens[row.query]}: "
        + ", ".join(
            f"{result.tokens[noun]} {row.shares[noun]:.2f}" for noun in NOUNS
        )
        for row in result.rows
    )
    return f"Budgets: {said}. {errors_in_words(result)}"


def errors_in_words(result):
    """Say each error, and what the two of row "ate" add up to."""
    said = ", ".join(
        f"{reading.relation.name} {reading.error:.2f}"
        for reading in result.readings
    )
    subject, second = result.readings[:2]
    both = subject.error + second.error
    bound = "two heads can reach 0.00"
    if second.hidden:
        bound = "the object is hidden, so 1.00 of it stays"
    elif len(result.rows) == 2:
        bound = "one row can't get below 1.00"
    return f"Errors: {said}. Subject and object together {both:.2f}; {bound}."


def verdict(state, result):
    """Say what "ate" gives out for both orders, and if they can be told."""
    lines = [
        f"<b>{escape(sentence)}</b>: "
        + "; ".join(_output(nouns, spent) for spent in _seen(state))
        for sentence, nouns in (
            ("the cat ate the fish", ("cat", "fish")),
            ("the fish ate the cat", ("fish", "cat")),
        )
    ]
    return (
        f'<div style="color:{INK};line-height:1.6;min-height:6.5em">What '
        f"“ate” takes from the nouns, in either order, with the same weights "
        f"for the same places:<br>{'<br>'.join(lines)}<br>"
        f"{escape(told_apart(state, result))}</div>"
    )


def _seen(state):
    return [(a, 0) if state.causal else (a, b) for a, b in state.spent]


def _output(nouns, spent):
    share = dict(zip(nouns, spent, strict=True))
    return f"{share['cat'] / WHOLE:.2f} cat + {share['fish'] / WHOLE:.2f} fish"


def told_apart(state, result):
    """Say what can be read from the row "ate"."""
    seen = _seen(state)
    if all(a == b for a, b in seen):
        return "The same output. Whatever reads it can't tell who ate whom."
    if state.causal:
        return (
            "The subject can be read. The object is hidden: it has to be "
            "read in another row, as fish → ate."
        )
    if result.reads_both:
        return (
            "Subject and object can both be read, by a linear read-out, "
            "with any number of nouns."
        )
    start = "The outputs differ. With only two nouns that is enough. "
    if state.h == 2:
        return start + (
            "But both heads share out in the same proportion, so with three "
            "nouns they tell no more than one head does."
        )
    return start + (
        "With three, one row still can't name both roles: the proof stands "
        "above."
    )


def limits(state):
    """Say what the sliders do not show."""
    if not state.causal:
        return ""
    return (
        "Under the mask, “ate” can't see the second noun: its weight is 0, "
        "and the slider rests. “it” can't see “hungry” or “tasty”."
    )


def rows_table(result):
    """Return every row of every head as a table."""
    return table(
        "Weights: a row for each query, a column for each key. Each row sums "
        "to 1.",
        ["row", *result.tokens],
        [
            [
                f"head {row.head + 1}: {result.tokens[row.query]}",
                *(f"{share:.3f}" for share in row.shares),
            ]
            for row in result.rows
        ],
    )


def portrait(result):
    """Return a still picture and its description."""
    said = picture_in_words(result)
    return still(picture(result), description=said), said


def gave_way(query, noun, before, after):
    """Say which weight had to shrink."""
    row = "ate" if query == ATE else "it"
    return (
        f"“{row}” has 1.00 to spend: what it gives to the {noun} fell from "
        f"{before / WHOLE:.2f} to {after / WHOLE:.2f}."
    )
