"""The collections, their indexes, and how an older database becomes a current one.

- `events`, `memories`, `tombstones`: `_id` is `names.ident(user_id, id)`, so that the same write made twice meets itself.
  `n` counts a user's documents in the order they came, so that going over all of them takes bounded steps.
- `events` also hold what they are found by (`event_documents`).
- `users`: one document per user (cut, counters), one per list of theirs (`lists`), one per queue that they wait in (`outbox`).
- `summaries`: one document each, with the utterances it rests on.
- `outbox`: what waits. `leases`: who works. `meta`: the schema's version, the index plan.

Shard all of them but `leases` and `meta` by `user_id`: it leads every index that serves one person's query.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pymongo import ASCENDING, IndexModel
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import DuplicateKeyError

from lira_core.stores.mongo.schema_2 import find_old_talk
from lira_core.stores.mongo.schema_3 import make_summaries
from lira_core.stores.mongo.schema_4 import look_up_the_rules
from lira_core.stores.ports import StoreRejected

Database = AsyncDatabase[dict[str, Any]]
Step = Callable[[Database], Awaitable[None]]

APPLICATION = "lira"


async def _first(database: Database) -> None:
    indexes: dict[str, list[IndexModel]] = {
        # A deletion of one memory: the events of its turn and those that quote it. A deletion of all: in the order they came.
        "events": [
            IndexModel([("user_id", ASCENDING), ("about", ASCENDING)], name="events_about"),
            IndexModel([("user_id", ASCENDING), ("n", ASCENDING)], name="events_n"),
        ],
        # Every finder past the head of its list, and pages: `lists` holds the names of all lists that the memory is on.
        "memories": [
            IndexModel([("user_id", ASCENDING), ("g", ASCENDING), ("lists", ASCENDING), ("place", ASCENDING)], name="memories_lists"),
            IndexModel([("user_id", ASCENDING), ("n", ASCENDING)], name="memories_n"),
        ],
        "tombstones": [IndexModel([("user_id", ASCENDING), ("received", ASCENDING)], name="tombstones_received")],
        "users": [
            IndexModel([("user_id", ASCENDING), ("g", ASCENDING)], name="users_g"),
            IndexModel([("lane", ASCENDING), ("due", ASCENDING)], name="users_lane", sparse=True),
        ],
        "outbox": [
            IndexModel([("user_id", ASCENDING), ("queue", ASCENDING), ("n", ASCENDING)], name="outbox_n"),
            IndexModel([("queue", ASCENDING), ("buried", ASCENDING)], name="outbox_buried"),
        ],
    }
    for collection, models in indexes.items():
        await database[collection].create_indexes(models)


MIGRATIONS: tuple[Step, ...] = (_first, find_old_talk, make_summaries, look_up_the_rules)
"""Step i takes version i to i + 1. Each may run twice, or in two processes at once, and must then come to the same."""


async def migrate(database: Database, setting: str, steps: Sequence[Step] = MIGRATIONS) -> None:
    """StoreRejected for a database that a newer LIRA wrote, or another program."""
    version = await _version(database, setting)
    if version > len(steps):
        raise StoreRejected(
            f"{setting}: the database {database.name} was written by a newer LIRA (schema {version}, this one knows {len(steps)});"
            " update LIRA or name another database"
        )
    for reached, step in enumerate(steps[version:], start=version):
        await step(database)
        await database["meta"].update_one({"_id": "schema", "version": reached}, {"$set": {"version": reached + 1}})


async def _version(database: Database, setting: str) -> int:
    meta = database["meta"]
    mark = await meta.find_one({"_id": "schema"})
    if mark is None:
        strangers = [name for name in await database.list_collection_names() if not name.startswith("system.")]
        # Another process may have begun in between: it marks the database before it makes anything.
        mark = await meta.find_one({"_id": "schema"})
        if mark is None and strangers:
            raise StoreRejected(
                f"{setting}: the database {database.name} holds another program's data ({', '.join(sorted(strangers)[:5])});"
                " give LIRA a database of its own"
            )
    if mark is None:
        mark = {"_id": "schema", "application": APPLICATION, "version": 0}
        try:
            await meta.insert_one(mark)
        except DuplicateKeyError:
            mark = await meta.find_one({"_id": "schema"})
    if mark is None or mark.get("application") != APPLICATION or not isinstance(mark.get("version"), int):
        raise StoreRejected(f"{setting}: the database {database.name} holds another program's data (meta); give LIRA a database of its own")
    version: int = mark["version"]
    return version
