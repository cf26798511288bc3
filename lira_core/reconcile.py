"""What could not be written when it was said is written here: deferred turns into the record, memories into the index."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence

from lira_core.embedding.port import Embedder
from lira_core.stores import Stores
from lira_core.stores.ports import Vector
from lira_core.types import Memory

log = logging.getLogger("lira")
# Memories per embedding call and writes per round: eight short texts take the encoder some 30 ms, for which a turn's own embedding may wait.
BATCH = 8

# What is said within this time is indexed together, and not while its own turn still needs the encoder. A person takes longer to go on.
GATHER_SECONDS = 0.1


class Reconciler:
    """Runs beside the turns, every `every` seconds. Several replicas may run one each: all it does is idempotent."""

    def __init__(self, stores: Stores, embedder: Embedder, *, every: float) -> None:
        self._stores, self._embedder, self._every = stores, embedder, every
        self._soon = asyncio.Queue[Memory]()
        self._under_way: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begins to look, from the running event loop."""
        self._tasks = [asyncio.create_task(self._run()), asyncio.create_task(self._index_what_comes())]

    async def stop(self) -> None:
        """Ends at once; what waits is unindexed in the record, and found there by the next start."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def index_soon(self, memory: Memory) -> None:
        """Indexes a memory that was just written, without anybody waiting for it."""
        self._under_way.add(memory.id)
        self._soon.put_nowait(memory)

    async def index(self, memories: Sequence[Memory]) -> int:
        """Embeds memories and writes their vectors; how many were indexed. What fails stays marked unindexed."""
        batches = [memories[start : start + BATCH] for start in range(0, len(memories), BATCH)]
        # Two at a time: while one is embedded, the other's vectors are written.
        slots = asyncio.Semaphore(2)

        async def one(batch: Sequence[Memory]) -> int:
            async with slots:
                return await self._index_batch(batch)

        ids = {memory.id for memory in memories}
        self._under_way |= ids
        try:
            return sum(await asyncio.gather(*(one(batch) for batch in batches)))
        finally:
            self._under_way -= ids

    async def _index_batch(self, batch: Sequence[Memory]) -> int:
        try:
            vectors = await self._embedder.embed([("passage", memory.text) for memory in batch])
            by_user: dict[str, list[int]] = {}
            for i, memory in enumerate(batch):
                by_user.setdefault(memory.user_id, []).append(i)
            for user_id, rows in by_user.items():
                await self._add(user_id, [(batch[i].id, vectors[i]) for i in rows])
        except Exception as error:  # noqa: BLE001 whatever it is, the next round tries again
            log.warning("%d memories wait to be indexed: %s: %s", len(batch), type(error).__name__, error)
            return 0
        return len(batch)

    async def _add(self, user_id: str, items: Sequence[tuple[str, Vector]]) -> None:
        ids = [memory_id for memory_id, _ in items]
        await self._stores.vectors.add(user_id, items)
        # A memory that was deleted meanwhile must not leave its vector behind.
        alive = {memory.id for memory in await self._stores.memories.get(user_id, ids)}
        if gone := [memory_id for memory_id in ids if memory_id not in alive]:
            await self._stores.vectors.delete(user_id, gone)
        await self._stores.memories.mark_indexed(user_id, sorted(alive))

    async def settle(self) -> int:
        """Writes deferred turns into the record, oldest first; how many."""
        waiting = await self._stores.short_term.deferred(BATCH)
        for write in waiting:
            await self._stores.memories.write(write.event.user_id, write.event, write.memory)
            await self._stores.short_term.settle([write.event.id])
        return len(waiting)

    async def _index_what_comes(self) -> None:
        while True:
            batch = [await self._soon.get()]
            await asyncio.sleep(GATHER_SECONDS)
            while len(batch) < BATCH and not self._soon.empty():
                batch.append(self._soon.get_nowait())
            await self.index(batch)

    async def _left_over(self) -> list[Memory]:
        """Unindexed memories that nobody here is indexing; another replica may be, which costs time and does no harm."""
        found = await self._stores.memories.unindexed(BATCH + len(self._under_way))
        return [memory for memory in found if memory.id not in self._under_way][:BATCH]

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._every)
            try:
                while await self.settle():
                    pass
                while (waiting := await self._left_over()) and await self.index(waiting):
                    pass
            except Exception as error:  # noqa: BLE001 a store that is down is why this exists
                log.warning("reconciling waits: %s: %s", type(error).__name__, error)
