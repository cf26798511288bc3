"""The rows of one write: its event, its memories, and what each memory is looked up by."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from lira_core.stores.codec import dump, instant, load_memory
from lira_core.stores.ports import StoreRejected, Write
from lira_core.stores.sqlite.connection import batches, insert_rows, marks
from lira_core.types import Event, Memory


class WriteRows:
    """A write, encoded before it is queued: the caller may go on and change its metadata. StoreRejected for what cannot be kept."""

    def __init__(self, write: Write) -> None:
        self.user_id, self.received = write.user_id, write.received
        for item in (write.event, *write.memories):
            if item is not None and item.user_id != write.user_id:
                raise StoreRejected(f"{type(item).__name__.lower()} {item.id} belongs to another user than {write.user_id}")
        try:
            self._event = None if write.event is None else _event_row(write.event, write.received)
            self._memories = [_Memory(memory, write.received, n) for n, memory in enumerate(write.memories)]
        except ValueError as error:
            raise StoreRejected(str(error)) from error
        self._quotes = () if write.event is None else tuple(dict.fromkeys(write.event.quotes))
        turn = () if write.event is None else (write.event.turn_id,)
        self.names = [*(memory.id for memory in write.memories), *turn, *self._quotes]

    def insert(self, connection: sqlite3.Connection, cut: int) -> list[str]:
        """The ids of the memories that are new. What was received until `cut` counts as gone, even where its rows are still there."""
        if self._event is not None:
            self._insert_event(connection, self._event, cut)
        added = [memory for memory in self._memories if memory.insert(connection, cut)]
        if added:
            held = Counter(term for memory in added for term in memory.vocabulary)
            insert_rows(
                connection,
                "INSERT INTO vocabulary VALUES",
                [(self.user_id, term, count) for term, count in held.items()],
                "ON CONFLICT DO UPDATE SET held = held + excluded.held",
            )
            connection.execute(
                "INSERT INTO tallies VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET memories = memories + excluded.memories,"
                " terms = terms + excluded.terms",
                (self.user_id, len(added), sum(memory.length for memory in added)),
            )
        return [memory.id for memory in added]

    def _insert_event(self, connection: sqlite3.Connection, row: Sequence[str | int], cut: int) -> None:
        user_id, id = row[:2]
        connection.execute("DELETE FROM events WHERE user_id = ? AND id = ? AND received <= ?", (user_id, id, cut))
        added = connection.execute(
            "INSERT INTO events (user_id, id, received, turn_id, session_id, role, text, ts, utc_offset)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            row,
        )
        if added.rowcount == 1:
            seq = added.lastrowid
            insert_rows(connection, "INSERT INTO quotes VALUES", [(user_id, memory_id, seq) for memory_id in self._quotes])


class _Memory:
    def __init__(self, memory: Memory, received: int, n: int) -> None:
        self.id, self.length = memory.id, len(memory.terms)
        self._user_id = memory.user_id
        ts, offset = instant(memory.timestamp)
        feeling = memory.emotion.real if memory.emotion is not None else None
        label, score = (None, None) if feeling is None else (feeling.label, feeling.score)
        self._row = (self._user_id, self.id, ts, offset, received, n, label, score, self.length, dump(memory))
        self._place = (ts, received, n)
        self._facts = [(i, self._user_id, f.subject, f.predicate, f.key, *self._place) for i, f in enumerate(memory.facts)]
        self.vocabulary = Counter(memory.terms)

    def insert(self, connection: sqlite3.Connection, cut: int) -> bool:
        statement = (
            "INSERT INTO memories (user_id, id, ts, utc_offset, received, n, feeling, feeling_score, length, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        )
        added = connection.execute(statement, self._row)
        if added.rowcount != 1:
            old = connection.execute("SELECT received FROM memories WHERE user_id = ? AND id = ?", (self._user_id, self.id)).fetchone()
            if old is None or old[0] > cut:
                return False
            delete_memory(connection, self._user_id, self.id, counted=False)
            added = connection.execute(statement, self._row)
        seq = added.lastrowid
        insert_rows(connection, "INSERT INTO facts VALUES", [(seq, *fact) for fact in self._facts])
        rows = [(self._user_id, term, *self._place, seq, count, self.length) for term, count in self.vocabulary.items()]
        insert_rows(connection, "INSERT INTO terms VALUES", rows)
        return True


def delete_memory(connection: sqlite3.Connection, user_id: str, memory_id: str, *, counted: bool) -> None:
    """It, its facts, its postings and its place in every queue for a vector. `counted` False: the tally leaves it out already."""
    seq, ts, received, n, length, body = connection.execute(
        "SELECT seq, ts, received, n, length, body FROM memories WHERE user_id = ? AND id = ?", (user_id, memory_id)
    ).fetchone()
    for term in dict.fromkeys(load_memory(body).terms):
        gone = connection.execute(
            "DELETE FROM terms WHERE user_id = ? AND term = ? AND ts = ? AND received = ? AND n = ? AND memory = ?",
            (user_id, term, ts, received, n, seq),
        )
        if gone.rowcount:
            connection.execute("UPDATE vocabulary SET held = held - 1 WHERE user_id = ? AND term = ?", (user_id, term))
            connection.execute("DELETE FROM vocabulary WHERE user_id = ? AND term = ? AND held <= 0", (user_id, term))
    connection.execute("DELETE FROM memories WHERE seq = ?", (seq,))
    if counted:
        connection.execute("UPDATE tallies SET memories = memories - 1, terms = terms - ? WHERE user_id = ?", (length, user_id))
    leave_queues(connection, user_id, [memory_id])


def leave_queues(connection: sqlite3.Connection, user_id: str, memory_ids: Sequence[str]) -> None:
    """These wait for no encoder's vector any more."""
    for (queue,) in connection.execute("SELECT queue FROM queues WHERE queue >= 'unindexed:' AND queue < 'unindexed;'").fetchall():
        for some in batches(memory_ids):
            connection.execute(f"DELETE FROM outbox WHERE queue = ? AND user_id = ? AND id IN ({marks(len(some))})", [queue, user_id, *some])


def _event_row(event: Event, received: int) -> tuple[str | int, ...]:
    return (event.user_id, event.id, received, event.turn_id, event.session_id, event.role, event.text, *instant(event.timestamp))
