"""Cut a text into pieces of words, as BERT-type models read it.

The text is cleaned, made lower-case and stripped of accents, and cut at
spaces and around punctuation. Then each word is cut from the left into the
longest pieces the vocabulary has: "tasty" -> ta ##sty.

Equal to the library `tokenizers` except for characters added to Unicode
after 2015, which it knows nothing about.

Source: Schuster & Nakajima, "Japanese and Korean Voice Search" (2012);
Devlin et al., "BERT" (2019), and its tokenization.py.
"""

import re
import unicodedata
from typing import NamedTuple

from helpers.pretrained.files import FileError

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LONGEST_TEXT = 10_000  # characters
LONGEST_WORD = 100  # characters; a longer one is unknown, as in BERT
MOST_PIECES = 512
CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),  # the reference begins here, not at 0x2B820
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class TextError(ValueError):
    """A text that cannot be read; the sentence says why."""


class Pieces(NamedTuple):
    """What a text becomes.

    Parameters
    ----------
    ids : tuple of int
        One for each piece: the row of the embedding.
    pieces : tuple of str
        "##" begins a piece that continues its word.
    word_of : tuple of (int or None)
        For each piece the word it is part of; None for the [CLS] and [SEP]
        put around the text.
    words : tuple of str
        The words, cleaned; a punctuation mark is one, and a special token
        typed by the reader, such as [MASK].
    """

    ids: tuple
    pieces: tuple
    word_of: tuple
    words: tuple


class WordPiece:
    """A vocabulary, and the way text is cut by it.

    Parameters
    ----------
    vocabulary : sequence of str, or dict of {str: int}
        All pieces; the place in a sequence is the id.
    lowercase : bool
    strip_accents : bool, optional
        Like `lowercase`, if left out.
    chinese : bool
        Whether each Chinese character is a word.
    most : int
        The most pieces a text may have, [CLS] and [SEP] included.

    Raises
    ------
    FileError
        If a special token is missing.
    """

    def __init__(
        self,
        vocabulary,
        lowercase=True,
        strip_accents=None,
        chinese=True,
        most=MOST_PIECES,
    ):
        if not isinstance(vocabulary, dict):
            vocabulary = {piece: i for i, piece in enumerate(vocabulary)}
        for special in ("[UNK]", "[CLS]", "[SEP]"):
            if special not in vocabulary:
                raise FileError(f"The vocabulary has no {special}.")
        self.vocabulary = vocabulary
        self.lowercase = lowercase
        self.strip_accents = (
            lowercase if strip_accents is None else strip_accents
        )
        self.chinese = chinese
        self.most = most
        known = [re.escape(s) for s in SPECIALS if s in vocabulary]
        self._specials = re.compile(f"({'|'.join(known)})")

    def encode(self, text):
        """Cut a text into pieces, between [CLS] and [SEP].

        Parameters
        ----------
        text : str
            At most 10,000 characters, and 512 pieces (or what `most` says).

        Returns
        -------
        Pieces

        Raises
        ------
        TextError
            If it is too long, or holds half a character.
        TypeError
            If it is no str.
        """
        words, pieces, word_of = [], ["[CLS]"], [None]
        for word in self.words(text):
            cut = self.cut(word)
            pieces += cut
            word_of += [len(words)] * len(cut)
            words.append(word)
            if len(pieces) >= self.most:
                raise TextError(
                    f"The text has more than {self.most} pieces, [CLS] and "
                    f"[SEP] included; the model reads no more at once."
                )
        pieces.append("[SEP]")
        word_of.append(None)
        ids = tuple(self.vocabulary[piece] for piece in pieces)
        return Pieces(ids, tuple(pieces), tuple(word_of), tuple(words))

    def words(self, text):
        """Return the cleaned words of a text, before they are cut."""
        found = []
        for i, part in enumerate(self._specials.split(_checked(text))):
            if i % 2:  # between two parts stands the special token
                found.append(part)
            else:
                for word in self.cleaned(part).split():
                    found += _around_punctuation(word)
        return found

    def cleaned(self, text):
        """Return text without control characters, accents and capitals."""
        text = "".join(filter(None, map(_clean, text)))
        if self.chinese:
            text = "".join(f" {c} " if _is_chinese(c) else c for c in text)
        if self.strip_accents:
            text = "".join(
                c
                for c in unicodedata.normalize("NFD", text)
                if unicodedata.category(c) != "Mn"
            )
        if self.lowercase:  # one by one: no letter looks at its neighbours
            text = "".join(c.lower() for c in text)
        return text

    def cut(self, word):
        """Return the pieces of one word; [UNK] alone if one is missing."""
        if word in SPECIALS and word in self.vocabulary:
            return [word]
        if len(word) > LONGEST_WORD:
            return ["[UNK]"]
        pieces, start = [], 0
        while start < len(word):
            before = "##" if start else ""
            for end in range(len(word), start, -1):
                piece = before + word[start:end]
                if piece in self.vocabulary:
                    break
            else:
                return ["[UNK]"]
            pieces.append(piece)
            start = end
        return pieces


def _checked(text):
    if not isinstance(text, str):
        raise TypeError(f"A text must be a str: got {type(text).__name__}.")
    if len(text) > LONGEST_TEXT:
        raise TextError(
            f"The text has {len(text):,} characters; at most "
            f"{LONGEST_TEXT:,} are read."
        )
    for place, char in enumerate(text):
        if "\ud800" <= char <= "\udfff":
            raise TextError(
                f"Character {place + 1} of the text is half a character "
                f"(U+{ord(char):04X}): the text was cut or decoded wrongly."
            )
    return text


def _clean(char):
    """Return the character, a space, or nothing for a control character."""
    if char in "\t\n\r":
        return " "
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co"):
        return ""
    return " " if char.isspace() else char


def _is_chinese(char):
    return any(low <= ord(char) <= high for low, high in CHINESE)


def _around_punctuation(word):
    """Return the parts of a word, each punctuation mark by itself."""
    parts = [""]
    for char in word:
        if _is_punctuation(char):
            parts += [char, ""]
        else:
            parts[-1] += char
    return [part for part in parts if part]


def _is_punctuation(char):  # in ASCII, all signs are
    if char.isascii():
        return not char.isalnum()
    return unicodedata.category(char).startswith("P")
