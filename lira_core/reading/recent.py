"""What the trunk made of texts that were read lately: a person asks several things in a row, and much of what may answer is the same."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lira_core.recent import Recent

States = NDArray[np.float32]
MOST_BYTES: Final = 32 << 20
"""Some 2,000 statements of 20 pieces, in half precision."""
FORGOTTEN_AFTER_S: Final = 600.0
"""A text that nobody asked about for ten minutes leaves the process within another ten, so that a deletion is whole by then also where
its process was not told of it."""


class RecentStates:
    """Keeps (tokens, dimensions) states by the digest of a text's pieces, never the text. Safe to call from several threads."""

    def __init__(
        self, most_bytes: int = MOST_BYTES, forgotten_after_s: float = FORGOTTEN_AFTER_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._recent = Recent(most_bytes, forgotten_after_s, renewed=True, clock=clock)

    def of(self, texts: Sequence[Sequence[int]], read: Callable[[list[Sequence[int]]], list[States]]) -> list[States]:
        """The states of each text, given as its pieces; `read` gives those of what is not kept, in order."""
        since = self._recent.forgotten
        keys = [hashlib.blake2b(np.asarray(pieces, np.int64).tobytes(), digest_size=16).digest() for pieces in texts]
        found = {key: kept.astype(np.float32) for key in dict.fromkeys(keys) if (kept := self._recent.get(key)) is not None}
        new = {key: pieces for key, pieces in zip(keys, texts, strict=True) if key not in found}
        fresh = dict(zip(new, read(list(new.values())), strict=True)) if new else {}
        for key, states in fresh.items():
            self._recent.keep(key, states.astype(np.float16), states.nbytes // 2, since)
        return [(found | fresh)[key] for key in keys]

    def forget(self) -> None:
        """Nothing is kept."""
        self._recent.forget_all()
