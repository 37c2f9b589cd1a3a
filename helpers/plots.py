"""Arrays as Matplotlib figures: the stills that a notebook draws.

A figure is made without pyplot, so none is left open, and none is drawn
twice. Give it as the last line of a cell, after %matplotlib inline.
"""

import base64
import html
import io
import unicodedata

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font

COLOUR_MAP = "bone_r"  # white is 0, near-black is 1
MOST_COLUMNS = 4
MOST_LABELS = 30
LONGEST_LABEL = 12
SIDE, LARGE_SIDE = 2.1, 3.0  # inches of a map: of many, of one or two
MOST_SAID = 3  # rows of a map in its description, if there are many


class DescribedFigure(Figure):
    """A figure that a notebook shows with its description as alternative.

    IPython's own way gives the bare PNG, and JupyterLab an <img> without
    alternative text. This one is drawn once, and sends both.
    """

    description = "A figure"

    def _repr_mimebundle_(self, **_):
        page = io.BytesIO()
        self.savefig(page, format="png", bbox_inches="tight")
        png = base64.b64encode(page.getvalue()).decode("ascii")
        image = (
            f'<img alt="{html.escape(self.description)}" '
            f'style="max-width:100%" src="data:image/png;base64,{png}">'
        )
        return {
            "text/html": image,
            "image/png": png,
            "text/plain": self.description,
        }

    def _ipython_display_(self):
        from IPython.display import display

        display(self._repr_mimebundle_(), raw=True)


def attention_maps(attn, tokens, titles=None):
    """Draw maps side by side: rows are queries, columns are keys.

    Parameters
    ----------
    attn : array (h, N_q, N_k) or (N_q, N_k)
        Weights. The colours run from 0 to 1 in every map, so that colours
        compare between maps.
    tokens : sequence of str, or a pair of such for queries and keys
        Drawn as they are, also "$". A word that the font can't draw is
        shown by its place, such as "#3".
    titles : sequence of str, optional
        Of the maps; "head 1", "head 2", … if left out.

    Returns
    -------
    DescribedFigure
        A matplotlib.figure.Figure whose description names the strongest
        weights.

    Raises
    ------
    ValueError
        If the tokens, titles and maps do not agree in number.
    """
    attn = np.asarray(attn, dtype=float)
    attn = attn[None] if attn.ndim == 2 else attn
    if attn.ndim != 3 or 0 in attn.shape:
        raise ValueError(
            f"attn must be (h, N_q, N_k) or (N_q, N_k): got {attn.shape}."
        )
    h, N_q, N_k = attn.shape
    pair = len(tokens) == 2 and not isinstance(tokens[0], str)
    rows, columns = tokens if pair else (tokens, tokens)
    titles = titles or [f"head {i + 1}" for i in range(h)]
    if (len(rows), len(columns), len(titles)) != (N_q, N_k, h):
        raise ValueError(
            f"attn {attn.shape} needs {h} titles, {N_q} query words and "
            f"{N_k} key words: got {len(titles)}, {len(rows)} and "
            f"{len(columns)}."
        )
    across = min(h, MOST_COLUMNS)
    side = SIDE if h > 2 else LARGE_SIDE
    down = -(-h // across)
    figure = DescribedFigure(
        figsize=(side * across + 1.4, (side + 0.35) * down + 0.7),
        layout="constrained",
    )
    figure.description = _described(attn, rows, columns, titles)
    axes = list(figure.subplots(down, across, squeeze=False).flat)
    for number, axis in enumerate(axes):
        if number >= h:
            axis.set_visible(False)
            continue
        image = _draw(axis, attn[number])
        axis.set_title(titles[number], fontsize=9, parse_math=False)
        _label(axis, rows if number % across == 0 else (), columns, number)
    bar = figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02)
    bar.set_label("weight", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    return figure


def _described(attn, rows, columns, titles):
    """Return in words what the maps show: the strongest key of each query.

    Of more than two maps, or of long ones, the clearest rows only.
    """
    few = len(attn) <= 2 and attn.shape[1] <= MOST_LABELS
    said = []
    for title, shares in zip(titles, attn, strict=True):
        strongest = shares.max(axis=-1)
        shown = range(len(rows))
        if not few:
            shown = sorted(np.argsort(-strongest, kind="stable")[:MOST_SAID])
        said.append(
            f"{title}: "
            + ", ".join(
                f"{rows[q]} → {columns[shares[q].argmax()]} {strongest[q]:.2f}"
                for q in shown
            )
        )
    which = "each query" if few else f"the {MOST_SAID} clearest queries"
    return (
        f"{len(attn)} attention map{'s' * (len(attn) > 1)}, {len(rows)} "
        f"queries by {len(columns)} keys; the largest weight of {which}. "
        f"{'; '.join(said)}."
    )


def _draw(axis, shares):
    image = axis.imshow(
        shares, cmap=COLOUR_MAP, vmin=0, vmax=1, origin="upper"
    )
    N_k = shares.shape[1]
    if max(shares.shape) > 12:
        return image
    for place in np.argwhere(shares >= max(0.15, 1.5 / N_k)):
        share = shares[tuple(place)]
        text = "1.0" if share >= 0.995 else f"{share:.2f}"[1:]
        ink = _ink_on(image.to_rgba(share))
        axis.text(
            *place[::-1],
            text,
            ha="center",
            va="center",
            fontsize=min(9, 60 / max(shares.shape)),
            color=ink,
        )
    return image


def _ink_on(colour):
    """Return black or white, whichever has more contrast (WCAG 2.1)."""
    c = np.asarray(colour[:3])
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    return "black" if luminance > 0.179 else "white"


def _label(axis, rows, columns, number):
    axis.xaxis.tick_top()
    for ticks, words, rotation in (
        (axis.set_xticks, columns if number < MOST_COLUMNS else (), 60),
        (axis.set_yticks, rows, 0),
    ):
        step = -(-len(words) // MOST_LABELS) or 1
        places = range(0, len(words), step)
        ticks(
            list(places),
            [_shown(words[i], i) for i in places],
            rotation=rotation,
            fontsize=8,
            parse_math=False,
        )
    for tick in axis.get_xticklabels():
        tick.set(ha="left", rotation_mode="anchor")
    axis.tick_params(length=0)


def _shown(word, place):
    """Return the word as a label, or its place if it can't be drawn."""
    if len(word) > LONGEST_LABEL:
        word = word[: LONGEST_LABEL - 1] + "…"
    known = get_font(findfont("DejaVu Sans")).get_charmap()
    right_to_left = any(
        unicodedata.bidirectional(c) in ("R", "AL") for c in word
    )
    if all(ord(c) in known for c in word):
        if not right_to_left or _draws_right_to_left():
            return word
    return f"#{place + 1}"


def _draws_right_to_left():
    major, minor = matplotlib.__version__.split(".")[:2]
    return (int(major), int(minor)) >= (3, 11)
