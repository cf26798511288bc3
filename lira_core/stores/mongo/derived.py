"""What rules derived from memories in MongoDB: which of them older rules did, and what newer ones put in its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pymongo import UpdateOne
from pymongo.asynchronous.client_session import AsyncClientSession

from lira_core.stores.codec import dump
from lira_core.stores.mongo import lists
from lira_core.stores.mongo.finding import Finder, Person, readable
from lira_core.stores.mongo.lists import ident
from lira_core.stores.mongo.outbox import index_queue, now, remind
from lira_core.stores.mongo.server import BULK_SECONDS, Document, Server, Turns, allowance
from lira_core.stores.mongo.unlisting import unlist
from lira_core.stores.mongo.writing import batches, encoders, read_plan, touch
from lira_core.stores.ports import StoreRejected
from lira_core.types import Memory

REDERIVED_AT_ONCE = 16
"""Memories that one transaction changes: of each the lists that it leaves, those that it comes to, and what waits for its vector."""
WRITES = 8
"""So many items' time each of them may take."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A memory's document as it is, with its entries on the lists, and what they become."""

    document: Document
    old: Memory
    new: Memory
    before: Mapping[str, str]
    after: Mapping[str, str]

    @property
    def kept(self) -> list[str]:
        """The lists that it stays on."""
        return [name for name in self.document["lists"] if name in self.after]

    @property
    def fresh(self) -> dict[str, str]:
        """Its entries on the lists that it comes to."""
        return {name: entry for name, entry in self.after.items() if name not in self.document["lists"]}

    @property
    def differs(self) -> bool:
        return (self.new.facts, self.new.terms) != (self.old.facts, self.old.terms)


class Deriver:
    def __init__(self, server: Server, finder: Finder, turns: Turns) -> None:
        self._server = server
        self._finder = finder
        self._turns = turns

    async def count(self, before: int) -> int:
        async with self._server.use(BULK_SECONDS) as database:
            return await database["memories"].count_documents(_derived(before))

    async def outdated(self, before: int, limit: int, cursor: str | None, since: int) -> tuple[list[Memory], str | None]:
        filter = _derived(before, since) | ({} if cursor is None else {"_id": {"$gt": cursor}})
        async with self._server.use(BULK_SECONDS) as database:
            asked = database["memories"].find(filter, {"user_id": 1, "id": 1, "received": 1, "body": 1}).sort("_id", 1)
            found = await asked.limit(limit + 1).to_list()
            users = list({one["user_id"] for one in found})
            mine = {"_id": {"$in": [ident(user, "") for user in users]}, "user_id": {"$in": users}}
            cuts = {one["user_id"]: one.get("cut", -1) async for one in database["users"].find(mine, {"user_id": 1, "cut": 1})}
        living = [one for one in found[:limit] if one["received"] > cuts.get(one["user_id"], -1)]
        memories = [memory for memory in map(readable, living) if memory is not None]
        return memories, found[limit - 1]["_id"] if len(found) > limit else None

    async def rederive(self, user_id: str, memories: Sequence[Memory]) -> int:
        for memory in memories:
            if memory.user_id != user_id:
                raise StoreRejected(f"memory {memory.id} belongs to another user than {user_id}; derive it as theirs")
        changed = 0
        for some in batches({memory.id: memory for memory in memories}.values(), REDERIVED_AT_ONCE):
            given = {ident(user_id, memory.id): memory for memory in some}
            async with self._turns.of(user_id), self._server.use(allowance(WRITES * len(given))):
                changed += await self._server.transactions.insist(partial(self._rederive, user_id, given))
        return changed

    async def _rederive(self, user_id: str, given: Mapping[str, Memory], session: AsyncClientSession) -> int:
        memories = self._server.database["memories"]
        person = await self._finder.person(user_id, session)
        mine = {"_id": {"$in": list(given)}, "user_id": user_id}
        found = await memories.find(mine, session=session).to_list()
        made = [_change(document, given[document["_id"]]) for document in found if document["received"] > person.cut]
        changes = [change for change in made if change is not None]
        if not changes:
            return 0
        # What a sweep has not listed anew yet is on no list, and counted nowhere.
        listed = [change for change in changes if change.document["g"] == person.generation]
        # The change to the user's document is what a commit or a deletion under way conflicts with.
        terms = sum(len(change.new.terms) - len(change.old.terms) for change in listed)
        user = await touch(self._server, user_id, {"terms": terms}, session)
        bodies = [_update(change, {"lists": change.kept, "derived": change.new.derived, "body": _dump(change.new)}) for change in changes]
        await memories.bulk_write(bodies, session=session)
        await self._relist(user_id, person, user, listed, session)
        coming = [_update(change, {"lists": list(change.after)}) for change in changes if change.fresh]
        if coming:
            await memories.bulk_write(coming, session=session)
        differing = [change.document for change in changes if change.differs]
        for encoder in encoders(await read_plan(self._server, session)) if differing else ():
            for one in differing:
                item = (one["id"], one["n"], one["received"])
                await remind(self._server, user_id, index_queue(encoder), item, now(), session)
        return len(differing)

    async def _relist(self, user_id: str, person: Person, user: Document, changes: Sequence[_Change], session: AsyncClientSession) -> None:
        """Lists first lose what leaves them, and are filled again without what comes to them, which is put there at the end."""
        gone: dict[str, set[str]] = defaultdict(set)
        other: dict[str, dict[str, str]] = defaultdict(dict)
        for change in changes:
            id = change.document["id"]
            for name in change.document["lists"]:
                if name not in change.after:
                    gone[name].add(id)
                elif change.before.get(name) != change.after[name]:
                    other[name][id] = change.after[name]
        if gone or other:
            await unlist(self._server, self._finder, user_id, person, gone, other, session)
        drafts = [change.fresh for change in changes]
        for batch in batches(lists.added(user_id, person.generation, drafts, latest=user["latest"], stale="sweeping" in user)):
            await self._server.database["users"].bulk_write(batch, session=session)


def _derived(before: int, since: int = 0) -> Document:
    """Versions by name, not as a range: memories of before there were versions have none, and an index knows that too."""
    return {"derived": {"$in": [*([] if since else [None]), *range(since, before)]}}


def _change(document: Document, new: Memory) -> _Change | None:
    """None for what newer rules derived, for another text, and for what is damaged."""
    old = readable(document)
    if old is None or document.get("derived", 0) >= new.derived or (old.text, old.timestamp) != (new.text, new.timestamp):
        return None
    new = replace(old, facts=new.facts, terms=new.terms, derived=new.derived)
    try:
        return _Change(document, old, new, lists.entries(old, document["place"]), lists.entries(new, document["place"]))
    except ValueError as error:
        raise StoreRejected(f"memory {new.id} cannot be stored: {error}") from error


def _update(change: _Change, fields: Document) -> UpdateOne:
    return UpdateOne({"_id": change.document["_id"], "user_id": change.document["user_id"]}, {"$set": fields})


def _dump(memory: Memory) -> str:
    try:
        return dump(memory)
    except ValueError as error:
        raise StoreRejected(f"memory {memory.id} cannot be stored: {error}") from error
