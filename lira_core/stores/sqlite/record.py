"""The record in SQLite: events, the memories derived from them, and what memories are looked up by."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from lira_core.stores.codec import instant, load_deferred, load_memory
from lira_core.stores.ports import EncoderId, Erasure, Hit, IndexPlan, Outbox, Scene, StoreRejected, Unindexed, Write
from lira_core.stores.sqlite import derived, erasing, finders, summaries
from lira_core.stores.sqlite.connection import batches, marks, now
from lira_core.stores.sqlite.cursor import read_cursor, write_cursor
from lira_core.stores.sqlite.cuts import check, cut_of, entomb
from lira_core.stores.sqlite.database import Database
from lira_core.stores.sqlite.event_rows import scenes
from lira_core.stores.sqlite.lexical import lexical
from lira_core.stores.sqlite.memory_rows import WriteRows, read, readable
from lira_core.stores.sqlite.outbox import SqliteOutbox, put, renew
from lira_core.stores.sqlite.postings import EVENTS, MEMORIES
from lira_core.stores.summaries import Utterance
from lira_core.types import Memory, Scope, Summary

REQUEUED_AT_ONCE = 500
DROPPED_AT_ONCE = 2000
"""What one write lets wait again, or waits no more: other writers have their turn after each."""


def unindexed_queue(encoder: str) -> str:
    return f"unindexed:{encoder}"


class SqliteRecord:
    """`Record` on one file, for the vectors of one encoder."""

    def __init__(self, database: Database, encoder: EncoderId) -> None:
        self._database = database
        self._queue = unindexed_queue(encoder.name)
        self._erasures: SqliteOutbox[Erasure] = SqliteOutbox(database, erasing.ERASURES, _load_erasure)
        self._unsummarised = SqliteOutbox(database, summaries.UNSUMMARISED, summaries.load_session, role="record")
        self._unindexed = SqliteOutbox(database, self._queue, lambda text, received: Unindexed(load_memory(text), received), role="record")

    async def commit(self, write: Write, hold: float = 0.0) -> None:
        rows = WriteRows(write)

        def work(connection: sqlite3.Connection) -> None:
            cut = check(connection, "record", write.user_id, write.received, rows.names)
            added = rows.insert(connection, cut)
            if added:
                waiting = [(id, write.received, None) for id in added]
                for queue in _planned(connection):
                    held = hold > 0 and queue == self._queue
                    put(connection, queue, write.user_id, waiting, now() + round(hold * 1_000_000) * held, claimed=held)

        await self._database.write(work)

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        def work(connection: sqlite3.Connection) -> list[Memory]:
            cut = cut_of(connection, "record", user_id)
            bodies: dict[str, str] = {}
            for some in batches(ids):
                query = f"SELECT id, body FROM memories WHERE user_id = ? AND id IN ({marks(len(some))}) AND +received > ?"
                bodies |= dict(connection.execute(query, [user_id, *some, cut]).fetchall())
            return [read(id, bodies[id]) for id in dict.fromkeys(ids) if id in bodies]

        return await self._database.read(work)

    # Finders.

    async def lexical(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None = None) -> list[Hit]:
        end = _micros(until)
        return await self._database.read(lambda connection: lexical(connection, MEMORIES, user_id, terms, limit, end))

    async def slots(self, user_id: str, slots: Sequence[tuple[str | None, str]], limit: int, until: datetime | None = None) -> list[Hit]:
        end = _micros(until)
        return await self._database.read(lambda connection: finders.slots(connection, user_id, slots, limit, end))

    async def feeling(self, user_id: str, label: str, minimum: float, limit: int, until: datetime | None = None) -> list[Hit]:
        end = _micros(until)
        return await self._database.read(lambda connection: finders.feeling(connection, user_id, label, minimum, limit, end))

    async def newest(self, user_id: str, limit: int, until: datetime | None = None) -> list[Hit]:
        end = _micros(until)
        return await self._database.read(lambda connection: finders.newest(connection, user_id, limit, end))

    async def holders(self, user_id: str, keys: Sequence[str], until: datetime | None = None) -> dict[str, tuple[datetime, str]]:
        end = _micros(until)
        return await self._database.read(lambda connection: finders.holders(connection, user_id, keys, end))

    async def page(self, user_id: str, limit: int, cursor: str | None) -> tuple[list[Memory], str | None]:
        clause, values = ("", ()) if cursor is None else (" AND (ts, received, n, seq) < (?, ?, ?, ?)", read_cursor(cursor))

        def work(connection: sqlite3.Connection) -> tuple[list[Memory], str | None]:
            rows = connection.execute(
                f"SELECT ts, received, n, seq, body FROM memories WHERE user_id = ?{clause} AND +received > ?"
                " ORDER BY ts DESC, received DESC, n DESC, seq DESC LIMIT ?",
                (user_id, *values, cut_of(connection, "record", user_id), limit + 1),
            ).fetchall()
            following = write_cursor(rows[limit - 1][:4]) if len(rows) > limit else None
            return [memory for row in rows[:limit] if (memory := readable(row[4])) is not None], following

        return await self._database.read(work) if limit > 0 else ([], cursor)

    # What was said.

    async def said(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None = None) -> list[Hit]:
        end = _micros(until)
        return await self._database.read(lambda connection: lexical(connection, EVENTS, user_id, terms, limit, end))

    async def scenes(self, user_id: str, ids: Sequence[str], reach: int, until: datetime | None = None) -> list[Scene]:
        end = _micros(until)
        return await self._database.read(lambda connection: scenes(connection, user_id, ids, max(reach, 0), end))

    # Summaries.

    async def utterances(self, user_id: str, session_id: str, limit: int) -> list[Utterance]:
        return await self._database.read(lambda connection: summaries.utterances(connection, user_id, session_id, limit))

    async def resummarise(self, user_id: str, session_id: str, received: int, after: float) -> None:
        due = now() + round(after * 1_000_000)
        await self._database.write(lambda connection: summaries.resummarise(connection, user_id, session_id, received, due))

    @property
    def unsummarised(self) -> Outbox[str]:
        return self._unsummarised

    async def put_summaries(self, user_id: str, scope: Scope, group: str, made: Sequence[Summary]) -> None:
        await self._database.write(summaries.SummaryRows(user_id, scope, group, made).put)

    async def summaries(self, user_id: str, scope: Scope, limit: int, since: datetime | None = None, until: datetime | None = None) -> list[Summary]:
        begin, end = -_micros(None) if since is None else _micros(since), _micros(until)
        return await self._database.read(lambda connection: summaries.newest(connection, user_id, scope, limit, begin, end))

    # Deleting.

    async def erase(self, erasure: Erasure) -> bool:
        return await erasing.erase(self._database, erasure)

    async def entomb(self, user_id: str, memory_id: str) -> None:
        await self._database.write(lambda connection: entomb(connection, "record", user_id, memory_id, now()))

    @property
    def erasures(self) -> Outbox[Erasure]:
        return self._erasures

    # The index by meaning.

    @property
    def unindexed(self) -> Outbox[Unindexed]:
        return self._unindexed

    async def index_plan(self) -> IndexPlan:
        return await self._database.read(_plan)

    async def plan_index(self, plan: IndexPlan, expected: IndexPlan) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            if _plan(connection) != expected:
                return False
            connection.execute("UPDATE index_plan SET serving = ?, building = ?", (plan.serving, plan.building))
            return True

        if not await self._database.write(work):
            return False
        while await self._database.write(_drop_unplanned):
            pass
        return True

    async def requeue(self, user_id: str | None = None) -> int:
        place: _Place | None = ("" if user_id is None else user_id, *_FIRST)
        while place is not None:
            place = await self._database.write(partial(_requeue, self._queue, user_id, place))
        clause, whose = ("", ()) if user_id is None else (" AND user_id = ?", (user_id,))
        query = f"SELECT count(*) FROM outbox INDEXED BY outbox_oldest WHERE queue = ?{clause} AND dead = 0"
        return await self._database.read(lambda connection: int(connection.execute(query, (self._queue, *whose)).fetchone()[0]))

    async def count(self, before: int | None = None) -> int:
        if before is not None:
            return await self._database.read(lambda connection: derived.count(connection, before))
        return await self._database.read(lambda connection: int(connection.execute("SELECT ifnull(sum(memories), 0) FROM tallies").fetchone()[0]))

    # What rules derived.

    async def outdated(self, before: int, limit: int, cursor: str | None = None, *, since: int = 0) -> tuple[list[Memory], str | None]:
        if limit < 1:
            return [], cursor
        return await self._database.read(lambda connection: derived.outdated(connection, before, limit, cursor, since))

    async def rederive(self, user_id: str, memories: Sequence[Memory]) -> int:
        if strange := [memory.id for memory in memories if memory.user_id != user_id]:
            raise StoreRejected(f"memory {strange[0]} belongs to another user than {user_id}")
        distinct = list({memory.id: memory for memory in memories}.values())
        steps = range(0, len(distinct), derived.REDERIVED_AT_ONCE)
        return sum([await self._database.write(self._rederive_some(user_id, distinct[i : i + derived.REDERIVED_AT_ONCE])) for i in steps])

    def _rederive_some(self, user_id: str, memories: Sequence[Memory]) -> Callable[[sqlite3.Connection], int]:
        def work(connection: sqlite3.Connection) -> int:
            changed = derived.rederive(connection, user_id, memories)
            for queue in _planned(connection) if changed else ():
                for id, received in changed:
                    renew(connection, queue, user_id, (id, received, None), now())
            return len(changed)

        return work

    async def lease(self, name: str, holder: str, seconds: float) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            moment = now()
            taken = connection.execute(
                "INSERT INTO leases VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET holder = excluded.holder, expires = excluded.expires"
                " WHERE holder = excluded.holder OR expires <= ?",
                (name, holder, moment + round(seconds * 1_000_000), moment),
            )
            return taken.rowcount == 1

        return await self._database.write(work)

    async def ping(self) -> None:
        await self._database.ping()

    async def close(self) -> None:
        """Closes the file, for every role that shares it."""
        await self._database.close()


_Place = tuple[str, int, int, int, int]
_FIRST = (-(2**63), -(2**63), 0, 0)


def _plan(connection: sqlite3.Connection) -> IndexPlan:
    return IndexPlan(*connection.execute("SELECT serving, building FROM index_plan WHERE one = 1").fetchone())


def _planned(connection: sqlite3.Connection) -> list[str]:
    """The queues of the encoders that every new memory needs a vector of."""
    plan = _plan(connection)
    return [unindexed_queue(name) for name in dict.fromkeys((plan.serving, plan.building)) if name is not None]


def _drop_unplanned(connection: sqlite3.Connection) -> int:
    """Takes some of what waits for an encoder that is in the plan no more; how many."""
    planned = _planned(connection)
    for (queue,) in connection.execute("SELECT DISTINCT queue FROM rotation WHERE queue >= 'unindexed:' AND queue < 'unindexed;'").fetchall():
        if queue in planned:
            continue
        gone = connection.execute(
            "DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE queue = ? LIMIT ?)", (queue, DROPPED_AT_ONCE)
        ).rowcount
        if gone:
            return gone
        connection.execute("DELETE FROM rotation WHERE queue = ?", (queue,))
        connection.execute("DELETE FROM queues WHERE queue = ?", (queue,))
    return 0


def _requeue(queue: str, user_id: str | None, place: _Place, connection: sqlite3.Connection) -> _Place | None:
    """Lets the next memories after a place wait again, oldest first of each user; the place of the last, None at the end."""
    after = "(user_id, ts, received, n, seq) > (?, ?, ?, ?, ?)" if user_id is None else "user_id = ? AND (ts, received, n, seq) > (?, ?, ?, ?)"
    rows = connection.execute(
        f"SELECT user_id, ts, received, n, seq, id FROM memories WHERE {after} ORDER BY user_id, ts, received, n, seq LIMIT ?",
        (*place, REQUEUED_AT_ONCE),
    ).fetchall()
    moment = now()
    for owner, _, received, _, _, id in rows:
        if received > cut_of(connection, "record", owner):
            renew(connection, queue, owner, (id, received, None), moment)
    return rows[-1][:5] if rows else None


def _load_erasure(text: str, _: int) -> Erasure:
    erasure = load_deferred(text)
    if not isinstance(erasure, Erasure):
        raise TypeError
    return erasure


def _micros(until: datetime | None) -> int:
    try:
        return finders.END_OF_TIME if until is None else instant(until)[0]
    except ValueError as error:
        raise StoreRejected(str(error)) from error
