"""What could not be done when it was asked for is done here: deferred writes, unfinished deletions, missing vectors."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from lira_core.extracting import Extractor
from lira_core.indexing import HOLD_SECONDS, Indexer
from lira_core.languages.terms import terms
from lira_core.ledger import Ledger
from lira_core.observe import Observer
from lira_core.stages import AWAY
from lira_core.stores import Forgotten, StoreRejected, Stores, StoreUnavailable
from lira_core.stores.ports import Entry, Erasure, Outbox, Unindexed, Write
from lira_core.summarising import Summariser

log = logging.getLogger("lira")

LEASE = "reconciler"
LEASE_SECONDS = 15.0
"""A reconciler that says nothing for so long is taken for dead. It renews with every round, and a round that takes longer than this does
no harm: everything it does is claimed piece by piece."""
BATCH = 64
"""Entries claimed at once: enough to keep a store busy, few enough to be done well within their claim."""
CLAIM_SECONDS = 30.0
USERS_AT_ONCE = 8
"""One user's document may be locked (by a process that died in a transaction, until the server ends it): the others do not wait for it."""
ATTEMPTS = 5
"""Then an entry that fails by itself (not because a store is away) is given up on."""
BACKOFF_SECONDS = 2.0
"""Doubled with every attempt."""


Once = Callable[[Entry[Any]], Awaitable[float | None]]
"""What is done with an entry: None when it is done with, or in how many seconds it is to come again."""


class Reconciler:
    """Runs beside the turns of every process, works in one of them: whoever holds the lease in the record.

    The kinds of work go on side by side, and none waits for another's failure.
    """

    def __init__(
        self,
        stores: Stores,
        ledger: Ledger,
        indexer: Indexer,
        summariser: Summariser,
        observer: Observer,
        *,
        every: float,
        extractor: Extractor | None = None,
    ) -> None:
        self._stores, self._ledger, self._indexer, self._summariser, self._extractor = stores, ledger, indexer, summariser, extractor
        self._observer, self._every = observer, every
        self._holder = uuid.uuid4().hex
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begins to look, from the running event loop."""
        work: list[Callable[[], Awaitable[int]]] = [self.settle, self.finish_deletions, self.index, self.summarise, self._measure]
        if self._extractor is not None:
            work.append(self._extractor.some)
        self._tasks = [asyncio.create_task(self._again_and_again(one)) for one in work]

    async def stop(self) -> None:
        """Ends at once; what is unfinished waits in the stores."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        with contextlib.suppress(*AWAY, StoreRejected):
            await self._stores.record.lease(LEASE, self._holder, 0)
        if self._extractor is not None:
            await self._extractor.close()

    @property
    def alive(self) -> bool:
        return all(not task.done() for task in self._tasks)

    async def settle(self) -> int:
        """Carries deferred writes and deletions out in the record; how many were tried."""
        return await self._work(self._stores.deferred, self._settle_one)

    async def finish_deletions(self) -> int:
        """Goes over recent deletions once more; how many."""
        return await self._work(self._stores.record.erasures, self._finish_one)

    async def index(self) -> int:
        """Makes vectors that are missing; how many were tried."""
        return await self._indexer.claimed(BATCH * 2)

    async def summarise(self) -> int:
        """Sums up sessions in which something was said; how many were looked at."""
        return await self._work(self._stores.record.unsummarised, self._summarise_one)

    async def _summarise_one(self, entry: Entry[str]) -> float | None:
        return await self._summariser.look(entry.user_id, entry.payload)

    async def _settle_one(self, entry: Entry[Write | Erasure]) -> None:
        if isinstance(entry.payload, Erasure):
            await self._ledger.carry_out(entry.payload)
            return
        with contextlib.suppress(Forgotten):
            await self._stores.record.commit(await _findable(entry.payload), HOLD_SECONDS)
            for memory in entry.payload.memories:
                self._indexer.soon(Unindexed(memory, entry.payload.received))
            if (event := entry.payload.event) is not None and event.role == "user":
                await self._summariser.said(entry.user_id, event.session_id, entry.payload.received)

    async def _finish_one(self, entry: Entry[Erasure]) -> None:
        erasure = entry.payload
        await self._stores.record.erase(erasure)
        await self._ledger.finish(erasure)
        if erasure.memory_id is None:
            # An index that drops a whole user at once may have dropped a vector that came in between.
            await self._stores.record.requeue(erasure.user_id)

    async def _work(self, outbox: Outbox[Any], one: Once) -> int:
        entries = await outbox.claim(BATCH, CLAIM_SECONDS)
        by_user: dict[str, list[Entry[Any]]] = {}
        for entry in entries:
            by_user.setdefault(entry.user_id, []).append(entry)
        slots = asyncio.Semaphore(USERS_AT_ONCE)

        async def of_one_user(mine: list[Entry[Any]]) -> None:
            async with slots:
                await self._work_for_one_user(outbox, mine, one)

        await asyncio.gather(*map(of_one_user, by_user.values()))
        return len(entries)

    async def _work_for_one_user(self, outbox: Outbox[Any], entries: list[Entry[Any]], one: Once) -> None:
        """One after the other; what a store that is away leaves undone is given back at once, and nobody else waits for it."""
        for place, entry in enumerate(entries):
            try:
                later = await one(entry)
                if later is None:
                    await outbox.done(entry.user_id, [entry.id])
                else:
                    await outbox.retry(entry.user_id, [entry.id], "", after=later, blame=False)
            except AWAY as error:
                for left in entries[place:]:
                    await self._give_back(outbox, left, error, blame=False)
                return
            except Exception as error:
                log.exception("%s of a user could not be settled, attempt %d", entry.id, entry.attempts)
                await self._give_back(outbox, entry, error, blame=True)

    async def _give_back(self, outbox: Outbox[Any], entry: Entry[Any], error: Exception, *, blame: bool) -> None:
        reason = f"{type(error).__name__}: {error}"[:500]
        with contextlib.suppress(*AWAY):
            if blame and (entry.attempts >= ATTEMPTS or isinstance(error, StoreRejected)):
                await outbox.bury(entry.user_id, [entry.id], reason)
            else:
                after = BACKOFF_SECONDS * (2**entry.attempts if blame else 1)
                await outbox.retry(entry.user_id, [entry.id], reason, after=after, blame=blame)

    async def _measure(self) -> int:
        """Tells how much waits and how much was given up on."""
        for name, outbox in outboxes(self._stores).items():
            backlog = await outbox.backlog()
            self._observer.gauge("lira_outbox_waiting", backlog.waiting, outbox=name)
            self._observer.gauge("lira_dead_letters_total", backlog.dead, outbox=name)
        return 0

    async def _again_and_again(self, work: Callable[[], Awaitable[int]]) -> None:
        while True:
            await asyncio.sleep(self._every)
            try:
                while await self._stores.record.lease(LEASE, self._holder, LEASE_SECONDS) and await work():
                    pass
            except StoreUnavailable as error:
                log.info("reconciling waits: %s", error)
            except Exception:
                log.exception("a round of reconciling failed; the next one tries again")


async def _findable(write: Write) -> Write:
    """With the terms of its event, which a LIRA of before schema 3 did not write."""
    if write.event is None or write.event.terms:
        return write
    found = tuple(await asyncio.to_thread(terms, write.event.text))
    return replace(write, event=replace(write.event, terms=found))


def outboxes(stores: Stores) -> dict[str, Outbox[Any]]:
    """What waits, by the name that metrics and `lira doctor` give it."""
    return {
        "deferred": stores.deferred,
        "erasures": stores.record.erasures,
        "unindexed": stores.record.unindexed,
        "summaries": stores.record.unsummarised,
    }
