"""What the decoding explorer shows: pictures, tables and sentences."""

from helpers.cost import binary_units, flops, kv_cache_bytes
from helpers.explorers.decoding.layer import NUMBER_TYPE
from helpers.pictures.decoding import (
    AGAIN,
    NEW,
    Bar,
    work_bars,
    work_grids,
)
from helpers.pictures.stills import still
from helpers.pictures.text import INK, table

KEPT_COLOUR = "#8A99A8"
SAME = 1e-4  # float32 outputs of size about 1 differ by about 1e-6


def plural(count, noun):
    """Return "1 token" or "7 tokens"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def formula(step, sizes):
    """Return the formula's FLOPs of a step: without, and with a cache."""
    new = step.N - step.before
    return (
        flops(step.N, sizes).total,
        flops(new, sizes, N_k=step.N, N_new=new).total,
    )


def step_in_words(state, result):
    """Say what this step does both ways, and what it costs."""
    last = result.last
    if not last.before:
        what = (
            f"Prefill: {plural(last.N, 'token')} at once. Both ways do the "
            f"same: {last.cached:,} FLOPs."
        )
    else:
        what = (
            f"Token {last.N}, “{state.tokens[last.N - 1]}”: "
            f"{last.without:,} FLOPs without a cache, {last.cached:,} with "
            f"one: {last.without / last.cached:.1f} times less. So far "
            f"{result.without:,} and {result.cached:,}: "
            f"{result.without / result.cached:.1f} times less."
        )
    return f"{what} The cache holds {last.n_bytes:,} bytes."


def grids(state, before):
    """Draw the scores of the last step."""
    said = (
        f"Decoding: token {state.N} of {len(state.tokens)}, n_kv = "
        f"{state.sizes.n_kv}. Without a cache all {state.N} rows of scores "
        f"are computed, {before} of them again. With a cache only "
        f"{plural(state.N - before, 'new row')}; the keys and values of "
        f"{plural(before, 'token')} are kept."
    )
    return work_grids(state.N, before, state.tokens, said)


def bars(state, result):
    """Draw the counters and the bytes."""
    last, n, sizes = result.last, len(state.tokens), state.sizes
    prompt = state.prompt
    widest = flops(n, sizes).total
    whole = sum(flops(t, sizes).total for t in range(prompt, n + 1))
    all_heads = kv_cache_bytes(
        1, sizes.h, sizes.d_k, n, number_type=NUMBER_TYPE
    )
    work = {
        "this step": (last.without, last.cached, widest),
        "so far": (result.without, result.cached, whole),
    }
    parts = {
        heading: (
            Bar("without", without, f"{without:,} FLOPs", AGAIN, most),
            Bar("with a cache", cached, f"{cached:,} FLOPs", NEW, most),
        )
        for heading, (without, cached, most) in work.items()
    }
    parts["cache"] = (
        Bar(
            f"K and V, n_kv = {sizes.n_kv}",
            last.n_bytes,
            f"{binary_units(last.n_bytes)} of {binary_units(all_heads)}",
            KEPT_COLOUR,
            all_heads,
        ),
    )
    said = (
        f"FLOPs of this step: {last.without:,} without a cache, "
        f"{last.cached:,} with one. So far: {result.without:,} and "
        f"{result.cached:,}. The cache holds {last.n_bytes:,} bytes; all "
        f"{n} tokens with n_kv = h would take {all_heads:,}."
    )
    return work_bars(parts, said)


def badge(state, result):
    """Say whether both ways agree, and whether counted = formula."""
    sums = [
        sum(column)
        for column in zip(
            *(formula(step, state.sizes) for step in result.steps), strict=True
        )
    ]
    right = sums == [result.without, result.cached]
    apart = max(step.apart for step in result.steps)
    bytes_right = result.last.n_bytes == kv_cache_bytes(
        1,
        state.sizes.n_kv,
        state.sizes.d_k,
        state.N,
        number_type=NUMBER_TYPE,
    )
    claims = (
        (apart < SAME, "same output", f"largest difference {apart:.0e}"),
        (right, "counted = formula", "FLOPs of every step, both ways"),
        (bytes_right, "bytes = formula", "measured on the arrays"),
    )
    return " ".join(_claim(*claim) for claim in claims)


def _claim(holds, claim, detail):
    mark, colour = ("✓", "#0b6b3a") if holds else ("✗ not:", "#b00020")
    return (
        f'<span style="background:{colour};color:#fff;border-radius:4px;'
        f'padding:2px 8px;font-weight:600;white-space:nowrap">{mark} {claim}'
        f'</span> <span style="color:{INK};margin-right:14px">{detail}</span>'
    )


def steps_table(state, result):
    """Return the last twelve steps as a table."""
    rows = [
        [
            step.N,
            state.tokens[step.N - 1],
            f"{step.without:,}",
            f"{step.cached:,}",
            f"{step.n_bytes:,}",
        ]
        for step in result.steps[-12:]
    ]
    first = len(result.steps) - len(rows)
    left_out = f" The first {first} are left out." if first else ""
    return table(
        f"Steps of one layer, d_model = {state.sizes.d_model}, h = "
        f"{state.sizes.h}, n_kv = {state.sizes.n_kv}.{left_out}",
        ["tokens", "last token", "FLOPs without", "FLOPs with", "cache bytes"],
        rows,
    )


def portrait(state, result):
    """Return grids and bars as one still picture, and its description."""
    said = f"{step_in_words(state, result)} One layer, random weights."
    return (
        still(
            grids(state, result.last.before),
            bars(state, result),
            description=said,
        ),
        said,
    )
