"""The row of one event, and what it is found by: its words, its session, the turn and the memories it goes with."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson

from lira_core.stores.codec import instant, moment
from lira_core.stores.ports import Scene
from lira_core.stores.sqlite import postings
from lira_core.stores.sqlite.connection import batches, insert_rows, marks
from lira_core.stores.sqlite.cuts import cut_of
from lira_core.stores.sqlite.postings import EVENTS, Place
from lira_core.types import Event

_ORDER = "ts, received, n, seq"
EVENT_COLUMNS = (
    "id, session_id, role, text, ts, utc_offset, turn_id, (SELECT json_group_array(memory_id) FROM quotes WHERE event = events.seq), terms"
)
"""What `load_row` reads."""


class EventRow:
    """An event, encoded before it is queued. ValueError for a time without a zone."""

    def __init__(self, event: Event, received: int) -> None:
        ts, offset = instant(event.timestamp)
        # A reply has the time of what it answers, and comes after it.
        n = int(event.role == "lira")
        self._user_id, self._id, self._place = event.user_id, event.id, (ts, received, n)
        self._terms, self._length = Counter(event.terms), len(event.terms)
        self._quotes = tuple(dict.fromkeys(event.quotes))
        self._row = (event.user_id, event.id, received, event.turn_id, event.session_id, event.role, event.text, ts, offset, n, self._length,
                     orjson.dumps(event.terms).decode())  # fmt: skip

    def insert(self, connection: sqlite3.Connection, cut: int) -> None:
        """What is there under its id stays, unless it was received until `cut`: that counts as gone."""
        old = connection.execute("SELECT seq FROM events WHERE user_id = ? AND id = ? AND received <= ?", (self._user_id, self._id, cut)).fetchone()
        if old is not None:
            delete_events(connection, self._user_id, old, counted=False)
        added = connection.execute(
            "INSERT INTO events (user_id, id, received, turn_id, session_id, role, text, ts, utc_offset, n, length, terms)"
            f" VALUES ({marks(len(self._row))}) ON CONFLICT DO NOTHING",
            self._row,
        )
        if added.rowcount != 1:
            return
        seq = added.lastrowid
        assert seq is not None, "a row was added"
        insert_rows(connection, "INSERT INTO quotes VALUES", [(self._user_id, memory_id, seq) for memory_id in self._quotes])
        postings.add(connection, EVENTS, self._user_id, (*self._place, seq), self._terms, self._length)
        postings.count(connection, EVENTS, self._user_id, [self._terms], self._length)


def delete_events(connection: sqlite3.Connection, user_id: str, seqs: Sequence[int], *, counted: bool) -> None:
    """These, their quotes and their postings. `counted` False: the tally leaves them out already."""
    for some in batches(seqs):
        query = f"SELECT ts, received, n, seq, length, terms FROM events WHERE seq IN ({marks(len(some))})"
        for *place, length, terms in connection.execute(query, list(some)).fetchall():
            postings.remove(connection, EVENTS, user_id, _place(place), orjson.loads(terms))
            if counted:
                postings.uncount(connection, EVENTS, user_id, length)
        connection.execute(f"DELETE FROM events WHERE seq IN ({marks(len(some))})", list(some))


def delete_about(connection: sqlite3.Connection, user_id: str, memory_id: str, cut: int) -> None:
    """The events of the memory's turn, and those that quote it."""
    found: dict[int, int] = {}
    for which in ("user_id = ? AND turn_id = ?", "seq IN (SELECT event FROM quotes WHERE user_id = ? AND memory_id = ?)"):
        found |= dict(connection.execute(f"SELECT seq, received FROM events WHERE {which}", (user_id, memory_id)).fetchall())
    delete_events(connection, user_id, [seq for seq, received in found.items() if received > cut], counted=True)
    delete_events(connection, user_id, [seq for seq, received in found.items() if received <= cut], counted=False)


def scenes(connection: sqlite3.Connection, user_id: str, ids: Sequence[str], reach: int, until: int) -> list[Scene]:
    cut = cut_of(connection, "record", user_id)
    found: dict[str, Scene] = {}
    for some in batches(ids):
        rows = connection.execute(
            f"SELECT {_ORDER}, {EVENT_COLUMNS} FROM events WHERE user_id = ? AND id IN ({marks(len(some))}) AND +received > ?", [user_id, *some, cut]
        ).fetchall()
        for row in rows:
            event = load_row(user_id, row[4:])
            beside = (user_id, event.session_id, *row[:4], until, cut, reach)
            before, after = (connection.execute(query, beside).fetchall() for query in (_BESIDE.format("<", "DESC"), _BESIDE.format(">", "ASC")))
            found[event.id] = Scene(event, tuple(load_row(user_id, one) for one in (*reversed(before), *after)))
    return [found[id] for id in dict.fromkeys(ids) if id in found]


_BESIDE = (
    f"SELECT {EVENT_COLUMNS} FROM events INDEXED BY events_session WHERE user_id = ? AND session_id = ? AND ({_ORDER}) {{0}} (?, ?, ?, ?)"
    " AND ts <= ? AND +received > ? ORDER BY ts {1}, received {1}, n {1}, seq {1} LIMIT ?"
)


def load_row(user_id: str, row: Sequence[Any]) -> Event:
    id, session_id, role, text, ts, offset, turn_id, quotes, terms = row
    return Event(id, user_id, session_id, role, text, moment(ts, offset), turn_id, tuple(orjson.loads(quotes)), tuple(orjson.loads(terms)))


def _place(columns: Sequence[int]) -> Place:
    ts, received, n, seq = columns
    return ts, received, n, seq
