"""What the explorer of scale and masks shows."""

from helpers.explorers.scaling.tables import (
    AFTER,
    D_K,
    DRAWS,
    KEYS,
    rows,
)
from helpers.pictures.curves import Chart, Line, bars, curves
from helpers.pictures.shares import shares_map
from helpers.pictures.stills import still
from helpers.pictures.text import table

RAW_COLOUR, SCALED_COLOUR, MEAN_COLOUR = "#D55E00", "#0072B2", "#E69F00"
GRADIENT_TOP = 0.4
NAMES = tuple(str(d_k) for d_k in D_K)


def scale_curves(d_k, scaled):
    """Draw entropy, largest weight and gradient against d_k."""
    raw, tame = rows(False), rows(True)
    place = D_K.index(d_k)

    def lines(column):
        return (
            Line("without scale", tuple(getattr(raw, column)), RAW_COLOUR),
            Line(
                "with 1/√d_k",
                tuple(getattr(tame, column)),
                SCALED_COLOUR,
                "7 3",
            ),
        )

    mean = Line(
        "mean, without scale", tuple(raw.mean_gradient), MEAN_COLOUR, "2 3"
    )
    charts = (
        Chart("entropy, as a share of ln 32", "d_k", NAMES, lines("entropy")),
        Chart("largest weight of a row", "d_k", NAMES, lines("largest")),
        Chart(
            "gradient of the softmax",
            "d_k",
            NAMES,
            (*lines("gradient"), mean),
            GRADIENT_TOP,
        ),
    )
    charts = [
        Chart(c.title, c.x_name, c.xs, c.lines, c.top, place) for c in charts
    ]
    return curves(charts, scale_in_words(d_k, scaled))


def scale_in_words(d_k, scaled):
    """Say what a typical row is like at this d_k."""
    found, place = rows(scaled), D_K.index(d_k)
    how = "with 1/√d_k" if scaled else "without scale"
    return (
        f"d_k = {d_k}, {how}: Var(q·k) = {found.variance[place]:.1f}. Median "
        f"of {DRAWS} rows of {KEYS} keys: entropy {found.entropy[place]:.3f} "
        f"of ln 32, largest weight {found.largest[place]:.2f}, gradient "
        f"{found.gradient[place]:.2g} (mean "
        f"{found.mean_gradient[place]:.2g})."
    )


def scale_remark(d_k, scaled):
    """Say what matters most at this d_k, or ""."""
    if scaled:
        return (
            "With the scale the dashed curves stay nearly level: d_k is tamed."
        )
    if rows(False).largest[D_K.index(d_k)] > 0.95:
        return (
            "A typical row has put everything on one key: it is saturated, "
            "and gets almost no gradient."
        )
    return ""


def example_bars(d_k, scaled):
    """Draw the weights of one row."""
    shares = rows(scaled).example[D_K.index(d_k)]
    return bars(
        shares.tolist(),
        [str(key + 1) for key in range(KEYS)],
        f"one of the rows: its {KEYS} weights",
        f"One row at d_k = {d_k}: its largest weight is {shares.max():.2f}.",
        [SCALED_COLOUR if scaled else RAW_COLOUR] * KEYS,
    )


def scale_table():
    """Return the curves as a table."""
    raw, tame = rows(False), rows(True)
    return table(
        f"Median of {DRAWS} rows of {KEYS} keys; q and k of mean 0, "
        f"variance 1",
        ["d_k", "Var(q·k)", "entropy", "largest", "gradient", "its mean"]
        + ["scaled: entropy", "largest", "gradient"],
        [
            [d_k, f"{raw.variance[i]:.1f}", f"{raw.entropy[i]:.3f}"]
            + [f"{raw.largest[i]:.2f}", f"{raw.gradient[i]:.4f}"]
            + [f"{raw.mean_gradient[i]:.3f}", f"{tame.entropy[i]:.3f}"]
            + [f"{tame.largest[i]:.2f}", f"{tame.gradient[i]:.3f}"]
            for i, d_k in enumerate(D_K)
        ],
    )


def mask_map(setting, result):
    """Draw the sentence's map under the mask, with the sum of each row."""
    return shares_map(
        result.attn,
        result.tokens,
        result.tokens,
        mask_in_words(setting, result),
        result.visible,
    )


def mask_in_words(setting, result):
    """Say what the rows "ate" and "it" see, and which rows see nothing."""
    said = [f"Mask: {setting.mask}, {setting.acts}."]
    for query, keys in (("ate", ("cat", "fish")), ("it", ("cat", "hungry"))):
        if query in result.tokens:
            said.append(f"{query}: {_row_in_words(result, query, keys)}.")
    blind = (~result.visible.any(axis=-1)).sum()
    if blind:
        s = "" if blind == 1 else "s"
        said.append(f"{blind} row{s} may see nothing: weights 0, output 0.")
    sums = result.attn.sum(axis=-1)[result.visible.any(axis=-1)]
    if setting.acts == AFTER and (sums < 0.995).any():
        said.append("Some rows no longer sum to 1.")
    return " ".join(said)


def _row_in_words(result, query, keys):
    row, parts = result.tokens.index(query), []
    for key in keys:
        if key not in result.tokens:
            continue
        column = result.tokens.index(key)
        seen = result.visible[row, column]
        share = f"{result.attn[row, column]:.2f}" if seen else "hidden"
        parts.append(f"{key} {share}")
    return ", ".join(parts) or "none of its words is there"


def mask_table(result):
    """Return the map as a table; a hidden key is a dash."""
    return table(
        "Weights: a row for each query, a column for each key",
        ["", *result.tokens, "sum"],
        [
            [
                token,
                *(
                    f"{share:.2f}" if seen else "–"
                    for share, seen in zip(
                        result.attn[q], result.visible[q], strict=True
                    )
                ),
                f"{result.attn[q].sum():.2f}",
            ]
            for q, token in enumerate(result.tokens)
        ],
    )


def portrait(d_k, scaled, setting, result):
    """Return curves, bars and map as one still, and its description."""
    said = f"{scale_in_words(d_k, scaled)} {mask_in_words(setting, result)}"
    return (
        still(
            scale_curves(d_k, scaled),
            example_bars(d_k, scaled),
            mask_map(setting, result),
            description=said,
        ),
        said,
    )
