"""What the explorer of real heads computes: maps, and a circuit."""

from dataclasses import dataclass
from functools import cache, lru_cache

from helpers.explorers.real_heads.partners import partner_of
from helpers.pretrained import wordpiece
from helpers.pretrained.encoder import load_encoder
from helpers.pretrained.files import MINILM, FileError, package_folder
from helpers.pretrained.findings import merged, name, place, units
from helpers.pretrained.reading import blocks
from helpers.pretrained.sample import FIRST, SECOND, load_sample
from helpers.pretrained.scores import load_scores
from helpers.sentences import TextError, words

OWN = 99  # the sentence that stands for a reader's own words
MOST = 128  # pieces; a map of more cannot be read on this page
WORDS, PIECES = "words", "word pieces"
IT = "it"
NOTHING = "nothing"


@dataclass(frozen=True)
class State:
    """What the controls say; layers, heads and places count from 0."""

    text: str
    score: str
    order: str
    picked: tuple[int, int]
    view: str
    query: int
    key: int
    hide: str


@dataclass(frozen=True, eq=False)
class Seen:
    """A text and the maps of all heads, by words and by pieces.

    `tokens` and `attn` are dicts of WORDS and PIECES. `unit` says for each
    piece in which place it stands among the words.
    """

    text: str
    tokens: dict
    attn: dict  # arrays (n_layers, h, N, N)
    word_of: tuple
    ids: tuple
    unit: tuple

    @property
    def pronoun(self):
        """The places of "it" and of the last word, or None.

        Places of words, [CLS] being 0; the last "it" that has a word
        behind it. A last word must have a letter: no full stop.
        """
        named = self.tokens[WORDS]
        last = max(
            (i for i in range(1, len(named) - 1) if named[i][:1].isalpha()),
            default=0,
        )
        places = [i for i in range(1, last) if named[i] == IT]
        return (places[-1], last) if places else None


@dataclass(frozen=True, eq=False)
class Circuit:
    """Rows of "it" by words, with a key hidden and without.

    `before` and `after` are dicts of (layer, head) to an array (M,).
    """

    tokens: tuple
    key: int
    before: dict
    after: dict


@dataclass(frozen=True, eq=False)
class Result:
    """One text, its partner that differs in little, and their circuits."""

    seen: Seen
    partner: Seen | None
    circuits: tuple  # of Circuit, the text's own first; or empty
    last: tuple  # the layer-4 head of the circuits


def installed():
    """Say whether the package of the whole encoder is there."""
    return package_folder(MINILM.package) is not None


@cache
def _encoder():
    """Return the whole encoder; its weights stay on disk until touched."""
    return load_encoder()


class Heads:
    """Reads texts; remembers the last ones, so that a cursor costs nothing."""

    def __init__(self):
        self.sample, self.scores = load_sample(), load_scores()
        self.sentences = self.sample.sentences
        circuit = self.scores["circuit"]
        self.head = place(circuit["head"])
        self.hides = _hides(circuit["hidden"], self.sample.config.h)
        pair = next(n for n in self.hides if " and " in n)
        self.two = tuple(self.hides[pair])
        self.seen = lru_cache(maxsize=32)(self._seen)
        self.circuit = lru_cache(maxsize=64)(self._circuit)

    def run(self, state):
        """Return the Result of `state`."""
        seen = self.seen(state.text)
        partner = self.partner(seen)
        last = state.picked if state.picked[0] == SECOND else self.head
        circuits = ()
        if seen.pronoun is not None:
            circuits = tuple(
                self.circuit(one.text, state.hide, last)
                for one in (seen, partner)
                if one is not None and one.pronoun is not None
            )
        return Result(seen, partner, circuits, last)

    def partner(self, seen):
        """Return the Seen of the sentence to set beside, or None."""
        if seen.text not in self.sentences:
            return None
        here = self.sentences.index(seen.text)
        near = partner_of(self.sentences, here)
        return None if near is None else self.seen(self.sentences[near])

    def _seen(self, text):
        if text in self.sentences:
            pieces = self.sample.pieces(text)
            attn = self.sample.attn(text)
        else:
            pieces = self._encoded(text)
            attn = self._run(pieces).attn
        return Seen(
            text,
            {
                WORDS: ("[CLS]", *pieces.words, "[SEP]"),
                PIECES: pieces.pieces,
            },
            {WORDS: merged(attn, pieces.word_of), PIECES: attn},
            pieces.word_of,
            pieces.ids,
            tuple(units(pieces.word_of).tolist()),
        )

    def _circuit(self, text, hide, last):
        seen = self.seen(text)
        query, key = seen.pronoun
        shown = (*self.two, last)
        before = {
            (layer, head): seen.attn[WORDS][layer, head, query]
            for layer, head in shown
        }
        after = before
        if self.hides[hide]:
            hidden = [(*h, query - 1, key - 1) for h in self.hides[hide]]
            block = blocks(seen.word_of, hidden)
            maps = self._again(seen, block)
            after = {
                (layer, head): merged(maps[layer][head], seen.word_of)[query]
                for layer, head in shown
            }
        return Circuit(seen.tokens[WORDS], key, before, after)

    def _again(self, seen, block):
        """Return layer -> maps of layers 3 and 4, with keys hidden."""
        if seen.text in self.sentences:
            found = self.sample.circuit(seen.text, block)
            return {FIRST: found.attn_3, SECOND: found.attn_4}
        return self._run(seen, block, layers=SECOND + 1).attn

    @staticmethod
    def _run(pieces, block=(), layers=None):
        try:
            return _encoder().run(pieces.ids, block, layers=layers)
        except FileError as error:
            raise TextError(str(error)) from None

    @staticmethod
    def _encoded(text):
        """Cut a reader's text; a TextError says what is wrong with it."""
        words(text)
        try:
            pieces = _encoder().encode(text)
        except (wordpiece.TextError, FileError) as error:
            raise TextError(str(error)) from None
        if not pieces.words:
            raise TextError("Type a sentence: at least one word.")
        if len(pieces.ids) > MOST:
            raise TextError(
                f"A text may have {MOST} pieces here: got "
                f"{len(pieces.ids)}. Leave something out."
            )
        return pieces


def _hides(measured, h):
    """Return name -> heads of layer 3 in which the key is hidden.

    `measured` are the shipped circuit's, so that each has its number there.
    """
    both = next(key for key in measured if " and " in key)
    two = [place(named) for named in both.split(" and ")]
    layer = [(FIRST, head) for head in range(h)]
    return {
        NOTHING: (),
        **{name(*head): (head,) for head in two},
        both: tuple(two),
        f"layer 3 without {both}": tuple(p for p in layer if p not in two),
        "layer 3": tuple(layer),
    }
