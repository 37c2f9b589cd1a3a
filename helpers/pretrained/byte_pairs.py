"""Byte pairs: cut any text into a causal model's pieces.

A text becomes bytes, and each byte a letter of an alphabet of 256. Then, of
all neighbours, the pair that stands first in the model's list of merges
becomes one piece, again and again, until no pair is in the list. Nearly no
text is unknown, for a byte is a piece already. The few bytes a model has no
letter for (control characters, in SmolLM2) are left out.

Merges never cross the cuts that are made before: a digit stands alone, and
a word takes the space in front of it along.

Source: Sennrich et al., "Neural Machine Translation of Rare Words with
Subword Units" (2016); alphabet and cuts as in GPT-2's encoder.py, digits as
the model's file asks ("smollm"). Equal to tokenizers 0.23.3 on the texts of
tests/vectors/byte_pairs.json.
"""

import heapq
import re
import unicodedata
from dataclasses import dataclass

from helpers.pretrained.files import FileError

LONGEST = 100_000  # characters
SPACES = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
LETTER = r"[^\W\d_]"  # and no digit of any kind: those are cut off before
CUTS = re.compile(
    rf"'s|'t|'re|'ve|'m|'ll|'d| ?{LETTER}+| ?(?:(?!{LETTER})[^{SPACES}])+"
    rf"|[{SPACES}]+(?![^{SPACES}])|[{SPACES}]+"
)


def _letters():
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {byte: chr(byte) for byte in plain}
    letters |= {byte: chr(256 + n) for n, byte in enumerate(others)}
    return letters


LETTERS = _letters()  # byte -> its letter
BYTES = {letter: byte for byte, letter in LETTERS.items()}


@dataclass(frozen=True)
class BytePieces:
    """A text in pieces."""

    ids: tuple  # int, for the model
    pieces: tuple  # str, for a reader
    word_of: tuple  # the index of each piece's word
    words: tuple  # str, what stood between two cuts


class BytePairs:
    """A model's pieces and merges.

    Parameters
    ----------
    pieces : sequence of str
        Piece number i, in letters; each once.
    merges : sequence of str
        "left right", the most common first.

    Raises
    ------
    FileError
        If a piece is missing, or twice there.
    """

    def __init__(self, pieces, merges):
        self.pieces = tuple(pieces)
        self._id = {piece: n for n, piece in enumerate(self.pieces)}
        if len(self._id) < len(self.pieces) or not self._id:
            raise FileError("the file's pieces are not all different.")
        self._rank = {}
        for rank, merge in enumerate(merges):
            pair = tuple(merge.split(" "))
            known = len(pair) == 2 and "".join(pair) in self._id
            if not known or any(part not in self._id for part in pair):
                raise FileError(f"the merge {merge!r:.40} is of no pieces.")
            self._rank.setdefault(pair, rank)

    def encode(self, text):
        """Cut a text into pieces.

        A name of a special piece, such as <|endoftext|>, is text as any
        other.

        Parameters
        ----------
        text : str
            At most 100,000 characters.

        Returns
        -------
        BytePieces

        Raises
        ------
        TypeError, ValueError
            If it is no text, too long, or holds half a surrogate pair.
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str: got {type(text).__name__}.")
        if len(text) > LONGEST:
            raise ValueError(
                f"text must have at most {LONGEST:,} characters: got "
                f"{len(text):,}."
            )
        words = cut(text)
        ids, word_of = [], []
        for number, word in enumerate(words):
            new = [self._id[piece] for piece in self._merged(word)]
            ids += new
            word_of += [number] * len(new)
        shown = tuple(self.decode([one]) for one in ids)
        stripped = tuple(word.strip() or word for word in words)
        return BytePieces(tuple(ids), shown, tuple(word_of), stripped)

    def decode(self, ids):
        """Put pieces together; bytes that are no text become U+FFFD."""
        raw = b"".join(_bytes_of(self.pieces[number]) for number in ids)
        return raw.decode("utf-8", errors="replace")

    def _merged(self, word):
        """Merge the letters of a word; of equal pairs the left one first."""
        try:
            letters = [LETTERS[byte] for byte in word.encode("utf-8")]
        except UnicodeEncodeError:
            raise ValueError(
                f"text holds half a surrogate pair: {word!r:.40}."
            ) from None
        parts = [letter for letter in letters if letter in self._id]
        after = [*range(1, len(parts)), None]
        before = [None, *range(len(parts))]
        found = []

        def look(left):
            right = None if left is None else after[left]
            if right is not None:
                rank = self._rank.get((parts[left], parts[right]))
                if rank is not None:
                    pair = (parts[left], parts[right])
                    heapq.heappush(found, (rank, left, right, pair))

        for place in range(len(parts)):
            look(place)
        while found:
            _, left, right, pair = heapq.heappop(found)
            if after[left] != right or (parts[left], parts[right]) != pair:
                continue  # one of the two has been merged since
            parts[left], parts[right] = "".join(pair), None
            after[left] = after[right]
            if after[left] is not None:
                before[after[left]] = left
            look(before[left])
            look(left)
        return [part for part in parts if part is not None]


def cut(text):
    """Return the parts of a text that merges don't cross; they add up."""
    found, start = [], 0
    for place, letter in enumerate(text):
        if unicodedata.category(letter)[0] == "N":
            found += [*CUTS.findall(text[start:place]), letter]
            start = place + 1
    return found + CUTS.findall(text[start:])


def _bytes_of(piece):
    if all(letter in BYTES for letter in piece):
        return bytes(BYTES[letter] for letter in piece)
    return piece.encode("utf-8")
