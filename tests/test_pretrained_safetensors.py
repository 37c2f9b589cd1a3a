"""Safetensors: a right file is mapped; a wrong one is refused, and soon."""

import json
import math
import os
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from helpers.pretrained.files import FileError
from helpers.pretrained.safetensors import (
    LARGEST_HEADER,
    NUMBER_TYPES,
    read_safetensors,
)
from tests import small_bert
from tests.layers import few
from tests.small_bert import installed_minilm, write_safetensors

fuzz = settings(
    few,
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
MEGABYTE = 1024**2


def refused(path, match=None):
    """Assert a FileError in under a second, and without a large array."""
    tracemalloc.start()
    begin = time.process_time()
    try:
        with pytest.raises(FileError, match=match) as caught:
            read_safetensors(path)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert time.process_time() - begin < 3
    assert peak < 64 * MEGABYTE
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


def whole(array):
    return {
        "dtype": "F32",
        "shape": list(array.shape),
        "data_offsets": [0, array.nbytes],
    }


X = np.arange(6, dtype=np.float32).reshape(2, 3)
CLAIM = whole(X)  # 24 bytes


# --- right files -----------------------------------------------------------


@pytest.mark.parametrize("number_type", sorted(set(NUMBER_TYPES) - {"BOOL"}))
def test_every_number_type_is_read(tmp_path, number_type):
    kind = np.dtype(NUMBER_TYPES[number_type])
    rng = np.random.default_rng(1)
    given_ = {
        "a": rng.integers(0, 100, (3, 5)).astype(kind),
        "b.c": rng.integers(0, 100, (7,)).astype(kind),
        "one": np.array(5, kind),
    }
    write_safetensors(tmp_path / "m", given_)
    found = read_safetensors(tmp_path / "m")
    assert list(found) == list(given_)
    for name, array in given_.items():
        assert found[name].dtype == kind
        assert np.array_equal(found[name], array)
        assert found[name].shape == array.shape


def test_truths_notes_and_spaces_at_the_end_are_read(tmp_path):
    header = {"__metadata__": {"format": "pt"}}
    header["t"] = {"dtype": "BOOL", "shape": [3], "data_offsets": [0, 3]}
    text = json.dumps(header) + "   "
    truths = {"t": np.array([1, 0, 1], np.uint8)}
    write_safetensors(tmp_path / "m", truths, text)
    found = read_safetensors(tmp_path / "m")
    assert found["t"].tolist() == [True, False, True]
    assert list(found) == ["t"]


def test_arrays_are_mapped_and_cannot_be_written(tmp_path):
    large = {"large": np.zeros((3000, 1000), np.float32)}
    write_safetensors(tmp_path / "m", large)
    tracemalloc.start()
    found = read_safetensors(tmp_path / "m")["large"]
    assert tracemalloc.get_traced_memory()[1] < MEGABYTE
    tracemalloc.stop()
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 1
    assert found[2999, 999] == 0


def test_arrays_in_another_order_than_their_bytes_are_read(tmp_path):
    first, second = whole(X), whole(X)
    second["data_offsets"] = [24, 48]
    text = json.dumps({"second": second, "first": first})
    write_safetensors(tmp_path / "m", {"a": X, "b": X + 10}, text)
    found = read_safetensors(tmp_path / "m")
    assert np.array_equal(found["first"], X)
    assert np.array_equal(found["second"], X + 10)


def test_the_real_file_is_read():
    found = read_safetensors(installed_minilm() / "model.safetensors")
    assert len(found) == 104
    assert found["embeddings.word_embeddings.weight"].shape == (30_522, 384)


# --- wrong files -----------------------------------------------------------


def changed(**entries):
    return {"a": CLAIM | entries}


HOSTILE = {
    "no JSON": ("{a", "not valid JSON"),
    "a list": ("[1]", "must begin with {"),
    "a space first": (" {}", "must begin with {"),
    "not UTF-8": (b'{"\xff": 1}', "not UTF-8"),
    "NaN": ('{"a": NaN}', "NaN is no JSON number"),
    "infinity": ('{"a": -Infinity}', "Infinity is no JSON"),
    "a number of 9,000 digits": ('{"a": ' + "9" * 9000 + "}", "not valid"),
    "text behind": ('{"a": 1} x', "not valid JSON"),
    "a key twice": ('{"a": 1, "a": 1}', "a key stands in it twice"),
    "a claim twice": ('{"a": {"dtype": 1, "dtype": 2}}', "twice"),
    "nested": ('{"a":' * 100_000, "nested too deep"),
    "nested lists": ('{"a":' + "[" * 100_000, "nested too deep"),
    "many lists": (
        '{"a": [' + "[]," * 300_000 + "[]]}",
        "must have a dtype, a shape",
    ),
    "many arrays": (
        json.dumps({f"{i}": CLAIM for i in range(10_000)}),
        "follow one another",
    ),
    "no dtype": ({"a": {"shape": [6], "data_offsets": [0, 24]}}, "a dtype"),
    "one key more": (changed(more=1), "and nothing else"),
    "a claim that is a number": ({"a": 5}, "must have a dtype"),
    "a claim that is nothing": ({"a": None}, "must have a dtype"),
    "a name that rings": (
        {"\x07\x1b[31m\ud800" * 99: 5},
        "must have a dtype",
    ),
    "bfloat16": (changed(dtype="BF16"), "Save the model in float32"),
    "an unknown type": (changed(dtype="F8_E4M3"), "unknown type 'F8_E4M3'"),
    "objects": (changed(dtype="O"), "unknown type 'O'"),
    "a type that is a list": (changed(dtype=[]), "unknown type"),
    "a type that is a dict": (changed(dtype={"F32": 1}), "unknown type"),
    "a shape that is no list": (changed(shape=6), "must be whole numbers"),
    "a shape of text": (changed(shape="23"), "must be whole numbers"),
    "a shape of floats": (changed(shape=[2.0, 3]), "must be whole numbers"),
    "a shape of truths": (changed(shape=[True, 6]), "must be whole numbers"),
    "a shape below 0": (changed(shape=[-2, -3]), "must be whole numbers"),
    "a shape too large": (changed(shape=[2**63, 1]), "whole numbers"),
    "a product that wraps to 6": (
        changed(shape=[2**62 + 3, 2, 2**61]),
        "need another number",
    ),
    "a product that wraps to 0": (
        changed(shape=[2**32, 2**32], data_offsets=[0, 0]),
        "need another number",
    ),
    "an axis of 0": (changed(shape=[0, 2**62]), "none of size 0"),
    "nine axes": (changed(shape=[1] * 8 + [6]), "at most 8 axes"),
    "200,000 axes": (changed(shape=[1] * 200_000), "at most 8 axes"),
    "one number short": (changed(shape=[5]), "need another number"),
    "a wider type": (changed(dtype="F64"), "need another number"),
    "one offset": (changed(data_offsets=[0]), "two data_offsets"),
    "three offsets": (changed(data_offsets=[0, 24, 24]), "two data_offsets"),
    "offsets as text": (changed(data_offsets=["0", "24"]), "whole numbers"),
    "offsets below 0": (changed(data_offsets=[-24, 0]), "whole numbers"),
    "offsets the wrong way": (changed(data_offsets=[24, 0]), "outside"),
    "offsets outside": (changed(data_offsets=[24, 48]), "outside"),
    "offsets far outside": (
        changed(shape=[2**40], data_offsets=[0, 2**42]),
        "outside",
    ),
    "a hole at the start": (
        changed(shape=[5], data_offsets=[4, 24]),
        "follow one another",
    ),
    "bytes left over": (
        changed(shape=[5], data_offsets=[0, 20]),
        "4 bytes belong to no array",
    ),
    "no array at all": ({}, "24 bytes belong to no array"),
    "overlapping arrays": (
        {
            "a": CLAIM | {"shape": [4], "data_offsets": [0, 16]},
            "b": CLAIM | {"shape": [4], "data_offsets": [8, 24]},
        },
        "follow one another",
    ),
    "the same bytes twice": ({"a": CLAIM, "b": CLAIM}, "follow one another"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_refused(tmp_path, name):
    header, said = HOSTILE[name]
    if isinstance(header, dict):
        header = json.dumps(header)
    write_safetensors(tmp_path / "m", {"a": X}, header)
    refused(tmp_path / "m", said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it has 0 bytes"),
        (b"\x02\x00\x00\x00\x00\x00\x00", "it has 7 bytes"),
        (b"\x02\x00\x00\x00\x00\x00\x00\x00{", "cut short"),
        (b"\xff" * 8, "18,446,744,073,709,551,615"),
        (b"\xff" * 100, "18,446,744,073,709,551,615"),
        (b"\x00" * 8, "must begin with {"),
        (b"PK\x03\x04" + b"\x00" * 40, "cut short"),
        (b"\x80\x02}q\x00" + b"\x00" * 40, "cut short"),
    ],
)
def test_what_is_no_safetensors_file_is_refused(tmp_path, content, said):
    (tmp_path / "m").write_bytes(content)
    refused(tmp_path / "m", said)


def test_a_header_too_long_is_not_even_read(tmp_path):
    long = json.dumps({"a": CLAIM}) + " " * LARGEST_HEADER
    write_safetensors(tmp_path / "m", {"a": X}, long)
    refused(tmp_path / "m", "at most 1,048,576 are read")
    with (tmp_path / "sparse").open("wb") as file:
        file.write((2**39).to_bytes(8, "little"))
        file.truncate(2**39 + 8)
    refused(tmp_path / "sparse", "at most 1,048,576 are read")


def test_every_file_that_is_cut_short_is_refused(tmp_path):
    write_safetensors(tmp_path / "m", {"a": X, "b": X[0]})
    content = (tmp_path / "m").read_bytes()
    for length in range(len(content)):
        (tmp_path / "cut").write_bytes(content[:length])
        refused(tmp_path / "cut")
    (tmp_path / "cut").write_bytes(content + b"\x00")
    refused(tmp_path / "cut", "1 bytes belong to no array")


def test_a_file_that_shrinks_while_it_is_opened_is_refused(
    tmp_path, monkeypatch
):
    write_safetensors(tmp_path / "m", {"a": X})
    real = os.fstat

    class Longer:
        st_size = (tmp_path / "m").stat().st_size + 24

    header = json.dumps(changed(shape=[12], data_offsets=[0, 48]))
    write_safetensors(tmp_path / "m", {"a": X}, header)
    Longer.st_size = (tmp_path / "m").stat().st_size + 24
    monkeypatch.setattr(
        "helpers.pretrained.safetensors.os.fstat",
        lambda number: real(number) and Longer,
    )
    refused(tmp_path / "m", "cannot be mapped")


def test_only_regular_files_are_opened(tmp_path):
    refused(tmp_path, "is not a file")
    refused(tmp_path / "nothing", "no such file")
    refused("a\x00b", "cannot be opened")
    refused(str(tmp_path / ("long" * 200)), "cannot be opened")


@pytest.mark.skipif(os.name == "nt", reason="links and pipes are POSIX's")
def test_links_are_followed_and_pipes_are_refused(tmp_path):
    write_safetensors(tmp_path / "m", {"a": X})
    (tmp_path / "link").symlink_to(tmp_path / "m")
    assert np.array_equal(read_safetensors(tmp_path / "link")["a"], X)
    (tmp_path / "broken").symlink_to(tmp_path / "nothing")
    refused(tmp_path / "broken", "no such file")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    refused(tmp_path / "loop", "cannot be opened")
    (tmp_path / "device").symlink_to("/dev/zero")
    refused(tmp_path / "device", "is not a file")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "is not a file")
    if os.geteuid():
        (tmp_path / "m").chmod(0)
        refused(tmp_path / "m", "permission denied")


# --- any file ----------------------------------------------------------------


def refused_or_right(path):
    """Assert that all arrays lie in the file, or that it is refused."""
    begin = time.process_time()
    try:
        found = read_safetensors(path)
    except FileError as error:
        assert str(error).isprintable() and len(str(error)) < 400
    else:
        size = path.stat().st_size
        assert sum(array.nbytes for array in found.values()) <= size
        for array in found.values():
            assert not array.flags.writeable
            array.sum()
    assert time.process_time() - begin < 3


@given(st.binary(max_size=200))
@example(b"\x02" + b"\x00" * 7 + b"{}")
@fuzz
def test_any_bytes_are_refused_or_right(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    refused_or_right(tmp_path / "m")


numbers = st.one_of(
    st.integers(-3, 30),
    st.sampled_from([2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64, 10**40]),
)
anything = st.recursive(
    st.none() | st.booleans() | numbers | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
claims = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from([*NUMBER_TYPES, "BF16"]) | anything,
        "shape": st.lists(numbers, max_size=4) | anything,
        "data_offsets": st.lists(numbers, min_size=2, max_size=2) | anything,
    }
)
headers = st.dictionaries(
    st.text(max_size=5) | st.just("__metadata__"),
    claims | anything,
    max_size=3,
)


@given(headers, st.integers(0, 40))
@fuzz
def test_any_header_is_refused_or_right(tmp_path, header, n_bytes):
    content = {"": np.zeros(n_bytes, np.uint8)}
    write_safetensors(tmp_path / "m", content, json.dumps(header))
    refused_or_right(tmp_path / "m")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["F16", "I32", "F64", "U8"]),
            st.lists(st.integers(1, 4), max_size=3),
        ),
        max_size=4,
    )
)
@fuzz
def test_any_right_file_is_read(tmp_path, wanted):
    named = {
        f"a{i}": np.arange(math.prod(shape))
        .astype(NUMBER_TYPES[kind])
        .reshape(shape)
        for i, (kind, shape) in enumerate(wanted)
    }
    write_safetensors(tmp_path / "m", named)
    found = read_safetensors(tmp_path / "m")
    assert list(found) == list(named)
    for name, array in named.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype


@given(st.data())
@fuzz
def test_a_right_file_with_changed_bytes_is_refused_or_right(tmp_path, data):
    first = dict(list(small_bert.arrays().items())[:4])
    write_safetensors(tmp_path / "m", first)
    content = bytearray((tmp_path / "m").read_bytes())
    length = int.from_bytes(content[:8], "little")
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, length + 7))
        content[place] = data.draw(
            st.sampled_from(b'0129-.,:[]{}"eFN\x00\xff')
        )
    (tmp_path / "m").write_bytes(content)
    refused_or_right(tmp_path / "m")
