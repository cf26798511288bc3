"""Writing: one transaction for a turn's event, its memories, their lists, and what waits for a vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.errors import BulkWriteError, DuplicateKeyError

from lira_core.stores.codec import dump
from lira_core.stores.mongo import event_documents, lists
from lira_core.stores.mongo.errors import is_duplicate
from lira_core.stores.mongo.lists import ident, tombstone
from lira_core.stores.mongo.outbox import SECOND, dead_queue, entry_id, index_queue, now, waiting
from lira_core.stores.mongo.server import Document, Server, Turns, allowance
from lira_core.stores.ports import Forgotten, IndexPlan, StoreRejected, Write
from lira_core.types import Memory

BATCH = 128
"""Documents in one command: it stays far below the 48 MB of a message."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A write as its documents, made before anything waits: the caller may go on and change its metadata."""

    user_id: str
    received: int
    event: Document | None
    memories: tuple[Document, ...]
    entries: tuple[Mapping[str, str], ...]
    terms: tuple[int, ...]
    forbidden: tuple[str, ...]
    """What must have no tombstone."""

    def ids(self) -> tuple[list[str], list[str]]:
        """(`_id` of the event, of the memories)"""
        return [] if self.event is None else [self.event["_id"]], [memory["_id"] for memory in self.memories]

    def without(self, known: set[str], *, event: bool) -> Draft:
        """What is left when these memories are there already, and `event` says whether its event is."""
        kept = [i for i, memory in enumerate(self.memories) if memory["_id"] not in known]
        return Draft(
            self.user_id,
            self.received,
            None if event else self.event,
            tuple(self.memories[i] for i in kept),
            tuple(self.entries[i] for i in kept),
            tuple(self.terms[i] for i in kept),
            self.forbidden,
        )


def draft(write: Write) -> Draft:
    """StoreRejected for what belongs to another user, and for what cannot be stored."""
    for item in (write.event, *write.memories):
        if item is not None and item.user_id != write.user_id:
            raise StoreRejected(f"{type(item).__name__.lower()} {item.id} belongs to another user than {write.user_id}; write it as theirs")
    try:
        memories = {memory.id: memory for memory in reversed(write.memories)}
        documents, entries = [], []
        for position, memory in enumerate(write.memories):
            if memories[memory.id] is memory:
                place = lists.place(memory, write.received, position)
                entries.append(lists.entries(memory, place))
                documents.append(_memory(memory, write.received, place, entries[-1]))
        event = None if write.event is None else event_documents.document(write.event, write.received)
    except ValueError as error:
        raise StoreRejected(f"write {write.id} cannot be stored: {error}") from error
    forbidden = set(memories)
    if write.event is not None:
        forbidden |= {write.event.turn_id, *write.event.quotes}
    terms = tuple(len(memories[document["id"]].terms) for document in documents)
    return Draft(write.user_id, write.received, event, tuple(documents), tuple(entries), terms, tuple(forbidden))


class Writer:
    def __init__(self, server: Server, turns: Turns, queue: str) -> None:
        """`queue` is that of the encoder whose vectors a committer may hold for itself."""
        self._server = server
        self._turns = turns
        self._queue = queue

    async def commit(self, write: Write, hold: float = 0.0) -> None:
        new = draft(write)
        async with self._turns.of(new.user_id), self._server.use(allowance(len(new.memories))):
            while True:
                try:
                    begun = await self._server.transactions.run(partial(self._commit, new, hold))
                    break
                except (DuplicateKeyError, BulkWriteError) as error:
                    if not is_duplicate(error):
                        raise
                # Part of it is there already, or another process made the user's document at the same moment.
                new = await self._unknown(new)
            if begun is not None:
                await self._follow_plan(new, begun)

    async def _commit(self, new: Draft, hold: float, session: AsyncClientSession) -> IndexPlan | None:
        """The plan it went by when the user is new (`_follow_plan`)."""
        database = self._server.database
        said, words = (0, 0) if new.event is None else (1, new.event["length"])
        counts = {
            "said": said,
            "events": said,
            "event_terms": words,
            "kept": len(new.memories),
            "memories": len(new.memories),
            "terms": sum(new.terms),
        }
        latest = max((lists.bound(lists.micros(memory["place"])) for memory in new.memories), default="")
        user = await touch(self._server, new.user_id, counts, session, latest=latest)
        if new.received <= user.get("cut", -1):
            raise Forgotten(f"user {new.user_id} was deleted after this was received")
        await self._check_tombstones(new, session)
        if new.event is not None:
            await database["events"].insert_one({**new.event, "n": user["said"], "g": user["g"]}, session=session)
        if not new.memories:
            return None
        first, g = user["kept"], user["g"]
        documents = [{**memory, "n": first + i, "g": g} for i, memory in enumerate(new.memories)]
        for batch in batches(documents):
            await database["memories"].insert_many(batch, session=session)
        plan = await read_plan(self._server, session)
        operations = lists.added(new.user_id, g, new.entries, latest=user["latest"], stale="sweeping" in user)
        for encoder in encoders(plan):
            queue = index_queue(encoder)
            held = hold > 0 and queue == self._queue
            due = now() + round(hold * SECOND) if held else None
            found, lane = waiting(new.user_id, queue, [(memory["id"], memory["n"], memory["received"]) for memory in documents], due, held=held)
            operations.append(lane)
            for some in batches(found):
                await database["outbox"].bulk_write(some, ordered=False, session=session)
        for part in batches(operations):
            await database["users"].bulk_write(part, session=session)
        return plan if user["v"] == 0 else None

    async def _check_tombstones(self, new: Draft, session: AsyncClientSession) -> None:
        if not new.forbidden:
            return
        filter = {"_id": {"$in": [tombstone(new.user_id, id) for id in new.forbidden]}, "user_id": new.user_id}
        if await self._server.database["tombstones"].find_one(filter, {"_id": 1}, session=session) is not None:
            raise Forgotten("a memory was deleted, and this is or quotes it")

    async def _unknown(self, new: Draft) -> Draft:
        """What is not there yet. Of the same id and of before the user's cut is no reason: that only waits to be swept away."""
        events, memories = new.ids()
        user = await self._server.database["users"].find_one({"_id": ident(new.user_id, ""), "user_id": new.user_id}, {"cut": 1})
        cut = -1 if user is None else user.get("cut", -1)
        living: dict[str, set[str]] = {}
        for name, ids in (("events", events), ("memories", memories)):
            filter = {"_id": {"$in": ids}, "user_id": new.user_id}
            found = await self._server.database[name].find(filter, {"received": 1}).to_list()
            living[name] = {one["_id"] for one in found if one["received"] > cut}
            dead = [one["_id"] for one in found if one["received"] <= cut]
            if dead:
                await self._server.database[name].delete_many({"_id": {"$in": dead}, "user_id": new.user_id})
        return new.without(living["memories"], event=bool(living["events"]))

    async def _follow_plan(self, new: Draft, plan: IndexPlan) -> None:
        """A plan that changes while a user's first memory is written could miss it: `requeue` passes over whom it does not see yet."""
        planned = await read_plan(self._server)
        missed = [encoder for encoder in encoders(planned) if encoder not in encoders(plan)]
        memories = self._server.database["memories"]
        found = (
            await memories.find({"_id": {"$in": new.ids()[1]}, "user_id": new.user_id}, {"id": 1, "n": 1, "received": 1}).to_list() if missed else []
        )
        for encoder in missed if found else []:
            await enqueue(self._server, new.user_id, encoder, found)


async def touch(server: Server, user_id: str, counts: Mapping[str, int], session: AsyncClientSession, *, latest: str = "") -> Document:
    """The user's own document as it was, with these added to its counters now.

    Whatever writes for a user or deletes of theirs begins with it, so that of two that overlap only one succeeds. `find_one_and_update`
    would be one round trip less, but SecantusDB looks for the document in the whole collection.
    """
    mine = {"_id": ident(user_id, ""), "user_id": user_id}
    counters = ("v", "g", "said", "kept", "memories", "terms", "events", "event_terms", "erased")
    blank: Document = dict.fromkeys(counters, 0) | {"latest": ""}
    users = server.database["users"]
    found = blank | (await users.find_one(mine, session=session) or {})
    change = {"$inc": {name: counts.get(name, 0) for name in counters} | {"v": 1}, "$max": {"latest": latest}}
    await users.update_one(mine, {**change, "$set": {"user": True}}, upsert=True, session=session)
    return found


async def read_plan(server: Server, session: AsyncClientSession | None = None) -> IndexPlan:
    document = await server.database["meta"].find_one({"_id": "plan"}, session=session) or {}
    return IndexPlan(document.get("serving"), document.get("building"))


def encoders(plan: IndexPlan) -> list[str]:
    return list(dict.fromkeys(name for name in (plan.serving, plan.building) if name is not None))


async def enqueue(server: Server, user_id: str, encoder: str, memories: Iterable[Mapping[str, Any]]) -> None:
    """Lets memories (`id`, `n`, `received`) wait for a vector: those that are being worked on once more, those given up on again."""
    named = [(memory["id"], memory["n"], memory["received"]) for memory in memories]
    queue = index_queue(encoder)
    found, lane = waiting(user_id, queue, named)
    ids = [entry_id(queue, user_id, id) for id, _, _ in named]
    outbox = server.database["outbox"]
    fresh = {"$set": {"queue": queue, "due": 0, "attempts": 0}, "$unset": {"token": "", "reason": "", "buried": ""}}
    await outbox.update_many({"_id": {"$in": ids}, "user_id": user_id, "queue": dead_queue(queue)}, fresh)
    await outbox.update_many({"_id": {"$in": ids}, "user_id": user_id, "token": {"$exists": True}}, {"$set": {"renewed": True}})
    await outbox.bulk_write(found, ordered=False)
    await server.database["users"].bulk_write([lane])


def batches(items: Iterable[Any], size: int = BATCH) -> Iterable[list[Any]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def _memory(memory: Memory, received: int, place: str, entries: Mapping[str, str]) -> Document:
    return {
        "_id": ident(memory.user_id, memory.id),
        "user_id": memory.user_id,
        "id": memory.id,
        "received": received,
        "place": place,
        "lists": list(entries),
        "derived": memory.derived,
        "body": dump(memory),
    }
