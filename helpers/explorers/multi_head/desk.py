"""The controls of the main explorer, and what one does to another."""

import ipywidgets as widgets

from helpers.bugs import BUGS
from helpers.controls import WIDE, choice, selection, switch
from helpers.controls.settings import OwnWords
from helpers.explorers.multi_head.layer import HAND_BUILT, RANDOM
from helpers.pictures.colours import RELATION_COLOURS
from helpers.pictures.text import FAINT
from helpers.sentences import (
    ANY_SENTENCE,
    HUNGRY,
    RELATION_NAMES,
    SWAPPED,
    TASTY,
    relations,
    words,
)
from helpers.sizes import D_MODEL_CHOICES, divisors

OWN, NO_BUG = "your own", "none"
SENTENCE_CHOICES = {
    "hungry": HUNGRY,
    "tasty": TASTY,
    "swapped": SWAPPED,
    OWN: None,
}
LEDGER_N = (9, *(2**power for power in range(4, 18)))

SWATCHES = "".join(
    f".why-relation-{i} label::before"
    f"{{content:'■';color:{colour};margin-right:4px;"
    f"-webkit-text-stroke:.6px {FAINT}}}"
    for i, colour in enumerate(RELATION_COLOURS)
)


def preset_of(sentence):
    """Return the choice that a start names, and its text."""
    if sentence in SENTENCE_CHOICES and sentence != OWN:
        return sentence, SENTENCE_CHOICES[sentence]
    return OWN, sentence


class Desk:
    """The controls of a sentence and its heads, and what follows a text.

    A subclass says which `kinds` of heads there are, and makes `dials`.
    """

    kinds = ()

    def _make_controls(self, h, d_model, sentence, text):
        self.sentence = choice("sentence", list(SENTENCE_CHOICES), sentence)
        self.text = widgets.Text(
            value=text,
            description="words",
            continuous_update=False,
            style=WIDE,
            layout=widgets.Layout(width="420px"),
        )
        self.d_model = selection(
            "width d_model", D_MODEL_CHOICES, d_model, width="290px"
        )
        self.h = selection("heads h", divisors(d_model), h, width="290px")
        self.kind = choice("heads are", self.kinds, HAND_BUILT)
        self.causal = switch("causal mask: no key to the right", False)
        self.relations = {name: switch(name, True) for name in RELATION_NAMES}
        for number, box in enumerate(self.relations.values()):
            box.add_class(f"why-relation-{number}")
        self.query = selection("query", [("1", 0)], 0, width="250px")
        self.key = selection("key", [("1", 0)], 0, width="250px")
        self.page = selection("heads shown", [("1", 0)], 0, width="230px")
        self.ledger_N = selection(
            "ledger N", [(f"{N:,}", N) for N in LEDGER_N], LEDGER_N[0]
        )
        self.show_table = switch("row of the query as a table", False)
        self.restart = widgets.Button(
            description="start again", layout=widgets.Layout(width="auto")
        )

    def settings(self):
        """Return all controls that have a value, parents before children."""
        return (
            self.sentence,
            self.text,
            self.d_model,
            self.h,
            self.kind,
            self.causal,
            *self.relations.values(),
            self.query,
            self.key,
            self.page,
            self.ledger_N,
            self.show_table,
        )

    def _follow_sentence(self, tokens):
        """Offer the places and the relations that this sentence has."""
        self._busy = True
        try:
            places = [(f"{i + 1} {t[:12]}", i) for i, t in enumerate(tokens)]
            for slider, preferred in ((self.query, 2), (self.key, 1)):
                value = slider.value if len(slider.options) > 1 else preferred
                slider.options = places
                slider.value = min(value, len(tokens) - 1)
            found = {relation.name for relation in relations(tokens)}
            for name, box in self.relations.items():
                box.disabled = name not in found
                box.tooltip = "" if name in found else _why_not(name)
        finally:
            self._busy = False

    # What one control does to others; each ends in one refresh.

    def _start_again(self, _):
        for control, value in self._start:
            self.set_quietly(control, value=value)
        self._follow_sentence(words(self.text.value))
        self.refresh("Back at the start.")

    def _on_sentence(self, change):
        if self._busy:
            return
        text = SENTENCE_CHOICES[change["new"]]
        if text is not None:
            self.set_quietly(self.text, value=text)
        self._use_text()

    def _on_text(self, _):
        if self._busy:
            return
        known = [
            k for k, v in SENTENCE_CHOICES.items() if v == self.text.value
        ]
        self.set_quietly(self.sentence, value=known[0] if known else OWN)
        self._use_text()

    def _use_text(self):
        try:
            tokens = words(self.text.value)
        except ValueError:
            self.refresh()  # says what is wrong, and marks the picture old
            return
        self.refresh(self._take_words(tokens))

    def _take_words(self, tokens):
        """Do what a new sentence asks for; return a notice, or ""."""
        self._follow_sentence(tokens)
        return ""


class MainDesk(Desk):
    """The controls of the main explorer: the sentence's, and two more."""

    kinds = (HAND_BUILT, RANDOM)

    def _make_controls(self, h, d_model, sentence, text):
        super()._make_controls(h, d_model, sentence, text)
        self.show_ledger = switch("ledger and shapes as tables", True)
        self.bug = choice("bug", [NO_BUG, *BUGS], NO_BUG)
        self.dials = {
            "d_model": self.d_model,
            "h": self.h,
            "sentence": self.sentence,
            "words": OwnWords(self.text, lambda: self.sentence.value == OWN),
            "heads are": self.kind,
            "causal mask": self.causal,
            "relations": tuple(self.relations.values()),
            "bug": self.bug,
            "query": self.query,
            "key": self.key,
            "ledger N": self.ledger_N,
        }

    def settings(self):
        """Return all controls that have a value, parents before children."""
        return (*super().settings(), self.bug, self.show_ledger)


def _why_not(name):
    if name in ANY_SENTENCE:
        return "No two places of this sentence stand in this relation."
    return "Nothing here parses grammar: only the course's sentences have it."
