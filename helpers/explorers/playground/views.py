"""What the playground shows: its own sentences, and others' pictures."""

from dataclasses import replace

from helpers.cost import (
    binary_units,
    flops,
    kv_cache_bytes,
    one_head,
    parameters,
)
from helpers.explorers.costs import bars_in_words, columns
from helpers.explorers.grouped.views import wires, wires_in_words
from helpers.explorers.ledger import views as ledger
from helpers.explorers.ledger.explorer import State as Ledger
from helpers.explorers.multi_head import views as heads
from helpers.explorers.playground.kinds import REAL, TRAINED
from helpers.pictures.bars import flop_bars
from helpers.pictures.memory import memory_bars
from helpers.pictures.stills import still
from helpers.pictures.text import INK
from helpers.sizes import Sizes

FLOPS = "FLOPs"


def price(N, sizes):
    """Say what h heads on n_kv cost beside one head."""
    return ledger.price(_ledger(N, sizes), columns(N, sizes))


def not_free(N, sizes, number_type):
    """Say what grows with h, and where the balance tips."""
    return ledger.not_free(_ledger(N, sizes, number_type))


def _ledger(N, sizes, number_type="float32"):
    return Ledger(N, sizes, FLOPS, True, True, number_type)


def bars(N, sizes):
    """Draw one head, h heads with their own keys, and h heads on n_kv."""
    counts = _counts(N, sizes)
    return flop_bars(counts, bars_in_words(N, counts))


def _counts(N, sizes):
    layers = {
        "one head": one_head(sizes),
        f"n_kv = h = {sizes.h}": replace(sizes, n_kv=sizes.h),
        f"n_kv = {sizes.n_kv}, here": sizes,
    }
    return {name: flops(N, layer) for name, layer in layers.items()}


def cache(N, sizes, number_type):
    """Draw the bytes of one layer's cache: n_kv = h, here, and n_kv = 1."""
    amounts = _amounts(N, sizes, number_type)
    said = cache_in_words(N, sizes, number_type)
    return memory_bars(amounts, None, binary_units, said)


def _amounts(N, sizes, number_type):
    dial = {
        f"n_kv = h = {sizes.h}": sizes.h,
        f"n_kv = {sizes.n_kv}, here": sizes.n_kv,
        "n_kv = 1, multi-query": 1,
    }
    return {
        name: kv_cache_bytes(1, n_kv, sizes.d_k, N, number_type=number_type)
        for name, n_kv in dial.items()
    }


def cache_in_words(N, sizes, number_type):
    """Say how many bytes one layer keeps."""
    said = "; ".join(
        f"{name}: {binary_units(n_bytes)}"
        for name, n_bytes in _amounts(N, sizes, number_type).items()
    )
    return f"KV cache of one layer, {N:,} tokens in {number_type}. {said}."


def kept(N, sizes, number_type):
    """Say what the cache and the four matrices take."""
    n_bytes, wide = (
        kv_cache_bytes(1, n_kv, sizes.d_k, N, number_type=number_type)
        for n_kv in (sizes.n_kv, sizes.h)
    )
    numbers, plain, single = (
        parameters(layer).total
        for layer in (sizes, Sizes(sizes.d_model, sizes.h), one_head(sizes))
    )
    return (
        f'<div style="color:{INK};line-height:1.5;min-height:3em">'
        f"<b>KV cache:</b> {binary_units(n_bytes)} a layer at N = {N:,} in "
        f"{number_type}, {binary_units(n_bytes // N)} a token (n_kv = h: "
        f"{binary_units(wide)}). <b>Parameters:</b> {numbers:,} in the four "
        f"matrices (n_kv = h: {plain:,}; h = 1: {single:,}).</div>"
    )


def remark(state, result):
    """Say what kind of evidence these maps are, and their limits."""
    sizes = state.sizes
    if state.kind == TRAINED:
        said = ", ".join(
            f"{role} {noun} {share:.2f}"
            for role, noun, share in result.answers
        )
        return (
            f"Trained here, shipped: d_model = {sizes.d_model}, no causal "
            f"mask. Its most probable answers: {said}."
        )
    if state.kind == REAL:
        return (
            f"Real model: layer {state.depth + 1} of all-MiniLM-L6-v2, whose "
            f"sizes are fixed: d_model = {sizes.d_model}, h = n_kv = "
            f"{sizes.h}; no causal mask. Its other layers: notebook 09."
        )
    return heads.limits_in_words(state)


def portrait(state, result):
    """Return maps, wiring and bars as one still, and its description."""
    said = (
        f"{heads.maps_in_words(state)} {wires_in_words(state.sharing)} "
        f"{heads.cell_in_words(state, result)}"
    )
    pictures = (
        heads.maps(state, result),
        wires(state.sharing),
        bars(state.ledger_N, state.sizes),
    )
    return still(*pictures, description=said), said
