"""What the main explorer shows: pictures, tables and sentences."""

import numpy as np

from helpers.bugs import BUGS, noticed_by
from helpers.cost import (
    binary_units,
    flops,
    one_head,
    parameters,
    score_bytes,
    softmax_work,
)
from helpers.explorers import costs
from helpers.explorers.costs import bars_in_words, heads_in_words
from helpers.explorers.multi_head.layer import HAND_BUILT, RANDOM
from helpers.pictures.bars import flop_bars
from helpers.pictures.maps import MOST_MAPS, Outline, attention_maps
from helpers.pictures.stills import still
from helpers.pictures.text import FAINT, INK, escape, per_cent, table
from helpers.steps import RIGHT

MOST_SAID = 8  # heads that the status line names one by one

ledger_table = costs.ledger_table  # the same as in the ledger's own explorer


def outlines(state, result):
    """Return, for each head, the relations that are dealt to it."""
    h = state.sizes.h
    dealt = [[] for _ in range(h)]
    if state.kind != HAND_BUILT:
        return dealt
    for relation in state.relations:
        hidden = ()
        if result.visible is not None:
            hidden = [
                pair for pair in relation.pairs if not result.visible[pair]
            ]
        dealt[relation.number % h].append(
            Outline(
                relation.number,
                relation.name,
                relation.pairs,
                frozenset(hidden),
            )
        )
    return dealt


def maps(state, result):
    """Draw the maps of all heads, and their average."""
    return attention_maps(
        result.attn,
        state.tokens,
        maps_in_words(state),
        outlines(state, result),
        result.visible,
        state.chosen,
        state.first,
    )


def maps_in_words(state):
    """Say which maps the picture shows."""
    sizes = state.sizes
    kind = " No structure is meant." if state.kind == RANDOM else ""
    bug = f" With the bug: {BUGS[state.bug].title}." if state.bug else ""
    return (
        f"Attention maps: h = {sizes.h}, d_model = {sizes.d_model}, d_k = "
        f"{sizes.d_k}; {state.kind} heads"
        f"{', causal mask' if state.causal else ''}.{kind}{bug} Sentence: "
        f"{' '.join(state.tokens)}."
    )


def limits_in_words(state):
    """Say what makes these maps less than they seem, or more."""
    sizes, N = state.sizes, state.N
    said = []
    if state.bug is not None:
        bug = BUGS[state.bug]
        said.append(f"Bug on: {bug.title}.{_not_here(bug, state.causal)}")
    if state.kind != HAND_BUILT:
        said.append(
            "Random weights, drawn once: a control. What you see here is "
            "what no structure looks like."
        )
        return " ".join(said)
    if sizes.d_model < N:
        said.append(
            f"d_model = {sizes.d_model} has no room for {N} directions at "
            f"right angles, so hand-built weights work only roughly."
        )
    elif sizes.d_k < min(N, 8):
        odd = sizes.d_k > 1 and sizes.d_k % 2 == 1
        said.append(
            f"With d_k = {sizes.d_k} the codes of different places overlap: "
            f"for scores of the same size a head tells them apart less well."
            f"{' Of an odd d_k, one number is unused.' * odd}"
        )
    hidden = [
        relation.name
        for relation in state.relations
        if state.causal and any(key > query for query, key in relation.pairs)
    ]
    if hidden:
        said.append(f"The mask hides (dashed): {', '.join(hidden)}.")
    return " ".join(said)


def cell_in_words(state, result):
    """Say the chosen cell's weight in each head, and on average."""
    query, key = state.chosen
    row, column = state.tokens[query], state.tokens[key]
    if result.visible is not None and not result.visible[query, key]:
        return f"{row} → {column}: hidden by the causal mask in every head."
    shares = result.attn[:, query, key]
    heads = range(len(shares))
    rest = ""
    if len(shares) > MOST_SAID:
        heads = np.argsort(-shares, kind="stable")[:3]
        rest = "; the other heads less or as much"
    said = [
        f"head {head + 1}: {row} → {column} {shares[head]:.2f}"
        if place == 0
        else f"head {head + 1} {shares[head]:.2f}"
        for place, head in enumerate(heads)
    ]
    return f"{', '.join(said)}{rest}. Average {shares.mean():.2f}."


def weights_table(state, result):
    """Return the chosen query's row of every head on the page, as a table."""
    query = state.chosen[0]
    first = state.first
    shown = result.attn[first : first + MOST_MAPS, query]
    return table(
        f"Weights of the query “{state.tokens[query]}”: a row for each head, "
        f"a column for each key. Each row sums to 1.",
        ["head", *state.tokens],
        [
            [first + place + 1, *(f"{share:.2f}" for share in row)]
            for place, row in enumerate(shown)
        ],
    )


def badge(N, counted, formula):
    """Say whether the FLOPs of the code that ran equal the formula."""
    where = f"at N = {N}"
    if counted == formula.total:
        mark, colour = "✓ counted = formula", "#0b6b3a"
        text = f"{counted:,} FLOPs {where}"
    else:
        mark, colour = "✗ counted ≠ formula", "#b00020"
        text = f"{counted:,} and {formula.total:,} {where}"
    return (
        f'<span style="background:{colour};color:#fff;border-radius:4px;'
        f'padding:2px 8px;font-weight:600">{mark}</span> '
        f'<span style="color:{INK}">{text}, in the code that drew these '
        f"maps</span>"
    )


def ledger(N, sizes):
    """Return the costs at the ledger's N: bars between two sentences."""
    return (
        f'<div style="color:{INK};line-height:1.5">'
        f"{_price(N, sizes)}</div>"
        f'<div style="margin-top:6px">{bars(N, sizes)}</div>'
        f'<div style="color:{INK};line-height:1.5;min-height:3em">'
        f"{_not_free(N, sizes)}</div>"
    )


def bars(N, sizes):
    """Draw the FLOPs of one head and of h heads, to compare their length."""
    layers = {
        "one head": one_head(sizes),
        f"{heads_in_words(sizes.h)}, d_k = {sizes.d_k}": sizes,
    }
    counts = {name: flops(N, layer) for name, layer in layers.items()}
    return flop_bars(counts, bars_in_words(N, counts))


def portrait(state, result):
    """Return maps and bars as one still picture, and its description."""
    said = f"{maps_in_words(state)} {cell_in_words(state, result)}"
    return (
        still(
            maps(state, result),
            bars(state.ledger_N, state.sizes),
            description=said,
        ),
        said,
    )


def _price(N, sizes):
    cost = flops(N, sizes)
    same = cost.total == flops(N, one_head(sizes)).total
    verdict = (
        f"the same for every h at d_model = {sizes.d_model:,}"
        if same
        else "not the same as for one head"
    )
    return (
        f"<b>{cost.total:,} FLOPs</b> in matrix products at N = {N:,}: "
        f"{verdict}. One multiply-add is 2 FLOPs. Scores and weighted sum "
        f"are {per_cent(cost.attention / cost.total)} of it; they overtake "
        f"the projections at N = 2 · d_model = {2 * sizes.d_model:,}."
    )


def _not_free(N, sizes):
    softmax, single = softmax_work(N, sizes.h), softmax_work(N, 1)
    return (
        f"<b>Not free:</b> softmax, {softmax.exponentials:,} exponentials "
        f"(h = 1: {single.exponentials:,}); score memory, "
        f"{binary_units(score_bytes(N, sizes.h))} in float32 "
        f"(h = 1: {binary_units(score_bytes(N, 1))}). Both grow with h. "
        f"<b>Parameters:</b> {parameters(sizes).total:,} "
        f"(h = 1: {parameters(one_head(sizes)).total:,})."
    )


def shapes_table(N, s):
    """Return the shape of every array of a layer of sizes `s`."""
    rows = [
        ["X", (N, s.d_model), "tokens"],
        ["W_Q", (s.d_model, s.h * s.d_k), "and W_K, W_V"],
        ["Q", (s.h, N, s.d_k), "and K, V: split"],
        ["scores", (s.h, N, N), "and attn"],
        ["heads", (s.h, N, s.d_v), "attn @ V"],
        ["concat", (N, s.h * s.d_v), "merged"],
        ["W_O", (s.h * s.d_v, s.d_model), "mixes"],
        ["out", (N, s.d_model), "concat @ W_O"],
    ]
    return table(
        f"Shapes at N = {N}: d_k = d_model / h = {s.d_k}",
        ["array", "shape", ""],
        rows,
    )


def gallery(bug_name, causal):
    """Say what the chosen bug does, and which checks notice it."""
    if bug_name is None:
        return (
            f'<div style="color:{FAINT}">No bug is on. Each of the six runs '
            f"without an error and gives the right shape.</div>"
        )
    bug = BUGS[bug_name]
    noticed = noticed_by(bug_name)
    rows = [
        [name, "notices" if seen else "sees nothing"]
        for name, seen in noticed.items()
    ]
    return (
        f'<div style="color:{INK};line-height:1.5"><b>{escape(bug.title)}.'
        f"</b> {escape(bug.wrong)}{_not_here(bug, causal)}</div>"
        + table(
            f"Noticed by {sum(noticed.values())} of {len(noticed)} checks, "
            f"at N, d_k, h and n_kv all different",
            ["check", "verdict"],
            rows,
        )
    )


def _not_here(bug, causal):
    """Say why the maps do not show a bug, if they do not."""
    if bug.needs == "n_kv < h":
        return " Here n_kv = h, so the maps do not change."
    if bug.needs == "causal" and not causal:
        return " Switch the causal mask on to see it."
    if bug.steps.merge is not RIGHT.merge:
        return " The maps stay right: only the output is wrong."
    return ""
