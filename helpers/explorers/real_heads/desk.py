"""The controls of the explorer of real heads, and what follows a text."""

import ipywidgets as widgets

from helpers.controls import WIDE, choice, selection, switch
from helpers.controls.settings import OwnWords
from helpers.explorers.real_heads import views, words
from helpers.explorers.real_heads.heads import IT, OWN, PIECES, WORDS
from helpers.explorers.real_heads.scoring import SCORES
from helpers.sentences import TextError

EXAMPLE = "The bird ate the bread because it was hungry"
CAT = "cat"  # where the key stands at first
RULES = (  # long readouts and short labels are not cut off
    ".why-real .widget-readout{max-width:none;flex:none}"
    ".why-real .widget-label{flex:none}"
    ".why-real caption{white-space:normal !important}"
)


class Desk:
    """The controls. An explorer adds what happens when one moves."""

    def _make_controls(self, number, text, picked, score):
        options = [
            (f"{n} {t}", n) for n, t in enumerate(self._heads.sentences, 1)
        ]
        if self._own:
            options.append(("text of your own", OWN))
        self.sentence = selection("sentence", options, number, "760px")
        self.text = widgets.Text(
            value=text,
            placeholder=EXAMPLE if self._own else "",
            description="text of your own",
            continuous_update=False,
            disabled=not self._own,
            style=WIDE,
            layout=widgets.Layout(width="560px"),
        )
        self.score = choice("score", SCORES, score)
        self.order = choice("maps", views.ORDERS, views.BY_LAYER)
        n_layers, h = self._scores[score].values.shape
        self.layer = choice("layer", _numbered(n_layers), picked[0] + 1)
        self.head = choice("head", _numbered(h), picked[1] + 1)
        self.to_best = widgets.Button(
            description="to the best head", layout=widgets.Layout(width="auto")
        )
        self.view = choice("by", (WORDS, PIECES), WORDS)
        self.query = selection("query", [("0", 0)], 0, "300px")
        self.key = selection("key", [("0", 0)], 0, "300px")
        hides = list(self._heads.hides)
        self.hide = choice("hide the last word from “it” in", hides, hides[0])
        self.show_table = switch("all numbers as tables", False)
        own = OwnWords(self.text, lambda: self.sentence.value == OWN)
        self.dials = {
            "sentence": self.sentence,
            **({"text": own} if self._own else {}),
            "score": self.score,
            "maps": self.order,
            "layer": self.layer,
            "head": self.head,
            "by": self.view,
            "query": self.query,
            "key": self.key,
            "hide in": self.hide,
        }

    def _chosen_text(self):
        number = self.sentence.value
        if number == OWN:
            return self.text.value or EXAMPLE
        return self._heads.sentences[number - 1]

    def _follow(self):
        """Offer the places of this text; stay on the same words."""
        try:
            seen = self._heads.seen(self._chosen_text())
        except TextError:
            return  # refresh says what is wrong
        tokens = seen.tokens[self.view.value]
        places = [
            (f"{i} {words.short(token)}", i) for i, token in enumerate(tokens)
        ]
        before, self._tokens = self._tokens, tokens
        for slider, wanted in ((self.query, IT), (self.key, CAT)):
            old = slider.value
            first = wanted
            wanted = before[old] if before else first
            value = _nearest_same(tokens, wanted, old, first)
            with slider.hold_sync():
                self.set_quietly(slider, options=places, value=value)


def _numbered(count):
    return [(str(number), number) for number in range(1, count + 1)]


def _nearest_same(tokens, wanted, old, first):
    """Return the place of the word `wanted`, the nearest to `old`.

    If it is not there, that of `first`; else a place near `old` and no mark.
    """
    for word in (wanted, first):
        found = [i for i, token in enumerate(tokens) if token == word]
        if found:
            return min(found, key=lambda i: abs(i - old))
    return max(min(old, len(tokens) - 2), 1)
