"""What the ledger explorer shows: pictures, tables and sentences."""

from helpers.cost import (
    binary_units,
    causal_pairs,
    flops,
    score_bytes,
    softmax_work,
)
from helpers.explorers.costs import (
    balance_N,
    bars_in_words,
    heads_in_words,
)
from helpers.explorers.ledger.timing import MOST_MEASURED, ROUNDS
from helpers.pictures.amounts import FILL, Amount, amount_bars
from helpers.pictures.bars import FLOPS_IN, flop_bars
from helpers.pictures.colours import STEP_COLOURS
from helpers.pictures.stills import still
from helpers.pictures.text import FAINT, INK, per_cent, table
from helpers.sizes import Sizes


def _counts(state, found):
    drawn = found if state.draws_full else found[:2]
    return {column.name: column.flops for column in drawn}


def picture(state, found):
    """Draw the layers' FLOPs as bars, to the scale of the longest."""
    said = picture_in_words(state, found)
    return flop_bars(_counts(state, found), said, state.unit)


def picture_in_words(state, found):
    """Say what the bars show."""
    return bars_in_words(state.N, _counts(state, found), state.unit)


def price(state, found):
    """Say how h heads compare with one head, in matrix products."""
    one, heads, full = (column.flops.total for column in found)
    per, unit = FLOPS_IN[state.unit], state.unit
    meaning = (
        "One multiply-add is 2 FLOPs."
        if unit == "FLOPs"
        else "A multiply-add is also called a MAC; it is 2 FLOPs."
    )
    return _block(
        f"<b>{_heads(state)}: {heads // per:,} {unit}</b> in matrix "
        f"products, {_against(one, heads)}; of full width "
        f"{full // per:,}, {full / heads:,.1f} times as many. {meaning}"
    )


def _heads(state):
    shared = state.sizes.n_kv
    if shared == state.sizes.h:
        return heads_in_words(state.sizes.h)
    plural = "" if shared == 1 else "s"
    return (
        f"{heads_in_words(state.sizes.h)} on {shared} key/value head{plural}"
    )


def _against(one, heads):
    if one == heads:
        return "the same as one head"
    more = "more" if heads > one else "fewer"
    return f"{per_cent(abs(heads / one - 1))} {more} than one head"


def not_free(state):
    """Say what grows with h, where the balance tips, what a mask saves."""
    N, sizes = state.N, state.sizes
    softmax, single = softmax_work(N, sizes.h), softmax_work(N, 1)
    cost = flops(N, sizes)
    pairs = causal_pairs(N)
    kept = cost.attention * pairs // (N * N) // FLOPS_IN[state.unit]
    shared = "" if sizes.n_kv == sizes.h else " · (1 + n_kv / h)"
    formula = f"d_model{shared}" if shared else "2 · d_model"
    return _block(
        f"<b>Not free:</b> softmax, {softmax.exponentials:,} exponentials "
        f"(h = 1: {single.exponentials:,}), at 5 operations a score "
        f"{per_cent(softmax.operations / cost.total)} beside the products; "
        f"score memory {_score_memory(state, sizes.h)} in {state.number_type} "
        f"(h = 1: {_score_memory(state, 1)}).<br>"
        f"<b>Balance:</b> scores and weighted sum are "
        f"{per_cent(cost.attention / cost.total)} of the products at "
        f"N = {N:,}; they overtake the projections at N = {formula} = "
        f"{balance_N(sizes):,}.<br>"
        f"<b>Causal mask:</b> every score is counted here, since NumPy "
        f"computes them all. A kernel that skips hidden pairs computes "
        f"N(N + 1)/2 = {pairs:,} of {N * N:,} a head: {kept:,} {state.unit} "
        f"in scores and weighted sum.",
        lines=6,
    )


def _score_memory(state, h):
    n_bytes = score_bytes(state.N, h, number_type=state.number_type)
    return binary_units(n_bytes)


def _block(markup, lines=2):
    return (
        f'<div style="color:{INK};line-height:1.5;'
        f'min-height:{1.5 * lines}em">{markup}</div>'
    )


# The measured time.


def times_picture(times, h, n_measured):
    """Draw the measured times; before there are any, say what to do."""
    if not times.seconds:
        return _block(
            f'<span style="color:{FAINT}">Nothing is measured yet. The '
            f"button runs the course's attention {ROUNDS} times for each of "
            f"{n_measured} values of h, at N = {times.N:,} and d_model = "
            f"{times.d_model:,}, in float32, without a mask and with "
            f"n_kv = h.</span>"
        )
    amounts = [
        Amount(
            f"h = {heads}, d_k = {times.d_model // heads}",
            low,
            middle,
            high,
            f"{1e3 * middle:.2f} ms",
            STEP_COLOURS["scores"] if heads == h else FILL,
        )
        for heads, low, middle, high in times.summary()
    ]
    return amount_bars(amounts, times_in_words(times), MOST_MEASURED)


def times_in_words(times):
    """Say the measured times of the fewest and the most heads."""
    found = times.summary()
    if not found:
        return "No time is measured yet."
    first, last = found[0], found[-1]
    same = flops(times.N, Sizes(times.d_model, 1)).total
    return (
        f"Measured here, N = {times.N:,}, d_model = {times.d_model:,}: "
        f"h = {first[0]} takes {1e3 * first[2]:.2f} ms, h = {last[0]} takes "
        f"{1e3 * last[2]:.2f} ms, {last[2] / first[2]:.1f} times as long, "
        f"for the same {same:,} FLOPs in products. Bars are medians of "
        f"{times.rounds}, lines go from fastest to slowest."
        f"{_too_noisy(first, last)}"
    )


def _too_noisy(first, last):
    """Say so if the spreads of two values of h overlap."""
    _, low, _, high = last
    if low > first[3] or high < first[1]:
        return ""
    return (
        " These two lines overlap: the machine is busy, and the difference "
        "is not to be trusted."
    )


MEASURING = "Measuring. The first turn warms up and is not counted."


def times_table(times):
    """Return the measured times as a table."""
    count = flops(times.N, Sizes(times.d_model, 1)).total
    return table(
        f"Measured at N = {times.N:,}, d_model = {times.d_model:,}; the same "
        f"{count:,} FLOPs in every row",
        ["h", "d_k", "fastest ms", "median ms", "slowest ms", "GFLOPs a s"],
        [
            [
                h,
                times.d_model // h,
                *(f"{1e3 * seconds:.2f}" for seconds in spread),
                f"{count / spread[1] / 1e9:.1f}" if spread[1] else "",
            ]
            for h, *spread in times.summary()
        ],
    )


def failed(error):
    """Say that a measurement failed."""
    return f"Measuring failed ({type(error).__name__}: {error})."


def portrait(state, found):
    """Return a still picture and its description."""
    said = picture_in_words(state, found)
    return still(picture(state, found), description=said), said
