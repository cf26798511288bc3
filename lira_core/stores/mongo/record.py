"""The record on MongoDB: every call of `lira_core.stores.ports.Record`, and where it is done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from pymongo.errors import DuplicateKeyError

from lira_core.stores.mongo.derived import Deriver
from lira_core.stores.mongo.erasing import STEP, Eraser
from lira_core.stores.mongo.finding import Finder, body
from lira_core.stores.mongo.lists import ident
from lira_core.stores.mongo.outbox import ERASURES, SECOND, MongoOutbox, dead_queue, index_queue, now
from lira_core.stores.mongo.server import BULK_SECONDS, Document, Server, Turns, allowance
from lira_core.stores.mongo.summaries import UNSUMMARISED, Told
from lira_core.stores.mongo.talk import Talk
from lira_core.stores.mongo.writing import Writer, batches, encoders, enqueue, read_plan
from lira_core.stores.ports import EncoderId, Erasure, Hit, IndexPlan, Outbox, Scene, StoreRejected, Unindexed, Write
from lira_core.stores.summaries import Utterance
from lira_core.types import Memory, Scope, Summary


class MongoRecord:
    """`Record` on one MongoDB database; `encoder` is the one whose vectors its memories wait for."""

    def __init__(self, server: Server, encoder: EncoderId) -> None:
        self._server = server
        self._encoder = encoder.name
        turns = Turns()
        self._writer = Writer(server, turns, index_queue(encoder.name))
        self._finder = Finder(server)
        self._talk = Talk(server, self._finder)
        self._told = Told(server, self._finder, turns)
        self._eraser = Eraser(server, self._finder, turns, self._told)
        self._deriver = Deriver(server, self._finder, turns)
        self._unsummarised: MongoOutbox[str] = MongoOutbox(server, UNSUMMARISED, self._told.load)
        self._unindexed: MongoOutbox[Unindexed] = MongoOutbox(server, index_queue(encoder.name), self._load_unindexed)
        self._erasures: MongoOutbox[Erasure] = MongoOutbox(server, ERASURES, _load_erasures)

    async def commit(self, write: Write, hold: float = 0.0) -> None:
        await self._writer.commit(write, hold)

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        asked = list(dict.fromkeys(ids))
        if not asked:
            return []
        async with self._server.use(allowance(len(asked))) as database:
            filter = {"_id": {"$in": [ident(user_id, id) for id in asked]}, "user_id": user_id}
            found, person = await asyncio.gather(
                database["memories"].find(filter, {"id": 1, "received": 1, "body": 1}).to_list(), self._finder.person(user_id)
            )
        living = {document["id"]: document for document in found if document["received"] > person.cut}
        return [body(living[id]) for id in asked if id in living]

    async def lexical(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None = None) -> list[Hit]:
        async with self._finding() as finder:
            return await finder.lexical(user_id, terms, limit, until)

    async def slots(self, user_id: str, slots: Sequence[tuple[str | None, str]], limit: int, until: datetime | None = None) -> list[Hit]:
        async with self._finding() as finder:
            return await finder.slots(user_id, slots, limit, until)

    async def feeling(self, user_id: str, label: str, minimum: float, limit: int, until: datetime | None = None) -> list[Hit]:
        async with self._finding() as finder:
            return await finder.feeling(user_id, label, minimum, limit, until)

    async def newest(self, user_id: str, limit: int, until: datetime | None = None) -> list[Hit]:
        async with self._finding() as finder:
            return await finder.newest(user_id, limit, until)

    async def holders(self, user_id: str, keys: Sequence[str], until: datetime | None = None) -> dict[str, tuple[datetime, str]]:
        async with self._finding() as finder:
            return await finder.holders(user_id, keys, until)

    async def page(self, user_id: str, limit: int, cursor: str | None) -> tuple[list[Memory], str | None]:
        async with self._finding() as finder:
            return await finder.page(user_id, limit, cursor)

    async def said(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None = None) -> list[Hit]:
        async with self._server.use(allowance(len(terms))):
            return await self._talk.said(user_id, terms, limit, until)

    async def scenes(self, user_id: str, ids: Sequence[str], reach: int, until: datetime | None = None) -> list[Scene]:
        async with self._server.use(allowance(len(ids))):
            return await self._talk.scenes(user_id, ids, reach, until)

    async def utterances(self, user_id: str, session_id: str, limit: int) -> list[Utterance]:
        return await self._told.utterances(user_id, session_id, limit)

    async def resummarise(self, user_id: str, session_id: str, received: int, after: float) -> None:
        await self._told.resummarise(user_id, session_id, received, after)

    @property
    def unsummarised(self) -> Outbox[str]:
        return self._unsummarised

    async def put_summaries(self, user_id: str, scope: Scope, group: str, made: Sequence[Summary]) -> None:
        await self._told.put(user_id, scope, group, made)

    async def summaries(self, user_id: str, scope: Scope, limit: int, since: datetime | None = None, until: datetime | None = None) -> list[Summary]:
        return await self._told.newest(user_id, scope, limit, since, until)

    async def erase(self, erasure: Erasure) -> bool:
        return await self._eraser.erase(erasure)

    async def entomb(self, user_id: str, memory_id: str) -> None:
        await self._eraser.entomb(user_id, memory_id)

    @property
    def erasures(self) -> Outbox[Erasure]:
        return self._erasures

    @property
    def unindexed(self) -> Outbox[Unindexed]:
        return self._unindexed

    async def index_plan(self) -> IndexPlan:
        async with self._server.use():
            return await read_plan(self._server)

    async def plan_index(self, plan: IndexPlan, expected: IndexPlan) -> bool:
        async with self._server.use() as database:
            filter = {"_id": "plan", "serving": expected.serving, "building": expected.building}
            change = {"$set": {"serving": plan.serving, "building": plan.building}}
            try:
                result = await database["meta"].update_one(filter, change, upsert=expected == IndexPlan())
            except DuplicateKeyError:
                return False
            if not result.matched_count and result.upserted_id is None:
                return False
        for encoder in encoders(expected):
            if encoder not in encoders(plan):
                await self._drop(index_queue(encoder))
        return True

    async def requeue(self, user_id: str | None = None) -> int:
        if user_id is None:
            async with self._server.use(BULK_SECONDS) as database:
                users = [user["user_id"] async for user in database["users"].find({"user": True}, {"user_id": 1})]
        else:
            users = [user_id]
        for one in users:
            await self._requeue_user(one)
        async with self._server.use(BULK_SECONDS) as database:
            wait: Document = {"queue": index_queue(self._encoder)}
            return await database["outbox"].count_documents(wait if user_id is None else {"user_id": user_id, **wait})

    async def count(self, before: int | None = None) -> int:
        if before is not None:
            return await self._deriver.count(before)
        async with self._server.use() as database:
            return await database["memories"].estimated_document_count()

    async def outdated(self, before: int, limit: int, cursor: str | None = None, *, since: int = 0) -> tuple[list[Memory], str | None]:
        return await self._deriver.outdated(before, limit, cursor, since) if limit > 0 else ([], cursor)

    async def rederive(self, user_id: str, memories: Sequence[Memory]) -> int:
        return await self._deriver.rederive(user_id, memories)

    async def lease(self, name: str, holder: str, seconds: float) -> bool:
        start = now()
        async with self._server.use() as database:
            filter = {"_id": name, "$or": [{"holder": holder}, {"until": {"$lte": start}}]}
            change = {"$set": {"holder": holder, "until": start + int(seconds * SECOND)}}
            try:
                await database["leases"].update_one(filter, change, upsert=True)
            except DuplicateKeyError:
                return False
            return True

    async def ping(self) -> None:
        async with self._server.use() as database:
            await database.command("ping")

    async def close(self) -> None:
        await self._server.close()

    @asynccontextmanager
    async def _finding(self) -> AsyncIterator[Finder]:
        async with self._server.use():
            yield self._finder

    async def _requeue_user(self, user_id: str) -> None:
        mine = {"_id": ident(user_id, ""), "user_id": user_id}
        async with self._server.use() as database:
            # A commit that still goes by an older plan conflicts with this and begins again; one that is through is seen below.
            await database["users"].update_one(mine, {"$inc": {"v": 1}})
            user = await database["users"].find_one(mine)
        for start in range(0, 0 if user is None else user["kept"], STEP):
            async with self._server.use(BULK_SECONDS) as database:
                filter = {"user_id": user_id, "n": {"$gte": start, "$lt": start + STEP}}
                found = await database["memories"].find(filter, {"id": 1, "n": 1, "received": 1}).to_list()
                if found:
                    await enqueue(self._server, user_id, self._encoder, found)

    async def _drop(self, queue: str) -> None:
        async with self._server.use(BULK_SECONDS) as database:
            waiting = [one["_id"] async for one in database["outbox"].find({"queue": {"$in": [queue, dead_queue(queue)]}}, {"_id": 1})]
        for batch in batches(waiting, STEP):
            async with self._server.use(BULK_SECONDS) as database:
                await database["outbox"].delete_many({"_id": {"$in": batch}})

    async def _load_unindexed(self, entries: Sequence[Document]) -> Mapping[str, Unindexed | Exception]:
        """What is left of a user who was deleted meanwhile is not given out."""
        users = list({entry["user_id"] for entry in entries})
        wanted = {ident(entry["user_id"], entry["id"]): entry for entry in entries}
        database = self._server.database
        memories, people = await asyncio.gather(
            database["memories"].find({"_id": {"$in": list(wanted)}, "user_id": {"$in": users}}, {"user_id": 1, "received": 1, "body": 1}).to_list(),
            database["users"]
            .find({"_id": {"$in": [ident(user, "") for user in users]}, "user_id": {"$in": users}}, {"user_id": 1, "cut": 1})
            .to_list(),
        )
        cuts = {person["user_id"]: person.get("cut", -1) for person in people}
        loaded: dict[str, Unindexed | Exception] = {}
        for memory in memories:
            if memory["received"] > cuts.get(memory["user_id"], -1):
                try:
                    loaded[wanted[memory["_id"]]["_id"]] = Unindexed(body(memory), memory["received"])
                except StoreRejected as error:
                    loaded[wanted[memory["_id"]]["_id"]] = error
        return loaded


async def _load_erasures(entries: Sequence[Document]) -> Mapping[str, Erasure | Exception]:
    loaded: dict[str, Erasure | Exception] = {}
    for entry in entries:
        try:
            loaded[entry["_id"]] = Erasure(entry["user_id"], entry["memory_id"], entry["cut"])
        except KeyError as error:
            loaded[entry["_id"]] = error
    return loaded
