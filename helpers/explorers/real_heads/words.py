"""What the explorer of real heads says, in sentences."""

import numpy as np

from helpers.explorers.real_heads.heads import NOTHING, PIECES, WORDS
from helpers.explorers.real_heads.scoring import BEST, LISTED
from helpers.pictures.text import weight
from helpers.pretrained.findings import name

EVIDENCE = "Evidence: real model, all-MiniLM-L6-v2"
LICENCE = (
    "Model: all-MiniLM-L6-v2 by the authors of Sentence Transformers, Apache "
    "License 2.0. A part of it is shipped, rounded to float16 (see NOTICE)."
)
ALONE = (
    "No sentence of the sample differs from this one in a word: to compare "
    "two, pin a second copy."
)
LONGEST = 16  # letters of a word in a sentence
TOLD = 3  # words of a row that are named


def short(word):
    """Return a word, cut if it is long."""
    return word if len(word) <= LONGEST else word[: LONGEST - 1] + "…"


def quoted(text):
    """Return a text in quotes, cut if it is very long."""
    return f"“{text if len(text) <= 90 else text[:89] + '…'}”"


def best_of(score, count=BEST):
    """Say which heads score best: "4-2 .72, 5-4 .64"."""
    return ", ".join(
        f"{name(*place)} {weight(score.values[place])}"
        for place in score.ranked[:count]
    )


def wall_in_words(seen, score, picked):
    """Say which maps the wall shows."""
    return (
        f"The maps of all {score.values.size} heads on {quoted(seen.text)}. "
        f"Score: {score.name}; best {best_of(score)}. Picked: "
        f"{name(*picked)}, {weight(score.values[picked])}. {EVIDENCE}."
    )


def map_in_words(state, seen):
    """Say which map is large."""
    return (
        f"Head {name(*state.picked)} on {quoted(seen.text)}, by {state.view}. "
        f"{row_in_words(state, seen)} {EVIDENCE}."
    )


def score_in_words(state, score):
    """Say who scores best, and what to compare it with."""
    first = score.ranked[0]
    said = (
        f"{_capital(score.name)}, {score.where}: best of "
        f"{score.values.size} heads {best_of(score, LISTED)}. "
        f"{_capital(score.baseline_is)}: {weight(score.baseline)}. "
    )
    if score.held_out is not None:
        said += (
            f"Best head of one half, asked on the other: "
            f"{weight(score.held_out)}. "
        )
    said += f"{_capital(score.elsewhere)}: {name(*first)} "
    said += f"{weight(score.others[first])}."
    if state.picked != first:
        own = weight(score.values[state.picked])
        said += f" The picked {name(*state.picked)}: {own}."
    return said


def row_in_words(state, seen):
    """Say where the picked head looks from the query."""
    tokens = seen.tokens[state.view]
    row = seen.attn[state.view][state.picked][state.query]
    said = ", ".join(f"{short(tokens[k])} {weight(row[k])}" for k in top(row))
    return (
        f"From “{short(tokens[state.query])}” {name(*state.picked)} looks at "
        f"{said}; at the chosen “{short(tokens[state.key])}”: "
        f"{row[state.key]:.2f}."
    )


def top(row, count=TOLD):
    """Return the places of the largest weights, the largest first."""
    return np.argsort(-row, kind="stable")[:count].tolist()


def change_in_words(state, result):
    """Say how the row differs in the sentence's partner."""
    seen, partner = result.seen, result.partner
    if partner is None:
        return ALONE
    query = state.query
    if state.view == PIECES:
        query = seen.unit[query]
    ours, theirs = seen.tokens[WORDS], partner.tokens[WORDS]
    rows = [one.attn[WORDS][state.picked][query] for one in (seen, partner)]
    told = sorted(top(np.abs(rows[1] - rows[0])))
    said = ", ".join(
        f"{_either(ours[k], theirs[k])} {weight(rows[0][k])} → "
        f"{weight(rows[1][k])}"
        for k in told
    )
    asks = _either(ours[query], theirs[query])
    return f"{_exchanged(seen, partner)}, row “{asks}” of " + (
        f"{name(*state.picked)}: {said}."
    )


def _either(one, other):
    return short(one) if one == other else f"{short(one)}/{short(other)}"


def _exchanged(seen, partner):
    pairs = [
        (a, b)
        for a, b in zip(seen.tokens[WORDS], partner.tokens[WORDS], strict=True)
        if a != b
    ]
    if len(pairs) == 1:
        return f"From “{pairs[0][0]}” to “{pairs[0][1]}”"
    return f"From here to {quoted(partner.text)}"


def circuit_in_words(state, result, measured):
    """Say what hiding the last word from "it" does.

    `measured` is what `load_scores` has of the circuit.
    """
    if not result.circuits:
        return "This sentence has no “it” with a word after it."
    circuit, last = result.circuits[0], result.last
    adjective = short(circuit.tokens[circuit.key])
    read = " and ".join(
        f"{weight(row[circuit.key])} in {name(*head)}"
        for head, row in circuit.before.items()
        if head != last
    )
    said = (
        f"“it” reads “{adjective}”: {read}. Then {name(*last)} looks from "
        f"“it” at {_row(circuit, circuit.before[last])}"
    )
    if state.hide != NOTHING:
        said += (
            f"; with “{adjective}” hidden from “it” in {state.hide}: "
            f"{_row(circuit, circuit.after[last], circuit.before[last])}"
        )
    if name(*last) != measured["head"]:
        return said + "."
    shift = measured["hidden"][state.hide]["shift"]
    return (
        f"{said}. Over {measured['n']} pairs such as hungry/tasty the shift "
        f"of {name(*last)} is {shift:.2f}"
        + (
            "."
            if state.hide == NOTHING
            else f" instead of {measured['hidden'][NOTHING]['shift']:.2f}."
        )
    )


def _row(circuit, row, like=None):
    """Name the strongest words of a row, or those of the row `like`."""
    told = top(row[1:-1] if like is None else like[1:-1], 2)
    return ", ".join(
        f"{short(circuit.tokens[k + 1])} {weight(row[k + 1])}" for k in told
    )


def _capital(text):
    return text[:1].upper() + text[1:]
