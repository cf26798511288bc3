"""Choosing among wordings: the same words always get the same answer, different words different ones."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def choose(options: Sequence[T], *seed: str) -> T:
    """One of the options by a stable hash of the seed; `options` must not be empty."""
    return options[zlib.crc32("\x1f".join(seed).encode()) % len(options)]
