"""Memories get their vectors: right after they were written, and later where that failed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.port import Embedder
from lira_core.memory.following import whole
from lira_core.stages import AWAY
from lira_core.stores import StoreRejected, Stores
from lira_core.stores.ports import Entry, IndexItem, Unindexed

log = logging.getLogger("lira")

# What is said within this time is indexed together, and not while its own turn still needs the encoder. A person takes longer to go on.
GATHER_SECONDS = 0.1
HOLD_SECONDS = 5.0
"""How long whoever commits a memory has to index it before anybody else may: its process may die, and recall is to be whole within ten
seconds. Who is later than that leaves it to the others."""
CLAIM_SECONDS = 15.0
"""How long whoever claims memories has: a hundred short ones take two cores some three seconds."""
ATTEMPTS = 5
"""Then a memory that cannot be indexed is given up on, and shown to a person."""
BACKOFF_SECONDS = 2.0
"""Doubled with every attempt."""
HARMLESS = "안녕"
"""A text that any encoder can embed."""


class Indexer:
    """Embeds memories and writes their vectors, `batch` at a time, two batches on the way: while one is embedded the other is written."""

    def __init__(self, stores: Stores, embedder: Embedder, *, batch: int) -> None:
        self._stores, self._embedder, self._batch = stores, embedder, batch
        self._soon = asyncio.Queue[tuple[float, Entry[Unindexed]]]()
        self._held: list[Entry[Unindexed]] = []
        self._made: dict[str, NDArray[np.float32]] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to index what `soon` is given, from the running event loop."""
        self._task = asyncio.create_task(self._index_what_comes())

    async def stop(self) -> None:
        """Ends at once; what is held here is given back to the record for others to index."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        left = self._held + [self._soon.get_nowait()[1] for _ in range(self._soon.qsize())]
        self._held = []
        with contextlib.suppress(*AWAY, StoreRejected):
            for entry in left:
                await self._stores.record.unindexed.retry(entry.user_id, [entry.id], "LIRA ended", after=0.0, blame=False)

    def soon(self, item: Unindexed, vector: NDArray[np.float32] | None = None) -> None:
        """Indexes a memory that was just committed (held for HOLD_SECONDS) without anybody waiting for it; with its `vector`, if that is made."""
        if vector is not None:
            self._made[item.memory.id] = vector
        self._soon.put_nowait((time.monotonic() + HOLD_SECONDS, Entry(item.memory.user_id, item.memory.id, item, 1)))

    async def index(self, entries: Sequence[Entry[Unindexed]]) -> int:
        """Indexes entries that are the caller's (claimed or held); how many. What fails waits in the record."""
        batches = [entries[start : start + self._batch] for start in range(0, len(entries), self._batch)]
        slots = asyncio.Semaphore(2)

        async def one(batch: Sequence[Entry[Unindexed]]) -> int:
            async with slots:
                return await self._index_batch(batch)

        return sum(await asyncio.gather(*(one(batch) for batch in batches)))

    async def claimed(self, limit: int) -> int:
        """Claims what waits in the record and indexes it; how many were claimed."""
        entries = await self._stores.record.unindexed.claim(limit, CLAIM_SECONDS)
        await self.index(entries)
        return len(entries)

    async def _index_batch(self, batch: Sequence[Entry[Unindexed]]) -> int:
        try:
            await self._add(batch)
            return len(batch)
        except AWAY as error:
            log.warning("%d memories wait to be indexed: %s", len(batch), error)
            await self._give_back(batch, error, blame=False)
        except Exception as error:
            if len(batch) > 1:  # one of them spoils it for the others
                return sum([await self._index_batch([entry]) for entry in batch])
            log.exception("memory %s could not be indexed", batch[0].id)
            await self._give_back(batch, error, blame=await self._encoder_works())
        return 0

    async def _encoder_works(self) -> bool:
        """Whether it is the memory's fault, and not the encoder's."""
        try:
            await self._embedder.embed([("passage", HARMLESS)])
        except Exception:  # noqa: BLE001 whatever it is, the encoder does not work
            return False
        return True

    async def _add(self, batch: Sequence[Entry[Unindexed]]) -> None:
        vectors = {entry.id: self._made.pop(entry.id) for entry in batch if entry.id in self._made}
        if missing := [entry.payload.memory for entry in batch if entry.id not in vectors]:
            made = await self._embedder.embed([("passage", whole(memory)) for memory in missing])
            vectors |= {memory.id: vector for memory, vector in zip(missing, made, strict=True)}
        by_user: dict[str, list[IndexItem]] = {}
        for entry in batch:
            by_user.setdefault(entry.user_id, []).append(IndexItem(entry.payload.memory, entry.payload.received, vectors[entry.id]))
        for user_id, items in by_user.items():
            ids = [item.memory.id for item in items]
            await self._stores.vectors.add(user_id, items)
            # A memory that was deleted meanwhile must not leave its vector behind.
            alive = {memory.id for memory in await self._stores.record.get(user_id, ids)}
            if gone := [memory_id for memory_id in ids if memory_id not in alive]:
                await self._stores.vectors.delete(user_id, gone)
            await self._stores.record.unindexed.done(user_id, ids)

    async def _give_back(self, batch: Sequence[Entry[Unindexed]], error: Exception, *, blame: bool) -> None:
        reason = f"{type(error).__name__}: {error}"[:500]
        # A record that is away keeps the claim until it runs out by itself.
        with contextlib.suppress(*AWAY):
            for entry in batch:
                if blame and entry.attempts >= ATTEMPTS:
                    await self._stores.record.unindexed.bury(entry.user_id, [entry.id], reason)
                else:
                    after = BACKOFF_SECONDS * 2**entry.attempts if blame else BACKOFF_SECONDS
                    await self._stores.record.unindexed.retry(entry.user_id, [entry.id], reason, after=after, blame=blame)

    async def _index_what_comes(self) -> None:
        while True:
            came = [await self._soon.get()]
            self._held = [came[0][1]]
            await asyncio.sleep(GATHER_SECONDS)
            came += [self._soon.get_nowait() for _ in range(min(self._soon.qsize(), 2 * self._batch))]
            now = time.monotonic()
            self._held = [entry for ends, entry in came if ends > now]
            try:
                await self.index(self._held)
            except Exception:
                log.exception("%d memories wait to be indexed", len(self._held))
            self._held = []
            for _, entry in came:  # what was too late, or failed, is embedded by whoever claims it
                self._made.pop(entry.id, None)
