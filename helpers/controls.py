"""Parts of explorers: choices that stay legal, messages, the update loop."""

import ipywidgets as widgets

from helpers.pictures.stills import image
from helpers.pictures.text import INK, escape
from helpers.sentences import TextError
from helpers.sizes import SizeError, nearest

WIDE = {"description_width": "initial"}
STYLES = (
    ".why-explorer{padding:0 6px}"
    ".why-explorer .widget-toggle-buttons"
    "{display:flex;align-items:baseline;gap:8px}"
    ".why-explorer .widget-toggle-buttons > div"
    "{display:flex;flex-wrap:wrap}"
)


def selection(description, options, value, width="320px"):
    """Return a slider over given values; all arrow keys move it."""
    return widgets.SelectionSlider(
        options=options,
        value=value,
        description=description,
        style=WIDE,
        layout=widgets.Layout(width=width),
    )


def choice(description, options, value):
    """Return a row of buttons of which one is down; Tab and Space reach it."""
    return widgets.ToggleButtons(
        options=options,
        value=value,
        description=description,
        style={**WIDE, "button_width": "auto"},
        layout=widgets.Layout(width="auto"),
    )


def switch(description, value):
    """Return a checkbox whose description is not cut off."""
    return widgets.Checkbox(
        value=value,
        description=description,
        indent=False,
        layout=widgets.Layout(width="auto"),
    )


def row(*children):
    """Return a box that sets widgets side by side, and wraps if it must."""
    return widgets.HBox(
        children,
        layout=widgets.Layout(flex_flow="row wrap", grid_gap="2px 14px"),
    )


def style_sheet(rules=""):
    """Return a widget that lays out an explorer; it shows nothing."""
    return widgets.HTML(
        f"<style>{STYLES}{rules}</style>",
        layout=widgets.Layout(display="none"),
    )


class LinkedSelection:
    """A slider whose options depend on another control.

    When the options change, the slider keeps its value if it is still
    legal, takes the nearest legal one if not (of two as near, the lower),
    and returns to the reader's own last choice when that is legal again.

    Parameters
    ----------
    slider : SelectionSlider
    on_change : callable
        Called when the reader moves the slider, not when the options do.
    """

    def __init__(self, slider, on_change):
        self.slider = slider
        self._on_change = on_change
        self._wanted = slider.value
        slider.observe(self._chosen, "value")

    def _chosen(self, change):
        self._wanted = change["new"]
        self._on_change(change)

    def offer(self, options):
        """Offer other options.

        Returns
        -------
        str
            A sentence if the value had to move, else "".
        """
        options = tuple(options)
        if options == tuple(self.slider.options):
            return ""
        before = self.slider.value
        value = nearest(options, self._wanted)
        self.slider.unobserve(self._chosen, "value")
        try:
            with self.slider.hold_sync():
                self.slider.options = options
                self.slider.value = value
        finally:
            self.slider.observe(self._chosen, "value")
        if value == before:
            return ""
        name = self.slider.description
        if value == self._wanted:
            return f"{name} is back at your own choice, {value}."
        return (
            f"{name} moved from {before} to {value}: {self._wanted} is not "
            f"possible here, and {value} is the nearest that is."
        )


class Message:
    """Plain text that a screen reader reads when it changes.

    Room for `lines` lines is always kept, so that the page never jumps.
    """

    def __init__(self, lines=2):
        self._height = f"{1.5 * lines}em"
        self.widget = widgets.HTML(layout=widgets.Layout(width="100%"))
        self.text = None
        self.say("")

    def say(self, text, problem=False):
        """Show `text`, escaped."""
        self.text = text
        colour = "var(--jp-error-color0,#b00020)" if problem else INK
        self.widget.value = (
            f'<div role="status" aria-live="polite" style="min-height:'
            f'{self._height};line-height:1.5;color:{colour}">{escape(text)}</div>'
        )


class Stage:
    """A place for one picture; it draws and sends only what has changed."""

    def __init__(self, height="0", width="100%"):
        self.widget = widgets.HTML(
            layout=widgets.Layout(
                min_height=height, width=width, overflow="auto hidden"
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


class Explorer(widgets.VBox):
    """Read the controls, compute, show: three steps that meet in refresh().

    A subclass gives `read()` -> state, `compute(state)` -> result (pure),
    `show(state, result)`, `stages` (what to mark old), `portrait()` ->
    (svg, description), the picture that stands where there is no kernel,
    and if it likes `remark(state)`, a sentence on what is special there.
    """

    stages = ()

    def __init__(self):
        self.message = Message()
        self._busy = False
        super().__init__()
        self.add_class("why-explorer")
        _close_earlier_runs(self)

    def remark(self, _state):
        """Return what the reader should know of this state, or ""."""
        return ""

    def watch(self, *controls):
        """Refresh once whenever one of `controls` changes its value."""
        for control in controls:
            control.observe(self._changed, "value")

    def _changed(self, _):
        if not self._busy:
            self.refresh()

    def set_quietly(self, control, **traits):
        """Change traits of a control without a refresh."""
        self._busy = True
        try:
            for name, value in traits.items():
                setattr(control, name, value)
        finally:
            self._busy = False

    def offer_pages(self, slider, items, per_page):
        """Let `slider` choose a page of items; hide it if there is one.

        It keeps its place while it is hidden, so that nothing below jumps.
        """
        pages = tuple(
            (f"{first + 1} to {min(first + per_page, items)}", first)
            for first in range(0, items, per_page)
        )
        if pages != tuple(slider.options):
            self.set_quietly(slider, options=pages)
        slider.layout.visibility = "visible" if len(pages) > 1 else "hidden"

    def refresh(self, notice=""):
        """Read, compute, show. What the reader can mend is said, not raised.

        Parameters
        ----------
        notice : str
            What to say if all goes well.

        Raises
        ------
        Exception
            Any failure that is not the reader's: it is said too.
        """
        try:
            state = self.read()
            result = self.compute(state)
            self.show(state, result)
        except (SizeError, TextError) as error:
            self._say_failure(str(error))
        except Exception as error:
            self._say_failure(
                f"The course's own code failed ({type(error).__name__}: "
                f"{error}). The picture below is the last good one."
            )
            raise
        else:
            remark = self.remark(state)
            self.message.say(f"{notice} {remark}".strip())

    def _say_failure(self, sentence):
        self.message.say(sentence, problem=True)
        for stage in self.stages:
            stage.mark_old()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if isinstance(bundle, tuple):
            bundle = bundle[0]
        if bundle:
            svg, description = self.portrait()
            bundle["text/html"] = image(svg, description)
            bundle["text/plain"] = description
        return bundle


# Explorers by the notebook cell that made them, as (run, explorer). Widgets
# live as long as the kernel, so a cell that is run again must close its own.
_RUNS = {}


def _close_earlier_runs(explorer):
    """Close the explorers that an earlier run of the same cell made."""
    cell, run = _this_run()
    if cell is None:
        return
    kept = []
    for earlier, other in _RUNS.get(cell, ()):
        if earlier == run:
            kept.append((earlier, other))
        else:
            close_all(other)
    _RUNS[cell] = [*kept, (run, explorer)]


def close_all(box):
    """Close a box and every widget in it."""
    for child in getattr(box, "children", ()):
        close_all(child)
    box.close()


def _this_run():
    """Return the running cell's id and the id of this run of it."""
    try:
        from IPython import get_ipython

        header = get_ipython().get_parent()
        return header["metadata"].get("cellId"), header["header"]["msg_id"]
    except (AttributeError, ImportError, KeyError):
        return None, None
