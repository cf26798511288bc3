"""The index by meaning in SQLite: exact search over a user's vectors, held in memory between searches.

A search reads one row, (epoch, newest): the same epoch as the matrix in memory means that nothing was deleted or replaced since, by any
process, and rows past the newest one seen are added to it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lira_core.stores.ports import StoreError, Vector
from lira_core.stores.sqlite.database import Database, marks

CACHE_BYTES = 64 * 2**20
"""Vectors kept in memory per process: about 43,000 of 384 dimensions. The user searched last stays, however large."""


@dataclass(slots=True)
class _Matrix:
    """One user's vectors: `rows[: len(ids)]` are filled, and what is filled is never changed in place."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    epoch: int | None = None
    newest: int = 0
    ids: list[str] = field(default_factory=list)
    rows: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))


class SqliteVectors:
    """`Vectors` on one file. A vector of another length than the user's others raises StoreError."""

    def __init__(self, database: Database, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._database = database
        self._cache_bytes = cache_bytes
        self._cache: OrderedDict[str, _Matrix] = OrderedDict()
        self._lock = threading.Lock()

    async def add(self, user_id: str, items: Sequence[tuple[str, Vector]]) -> None:
        rows = [(memory_id, _checked(vector)) for memory_id, vector in items]
        if rows:
            await self._database.write(lambda connection: _add(connection, user_id, rows))

    async def search(self, user_id: str, vector: Vector, limit: int) -> list[tuple[str, float]]:
        """(memory id, cosine in [-1, 1]), best first; of equals the one added later first."""
        query = np.ascontiguousarray(vector, dtype=np.float32)

        def work(connection: sqlite3.Connection) -> list[tuple[str, float]]:
            row = connection.execute("SELECT epoch, newest, dimensions FROM vector_users WHERE user_id = ?", (user_id,)).fetchone()
            if row is None:
                self._forget(user_id)
                return []
            epoch, newest, dimensions = row
            if query.shape != (dimensions,):
                raise _mismatch(dimensions, query.shape)
            ids, vectors = self._load(connection, user_id, epoch, newest, dimensions)
            return _best(ids, vectors, query, limit)

        return await self._database.read(work)

    async def delete(self, user_id: str, ids: Sequence[str]) -> None:
        named = list(ids)
        if named:
            await self._database.write(lambda connection: _delete(connection, user_id, named), scrub=True)

    async def delete_user(self, user_id: str) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM vectors WHERE user_id = ?", (user_id,))
            connection.execute("DELETE FROM vector_users WHERE user_id = ?", (user_id,))

        await self._database.write(work, scrub=True)
        self._forget(user_id)

    async def ping(self) -> None:
        await self._database.ping()

    async def close(self) -> None:
        """Closes the file, for every role that shares it."""
        await self._database.close()

    def _load(self, connection: sqlite3.Connection, user_id: str, epoch: int, newest: int, dimensions: int) -> tuple[list[str], NDArray[np.float32]]:
        with self._lock:
            matrix = self._cache.setdefault(user_id, _Matrix())
            self._cache.move_to_end(user_id)
        with matrix.lock:
            if matrix.epoch != epoch:
                matrix.epoch, matrix.newest, matrix.ids, matrix.rows = epoch, 0, [], np.empty((0, dimensions), np.float32)
            if matrix.newest < newest:
                _extend(connection, matrix, user_id, newest)
                self._evict()
            return matrix.ids, matrix.rows[: len(matrix.ids)]

    def _evict(self) -> None:
        with self._lock:
            total = sum(matrix.rows.nbytes for matrix in self._cache.values())
            while total > self._cache_bytes and len(self._cache) > 1:
                total -= self._cache.popitem(last=False)[1].rows.nbytes

    def _forget(self, user_id: str) -> None:
        with self._lock:
            self._cache.pop(user_id, None)


def _add(connection: sqlite3.Connection, user_id: str, rows: Sequence[tuple[str, NDArray[np.float32]]]) -> None:
    known = connection.execute("SELECT dimensions FROM vector_users WHERE user_id = ?", (user_id,)).fetchone()
    dimensions = known[0] if known else rows[0][1].shape[0]
    newest, replaced = None, False
    for memory_id, vector in rows:
        if vector.shape != (dimensions,):
            raise _mismatch(dimensions, vector.shape)
        blob = vector.tobytes()
        old = connection.execute("SELECT seq, vector FROM vectors WHERE user_id = ? AND memory_id = ?", (user_id, memory_id)).fetchone()
        if old is not None:
            if old[1] == blob:
                continue
            connection.execute("DELETE FROM vectors WHERE seq = ?", (old[0],))
            replaced = True
        newest = connection.execute("INSERT INTO vectors (user_id, memory_id, vector) VALUES (?, ?, ?)", (user_id, memory_id, blob)).lastrowid
    if newest is not None:
        # A random epoch never comes back, not even after everything of the user was deleted and they begin again.
        connection.execute(
            "INSERT INTO vector_users VALUES (?, random(), ?, ?) ON CONFLICT (user_id) DO UPDATE SET newest = excluded.newest,"
            " epoch = CASE WHEN ? THEN excluded.epoch ELSE epoch END",
            (user_id, newest, dimensions, replaced),
        )


def _delete(connection: sqlite3.Connection, user_id: str, ids: Sequence[str]) -> None:
    gone = connection.execute(f"DELETE FROM vectors WHERE user_id = ? AND memory_id IN ({marks(len(ids))})", [user_id, *ids]).rowcount
    if gone and connection.execute("SELECT 1 FROM vectors WHERE user_id = ? LIMIT 1", (user_id,)).fetchone():
        connection.execute("UPDATE vector_users SET epoch = random() WHERE user_id = ?", (user_id,))
    elif gone:
        connection.execute("DELETE FROM vector_users WHERE user_id = ?", (user_id,))


def _extend(connection: sqlite3.Connection, matrix: _Matrix, user_id: str, newest: int) -> None:
    added = connection.execute(
        "SELECT memory_id, vector FROM vectors WHERE user_id = ? AND seq > ? ORDER BY seq", (user_id, matrix.newest)
    ).fetchall()
    start, end = len(matrix.ids), len(matrix.ids) + len(added)
    dimensions = matrix.rows.shape[1]
    if end > matrix.rows.shape[0]:
        # A first load takes what it needs, growth takes a half more: a turn adds one vector at a time.
        grown = np.empty((end if start == 0 else end + end // 2, dimensions), np.float32)
        grown[:start] = matrix.rows[:start]
        matrix.rows = grown
    matrix.rows[start:end] = np.frombuffer(b"".join(blob for _, blob in added), np.float32).reshape(-1, dimensions)
    # A new list, because a search in the other thread may hold this one.
    matrix.ids = [*matrix.ids, *(memory_id for memory_id, _ in added)]
    matrix.newest = newest


def _best(ids: Sequence[str], vectors: NDArray[np.float32], query: Vector, limit: int) -> list[tuple[str, float]]:
    limit = min(limit, len(ids))
    if limit <= 0:
        return []
    scores = vectors @ query
    floor = np.partition(scores, len(ids) - limit)[len(ids) - limit]
    candidates = np.flatnonzero(scores >= floor)
    order = np.lexsort((-candidates, -scores[candidates]))[:limit]
    return [(ids[i], min(max(float(scores[i]), -1.0), 1.0)) for i in candidates[order]]


def _checked(vector: Vector) -> NDArray[np.float32]:
    row = np.ascontiguousarray(vector, dtype="<f4")
    if row.ndim != 1 or row.size == 0 or not np.isfinite(row).all():
        raise ValueError(f"a vector is one row of finite numbers, not {row.shape} of {row.dtype}")
    return row.copy()


def _mismatch(stored: int, given: tuple[int, ...]) -> StoreError:
    return StoreError(
        f"the stored vectors have {stored} dimensions and this one has {'x'.join(map(str, given))}: use the embedding model that made them,"
        " or give the vectors a new file (LIRA_VECTORS_URL) and index the memories again"
    )
