"""The last row of an explorer: its code, a second copy, its picture."""

import base64

import ipywidgets as widgets

from helpers.controls.failures import said
from helpers.controls.parts import WIDE, button, row, style_sheet, switch
from helpers.controls.places import Message
from helpers.controls.runs import close_all
from helpers.controls.settings import CodeError
from helpers.pictures.text import escape
from helpers.sentences import TextError
from helpers.sizes import SizeError

PIN, UNPIN = "pin a second copy", "take the copy away"
BESIDE = "560px"  # two copies stand side by side if both get so much
NARROWER = (  # and their pictures are as narrow: no map is cut off
    '.why-beside svg[style*="min-width:640px"]{min-width:530px !important}'
)


class Keeping:
    """What lets a reader keep a setting, and compare it with another.

    Parameters
    ----------
    explorer : Explorer
        With `code`, `restore(code)`, `another()` and `portrait()`.
    """

    def __init__(self, explorer):
        self._explorer = explorer
        self.copy = None
        self.code = widgets.Text(
            description="code of this setting",
            continuous_update=False,
            style=WIDE,
            layout=widgets.Layout(width="440px"),
        )
        self.pin, self.save = button(PIN), button("picture as SVG")
        self.large = switch("large type, for a projector", False)
        self.link = widgets.HTML()
        self.message = Message(lines=1)
        self.widget = widgets.VBox(
            (
                row(self.code, self.pin, self.save, self.link, self.large),
                self.message.widget,
            )
        )
        self.place = widgets.VBox(layout=_half(display="none"))
        self.code.observe(self._on_code, "value")
        self.pin.on_click(self._on_pin)
        self.save.on_click(self._on_save)
        self.large.observe(self._on_large, "value")

    def beside(self, parts):
        """Return a box: the parts and this row, and room for a copy."""
        own = widgets.VBox((*parts, self.widget), layout=_half())
        box = widgets.HBox(
            (own, self.place),
            layout=widgets.Layout(flex_flow="row wrap", grid_gap="2px 20px"),
        )
        return box.add_class("why-beside")

    def say_failure(self, sentence):
        """Say in the explorer what went wrong in this row."""
        self._explorer.say_failure(sentence)

    def follow(self):
        """Show the code of the explorer as it stands now."""
        self.code.unobserve(self._on_code, "value")
        self.code.value = self._explorer.code
        self.code.observe(self._on_code, "value")
        if self.link.value:
            self.link.value = ""  # it holds the picture of before
        if self.message.text:
            self.message.say("")

    @said
    def _on_code(self, change):
        try:
            moved = self._explorer.restore(change["new"])
        except CodeError as error:
            self.follow()
            self.message.say(f"{error} Nothing has moved.", problem=True)
        else:
            stand = "The controls stand where the code says."
            self.message.say(f"{stand} {moved}".strip())

    @said
    def _on_pin(self, _):
        if self.copy is None:
            self.copy = self._explorer.another()
            self.copy.keeping.pin.layout.display = "none"
            self.place.children = (style_sheet(NARROWER), self.copy)
            self.place.layout.display = None
            self.pin.description = UNPIN
        else:
            gone, self.place.children = self.place.children, ()
            self.copy = None
            self.place.layout.display = "none"
            for part in gone:
                close_all(part)
            self.pin.description = PIN

    @said
    def _on_large(self, change):
        if change["new"]:
            self._explorer.add_class("why-large")
        else:
            self._explorer.remove_class("why-large")

    @said
    def _on_save(self, _):
        try:
            svg, _ = self._explorer.portrait()
        except (SizeError, TextError) as error:
            self.message.say(f"{error} Nothing is saved.", problem=True)
            return
        data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
        name = f"{self._explorer.short_name}.svg"
        self.link.value = (
            f'<a download="{escape(name)}" style="line-height:2;'
            f"text-decoration:underline;"
            f'color:var(--jp-content-link-color,#0059b3)" '
            f'href="data:image/svg+xml;base64,{data}">'
            f"save {escape(name)} ({len(svg) // 1000 + 1} kB)</a>"
        )


def _half(**traits):
    return widgets.Layout(flex=f"1 1 {BESIDE}", min_width="0", **traits)
