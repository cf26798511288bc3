"""A vector in few bytes: one number of 8 bits per dimension, and of each its sign.

A float32 vector of 384 dimensions is 1,536 bytes; here it is 388 on the disk and 440 in memory.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SCALE_BYTES = 4


def encoded(vector: bytes) -> bytes:
    """Of a float32 vector its scale (float32, little-endian) and each dimension divided by it, rounded to int8."""
    row = np.frombuffer(vector, "<f4")
    scale = np.float32(np.abs(row).max() / 127 or 1.0)
    numbers: NDArray[np.int8] = np.round(row / scale).astype(np.int8)
    return bytes(scale.astype("<f4").tobytes()) + numbers.tobytes()


def decoded(rows: bytes, dimensions: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """The inverse for many that follow one another: scales (count,), and numbers (count, dimensions)."""
    table = np.frombuffer(rows, np.uint8).reshape(-1, _SCALE_BYTES + dimensions)
    scales = np.ascontiguousarray(table[:, :_SCALE_BYTES]).view("<f4").ravel()
    return scales.astype(np.float32), table[:, _SCALE_BYTES:].view(np.int8)


def signs(numbers: NDArray[np.int8]) -> NDArray[np.uint64]:
    """(words, count): bit d % 64 of word d // 64 says that dimension d is above zero; word by word, as `likeness` reads them."""
    bits = np.packbits(numbers > 0, axis=1, bitorder="little")
    padded = np.zeros((len(numbers), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)
