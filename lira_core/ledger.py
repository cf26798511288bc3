"""What is kept, and what is forgotten, in all stores together: the order of the steps, and what happens when one of them is missing.

- A write goes to the record; while the record is away it waits in the outbox beside the session.
- A deletion begins in the record, whose atomic step forbids every later write of what it deletes and notes what is still to be done; then
  each other store follows. Whatever stops it on the way, the reconciler finishes it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

from lira_core.indexing import HOLD_SECONDS
from lira_core.memory.derivation import WAITING
from lira_core.memory.following import BACK, leaned_on
from lira_core.requests import stamp
from lira_core.stores import Forgotten, Stores, StoreUnavailable, Unfinished
from lira_core.stores.ports import Erasure, Write

log = logging.getLogger("lira")
Outcome = Literal["stored", "queued", "forgotten"]

REACH = 2 * BACK + 1
"""Events after an utterance among which stands whatever leaves something to it: its reply, and so many turns."""


class Ledger:
    """`skew_s` is by how much hosts' clocks may differ: a deletion takes and waits that much more (a commit wait, as in Spanner).
    `extracts`: a model finds facts, too, so that whatever is kept waits to be read by it."""

    def __init__(self, stores: Stores, *, skew_s: float = 0.0, extracts: bool = False) -> None:
        self._stores, self._skew_s, self._extracts = stores, skew_s, extracts

    async def keep(self, write: Write) -> Outcome:
        """Durable in the record (`stored`; its memories are held for whoever indexes them), or, while the record is away, waiting for it (`queued`).

        Whether a write that was queued had arrived in the record before it was given up on does not matter: it is idempotent, and a
        deletion forbids it wherever it is. `forgotten`: a deletion forbids it already, nothing was written. StoreUnavailable when it can be
        kept nowhere.
        """
        write = self._noted(write)
        try:
            await self._stores.record.commit(write, HOLD_SECONDS)
        except Forgotten:
            return "forgotten"
        except StoreUnavailable as error:
            log.warning("a write waits for the record: %s", error)
            return await self._defer(write)
        return "stored"

    async def add(self, write: Write, held_s: float) -> None:
        """Durable in the record when this returns, its memories held for whoever indexes them. StoreUnavailable when it could not be."""
        await self._stores.record.commit(self._noted(write), held_s)

    def _noted(self, write: Write) -> Write:
        if not self._extracts:
            return write
        # What the rules could not read in its time is for `lira reindex --facts`, which has both read it.
        return replace(write, memories=tuple(replace(memory, derived=WAITING) if memory.derived else memory for memory in write.memories))

    async def _defer(self, write: Write) -> Outcome:
        try:
            await self._stores.deferred.put(write)
        except Forgotten:
            return "forgotten"
        return "queued"

    async def delete_memory(self, user_id: str, memory_id: str) -> bool:
        """True when it was this user's, now or before. Unfinished when it could not be finished now and will be; StoreUnavailable when not even
        that could be noted.

        What was said after it and leaves something to it says its words again, and goes first: what is left where this stops half-way is found by
        the memory when it is asked for again.
        """
        waiting = False
        unfinished: StoreUnavailable | None = None
        with suppress(StoreUnavailable):  # the deletion waits for the record then, and does this when it is carried out
            await self._delete_leaning(user_id, memory_id)
        try:
            waiting = await self._stores.deferred.forget(user_id, memory_id)
        except StoreUnavailable as error:
            unfinished = error
        erasure = Erasure(user_id, memory_id, self._cut())
        if not await self._begin(erasure, waiting):
            if unfinished is not None:
                raise unfinished  # it may wait in the store that is away
            return False
        await self.finish(erasure)
        await self._delete_leaning(user_id, memory_id)
        return True

    async def _delete_leaning(self, user_id: str, memory_id: str) -> None:
        """Those of its session, and, for one that was on its way while the memory was deleted, of the newest."""
        scenes = await self._stores.record.scenes(user_id, [memory_id], REACH)
        after = [event.id for scene in scenes for event in scene.around if event.role == "user"]
        newest = [hit.id for hit in await self._stores.record.newest(user_id, REACH)]
        unfinished: Unfinished | None = None
        for one in await self._stores.record.get(user_id, [*after, *newest]):
            if memory_id in leaned_on([one]):
                try:
                    await self.delete_memory(user_id, one.id)
                except Unfinished as error:  # the next one is to be noted too
                    unfinished = error
        if unfinished is not None:
            raise unfinished

    async def delete_user(self, user_id: str) -> None:
        """Everything of a user that was received before this returns. Unfinished and StoreUnavailable as for a memory."""
        erasure = Erasure(user_id, None, self._cut())
        await self._begin(erasure)
        await self.finish(erasure)
        # Once more, for what came in while the first round ran: now there is little to delete, and the cut is as late as it can be.
        last = Erasure(user_id, None, self._cut())
        await self._begin(last)
        await self.finish(last)
        if self._skew_s:
            await asyncio.sleep(2 * self._skew_s)

    async def delete_session(self, user_id: str, session_id: str) -> None:
        """The session is empty; no turn that was received before adds to it."""
        await self._stores.short_term.delete(user_id, session_id, self._cut())
        if self._skew_s:
            await asyncio.sleep(2 * self._skew_s)

    async def carry_out(self, erasure: Erasure) -> None:
        """A deletion that waited for the record."""
        if erasure.memory_id is not None:
            await self._delete_leaning(erasure.user_id, erasure.memory_id)
        if not await self._stores.record.erase(erasure):
            await self._entomb(erasure)
        await self.finish(erasure)

    async def finish(self, erasure: Erasure) -> None:
        """The other stores' part of a deletion that is noted; each is tried, whatever becomes of the others. The first error is raised at the end."""
        user_id, memory_id, cut = erasure.user_id, erasure.memory_id, erasure.cut
        stores = self._stores
        steps: tuple[Coroutine[Any, Any, object], ...]
        if memory_id is None:
            steps = (stores.deferred.delete_user(user_id, cut), stores.short_term.delete_user(user_id, cut), stores.vectors.delete_user(user_id, cut))
        else:
            steps = (
                stores.deferred.forget(user_id, memory_id),
                stores.short_term.forget(user_id, memory_id),
                stores.vectors.delete(user_id, [memory_id]),
            )
        results = await asyncio.gather(*steps, return_exceptions=True)
        for result in results:
            if isinstance(result, StoreUnavailable):
                raise Unfinished(str(result)) from result
            if isinstance(result, BaseException):
                raise result

    async def _begin(self, erasure: Erasure, waiting: bool = False) -> bool:
        """The record's part; `waiting`: of a memory that was still to come to it. While it is away the deletion waits beside the session, and
        what can be deleted already is."""
        record = self._stores.record
        try:
            known = await record.erase(erasure)
            return await self._entomb(erasure) if waiting and not known else known
        except StoreUnavailable as error:
            await self._stores.deferred.put(erasure)
            try:
                await self.finish(erasure)
            except StoreUnavailable as missing:
                log.warning("a deletion waits for more than the record: %s", missing)
            raise Unfinished(str(error)) from error

    async def _entomb(self, erasure: Erasure) -> bool:
        """Of a memory that never came to the record: it takes no write of it any more. Then erased as any other, which notes the rest of the deletion
        and takes what quotes it, and may have come before it."""
        if erasure.memory_id is None:
            return False
        await self._stores.record.entomb(erasure.user_id, erasure.memory_id)
        return await self._stores.record.erase(erasure)

    def _cut(self) -> int:
        return stamp() + round(self._skew_s * 1_000_000)
