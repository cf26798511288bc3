"""Sessions in SQLite. A user's deletion is a cut that every reader looks past; what lies behind it goes afterwards, a little at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import orjson

from lira_core.stores.codec import dump, instant, load_buffer, moment
from lira_core.stores.ports import Answer, Forgotten, SessionTurn, StoreRejected
from lira_core.stores.sqlite import answers
from lira_core.stores.sqlite.connection import insert_rows
from lira_core.stores.sqlite.cuts import check, clear_behind, cut_of, entomb, entombed, set_cut
from lira_core.stores.sqlite.database import Database
from lira_core.types import Message, Session

SWEEP_EVERY = 16
SWEEP_AT_ONCE = 64
"""Appends between two sweeps of what has expired (the first append sweeps too), and sessions in one: more than come new between two."""
REMEMBERED_SECONDS = 2 * 86_400
"""How long deletions and turn ids are remembered; the ports ask for a day."""
ROWS_AT_ONCE = 500
"""Rows that one step of a user's deletion takes away, a session's messages at least: other writers have their turn after each."""

_SESSION = "user_id = ? AND session_id = ?"


class SqliteShortTerm:
    """`ShortTerm` on one file; `now` is the wall clock."""

    def __init__(
        self,
        database: Database,
        *,
        ttl_seconds: float,
        max_messages: int,
        answers_ttl_seconds: float,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._ttl = round(ttl_seconds * 1_000_000)
        self._answers_ttl = round(answers_ttl_seconds * 1_000_000)
        self._max_messages = max_messages
        self._now = now
        self._appends = 0

    async def append(self, user_id: str, session_id: str, turn: SessionTurn) -> None:
        touched, key = self._wall(), (user_id, session_id)
        try:
            ts, offset = instant(turn.at)
            dump(turn.recalled)
        except ValueError as error:
            raise StoreRejected(str(error)) from error
        sweep = self._appends % SWEEP_EVERY == 0
        self._appends += 1

        def work(connection: sqlite3.Connection) -> None:
            if sweep:
                self._sweep(connection, touched)
            cut = check(connection, "short_term", user_id, turn.received, [turn.id, *turn.quotes])
            ended = connection.execute(f"SELECT cut FROM session_cuts WHERE {_SESSION}", key).fetchone()
            if ended is not None and turn.received <= ended[0]:
                raise Forgotten(f"the session was deleted after this turn was received at {turn.received}")
            floor = cut if ended is None else max(cut, ended[0])
            row = connection.execute(f"SELECT ts, utc_offset, next_n, received FROM sessions WHERE {_SESSION}", key).fetchone()
            if connection.execute(f"SELECT 1 FROM turns WHERE {_SESSION} AND turn_id = ? AND +received > ?", (*key, turn.id, floor)).fetchone():
                return
            if row is not None and (ts - row[0] >= self._ttl or row[3] <= cut):
                connection.execute(f"DELETE FROM sessions WHERE {_SESSION}", key)
                row = None
            last, last_offset, first_n, received = row or (ts, offset, 0, turn.received)
            if ts >= last:
                last, last_offset = ts, offset
            dead = entombed(connection, "short_term", user_id, [entry.memory_id for entry in turn.recalled if entry.memory_id is not None])
            buffer = dump(tuple(entry for entry in turn.recalled if entry.memory_id not in dead))
            connection.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET ts = excluded.ts,"
                " utc_offset = excluded.utc_offset, touched = excluded.touched, received = excluded.received, buffered = excluded.buffered,"
                " next_n = excluded.next_n, recalled = excluded.recalled",
                (*key, last, last_offset, touched, max(received, turn.received), turn.received, first_n + len(turn.messages), buffer),
            )
            connection.execute("INSERT OR REPLACE INTO turns VALUES (?, ?, ?, ?, ?)", (*key, turn.id, turn.received, touched))
            lines = [(*key, first_n + i, turn.received, turn.id, line.role, line.content) for i, line in enumerate(turn.messages)]
            insert_rows(connection, "INSERT INTO messages VALUES", lines)
            insert_rows(connection, "INSERT INTO session_quotes VALUES", [(*key, turn.id, quoted) for quoted in dict.fromkeys(turn.quotes)])
            if first_n + len(lines) > self._max_messages:
                self._trim(connection, key)

        await self._database.write(work)

    async def read(self, user_id: str, session_id: str, at: datetime | None = None, last: int | None = None) -> Session:
        wall, key = self._wall(), (user_id, session_id)
        try:
            asked = None if at is None else instant(at)[0]
        except ValueError as error:
            raise StoreRejected(str(error)) from error

        def work(connection: sqlite3.Connection) -> Session:
            cut = cut_of(connection, "short_term", user_id)
            row = connection.execute(
                f"SELECT ts, utc_offset, touched, buffered, recalled FROM sessions WHERE {_SESSION} AND +received > ?", (*key, cut)
            ).fetchone()
            if row is None:
                return Session()
            ts, offset, touched, buffered, buffer = row
            remaining = min(self._ttl - (wall - touched), self._ttl)
            if asked - ts >= self._ttl if asked is not None else remaining <= 0:
                return Session()
            lines = connection.execute(
                f"SELECT role, content, turn_id FROM messages WHERE {_SESSION} AND +received > ? ORDER BY n DESC LIMIT ?",
                (*key, cut, self._max_messages if last is None else max(last, 0)),
            ).fetchall()
            return Session(
                messages=tuple(Message(*line) for line in reversed(lines)),
                recalled=load_buffer(buffer) if buffered > cut else (),
                last_updated=moment(ts, offset),
                expires_in=max(-(-remaining // 1_000_000), 0),
            )

        return await self._database.read(work)

    # Deleting.

    async def delete(self, user_id: str, session_id: str, cut: int) -> None:
        touched, key = self._wall(), (user_id, session_id)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO session_cuts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET cut = max(cut, excluded.cut), touched = excluded.touched",
                (*key, cut, touched),
            )
            connection.execute(f"DELETE FROM sessions WHERE {_SESSION}", key)
            connection.execute(f"DELETE FROM turns WHERE {_SESSION} AND received <= ?", (*key, cut))

        await self._database.write(work, scrub=True)

    async def forget(self, user_id: str, memory_id: str) -> None:
        touched = self._wall()

        def work(connection: sqlite3.Connection) -> None:
            entomb(connection, "short_term", user_id, memory_id, touched)
            connection.execute("DELETE FROM messages WHERE user_id = ? AND turn_id = ?", (user_id, memory_id))
            quoting = connection.execute("SELECT session_id, turn_id FROM session_quotes WHERE user_id = ? AND memory_id = ?", (user_id, memory_id))
            for session_id, turn_id in quoting.fetchall():
                connection.execute(
                    "DELETE FROM messages WHERE user_id = ? AND turn_id = ? AND session_id = ? AND role = 'lira'", (user_id, turn_id, session_id)
                )
            _forget_in_buffers(connection, user_id, memory_id)
            answers.forget(connection, user_id, memory_id)

        await self._database.write(work, scrub=True)

    async def delete_user(self, user_id: str, cut: int) -> None:
        reached = await self._database.write(lambda connection: set_cut(connection, "short_term", user_id, cut))
        for step in (_sessions_step, _turns_step, answers.delete_step):
            await clear_behind(self._database, step, user_id, reached)
        await self._database.write(lambda connection: connection.execute("DELETE FROM session_cuts WHERE user_id = ?", (user_id,)), scrub=True)

    # Answers to requests that may come twice.

    async def begin(self, user_id: str, key: str, digest: str, received: int, seconds: float) -> Answer | None:
        wall = self._wall()
        return await self._database.write(
            lambda connection: answers.begin(connection, (user_id, key), digest, received, wall, wall + round(seconds * 1_000_000))
        )

    async def keep(self, user_id: str, key: str, digest: str, received: int, body: bytes, quotes: Sequence[str]) -> None:
        wall = self._wall()
        await self._database.write(
            lambda connection: answers.keep(connection, (user_id, key), digest, received, body, quotes, wall, wall + self._answers_ttl)
        )

    async def release(self, user_id: str, key: str) -> None:
        await self._database.write(lambda connection: answers.release(connection, (user_id, key)))

    async def ping(self) -> None:
        await self._database.ping()

    async def close(self) -> None:
        """Closes the file, for every role that shares it."""
        await self._database.close()

    def _wall(self) -> int:
        return instant(self._now())[0]

    def _trim(self, connection: sqlite3.Connection, key: tuple[str, str]) -> None:
        query = f"SELECT n FROM messages WHERE {_SESSION} ORDER BY n DESC LIMIT 1 OFFSET ?"
        newest_cut_off = connection.execute(query, (*key, self._max_messages)).fetchone()
        if newest_cut_off is None:
            return
        cut_off = (*key, *newest_cut_off)
        gone = connection.execute(f"SELECT DISTINCT turn_id FROM messages WHERE {_SESSION} AND n <= ? AND role = 'lira'", cut_off).fetchall()
        connection.executemany(f"DELETE FROM session_quotes WHERE {_SESSION} AND turn_id = ?", [(*key, turn_id) for (turn_id,) in gone])
        connection.execute(f"DELETE FROM messages WHERE {_SESSION} AND n <= ?", cut_off)

    def _sweep(self, connection: sqlite3.Connection, wall: int) -> None:
        connection.execute(
            "DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE touched <= ? LIMIT ?)", (wall - self._ttl, SWEEP_AT_ONCE)
        )
        answers.sweep(connection, wall, SWEEP_AT_ONCE)
        forgotten = wall - REMEMBERED_SECONDS * 1_000_000
        connection.execute(
            "DELETE FROM turns WHERE (user_id, session_id, turn_id) IN"
            " (SELECT user_id, session_id, turn_id FROM turns INDEXED BY turns_touched WHERE touched <= ? LIMIT ?)",
            (min(forgotten, wall - self._ttl), SWEEP_AT_ONCE),
        )
        connection.execute("DELETE FROM session_cuts WHERE touched <= ?", (forgotten,))
        for role in ("short_term", "deferred"):
            connection.execute("DELETE FROM tombstones WHERE role = ? AND touched <= ?", (role, forgotten))
            # A cut stays for as long as anything may lie behind it.
            connection.execute(
                "DELETE FROM cuts WHERE role = ? AND touched <= ? AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = cuts.user_id)"
                " AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.queue = 'deferred' AND o.user_id = cuts.user_id)",
                (role, forgotten),
            )


def _forget_in_buffers(connection: sqlite3.Connection, user_id: str, memory_id: str) -> None:
    # As the text of the buffer has it, without the quotation marks.
    written = orjson.dumps(memory_id).decode()[1:-1]
    rows = connection.execute("SELECT session_id, recalled FROM sessions WHERE user_id = ? AND instr(recalled, ?)", (user_id, written))
    for session_id, text in rows.fetchall():
        left = dump(tuple(entry for entry in load_buffer(text) if entry.memory_id != memory_id))
        connection.execute(f"UPDATE sessions SET recalled = ? WHERE {_SESSION}", (left, user_id, session_id))


def _sessions_step(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    """Takes what lies behind the cut out of some sessions; how many there were with any of it."""
    rows = connection.execute(
        "SELECT session_id, received FROM sessions s WHERE user_id = ? AND (buffered <= ? OR EXISTS"
        " (SELECT 1 FROM messages m WHERE m.user_id = s.user_id AND m.session_id = s.session_id AND m.received <= ?)) LIMIT ?",
        (user_id, cut, cut, ROWS_AT_ONCE),
    ).fetchall()
    taken = 0
    for session_id, received in rows:
        if received <= cut:
            taken += connection.execute(f"SELECT count(*) FROM messages WHERE {_SESSION}", (user_id, session_id)).fetchone()[0]
            connection.execute(f"DELETE FROM sessions WHERE {_SESSION}", (user_id, session_id))
        else:
            taken += connection.execute(f"DELETE FROM messages WHERE {_SESSION} AND received <= ?", (user_id, session_id, cut)).rowcount
            connection.execute(
                f"UPDATE sessions SET recalled = '[]', buffered = received WHERE {_SESSION} AND buffered <= ?", (user_id, session_id, cut)
            )
        if taken >= ROWS_AT_ONCE:
            break
    return len(rows)


def _turns_step(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    return connection.execute(
        "DELETE FROM turns WHERE (user_id, session_id, turn_id) IN"
        " (SELECT user_id, session_id, turn_id FROM turns WHERE user_id = ? AND received <= ? LIMIT ?)",
        (user_id, cut, ROWS_AT_ONCE),
    ).rowcount
