"""The outbox in Redis: sorted sets by when something is due, not streams.

A stream with consumer groups leases too, but an entry that is to be tried again later has no place in it, one that is deleted has to be looked for,
the oldest user with the most entries stands before everybody else, and a stream for each user would have to be read one by one. In sorted sets a
lease, a delay and a dead letter are each a move, and a user's entries are found by their name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson

from lira_core.stores.codec import dump, load_deferred
from lira_core.stores.ports import Backlog, DeadLetter, Entry, Erasure, Forgotten, StoreRejected, Write
from lira_core.stores.redis import keys, outbox_lua
from lira_core.stores.redis.arguments import Argument, batches, counted, milliseconds
from lira_core.stores.redis.keys import REMEMBERED_SECONDS
from lira_core.stores.redis.lanes import SECOND, Lanes, State, at_once
from lira_core.stores.redis.server import Script, Server

ENTRIES_AT_ONCE = 200
"""Entries that one script goes over: some 2 ms of the server's time."""


class RedisDeferred:
    """`Deferred` on Redis."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._lanes = Lanes(server)
        self._keep = milliseconds(REMEMBERED_SECONDS)
        self._claiming = asyncio.Lock()

    async def put(self, item: Write | Erasure) -> None:
        try:
            payload, head = dump(item), orjson.dumps(_head(item))
        except (ValueError, TypeError) as error:
            raise StoreRejected(str(error)) from error
        await self._lanes.look(item.user_id)
        found = await self._server.run(outbox_lua.PUT, keys.box(item.user_id), [item.id, head, payload])
        if found == 0:
            raise Forgotten(f"what {item.id} carries or quotes was deleted after it was received")
        await self._lanes.tell(item.user_id, State(*found))

    async def claim(self, limit: int, seconds: float) -> list[Entry[Write | Erasure]]:
        if limit <= 0:
            return []
        async with self._claiming:  # of one process; two at once would only ask the same users
            taken = await self._claim(limit, seconds)
        return [entry for user_id, found in taken for entry in await self._read(user_id, found)]

    async def done(self, user_id: str, ids: Sequence[str]) -> None:
        await self._change(outbox_lua.DONE, user_id, ids)

    async def retry(self, user_id: str, ids: Sequence[str], reason: str, *, after: float, blame: bool) -> None:
        await self._change(outbox_lua.RETRY, user_id, ids, max(round(after * SECOND), 0), int(blame))

    async def bury(self, user_id: str, ids: Sequence[str], reason: str) -> None:
        await self._change(outbox_lua.BURY, user_id, ids, reason.encode(errors="replace"))

    async def revive(self) -> int:
        revived = 0
        for user_id in await self._lanes.with_dead():
            again = ENTRIES_AT_ONCE
            while again == ENTRIES_AT_ONCE:
                state, again = await self._server.run(outbox_lua.REVIVE, keys.box(user_id), [ENTRIES_AT_ONCE])
                await self._lanes.tell(user_id, State(*state))
                revived += again
        return revived

    async def backlog(self) -> Backlog:
        return await self._lanes.backlog()

    async def dead(self, limit: int) -> list[DeadLetter]:
        if limit <= 0:
            return []
        users = await self._lanes.with_dead()
        found = await at_once(lambda user_id: self._server.run(outbox_lua.DEAD, keys.box(user_id), [limit]), users)
        await asyncio.gather(*(self._lanes.tell(user_id, State(*state)) for user_id, (state, _) in zip(users, found, strict=True)))
        letters = [
            (float(when), DeadLetter(user_id, id.decode(), int(attempts), reason.decode()))
            for user_id, (_, buried) in zip(users, found, strict=True)
            for id, attempts, reason, when in buried
        ]
        return [letter for _, letter in sorted(letters, key=lambda pair: pair[0])[:limit]]

    async def forget(self, user_id: str, memory_id: str) -> bool:
        known = await self._server.run(outbox_lua.ENTOMB, keys.box(user_id), [memory_id, self._keep])
        carrying, quoting = [], []
        async for id, head in self._server.scan(keys.box(user_id)[1]):
            named = _load_head(head)
            if memory_id in named.get("c", ()):
                carrying.append(id.decode())
            elif memory_id in named.get("q", ()):
                quoting.append(id.decode())
        await self._change(outbox_lua.REMOVE, user_id, quoting, "", self._keep)
        await self._change(outbox_lua.REMOVE, user_id, carrying, memory_id, self._keep)
        return bool(known or carrying)

    async def delete_user(self, user_id: str, cut: int) -> None:
        reached = int(await self._server.run(outbox_lua.CUT, keys.box(user_id), [cut, self._keep]))
        gone = []
        async for id, head in self._server.scan(keys.box(user_id)[1]):
            named = _load_head(head)
            if "e" not in named and named.get("n", reached) <= reached:
                gone.append(id.decode())
        await self._change(outbox_lua.REMOVE, user_id, gone, "", self._keep)

    async def ping(self) -> None:
        await self._server.ping()

    async def close(self) -> None:
        """Closes the client, for both roles that share it."""
        await self._server.close()

    async def _claim(self, limit: int, seconds: float) -> list[tuple[str, list[Any]]]:
        users = await self._lanes.due(limit)
        taken: dict[str, list[Any]] = {user_id: [] for user_id in users}
        states: dict[str, State] = {}
        while users:
            # Equal shares, the remainder to those who have waited longest.
            shares = [limit // len(users) + (i < limit % len(users)) - len(taken[user_id]) for i, user_id in enumerate(users)]
            asked = [(user_id, share) for user_id, share in zip(users, shares, strict=True) if share > 0]
            for (user_id, _), (state, found) in zip(asked, await at_once(lambda one: self._take(*one, seconds), asked), strict=True):
                states[user_id] = State(*state)
                taken[user_id] += found
            with_some = [user_id for user_id in users if taken[user_id]]
            if len(with_some) == len(users):
                break
            users = with_some  # the others' entries were done or deleted meanwhile: their share is free
        told = [self._lanes.tell(user_id, state, served=bool(taken[user_id])) for user_id, state in states.items()]
        await asyncio.gather(*told)
        return [(user_id, taken[user_id]) for user_id in users]

    async def _take(self, user_id: str, share: int, seconds: float) -> Any:
        return await self._server.run(outbox_lua.TAKE, keys.box(user_id), [share, round(seconds * SECOND)])

    async def _change(self, script: Script, user_id: str, ids: Sequence[str], *args: Argument) -> None:
        for some in batches(ids, ENTRIES_AT_ONCE):
            state = await self._server.run(script, keys.box(user_id), [*args, *counted(some)])
            await self._lanes.tell(user_id, State(*state))

    async def _read(self, user_id: str, taken: Sequence[tuple[bytes, bytes | None, int]]) -> list[Entry[Write | Erasure]]:
        """The entries with their payloads; what cannot be read dies."""
        entries = []
        for id, payload, attempts in taken:
            try:
                entries.append(Entry(user_id, id.decode(), load_deferred(payload or b""), attempts))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                await self.bury(user_id, [id.decode()], f"it cannot be read: {type(error).__name__}")
        return entries


def _head(item: Write | Erasure) -> dict[str, Any]:
    """What a deletion has to know of an item; StoreRejected for a write that holds something of another user."""
    if isinstance(item, Erasure):
        return {"e": item.cut}
    for held in (item.event, *item.memories):
        if held is not None and held.user_id != item.user_id:
            raise StoreRejected(f"a write of another user than {item.user_id} cannot be deferred for them: {held.id}")
    quoted = () if item.event is None else (item.event.turn_id, *item.event.quotes)
    return {"n": item.received, "c": [memory.id for memory in item.memories], "q": list(dict.fromkeys(quoted))}


def _load_head(text: bytes) -> dict[str, Any]:
    """Empty when it cannot be read: then nobody knows what it carries."""
    try:
        found = orjson.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
