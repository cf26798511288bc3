"""Sessions and deferred writes in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from lira_core.stores.codec import dump, instant, load_buffer, load_deferred, moment
from lira_core.stores.ports import Deferred
from lira_core.stores.sqlite.database import Database, insert_rows, marks
from lira_core.types import BufferEntry, Message, Session

SWEEP_EVERY = 256
"""Appends between two sweeps of what has expired (the first append sweeps too)."""


class SqliteShortTerm:
    """`ShortTerm` on one file.

    Expiry has two clocks. A turn brings its own time: the session is over when `at` is `ttl_seconds` past the latest turn's, so that
    an import of last year's talk behaves as it did then. Looked at from outside (`at` None), and for what is swept from the disk, the wall
    clock (`now`) counts from the last append.
    """

    def __init__(
        self,
        database: Database,
        *,
        ttl_seconds: float,
        max_messages: int,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._ttl = round(ttl_seconds * 1_000_000)
        self._max_messages = max_messages
        self._now = now
        self._appends = 0

    async def append(
        self, user_id: str, session_id: str, messages: Sequence[Message], recalled: Sequence[BufferEntry], at: datetime, turn_id: str
    ) -> None:
        ts, offset = instant(at)
        touched = self._wall()
        buffer = dump(recalled)
        lines = [(m.role, m.content) for m in messages]
        sweep = self._appends % SWEEP_EVERY == 0
        self._appends += 1
        key = (user_id, session_id)

        def work(connection: sqlite3.Connection) -> None:
            if sweep:
                self._sweep(connection, touched)
            row = connection.execute("SELECT ts, utc_offset, next_n FROM sessions WHERE user_id = ? AND session_id = ?", key).fetchone()
            if row is not None and ts - row[0] >= self._ttl:
                connection.execute("DELETE FROM sessions WHERE user_id = ? AND session_id = ?", key)
                row = None
            last, last_offset, first_n = row or (ts, offset, 0)
            if ts >= last:
                last, last_offset = ts, offset
            if (
                row is not None
                and connection.execute("SELECT 1 FROM turns WHERE user_id = ? AND session_id = ? AND turn_id = ?", (*key, turn_id)).fetchone()
            ):
                return
            next_n = first_n + len(lines)
            connection.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (user_id, session_id) DO UPDATE SET ts = excluded.ts,"
                " utc_offset = excluded.utc_offset, touched = excluded.touched, next_n = excluded.next_n, recalled = excluded.recalled",
                (*key, last, last_offset, touched, next_n, buffer),
            )
            connection.execute("INSERT INTO turns VALUES (?, ?, ?, ?)", (*key, turn_id, touched))
            insert_rows(connection, "INSERT INTO messages VALUES", [(*key, first_n + i, *line) for i, line in enumerate(lines)])
            if next_n > self._max_messages:
                connection.execute("DELETE FROM messages WHERE user_id = ? AND session_id = ? AND n < ?", (*key, next_n - self._max_messages))

        await self._database.write(work)

    async def read(self, user_id: str, session_id: str, at: datetime | None = None, last: int | None = None) -> Session:
        wall = self._wall()
        asked = None if at is None else instant(at)[0]
        key = (user_id, session_id)

        def work(connection: sqlite3.Connection) -> Session:
            row = connection.execute("SELECT ts, utc_offset, touched, recalled FROM sessions WHERE user_id = ? AND session_id = ?", key).fetchone()
            if row is None:
                return Session()
            ts, offset, touched, buffer = row
            remaining = min(self._ttl - (wall - touched), self._ttl)
            if asked - ts >= self._ttl if asked is not None else remaining <= 0:
                return Session()
            lines = connection.execute(
                "SELECT role, content FROM messages WHERE user_id = ? AND session_id = ? ORDER BY n DESC LIMIT ?",
                (*key, self._max_messages if last is None else max(last, 0)),
            ).fetchall()
            return Session(
                messages=tuple(Message(role, content) for role, content in reversed(lines)),
                recalled=load_buffer(buffer),
                last_updated=moment(ts, offset),
                expires_in=max(-(-remaining // 1_000_000), 0),
            )

        return await self._database.read(work)

    async def delete(self, user_id: str, session_id: str) -> None:
        await self._database.write(
            lambda connection: connection.execute("DELETE FROM sessions WHERE user_id = ? AND session_id = ?", (user_id, session_id)),
            scrub=True,
        )

    async def delete_user(self, user_id: str) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM sessions WHERE user_id = ?", (user_id,))
            connection.execute("DELETE FROM deferred WHERE user_id = ?", (user_id,))

        await self._database.write(work, scrub=True)

    async def defer(self, user_id: str, write: Deferred) -> None:
        if write.event.user_id != user_id or (write.memory is not None and write.memory.user_id != user_id):
            raise ValueError(f"a write of another user than {user_id} cannot be deferred for them")
        row = (user_id, write.event.id, dump(write))
        await self._database.write(
            lambda connection: connection.execute("INSERT INTO deferred (user_id, event_id, payload) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", row)
        )

    async def deferred(self, limit: int) -> list[Deferred]:
        def work(connection: sqlite3.Connection) -> list[Deferred]:
            rows = connection.execute("SELECT payload FROM deferred ORDER BY seq LIMIT ?", (max(limit, 0),)).fetchall()
            return [load_deferred(payload) for (payload,) in rows]

        return await self._database.read(work)

    async def settle(self, event_ids: Sequence[str]) -> None:
        ids = list(event_ids)
        if ids:
            await self._database.write(lambda connection: connection.execute(f"DELETE FROM deferred WHERE event_id IN ({marks(len(ids))})", ids))

    async def ping(self) -> None:
        await self._database.ping()

    async def close(self) -> None:
        """Closes the file, for every role that shares it."""
        await self._database.close()

    def _wall(self) -> int:
        return instant(self._now())[0]

    def _sweep(self, connection: sqlite3.Connection, wall: int) -> None:
        connection.execute("DELETE FROM sessions WHERE touched <= ?", (wall - self._ttl,))
        connection.execute("DELETE FROM turns WHERE touched <= ?", (wall - self._ttl,))
