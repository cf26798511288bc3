"""Summaries in MongoDB: each is one document that names the utterances it rests on (`turns`), and when the first of them was received (`oldest`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from pymongo.asynchronous.client_session import AsyncClientSession

from lira_core.stores.codec import dump, instant, load_summary
from lira_core.stores.mongo.event_documents import body
from lira_core.stores.mongo.finding import Finder
from lira_core.stores.mongo.lists import ident
from lira_core.stores.mongo.outbox import SECOND, dead_queue, now, remind
from lira_core.stores.mongo.server import BULK_SECONDS, Document, Server, Turns, allowance
from lira_core.stores.mongo.writing import touch
from lira_core.stores.ports import Forgotten, StoreRejected
from lira_core.stores.summaries import Utterance
from lira_core.types import Scope, Summary

UNSUMMARISED = "unsummarised"
STEP = 64
"""Summaries that one step of a user's deletion takes away."""


class Told:
    def __init__(self, server: Server, finder: Finder, turns: Turns) -> None:
        self._server = server
        self._finder = finder
        self._turns = turns

    async def utterances(self, user_id: str, session_id: str, limit: int) -> list[Utterance]:
        if limit <= 0:
            return []
        async with self._server.use(allowance(limit)) as database:
            person = await self._finder.person(user_id)
            filter = {"user_id": user_id, "g": person.generation, "session": session_id}
            fields = {"id": 1, "received": 1, "role": 1, "body": 1}
            found: list[Document] = []
            async with database["events"].find(filter, fields, batch_size=2 * limit).sort("place", -1) as events:
                async for event in events:
                    found += [event] if event["role"] == "user" else []
                    if len(found) == limit:
                        break
        return [Utterance(body(event), event["received"]) for event in reversed(found)]

    async def resummarise(self, user_id: str, session_id: str, received: int, after: float) -> None:
        due = now() + int(after * SECOND)

        async def work(session: AsyncClientSession) -> None:
            user = await touch(self._server, user_id, {}, session)
            if received > user.get("cut", -1):
                await remind(self._server, user_id, UNSUMMARISED, (session_id, user["said"], received), due, session)

        async with self._turns.of(user_id), self._server.use():
            await self._server.transactions.insist(work)

    async def put(self, user_id: str, scope: Scope, group: str, made: Sequence[Summary]) -> None:
        documents = _documents(user_id, scope, group, made)
        async with self._turns.of(user_id), self._server.use(allowance(len(documents))):
            await self._server.transactions.insist(partial(self._put, user_id, scope, group, documents))

    async def newest(self, user_id: str, scope: Scope, limit: int, since: datetime | None, until: datetime | None) -> list[Summary]:
        if limit <= 0:
            return []
        async with self._server.use(allowance(limit)) as database:
            person = await self._finder.person(user_id)
            filter: Document = {"user_id": user_id, "g": person.generation, "scope": scope}
            if since is not None:
                filter["ending"] = {"$gte": instant(since)[0]}
            latest, found = None if until is None else instant(until)[0], []
            async with database["summaries"].find(filter, {"start": 1, "body": 1}).sort([("ending", -1), ("_id", -1)]) as summaries:
                async for one in summaries:
                    found += [_summary(one)] if latest is None or one["start"] <= latest else []
                    if len(found) == limit:
                        break
        return found

    # What deletions take along.

    async def forget(self, user_id: str, turn_id: str, session: AsyncClientSession) -> None:
        """Those that rest on an utterance; part of its deletion, before its event goes."""
        found = await self._server.database["summaries"].find({"user_id": user_id, "turns": turn_id}, {"turns": 1}, session=session).to_list()
        await self._delete(user_id, found, session)

    async def sweep(self, user_id: str, cut: int) -> None:
        """Those that rest on what lies behind the cut, and what waits for nothing any more."""
        async with self._server.use(BULK_SECONDS) as database:
            waiting = {"user_id": user_id, "queue": {"$in": [UNSUMMARISED, dead_queue(UNSUMMARISED)]}, "received": {"$lte": cut}}
            await database["outbox"].delete_many(waiting)
        swept = STEP
        while swept == STEP:
            async with self._turns.of(user_id), self._server.use(BULK_SECONDS):
                swept = await self._server.transactions.insist(partial(self._sweep, user_id, cut))

    async def _sweep(self, user_id: str, cut: int, session: AsyncClientSession) -> int:
        behind = {"user_id": user_id, "oldest": {"$lte": cut}}
        found = await self._server.database["summaries"].find(behind, {"turns": 1}, session=session).limit(STEP).to_list()
        await self._delete(user_id, found, session)
        if len(found) < STEP:
            # Those that outlive the deletion are taken into the new generation.
            user = await touch(self._server, user_id, {}, session)
            old = {"user_id": user_id, "g": {"$lt": user["g"]}}
            await self._server.database["summaries"].update_many(old, {"$set": {"g": user["g"]}}, session=session)
        return len(found)

    async def _delete(self, user_id: str, found: Sequence[Document], session: AsyncClientSession) -> None:
        """These; each session that they rested on, and of which something is left, waits to be summed up anew."""
        if not found:
            return
        user = await touch(self._server, user_id, {}, session)
        database = self._server.database
        turns = {turn for summary in found for turn in summary["turns"]}
        mine = {"_id": {"$in": [ident(user_id, turn) for turn in turns]}, "user_id": user_id, "received": {"$gt": user.get("cut", -1)}}
        left: dict[str, int] = {}
        for event in await database["events"].find(mine, {"session": 1, "received": 1}, session=session).to_list():
            left[event["session"]] = max(event["received"], left.get(event["session"], 0))
        await database["summaries"].delete_many({"_id": {"$in": [summary["_id"] for summary in found]}, "user_id": user_id}, session=session)
        for session_id, received in left.items():
            await remind(self._server, user_id, UNSUMMARISED, (session_id, user["said"], received), now(), session)

    async def _put(self, user_id: str, scope: Scope, group: str, documents: Sequence[Document], session: AsyncClientSession) -> None:
        database = self._server.database
        # A deletion that is under way conflicts with this.
        user = await touch(self._server, user_id, {}, session)
        turns = {turn for one in documents for turn in one["turns"]}
        mine = {"_id": {"$in": [ident(user_id, turn) for turn in turns]}, "user_id": user_id, "received": {"$gt": user.get("cut", -1)}}
        events = await database["events"].find(mine, {"id": 1, "role": 1, "received": 1}, session=session).to_list() if turns else []
        received = {event["id"]: event["received"] for event in events if event.get("role") == "user"}
        if not received.keys() >= turns:
            raise Forgotten("an utterance that a summary rests on has been deleted")
        await database["summaries"].delete_many({"user_id": user_id, "scope": scope, "group": group}, session=session)
        if documents:
            whole = [{**one, "g": user["g"], "oldest": min(received[turn] for turn in one["turns"])} for one in documents]
            await database["summaries"].insert_many(whole, session=session)

    async def load(self, entries: Sequence[Document]) -> Mapping[str, str | Exception]:
        """The sessions that wait; what is left of a user who was deleted meanwhile is not given out."""
        users = list({entry["user_id"] for entry in entries})
        mine = {"_id": {"$in": [ident(user, "") for user in users]}, "user_id": {"$in": users}}
        people = await self._server.database["users"].find(mine, {"user_id": 1, "cut": 1}).to_list()
        cuts = {person["user_id"]: person.get("cut", -1) for person in people}
        return {entry["_id"]: entry["id"] for entry in entries if entry["received"] > cuts.get(entry["user_id"], -1)}


def _documents(user_id: str, scope: Scope, group: str, made: Sequence[Summary]) -> list[Document]:
    """StoreRejected for what is another user's, scope's or group's, and for what rests on nothing."""
    documents: list[Document] = []
    for n, summary in enumerate(made):
        if (summary.user_id, summary.scope, summary.group) != (user_id, scope, group) or not summary.lines:
            raise StoreRejected(f"a summary of {summary.scope} {summary.group} is not one of {scope} {group}, or rests on nothing")
        try:
            times = {"start": instant(summary.start)[0], "ending": instant(summary.end)[0], "body": dump(summary)}
        except ValueError as error:
            raise StoreRejected(f"a summary of {scope} {group} cannot be stored: {error}") from error
        name = {"_id": ident(user_id, f"{scope}/{len(group)}:{group}/{n:06}"), "user_id": user_id, "scope": scope, "group": group}
        documents.append({**name, **times, "turns": list(dict.fromkeys(summary.turns))})
    return documents


def _summary(document: Document) -> Summary:
    try:
        return load_summary(document["body"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreRejected(f"summary {document.get('_id')} is damaged in the database: {type(error).__name__}; delete it") from error
