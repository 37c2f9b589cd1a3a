"""What the explorer of grouped heads shows: wires, maps, sentences."""

from helpers.explorers.grouped import amounts
from helpers.explorers.grouped.layer import DEALT, HAND_BUILT, WIDTH
from helpers.pictures.maps import Outline, attention_maps
from helpers.pictures.stills import still
from helpers.pictures.text import INK
from helpers.pictures.wiring import wiring


def kind_of(n_kv, h):
    """Name the end of the dial at which n_kv stands, or the middle."""
    if n_kv == h:
        return "multi-head (MHA)"
    return "multi-query (MQA)" if n_kv == 1 else "grouped-query (GQA)"


def wires(state):
    """Draw which key/value head each query head reads."""
    return wiring(state.order, wires_in_words(state), state.n_kv)


def wires_in_words(state):
    """Say who reads whom."""
    h, n_kv = state.h, state.n_kv
    step = h // n_kv
    start = ", ".join(map(str, state.order[:8]))
    more = ", …" if h > 8 else ""
    share = (
        "each has its own"
        if step == 1
        else f"{step} neighbours share one key/value head"
    )
    return (
        f"Wiring: h = {h}, n_kv = {n_kv}, {kind_of(n_kv, h)}; {share}. "
        f"The query heads read {start}{more}."
    )


def outlines(state):
    """Return, for each head, the relations that are dealt to it."""
    dealt = [[] for _ in range(state.h)]
    if state.kind == HAND_BUILT:
        deal = min(state.h, DEALT)
        for relation in state.relations:
            outline = Outline(relation.number, relation.name, relation.pairs)
            for head in range(relation.number % deal, state.h, deal):
                dealt[head].append(outline)
    return dealt


def maps(state, result):
    """Draw the maps of all query heads."""
    return attention_maps(
        result.attn,
        state.tokens,
        maps_in_words(state),
        outlines(state),
        chosen=state.chosen,
        first=state.first,
    )


def maps_in_words(state):
    """Say which maps the picture shows."""
    kind = "" if state.kind == HAND_BUILT else " No structure is meant."
    return (
        f"Attention maps: h = {state.h} query heads on n_kv = {state.n_kv} "
        f"key/value heads; {state.kind} heads of d_k = {WIDTH}.{kind} "
        f"Sentence: {' '.join(state.tokens)}."
    )


def shared(state):
    """Say what sharing does to these maps."""
    if state.kind == HAND_BUILT:
        said = (
            "The hand-built keys say the place of a word, the same in every "
            "head, so sharing them changes no map. Trained heads have keys "
            "of their own: try the random ones."
        )
    elif state.n_kv == state.h:
        said = (
            "Random heads, a control. At n_kv = h each has keys and values "
            "of its own: turn n_kv down, and neighbours share."
        )
    else:
        said = (
            "Random heads, a control: of the heads that share, the keys and "
            "values of the first are kept. Its map stays; its neighbours' "
            "maps change, and are still maps of their own."
        )
    said += " Wires count from 0, maps from 1: query head 0 is head 1."
    return f'<div style="color:{INK};line-height:1.5">{said}</div>'


def remark(state):
    """Say what is special here, or ""."""
    shape = state.shape
    said = [_own_n_kv(state)]
    if state.N > shape.context:
        said.append(
            f"It is made for {shape.context:,} tokens; {state.N:,} are a "
            f"what-if."
        )
    if shape.note:
        said.append(f"Note: {shape.note}.")
    return " ".join(said)


def _own_n_kv(state):
    shape = state.shape
    own = shape.sizes.n_kv
    if not shape.public:
        return f"An example: {shape.n_layers} layers, {state.h} heads."
    if state.n_kv == own:
        return f"{shape.name} has n_kv = {own}."
    return (
        f"{shape.name} has n_kv = {own}; {state.n_kv} is a what-if: it would "
        f"have to be trained anew."
    )


def portrait(state, result):
    """Return wiring, maps and bars as one still, and its description."""
    said = (
        f"{wires_in_words(state)} {maps_in_words(state)} "
        f"{amounts.cache_in_words(state)}"
    )
    pictures = wires(state), maps(state, result), amounts.cache(state)
    return still(*pictures, description=said), said
