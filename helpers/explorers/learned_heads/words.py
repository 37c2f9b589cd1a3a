"""What the explorer of trained heads says, in sentences."""

import math

from helpers.explorers.learned_heads.trials import RANDOM, READ, TRAINED

EVIDENCE = {
    TRAINED: "Evidence: trained here, shipped weights",
    RANDOM: "Control: random weights, no structure is meant",
}
ALL_ROWS = (
    "previous",
    "next",
    "itself",
    "first token",
    "same word",
    "induction",
)
CLEAR = 0.5  # a head that scores less gets no label


def head_name(place):
    """Return "layer 2 head 1"; places count from 0, names from 1."""
    return f"layer {place[0] + 1} head {place[1] + 1}"


def where(state):
    """Say which model it is."""
    if state.kind == RANDOM:
        return "random weights"
    return f"step {state.step:,}"


def label_of(scores, place):
    """Return the role a head clearly plays, and its score; else "–".

    Of "previous" and "induction" only the rows that the loss reads count.
    """
    named = {role: scores[READ.get(role, role)][place] for role in ALL_ROWS}
    role = max(named, key=named.get)
    return f"{role} {named[role]:.2f}" if named[role] >= CLEAR else "–"


def page_in_words(state, result):
    """Say which maps the picture shows, and what they cost."""
    scores = result.scores
    n_layers, h = scores["previous"].shape
    places = [(layer, head) for layer in range(n_layers) for head in range(h)]
    said = "; ".join(
        f"{head_name(p)}{' (off)' * (p in state.off)} {label_of(scores, p)}"
        for p in places
    )
    return (
        f"Heads at {where(state)}: {said}. Large: {head_name(state.picked)}. "
        f"{loss_in_words(state, result)} Sentence: {' '.join(result.words)}. "
        f"{EVIDENCE[state.kind]}."
    )


def loss_in_words(state, result):
    """Say what the heads that are off cost."""
    now, whole = result.now, result.whole
    if not state.off:
        return (
            f"All heads on: loss {now.loss:.2f} nats, accuracy "
            f"{now.accuracy:.0%}; random weights {result.control.loss:.2f}, "
            f"{result.control.accuracy:.0%}."
        )
    return (
        f"Without {_listed(state.off)}: loss {now.loss:.2f} nats instead of "
        f"{whole.loss:.2f}, accuracy {now.accuracy:.0%} instead of "
        f"{whole.accuracy:.0%}."
    )


def _listed(places):
    """Return "layer 1 heads 1, 3; layer 2 head 2"."""
    by_layer = {}
    for layer, head in sorted(places):
        by_layer.setdefault(layer, []).append(str(head + 1))
    return "; ".join(
        f"layer {layer + 1} head{'s' * (len(heads) > 1)} {', '.join(heads)}"
        for layer, heads in by_layer.items()
    )


def scores_in_words(state, result):
    """Say all scores of the picked head, and how spread its rows are."""
    scores, control = result.scores, result.control_scores
    picked, N = state.picked, len(result.words)
    said = ", ".join(
        f"{role} {scores[role][picked]:.2f} ({control[role][picked]:.2f})"
        for role in (*READ.values(), *ALL_ROWS)
    )
    nats = scores["entropy"][picked]
    return (
        f"{head_name(picked).capitalize()}, and in brackets random weights: "
        f"{said}. Entropy {nats:.2f} nats = {nats / math.log(2):.2f} bits "
        f"({control['entropy'][picked]:.2f} nats): even weights over what "
        f"the mask leaves have {math.lgamma(N + 1) / N:.2f} nats, over all "
        f"{N} keys ln {N} = {math.log(N):.2f}."
    )


def cell_of(state, result):
    """Return the query, and the key that the picked head looks at most."""
    row = result.attn[state.picked][state.query]
    return state.query, int(row.argmax())


def query_in_words(state, result):
    """Say where the picked head looks from the query, and the answer."""
    query, key = cell_of(state, result)
    words = result.words
    share = result.attn[state.picked][query, key]
    behind = ""
    if 0 < key <= query and words[key - 1] == words[query]:
        behind = f", right behind the first “{words[query]}”"
    return (
        f"From “{words[query]}” (place {query + 1}) "
        f"{head_name(state.picked)} looks most at “{words[key]}” (place "
        f"{key + 1}){behind}: {share:.2f}. {_answer(result, query)}"
    )


def _answer(result, query):
    if query not in result.asked:
        return "No answer is asked here: what comes next can't be known."
    shares = result.shares[query]
    guess, right = int(shares.argmax()), int(result.tokens[query + 1])
    said = (
        f"The model answers “{result.vocabulary[guess]}”, P = "
        f"{shares[guess]:.2f}: "
    )
    if guess == right:
        return said + "right."
    return (
        f"{said}wrong, “{result.vocabulary[right]}” has P = "
        f"{shares[right]:.2f}."
    )


def curves_in_words(curves, marked):
    """Say where the curves stand at one of their points, or at the end."""
    place = -1 if marked is None else marked
    previous = curves["previous"][place, 0].max()
    induction = curves["induction"][place, -1].max()
    return (
        f"Training, step {curves['step'][place]:,}: loss of two layers "
        f"{curves['loss'][place]:.2f} nats, of one layer "
        f"{curves['control loss'][place]:.2f}; best previous-token head of "
        f"layer 1 {previous:.2f}, best induction head of layer 2 "
        f"{induction:.2f}. {EVIDENCE[TRAINED]}."
    )
