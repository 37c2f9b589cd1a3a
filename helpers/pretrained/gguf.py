"""Read a GGUF file: one file with a model's settings, words and arrays.

    read_gguf     path -> Gguf: settings at once, arrays on demand

The file is mapped into memory, and an array becomes float32 when it is asked
for. Two of its four number types hold fewer bits than a float: a block of 32
numbers shares a scale.

    Q8_0    scale, and 32 whole numbers of 8 bits    x = scale * q
    Q4_1    scale, lowest, and 32 of 4 bits          x = scale * q + lowest

Source: ggml-org/ggml, docs/gguf.md (version 3), and src/ggml-quants.c.
"""

import math

import numpy as np

from helpers.pretrained.files import FileError, regular_file
from helpers.pretrained.gguf_header import BLOCK, BLOCKS, read_header


def read_gguf(path):
    """Open a GGUF file.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    Gguf
        Read-only; it takes memory only for the settings.

    Raises
    ------
    FileError
        If there is no such file, or it is not as the format says.
    """
    path = regular_file(path)
    try:
        data = np.memmap(path, np.uint8, mode="r")
    except (OSError, ValueError) as error:
        raise FileError(
            f"{path.name!r:.60} can't be mapped: {error}."
        ) from None
    try:
        metadata, tensors = read_header(data)
    except FileError as error:
        raise FileError(f"{path.name!r:.60}: {error}") from None
    return Gguf(path.name, data, metadata, tensors)


class Gguf:
    """An open file.

    Parameters
    ----------
    name : str
        What a complaint calls it.
    data : uint8 array
        The whole file.
    metadata : dict
        Name -> bool, int, float, str, array of numbers, or tuple of str.
    tensors : dict
        Name -> Tensor: shape, kind, start and n_bytes.
    """

    def __init__(self, name, data, metadata, tensors):
        self.name, self._data = name, data
        self.metadata, self.tensors = metadata, tensors

    def setting(self, name, kind):
        """Return the setting `name`, which must be a `kind`.

        Raises
        ------
        FileError
            If it is missing, of another type, or no finite number.
        """
        value = self.metadata.get(name)
        if type(value) is not kind:
            raise FileError(
                f"{self.name}: the setting {name} must be of type "
                f"{kind.__name__}: got {type(value).__name__}."
            )
        if kind is float and not math.isfinite(value):
            raise FileError(f"{self.name}: the setting {name} is {value}.")
        return value

    def array(self, name, shape=None, rows=None):
        """Return an array as float32, made now.

        Parameters
        ----------
        name : str
        shape : tuple, optional
            What its shape must be.
        rows : int array, optional
            Take only these places of the first of two axes.

        Returns
        -------
        float32 array
            Of the tensor's shape; with `rows`, (rows, last axis).

        Raises
        ------
        FileError
            If it is not there, of another shape, or not finite.
        """
        tensor = self.tensors.get(name)
        if tensor is None:
            raise FileError(f"{self.name} holds no array {name!r:.99}.")
        if shape is not None and tensor.shape != tuple(shape):
            raise FileError(
                f"{self.name}: {name} must be of shape {tuple(shape)}: got "
                f"{tensor.shape}."
            )
        raw = self._data[tensor.start : tensor.start + tensor.n_bytes]
        blocks = np.asarray(raw).view(BLOCKS[tensor.kind][1])
        shape = tensor.shape
        if rows is not None:
            blocks = blocks.reshape(shape[0], -1)[rows].reshape(-1)
            shape = (len(rows), *shape[1:])
        with np.errstate(all="ignore"):  # what overflows is refused below
            numbers = as_float32(blocks, tensor.kind)
        if not np.isfinite(numbers).all():
            raise FileError(f"{self.name}: {name} holds NaN or infinity.")
        return numbers.reshape(shape)


def as_float32(blocks, kind):
    """Write blocks out as float32, one number behind the other.

    Parameters
    ----------
    blocks : array (n_blocks,)
        Of the type in BLOCKS.
    kind : str
        A key of BLOCKS.

    Returns
    -------
    float32 array (n_blocks * numbers in a block,)
    """
    if kind in ("F32", "F16"):
        return blocks.astype(np.float32)
    scale = blocks["scale"].astype(np.float32)[:, None]
    numbers = np.empty((len(blocks), BLOCK), np.float32)
    if kind == "Q8_0":
        return np.multiply(blocks["q"], scale, out=numbers).reshape(-1)
    half = BLOCK // 2  # low four bits: the first half of the block
    numbers[:, :half] = blocks["q"] & 15
    numbers[:, half:] = blocks["q"] >> 4
    numbers *= scale
    numbers += blocks["low"].astype(np.float32)[:, None]
    return numbers.reshape(-1)
