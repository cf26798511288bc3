"""The first answers to requests that may come twice, in SQLite. A key is (user id, idempotency key)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from lira_core.stores.ports import Answer
from lira_core.stores.sqlite.connection import insert_rows
from lira_core.stores.sqlite.cuts import check, cut_of, entombed

ANSWERS_AT_ONCE = 100
"""Answers that one step of a user's deletion takes away: each may be some hundred kilobytes."""

Key = tuple[str, str]


def begin(connection: sqlite3.Connection, key: Key, digest: str, received: int, wall: int, expires: int) -> Answer | None:
    cut = check(connection, "short_term", key[0], received, [])
    row = connection.execute(
        "SELECT digest, body FROM answers WHERE user_id = ? AND key = ? AND expires > ? AND +received > ?", (*key, wall, cut)
    ).fetchone()
    if row is not None:
        return Answer(*row)
    _put(connection, key, digest, None, received, expires)
    return None


def keep(connection: sqlite3.Connection, key: Key, digest: str, received: int, body: bytes, quotes: Sequence[str], wall: int, expires: int) -> None:
    user_id = key[0]
    cut = cut_of(connection, "short_term", user_id)
    if received <= cut or entombed(connection, "short_term", user_id, quotes):
        connection.execute("DELETE FROM answers WHERE user_id = ? AND key = ? AND digest = ? AND body IS NULL", (*key, digest))
        return
    kept = connection.execute(
        "SELECT 1 FROM answers WHERE user_id = ? AND key = ? AND body IS NOT NULL AND expires > ? AND +received > ?", (*key, wall, cut)
    ).fetchone()
    if kept is None:
        _put(connection, key, digest, body, received, expires)
        insert_rows(connection, "INSERT INTO answer_quotes VALUES", [(*key, memory_id) for memory_id in dict.fromkeys(quotes)])


def release(connection: sqlite3.Connection, key: Key) -> None:
    connection.execute("DELETE FROM answers WHERE user_id = ? AND key = ? AND body IS NULL", key)


def forget(connection: sqlite3.Connection, user_id: str, memory_id: str) -> None:
    """The answers that quote the memory go; their keys are free again."""
    connection.execute(
        "DELETE FROM answers WHERE user_id = ? AND key IN (SELECT key FROM answer_quotes WHERE user_id = ? AND memory_id = ?)",
        (user_id, user_id, memory_id),
    )


def delete_step(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    """Takes some of what lies behind the cut; how many."""
    return connection.execute(
        "DELETE FROM answers WHERE rowid IN (SELECT rowid FROM answers WHERE user_id = ? AND received <= ? LIMIT ?)",
        (user_id, cut, ANSWERS_AT_ONCE),
    ).rowcount


def sweep(connection: sqlite3.Connection, wall: int, most: int) -> None:
    connection.execute("DELETE FROM answers WHERE rowid IN (SELECT rowid FROM answers WHERE expires <= ? LIMIT ?)", (wall, most))


def _put(connection: sqlite3.Connection, key: Key, digest: str, body: bytes | None, received: int, expires: int) -> None:
    # Deleted first, so that what the old row quoted goes too.
    connection.execute("DELETE FROM answers WHERE user_id = ? AND key = ?", key)
    connection.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?)", (*key, digest, body, received, expires))
