"""What the explorer of trained heads shows: curves, maps, bars, tables."""

import math

import numpy as np

from helpers import roles
from helpers.explorers.learned_heads import words
from helpers.explorers.learned_heads.trials import READ
from helpers.pictures.colours import RELATION_COLOURS
from helpers.pictures.curves import Chart, Line, curves
from helpers.pictures.layer_maps import LayerMaps, layer_maps
from helpers.pictures.map_cells import Outline
from helpers.pictures.role_bars import FILL, Bar
from helpers.pictures.stills import still
from helpers.pictures.text import table

NUMBERS = {"previous": 3, "induction": 0}  # in RELATION_COLOURS
COLOURS = {role: RELATION_COLOURS[n] for role, n in NUMBERS.items()}
LOSS, CONTROL = "#D55E00", "#009E73"
NAMES_EVERY = 10  # points of a curve
LOSS_TOP = 6  # nats; the bars grow no further than the switches need


def history(kept, marked):
    """Draw the curves of the training, with a cursor at the chosen step."""
    steps = tuple(f"{step}" for step in kept["step"])
    even = math.log(kept["vocabulary"])
    loss = Chart(
        "loss on held-out sentences, nats (trained here, shipped)",
        "training step",
        steps,
        (
            Line("two layers", tuple(kept["loss"]), LOSS),
            Line(
                "one layer (control)",
                tuple(kept["control loss"]),
                CONTROL,
                "7 4",
            ),
            Line(
                f"even guess, ln {kept['vocabulary']} = {even:.2f}",
                (even,) * len(steps),
                FILL,
                "2 3",
            ),
        ),
        top=math.ceil(kept["loss"].max()),
        marked=marked,
        every=NAMES_EVERY,
    )
    scores = Chart(
        "best score of a head, on the rows that the loss reads",
        "training step",
        steps,
        (
            Line(
                "previous token, layer 1",
                tuple(kept["previous"][:, 0].max(axis=-1)),
                COLOURS["previous"],
                "9 3",
            ),
            Line(
                "induction, layer 2",
                tuple(kept["induction"][:, -1].max(axis=-1)),
                COLOURS["induction"],
            ),
        ),
        marked=marked,
        every=NAMES_EVERY,
    )
    return curves([loss, scores], words.curves_in_words(kept, marked))


def outlines(result):
    """Return the cells of the two roles."""
    N = len(result.tokens)
    patterns = {
        "previous": roles.at_offset(N, -1),
        "induction": roles.induction(result.tokens),
    }
    return tuple(
        Outline(NUMBERS[name], name, tuple(zip(*np.nonzero(pattern))))
        for name, pattern in patterns.items()
    )


def page(state, result):
    """Draw the maps of all heads, the scores of one, and the loss."""
    scores = result.scores
    n_layers, h = scores["previous"].shape
    drawn = LayerMaps(
        attn=result.attn,
        tokens=result.words,
        picked=state.picked,
        off=state.off,
        outlines=outlines(result),
        captions=[
            [words.label_of(scores, (layer, head)) for head in range(h)]
            for layer in range(n_layers)
        ],
        cell=words.cell_of(state, result),
        title=f"{words.head_name(state.picked).capitalize()}, "
        f"{words.where(state)}",
        evidence=words.EVIDENCE[state.kind],
        beside=_score_bars(state, result),
        below=_loss_bars(state, result),
    )
    return layer_maps(drawn, words.page_in_words(state, result))


def _score_bars(state, result):
    scores, control = result.scores, result.control_scores
    picked = state.picked

    def bar(role, name):
        value = float(scores[role][picked])
        colour = COLOURS.get(name, FILL)
        return Bar(
            name,
            value,
            f"{value:.2f}",
            control=float(control[role][picked]),
            colour=colour,
        )

    nats = float(scores["entropy"][picked])
    ln_N = math.log(len(result.words))
    spread = Bar(
        "entropy",
        nats,
        f"{nats:.2f} nats",
        top=ln_N,
        control=float(control["entropy"][picked]),
    )
    return [
        ("rows that the loss reads", [bar(n, r) for r, n in READ.items()]),
        ("all rows", [bar(role, role) for role in words.ALL_ROWS]),
        (f"spread, of ln {len(result.words)} = {ln_N:.2f}", [spread]),
        ("The tick: random weights, same head.", []),
    ]


def _loss_bars(state, result):
    top = max(LOSS_TOP, result.now.loss)
    return [
        (
            "loss in nats, and accuracy",
            [
                Bar(
                    name,
                    score.loss,
                    f"{score.loss:.2f}, {score.accuracy:.0%}",
                    top=top,
                    colour=colour,
                )
                for name, score, colour in (
                    ("as switched", result.now, LOSS),
                    ("all heads on", result.whole, FILL),
                    ("random weights", result.control, FILL),
                )
            ],
        )
    ]


def heads_table(state, result, without):
    """Return all scores of all heads, and the loss without each alone."""
    scores = result.scores
    columns = (*READ.values(), *words.ALL_ROWS, "entropy")
    return table(
        f"Every head, {words.where(state)}: scores with the heads as "
        f"switched; last, the loss and accuracy without this head alone "
        f"(all heads: {result.whole.loss:.2f}, {result.whole.accuracy:.0%}).",
        ["head", *columns, "loss without", "accuracy without"],
        [
            [
                _unbroken(place, state.off),
                *(f"{scores[column][place]:.2f}" for column in columns),
                f"{score.loss:.2f}",
                f"{score.accuracy:.0%}",
            ]
            for place, score in without.items()
        ],
    )


def _unbroken(place, off):
    name = words.head_name(place) + " (off)" * (place in off)
    return name.replace(" ", "\N{NO-BREAK SPACE}")


def curves_table(kept, steps):
    """Return the curves at the steps of the slider, as a table."""
    rows = [place for place, s in enumerate(kept["step"]) if s in steps]
    return table(
        "The training: loss in nats; the best head's score on the rows "
        "that the loss reads.",
        [
            "step",
            "loss, two layers",
            "accuracy",
            "loss, one layer",
            "previous, layer 1",
            "induction, layer 2",
        ],
        [
            [
                f"{kept['step'][place]}",
                f"{kept['loss'][place]:.2f}",
                f"{kept['accuracy'][place]:.0%}",
                f"{kept['control loss'][place]:.2f}",
                f"{kept['previous'][place, 0].max():.2f}",
                f"{kept['induction'][place, -1].max():.2f}",
            ]
            for place in rows
        ],
    )


def portrait(kept, marked, state, result):
    """Return curves and maps as one still, and its description."""
    said = (
        f"{words.curves_in_words(kept, marked)} "
        f"{words.page_in_words(state, result)}"
    )
    pictures = history(kept, marked), page(state, result)
    return still(*pictures, description=said), said
