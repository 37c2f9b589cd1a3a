"""WordPiece: equal to the reference, character by character."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.pretrained.files import FileError
from helpers.pretrained.model_folder import read_wordpiece
from helpers.pretrained.wordpiece import (
    LONGEST_TEXT,
    TextError,
    WordPiece,
    _around_punctuation,
)
from tests.layers import few
from tests.small_bert import PIECES, installed_minilm
from tests.tools import ROOT

REFERENCE = json.loads(
    (ROOT / "tests/vectors/wordpiece.json").read_text(encoding="utf-8")
)
CASES = REFERENCE["cases"]


@pytest.fixture(scope="module")
def wordpiece():
    """The pieces that the reference's texts can be cut into."""
    return WordPiece(REFERENCE["vocabulary"])


@pytest.mark.parametrize(("text", "ids", "word_of"), CASES)
def test_the_reference_cuts_the_same(wordpiece, text, ids, word_of):
    found = wordpiece.encode(text)
    assert list(found.ids) == ids
    assert list(found.word_of) == word_of


def test_the_whole_vocabulary_cuts_the_same():
    whole = read_wordpiece(installed_minilm())
    assert len(whole.vocabulary) == 30_522
    for text, ids, word_of in CASES:
        found = whole.encode(text)
        assert [list(found.ids), list(found.word_of)] == [ids, word_of]


def test_there_are_enough_texts_of_every_kind():
    text = "".join(case[0] for case in CASES)
    assert len(CASES) >= 60
    for sample in ("é", "中", "😀", "\x00", "[CLS]", "3.14", "\u200d", "!"):
        assert sample in text
    assert any(len(ids) > 30 for _, ids, _ in CASES)


def test_every_character_is_cleaned_as_the_reference_cleans_it(wordpiece):
    kinds = {
        name: {
            code for first, last in spans for code in range(first, last + 1)
        }
        for name, spans in REFERENCE["characters"].items()
        if name != "changed"
    }
    others = []  # characters newer than the reference's tables
    for code in (*range(0xD800), *range(0xE000, 0x30000)):
        cleaned = wordpiece.cleaned(f"a{chr(code)}b")
        parts = [p for w in cleaned.split() for p in _around_punctuation(w)]
        same = (
            (cleaned == "ab") == (code in kinds["removed"])
            and (cleaned == "a b") == (code in kinds["space"])
            and (len(parts) == 3) == (code in kinds["alone"])
        )
        if not same:
            others.append(code)
    assert len(others) < 1000
    assert min(others) > 0x600


def test_letters_lose_accents_and_capitals_as_in_the_reference(wordpiece):
    changed = REFERENCE["characters"]["changed"]
    assert len(changed) > 1000
    wrong = {
        chr(int(code)): cleaned
        for code, cleaned in changed.items()
        if wordpiece.cleaned(f"a{chr(int(code))}b") != f"a{cleaned}b"
    }
    # one mark changed its kind in 2021, one letter was added in 2024
    assert set(wrong) <= {"\u1734", "\u1c89"}


def test_pieces_say_which_word_they_are_of():
    found = WordPiece(PIECES).encode("The cats ate it: tasty [MASK]")
    assert found.pieces == tuple(
        "[CLS] the cat ##s ate it [UNK] ta ##sty [MASK] [SEP]".split()
    )
    assert found.words == ("the", "cats", "ate", "it", ":", "tasty", "[MASK]")
    assert found.word_of == (None, 0, 1, 1, 2, 3, 4, 5, 5, 6, None)
    assert found.ids == (2, 5, 6, 14, 7, 9, 1, 11, 12, 4, 3)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
@few
def test_any_text_becomes_pieces_that_spell_its_words(text):
    letters = [chr(c) for c in range(33, 127)]
    vocabulary = {
        piece: i
        for i, piece in enumerate(
            ["[UNK]", "[CLS]", "[SEP]", *letters]
            + ["##" + letter for letter in letters]
        )
    }
    found = WordPiece(vocabulary).encode(text)
    assert found.pieces[0] == "[CLS]" and found.pieces[-1] == "[SEP]"
    assert set(found.word_of[1:-1]) == set(range(len(found.words)))
    for number, word in enumerate(found.words):
        own = [
            piece
            for piece, of in zip(found.pieces, found.word_of, strict=True)
            if of == number
        ]
        spelt = own[0] + "".join(p.removeprefix("##") for p in own[1:])
        assert spelt == word or own == ["[UNK]"]


def test_letters_stay_as_they_are_in_a_cased_model():
    cased = WordPiece(["[UNK]", "[CLS]", "[SEP]", "Ã", "a"], lowercase=False)
    assert cased.words("Ã b\x00") == ["Ã", "b"]
    assert WordPiece(PIECES, strip_accents=False).words("Ã") == ["ã"]
    assert WordPiece(PIECES, chinese=False).words("中文") == ["中文"]


def test_a_text_too_long_is_refused_in_a_sentence(wordpiece):
    assert len(wordpiece.encode("the " * 510).ids) == 512
    with pytest.raises(TextError, match="more than 512 pieces"):
        wordpiece.encode("the " * 511)
    with pytest.raises(TextError, match="10,001 characters; at most 10,000"):
        wordpiece.encode("a" * (LONGEST_TEXT + 1))
    with pytest.raises(TextError, match="more than 7 pieces"):
        WordPiece(PIECES, most=7).encode("it it it it it it")
    assert len(WordPiece(PIECES, most=7).encode("it it it it it").ids) == 7


def test_half_a_character_and_no_text_are_refused(wordpiece):
    with pytest.raises(TextError, match="Character 3 .*U\\+D83D"):
        wordpiece.encode("ab\ud83d")
    with pytest.raises(TypeError, match="got bytes"):
        wordpiece.encode(b"the cat")


@pytest.mark.parametrize("special", ["[UNK]", "[CLS]", "[SEP]"])
def test_a_vocabulary_without_a_special_piece_is_refused(special):
    with pytest.raises(FileError, match="no \\" + special):
        WordPiece([piece for piece in PIECES if piece != special])
