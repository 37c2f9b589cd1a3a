"""A map as a picture of one pixel a weight, for maps too large for shapes."""

import base64
import struct
import zlib

import numpy as np

from helpers.pictures.colours import PERCENT_RGB

HIDDEN = len(PERCENT_RGB)  # the palette's entry for a hidden cell


def map_png(percent, visible=None):
    """Return a data address of a PNG with a pixel for every weight.

    Parameters
    ----------
    percent : int array (N_q, N_k)
        Weights in whole percent, 0..100.
    visible : bool array (N_q, N_k), optional
        Where it is False the pixel is transparent.

    Source: the PNG specification (W3C, third edition), palette images.
    """
    pixels = np.clip(percent, 0, 100).astype(np.uint8)
    if visible is not None:
        pixels = np.where(visible, pixels, HIDDEN).astype(np.uint8)
    rows, columns = pixels.shape
    lines = np.zeros((rows, columns + 1), np.uint8)  # 0: no filter
    lines[:, 1:] = pixels
    palette = PERCENT_RGB.tobytes() + b"\xff\xff\xff"
    png = (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(
            b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
        )
        + _chunk(b"PLTE", palette)
        + _chunk(b"tRNS", b"\xff" * HIDDEN + b"\x00")
        + _chunk(b"IDAT", zlib.compress(lines.tobytes(), 6))
        + _chunk(b"IEND", b"")
    )
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def _chunk(kind, data):
    check = zlib.crc32(kind + data)
    return (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
    )
