"""The controls of the playground, and what one does to another."""

import ipywidgets as widgets

from helpers.controls import WIDE, choice, selection, switch
from helpers.controls.settings import OwnWords
from helpers.explorers.grouped.explorer import NUMBER_TYPES
from helpers.explorers.multi_head.desk import OWN, Desk
from helpers.explorers.multi_head.layer import HAND_BUILT
from helpers.explorers.playground.kinds import (
    D_TRAINED,
    FIXED,
    KINDS,
    REAL,
    TRAINED,
    heads_offered,
    why_not,
)
from helpers.pretrained.sample import CONFIG, load_sample
from helpers.sentences import TextError, words
from helpers.sizes import divisors

GREYED = "".join(
    f".why-no-{kind} .widget-toggle-button:nth-of-type({place}){{opacity:.4}}"
    for place, kind in enumerate(KINDS, 1)
    if kind in FIXED
)
AS_SLIDERS = (  # a field in a slider's place is as high: nothing jumps
    ".why-fixed{height:var(--jp-widgets-inline-height);margin:0 2px}"
    ".why-fixed input{height:100%}"
)


class PlaygroundDesk(Desk):
    """The controls. They keep each other legal, and say what they moved."""

    kinds = KINDS

    def _make_controls(self, h, n_kv, d_model, sentence, text):
        super()._make_controls(h, d_model, sentence, text)
        self.n_kv = selection(
            "key/value heads n_kv", divisors(h), n_kv, width="330px"
        )
        self._kind = HAND_BUILT  # the last one that was possible
        self.depth = choice(
            "layer of the real model", tuple(range(1, CONFIG.n_layers + 1)), 4
        )
        self.number_type = choice("number type", NUMBER_TYPES, "bfloat16")
        self.show_ledger = switch("ledger as a table", False)
        self.fixed = {
            slider: _fixed(slider) for slider in (self.d_model, self.h)
        } | {self.n_kv: _fixed(self.n_kv)}
        self.dials = {
            "d_model": self.d_model,
            "h": self.h,
            "n_kv": self.n_kv,
            "sentence": self.sentence,
            "words": OwnWords(self.text, lambda: self.sentence.value == OWN),
            "heads are": self.kind,
            "layer": self.depth,
            "causal mask": self.causal,
            "relations": tuple(self.relations.values()),
            "query": self.query,
            "key": self.key,
            "ledger N": self.ledger_N,
            "number type": self.number_type,
        }

    def settings(self):
        """Return all controls that have a value, parents before children."""
        more = self.n_kv, self.depth, self.number_type, self.show_ledger
        return (*super().settings(), *more)

    def _start_again(self, event):
        self._held = True
        try:
            self._take_kind(HAND_BUILT)
            super()._start_again(event)
            self._take_kind(self._start_kind)
        finally:
            self._held = False
        self.refresh("Back at the start.")

    # Sizes: d_model limits h, and h limits n_kv.

    def _follow_sizes(self):
        """Offer what d_model and the kind allow; say what had to move."""
        offered = heads_offered(self.kind.value, self.d_model.value)
        return f"{self._linked_h.offer(offered)} {self._follow_h()}".strip()

    def _follow_h(self):
        return self._shared.follow(self.h.value, self._plain)

    def _on_width(self, _):
        said = self._follow_sizes()
        if not self._busy:
            self.refresh(said)

    def _on_heads(self, _):
        said = self._follow_h()
        if not self._busy:
            self.refresh(said)

    def _on_shared(self, _):
        self._plain = self.n_kv.value == self.h.value
        if not self._busy:
            self.refresh()

    # Kinds: a sentence limits them.

    def _on_kind(self, change):
        if self._busy:
            return
        if reason := why_not(change["new"], self._readable()):
            self.set_quietly(self.kind, value=self._kind)
            self.refresh(reason)
        else:
            self.refresh(self._take_kind(change["new"]))

    def _take_kind(self, kind):
        """Let another kind of heads read; return what had to move."""
        moved = (kind == REAL) - (self._kind == REAL)  # [CLS] comes first
        self._kind = kind
        self.set_quietly(self.kind, value=kind)
        query, key = self.query.value + moved, self.key.value + moved
        said = self._follow_sizes()
        self._follow_sentence(self._readable())
        last = self.query.options[-1][1]
        self.set_quietly(self.query, value=min(max(query, 0), last))
        self.set_quietly(self.key, value=min(max(key, 0), last))
        return "" if kind == REAL else said  # its sizes are not the sliders'

    def _readable(self):
        """Return the words, or the last ones that could be read."""
        try:
            return words(self.text.value)
        except TextError:
            return self._last_read

    def _take_words(self, tokens):
        """Take a sentence; leave heads that can't read it, and say so."""
        reason = why_not(self._kind, tokens)
        if reason:
            self._take_kind(HAND_BUILT)
        else:
            self._follow_sentence(tokens)
        return reason

    def _shown(self, tokens):
        """Return what the maps stand for: words, or the model's pieces."""
        if self._kind != REAL:
            return tokens
        return load_sample().pieces(" ".join(tokens)).pieces

    def _follow_sentence(self, tokens):
        """Offer places, relations and kinds that this sentence has."""
        self._last_read = tokens
        super()._follow_sentence(self._shown(tokens))
        kind = self._kind
        for box in self.relations.values():
            if kind != HAND_BUILT:
                box.disabled = True
                box.tooltip = "Only hand-built heads are built of relations."
        for other in FIXED:
            if why_not(other, tokens):
                self.kind.add_class(f"why-no-{other}")
            else:
                self.kind.remove_class(f"why-no-{other}")
        self.causal.disabled = kind in FIXED
        self.causal.tooltip = (
            "The model was trained without one." if kind in FIXED else ""
        )
        self.depth.disabled = kind != REAL
        self._fix_sizes(kind)

    def _fix_sizes(self, kind):
        """Show the model's own sizes where the sliders have no say."""
        own = {TRAINED: {self.d_model: D_TRAINED}}
        own[REAL] = {
            self.d_model: CONFIG.d_model,
            self.h: CONFIG.h,
            self.n_kv: CONFIG.h,
        }
        for slider, text in self.fixed.items():
            value = own.get(kind, {}).get(slider)
            slider.layout.display = None if value is None else "none"
            text.layout.display = "none" if value is None else None
            text.value = "" if value is None else f"{value}, the model's own"


def _fixed(slider):
    """Return a field that says a size which can't be moved."""
    text = widgets.Text(
        description=slider.description,
        disabled=True,
        style=WIDE,
        layout=widgets.Layout(width=slider.layout.width, display="none"),
    )
    text.add_class("why-fixed")
    return text
