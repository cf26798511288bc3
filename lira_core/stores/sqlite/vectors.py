"""The index by meaning of one encoder in SQLite.

A search reads one row, (epoch, newest): the same epoch as the matrix in memory means that no more than single vectors were deleted since, by any
process, and rows past the newest one seen are added to it. What was deleted or replaced one by one is noticed when it is looked up.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from lira_core.stores.codec import dump, instant, load_memory
from lira_core.stores.ports import EncoderId, Hit, IndexItem, StoreRejected, Vector
from lira_core.stores.sqlite.codes import encoded
from lira_core.stores.sqlite.connection import batches, marks
from lira_core.stores.sqlite.cuts import clear_behind, cut_of, set_cut
from lira_core.stores.sqlite.database import Database
from lira_core.stores.sqlite.matrix import Matrix, View
from lira_core.types import Memory

CACHE_BYTES = 64 * 2**20
"""Vectors kept in memory per process: about 140,000 of 384 dimensions. The user searched last stays, however large."""
ROWS_AT_ONCE = 256
"""Vectors that one step of a deletion takes away: other writers have their turn after each."""


@dataclass(frozen=True, slots=True)
class _Row:
    memory_id: str
    ts: int
    received: int
    vector: bytes
    codes: bytes
    body: str


class SqliteVectors:
    """`Vectors` on one file."""

    def __init__(self, database: Database, encoder: EncoderId, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._database = database
        self._encoder = encoder
        self._cache_bytes = cache_bytes
        self._cache: OrderedDict[str, Matrix] = OrderedDict()
        self._lock = threading.Lock()

    async def add(self, user_id: str, items: Sequence[IndexItem]) -> None:
        """What a deletion of the user forbids is left out."""
        rows = [self._row(user_id, item) for item in items]

        def work(connection: sqlite3.Connection) -> None:
            cut = cut_of(connection, "vectors", user_id)
            alive = [row for row in rows if row.received > cut]
            if alive:
                _add(connection, self._number(connection, create=True) or 0, user_id, alive)

        if rows:
            await self._database.write(work)

    async def search(self, user_id: str, vector: Vector, limit: int, until: datetime | None = None) -> list[Hit]:
        """Of equals the one added later comes first."""
        query = self._checked(vector)
        try:
            end = None if until is None else instant(until)[0]
        except ValueError as error:
            raise StoreRejected(str(error)) from error

        def work(connection: sqlite3.Connection) -> list[Hit]:
            cut = cut_of(connection, "vectors", user_id)
            row = connection.execute(
                "SELECT u.encoder, u.epoch, u.newest FROM encoders e JOIN vector_users u ON u.encoder = e.number AND u.user_id = ?"
                " WHERE e.name = ? AND e.dimensions = ?",
                (user_id, self._encoder.name, self._encoder.dimensions),
            ).fetchone()
            if row is None:
                self._forget(user_id)
                return []
            return _search(connection, self._load(connection, user_id, tuple(row[:2]), row[2], cut), query, limit, end, cut)

        return await self._database.read(work) if limit > 0 else []

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        def work(connection: sqlite3.Connection) -> list[Memory]:
            number, cut = self._number(connection), cut_of(connection, "vectors", user_id)
            bodies: dict[str, str] = {}
            for some in batches(ids):
                query = (
                    "SELECT v.memory_id, b.body FROM vectors v JOIN vector_bodies b ON b.seq = v.seq"
                    f" WHERE v.encoder = ? AND v.user_id = ? AND v.memory_id IN ({marks(len(some))}) AND +v.received > ?"
                )
                bodies |= dict(connection.execute(query, [number, user_id, *some, cut]).fetchall())
            return [load_memory(bodies[id]) for id in dict.fromkeys(ids) if id in bodies]

        return await self._database.read(work)

    async def delete(self, user_id: str, ids: Sequence[str]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            for (number,) in connection.execute("SELECT number FROM encoders WHERE number > 0").fetchall():
                for some in batches(ids):
                    which = f"encoder = ? AND user_id = ? AND memory_id IN ({marks(len(some))})"
                    seqs = connection.execute(f"SELECT seq FROM vectors WHERE {which}", [number, user_id, *some]).fetchall()
                    _delete(connection, [(number, user_id, seq) for (seq,) in seqs])
            _tidy(connection, user_id)

        if ids:
            await self._database.write(work, scrub=True)

    async def delete_user(self, user_id: str, cut: int) -> None:
        """Of every encoder in the file: a person who is deleted is in none."""

        def first(connection: sqlite3.Connection) -> int:
            connection.execute("UPDATE vector_users SET epoch = random() WHERE user_id = ?", (user_id,))
            return set_cut(connection, "vectors", user_id, cut)

        reached = await self._database.write(first)
        self._forget(user_id)
        await clear_behind(self._database, _behind_step, user_id, reached)
        await self._database.write(lambda connection: _tidy(connection, user_id), scrub=True)

    async def clear(self) -> None:
        def first(connection: sqlite3.Connection) -> None:
            key = (self._encoder.name, self._encoder.dimensions)
            connection.execute("UPDATE encoders SET name = 'dropped:' || number WHERE name = ? AND dimensions = ?", key)

        await self._database.write(first)
        with self._lock:
            self._cache.clear()
        while await self._database.write(_dropped_step):
            pass
        await self._database.write(lambda connection: None, scrub=True)

    async def ping(self) -> None:
        await self._database.ping()

    async def close(self) -> None:
        """Closes the file, for every role that shares it."""
        await self._database.close()

    def _number(self, connection: sqlite3.Connection, *, create: bool = False) -> int | None:
        key = (self._encoder.name, self._encoder.dimensions)
        if create:
            connection.execute("INSERT INTO encoders (name, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING", key)
        row = connection.execute("SELECT number FROM encoders WHERE name = ? AND dimensions = ?", key).fetchone()
        return None if row is None else int(row[0])

    def _row(self, user_id: str, item: IndexItem) -> _Row:
        memory = item.memory
        if memory.user_id != user_id:
            raise StoreRejected(f"memory {memory.id} belongs to another user than {user_id}")
        try:
            blob = self._checked(item.vector).tobytes()
            return _Row(memory.id, instant(memory.timestamp)[0], item.received, blob, encoded(blob), dump(memory))
        except ValueError as error:
            raise StoreRejected(str(error)) from error

    def _checked(self, vector: Vector) -> NDArray[np.float32]:
        row = np.ascontiguousarray(vector, dtype="<f4")
        if row.ndim != 1 or not np.isfinite(row).all():
            raise StoreRejected(f"a vector is one row of finite numbers, not {row.shape} with {np.isnan(row).sum()} that are none")
        if len(row) != self._encoder.dimensions:
            raise StoreRejected(
                f"the vectors of {self._encoder.name} have {self._encoder.dimensions} dimensions and this one has {len(row)}:"
                " use the embedding model that the index was opened with, or `lira reindex`"
            )
        return row

    def _load(self, connection: sqlite3.Connection, user_id: str, key: tuple[int, int], newest: int, cut: int) -> View:
        with self._lock:
            matrix = self._cache.setdefault(user_id, Matrix(self._encoder.dimensions))
            self._cache.move_to_end(user_id)
        with matrix.lock:
            if matrix.key != key:
                matrix.clear(key)
            if matrix.newest < newest:
                matrix.extend(connection, user_id, newest, cut)
                self._evict()
            return matrix.view(newest)

    def _evict(self) -> None:
        with self._lock:
            total = sum(matrix.nbytes for matrix in self._cache.values())
            while total > self._cache_bytes and len(self._cache) > 1:
                total -= self._cache.popitem(last=False)[1].nbytes

    def _forget(self, user_id: str) -> None:
        with self._lock:
            self._cache.pop(user_id, None)


def _search(connection: sqlite3.Connection, view: View, query: NDArray[np.float32], limit: int, until: int | None, cut: int) -> list[Hit]:
    while True:
        near = view.near(query, limit, until)
        found: list[tuple[int, str, bytes]] = []
        for some in batches(near.tolist()):
            statement = f"SELECT seq, memory_id, vector FROM vectors WHERE seq IN ({marks(len(some))}) AND +received > ?"
            found += connection.execute(statement, [*some, cut]).fetchall()
        if len(found) == len(near):
            break
        # Some were deleted one by one since they were loaded: without them others come into the shortlist.
        view.forget(np.setdiff1d(near, np.array([seq for seq, _, _ in found], np.int64)))
    if not found:
        return []
    scores = np.clip(np.frombuffer(b"".join(blob for _, _, blob in found), "<f4").reshape(len(found), -1) @ query, -1.0, 1.0)
    seqs = np.array([seq for seq, _, _ in found])
    order = np.lexsort((-seqs, -scores))[:limit]
    return [Hit(found[i][1], float(scores[i])) for i in order]


def _add(connection: sqlite3.Connection, encoder: int, user_id: str, rows: Sequence[_Row]) -> None:
    newest = None
    for row in rows:
        key = (encoder, user_id, row.memory_id)
        old = connection.execute("SELECT seq, vector, received FROM vectors WHERE encoder = ? AND user_id = ? AND memory_id = ?", key).fetchone()
        if old is not None:
            body = connection.execute("SELECT body FROM vector_bodies WHERE seq = ?", (old[0],)).fetchone()
            if (old[1], old[2], body) == (row.vector, row.received, (row.body,)):
                continue
            _delete(connection, [(encoder, user_id, old[0])])
        newest = connection.execute(
            "INSERT INTO vectors (encoder, user_id, memory_id, received, vector) VALUES (?, ?, ?, ?, ?)", (*key, row.received, row.vector)
        ).lastrowid
        connection.execute("INSERT INTO vector_bodies VALUES (?, ?)", (newest, row.body))
        connection.execute("INSERT INTO vector_codes VALUES (?, ?, ?, ?, ?, ?)", (encoder, user_id, newest, row.ts, row.received, row.codes))
    if newest is not None:
        # A random epoch never comes back, not even after everything of the user was deleted and they begin again.
        connection.execute(
            "INSERT INTO vector_users VALUES (?, ?, random(), ?) ON CONFLICT DO UPDATE SET newest = excluded.newest", (encoder, user_id, newest)
        )


def _delete(connection: sqlite3.Connection, rows: Sequence[tuple[int, str, int]]) -> None:
    """By (encoder, user id, seq)."""
    connection.executemany("DELETE FROM vector_codes WHERE encoder = ? AND user_id = ? AND seq = ?", rows)
    connection.executemany("DELETE FROM vectors WHERE seq = ?", [(seq,) for _, _, seq in rows])


def _tidy(connection: sqlite3.Connection, user_id: str) -> None:
    connection.execute(
        "DELETE FROM vector_users WHERE user_id = ? AND NOT EXISTS"
        " (SELECT 1 FROM vector_codes c WHERE c.encoder = vector_users.encoder AND c.user_id = vector_users.user_id)",
        (user_id,),
    )


def _behind_step(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    rows = connection.execute(
        "SELECT encoder, user_id, seq FROM vectors INDEXED BY vectors_received WHERE user_id = ? AND received <= ? LIMIT ?",
        (user_id, cut, ROWS_AT_ONCE),
    ).fetchall()
    _delete(connection, rows)
    return len(rows)


def _dropped_step(connection: sqlite3.Connection) -> int:
    """Takes away some rows of an index that was dropped; how many."""
    dropped = connection.execute("SELECT number FROM encoders WHERE name >= 'dropped:' AND name < 'dropped;' LIMIT 1").fetchone()
    if dropped is None:
        return 0
    rows = connection.execute("SELECT encoder, user_id, seq FROM vector_codes WHERE encoder = ? LIMIT ?", (*dropped, ROWS_AT_ONCE)).fetchall()
    _delete(connection, rows)
    if rows:
        return len(rows)
    users = connection.execute("SELECT encoder, user_id FROM vector_users WHERE encoder = ? LIMIT ?", (*dropped, ROWS_AT_ONCE)).fetchall()
    connection.executemany("DELETE FROM vector_users WHERE encoder = ? AND user_id = ?", users)
    if not users:
        connection.execute("DELETE FROM encoders WHERE number = ?", dropped)
    return max(len(users), 1)
