"""Facts by a model are found beside the turns. What waits is in the record: a process that dies loses none of it, and nobody waits."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import Final

from lira_core.memory.derivation import MISREAD, READ, WAITING
from lira_core.memory.understander import Misread, Understander, UnderstanderAway, believed, joined
from lira_core.observe import Observer
from lira_core.stores.ports import Record
from lira_core.types import Memory

log = logging.getLogger("lira")

BACKOFF_S: Final = 2.0
BACKOFF_MOST_S: Final = 60.0
"""A model that is away is asked again after 2 s, 4 s, ... 60 s: facts that are a minute late are no loss, since the rules' are there."""


class Extractor:
    """Asks about `ongoing` utterances at once. A memory whose number is WAITING is to be read; what is found takes its place in one step of the
    record, which passes over what was deleted meanwhile."""

    def __init__(self, record: Record, understander: Understander, observer: Observer, *, ongoing: int) -> None:
        self._record, self._understander, self._observer, self.ongoing = record, understander, observer, ongoing
        self._cursor: str | None = None
        self._pause, self._not_before = BACKOFF_S, 0.0

    async def some(self) -> int:
        """Reads some of what waits; how many were read. 0 while the model is away."""
        if time.monotonic() < self._not_before:
            return 0
        waiting, self._cursor = await self._record.outdated(MISREAD, self.ongoing, self._cursor, since=WAITING)
        read = [memory for memory in await asyncio.gather(*map(self._patiently, waiting)) if memory is not None]
        for memory in read:
            await self._record.rederive(memory.user_id, [memory])
        if len(read) == len(waiting):
            self._pause = BACKOFF_S
        else:
            self._not_before = time.monotonic() + self._pause
            self._pause = min(2 * self._pause, BACKOFF_MOST_S)
        return len(read)

    async def read(self, memory: Memory) -> Memory:
        """With what the model finds, too; unchanged but for its number when the answer is of no use. UnderstanderAway."""
        try:
            stated = await self._understander.read(memory.text)
        except Misread as error:
            log.warning("memory %s of %s keeps the rules' facts: %s", memory.id, memory.user_id, error)
            self._observer.count("lira_extractions_total", outcome="misread")
            return replace(memory, derived=MISREAD)
        found = await asyncio.to_thread(believed, memory.text, memory.timestamp, stated)
        self._observer.count("lira_extractions_total", outcome="read")
        if refused := sum(one.status != "supposed" for one in stated) - len(found):
            self._observer.count("lira_extractions_refused_total", refused)
        return replace(memory, facts=joined(memory.facts, found), derived=READ)

    async def close(self) -> None:
        """Ends what the model's client holds."""
        await self._understander.aclose()

    async def _patiently(self, memory: Memory) -> Memory | None:
        """None while the model is away."""
        try:
            return await self.read(memory)
        except UnderstanderAway as error:
            log.info("facts wait for their model: %s", error)
            self._observer.count("lira_extractions_total", outcome="away")
            return None
        except Exception:
            log.exception("memory %s of %s keeps the rules' facts", memory.id, memory.user_id)
            return replace(memory, derived=MISREAD)
