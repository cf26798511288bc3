"""What was worked out a moment ago and is likely to be asked again soon: a turn asks the same of one text some ten times, and nobody after it does.

A cache of people's words has to be small, to end by itself, and to be emptied by a deletion.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

CHARACTERS: Final = 256_000
"""Of all texts together: 23 MB when full of utterances of 4,000 characters (measured with kiwipiepy 0.24.1: 215 bytes a morpheme whose form
was read, a morpheme per 2.1 characters). Room for 20 such utterances at once, which are read in three ways each."""
ENTRY: Final = 8
"""Characters that an entry counts for beside its text: key, tuple and deadline are some 800 bytes."""
SECONDS: Final = 5.0
"""A turn asks again within a second. What is older is dropped; it is looked for as often, so that nothing lives twice as long."""


class _Kept(NamedTuple):
    value: Any
    weight: int
    ends: float


class Recent:
    """Remembers values by their key, of at most `most` weight together, for `seconds`, the oldest out first. Threads may share it."""

    def __init__(self, most: int = CHARACTERS, seconds: float = SECONDS) -> None:
        self._most, self._seconds = most, seconds
        self._kept: dict[Hashable, _Kept] = {}
        self._weight = 0
        self._forgotten = 0
        self._sweeping = False
        self._lock = threading.Lock()

    def __call__(self, fn: Callable[P, R]) -> Callable[P, R]:
        """Decorates a function of hashable arguments, whose texts' characters are what a result weighs."""

        @wraps(fn)
        def remembering(*args: P.args, **kwargs: P.kwargs) -> R:
            key, since = (fn, args, *kwargs.items()), self.forgotten
            if (kept := self.get(key)) is not None:
                return kept[0]  # type: ignore[no-any-return]
            value = fn(*args, **kwargs)
            self.keep(key, (value,), ENTRY + sum(len(arg) for arg in args if isinstance(arg, str)), since)
            return value

        return remembering

    @property
    def weight(self) -> int:
        """Of what is held now."""
        return self._weight

    @property
    def forgotten(self) -> int:
        """How often everything was."""
        return self._forgotten

    def get(self, key: Hashable) -> Any | None:
        """The value, None when it is not known any more."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.ends <= time.monotonic():
                return None
            return kept.value

    def keep(self, key: Hashable, value: Any, weight: int, since: int) -> None:
        """Nothing is kept that weighs more than all may, or that was being worked out while everything was forgotten (`forgotten` before it)."""
        with self._lock:
            if since != self._forgotten or weight > self._most:
                return
            self._drop(key)
            self._kept[key] = _Kept(value, weight, time.monotonic() + self._seconds)
            self._weight += weight
            while self._weight > self._most:
                self._drop(next(iter(self._kept)))
            if not self._sweeping:
                self._sweeping = True
                threading.Thread(target=self._sweep, name="recent", daemon=True).start()

    def forget_all(self) -> None:
        """Nothing is remembered, and what is being worked out now will not be."""
        with self._lock:
            self._kept.clear()
            self._weight, self._forgotten = 0, self._forgotten + 1

    def _drop(self, key: Hashable) -> None:
        if kept := self._kept.pop(key, None):
            self._weight -= kept.weight

    def _sweep(self) -> None:
        # A thread, so that words do not stay because nobody says anything after them; it ends with the last of them.
        while True:
            time.sleep(self._seconds)
            with self._lock:
                now = time.monotonic()
                for key in [key for key, kept in self._kept.items() if kept.ends <= now]:
                    self._drop(key)
                if not self._kept:
                    self._sweeping = False
                    return


recent: Final = Recent()
"""The process's one for what is worked out of texts."""


def forget_all() -> None:
    """After a deletion: what this process still knows of anybody's words, beside the turns under way, is gone. The other processes'
    goes within twice SECONDS."""
    recent.forget_all()
