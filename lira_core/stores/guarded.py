"""Stores that never keep anybody waiting twice: every operation is timed and bounded, and a store that is away is not asked.

A circuit per role (`lira_core.circuit`), also where roles share a server: while it is open every operation fails at once.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

from lira_core.circuit import Circuit
from lira_core.observe import Observer
from lira_core.stores import Stores
from lira_core.stores.ports import StoreError, StoreUnavailable

S = TypeVar("S")

PING_EVERY_S: Final = 0.5
"""How often an open circuit looks whether the store is back: recall is whole again well within the ten seconds that are promised."""
PING_WITHIN_S: Final = 1.0
UNBOUNDED: Final = frozenset({"erase", "delete_user", "clear", "requeue", "close", "ping"})
"""Operations whose time depends on how much there is; whoever asks bounds them."""


def guarded(stores: Stores, observer: Observer, *, deadline_s: float) -> tuple[Stores, dict[str, Circuit]]:
    """The same stores behind a circuit each, by role: `short_term` (what is deferred waits there too), `record` and `vectors`.

    Every operation is reported as `lira_store_seconds{store,op}`, also one that fails, and none takes longer than `deadline_s`.
    """
    pings = {"short_term": stores.short_term.ping, "record": stores.record.ping, "vectors": stores.vectors.ping}
    circuits = {name: Circuit(name, ping, observer, every_s=PING_EVERY_S, within_s=PING_WITHIN_S) for name, ping in pings.items()}

    def behind(store: S, role: str) -> S:
        return cast(S, _Guarded(store, circuits[role], observer, deadline_s))

    record, vectors = behind(stores.record, "record"), behind(stores.vectors, "vectors")
    return replace(
        stores,
        short_term=behind(stores.short_term, "short_term"),
        deferred=behind(stores.deferred, "short_term"),
        record=record,
        vectors=vectors,
        lexical=record if stores.lexical is stores.record else behind(stores.lexical, "vectors"),
    ), circuits


class _Guarded:
    """Stands before a store and its outboxes; what is neither coroutine function nor outbox passes through."""

    def __init__(self, store: object, circuit: Circuit, observer: Observer, deadline_s: float) -> None:
        self._store, self._circuit, self._observer, self._deadline_s = store, circuit, observer, deadline_s

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if hasattr(found, "claim"):
            outbox = _Guarded(found, self._circuit, self._observer, self._deadline_s)
            setattr(self, name, outbox)
            return outbox
        if not inspect.iscoroutinefunction(found):
            return found

        @functools.wraps(found)
        async def asked(*args: Any, **kwargs: Any) -> Any:
            if self._circuit.open and name not in ("close", "ping"):
                raise StoreUnavailable(f"{self._circuit.name} does not answer; it is asked again as soon as it does")
            began, bound = time.perf_counter(), None if name in UNBOUNDED else self._deadline_s
            try:
                async with asyncio.timeout(bound) as clock:
                    value = await found(*args, **kwargs)
                self._circuit.succeeded()
                return value
            except TimeoutError as error:
                if not clock.expired():
                    raise
                late = StoreUnavailable(f"{self._circuit.name}: {name} took longer than {self._deadline_s:g} s")
                self._circuit.failed(late, late=True)
                raise late from error
            except StoreUnavailable as error:
                self._circuit.failed(error)
                raise
            except StoreError:  # a refusal is an answer
                self._circuit.succeeded()
                raise
            finally:
                self._observer.observe("lira_store_seconds", time.perf_counter() - began, store=self._circuit.name, op=name)

        setattr(self, name, asked)  # once per operation, not once per call
        return asked
