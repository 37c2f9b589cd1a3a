"""What n_kv costs and saves: the bytes of the cache, a layer's work."""

import math
from dataclasses import replace

from helpers.cost import binary_units, flops, kv_cache_bytes, parameters
from helpers.explorers.grouped.layer import WIDTH
from helpers.pictures.bars import flop_bars
from helpers.pictures.memory import memory_bars
from helpers.pictures.text import INK, per_cent, table

GIB, GB, MIB = "KiB, MiB, GiB", "GB", "MiB"
UNITS = (GIB, GB, MIB)


def in_units(n_bytes, units):
    """Write bytes: powers of 1024 (1 GiB, 1,024 MiB), or of 1000 (GB)."""
    if units == GIB:
        return binary_units(n_bytes)
    amount = n_bytes / (10**9 if units == GB else 2**20)
    digits = 0 if amount == int(amount) else 3 if amount < 1000 else 0
    if 0 < amount < 0.1:
        digits = 2 - math.floor(math.log10(amount))  # never 0.000
    return f"{amount:,.{digits}f} {units}"


def kept(state, n_kv=None, N=None, batch=None):
    """Return the bytes of the model's keys and values."""
    shape = state.shape
    return kv_cache_bytes(
        shape.n_layers,
        state.n_kv if n_kv is None else n_kv,
        shape.sizes.d_k,
        state.N if N is None else N,
        batch=state.batch if batch is None else batch,
        number_type=state.number_type,
    )


def cache(state):
    """Draw the cache at both ends of the dial, and at n_kv, in memory."""
    amounts = _amounts(state)

    def write(n_bytes):
        return in_units(n_bytes, state.units)

    return memory_bars(amounts, state.limit, write, cache_in_words(state))


def _amounts(state):
    return {
        f"n_kv = {state.h}, multi-head": kept(state, state.h),
        f"n_kv = {state.n_kv}, this dial": kept(state),
        "n_kv = 1, multi-query": kept(state, 1),
    }


def cache_in_words(state):
    """Say how large the cache is, and what fits."""
    said = "; ".join(
        f"{name}: {in_units(n_bytes, state.units)}"
        for name, n_bytes in _amounts(state).items()
    )
    return f"Cache of {_tokens(state)}. {said}. {fits_in_words(state)}"


def _tokens(state):
    tokens = f"{state.N:,} token{'' if state.N == 1 else 's'}"
    sentences = "" if state.batch == 1 else f" × {state.batch:,} sentences"
    return f"{tokens}{sentences} in {state.number_type}"


def fits(state, n_kv=None):
    """Return the tokens, and the sentences of N tokens, that fit."""
    token = kept(state, n_kv, N=1, batch=1)
    return state.limit // token, state.limit // (token * state.N)


def fits_in_words(state):
    """Say how many tokens and sentences fit in the memory."""
    tokens, sentences = fits(state)
    own, whole = fits(state, state.h)
    plain = (
        ""
        if state.n_kv == state.h
        else f" Multi-head: {own:,} tokens, {whole:,} sentences."
    )
    return (
        f"In {in_units(state.limit, state.units)} fit {tokens:,} tokens, or "
        f"{sentences:,} sentence{'' if sentences == 1 else 's'} of "
        f"{state.N:,}.{plain}"
    )


def bytes_line(state, measured):
    """Say bytes a token, and that the arrays that ran have them too."""
    shape, sizes = state.shape, state.shape.sizes
    per_token = kept(state, N=1, batch=1)
    N = len(state.tokens)
    formula = kv_cache_bytes(1, state.n_kv, WIDTH, N, number_type="float32")
    same = measured == formula
    mark = "✓ measured = formula" if same else "✗ measured ≠ formula"
    colour = "#0b6b3a" if same else "#b00020"
    return (
        f'<div style="color:{INK};line-height:1.5;min-height:6em"><b>'
        f"{in_units(per_token, state.units)} a token</b> = 2 (K and V) × "
        f"{shape.n_layers} layers × {state.n_kv} key/value "
        f"head{'' if state.n_kv == 1 else 's'} × "
        f"{sizes.d_k} numbers × {per_token // _numbers(state)} bytes = "
        f"{per_token:,} bytes; {_beside_plain(state)} "
        f"{fits_in_words(state)} "
        f"The model's own weights need memory too.<br>"
        f'<span style="background:{colour};color:#fff;border-radius:4px;'
        f'padding:2px 8px;font-weight:600">{mark}</span> {measured:,} '
        f"bytes: K and V of the {N} words, in the arrays that drew these "
        f"maps (1 layer, {WIDTH} numbers a head, 4 bytes)</div>"
    )


def _beside_plain(state):
    if state.n_kv == state.h:
        return "n_kv = h: nothing is shared."
    plain = in_units(kept(state, state.h, 1, 1), state.units)
    times = state.h // state.n_kv
    return f"n_kv = h would keep {plain}, {times} times as much."


def _numbers(state):
    return 2 * state.shape.n_layers * state.n_kv * state.shape.sizes.d_k


def layers_of(state):
    """Return {name: Sizes} of one layer at both ends, and at n_kv."""
    sizes, h = state.shape.sizes, state.h
    return {
        f"n_kv = {h}": replace(sizes, n_kv=h),
        f"n_kv = {state.n_kv}, dial": replace(sizes, n_kv=state.n_kv),
        "n_kv = 1, MQA": replace(sizes, n_kv=1),
    }


def work(state):
    """Draw the FLOPs of reading N tokens at once, one layer."""
    counts = {
        name: flops(state.N, sizes, batch=state.batch)
        for name, sizes in layers_of(state).items()
    }
    said = "; ".join(
        f"{name}: {count.total:,} FLOPs, of which K and V "
        f"{per_cent((count.K + count.V) / count.total)}"
        for name, count in counts.items()
    )
    return flop_bars(
        counts,
        f"FLOPs of one layer that reads {state.N:,} tokens at once. {said}.",
    )


def work_line(state):
    """Say what shrinks with n_kv in a layer, and what does not."""
    wide, here, _ = layers_of(state).values()
    before = flops(state.N, wide, batch=state.batch)
    after = flops(state.N, here, batch=state.batch)
    numbers, fewer = parameters(wide).total, parameters(here).total
    return (
        f'<div style="color:{INK};line-height:1.5;min-height:3em">'
        f"<b>Shrinks:</b> W_K and W_V, so {fewer:,} parameters a layer "
        f"instead of {numbers:,} ({per_cent(fewer / numbers)}); K and V, so "
        f"{per_cent(after.total / before.total)} of the FLOPs at N = "
        f"{state.N:,}. <b>Stays:</b> {after.attention:,} FLOPs for scores "
        f"and weighted sum, and all {state.h} maps.</div>"
    )


def work_table(state):
    """Return parameters, FLOPs and bytes at both ends, and at n_kv."""
    layers = layers_of(state)
    sizes = list(layers.values())
    numbers = [parameters(s) for s in sizes]
    counts = [flops(state.N, s, batch=state.batch) for s in sizes]

    def row(name, amounts):
        return [name, *(f"{amount:,}" for amount in amounts)]

    def memory(name, amounts):
        return [name, *(in_units(amount, state.units) for amount in amounts)]

    rows = [
        row("maps a layer", [s.h for s in sizes]),
        row("parameters: W_Q and W_O", [n.W_Q + n.W_O for n in numbers]),
        row("parameters: W_K and W_V", [n.W_K + n.W_V for n in numbers]),
        row("FLOPs: Q and W_O", [c.Q + c.W_O for c in counts]),
        row("FLOPs: K and V", [c.K + c.V for c in counts]),
        row("FLOPs: scores and weighted sum", [c.attention for c in counts]),
        memory("cache: one token", [kept(state, s.n_kv, 1, 1) for s in sizes]),
        memory("cache: all", [kept(state, s.n_kv) for s in sizes]),
        row("tokens that fit", [fits(state, s.n_kv)[0] for s in sizes]),
        row("sentences that fit", [fits(state, s.n_kv)[1] for s in sizes]),
    ]
    return table(
        f"{state.shape.name}, {_tokens(state)}; parameters and FLOPs of one "
        f"of its {state.shape.n_layers} layers",
        ["", *layers],
        rows,
    )
