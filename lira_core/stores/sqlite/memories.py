"""The record in SQLite: events, the memories derived from them, and what memories are looked up by."""

from __future__ import annotations

import base64
import binascii
import sqlite3
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

import orjson

from lira_core.stores.codec import dump, instant, load_memory, moment
from lira_core.stores.ports import Posting, TermMatches
from lira_core.stores.sqlite.database import Database, insert_rows, marks
from lira_core.types import Event, Memory

_END_OF_TIME = 2**63 - 1
_CURSOR = struct.Struct(">qq")
_CHECK = struct.Struct(">I")


class SqliteMemories:
    """`Memories` on one file. Of memories with equal timestamps the one written later is the newer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(self, user_id: str, event: Event | None, memory: Memory | None) -> None:
        for item in (event, memory):
            _check_owner(user_id, item)
        said = None if event is None else _event_row(event)
        kept = None if memory is None else _Row(memory)

        def work(connection: sqlite3.Connection) -> None:
            if said is not None:
                connection.execute(
                    "INSERT INTO events (user_id, id, session_id, role, text, ts, utc_offset) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    said,
                )
            if kept is not None:
                kept.insert(connection)

        await self._database.write(work)

    async def write_many(self, user_id: str, memories: Sequence[Memory]) -> None:
        for memory in memories:
            _check_owner(user_id, memory)
        rows = [_Row(memory) for memory in memories]

        def work(connection: sqlite3.Connection) -> None:
            for row in rows:
                row.insert(connection)

        await self._database.write(work)

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        """Those that exist and are this user's, in the order asked, each once."""
        asked = list(dict.fromkeys(ids))
        if not asked:
            return []

        def work(connection: sqlite3.Connection) -> list[Memory]:
            rows = connection.execute(f"SELECT id, body FROM memories WHERE user_id = ? AND id IN ({marks(len(asked))})", [user_id, *asked])
            bodies = dict(rows.fetchall())
            return [load_memory(bodies[id]) for id in asked if id in bodies]

        return await self._database.read(work)

    async def by_slots(self, user_id: str, slots: Sequence[tuple[str | None, str]], limit: int) -> list[Memory]:
        wanted = list(dict.fromkeys(slots))

        def work(connection: sqlite3.Connection) -> list[Memory]:
            found: set[tuple[int, int]] = set()
            for subject, predicate in wanted:
                clause, values = ("", (user_id, predicate)) if subject is None else (" AND subject = ?", (user_id, predicate, subject))
                found.update(
                    connection.execute(
                        f"SELECT DISTINCT ts, memory FROM facts WHERE user_id = ? AND predicate = ?{clause} ORDER BY ts DESC, memory DESC LIMIT ?",
                        (*values, max(limit, 0)),
                    ).fetchall()
                )
            newest = [memory for _, memory in sorted(found, reverse=True)[: max(limit, 0)]]
            return _in_order(connection, newest)

        return await self._database.read(work)

    async def by_terms(self, user_id: str, terms: Sequence[str]) -> TermMatches:
        """Every term asked is a key of `postings`, also one that nothing holds."""
        asked = list(dict.fromkeys(terms))

        def work(connection: sqlite3.Connection) -> TermMatches:
            memories, length = connection.execute("SELECT memories, terms FROM tallies WHERE user_id = ?", (user_id,)).fetchone() or (0, 0)
            # One row per term, not one per posting: every row fetched hands the interpreter lock over.
            rows = connection.execute(
                "SELECT term, json_group_array(memory_id), json_group_array(frequency), json_group_array(length)"
                f" FROM terms WHERE user_id = ? AND term IN ({marks(len(asked))}) GROUP BY term",
                [user_id, *asked],
            ).fetchall()
            postings: dict[str, Sequence[Posting]] = dict.fromkeys(asked, ())
            for term, *columns in rows:
                postings[term] = list(map(Posting, *map(orjson.loads, columns)))
            return TermMatches(memories, length / memories if memories else 0.0, postings)

        return await self._database.read(work)

    async def by_emotion(self, user_id: str, label: str, minimum: float, limit: int) -> list[Memory]:
        def work(connection: sqlite3.Connection) -> list[Memory]:
            rows = connection.execute(
                "SELECT body FROM memories WHERE user_id = ? AND feeling = ? AND feeling_score >= ? ORDER BY ts DESC, seq DESC LIMIT ?",
                (user_id, label, minimum, max(limit, 0)),
            ).fetchall()
            return [load_memory(body) for (body,) in rows]

        return await self._database.read(work)

    async def newest_of_keys(self, user_id: str, keys: Sequence[str], at: datetime | None = None) -> dict[str, tuple[datetime, str]]:
        asked = list(dict.fromkeys(keys))
        until = _END_OF_TIME if at is None else instant(at)[0]
        if not asked:
            return {}

        def work(connection: sqlite3.Connection) -> dict[str, tuple[datetime, str]]:
            rows = connection.execute(
                f"WITH asked (key) AS (VALUES {','.join(['(?)'] * len(asked))})"
                " SELECT asked.key, m.ts, m.utc_offset, m.id FROM asked JOIN memories m ON m.seq ="
                " (SELECT memory FROM facts WHERE user_id = ? AND key = asked.key AND ts <= ? ORDER BY ts DESC, memory DESC LIMIT 1)",
                [*asked, user_id, until],
            ).fetchall()
            return {key: (moment(ts, offset), id) for key, ts, offset, id in rows}

        return await self._database.read(work)

    async def page(self, user_id: str, limit: int, cursor: str | None) -> tuple[list[Memory], str | None]:
        clause, values = ("", ()) if cursor is None else (" AND (ts, seq) < (?, ?)", _read_cursor(cursor))

        def work(connection: sqlite3.Connection) -> tuple[list[Memory], str | None]:
            rows = connection.execute(
                f"SELECT ts, seq, body FROM memories WHERE user_id = ?{clause} ORDER BY ts DESC, seq DESC LIMIT ?",
                (user_id, *values, limit + 1),
            ).fetchall()
            following = _write_cursor(*rows[limit - 1][:2]) if len(rows) > limit else None
            return [load_memory(body) for _, _, body in rows[:limit]], following

        return await self._database.read(work) if limit > 0 else ([], cursor)

    async def delete(self, user_id: str, memory_id: str) -> bool:
        """True when it was this user's. The event that carries the memory's id goes with it."""
        key = (user_id, memory_id)

        def work(connection: sqlite3.Connection) -> bool:
            row = connection.execute("SELECT seq, length, body FROM memories WHERE user_id = ? AND id = ?", key).fetchone()
            if row is None:
                return False
            seq, length, body = row
            terms = set(load_memory(body).terms)
            connection.executemany(
                "DELETE FROM terms WHERE user_id = ? AND term = ? AND memory_id = ?", [(user_id, term, memory_id) for term in terms]
            )
            connection.execute("DELETE FROM memories WHERE seq = ?", (seq,))
            connection.execute("UPDATE tallies SET memories = memories - 1, terms = terms - ? WHERE user_id = ?", (length, user_id))
            connection.execute("DELETE FROM events WHERE user_id = ? AND id = ?", key)
            return True

        return await self._database.write(work, scrub=True)

    async def delete_user(self, user_id: str) -> None:
        def work(connection: sqlite3.Connection) -> None:
            for table in ("events", "terms", "memories", "tallies"):
                connection.execute(f"DELETE FROM {table} WHERE user_id = ?", (user_id,))

        await self._database.write(work, scrub=True)

    async def unindexed(self, limit: int) -> list[Memory]:
        def work(connection: sqlite3.Connection) -> list[Memory]:
            rows = connection.execute("SELECT body FROM memories WHERE indexed = 0 ORDER BY seq LIMIT ?", (max(limit, 0),)).fetchall()
            return [load_memory(body) for (body,) in rows]

        return await self._database.read(work)

    async def mark_indexed(self, user_id: str, ids: Sequence[str]) -> None:
        named = list(ids)
        if named:
            await self._database.write(
                lambda connection: connection.execute(
                    f"UPDATE memories SET indexed = 1 WHERE user_id = ? AND id IN ({marks(len(named))})", [user_id, *named]
                )
            )

    async def ping(self) -> None:
        await self._database.ping()

    async def close(self) -> None:
        """Closes the file, for every role that shares it."""
        await self._database.close()


class _Row:
    """One memory, encoded before it is queued: the caller may go on and change its metadata."""

    def __init__(self, memory: Memory) -> None:
        self._user_id, self._id = memory.user_id, memory.id
        self._ts, offset = instant(memory.timestamp)
        feeling = memory.emotion.real if memory.emotion is not None else None
        label, score = (None, None) if feeling is None else (feeling.label, feeling.score)
        self._length = length = len(memory.terms)
        self._memory = (self._user_id, self._id, self._ts, offset, label, score, length, dump(memory))
        self._facts = [(n, self._user_id, f.subject, f.predicate, f.key, self._ts) for n, f in enumerate(memory.facts)]
        self._terms = [(self._user_id, term, self._id, count, length) for term, count in Counter(memory.terms).items()]

    def insert(self, connection: sqlite3.Connection) -> None:
        added = connection.execute(
            "INSERT INTO memories (user_id, id, ts, utc_offset, feeling, feeling_score, length, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            self._memory,
        )
        if added.rowcount != 1:
            return
        seq = added.lastrowid
        insert_rows(connection, "INSERT INTO facts VALUES", [(seq, *fact) for fact in self._facts])
        insert_rows(connection, "INSERT INTO terms VALUES", self._terms)
        connection.execute(
            "INSERT INTO tallies VALUES (?, 1, ?) ON CONFLICT (user_id) DO UPDATE SET memories = memories + 1, terms = terms + excluded.terms",
            (self._user_id, self._length),
        )


def _check_owner(user_id: str, item: Event | Memory | None) -> None:
    if item is not None and item.user_id != user_id:
        raise ValueError(f"{type(item).__name__.lower()} {item.id} belongs to another user than {user_id}")


def _event_row(event: Event) -> tuple[str | int, ...]:
    return (event.user_id, event.id, event.session_id, event.role, event.text, *instant(event.timestamp))


def _in_order(connection: sqlite3.Connection, seqs: Sequence[int]) -> list[Memory]:
    rows: Iterable[tuple[int, str]] = connection.execute(f"SELECT seq, body FROM memories WHERE seq IN ({marks(len(seqs))})", seqs)
    bodies = dict(rows)
    return [load_memory(bodies[seq]) for seq in seqs]


def _write_cursor(ts: int, seq: int) -> str:
    place = _CURSOR.pack(ts, seq)
    return base64.urlsafe_b64encode(place + _CHECK.pack(zlib.crc32(place))).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[int, int]:
    try:
        raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        place, check = raw[: _CURSOR.size], raw[_CURSOR.size :]
        if _CHECK.pack(zlib.crc32(place)) != check:
            raise ValueError("its check does not match")
        ts, seq = _CURSOR.unpack(place)
    except (ValueError, binascii.Error, struct.error) as error:
        raise ValueError(f"the cursor is broken: {error}") from error
    return ts, seq
