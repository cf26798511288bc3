"""Stores that say how long each operation took."""

from __future__ import annotations

import functools
import inspect
import time
from typing import Any, TypeVar, cast

from lira_core.observe import Observer
from lira_core.stores import Stores

S = TypeVar("S")


def observed(stores: Stores, observer: Observer) -> Stores:
    """The same stores; every operation is reported as `lira_store_seconds{store,op}`, also one that fails."""
    return Stores(
        _observed(stores.short_term, "short_term", observer),
        _observed(stores.memories, "record", observer),
        _observed(stores.vectors, "vectors", observer),
    )


def _observed(store: S, role: str, observer: Observer) -> S:
    return cast(S, _Observed(store, role, observer))


class _Observed:
    """Stands before a store; what is no coroutine function passes through."""

    def __init__(self, store: object, role: str, observer: Observer) -> None:
        self._store, self._role, self._observer = store, role, observer

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if not inspect.iscoroutinefunction(method):
            return method

        @functools.wraps(method)
        async def timed(*args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            try:
                return await method(*args, **kwargs)
            finally:
                self._observer.observe("lira_store_seconds", time.perf_counter() - began, store=self._role, op=name)

        setattr(self, name, timed)  # once per operation, not once per call
        return timed
