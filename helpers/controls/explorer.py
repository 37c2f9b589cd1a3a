"""An explorer: the update loop that all of them share."""

import re

import ipywidgets as widgets

from helpers.controls.failures import own_failure, said
from helpers.controls.keeping import Keeping
from helpers.controls.places import Message
from helpers.controls.runs import close_earlier_runs
from helpers.controls.settings import CodeError, code_of, put
from helpers.controls.spoken import moved, stand
from helpers.pictures.stills import image
from helpers.pictures.text import escape
from helpers.sentences import TextError
from helpers.sizes import SizeError


class Explorer(widgets.VBox):
    """Read the controls, compute, show: three steps that meet in refresh().

    A subclass gives `read()` -> state, `compute(state)` -> result (pure),
    `show(state, result)`, `stages` (what to mark old), `portrait()` ->
    (svg, description), the picture that stands where there is no kernel,
    and if it likes `remark(state)`, a sentence on what is special there.
    `dials` names the controls that make up its setting, in the order of
    `settings.code_of`; `lay_out` sets its parts above the row that keeps.
    What it makes it shows or hides: a widget that stands nowhere is closed
    by nobody, and lives until the kernel ends.
    """

    stages = ()
    dials = {}
    lines = 2  # kept for the message
    keeping = None
    _stood = None

    def __init_subclass__(cls, **named):
        """Let every callback `_on_…` say it if it fails."""
        super().__init_subclass__(**named)
        for name in dir(cls):
            if name.startswith("_on_") or name == "_start_again":
                setattr(cls, name, said(getattr(cls, name)))

    def __new__(cls, *args, **named):
        """Remember what it was made with, for a second copy."""
        made = super().__new__(cls, *args, **named)
        made._made_with = args, named
        return made

    def __init__(self):
        self.message = Message(self.lines)
        self._busy = self._held = False
        super().__init__()
        self.add_class("why-explorer")
        close_earlier_runs(self)

    def remark(self, _state):
        """Return what the reader should know of this state, or ""."""
        return ""

    def lay_out(self, parts):
        """Show the parts, and below them the row that keeps a setting."""
        self.keeping = Keeping(self)
        self.children = (self.keeping.beside(parts),)

    @property
    def code(self):
        """The code that restores this setting: see `settings.code_of`."""
        return code_of(self.dials)

    @property
    def short_name(self):
        """A file name for this setting, such as MultiHead_512-8-0."""
        code = re.sub(r"[^0-9-]", "", self.code.partition('"')[0])
        return f"{type(self).__name__.removesuffix('Explorer')}_{code}"

    def restore(self, code):
        """Move the controls to where `code` says, in one redraw.

        Returns
        -------
        str
            Which controls had to move that the code does not name, or "".

        Raises
        ------
        CodeError
            If the code fits no setting; nothing has moved then.
        """
        before = self.code
        self._held = True
        try:
            moved = put(code, self.dials)
        except CodeError:
            put(before, self.dials)
            raise
        finally:
            self._held = False
            self.refresh()
        return moved

    def another(self):
        """Return a second explorer that stands at the same setting."""
        args, named = self._made_with
        other = type(self)(*args, **named)
        other.restore(self.code)
        return other

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
        if self._held:
            return
        if self.keeping is not None:
            self.keeping.follow()
        try:
            state = self.read()
            result = self.compute(state)
            self.show(state, result)
        except (SizeError, TextError) as error:
            self.say_failure(str(error))
        except Exception as error:
            self.say_failure(own_failure(error))
            raise
        else:
            text = f"{notice} {self.remark(state)}".strip()
            self.message.say(text, spoken=self._what_moved())

    def _what_moved(self):
        """Return in words what moved since this was asked last."""
        keeping = self.keeping
        own = (keeping.widget, keeping.place) if keeping else ()
        before, self._stood = self._stood, stand(self, own)
        return moved(before or {}, self._stood)

    def say_failure(self, sentence):
        """Say what went wrong; what is shown is greyed out."""
        self.message.say(sentence, problem=True)
        for stage in self.stages:
            stage.mark_old()

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if isinstance(bundle, tuple):
            bundle = bundle[0]
        if bundle:
            try:
                svg, description = self.portrait()
            except (SizeError, TextError) as error:  # nothing to show now
                bundle["text/html"] = f"<p>{escape(error)}</p>"
                bundle["text/plain"] = str(error)
            else:
                bundle["text/html"] = image(svg, description)
                bundle["text/plain"] = description
        return bundle
