"""A part that is away is not asked: nobody waits for it twice, and it is taken up again by itself.

A circuit opens when an operation runs out of time, or when several in a row find the part unavailable; then whoever holds it fails at once,
and a ping in the background closes it when the part answers again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from lira_core.observe import Observer

log = logging.getLogger("lira")

FAILURES: Final = 3
"""So many operations in a row open the circuit: one alone may be a connection that was idle too long."""


class Circuit:
    """Whether one part answers: `ok` or `down`, which is what /readyz says of a store.

    While it is open `ping` is tried at once, then every `every_s` seconds, twice as long after each try up to `most_s` where that is given,
    and given up after `within_s`. Whatever a ping raises means that the part is not there yet.
    """

    def __init__(
        self,
        name: str,
        ping: Callable[[], Awaitable[None]],
        observer: Observer,
        *,
        every_s: float,
        within_s: float,
        most_s: float | None = None,
        failures: int = FAILURES,
    ) -> None:
        self.name, self._ping, self._observer = name, ping, observer
        self._every_s, self._within_s, self._most_s, self._limit = every_s, within_s, most_s or every_s, failures
        self.state = "ok"
        self._failures = 0
        self._probe: asyncio.Task[None] | None = None

    @property
    def open(self) -> bool:
        return self._probe is not None

    def succeeded(self) -> None:
        self._failures = 0

    def failed(self, error: Exception, *, late: bool = False) -> None:
        """One operation found the part unavailable; `late`: it ran out of time."""
        self._failures += 1
        if self._probe is None and (late or self._failures >= self._limit):
            self.state = "down"
            self._observer.count("lira_circuit_open_total", store=self.name)
            self._tell(1)
            log.warning("%s is not asked until it answers again: %s", self.name, error)
            self._probe = asyncio.create_task(self._until_it_answers())

    async def ping(self) -> str:
        """The state after asking now."""
        if self._probe is None:
            try:
                async with asyncio.timeout(self._within_s):
                    await self._ping()
            except TimeoutError:
                self.failed(TimeoutError(f"no answer to a ping within {self._within_s:g} s"), late=True)
            except Exception as error:  # noqa: BLE001 whatever it is, the part is not there
                self.failed(error, late=True)
        return self.state

    async def close(self) -> None:
        if self._probe is not None:
            self._probe.cancel()
            with suppress(asyncio.CancelledError):
                await self._probe

    async def _until_it_answers(self) -> None:
        wait = self._every_s
        while True:
            try:
                async with asyncio.timeout(self._within_s):
                    await self._ping()
                break
            except Exception:  # noqa: BLE001 whatever it is, the part is not there yet
                self._tell(1)  # again, since whoever collects it forgets a level that nobody repeats
                await asyncio.sleep(wait)
                wait = min(2 * wait, self._most_s)
        self.state, self._failures, self._probe = "ok", 0, None
        self._tell(0)
        log.warning("%s answers again", self.name)

    def _tell(self, level: int) -> None:
        self._observer.gauge("lira_circuit_state", level, store=self.name)
