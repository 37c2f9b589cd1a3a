"""Read what stands in front of a GGUF file's arrays, and believe none of it.

    read_header     bytes -> settings, and where each array lies

Each count is held against the bytes that are left before anything is made
of it, so a hostile file costs neither time nor memory.

Source: ggml-org/ggml, docs/gguf.md (version 3).
"""

import math
import struct
from dataclasses import dataclass

import numpy as np

from helpers.pretrained.files import FileError
from helpers.sizes import quoted

BLOCK = 32
BLOCKS = {
    "F32": (1, np.dtype("<f4")),
    "F16": (1, np.dtype("<f2")),
    "Q4_1": (
        BLOCK,
        np.dtype([("scale", "<f2"), ("low", "<f2"), ("q", "u1", BLOCK // 2)]),
    ),
    "Q8_0": (BLOCK, np.dtype([("scale", "<f2"), ("q", "i1", BLOCK)])),
}  # name -> numbers in a block, and how a block lies
KINDS = {0: "F32", 1: "F16", 3: "Q4_1", 8: "Q8_0"}
NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 10, 11, 12), "BbHhIifQqd"))
TRUTH, TEXT, LIST = 7, 8, 9

MOST_ENTRIES = 10_000  # settings, or arrays
MOST_TEXTS = 500_000  # in all lists together
LONGEST_TEXT = 2**20  # bytes
LONGEST_NAME = 2**10
MOST_AXES = 4
MOST_NUMBERS = 2**30  # in an array


@dataclass(frozen=True)
class Tensor:
    """Where one array lies, and as what."""

    shape: tuple  # the last axis lies together, as in NumPy
    kind: str  # a key of BLOCKS
    start: int  # byte in the file
    n_bytes: int


def read_header(data):
    """Return the settings and the places of the arrays.

    Parameters
    ----------
    data : uint8 array
        The whole file.

    Returns
    -------
    metadata : dict
        Name -> bool, int, float, str, array of numbers, or tuple of these.
    tensors : dict
        Name -> Tensor.

    Raises
    ------
    FileError
        If anything is not as the format says.
    """
    return _Header(data).read()


class _Header:
    def __init__(self, data):
        self.data, self.at, self.texts_left = data, 0, MOST_TEXTS
        self.view = memoryview(data)

    def read(self):
        if bytes(self.take(4)) != b"GGUF":
            raise FileError("this is no GGUF file: it must begin with GGUF.")
        version = self.number("I")
        if version != 3:
            raise FileError(f"only GGUF version 3 is read: got {version}.")
        n_tensors = self.count("arrays", MOST_ENTRIES, 24)
        n_settings = self.count("settings", MOST_ENTRIES, 13)
        metadata = {}
        for _ in range(n_settings):
            name = self.new_name("setting", metadata)
            metadata[name] = self.value(self.number("I"))
        rows = {}
        for _ in range(n_tensors):
            name = self.new_name("array", rows)
            rows[name] = self.row(name)
        return metadata, self.places(rows, alignment(metadata))

    def take(self, n):
        if n > len(self.data) - self.at:
            raise FileError(
                f"the file ends too early: {n:,} bytes are asked for at byte "
                f"{self.at:,}, and {len(self.data) - self.at:,} are left."
            )
        self.at += n
        return self.view[self.at - n : self.at]

    def number(self, code):
        return struct.unpack("<" + code, self.take(struct.calcsize(code)))[0]

    def count(self, what, most, n_bytes):
        """Return a count, if so many of at least n_bytes can be there."""
        count = self.number("Q")
        most = min(most, (len(self.data) - self.at) // n_bytes)
        if count > most:
            raise FileError(f"{count:,} {what}, where {most:,} may be.")
        return count

    def text(self, longest=LONGEST_TEXT):
        raw = self.take(self.count("bytes of text", longest, 1))
        try:
            return str(raw, "utf-8")
        except UnicodeDecodeError:
            raise FileError(
                f"the text that ends at byte {self.at:,} is not UTF-8."
            ) from None

    def new_name(self, what, known):
        name = self.text(LONGEST_NAME)
        if not name or name in known:
            raise FileError(f"two times, or empty: the {what} {quoted(name)}.")
        return name

    def truths(self, n):
        raw = np.frombuffer(self.take(n), np.uint8)
        if (raw > 1).any():
            raise FileError("a truth must be 0 or 1.")
        return raw.astype(bool)

    def value(self, kind):
        if kind in NUMBERS:
            return self.number(NUMBERS[kind])
        if kind == TRUTH:
            return bool(self.truths(1)[0])
        if kind == TEXT:
            return self.text()
        if kind == LIST:
            return self.items(self.number("I"))
        raise FileError(f"no setting is of type {kind}.")

    def items(self, kind):
        if kind == TEXT:
            n = self.count("texts in lists", self.texts_left, 8)
            self.texts_left -= n
            return tuple(self.text() for _ in range(n))
        if kind == TRUTH:
            return self.truths(self.count("truths", len(self.data), 1))
        if kind not in NUMBERS:
            raise FileError(f"no list of type {kind} is read.")
        dtype = np.dtype("<" + NUMBERS[kind])
        n = self.count("numbers in a list", len(self.data), dtype.itemsize)
        return np.frombuffer(self.take(n * dtype.itemsize), dtype)

    def row(self, name):
        """Return shape, kind, offset and bytes of one array."""
        n_axes = self.number("I")
        if not 1 <= n_axes <= MOST_AXES:
            raise FileError(f"{quoted(name)} has {n_axes:,} axes, not 1 to 4.")
        shape = tuple(self.number("Q") for _ in range(n_axes))[::-1]
        if not 1 <= math.prod(shape) <= MOST_NUMBERS:
            raise FileError(f"{quoted(name)} can't be of shape {shape}.")
        number = self.number("I")
        if number not in KINDS:
            raise FileError(
                f"{quoted(name)} is of type {number}; only "
                f"{', '.join(BLOCKS)} are read."
            )
        in_block, dtype = BLOCKS[KINDS[number]]
        if shape[-1] % in_block:
            raise FileError(
                f"{quoted(name)}: {shape[-1]} is no multiple of 32."
            )
        n_bytes = math.prod(shape) // in_block * dtype.itemsize
        return shape, KINDS[number], self.number("Q"), n_bytes

    def places(self, rows, step):
        """Return the tensors; none may overlap, or end outside the file."""
        begin = -(-self.at // step) * step
        tensors, free = {}, begin
        for name in sorted(rows, key=lambda name: rows[name][2]):
            shape, kind, offset, n_bytes = rows[name]
            start = begin + offset
            if offset % step or start < free:
                raise FileError(f"{quoted(name)} overlaps, or is not aligned.")
            free = start + n_bytes
            if free > len(self.data):
                raise FileError(f"{quoted(name)} ends outside the file.")
            tensors[name] = Tensor(shape, kind, start, n_bytes)
        return tensors


def alignment(metadata):
    """Return the bytes that each array's start is a multiple of."""
    step = metadata.get("general.alignment", 32)
    if type(step) is not int or step not in (8, 16, 32, 64, 128, 256, 4096):
        raise FileError(f"general.alignment can't be {step!r:.40}.")
    return step
