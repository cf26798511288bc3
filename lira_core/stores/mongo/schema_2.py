"""Version 2: events are found by their words and by their session, and what was said before it is as well.

Whoever begins it again goes on with the events that have no `place` yet; each is counted in the step that gives it one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pymongo import ASCENDING, IndexModel
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.database import AsyncDatabase

from lira_core.stores.codec import dump
from lira_core.stores.mongo.event_documents import body, found_by
from lira_core.stores.mongo.lists import ident
from lira_core.stores.mongo.transactions import Transactions
from lira_core.stores.ports import StoreRejected

Database = AsyncDatabase[dict[str, Any]]

AT_ONCE = 128
"""Events in one transaction; the terms of a sentence take 0.5 ms to find (measured)."""
UNREADABLE: Mapping[str, Any] = {"place": "", "session": "", "role": "", "terms": [], "counts": [], "length": 0}
"""For an event that was damaged: nothing finds it, and deletions still do."""


async def find_old_talk(database: Database) -> None:
    await database["events"].create_indexes(
        [
            # `said`: the newest events that hold a term.
            IndexModel([("user_id", ASCENDING), ("g", ASCENDING), ("terms", ASCENDING), ("place", ASCENDING)], name="events_terms"),
            # `scenes`: what was said before and after it.
            IndexModel([("user_id", ASCENDING), ("g", ASCENDING), ("session", ASCENDING), ("place", ASCENDING)], name="events_session"),
        ]
    )
    transactions = Transactions(database.client)
    waiting: list[Mapping[str, Any]] = []
    async for event in database["events"].find({"place": {"$exists": False}}, {"user_id": 1}):
        if waiting and (len(waiting) >= AT_ONCE or event["user_id"] != waiting[0]["user_id"]):
            await _find(database, transactions, waiting)
            waiting = []
        waiting.append(event)
    if waiting:
        await _find(database, transactions, waiting)


async def _find(database: Database, transactions: Transactions, events: Sequence[Mapping[str, Any]]) -> None:
    """Of some events of one user."""
    user_id, ids = events[0]["user_id"], [event["_id"] for event in events]
    found = await database["events"].find({"_id": {"$in": ids}, "user_id": user_id}).to_list()
    drafts = await asyncio.to_thread(lambda: {event["_id"]: _draft(event) for event in found})
    await transactions.insist(partial(_put, database, user_id, drafts))


def _draft(event: Mapping[str, Any]) -> Mapping[str, Any]:
    # Here, so that a database without events is brought forward without loading the morphemes.
    from lira_core.languages.terms import terms

    try:
        said = body(event)
    except StoreRejected:
        return UNREADABLE
    said = replace(said, terms=tuple(terms(said.text)))
    return {**found_by(said, event["received"]), "body": dump(said)}


async def _put(database: Database, user_id: str, drafts: Mapping[str, Mapping[str, Any]], session: AsyncClientSession) -> None:
    mine = {"_id": ident(user_id, ""), "user_id": user_id}
    user = await database["users"].find_one(mine, session=session) or {"g": 0}
    still = {"_id": {"$in": list(drafts)}, "user_id": user_id, "place": {"$exists": False}}
    there = await database["events"].find(still, {"received": 1}, session=session).to_list()
    living = [event["_id"] for event in there if event["received"] > user.get("cut", -1)]
    # The change to the user's document is what a deletion under way conflicts with.
    counts = {"v": 1, "events": len(living), "event_terms": sum(drafts[id]["length"] for id in living)}
    await database["users"].update_one(mine, {"$inc": counts}, session=session)
    for event in there:
        # What lies behind the user's cut is of an earlier generation, which nobody counts.
        generation = user["g"] if event["_id"] in living else -1
        change = {"$set": {**drafts[event["_id"]], "g": generation}}
        await database["events"].update_one({"_id": event["_id"], "user_id": user_id}, change, session=session)
