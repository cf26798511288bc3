"""Deleting: what decides is one transaction; what takes long comes after it, in bounded steps that any process may go on with.

A user is deleted by a new generation: their document gets the cut, their lists of earlier generations no longer count, and whatever was
received until the cut is no longer given out. The sweep then takes it all away.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pymongo.asynchronous.client_session import AsyncClientSession

from lira_core.stores.codec import load_memory
from lira_core.stores.mongo import lists
from lira_core.stores.mongo.finding import Finder, Person, body
from lira_core.stores.mongo.lists import ident, tombstone
from lira_core.stores.mongo.outbox import ERASURES, SECOND, entry_id, index_queue, now, opened
from lira_core.stores.mongo.server import BULK_SECONDS, Document, Server, Turns
from lira_core.stores.mongo.summaries import Told
from lira_core.stores.mongo.unlisting import unlist
from lira_core.stores.mongo.writing import batches, encoders, read_plan, touch
from lira_core.stores.ports import SWEEP_SECONDS, Erasure

STEP = 256
"""Documents that one step of a sweep goes over: on SecantusDB about 0.3 s, which is what others wait for at most."""


class Eraser:
    def __init__(self, server: Server, finder: Finder, turns: Turns, told: Told) -> None:
        self._server = server
        self._told = told
        self._finder = finder
        self._turns = turns

    async def erase(self, erasure: Erasure) -> bool:
        user_id, memory_id = erasure.user_id, erasure.memory_id
        async with self._turns.of(user_id):
            if memory_id is not None:
                async with self._server.use():
                    return await self._server.transactions.insist(partial(self._memory, user_id, memory_id, erasure.cut))
            async with self._server.use():
                unswept = await self._server.transactions.insist(partial(self._cut, user_id, erasure.cut))
        if unswept:
            await self._sweep(user_id)
        return True

    async def entomb(self, user_id: str, memory_id: str) -> None:
        async with self._turns.of(user_id), self._server.use():
            await self._server.transactions.insist(partial(self._entomb, user_id, memory_id, now()))

    # One memory.

    async def _memory(self, user_id: str, memory_id: str, cut: int, session: AsyncClientSession) -> bool:
        database = self._server.database
        mine = {"_id": ident(user_id, memory_id), "user_id": user_id}
        person = await self._finder.person(user_id, session)
        document = await database["memories"].find_one(mine, session=session)
        if document is not None and document["received"] > person.cut:
            await self._unlist(user_id, person, document, session)
            await database["memories"].delete_one(mine, session=session)
            queues = [index_queue(encoder) for encoder in encoders(await read_plan(self._server, session))]
            waiting = [entry_id(queue, user_id, memory_id) for queue in queues]
            await database["outbox"].delete_many({"_id": {"$in": waiting}, "user_id": user_id}, session=session)
        else:
            buried = {"_id": tombstone(user_id, memory_id), "user_id": user_id}
            if await database["tombstones"].find_one(buried, session=session) is None:
                return False
        await self._entomb(user_id, memory_id, cut, session)
        await self._remind(user_id, Erasure(user_id, memory_id, cut), session)
        return True

    async def _entomb(self, user_id: str, memory_id: str, received: int, session: AsyncClientSession) -> None:
        """The tombstone, and no event that says the memory or quotes it."""
        database = self._server.database
        # The change to the user's document is what a commit under way conflicts with.
        user = await touch(self._server, user_id, {}, session)
        mine = {"_id": tombstone(user_id, memory_id), "user_id": user_id}
        await database["tombstones"].update_one(mine, {"$max": {"received": received}}, upsert=True, session=session)
        await self._told.forget(user_id, memory_id, session)
        about = await database["events"].find({"user_id": user_id, "about": memory_id}, {"g": 1, "length": 1}, session=session).to_list()
        counted = [event["length"] for event in about if event.get("g") == user["g"]]
        if counted:
            await touch(self._server, user_id, {"events": -len(counted), "event_terms": -sum(counted)}, session)
        if about:
            await database["events"].delete_many({"_id": {"$in": [event["_id"] for event in about]}, "user_id": user_id}, session=session)

    async def _unlist(self, user_id: str, person: Person, document: Document, session: AsyncClientSession) -> None:
        """Takes the memory off its lists and out of the counts. One that no sweep has listed anew yet is on none."""
        if document["g"] != person.generation:
            return
        try:
            terms = len(load_memory(document["body"]).terms)
        except (ValueError, KeyError, TypeError, AttributeError):
            terms = 0
        await touch(self._server, user_id, {"memories": -1, "terms": -terms}, session)
        gone = {name: {document["id"]} for name in document["lists"]}
        await unlist(self._server, self._finder, user_id, person, gone, {}, session)

    # Everything of a user.

    async def _cut(self, user_id: str, cut: int, session: AsyncClientSession) -> bool:
        """True when something is to be swept away: by this deletion, or by an earlier one that was not finished."""
        users = self._server.database["users"]
        mine = {"_id": ident(user_id, ""), "user_id": user_id}
        user = await users.find_one(mine, session=session)
        known = -1 if user is None else user.get("cut", -1)
        if known < cut:
            await touch(self._server, user_id, {"g": 1}, session)
            uncounted = dict.fromkeys(("memories", "terms", "events", "event_terms"), 0)
            await users.update_one(mine, {"$set": {"cut": cut, "sweeping": True, **uncounted}}, session=session)
        await self._remind(user_id, Erasure(user_id, None, max(cut, known)), session)
        return known < cut or (user is not None and "sweeping" in user)

    async def _sweep(self, user_id: str) -> None:
        mine = {"_id": ident(user_id, ""), "user_id": user_id}
        async with self._server.use() as database:
            user = await database["users"].find_one(mine)
            queues = [index_queue(encoder) for encoder in encoders(await read_plan(self._server))]
        if user is None or "sweeping" not in user:
            return
        await self._told.sweep(user_id, user["cut"])
        survivors = False
        for start in range(user.get("swept", 0), user["kept"], STEP):
            survivors |= await self._sweep_memories(user_id, user, start, queues)
        for start in range(user.get("told", 0), user["said"], STEP):
            survivors |= await self._sweep_events(user_id, user, start)
        async with self._server.use(BULK_SECONDS) as database:
            await database["tombstones"].delete_many({"user_id": user_id, "received": {"$lte": user["cut"]}})
            await database["users"].delete_many({"user_id": user_id, "g": {"$lt": user["g"]}, "held": {"$exists": True}})
            # Where nothing was left the next sweep begins; where something was, it looks at everything again.
            done = {} if survivors else {"$set": {"swept": user["kept"], "told": user["said"]}}
            await database["users"].update_one({**mine, "g": user["g"]}, {"$unset": {"sweeping": ""}, **done})

    async def _sweep_memories(self, user_id: str, user: Document, start: int, queues: Sequence[str]) -> bool:
        """Deletes what was received until the cut among `STEP` memories, and lists the others anew; True when there are others."""
        async with self._server.use(BULK_SECONDS) as database:
            filter = {"user_id": user_id, "n": {"$gte": start, "$lt": start + STEP}}
            found = await database["memories"].find(filter, {"id": 1, "received": 1, "lists": 1, "g": 1}, batch_size=STEP).to_list()
            dead = [memory for memory in found if memory["received"] <= user["cut"]]
            if dead:
                named = list({ident(user_id, name) for memory in dead for name in memory["lists"]})
                for batch in batches(named, STEP):
                    await database["users"].delete_many({"_id": {"$in": batch}, "user_id": user_id, "g": {"$lt": user["g"]}})
                waiting = [entry_id(queue, user_id, memory["id"]) for queue in queues for memory in dead]
                await database["outbox"].delete_many({"_id": {"$in": waiting}, "user_id": user_id})
                # Last, because they say what else there is to delete.
                await database["memories"].delete_many({"_id": {"$in": [memory["_id"] for memory in dead]}, "user_id": user_id})
            old = [memory["_id"] for memory in found if memory["received"] > user["cut"] and memory["g"] < user["g"]]
            for batch in batches(old, 16):
                async with self._turns.of(user_id):
                    await self._server.transactions.insist(partial(self._relist, user_id, batch))
            return len(dead) < len(found)

    async def _relist(self, user_id: str, ids: Sequence[str], session: AsyncClientSession) -> None:
        """Takes memories that outlive a deletion into the new generation."""
        database = self._server.database
        user = await touch(self._server, user_id, {}, session)
        found = await database["memories"].find({"_id": {"$in": list(ids)}, "user_id": user_id}, session=session).to_list()
        old = [memory for memory in found if memory["g"] < user["g"] and memory["received"] > user.get("cut", -1)]
        if not old:
            return
        bodies = [body(memory) for memory in old]
        await touch(self._server, user_id, {"memories": len(old), "terms": sum(len(memory.terms) for memory in bodies)}, session)
        new = [lists.entries(memory, document["place"]) for memory, document in zip(bodies, old, strict=True)]
        for batch in batches(lists.added(user_id, user["g"], new, latest=user["latest"], stale=True)):
            await database["users"].bulk_write(batch, session=session)
        change = {"$set": {"g": user["g"]}}
        await database["memories"].update_many({"_id": {"$in": [memory["_id"] for memory in old]}, "user_id": user_id}, change, session=session)

    async def _sweep_events(self, user_id: str, user: Document, start: int) -> bool:
        """As `_sweep_memories`; the events that stay have only to be counted anew."""
        async with self._server.use(BULK_SECONDS) as database:
            filter = {"user_id": user_id, "n": {"$gte": start, "$lt": start + STEP}}
            found = await database["events"].find(filter, {"received": 1, "g": 1}, batch_size=STEP).to_list()
            dead = [event["_id"] for event in found if event["received"] <= user["cut"]]
            if dead:
                await database["events"].delete_many({"_id": {"$in": dead}, "user_id": user_id})
            old = [event["_id"] for event in found if event["received"] > user["cut"] and event.get("g", -1) < user["g"]]
            for batch in batches(old):
                async with self._turns.of(user_id):
                    await self._server.transactions.insist(partial(self._recount, user_id, batch))
            return len(dead) < len(found)

    async def _recount(self, user_id: str, ids: Sequence[str], session: AsyncClientSession) -> None:
        """Takes events that outlive a deletion into the new generation."""
        events = self._server.database["events"]
        user = await touch(self._server, user_id, {}, session)
        mine = {"_id": {"$in": list(ids)}, "user_id": user_id, "received": {"$gt": user.get("cut", -1)}}
        found = await events.find(mine, {"g": 1, "length": 1}, session=session).to_list()
        old = [event for event in found if event.get("g", -1) < user["g"]]
        if old:
            counts = {"events": len(old), "event_terms": sum(event.get("length", 0) for event in old)}
            await touch(self._server, user_id, counts, session)
            mine["_id"] = {"$in": [event["_id"] for event in old]}
            await events.update_many(mine, {"$set": {"g": user["g"]}}, session=session)

    # What both need.

    async def _remind(self, user_id: str, erasure: Erasure, session: AsyncClientSession) -> None:
        """Lets the erasure wait for its other half. One that waits with as late a cut stays; one that is worked on is due once more."""
        outbox = self._server.database["outbox"]
        mine = {"_id": entry_id(ERASURES, user_id, erasure.id), "user_id": user_id}
        known = await outbox.find_one(mine, {"cut": 1, "token": 1, "n": 1}, session=session)
        if known is not None and known["cut"] >= erasure.cut:
            return
        due = now() + int(SWEEP_SECONDS * SECOND)
        change: Document = {"queue": ERASURES, "id": erasure.id, "memory_id": erasure.memory_id, "cut": erasure.cut}
        if known is None:
            n = (await touch(self._server, user_id, {"erased": 1}, session))["erased"] + 1
            change |= {"n": n, "due": due, "attempts": 0}
        else:
            n = known["n"]
            change |= {"renewed": True} if "token" in known else {"due": due, "attempts": 0}
        await outbox.update_one(mine, {"$set": change}, upsert=True, session=session)
        await self._server.database["users"].bulk_write([opened(user_id, ERASURES, due, n, n)], session=session)
