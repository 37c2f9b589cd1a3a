"""GGUF files: read exactly, and refused when anything is wrong in them."""

import os
import struct
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers.pretrained.files import FileError
from helpers.pretrained.gguf import read_gguf
from helpers.pretrained.gguf_header import LONGEST_TEXT
from helpers.sizes import quoted
from tests.tiny_gguf import setting, tensor, text, whole_file

GOOD = whole_file(
    [
        setting("a.count", "I", 7),
        setting("a.text", "text", "Ġhé"),
        setting("a.truth", "truth", 1),
        setting("a.float", "f", 0.5),
        setting("a.texts", "texts", ("one", "", "zwei")),
        setting("a.list", "list i", (3, -4, 5)),
    ],
    [
        tensor("plain", (3, 5), "F32", 0),
        tensor("half", (7,), "F16", 64),
        tensor("four", (2, 64), "Q4_1", 96),
        tensor("eight", (3, 32), "Q8_0", 192),
    ],
    np.arange(15, dtype="<f4").tobytes().ljust(64, b"\0")
    + np.arange(7, dtype="<f2").tobytes().ljust(32, b"\0")
    + b"".join(
        np.array([1 + n, -n], "<f2").tobytes() + bytes(range(16, 32))
        for n in range(4)
    ).ljust(96, b"\0")
    + b"".join(
        np.array([0.5], "<f2").tobytes()
        + np.arange(-16, 16, dtype="i1").tobytes()
        for n in range(3)
    ),
)


@pytest.fixture
def put(tmp_path):
    """Return a function that writes bytes and gives the path."""

    def write(content):
        path = tmp_path / "a.gguf"
        path.write_bytes(content)
        return path

    return write


def test_settings_have_their_types(put):
    found = read_gguf(put(GOOD)).metadata
    assert found["a.count"] == 7
    assert found["a.text"] == "Ġhé"
    assert found["a.truth"] is True
    assert found["a.float"] == 0.5
    assert found["a.texts"] == ("one", "", "zwei")
    assert found["a.list"].tolist() == [3, -4, 5]


def test_arrays_become_float32(put):
    file = read_gguf(put(GOOD))
    plain = file.array("plain", (3, 5))
    assert plain.dtype == np.float32
    assert plain.tolist() == np.arange(15).reshape(3, 5).tolist()
    assert file.array("half").tolist() == list(range(7))
    eight = np.tile(np.arange(-16, 16) / 2, (3, 1))
    assert file.array("eight").tolist() == eight.tolist()


def test_low_halves_are_the_first_half_of_a_block(put):
    four = read_gguf(put(GOOD)).array("four")  # bytes 0x10 to 0x1f
    q = np.concatenate([np.arange(16), np.ones(16)])
    blocks = [(1 + n) * q - n for n in range(4)]
    assert four.tolist() == np.reshape(blocks, (2, 64)).tolist()


def test_rows_alone_are_those_of_the_whole(put):
    file = read_gguf(put(GOOD))
    for name in ("plain", "four", "eight"):
        rows = file.array(name, rows=[1, 0, 1])
        assert rows.tolist() == file.array(name)[[1, 0, 1]].tolist()


def test_nothing_is_read_before_it_is_asked_for(put):
    n = 2**22
    big = whole_file([], [tensor("big", (n,), "F32", 0)], bytes(4 * n))
    path = put(big)
    tracemalloc.start()
    file = read_gguf(path)
    assert tracemalloc.get_traced_memory()[1] < 2**18
    assert file.array("big").nbytes == 4 * n
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.count", str), ("a.text", int), ("none", int), ("a.truth", int)],
)
def test_a_setting_of_another_type_is_refused(put, name, kind):
    with pytest.raises(FileError, match=name):
        read_gguf(put(GOOD)).setting(name, kind)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_settings_are_finite(put, value):
    file = read_gguf(put(whole_file([setting("a", "f", value)])))
    with pytest.raises(FileError, match="a is"):
        file.setting("a", float)


def test_arrays_are_asked_for_by_name_and_shape(put):
    file = read_gguf(put(GOOD))
    with pytest.raises(FileError, match="no array 'none'"):
        file.array("none")
    with pytest.raises(FileError, match=r"\(5, 3\): got \(3, 5\)"):
        file.array("plain", (5, 3))


@pytest.mark.parametrize("kind", ["F32", "F16", "Q4_1", "Q8_0"])
@pytest.mark.parametrize("bits", [0x7C00, 0x7E00])  # infinity, NaN
def test_numbers_are_finite(put, kind, bits):
    raw = struct.pack("<H", bits) * 64
    if kind == "F32":
        raw = np.array([bits], "<u2").view("<f2").astype("<f4").tobytes() * 32
    file = whole_file([], [tensor("x", (32,), kind, 0)], raw)
    with pytest.raises(FileError, match="NaN or infinity"):
        read_gguf(put(file)).array("x")


def a_list(item_kind, count, raw=b""):
    return text("a") + struct.pack("<IIQ", 9, item_kind, count) + raw


ONE = [tensor("x", (8,), "F32", 0)]
HOSTILE = {
    "nothing": b"",
    "other magic": whole_file(magic=b"GGML"),
    "version 2": whole_file(version=2),
    "version of the other byte order": whole_file(version=3 << 24),
    "2^63 arrays": whole_file(counts=(2**63, 0)),
    "2^63 settings": whole_file(counts=(0, 2**63)),
    "more arrays than may be": whole_file(
        counts=(10_001, 0), data=bytes(10**6)
    ),
    "a name longer than the file": whole_file(
        [struct.pack("<Q", 2**62) + b"a"]
    ),
    "a name of 2^64 - 1": whole_file([b"\xff" * 8 + b"a"]),
    "a text longer than may be": whole_file(
        [
            text("a")
            + struct.pack("<IQ", 8, LONGEST_TEXT + 1)
            + bytes(LONGEST_TEXT + 1)
        ]
    ),
    "a text that is not UTF-8": whole_file([setting("a", "text", b"\xff")]),
    "an empty name": whole_file([setting("", "I", 1)]),
    "a truth of 2": whole_file([setting("a", "truth", 2)]),
    "a setting twice": whole_file([setting("a", "I", 1)] * 2),
    "a setting of no type": whole_file([text("a") + struct.pack("<I", 13)]),
    "a list in a list": whole_file([a_list(9, 1, struct.pack("<IQ", 4, 0))]),
    "2^62 numbers": whole_file([a_list(10, 2**62)]),
    "2^62 texts": whole_file([a_list(8, 2**62)]),
    "a million empty texts": whole_file([a_list(8, 10**6, bytes(8 * 10**6))]),
    "an array twice": whole_file(
        [],
        [tensor("x", (8,), "F32", 0), tensor("x", (8,), "F32", 32)],
        bytes(64),
    ),
    "no axis": whole_file([], [tensor("x", (), "F32", 0)], bytes(32)),
    "five axes": whole_file([], [tensor("x", (1,) * 5, "F32", 0)], bytes(32)),
    "2^32 - 1 axes": whole_file(
        [], [text("x") + struct.pack("<I", 2**32 - 1) + bytes(20)], bytes(32)
    ),
    "an axis of 0": whole_file([], [tensor("x", (0,), "F32", 0)], bytes(32)),
    "a size past 64 bits": whole_file(
        [], [tensor("x", (2**32, 2**32), "F32", 0)], bytes(32)
    ),
    "a size past 64 bits that seems to be 0": whole_file(
        [], [tensor("x", (2**63, 2), "F32", 0)], bytes(32)
    ),
    "an unknown number type": whole_file(
        [], [tensor("x", (32,), 2, 0)], bytes(32)
    ),
    "half a block": whole_file(
        [], [tensor("x", (2, 16), "Q8_0", 0)], bytes(64)
    ),
    "an offset outside": whole_file(
        [], [tensor("x", (8,), "F32", 2**40)], bytes(32)
    ),
    "an offset past 64 bits": whole_file(
        [], [tensor("x", (8,), "F32", 2**64 - 32)], bytes(32)
    ),
    "an offset that is not aligned": whole_file(
        [], [tensor("x", (8,), "F32", 4)], bytes(64)
    ),
    "an end outside": whole_file([], ONE, bytes(31)),
    "two arrays that overlap": whole_file(
        [],
        [tensor("x", (9,), "F32", 0), tensor("y", (8,), "F32", 32)],
        bytes(64),
    ),
    "an alignment of 0": whole_file(
        [setting("general.alignment", "I", 0)], ONE, bytes(32)
    ),
    "an alignment of 2^31": whole_file(
        [setting("general.alignment", "I", 2**31)], ONE, bytes(32)
    ),
    "an alignment that is a text": whole_file(
        [setting("general.alignment", "text", "32")], ONE, bytes(32)
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_refused_at_once(put, what):
    path = put(HOSTILE[what])
    opened_quickly(path, must_fail=True)


def opened_quickly(path, must_fail=False):
    """Open a file and all its arrays: fine, or a FileError, and cheap."""
    began = time.process_time()
    tracemalloc.start()
    try:
        file = read_gguf(path)
        for name in file.tensors:
            file.array(name)
        opened = True
    except FileError as error:
        assert len(str(error)) < 400
        opened = False
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert not (must_fail and opened)
    assert time.process_time() - began < 3
    assert peak < 2**21 + 20 * os.path.getsize(path)


def test_what_is_no_file_is_refused(tmp_path):
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "none", tmp_path / "pipe", "\0"):
        with pytest.raises(FileError):
            read_gguf(path)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """Return a path for files of many examples."""
    return tmp_path_factory.mktemp("fuzz") / "a.gguf"


@given(st.integers(0, len(GOOD) - 1))
@example(len(GOOD) - 1)
def test_a_file_cut_short_is_refused(scratch, length):
    scratch.write_bytes(GOOD[:length])
    opened_quickly(scratch, must_fail=True)


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(
            st.integers(0, len(GOOD) - 1),
            st.binary(min_size=1, max_size=8)
            | st.sampled_from([b"\xff" * 8, b"\0" * 8, b"\0" * 7 + b"\x80"]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_changed_file_is_read_or_refused(scratch, changes):
    content = bytearray(GOOD)
    for place, new in changes:
        content[place : place + len(new)] = new
    scratch.write_bytes(bytes(content))
    opened_quickly(scratch)


@settings(max_examples=200)
@given(st.binary(max_size=300), st.integers(0, 6), st.integers(0, 6))
def test_any_bytes_are_read_or_refused(scratch, rest, arrays, names):
    head = b"GGUF" + struct.pack("<IQQ", 3, arrays, names)
    scratch.write_bytes(head + rest)
    opened_quickly(scratch)


def test_a_long_name_is_shortened_in_a_message():
    assert len(quoted("n" * 900)) == 60
    assert quoted("\x02ok") == "'\\x02ok'"
