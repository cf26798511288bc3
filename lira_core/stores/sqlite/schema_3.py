"""Schema 3: events are found by their words and by their session, and what was said before it is as well.

`n` of an event is 1 for a reply, 0 for what it answers: both have the same `ts` and `received`. `length` and `terms` are how many terms an
event has and which, so that its postings go with it. The other tables are to events what `terms`, `vocabulary` and `tallies` are to memories.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable

import orjson

AT_ONCE = 1000
"""Events that are held in memory at a time; the terms of a sentence take 0.5 ms to find (measured)."""

_TABLES = (
    "ALTER TABLE events ADD COLUMN n INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE events ADD COLUMN length INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE events ADD COLUMN terms TEXT NOT NULL DEFAULT '[]'",
    """CREATE TABLE event_terms (
        user_id TEXT NOT NULL, term TEXT NOT NULL, ts INTEGER NOT NULL, received INTEGER NOT NULL, n INTEGER NOT NULL,
        event INTEGER NOT NULL, frequency INTEGER NOT NULL, length INTEGER NOT NULL,
        PRIMARY KEY (user_id, term, ts, received, n, event)) WITHOUT ROWID""",
    "CREATE TABLE event_vocabulary (user_id TEXT NOT NULL, term TEXT NOT NULL, held INTEGER NOT NULL, PRIMARY KEY (user_id, term)) WITHOUT ROWID",
    "CREATE TABLE event_tallies (user_id TEXT PRIMARY KEY, events INTEGER NOT NULL, terms INTEGER NOT NULL) WITHOUT ROWID",
)

_LIVING = " FROM events e WHERE e.received > ifnull((SELECT cut FROM cuts c WHERE c.role = 'record' AND c.user_id = e.user_id), -9223372036854775808)"
"""What lies behind a user's cut is only still to be taken away."""


def _find_terms(connection: sqlite3.Connection) -> None:
    seq = 0
    while rows := connection.execute(
        f"SELECT e.seq, e.user_id, e.ts, e.received, e.n, e.text{_LIVING} AND e.seq > ? ORDER BY e.seq LIMIT ?", (seq, AT_ONCE)
    ).fetchall():
        # Here, so that a file without events is brought forward without loading the morphemes.
        from lira_core.languages.terms import terms

        for seq, user_id, ts, received, n, text in rows:
            found = terms(text)
            connection.execute("UPDATE events SET length = ?, terms = ? WHERE seq = ?", (len(found), orjson.dumps(found).decode(), seq))
            connection.executemany(
                "INSERT INTO event_terms VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [(user_id, term, ts, received, n, seq, frequency, len(found)) for term, frequency in Counter(found).items()],
            )


STEPS: tuple[str | Callable[[sqlite3.Connection], None], ...] = (
    *_TABLES,
    "UPDATE events SET n = 1 WHERE role = 'lira'",
    _find_terms,
    "INSERT INTO event_vocabulary SELECT user_id, term, count(*) FROM event_terms GROUP BY user_id, term",
    f"INSERT INTO event_tallies SELECT e.user_id, count(*), sum(e.length){_LIVING} GROUP BY e.user_id",
    # With `length`, so that a user's deletion counts what stays from the index alone.
    "DROP INDEX events_received",
    "CREATE INDEX events_received ON events (user_id, received, length)",
    "CREATE INDEX events_session ON events (user_id, session_id, ts, received, n)",
)
