"""What explorers show of a layer's cost: columns, bars in words, tables."""

from dataclasses import dataclass, replace

from helpers.cost import (
    Flops,
    binary_units,
    flops,
    full_width_heads,
    one_head,
    parameters,
    score_bytes,
    softmax_work,
)
from helpers.pictures.bars import FLOPS_IN, STEP_NAMES
from helpers.pictures.text import per_cent, table
from helpers.sizes import Sizes

IN_NARROW = "max(0, var(--why-more-lines, 0) - 1)"  # 1 below 1,100 pixels
# The ledger's table; in a narrow window its names wrap, and a bar scrolls it.
TABLE_HEIGHT = f"calc(250px + {IN_NARROW} * 52px)"


@dataclass(frozen=True)
class Column:
    """One layer of the ledger, and what it costs at a given N."""

    name: str
    sizes: Sizes
    flops: Flops
    parameters: int


def heads_in_words(h):
    """Return "1 head" or "8 heads"."""
    return "1 head" if h == 1 else f"{h} heads"


def columns(N, sizes, one_head_mixes=True):
    """Return one head, the heads of `sizes`, and as many of full width.

    Parameters
    ----------
    N : int
        Tokens.
    sizes : Sizes
    one_head_mixes : bool
        False: the one head has no W_O, as some compare it.

    Returns
    -------
    tuple of three Column
    """
    heads = heads_in_words(sizes.h)
    single = one_head(sizes)
    count, numbers = flops(N, single), parameters(single).total
    name = "one head"
    if not one_head_mixes:
        count = replace(count, W_O=0)
        numbers -= parameters(single).W_O
        name = "one head, no W_O"
    full = full_width_heads(sizes)
    return (
        Column(name, single, count, numbers),
        Column(
            f"{heads}, d_k = {sizes.d_k}",
            sizes,
            flops(N, sizes),
            parameters(sizes).total,
        ),
        Column(
            f"{heads} of full width",
            full,
            flops(N, full),
            parameters(full).total,
        ),
    )


def bars_in_words(N, counts, unit="FLOPs"):
    """Say what `flop_bars` shows of {name: Flops}."""
    said = "; ".join(
        f"{name}: {count.total // FLOPS_IN[unit]:,} {unit}, of which scores "
        f"and weighted sum {per_cent(count.attention / count.total)}"
        for name, count in counts.items()
    )
    return f"{unit} of the matrix products at N = {N:,}. {said}."


def ledger_table(N, sizes, unit="FLOPs", one_head_mixes=True):
    """Return the ledger of the three `columns`, step by step."""
    found = columns(N, sizes, one_head_mixes)
    steps = [column.flops.as_dict() for column in found]
    rows = [
        [name, *(f"{count[step] // FLOPS_IN[unit]:,}" for count in steps)]
        for step, name in _steps(steps[0])
    ]
    totals = [column.flops.total // FLOPS_IN[unit] for column in found]
    rows.append(["all products", *(f"{total:,}" for total in totals)])
    softmaxes = [softmax_work(N, column.sizes.h) for column in found]
    rows.append(["exponentials", *(f"{s.exponentials:,}" for s in softmaxes)])
    memory = [score_bytes(N, column.sizes.h) for column in found]
    rows.append(["score memory", *map(binary_units, memory)])
    numbers = [column.parameters for column in found]
    rows.append(["parameters", *(f"{number:,}" for number in numbers)])
    return table(
        f"{unit} at N = {N:,}, d_model = {sizes.d_model:,}",
        ["step", *(column.name for column in found)],
        rows,
    )


def _steps(count):
    """Return (step, its name) in the order of the computation."""
    return [(step, STEP_NAMES[step]) for step in count]


def balance_N(sizes):
    """Return the N at which scores and weighted sum equal the projections.

    d_model · (1 + n_kv / h), which is 2 · d_model without shared heads. It
    holds for d_k = d_v, of any width.
    """
    return sizes.d_model + sizes.d_model * sizes.n_kv // sizes.h
