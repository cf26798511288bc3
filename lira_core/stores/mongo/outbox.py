"""Work that waits in MongoDB: which memories have no vector yet, which deletions are not finished.

An entry is one document; `due` says when it may be claimed, and claiming it puts that off. Of each user and queue there is a lane beside
it, which knows when the user has something due, when they were served last, and between which `n` their entries are: so a claim
looks at a few users and a few entries, however many wait.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pymongo import UpdateOne
from pymongo.asynchronous.client_session import AsyncClientSession

from lira_core.stores.mongo.lists import ident
from lira_core.stores.mongo.server import BULK_SECONDS, Document, Server, allowance
from lira_core.stores.ports import Backlog, DeadLetter, Entry

P = TypeVar("P")

ERASURES = "erasures"
SPAN = 128
"""Entries that one look at a lane goes over, at least."""
LANES_AT_ONCE = 16
"""How many lanes are looked at in parallel: a quarter of the pool."""
ROUNDS = 8
"""How often a claim looks again when other processes took everything that it chose."""
SECOND = 1_000_000

Load = Callable[[Sequence[Document]], Awaitable[Mapping[str, P | Exception]]]
"""Entries → by their `_id` the payload, or why it cannot be read. What is not in it has been deleted meanwhile."""


def now() -> int:
    """Microseconds since 1970; the machines' clocks are taken to agree to a fraction of a lease."""
    return time.time_ns() // 1000


def index_queue(encoder: str) -> str:
    return f"index/{encoder}"


def dead_queue(queue: str) -> str:
    return f"{queue}!"


def entry_id(queue: str, user_id: str, id: str) -> str:
    return f"{queue}|{ident(user_id, id)}"


def lane_id(queue: str, user_id: str) -> str:
    return ident(user_id, f"lane:{queue}")


def waiting(
    user_id: str, queue: str, items: Sequence[tuple[str, int, int]], due: int | None = None, *, held: bool = False
) -> tuple[list[UpdateOne], UpdateOne]:
    """What lets items (id, n, received) wait: for the collection `outbox`, and for the lane in `users`. Those that wait already stay.

    `held`: until they are due they are somebody's, as if claimed once.
    """
    when = now() if due is None else due
    found = [
        UpdateOne(
            {"_id": entry_id(queue, user_id, id), "user_id": user_id},
            {"$setOnInsert": {"queue": queue, "id": id, "n": n, "received": received, "due": when, "attempts": int(held)}},
            upsert=True,
        )
        for id, n, received in items
    ]
    positions = [n for _, n, _ in items]
    return found, opened(user_id, queue, when, min(positions), max(positions))


def opened(user_id: str, queue: str, due: int, low: int, high: int) -> UpdateOne:
    """What makes a lane due (again) for entries between these `n`."""
    return UpdateOne(
        {"_id": lane_id(queue, user_id), "user_id": user_id},
        {"$set": {"lane": queue}, "$setOnInsert": {"claimed": 0}, "$inc": {"v": 1}, "$min": {"due": due, "low": low}, "$max": {"high": high}},
        upsert=True,
    )


async def remind(server: Server, user_id: str, queue: str, item: tuple[str, int, int], due: int, session: AsyncClientSession) -> None:
    """Lets an item (id, n, received) wait. One that waits already stays; one that somebody holds is due once more when they call it done, and
    one that was given up on is tried again."""
    id, n, received = item
    outbox, mine = server.database["outbox"], {"_id": entry_id(queue, user_id, id), "user_id": user_id}
    known = await outbox.find_one(mine, {"queue": 1, "token": 1, "n": 1}, session=session)
    change: Document = {"$max": {"received": received}}
    if known is None:
        change["$set"] = {"queue": queue, "id": id, "n": n, "due": due, "attempts": 0}
    elif known["queue"] != queue:
        change |= {"$set": {"queue": queue, "due": due, "attempts": 0}, "$unset": {"buried": "", "reason": ""}}
    elif "token" in known:
        change["$set"] = {"renewed": True}
    await outbox.update_one(mine, change, upsert=True, session=session)
    place = n if known is None else known["n"]
    await server.database["users"].bulk_write([opened(user_id, queue, due, place, place)], session=session)


@dataclass(frozen=True, slots=True)
class _Peek:
    """What one look at a lane found: entries that are due, oldest first, and when and where to look again."""

    lane: Document
    ready: tuple[Document, ...]
    low: int
    due: int | None


class MongoOutbox(Generic[P]):
    """`load` reads payloads. See `lira_core.stores.ports.Outbox` for what each method promises."""

    def __init__(self, server: Server, queue: str, load: Load[P]) -> None:
        self._server = server
        self._queue = queue
        self._load = load
        self._claiming = asyncio.Lock()

    async def claim(self, limit: int, seconds: float) -> list[Entry[P]]:
        if limit <= 0:
            return []
        async with self._claiming, self._server.use(allowance(limit)):
            taken: list[Document] = []
            for _ in range(ROUNDS):
                taken, beaten = await self._take(limit, seconds)
                if not beaten:
                    break
            loaded = await self._load(taken) if taken else {}
        return await self._sorted_out(taken, loaded)

    async def _take(self, limit: int, seconds: float) -> tuple[list[Document], bool]:
        """(entries that are the caller's now, whether there were some and others took them all)"""
        start = now()
        peeks, share = await self._peek_all(limit, start)
        chosen = [entry["_id"] for peek in peeks for entry in peek.ready[:share]][:limit]
        # The lease begins here, not when the looking did.
        end, token = now() + int(seconds * SECOND), secrets.token_hex(8)
        taken: list[Document] = []
        if chosen:
            outbox = self._server.database["outbox"]
            filter = {"_id": {"$in": chosen}, "queue": self._queue, "due": {"$lte": start}}
            change = {"$set": {"due": end, "token": token, "renewed": False}, "$inc": {"attempts": 1}}
            await outbox.update_many(filter, change)
            order = {id: i for i, id in enumerate(chosen)}
            found = await outbox.find({"_id": {"$in": chosen}, "token": token}).to_list()
            taken = sorted(found, key=lambda entry: order[entry["_id"]])
        if peeks:
            await self._settle(peeks, {entry["_id"] for entry in taken}, start, end)
        return taken, bool(chosen) and not taken

    async def done(self, user_id: str, ids: Sequence[str]) -> None:
        named = [entry_id(self._queue, user_id, id) for id in ids]
        if not named:
            return
        async with self._server.use(allowance(len(named))) as database:
            mine = {"_id": {"$in": named}, "user_id": user_id}
            # What was asked for again while it was worked on is to be done once more.
            await database["outbox"].delete_many({**mine, "renewed": {"$ne": True}})
            again = {"$set": {"due": now(), "renewed": False, "attempts": 0}, "$unset": {"token": ""}}
            if (await database["outbox"].update_many({**mine, "renewed": True}, again)).modified_count:
                await self._reopen(user_id, now())

    async def retry(self, user_id: str, ids: Sequence[str], reason: str, *, after: float, blame: bool) -> None:
        named = [entry_id(self._queue, user_id, id) for id in ids]
        if not named:
            return
        due = now() + int(after * SECOND)
        counted: Any = "$attempts" if blame else {"$max": [0, {"$subtract": ["$attempts", 1]}]}
        async with self._server.use(allowance(len(named))) as database:
            filter = {"_id": {"$in": named}, "user_id": user_id, "queue": self._queue}
            change: list[Document] = [{"$set": {"due": due, "attempts": counted, "reason": {"$literal": reason}}}, {"$unset": ["token"]}]
            if (await database["outbox"].update_many(filter, change)).matched_count:
                await self._reopen(user_id, due)

    async def bury(self, user_id: str, ids: Sequence[str], reason: str) -> None:
        named = [entry_id(self._queue, user_id, id) for id in ids]
        if not named:
            return
        async with self._server.use(allowance(len(named))) as database:
            filter = {"_id": {"$in": named}, "user_id": user_id, "queue": self._queue}
            change = {"$set": {"queue": dead_queue(self._queue), "buried": now(), "reason": reason}, "$unset": {"token": ""}}
            await database["outbox"].update_many(filter, change)

    async def revive(self) -> int:
        revived = 0
        async with self._server.use(BULK_SECONDS) as database:
            dead = await database["outbox"].find({"queue": dead_queue(self._queue)}, {"user_id": 1, "n": 1}).to_list()
            change = {"$set": {"queue": self._queue, "due": now(), "attempts": 0}, "$unset": {"buried": "", "reason": ""}}
            for user_id, entries in _by_user(dead).items():
                positions = [entry["n"] for entry in entries]
                filter = {"_id": {"$in": [entry["_id"] for entry in entries]}, "user_id": user_id, "queue": dead_queue(self._queue)}
                revived += (await database["outbox"].update_many(filter, change)).modified_count
                await database["users"].bulk_write([opened(user_id, self._queue, now(), min(positions), max(positions))])
        return revived

    async def backlog(self) -> Backlog:
        async with self._server.use(BULK_SECONDS) as database:
            counts = [await database["outbox"].count_documents({"queue": queue}) for queue in (self._queue, dead_queue(self._queue))]
        return Backlog(*counts)

    async def dead(self, limit: int) -> list[DeadLetter]:
        if limit <= 0:
            return []
        async with self._server.use() as database:
            found = await database["outbox"].find({"queue": dead_queue(self._queue)}).sort("buried", 1).limit(limit).to_list()
        return [DeadLetter(entry["user_id"], entry["id"], entry["attempts"], entry["reason"]) for entry in found]

    async def _peek_all(self, limit: int, start: int) -> tuple[list[_Peek], int]:
        """Looks at the lanes that are due, whoever was served longest ago first; (what was found, how many each may have)."""
        lanes = self._server.database["users"].find({"lane": self._queue, "due": {"$lte": start}}).sort([("claimed", 1), ("_id", 1)]).limit(limit)
        due: list[Document] = await lanes.to_list()
        idle: list[_Peek] = []
        while due:
            share = -(-limit // len(due))
            peeks: list[_Peek] = []
            for i in range(0, len(due), LANES_AT_ONCE):
                peeks += await asyncio.gather(*(self._peek(lane, share, start) for lane in due[i : i + LANES_AT_ONCE]))
            idle += [peek for peek in peeks if not peek.ready]
            full = [peek for peek in peeks if peek.ready]
            if len(full) == len(peeks):
                return idle + full, share
            due = [peek.lane for peek in full]
        return idle, 0

    async def _peek(self, lane: Document, share: int, start: int) -> _Peek:
        """At most `share` due entries of one lane."""
        outbox = self._server.database["outbox"]
        ready: list[Document] = []
        low, soonest, at, span = None, None, lane["low"], max(SPAN, 2 * share)
        while at <= lane["high"]:
            filter = {"user_id": lane["user_id"], "queue": self._queue, "n": {"$gte": at, "$lt": at + span}}
            found = await outbox.find(filter, {"n": 1, "due": 1}).sort("n", 1).to_list()
            for entry in found:
                low = entry["n"] if low is None else low
                if entry["due"] > start:
                    soonest = entry["due"] if soonest is None else min(soonest, entry["due"])
                elif len(ready) < share:
                    ready.append(entry)
                else:
                    return _Peek(lane, tuple(ready), low, start)
            at += span
        return _Peek(lane, tuple(ready), lane["high"] + 1 if low is None else low, soonest)

    async def _settle(self, peeks: Sequence[_Peek], taken: set[str], start: int, end: int) -> None:
        """Says of each lane when it was served, and when to look at it again: unless something was put there meanwhile."""
        operations = []
        for turn, peek in enumerate(peeks):
            filter = {"_id": peek.lane["_id"], "user_id": peek.lane["user_id"]}
            mine = [entry for entry in peek.ready if entry["_id"] in taken]
            if mine:
                operations.append(UpdateOne(filter, {"$set": {"claimed": start + turn}}))
            dues = [due for due in (peek.due, end if mine else None, start if len(mine) < len(peek.ready) else None) if due is not None]
            change: Document = {"$set": {"low": peek.low}}
            if dues:
                change["$set"]["due"] = min(dues)
            else:
                change["$unset"] = {"lane": "", "due": ""}
            operations.append(UpdateOne({**filter, "v": peek.lane["v"]}, change))
        await self._server.database["users"].bulk_write(operations)

    async def _sorted_out(self, taken: Sequence[Document], loaded: Mapping[str, P | Exception]) -> list[Entry[P]]:
        """The entries with their payloads; what cannot be read dies, and what was deleted meanwhile is done."""
        entries: list[Entry[P]] = []
        gone, unreadable = [], []
        for entry in taken:
            payload = loaded.get(entry["_id"])
            if payload is None:
                gone.append(entry)
            elif isinstance(payload, Exception):
                unreadable.append((entry, payload))
            else:
                entries.append(Entry(entry["user_id"], entry["id"], payload, entry["attempts"]))
        for user_id, missing in _by_user(gone).items():
            await self.done(user_id, [entry["id"] for entry in missing])
        for entry, error in unreadable:
            await self.bury(entry["user_id"], [entry["id"]], f"it cannot be read: {type(error).__name__}")
        return entries

    async def _reopen(self, user_id: str, due: int) -> None:
        change = {"$set": {"lane": self._queue}, "$min": {"due": due}, "$inc": {"v": 1}}
        await self._server.database["users"].update_one({"_id": lane_id(self._queue, user_id), "user_id": user_id}, change)


def _by_user(entries: Iterable[Document]) -> dict[str, list[Document]]:
    users: dict[str, list[Document]] = {}
    for entry in entries:
        users.setdefault(entry["user_id"], []).append(entry)
    return users
