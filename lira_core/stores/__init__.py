"""Where LIRA keeps things, chosen by role."""

from __future__ import annotations

import os
from dataclasses import dataclass

from lira_core.stores.ports import Memories, ShortTerm, StoreError, Vectors
from lira_core.stores.sqlite import Database, SqliteMemories, SqliteShortTerm, SqliteVectors

__all__ = ["StoreError", "Stores", "open_stores"]


@dataclass(frozen=True, slots=True)
class Stores:
    """The three roles; `close` waits for the writes under way."""

    short_term: ShortTerm
    memories: Memories
    vectors: Vectors

    async def close(self) -> None:
        for store in (self.short_term, self.memories, self.vectors):
            await store.close()


def open_stores(short_term_url: str, record_url: str, vectors_url: str, *, ttl_seconds: float, max_messages: int) -> Stores:
    """Open what the three URLs name; equal ones share one file and one writer.

    `sqlite:///data/lira.db` is relative to the working folder, `sqlite:////var/lib/lira.db` absolute. `ttl_seconds` is how long a session
    outlives its last turn, `max_messages` how many of its messages are kept. Blocks while files are opened. ValueError for a URL
    that names nothing LIRA can open, StoreError for a file that cannot be used.
    """
    paths = [
        _path(role, url)
        for role, url in (("LIRA_SHORT_TERM_URL", short_term_url), ("LIRA_RECORD_URL", record_url), ("LIRA_VECTORS_URL", vectors_url))
    ]
    databases: dict[str, Database] = {}
    try:
        for path in paths:
            if path not in databases:
                databases[path] = Database(path)
    except StoreError:
        for database in databases.values():
            database.shut()
        raise
    short_term, record, vectors = (databases[path] for path in paths)
    return Stores(SqliteShortTerm(short_term, ttl_seconds=ttl_seconds, max_messages=max_messages), SqliteMemories(record), SqliteVectors(vectors))


def _path(role: str, url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if not separator:
        raise ValueError(f"{role} is no URL: {url!r}; what can be used now: sqlite:///PATH")
    if scheme != "sqlite":
        raise ValueError(f"{role} has the scheme {scheme!r}; what can be used now: sqlite:///PATH")
    if not rest.startswith("/") or rest in ("/", "/:memory:") or rest.endswith("/"):
        raise ValueError(f"{role} names no file: {url!r}; write sqlite:///relative/path.db or sqlite:////absolute/path.db")
    return os.path.realpath(rest[1:])
