"""What rules derived from memories in SQLite: which of them older rules did, and what newer ones put in its place."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import orjson

from lira_core.stores.codec import dump
from lira_core.stores.ports import StoreRejected
from lira_core.stores.sqlite import postings
from lira_core.stores.sqlite.cuts import NO_CUT, cut_of
from lira_core.stores.sqlite.memory_rows import add_facts, readable
from lira_core.stores.sqlite.postings import MEMORIES
from lira_core.types import Memory

REDERIVED_AT_ONCE = 32
"""Memories that one write changes: other writers have their turn after it. Each takes 0.2 ms where everything changes (measured)."""


def count(connection: sqlite3.Connection, before: int) -> int:
    (found,) = connection.execute(
        "SELECT count(*) FROM memories m WHERE derived < ?"
        " AND received > ifnull((SELECT cut FROM cuts c WHERE c.role = 'record' AND c.user_id = m.user_id), ?)",
        (before, NO_CUT),
    ).fetchone()
    return int(found)


def outdated(connection: sqlite3.Connection, before: int, limit: int, cursor: str | None, since: int) -> tuple[list[Memory], str | None]:
    start = [since, "", 0, 0] if cursor is None else orjson.loads(cursor)
    rows = connection.execute(
        "SELECT derived, user_id, received, seq, body FROM memories INDEXED BY memories_derived"
        " WHERE derived < ? AND (derived, user_id, received, seq) > (?, ?, ?, ?) ORDER BY derived, user_id, received, seq LIMIT ?",
        (before, *start, limit + 1),
    ).fetchall()
    following = orjson.dumps(rows[limit - 1][:4]).decode() if len(rows) > limit else None
    cuts = {user_id: cut_of(connection, "record", user_id) for _, user_id, _, _, _ in rows}
    found = [readable(body) for _, user_id, received, _, body in rows[:limit] if received > cuts[user_id]]
    return [memory for memory in found if memory is not None], following


def rederive(connection: sqlite3.Connection, user_id: str, memories: Sequence[Memory]) -> list[tuple[str, int]]:
    """Those that hold other facts or terms now, each with when it was received."""
    cut = cut_of(connection, "record", user_id)
    received = [(memory.id, _rederive(connection, user_id, memory, cut)) for memory in memories]
    return [(id, moment) for id, moment in received if moment is not None]


def _rederive(connection: sqlite3.Connection, user_id: str, new: Memory, cut: int) -> int | None:
    """When it was received, if it holds other facts or terms now."""
    row = connection.execute(
        "SELECT seq, ts, received, n, length, body FROM memories WHERE user_id = ? AND id = ? AND +received > ? AND +derived < ?",
        (user_id, new.id, cut, new.derived),
    ).fetchone()
    old = None if row is None else readable(row[5])
    if old is None or (old.text, old.timestamp) != (new.text, new.timestamp):
        return None
    seq, ts, received, n, length, _ = row
    place = (ts, received, n, seq)
    try:
        body = dump(replace(old, facts=new.facts, terms=new.terms, derived=new.derived))
    except ValueError as error:
        raise StoreRejected(f"memory {new.id}: {error}") from error
    connection.execute("UPDATE memories SET derived = ?, length = ?, body = ? WHERE seq = ?", (new.derived, len(new.terms), body, seq))
    if new.facts != old.facts:
        connection.execute("DELETE FROM facts WHERE memory = ?", (seq,))
        add_facts(connection, user_id, place, new.facts)
    if new.terms != old.terms:
        frequencies = Counter(new.terms)
        postings.remove(connection, MEMORIES, user_id, place, old.terms)
        postings.uncount(connection, MEMORIES, user_id, length)
        postings.add(connection, MEMORIES, user_id, place, frequencies, len(new.terms))
        postings.count(connection, MEMORIES, user_id, [frequencies], len(new.terms))
    return int(received) if (new.facts, new.terms) != (old.facts, old.terms) else None
