"""What the trunk made of texts that were read lately: a person asks several things in a row, and much of what may answer is the same."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

States = NDArray[np.float32]
MOST_BYTES: Final = 32 << 20
"""Some 2,000 statements of 20 pieces, in half precision."""
FORGOTTEN_AFTER_S: Final = 600.0
"""A text that nobody asked about for ten minutes leaves the process, so that a deletion is whole within that time also where
its process was not told of it."""


class RecentStates:
    """Keeps (tokens, dimensions) states by the digest of a text's pieces, never the text. Safe to call from several threads."""

    def __init__(
        self, most_bytes: int = MOST_BYTES, forgotten_after_s: float = FORGOTTEN_AFTER_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._after, self._clock = most_bytes, forgotten_after_s, clock
        self._kept: OrderedDict[bytes, tuple[float, NDArray[np.float16]]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def of(self, texts: Sequence[Sequence[int]], read: Callable[[list[Sequence[int]]], list[States]]) -> list[States]:
        """The states of each text, given as its pieces; `read` gives those of what is not kept, in order."""
        keys = [hashlib.blake2b(np.asarray(pieces, np.int64).tobytes(), digest_size=16).digest() for pieces in texts]
        with self._lock:
            self._forget_old()
            known = {key: self._touched(key) for key in keys if key in self._kept}
        new = {key: pieces for key, pieces in zip(keys, texts, strict=True) if key not in known}
        fresh = dict(zip(new, read(list(new.values())), strict=True)) if new else {}
        with self._lock:
            for key, states in fresh.items():
                self._keep(key, states.astype(np.float16))
        return [fresh[key] if key in fresh else known[key].astype(np.float32) for key in keys]

    def forget(self) -> None:
        """Nothing is kept."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def _touched(self, key: bytes) -> NDArray[np.float16]:
        states = self._kept.pop(key)[1]
        self._kept[key] = (self._clock(), states)
        return states

    def _keep(self, key: bytes, states: NDArray[np.float16]) -> None:
        if key in self._kept:
            return
        self._kept[key] = (self._clock(), states)
        self._bytes += states.nbytes
        while self._bytes > self._most:
            self._drop_oldest()

    def _forget_old(self) -> None:
        while self._kept and next(iter(self._kept.values()))[0] < self._clock() - self._after:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        _, (_, states) = self._kept.popitem(last=False)
        self._bytes -= states.nbytes
