"""What memories are found by in SQLite: each finder reads one index, newest first, past the user's cut."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from lira_core.stores.codec import moment
from lira_core.stores.ports import Hit
from lira_core.stores.sqlite.connection import batches, marks
from lira_core.stores.sqlite.cuts import cut_of

END_OF_TIME = 2**63 - 1
_NEWEST = " ORDER BY ts DESC, received DESC, n DESC"
_Place = tuple[int, int, int, int]
"""(ts, received, n, seq) of a memory: its order."""


def slots(connection: sqlite3.Connection, user_id: str, wanted: Sequence[tuple[str | None, str]], limit: int, until: int = END_OF_TIME) -> list[Hit]:
    cut = cut_of(connection, "record", user_id)
    found: set[_Place] = set()
    for subject, predicate in dict.fromkeys(wanted):
        clause, values = ("", (user_id, predicate)) if subject is None else (" AND subject = ?", (user_id, predicate, subject))
        found.update(
            connection.execute(
                f"SELECT DISTINCT ts, received, n, memory FROM facts WHERE user_id = ? AND predicate = ?{clause} AND ts <= ? AND +received > ?"
                f"{_NEWEST}, memory DESC LIMIT ?",
                (*values, until, cut, max(limit, 0)),
            ).fetchall()
        )
    return _hits(connection, sorted(found, reverse=True)[: max(limit, 0)])


def feeling(connection: sqlite3.Connection, user_id: str, label: str, minimum: float, limit: int, until: int = END_OF_TIME) -> list[Hit]:
    rows = connection.execute(
        "SELECT id, feeling_score FROM memories INDEXED BY memories_feeling"
        " WHERE user_id = ? AND feeling = ? AND ts <= ? AND feeling_score >= ? AND +received > ?"
        f"{_NEWEST} LIMIT ?",
        (user_id, label, until, minimum, cut_of(connection, "record", user_id), max(limit, 0)),
    ).fetchall()
    return [Hit(id, score) for id, score in rows]


def newest(connection: sqlite3.Connection, user_id: str, limit: int, until: int = END_OF_TIME) -> list[Hit]:
    rows = connection.execute(
        f"SELECT id FROM memories WHERE user_id = ? AND ts <= ? AND +received > ?{_NEWEST}, seq DESC LIMIT ?",
        (user_id, until, cut_of(connection, "record", user_id), max(limit, 0)),
    ).fetchall()
    return [Hit(id, 1.0) for (id,) in rows]


def holders(connection: sqlite3.Connection, user_id: str, keys: Sequence[str], until: int = END_OF_TIME) -> dict[str, tuple[datetime, str]]:
    cut = cut_of(connection, "record", user_id)
    found: dict[str, tuple[datetime, str]] = {}
    for some in batches(keys):
        rows = connection.execute(
            f"WITH asked (key) AS (VALUES {','.join(['(?)'] * len(some))})"
            " SELECT asked.key, m.ts, m.utc_offset, m.id FROM asked JOIN memories m ON m.seq ="
            " (SELECT memory FROM facts WHERE user_id = ? AND key = asked.key AND ts <= ? AND +received > ?"
            f"{_NEWEST}, memory DESC LIMIT 1)",
            [*some, user_id, until, cut],
        ).fetchall()
        found |= {key: (moment(ts, offset), id) for key, ts, offset, id in rows}
    return found


def _hits(connection: sqlite3.Connection, places: Sequence[_Place]) -> list[Hit]:
    """The memories at these places, in their order, score 1."""
    ids: dict[int, str] = {}
    for some in batches([place[3] for place in places]):
        ids |= dict(connection.execute(f"SELECT seq, id FROM memories WHERE seq IN ({marks(len(some))})", list(some)).fetchall())
    return [Hit(ids[place[3]], 1.0) for place in places]
