"""All three roles on SQLite files: the local profile. Roles whose URLs name the same file share it, and its one writer."""

from __future__ import annotations

import asyncio
import os

from lira_core.stores import Opening, StoreRejected, StoreUnavailable
from lira_core.stores.ports import Deferred, Record, ShortTerm, Vectors
from lira_core.stores.sqlite.database import Database
from lira_core.stores.sqlite.deferred import SqliteDeferred
from lira_core.stores.sqlite.record import SqliteRecord
from lira_core.stores.sqlite.short_term import SqliteShortTerm
from lira_core.stores.sqlite.vectors import SqliteVectors

__all__ = ["Database", "SqliteDeferred", "SqliteRecord", "SqliteShortTerm", "SqliteVectors", "open_record", "open_short_term", "open_vectors"]


async def open_short_term(opening: Opening) -> tuple[ShortTerm, Deferred]:
    database, options = await _database(opening), opening.options
    short_term = SqliteShortTerm(
        database,
        ttl_seconds=options.session_ttl_seconds,
        max_messages=options.session_max_messages,
        answers_ttl_seconds=options.answers_ttl_seconds,
    )
    return short_term, SqliteDeferred(database)


async def open_record(opening: Opening) -> Record:
    return SqliteRecord(await _database(opening), opening.options.encoder)


async def open_vectors(opening: Opening) -> Vectors:
    return SqliteVectors(await _database(opening), opening.options.encoder)


async def _database(opening: Opening) -> Database:
    """The one database of the path; StoreRejected, naming the setting, for a URL or a file that cannot be used."""
    path = _path(opening)
    key = f"sqlite:{path}"
    if key not in opening.shared:
        work = asyncio.create_task(asyncio.to_thread(Database, path))
        try:
            opening.shared[key] = await asyncio.shield(work)
        except asyncio.CancelledError:
            # The thread cannot be stopped, but what it opens is closed again.
            work.add_done_callback(lambda done: None if done.exception() else done.result().shut())
            raise
        except StoreRejected as error:
            raise StoreRejected(f"{opening.setting}: {error}") from error
        except StoreUnavailable as error:
            raise StoreUnavailable(f"{opening.setting}: {error}") from error
    database: Database = opening.shared[key]
    return database


def _path(opening: Opening) -> str:
    rest = opening.url.partition("://")[2]
    if not rest.startswith("/") or rest in ("/", "/:memory:") or rest.endswith("/"):
        raise StoreRejected(f"{opening.setting} names no file: {opening.url!r}; write sqlite:///relative/path.db or sqlite:////absolute/path.db")
    return os.path.realpath(rest[1:])
