"""Work that waits, in SQLite: one table for every queue, and a rotation of the users who have any.

A claim looks at the users whose turn it is and at the oldest entries of each, so it costs the same however many wait.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from lira_core.stores.ports import Backlog, DeadLetter, Entry
from lira_core.stores.sqlite.connection import batches, marks, now
from lira_core.stores.sqlite.cuts import NO_CUT, Role, cut_of
from lira_core.stores.sqlite.database import Database

P = TypeVar("P")

_SECOND = 1_000_000
_ENTRIES = (
    "SELECT o.seq, o.id, o.attempts, o.received, ifnull(o.payload, m.body) FROM outbox o INDEXED BY outbox_oldest"
    " LEFT JOIN memories m ON o.payload IS NULL AND m.user_id = o.user_id AND m.id = o.id"
    " WHERE o.queue = ? AND o.user_id = ? AND o.dead = 0 AND o.due <= ? AND ifnull(o.received > ?, 1) ORDER BY o.seq LIMIT ?"
)
_Row = tuple[str, str, int, int | None, str | None]


class SqliteOutbox(Generic[P]):
    """`Outbox` on one queue of the file. `load` makes a payload of its text and its `received`; `role` says whose cuts end what waits."""

    def __init__(self, database: Database, queue: str, load: Callable[[str, int], P], *, role: Role | None = None) -> None:
        self._database = database
        self._queue = queue
        self._load = load
        self._role = role

    async def claim(self, limit: int, seconds: float) -> list[Entry[P]]:
        # A look first: most of the time nothing is due, and a look holds no writer up.
        while limit > 0 and await self._database.read(lambda connection: _due_users(connection, self._queue, now(), 1) > 0):
            rows = await self._database.write(lambda connection: _claim(connection, self._queue, self._role, limit, seconds))
            entries = await self._entries(rows)
            # Only when all of it was unreadable is there something left to give now.
            if entries or not rows:
                return entries
        return []

    async def _entries(self, rows: Sequence[_Row]) -> list[Entry[P]]:
        """Those that can be read; the others are dead from now on."""
        entries: list[Entry[P]] = []
        broken: list[tuple[str, str, str]] = []
        for user_id, id, attempts, received, payload in rows:
            try:
                if payload is None:
                    raise LookupError
                entries.append(Entry(user_id, id, self._load(payload, received or 0), attempts))
            except Exception as error:  # noqa: BLE001  whatever is wrong with it must not stop the others
                # The type alone: a parser's message may quote what was said.
                broken.append((user_id, id, f"its payload cannot be read ({type(error).__name__})"))

        def bury(connection: sqlite3.Connection) -> None:
            for user_id, id, reason in broken:
                _bury(connection, self._queue, user_id, [id], reason)

        if broken:
            await self._database.write(bury)
        return entries

    async def done(self, user_id: str, ids: Sequence[str]) -> None:
        ids = tuple(ids)

        def work(connection: sqlite3.Connection) -> None:
            for some in batches(ids):
                which, values = f"queue = ? AND user_id = ? AND id IN ({marks(len(some))})", [self._queue, user_id, *some]
                connection.execute(f"DELETE FROM outbox WHERE {which} AND renewed = 0", values)
                connection.execute(f"UPDATE outbox SET renewed = 0, claimed = 0, attempts = 0, due = ? WHERE {which} AND dead = 0", [now(), *values])
            refresh(connection, self._queue, user_id)

        await self._some(ids, work)

    async def retry(self, user_id: str, ids: Sequence[str], reason: str, *, after: float, blame: bool) -> None:
        ids = tuple(ids)

        def work(connection: sqlite3.Connection) -> None:
            for some in batches(ids):
                # Only a claim that was not given back yet is taken off: the same call made twice counts once.
                connection.execute(
                    "UPDATE outbox SET attempts = attempts - (claimed AND NOT ?), claimed = 0, renewed = 0, due = ?, reason = ?"
                    f" WHERE queue = ? AND user_id = ? AND id IN ({marks(len(some))}) AND dead = 0",
                    [blame, now() + round(after * _SECOND), reason, self._queue, user_id, *some],
                )
            refresh(connection, self._queue, user_id)

        await self._some(ids, work)

    async def bury(self, user_id: str, ids: Sequence[str], reason: str) -> None:
        named = tuple(ids)
        await self._some(named, lambda connection: _bury(connection, self._queue, user_id, named, reason))

    async def revive(self) -> int:
        def work(connection: sqlite3.Connection) -> int:
            users = connection.execute("SELECT DISTINCT user_id FROM outbox INDEXED BY outbox_dead WHERE queue = ? AND dead = 1", (self._queue,))
            named = [user_id for (user_id,) in users.fetchall()]
            revived = connection.execute(
                "UPDATE outbox SET dead = 0, attempts = 0, reason = '', due = ? WHERE queue = ? AND dead = 1", (now(), self._queue)
            ).rowcount
            for user_id in named:
                wake(connection, self._queue, user_id, now())
            return revived

        return await self._database.write(work)

    async def backlog(self) -> Backlog:
        def work(connection: sqlite3.Connection) -> Backlog:
            waiting = connection.execute("SELECT count(*) FROM outbox INDEXED BY outbox_oldest WHERE queue = ? AND dead = 0", (self._queue,))
            dead = connection.execute("SELECT count(*) FROM outbox INDEXED BY outbox_dead WHERE queue = ? AND dead = 1", (self._queue,))
            return Backlog(waiting.fetchone()[0], dead.fetchone()[0])

        return await self._database.read(work)

    async def dead(self, limit: int) -> list[DeadLetter]:
        def work(connection: sqlite3.Connection) -> list[DeadLetter]:
            rows = connection.execute(
                "SELECT user_id, id, attempts, reason FROM outbox INDEXED BY outbox_dead WHERE queue = ? AND dead = 1 ORDER BY seq LIMIT ?",
                (self._queue, max(limit, 0)),
            )
            return [DeadLetter(*row) for row in rows.fetchall()]

        return await self._database.read(work)

    async def _some(self, ids: Sequence[str], work: Callable[[sqlite3.Connection], None]) -> None:
        if ids:
            await self._database.write(work)


def put(
    connection: sqlite3.Connection, queue: str, user_id: str, rows: Sequence[tuple[str, int | None, str | None]], due: int, *, claimed: bool = False
) -> None:
    """Let (id, received, payload) wait, as if claimed until `due` or not; an id that waits already, or is dead, stays as it is."""
    for id, received, payload in rows:
        connection.execute(
            "INSERT INTO outbox (queue, user_id, id, received, payload, due, attempts, claimed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (queue, user_id, id, received, payload, due, claimed, claimed),
        )
    if rows:
        wake(connection, queue, user_id, due)


def renew(connection: sqlite3.Connection, queue: str, user_id: str, row: tuple[str, int | None, str | None], due: int) -> None:
    """As `put`, but what is there already has to be done anew, also when somebody holds it and is about to call it done."""
    connection.execute(
        "INSERT INTO outbox (queue, user_id, id, received, payload, due) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " received = excluded.received, payload = excluded.payload, renewed = claimed, attempts = CASE WHEN claimed THEN attempts ELSE 0 END,"
        " due = CASE WHEN claimed THEN due ELSE excluded.due END, dead = 0, reason = ''",
        (queue, user_id, *row, due),
    )
    wake(connection, queue, user_id, due)


def remind(connection: sqlite3.Connection, queue: str, user_id: str, row: tuple[str, int, str], due: int) -> None:
    """As `put`, but what somebody holds is due once more when they call it done, and what was given up on is tried again."""
    connection.execute(
        "INSERT INTO outbox (queue, user_id, id, received, payload, due) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " received = max(received, excluded.received), renewed = claimed, attempts = CASE WHEN dead THEN 0 ELSE attempts END,"
        " due = CASE WHEN dead THEN excluded.due ELSE due END, dead = 0",
        (queue, user_id, *row, due),
    )
    wake(connection, queue, user_id, due)


def wake(connection: sqlite3.Connection, queue: str, user_id: str, due: int) -> None:
    """The user has something due then. Who is new comes before those of the latest claim and after all others."""
    connection.execute("INSERT INTO queues VALUES (?, 0) ON CONFLICT DO NOTHING", (queue,))
    connection.execute(
        "INSERT INTO rotation VALUES (?, ?, (SELECT claims - 1 FROM queues WHERE queue = ?), ?)"
        " ON CONFLICT DO UPDATE SET due = min(ifnull(due, excluded.due), excluded.due)",
        (queue, user_id, queue, due),
    )


def refresh(connection: sqlite3.Connection, queue: str, user_id: str) -> None:
    """When the user's next entry is due, after some were taken away or put off."""
    connection.execute(
        "UPDATE rotation SET due = (SELECT min(due) FROM outbox INDEXED BY outbox_due WHERE queue = ?1 AND user_id = ?2 AND dead = 0)"
        " WHERE queue = ?1 AND user_id = ?2",
        (queue, user_id),
    )


def _bury(connection: sqlite3.Connection, queue: str, user_id: str, ids: Sequence[str], reason: str) -> None:
    for some in batches(ids):
        connection.execute(
            "UPDATE outbox SET dead = 1, claimed = 0, renewed = 0, reason = ?"
            f" WHERE queue = ? AND user_id = ? AND id IN ({marks(len(some))}) AND dead = 0",
            [reason, queue, user_id, *some],
        )
    refresh(connection, queue, user_id)


def _due_users(connection: sqlite3.Connection, queue: str, moment: int, most: int) -> int:
    """How many users have something due, counted up to `most`."""
    query = "SELECT count(*) FROM (SELECT 1 FROM rotation INDEXED BY rotation_due WHERE queue = ? AND due <= ? LIMIT ?)"
    return int(connection.execute(query, (queue, moment, most)).fetchone()[0])


def _claim(connection: sqlite3.Connection, queue: str, role: Role | None, limit: int, seconds: float) -> list[_Row]:
    moment = now()
    users = _due_users(connection, queue, moment, limit)
    if not users:
        return []
    connection.execute("INSERT INTO queues VALUES (?, 1) ON CONFLICT DO UPDATE SET claims = claims + 1", (queue,))
    turn = connection.execute("SELECT claims FROM queues WHERE queue = ?", (queue,)).fetchone()[0]
    share = -(-limit // users)
    claimed: list[_Row] = []
    served: list[str] = []
    lease = moment + round(seconds * _SECOND)
    for (user_id,) in _whose_turn(connection, queue, moment, users):
        cut = NO_CUT if role is None else cut_of(connection, role, user_id)
        rows = connection.execute(_ENTRIES, (queue, user_id, moment, cut, min(share, limit - len(claimed)))).fetchall()
        for some in batches([row[0] for row in rows]):
            connection.execute(
                f"UPDATE outbox SET due = ?, attempts = attempts + 1, claimed = 1, renewed = 0 WHERE seq IN ({marks(len(some))})", [lease, *some]
            )
        claimed += [(user_id, id, attempts + 1, received, payload) for _, id, attempts, received, payload in rows]
        served += [user_id] if rows else []
        refresh(connection, queue, user_id)
        if len(claimed) >= limit:
            break
    for some_users in batches(served):
        connection.execute(f"UPDATE rotation SET served = ? WHERE queue = ? AND user_id IN ({marks(len(some_users))})", [turn, queue, *some_users])
    # Who was served and has nothing left is known until the next claim, in which they come last.
    connection.execute("DELETE FROM rotation INDEXED BY rotation_idle WHERE queue = ? AND due IS NULL AND served < ?", (queue, turn))
    return claimed


def _whose_turn(connection: sqlite3.Connection, queue: str, moment: int, users: int) -> list[Any]:
    query = "SELECT user_id FROM rotation INDEXED BY rotation_served WHERE queue = ? AND due <= ? ORDER BY served LIMIT ?"
    return connection.execute(query, (queue, moment, users)).fetchall()
