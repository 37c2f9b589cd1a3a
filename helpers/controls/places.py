"""Places on an explorer: for a message, and for a picture."""

import ipywidgets as widgets

from helpers.pictures.text import INK, escape

FULL = "100%"
NO_SIDES = "2px 0"  # with the usual 2px beside it, 100% would overhang
# Text needs more lines in a narrow window: parts.STYLES says how many.
MORE_LINES = "var(--why-more-lines, 0) * 1.5em"
# JupyterLab's red alone is too dark on its dark theme's background.
PROBLEM = f"color-mix(in srgb,var(--jp-error-color0,#b00020) 65%,{INK})"
UNSEEN = "position:absolute;clip-path:inset(50%);width:1px;height:1px"


class Message:
    """Plain text that a screen reader reads when it changes.

    Room for `lines` lines is always kept, and for more in a narrow window,
    so that the page never jumps.
    """

    def __init__(self, lines=2):
        self._height = f"calc({1.5 * lines}em + {MORE_LINES})"
        self.widget = widgets.HTML(
            layout=widgets.Layout(width=FULL, margin=NO_SIDES)
        )
        self.text = None
        self.say("")

    def say(self, text, problem=False, spoken=""):
        """Show `text`, escaped; say `spoken` before it, unseen."""
        self.text = text
        if spoken:
            spoken = f'<span style="{UNSEEN}">{escape(spoken)}. </span>'
        colour = PROBLEM if problem else INK
        self.widget.value = (
            f'<div role="status" aria-live="polite" style="min-height:'
            f'{self._height};line-height:1.5;color:{colour}">{spoken}'
            f"{escape(text)}</div>"
        )


class Stage:
    """A place for one picture; it draws and sends only what has changed.

    A table, and a picture of a least width, may be wider than the page and
    scroll: then the stage is a stop of the Tab key, so that keys scroll it.
    A height in em is that of lines of text, which grow in a narrow window.
    """

    def __init__(self, height="0", width=FULL):
        if height.endswith("em"):
            height = f"calc({height} + {MORE_LINES})"
        self.widget = widgets.HTML(
            layout=widgets.Layout(
                min_height=height,
                width=width,
                max_width=FULL,
                margin=NO_SIDES,
                overflow="auto hidden",
            )
        )
        self.picture = ""
        self._drawn_from = None

    def show(self, draw, *inputs):
        """Show `draw(*inputs)`, an SVG or HTML string.

        It is not drawn again from inputs equal to the last ones.
        """
        if self._drawn_from != (draw, inputs):
            self.picture = draw(*inputs)
            self._drawn_from = (draw, inputs)
            wide = "<table" in self.picture or "min-width" in self.picture
            self.widget.tabbable = wide or None
        if self.widget.value != self.picture:
            self.widget.value = self.picture

    def show_if(self, wanted, draw, *inputs):
        """Show `draw(*inputs)` if it is wanted, else nothing."""
        if wanted:
            self.show(draw, *inputs)
        else:
            self.clear()

    def clear(self):
        """Show nothing."""
        self.show(str)

    def mark_old(self):
        """Grey the picture out: it does not answer to the controls."""
        self.widget.value = (
            f'<div style="opacity:.35" aria-disabled="true">{self.picture}'
            f"</div>"
        )
