"""Stores that never keep anybody waiting twice: every operation is timed and bounded, and a store that is away is not asked.

A circuit per server. It opens when an operation runs out of time, or when FAILURES in a row find the store unavailable; then every
operation fails at once, and a ping in the background closes the circuit when the store answers again.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

from lira_core.observe import Observer
from lira_core.stores import Stores
from lira_core.stores.ports import StoreError, StoreUnavailable

log = logging.getLogger("lira.stores")
S = TypeVar("S")

FAILURES: Final = 3
"""So many operations in a row open the circuit: one alone may be a connection that was idle too long."""
PING_EVERY_S: Final = 0.5
"""How often an open circuit looks whether the store is back: recall is whole again well within the ten seconds that are promised."""
PING_WITHIN_S: Final = 1.0
UNBOUNDED: Final = frozenset({"erase", "delete_user", "clear", "requeue", "close", "ping"})
"""Operations whose time depends on how much there is; whoever asks bounds them."""


class Circuit:
    """Whether one store answers. `state` is what /readyz says of it."""

    def __init__(self, name: str, ping: Callable[[], Awaitable[None]], observer: Observer) -> None:
        self.name, self._ping, self._observer = name, ping, observer
        self.state = "ok"
        self._failures = 0
        self._probe: asyncio.Task[None] | None = None

    @property
    def open(self) -> bool:
        return self._probe is not None

    def succeeded(self) -> None:
        self._failures = 0

    def failed(self, error: StoreError, *, late: bool = False) -> None:
        """One operation found the store unavailable; `late`: it ran out of time."""
        self._failures += 1
        if self._probe is None and (late or self._failures >= FAILURES):
            self.state = "down"
            self._observer.count("lira_circuit_open_total", store=self.name)
            log.warning("%s is not asked until it answers again: %s", self.name, error)
            self._probe = asyncio.create_task(self._until_it_answers())

    async def ping(self) -> str:
        """The state after asking now."""
        if self._probe is None:
            try:
                async with asyncio.timeout(PING_WITHIN_S):
                    await self._ping()
            except (StoreError, TimeoutError) as error:
                self.failed(error if isinstance(error, StoreError) else StoreUnavailable("no answer to a ping"), late=True)
        return self.state

    async def close(self) -> None:
        if self._probe is not None:
            self._probe.cancel()
            with suppress(asyncio.CancelledError):
                await self._probe

    async def _until_it_answers(self) -> None:
        while True:
            try:
                async with asyncio.timeout(PING_WITHIN_S):
                    await self._ping()
                break
            except Exception:  # noqa: BLE001 whatever it is, the store is not there yet
                await asyncio.sleep(PING_EVERY_S)
        self.state, self._failures, self._probe = "ok", 0, None
        log.warning("%s answers again", self.name)


def guarded(stores: Stores, observer: Observer, *, deadline_s: float) -> tuple[Stores, dict[str, Circuit]]:
    """The same stores behind a circuit each (by role: `short_term`, `record`, `vectors`); what shares a server shares its circuit.

    Every operation is reported as `lira_store_seconds{store,op}`, also one that fails, and none takes longer than `deadline_s`.
    """
    circuits = {
        "short_term": Circuit("short_term", stores.short_term.ping, observer),
        "record": Circuit("record", stores.record.ping, observer),
        "vectors": Circuit("vectors", stores.vectors.ping, observer),
    }

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
