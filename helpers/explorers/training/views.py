"""What the training explorer shows: pictures, tables and sentences."""

import math

from helpers.explorers.training.lessons import lesson, verdict
from helpers.explorers.training.runs import (
    FINISHED,
    SENTENCES,
    STOPPED,
    TRAINING,
)
from helpers.explorers.training.setting import costs
from helpers.learn.who_did_what import PLACES, ROLES
from helpers.pictures.colours import RELATION_COLOURS
from helpers.pictures.learning import Curve, Panel, learning_curves
from helpers.pictures.map_rows import MapRow, RowBlock, map_rows
from helpers.pictures.stills import still
from helpers.pictures.text import INK

COLOUR_OF = dict(zip(ROLES, RELATION_COLOURS))
DASH_OF = dict(zip(ROLES, ("", "7 3", "2 3")))
LN_2 = math.log(2)


def curves(run):
    """Draw cross-entropy and P(correct) of each role, so far."""
    steps = tuple(point.step for point in run.points)
    guess = math.log(run.setting.nouns)
    panels = (
        Panel(
            "cross-entropy in nats: 0 is certain and right",
            steps,
            _lines([point.losses for point in run.points]),
            max(4.0, math.ceil(guess)),
            ("ln 2", LN_2),
        ),
        Panel(
            "P(correct): probability of the right answer",
            steps,
            _lines([point.ps for point in run.points]),
            1,
            ("", 0.5),
        ),
    )
    note = ""
    if run.status != FINISHED:
        note = f"{NOTES[run.status]} step {run.step}"
    return learning_curves(
        run.setting.in_words(),
        panels,
        run.steps,
        "a coin between two nouns",
        curves_in_words(run),
        note,
    )


NOTES = {TRAINING: "now", STOPPED: "stopped at"}


def _lines(by_point):
    return tuple(
        Curve(role, ys, COLOUR_OF[role], DASH_OF[role])
        for role, ys in zip(ROLES, zip(*by_point))
    )


def curves_in_words(run):
    """Say where the curves stand at their end."""
    last = run.points[-1]
    ends = ", ".join(
        f"{role} {loss:.2f} nats and P {p:.2f}"
        for role, loss, p in zip(ROLES, last.losses, last.ps)
    )
    return (
        f"Learning curves, {run.setting.in_words()}: at step {run.step} of "
        f"{run.steps}, {ends}. ln 2 = {LN_2:.2f}."
    )


def maps(run):
    """Draw the rows that carry a loss, of every head, for both orders."""
    blocks = [
        _block(sentence, layers, answers)
        for sentence, layers, answers in zip(
            SENTENCES, run.shares, run.answers
        )
    ]
    return map_rows(blocks, maps_in_words(run))


def _block(sentence, layers, answers):
    tokens = tuple(sentence.split())
    antecedent = tokens.index(answers[2].word)
    outlined = (
        tuple((PLACES[role], COLOUR_OF[role]) for role in ROLES[:2]),
        ((antecedent, COLOUR_OF["antecedent"]),),
    )
    parts = tuple(
        tuple(
            MapRow(
                _row_name(tokens[query], layers, layer, head),
                rows[place],
                outlined[place],
            )
            for layer, heads in enumerate(layers)
            for head, rows in enumerate(heads)
        )
        for place, query in enumerate((PLACES["verb"], PLACES["adjective"]))
    )
    said = tuple(
        (
            f"{answer.role} P({answer.word}) {answer.p:.2f}",
            COLOUR_OF[answer.role],
        )
        for answer in answers
    )
    return RowBlock(tokens, parts, said)


def _row_name(query, layers, layer, head):
    if len(layers) == 1:
        return f"{query}, head {head + 1}"
    return f"{query}, layer {layer + 1}.{head + 1}"


def maps_in_words(run):
    """Say what the first heads of row "ate" give to the nouns."""
    said = []
    for sentence, layers in zip(SENTENCES, run.shares):
        tokens = sentence.split()
        subject, object_ = PLACES["subject"], PLACES["object"]
        heads = ", ".join(
            f"head {head}: {tokens[subject]} {rows[0][subject]:.2f}, "
            f"{tokens[object_]} {rows[0][object_]:.2f}"
            for head, rows in enumerate(layers[-1], 1)
        )
        said.append(f"“{sentence}”, row ate, {heads}")
    return f"Maps, {run.setting.in_words()}. {'; '.join(said)}."


def answers_in_words(run):
    """Say P(correct) of each role on new pairs, and on the two sentences."""
    if run.status != FINISHED:
        return _both_orders(run)
    pairs = "new noun pairs" if run.new else "noun pairs, none of them new"
    said = ", ".join(f"{role} {p:.2f}" for role, p in zip(ROLES, run.judged))
    return (
        f"P(correct) on {pairs}: {said}: {verdict(run)}. {_both_orders(run)}"
    )


def _both_orders(run):
    orders = [
        f"“the {a.word} ate the {o.word}”: subject {a.p:.2f}, object {o.p:.2f}"
        for a, o, _ in run.answers
    ]
    return f"{'; '.join(orders)}."


def outcome_in_words(run):
    """Say what a run teaches, or that it was stopped."""
    if run.status == FINISHED:
        return lesson(run)
    return (
        f"Stopped at step {run.step} of {run.steps}: the curves so far, not "
        f"a result, and not in the table."
    )


def not_trained(setting, shown):
    """Say that there is nothing to show of a setting yet."""
    return (
        f"Not trained yet: {setting.in_words()}. Press Train. The grey "
        f"picture is of {shown.setting.in_words()}."
    )


def problem(said, shown):
    """Say what went wrong, and what the grey picture is."""
    return f"{said} The grey picture is of {shown.setting.in_words()}."


def goes_on(live, setting):
    """Say what is trained now, and that the controls may differ."""
    if live == setting:
        return f"Training: {live.in_words()}. Stop ends it."
    return (
        f"Training goes on with {live.in_words()}. Train begins anew with "
        f"what you chose since."
    )


def price(setting):
    """Say what the model costs, and that h does not change it."""
    by_h = costs(setting)
    own = by_h[setting.h]
    equal = {(c.parameters, c.flops) for c in by_h.values()}
    others = ", ".join(str(h) for h in by_h if h != setting.h)
    same = "the same" if len(equal) == 1 else "not the same"
    exponentials = ", ".join(
        f"{c.exponentials:,} at h = {h}" for h, c in by_h.items()
    )
    return (
        f'<div style="color:{INK};line-height:1.5;min-height:3em"><b>'
        f"{own.parameters:,} parameters, {own.flops:,} FLOPs</b> in matrix "
        f"products a sentence: {same} for h = {others}. Not the same: "
        f"exponentials of the softmax, {exponentials}.</div>"
    )


def portrait(runs):
    """Return curves and maps of runs as a still, and its description."""
    said = " ".join(
        f"{curves_in_words(run)} {maps_in_words(run)} {answers_in_words(run)}"
        for run in runs
    )
    drawn = [draw(run) for run in runs for draw in (curves, maps)]
    return still(*drawn, description=said), said
