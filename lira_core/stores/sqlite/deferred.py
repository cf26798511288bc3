"""Writes and deletions that wait because the record is away, in SQLite."""

from __future__ import annotations

import sqlite3

from lira_core.stores.codec import dump, load_deferred
from lira_core.stores.ports import Erasure, Forgotten, StoreRejected, Write
from lira_core.stores.sqlite.connection import now
from lira_core.stores.sqlite.cuts import check, clear_behind, entomb, set_cut
from lira_core.stores.sqlite.database import Database
from lira_core.stores.sqlite.outbox import SqliteOutbox, put, refresh, renew

DEFERRED = "deferred"
WRITES_AT_ONCE = 256
"""Waiting writes that one step of a user's deletion takes away: other writers have their turn after each."""


class SqliteDeferred(SqliteOutbox[Write | Erasure]):
    """`Deferred` on one file. A write has a `received`, an erasure has none: no cut ends it."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, DEFERRED, lambda text, _: load_deferred(text), role="deferred")

    async def put(self, item: Write | Erasure) -> None:
        try:
            payload = dump(item)
        except ValueError as error:
            raise StoreRejected(str(error)) from error
        if isinstance(item, Erasure):
            await self._database.write(lambda connection: _put_erasure(connection, item, payload))
        else:
            _check_owner(item)
            await self._database.write(lambda connection: _put_write(connection, item, payload))

    async def forget(self, user_id: str, memory_id: str) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            entomb(connection, "deferred", user_id, memory_id, now())
            rows = connection.execute("SELECT seq, carried FROM outbox_names WHERE user_id = ? AND name = ?", (user_id, memory_id)).fetchall()
            connection.executemany("DELETE FROM outbox WHERE seq = ?", [(seq,) for seq, _ in rows])
            _tidy(connection, user_id)
            return any(carried for _, carried in rows)

        return await self._database.write(work, scrub=True)

    async def delete_user(self, user_id: str, cut: int) -> None:
        reached = await self._database.write(lambda connection: set_cut(connection, "deferred", user_id, cut))

        await clear_behind(self._database, _writes_step, user_id, reached)
        await self._database.write(lambda connection: _tidy(connection, user_id), scrub=True)

    async def ping(self) -> None:
        await self._database.ping()

    async def close(self) -> None:
        """Closes the file, for every role that shares it."""
        await self._database.close()


def _put_write(connection: sqlite3.Connection, write: Write, payload: str) -> None:
    turn, quotes = ((), ()) if write.event is None else ((write.event.turn_id,), write.event.quotes)
    carried = {memory.id for memory in write.memories}
    names = list(dict.fromkeys((*(memory.id for memory in write.memories), *turn, *quotes)))
    check(connection, "deferred", write.user_id, write.received, names)
    there = connection.execute(
        "SELECT received FROM outbox WHERE queue = ? AND user_id = ? AND id = ?", (DEFERRED, write.user_id, write.id)
    ).fetchone()
    if there is not None:
        if there[0] is None:
            raise Forgotten("the deletion of the memory that this carries is waiting")
        return
    put(connection, DEFERRED, write.user_id, [(write.id, write.received, payload)], now())
    (seq,) = connection.execute("SELECT seq FROM outbox WHERE queue = ? AND user_id = ? AND id = ?", (DEFERRED, write.user_id, write.id)).fetchone()
    connection.executemany("INSERT INTO outbox_names VALUES (?, ?, ?, ?)", [(seq, write.user_id, name, name in carried) for name in names])


def _put_erasure(connection: sqlite3.Connection, erasure: Erasure, payload: str) -> None:
    there = connection.execute(
        "SELECT seq, received, payload FROM outbox WHERE queue = ? AND user_id = ? AND id = ?", (DEFERRED, erasure.user_id, erasure.id)
    ).fetchone()
    if there is None:
        put(connection, DEFERRED, erasure.user_id, [(erasure.id, None, payload)], now())
    elif there[1] is not None or _cut_in(there[2]) < erasure.cut:
        # It takes the place of the write it forbids, or of itself with a lower cut; whoever holds that does not end this one.
        connection.execute("DELETE FROM outbox_names WHERE seq = ?", (there[0],))
        renew(connection, DEFERRED, erasure.user_id, (erasure.id, None, payload), now())


def _cut_in(payload: str) -> int:
    try:
        return load_deferred(payload).cut  # type: ignore[union-attr]
    except (ValueError, KeyError, TypeError, AttributeError):
        return -(2**63)


def _writes_step(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    return connection.execute(
        "DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE queue = ? AND user_id = ? AND received <= ? LIMIT ?)",
        (DEFERRED, user_id, cut, WRITES_AT_ONCE),
    ).rowcount


def _tidy(connection: sqlite3.Connection, user_id: str) -> None:
    refresh(connection, DEFERRED, user_id)
    # Who is waited for by nobody is not named either.
    connection.execute("DELETE FROM rotation WHERE queue = ? AND user_id = ? AND due IS NULL", (DEFERRED, user_id))


def _check_owner(write: Write) -> None:
    for item in (write.event, *write.memories):
        if item is not None and item.user_id != write.user_id:
            raise StoreRejected(f"a write of another user than {write.user_id} cannot be deferred for them: {item.id}")
