"""Read the arrays of a .safetensors file without loading it.

A file is 8 bytes, the length of a header; the header, JSON: for each array
its number type, shape, and where its bytes begin and end; then the bytes.
Nothing in it can run, so it is safe to open; it can only be wrong, and each
claim is held against the file's real size before any array is made.

Source: the safetensors format, https://github.com/huggingface/safetensors
"""

import math
import mmap
import os

import numpy as np

from helpers.pretrained.files import FileError, opened
from helpers.pretrained.text_files import parsed_json
from helpers.sizes import quoted

LARGEST_HEADER = 1024**2  # bytes: room for 8,000 arrays
MOST_AXES = 8
NUMBER_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "u1",
    "BOOL": "?",
}


def read_safetensors(path):
    """Return the arrays of a file, mapped: read from disk where touched.

    Parameters
    ----------
    path : str or Path
        A file nobody shortens while the arrays are in use.

    Returns
    -------
    dict of {str: read-only array}

    Raises
    ------
    FileError
        If the file is missing, cut short, or breaks a rule of the format:
        a header too long or no JSON, a number type NumPy has no word for,
        a shape that does not fill its bytes, arrays that overlap, reach
        outside, or leave bytes over.
    """
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        header, begin = _header(file, size)
        places = _places(header, size - begin)
        try:
            content = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise FileError(f"The file cannot be mapped: {error}.") from None
    return {
        name: np.frombuffer(
            content, number_type, math.prod(shape), begin + start
        ).reshape(shape)
        for name, (number_type, shape, start) in places.items()
    }


def _header(file, size):
    """Return the header as a dict, and where the arrays begin."""
    first = file.read(8)
    length = int.from_bytes(first, "little")
    if len(first) < 8 or length > size - 8:
        raise FileError(
            f"The file is cut short, or no safetensors file: it has {size:,} "
            f"bytes, and its header alone would have {length:,}."
        )
    if length > LARGEST_HEADER:
        raise FileError(
            f"The header has {length:,} bytes; at most {LARGEST_HEADER:,} "
            f"are read."
        )
    try:
        text = file.read(length).decode("utf-8")
    except UnicodeDecodeError:
        raise FileError("The header is not UTF-8 text.") from None
    if not text.startswith("{"):
        raise FileError("The header must begin with {.")
    header = parsed_json(text, "The header")
    header.pop("__metadata__", None)
    return header, 8 + length


def _places(header, size):
    """Return {name: (number type, shape, start)}, all claims checked."""
    places, ends = {}, []
    for name, claim in header.items():
        number_type, shape, start, end = _claim(name, claim)
        needed = math.prod(shape) * number_type.itemsize
        if not 0 <= start <= end <= size:
            raise FileError(
                f"The array {quoted(name)} would lie at bytes {quoted(start)} "
                f"to {quoted(end)} of {size:,}: outside the file, which may "
                f"be cut short."
            )
        if end - start != needed:
            raise FileError(
                f"The array {quoted(name)} has {end - start:,} bytes; its "
                f"shape {quoted(shape)} and type need another number."
            )
        places[name] = number_type, shape, start
        ends.append((start, end))
    last = 0
    for start, end in sorted(ends):
        if start != last:
            raise FileError(
                f"Arrays must follow one another: one ends at byte {last:,}, "
                f"the next begins at {start:,}."
            )
        last = end
    if last != size:
        raise FileError(f"{size - last:,} bytes belong to no array.")
    return places


def _claim(name, claim):
    """Return what the header says of an array, if it has the right form."""
    if not isinstance(claim, dict) or set(claim) != {
        "dtype",
        "shape",
        "data_offsets",
    }:
        raise FileError(
            f"The array {quoted(name)} must have a dtype, a shape and "
            f"data_offsets, and nothing else."
        )
    known = claim["dtype"]
    if known == "BF16":
        raise FileError(
            f"The array {quoted(name)} is of type BF16, which NumPy does not "
            f"have. Save the model in float32, and it opens."
        )
    if not isinstance(known, str) or known not in NUMBER_TYPES:
        raise FileError(
            f"The array {quoted(name)} has the unknown type {quoted(known)}; "
            f"known are {', '.join(NUMBER_TYPES)}."
        )
    shape = _whole_numbers(name, "shape", claim["shape"])
    if len(shape) > MOST_AXES or 0 in shape:
        raise FileError(
            f"The array {quoted(name)} must have at most {MOST_AXES} axes, "
            f"none of size 0: got shape {quoted(shape)}."
        )
    offsets = _whole_numbers(name, "data_offsets", claim["data_offsets"])
    if len(offsets) != 2:
        raise FileError(f"{quoted(name)} must have two data_offsets.")
    return np.dtype(NUMBER_TYPES[known]), shape, *offsets


def _whole_numbers(name, what, values):
    if not isinstance(values, list) or not all(
        type(value) is int and 0 <= value < 2**63 for value in values
    ):
        raise FileError(
            f"{what} of the array {quoted(name)} must be whole numbers, 0 or "
            f"more: got {quoted(values)}."
        )
    return tuple(values)
