"""Deletion from the record in SQLite.

A user's deletion is a cut, which one short write sets: nothing received until then is found or written any more. What lies behind the cut goes
afterwards, a little at a time, so that other writers have their turn in between; whoever asks again goes on where the last one stopped.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from lira_core.stores.codec import dump
from lira_core.stores.ports import SWEEP_SECONDS, Erasure
from lira_core.stores.sqlite import postings, summaries
from lira_core.stores.sqlite.connection import batches, marks, now
from lira_core.stores.sqlite.cuts import clear_behind, cut_of, entomb, entombed, set_cut
from lira_core.stores.sqlite.database import Database
from lira_core.stores.sqlite.event_rows import delete_about
from lira_core.stores.sqlite.memory_rows import delete_memory, leave_queues
from lira_core.stores.sqlite.outbox import refresh, renew
from lira_core.stores.sqlite.postings import EVENTS, MEMORIES

ERASURES = "erasures"
ROWS_AT_ONCE = 256
"""How much one write takes away: it computes for 4 ms, before its commit (measured on a user of 100,000 memories, 2.4 s in all)."""


async def erase(database: Database, erasure: Erasure) -> bool:
    if erasure.memory_id is not None:
        memory_id = erasure.memory_id
        return await database.write(lambda connection: _erase_memory(connection, erasure, memory_id), scrub=True)
    user_id = erasure.user_id
    cut = await database.write(lambda connection: _cut(connection, erasure))
    for words in (MEMORIES, EVENTS):
        start: tuple[Any, ...] | None = postings.FIRST
        while start is not None:
            start = await database.write(postings.sweep_step(words, user_id, cut, start))
    for step in (summaries.waiting_step, summaries.behind_step, _memories, _events, _tombstones, _superseded):
        await clear_behind(database, step, user_id, cut)
    await database.write(lambda connection: _tidy(connection, user_id), scrub=True)
    return True


def _erase_memory(connection: sqlite3.Connection, erasure: Erasure, memory_id: str) -> bool:
    user_id = erasure.user_id
    cut = cut_of(connection, "record", user_id)
    there = connection.execute("SELECT received FROM memories WHERE user_id = ? AND id = ? AND +received > ?", (user_id, memory_id, cut)).fetchone()
    if there:
        delete_memory(connection, user_id, memory_id, counted=True)
    elif not entombed(connection, "record", user_id, [memory_id], cut):
        return False
    entomb(connection, "record", user_id, memory_id, max(erasure.cut, there[0] if there else erasure.cut))
    summaries.delete_about(connection, user_id, memory_id)
    delete_about(connection, user_id, memory_id, cut)
    _leave_sweep(connection, erasure)
    return True


def _cut(connection: sqlite3.Connection, erasure: Erasure) -> int:
    user_id = erasure.user_id
    cut = set_cut(connection, "record", user_id, erasure.cut)
    for words in (MEMORIES, EVENTS):
        postings.recount(connection, words, user_id, cut)
    _leave_sweep(connection, Erasure(user_id, None, cut))
    return cut


def _leave_sweep(connection: sqlite3.Connection, erasure: Erasure) -> None:
    """The rest of the deletion waits; one that waits with a later cut stays."""
    row = connection.execute("SELECT received FROM outbox WHERE queue = ? AND user_id = ? AND id = ?", (ERASURES, erasure.user_id, erasure.id))
    if (waiting := row.fetchone()) is None or waiting[0] < erasure.cut:
        due = now() + round(SWEEP_SECONDS * 1_000_000)
        renew(connection, ERASURES, erasure.user_id, (erasure.id, erasure.cut, dump(erasure)), due)


def _memories(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    rows = connection.execute(
        "SELECT seq, id FROM memories INDEXED BY memories_received WHERE user_id = ? AND received <= ? LIMIT ?", (user_id, cut, ROWS_AT_ONCE)
    ).fetchall()
    leave_queues(connection, user_id, [id for _, id in rows])
    for some in batches([seq for seq, _ in rows]):
        connection.execute(f"DELETE FROM memories WHERE seq IN ({marks(len(some))})", list(some))
    return len(rows)


def _events(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    return connection.execute(
        "DELETE FROM events WHERE seq IN (SELECT seq FROM events INDEXED BY events_received WHERE user_id = ? AND received <= ? LIMIT ?)",
        (user_id, cut, ROWS_AT_ONCE),
    ).rowcount


def _tombstones(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    return connection.execute(
        "DELETE FROM tombstones WHERE role = 'record' AND user_id = ? AND memory_id IN"
        " (SELECT memory_id FROM tombstones WHERE role = 'record' AND user_id = ? AND cut <= ? LIMIT ?)",
        (user_id, user_id, cut, ROWS_AT_ONCE),
    ).rowcount


def _superseded(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    """Deletions of single memories that the user's covers."""
    return connection.execute(
        "DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE queue = ? AND user_id = ? AND id <> '*' AND received <= ? LIMIT ?)",
        (ERASURES, user_id, cut, ROWS_AT_ONCE),
    ).rowcount


def _tidy(connection: sqlite3.Connection, user_id: str) -> None:
    for (queue,) in connection.execute("SELECT queue FROM queues").fetchall():
        if queue != "deferred":
            refresh(connection, queue, user_id)
            # Who is waited for by nobody is not named either.
            connection.execute("DELETE FROM rotation WHERE queue = ? AND user_id = ? AND due IS NULL", (queue, user_id))
