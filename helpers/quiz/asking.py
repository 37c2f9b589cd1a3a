"""A box that asks: its style, its texts, its list without a kernel."""

import math
from numbers import Real

import ipywidgets as widgets

from helpers.controls import Explorer
from helpers.pictures.text import INK, escape

STYLES = (
    ".why-quiz{max-width:780px}"
    ".why-quiz .widget-toggle-buttons > .widget-label{flex:none}"
    ".why-quiz .why-column > div"
    "{flex-direction:column;align-items:stretch;gap:2px}"
    ".why-quiz .why-column .widget-toggle-button"
    "{white-space:normal;height:auto;text-align:left;line-height:1.4;"
    "padding:3px 10px;width:auto}"
    ".why-quiz .widget-toggle-button.mod-active{font-weight:600}"
    ".why-quiz .widget-toggle-button.mod-active::before{content:'● '}"
)
LETTERS_A_LINE = 84  # of the 780 pixels, on the safe side


class Asking(Explorer):
    """An explorer of questions: without a kernel it is a text."""

    def __init__(self):
        super().__init__()
        self.add_class("why-quiz")

    def printed(self):
        """Return (html, text): what stands where there is no kernel."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs):
        bundle = widgets.VBox._repr_mimebundle_(self, **kwargs)
        if isinstance(bundle, tuple):
            bundle = bundle[0]
        if bundle:
            bundle["text/html"], bundle["text/plain"] = self.printed()
        return bundle


def paragraph(text):
    """Return a bold paragraph of escaped text."""
    return (
        f'<p style="margin:8px 0 2px;font-weight:600;line-height:1.4;'
        f'color:{INK}">{escape(text)}</p>'
    )


def lines_for(letters, in_a_line=LETTERS_A_LINE):
    """Return how many lines so many letters need."""
    return max(1, math.ceil(letters / in_a_line))


def in_words(value):
    """Write a choice or a result: 1,024 or 0.333 or the text itself."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return str(value)
    if not math.isfinite(value):
        return str(float(value))
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
