"""Arrays as Matplotlib figures: the stills that a notebook draws.

A figure is made without pyplot, so none is left open, and none is drawn
twice. Give it as the last line of a cell, after %matplotlib inline.
"""

import base64
import html
import io

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from helpers.choice_rules import several, texts
from helpers.map_rules import weights_array
from helpers.number_rules import as_array
from helpers.plot_words import described, label, step, words_of

COLOUR_MAP = "bone_r"  # white is 0, near-black is 1
MOST_COLUMNS = 4
SIDE, LARGE_SIDE = 2.1, 3.0  # inches of a map: of many, of one or two
CLOSEST = 0.08  # inches between strokes over hidden cells
HIDDEN = "stroked out: hidden by the mask"


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


def attention_maps(attn, tokens, titles=None, visible=None):
    """Draw maps side by side: rows are queries, columns are keys.

    Parameters
    ----------
    attn : array (h, N_q, N_k) or (N_q, N_k)
        Weights. The colours run from 0 to 1 in every map, so that colours
        compare between maps.
    tokens : sequence of str, or a pair of such for queries and keys
        Drawn as they are, also "$". A word that the font can't draw is
        shown by its place, such as "#3". Of many words, some have a label.
    titles : sequence of str, optional
        Of the maps; "head 1", "head 2", … if left out.
    visible : bool array (N_q, N_k), or h of them or None, optional
        False where a mask hides the key: stroked out, not drawn as 0.

    Returns
    -------
    DescribedFigure
        A matplotlib.figure.Figure whose description names the strongest
        weights.

    Raises
    ------
    ValueError
        If the tokens, titles and maps do not agree in number, or `attn`
        holds other numbers than weights: 0 to 1.
    TypeError
        If a token is no text, or `visible` not boolean.
    """
    attn = _weights(attn)
    h, N_q, N_k = attn.shape
    rows, columns = words_of(tokens)
    if titles is None:
        titles = [f"head {i + 1}" for i in range(h)]
    titles = texts("titles", titles, "titles")
    if (len(rows), len(columns), len(titles)) != (N_q, N_k, h):
        raise ValueError(
            f"attn {attn.shape} needs {h} titles, {N_q} query words and "
            f"{N_k} key words: got {len(titles)}, {len(rows)} and "
            f"{len(columns)}."
        )
    seen = _seen(visible, attn.shape)
    across = min(h, MOST_COLUMNS)
    side = SIDE if h > 2 else LARGE_SIDE
    down = -(-h // across)
    figure = DescribedFigure(
        figsize=(side * across + 1.4, (side + 0.35) * down + 0.7),
        layout="constrained",
    )
    figure.description = described(attn, rows, columns, titles)
    notes = []
    axes = list(figure.subplots(down, across, squeeze=False).flat)
    for number, axis in enumerate(axes):
        if number >= h:
            axis.set_visible(False)
            continue
        image = _draw(axis, attn[number])
        if seen[number] is not None:
            _stroke_out(axis, seen[number], side)
        axis.set_title(titles[number], fontsize=9, parse_math=False)
        _label(axis, rows if number % across == 0 else (), columns, number)
    bar = figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02)
    bar.set_label("weight", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    if any(mask is not None for mask in seen):
        notes.append(HIDDEN)
    if step(rows) > 1 or step(columns) > 1:
        notes.append(
            f"a label for 1 row in {step(rows)}, 1 column in {step(columns)}"
        )
    if notes:
        note = "; ".join(notes)
        figure.supxlabel(note, fontsize=8)
        figure.description += f" {note[0].upper()}{note[1:]}."
    return figure


def _weights(attn):
    """Return `attn` as maps (h, N_q, N_k), if it holds weights."""
    attn = weights_array("attn", attn).astype(float)
    attn = attn[None] if attn.ndim == 2 else attn
    if attn.ndim != 3 or 0 in attn.shape:
        raise ValueError(
            f"attn must be (h, N_q, N_k) or (N_q, N_k): got {attn.shape}."
        )
    return attn


def _seen(visible, shape):
    """Return a bool array or None for each of the maps."""
    h, *sides = shape
    single = visible is None or getattr(visible, "ndim", 0) == 2
    each = [visible] * h if single else several("visible", visible, "masks")
    if len(each) != h:
        raise ValueError(f"visible must be one, or {h}: got {len(each)}.")
    for mask in each:
        if mask is None:
            continue
        mask = as_array("visible", mask)
        if mask.dtype != bool or list(mask.shape) != sides:
            raise TypeError(
                f"visible must be boolean and {tuple(sides)}: got "
                f"{mask.dtype}, {mask.shape}."
            )
    return each


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


def _stroke_out(axis, visible, side):
    """Stroke hidden cells out; small ones along every so many diagonals."""
    apart = -(-CLOSEST * max(visible.shape) // side)
    axis.add_collection(
        LineCollection(
            [
                [(k - 0.5, q - 0.5), (k + 0.5, q + 0.5)]
                for q, k in np.argwhere(~np.asarray(visible))
                if (k - q) % apart == 0
            ],
            colors="#9e9e9e",
            linewidths=0.7,
        )
    )


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
        places = range(0, len(words), step(words))
        ticks(
            list(places),
            [label(words[i], i) for i in places],
            rotation=rotation,
            fontsize=8,
            parse_math=False,
        )
    for tick in axis.get_xticklabels():
        tick.set(ha="left", rotation_mode="anchor")
    axis.tick_params(length=0)
