"""What the explorer of real heads shows: wall, map, rows, tables."""

from helpers.explorers.real_heads import words
from helpers.explorers.real_heads.heads import NOTHING
from helpers.explorers.real_heads.scoring import BEST, LISTED
from helpers.pictures.head_wall import (
    BEST_COLOUR,
    Small,
    beside,
    head_wall,
    large_map,
)
from helpers.pictures.map_rows import MapRow, RowBlock, map_rows
from helpers.pictures.stills import still
from helpers.pictures.text import table, weight
from helpers.pretrained.findings import name

BY_LAYER, BEST_FIRST = "by layer", "best first"
ONLY_BEST = f"best {LISTED} only"
ORDERS = (BY_LAYER, BEST_FIRST, ONLY_BEST)


def wall(seen, view, score, order, picked):
    """Draw the maps of all heads."""
    n_layers, h = score.values.shape
    places = [(layer, head) for layer in range(n_layers) for head in range(h)]
    if order == BEST_FIRST:
        places = score.ranked
    best, listed = score.ranked[:BEST], score.ranked[:LISTED]
    maps = [
        Small(
            seen.attn[view][place],
            f"{name(*place)} {weight(score.values[place])}",
            best=place in best,
            picked=place == picked,
            faded=order == ONLY_BEST and place not in (*listed, picked),
        )
        for place in places
    ]
    title = "the best first" if order == BEST_FIRST else "a row a layer"
    return head_wall(
        maps,
        h,
        f"All heads, {title}",
        score.name,
        words.wall_in_words(seen, score, picked),
    )


def one_head(state, seen):
    """Draw the picked head's map, with words on its axes."""
    return large_map(
        seen.attn[state.view][state.picked],
        seen.tokens[state.view],
        f"Head {name(*state.picked)}",
        words.EVIDENCE,
        (state.query, state.key),
        words.map_in_words(state, seen),
    )


def rows(hide, result):
    """Draw the rows of "it", sentence beside sentence."""
    return map_rows(
        [_block(circuit, hide, result.last) for circuit in result.circuits],
        rows_in_words(hide, result),
    )


def _block(circuit, hide, last):
    hidden = hide != NOTHING
    mark = ((circuit.key, BEST_COLOUR),)
    first = tuple(
        MapRow(f"{name(*head)} from “it”", _shares(row), mark)
        for head, row in circuit.after.items()
        if head != last
    )
    then = [MapRow(f"{name(*last)} from “it”", _shares(circuit.before[last]))]
    if hidden:
        then.append(MapRow("… word hidden", _shares(circuit.after[last])))
    return RowBlock(circuit.tokens, (first, tuple(then)))


def _shares(row):
    return tuple(row.tolist())


def rows_in_words(hide, result):
    """Say all that the rows show."""
    said = []
    for circuit in result.circuits:
        for how, found in (("", circuit.before), (hide, circuit.after)):
            if how == NOTHING:
                continue
            hidden = f", last word hidden in {how}" if how else ""
            for head, row in found.items():
                told = ", ".join(
                    f"{words.short(circuit.tokens[k])} {weight(row[k])}"
                    for k in words.top(row)
                )
                said.append(f"{name(*head)} from “it”{hidden}: {told}")
    return "; ".join(said) + f". {words.EVIDENCE}."


def best_table(score):
    """Return the best heads, with what to compare them with."""
    held_out = "–" if score.held_out is None else f"{score.held_out:.2f}"
    return table(
        f"{score.name}: {score.what} (shipped result)",
        [
            "head",
            score.where,
            score.baseline_is,
            "chosen on half, asked on half",
            score.elsewhere,
        ],
        [
            [
                name(*place),
                f"{score.values[place]:.2f}",
                f"{score.baseline:.2f}",
                held_out if place == score.ranked[0] else "–",
                f"{score.others[place]:.2f}",
            ]
            for place in score.ranked[:LISTED]
        ],
    )


def row_table(state, seen):
    """Return the query's row of every head of the picked layer."""
    layer, tokens = state.picked[0], seen.tokens[state.view]
    shares = seen.attn[state.view][layer, :, state.query]
    return table(
        f"Row “{words.short(tokens[state.query])}” of the heads of layer "
        f"{layer + 1}. Each row sums to 1.",
        ["head", *tokens],
        [
            [name(layer, head), *(f"{share:.2f}" for share in row)]
            for head, row in enumerate(shares)
        ],
    )


def scores_table(score):
    """Return the score of every head."""
    n_layers, h = score.values.shape
    return table(
        f"{score.name}, {score.what} ({score.where}): every head.",
        ["layer", *(f"head {head + 1}" for head in range(h))],
        [
            [layer + 1, *(f"{value:.2f}" for value in score.values[layer])]
            for layer in range(n_layers)
        ],
    )


def portrait(state, result, score):
    """Return wall, map and rows as one still, and its description."""
    seen = result.seen
    pictures = [
        beside(
            wall(seen, state.view, score, state.order, state.picked),
            one_head(state, seen),
        )
    ]
    said = (
        f"{words.wall_in_words(seen, score, state.picked)} "
        f"{words.row_in_words(state, seen)}"
    )
    if result.circuits:
        pictures.append(rows(state.hide, result))
        said += f" {rows_in_words(state.hide, result)}"
    return still(*pictures, description=said), said
