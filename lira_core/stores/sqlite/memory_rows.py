"""The rows of one write: its event, its memories, and what each memory is looked up by."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from lira_core.stores.codec import dump, instant, load_memory
from lira_core.stores.ports import StoreRejected, Write
from lira_core.stores.sqlite import postings
from lira_core.stores.sqlite.connection import batches, insert_rows, marks
from lira_core.stores.sqlite.event_rows import EventRow
from lira_core.stores.sqlite.postings import MEMORIES, Place
from lira_core.types import Fact, Memory


class WriteRows:
    """A write, encoded before it is queued: the caller may go on and change its metadata. StoreRejected for what cannot be kept."""

    def __init__(self, write: Write) -> None:
        self.user_id, self.received = write.user_id, write.received
        for item in (write.event, *write.memories):
            if item is not None and item.user_id != write.user_id:
                raise StoreRejected(f"{type(item).__name__.lower()} {item.id} belongs to another user than {write.user_id}")
        try:
            self._event = None if write.event is None else EventRow(write.event, write.received)
            self._memories = [_Memory(memory, write.received, n) for n, memory in enumerate(write.memories)]
        except ValueError as error:
            raise StoreRejected(str(error)) from error
        about = () if write.event is None else (write.event.turn_id, *write.event.quotes)
        self.names = [*(memory.id for memory in write.memories), *about]

    def insert(self, connection: sqlite3.Connection, cut: int) -> list[str]:
        """The ids of the memories that are new. What was received until `cut` counts as gone, even where its rows are still there."""
        if self._event is not None:
            self._event.insert(connection, cut)
        added = [memory for memory in self._memories if memory.insert(connection, cut)]
        if added:
            terms = [memory.vocabulary for memory in added]
            postings.count(connection, MEMORIES, self.user_id, terms, sum(memory.length for memory in added))
        return [memory.id for memory in added]


class _Memory:
    def __init__(self, memory: Memory, received: int, n: int) -> None:
        self.id, self.length = memory.id, len(memory.terms)
        self._user_id = memory.user_id
        ts, offset = instant(memory.timestamp)
        feeling = memory.emotion.real if memory.emotion is not None else None
        label, score = (None, None) if feeling is None else (feeling.label, feeling.score)
        self._row = (self._user_id, self.id, ts, offset, received, n, label, score, self.length, dump(memory), memory.derived)
        self._place = (ts, received, n)
        self._facts, self.vocabulary = memory.facts, Counter(memory.terms)

    def insert(self, connection: sqlite3.Connection, cut: int) -> bool:
        statement = (
            "INSERT INTO memories (user_id, id, ts, utc_offset, received, n, feeling, feeling_score, length, body, derived)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        )
        added = connection.execute(statement, self._row)
        if added.rowcount != 1:
            old = connection.execute("SELECT received FROM memories WHERE user_id = ? AND id = ?", (self._user_id, self.id)).fetchone()
            if old is None or old[0] > cut:
                return False
            delete_memory(connection, self._user_id, self.id, counted=False)
            added = connection.execute(statement, self._row)
        seq = added.lastrowid
        assert seq is not None, "a row was added"
        place = (*self._place, seq)
        add_facts(connection, self._user_id, place, self._facts)
        postings.add(connection, MEMORIES, self._user_id, place, self.vocabulary, self.length)
        return True


def readable(body: str) -> Memory | None:
    """None for one that was damaged."""
    try:
        return load_memory(body)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def read(memory_id: str, body: str) -> Memory:
    """StoreRejected for one that was damaged; nothing else is: it was written by `codec.dump`."""
    if (memory := readable(body)) is None:
        raise StoreRejected(f"memory {memory_id} is damaged in the database; restore it or delete it")
    return memory


def add_facts(connection: sqlite3.Connection, user_id: str, place: Place, facts: Sequence[Fact]) -> None:
    """What a memory is found by as to its facts."""
    ts, received, n, seq = place
    rows = [(seq, i, user_id, fact.subject, fact.predicate, fact.key, ts, received, n) for i, fact in enumerate(facts)]
    insert_rows(connection, "INSERT INTO facts VALUES", rows)


def delete_memory(connection: sqlite3.Connection, user_id: str, memory_id: str, *, counted: bool) -> None:
    """It, its facts, its postings and its place in every queue for a vector. `counted` False: the tally leaves it out already."""
    seq, ts, received, n, length, body = connection.execute(
        "SELECT seq, ts, received, n, length, body FROM memories WHERE user_id = ? AND id = ?", (user_id, memory_id)
    ).fetchone()
    place = (ts, received, n, seq)
    memory = readable(body)
    terms = postings.terms_of(connection, MEMORIES, user_id, place) if memory is None else memory.terms
    postings.remove(connection, MEMORIES, user_id, place, terms)
    connection.execute("DELETE FROM memories WHERE seq = ?", (seq,))
    if counted:
        postings.uncount(connection, MEMORIES, user_id, length)
    leave_queues(connection, user_id, [memory_id])


def leave_queues(connection: sqlite3.Connection, user_id: str, memory_ids: Sequence[str]) -> None:
    """These wait for no encoder's vector any more."""
    for (queue,) in connection.execute("SELECT queue FROM queues WHERE queue >= 'unindexed:' AND queue < 'unindexed;'").fetchall():
        for some in batches(memory_ids):
            connection.execute(f"DELETE FROM outbox WHERE queue = ? AND user_id = ? AND id IN ({marks(len(some))})", [queue, user_id, *some])
