"""`Vectors` in a Milvus Lite folder: a partition for each user, exact search, and nothing left of what is deleted.

- Milvus Lite looks at each row of the partitions that it reads in Python, so one user's search must not meet another's rows: the partition
  is the user's own, named by a hash.
- Rows that are not flushed cost it a hundred times more than flushed ones, so few of them wait.
- Deleting writes a tombstone, and rewrites the files that hold the row: Milvus Lite itself would do so only once four files of
  about one size have gathered.

An `add` that returned outlives the process (kill -9), because the operating system has it; it may be lost with the machine's power,
for Milvus Lite does not wait for the disk. Whoever indexes learns of no loss: `lira reindex` after a power cut.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import numpy as np
from milvus_lite import CollectionSchema, DataType, FieldSchema, MilvusLite  # type: ignore[import-untyped]

from lira_core.stores import codec
from lira_core.stores.milvus.lite import Folder, acquire, release
from lira_core.stores.milvus.lite_search import Search
from lira_core.stores.milvus.rows import (
    BODY_BYTES,
    BODY_FIELDS,
    COLLECTIONS,
    HASH_LENGTH,
    ID_BYTES,
    bodies,
    checked,
    collection_name,
    key,
    owner,
    row,
)
from lira_core.stores.ports import EncoderId, Hit, IndexItem, StoreRejected, StoreUnavailable, Vector
from lira_core.types import Memory

T = TypeVar("T")

OPERATION_SECONDS: Final = 2.0
"""How long a question may take, waiting for its turn included."""
BULK_SECONDS: Final = 10.0
"""The same for adding and deleting: 500 memories take 0.3 s, and 16 MB of a user's file are rewritten in 0.4 s, on two cores."""

FLUSH_ROWS: Final = 16
"""So many rows wait in memory at most. Each costs a search of its user 70 µs and of any other 2 µs; flushing each by itself costs 20 ms a row,
16 together 2 ms a row of one user and 6 ms of fifty (measured on two busy cores)."""
ADD_ROWS: Final = 500
"""Rows written at once; bounds what Python lists of their vectors take, 12 bytes a number."""


class MilvusLiteVectors:
    """`folder` is let go of by `close`."""

    def __init__(self, folder: Folder, encoder: EncoderId, setting: str) -> None:
        self._folder = folder
        self._encoder = encoder
        self._setting = setting
        self._name = collection_name(encoder)
        self._search = Search()
        self._seen: Any = None
        self._closed = False

    async def add(self, user_id: str, items: Sequence[IndexItem]) -> None:
        """All of it, or, after an error, any part: added again it is whole. StoreRejected before anything is written."""

        def work(db: MilvusLite) -> None:
            rows = [row(user_id, item, self._encoder) for item in items]
            collection = self._collection(db) or self._create(db)
            partition = owner(user_id)
            if not collection.has_partition(partition):
                collection.create_partition(partition)
            for start in range(0, len(rows), ADD_ROWS):
                collection.insert(rows[start : start + ADD_ROWS], partition_name=partition)
                if collection.count() >= FLUSH_ROWS:
                    collection.flush()

        if items:
            await self._run(work, BULK_SECONDS)

    async def search(self, user_id: str, vector: Vector, limit: int, until: datetime | None = None) -> list[Hit]:
        """Exact; of equals any may come first."""
        query = np.asarray(checked(vector, self._encoder), np.float32)
        partition, moment = owner(user_id), None if until is None else codec.instant(until)[0]

        def work(db: MilvusLite) -> list[Hit]:
            collection = self._collection(db)
            if collection is None or not collection.has_partition(partition):
                return []
            return self._search.best(collection, partition, query, limit, moment)

        return await self._run(work, OPERATION_SECONDS) if limit > 0 else []

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        def work(db: MilvusLite) -> list[Memory]:
            collection = self._collection(db)
            if collection is None:
                return []
            keys = [key(user_id, id) for id in dict.fromkeys(ids)]
            return bodies(collection.get(keys, [owner(user_id)], output_fields=["memory_id", *BODY_FIELDS]), ids)

        return await self._run(work, OPERATION_SECONDS) if ids else []

    async def delete(self, user_id: str, ids: Sequence[str]) -> None:
        """Nothing of them is in the folder when this returns, but their keys' hashes."""
        partition = owner(user_id)

        def work(db: MilvusLite) -> None:
            for collection, search in self._all(db, partition):
                _delete(collection, partition, [key(user_id, id) for id in ids])
                search.forget(partition)

        if ids:
            await self._run(work, BULK_SECONDS)

    async def delete_user(self, user_id: str, cut: int) -> None:
        """Nothing of it is in the folder when this returns."""
        partition = owner(user_id)

        def work(db: MilvusLite) -> None:
            for collection, search in self._all(db, partition):
                collection.flush()
                dead: list[str] = []
                stays = False
                for part in search.view(collection, partition):
                    late = part.segment.table.column("received").to_numpy() > cut
                    stays = stays or bool((late & part.live).any())
                    dead += [part.segment.pks[row] for row in np.flatnonzero(part.live & ~late)]
                if not stays:
                    collection.drop_partition(partition)
                elif dead:
                    _delete(collection, partition, dead, everything=True)
                search.forget(partition)

        await self._run(work, None)

    async def clear(self) -> None:
        def work(db: MilvusLite) -> None:
            db.drop_collection(self._name)
            self._search.forget()

        await self._run(work, None)

    async def ping(self) -> None:
        await self._run(lambda db: None, OPERATION_SECONDS)

    async def close(self) -> None:
        """Again is harmless."""
        if not self._closed:
            self._closed = True
            await release(self._folder)

    async def _run(self, work: Callable[[MilvusLite], T], seconds: float | None) -> T:
        if self._closed:
            raise StoreUnavailable(f"Milvus Lite at {self._folder.path} was closed")
        return await self._folder.run(work, seconds)

    def _collection(self, db: MilvusLite) -> Any:
        """The encoder's collection, None while nothing was added. StoreRejected when it is another's."""
        if not db.has_collection(self._name):
            return None
        collection = db.get_collection(self._name)
        if collection is not self._seen:
            if _shape(collection.schema) != _shape(_schema(self._encoder)):
                raise StoreRejected(f"collection {self._name} in {self._folder.path} ({self._setting}) is not LIRA's; name another folder")
            # What a crash left in the log, tombstones among it, goes into files: the search looks for tombstones there alone.
            collection.flush()
            self._search.forget()
            self._seen = collection
        return collection

    def _all(self, db: MilvusLite, partition: str) -> Iterator[tuple[Any, Search]]:
        """Every encoder's collection that knows the partition: what is deleted must be in none."""
        for name in db.list_collections():
            if name.startswith(COLLECTIONS):
                collection, search = (self._collection(db), self._search) if name == self._name else (db.get_collection(name), Search())
                if collection.has_partition(partition):
                    yield collection, search

    def _create(self, db: MilvusLite) -> Any:
        return db.create_collection(self._name, _schema(self._encoder))


async def open_folder(path: str, encoder: EncoderId, setting: str) -> MilvusLiteVectors:
    """StoreRejected, naming the setting, for a folder that cannot be used."""
    vectors = MilvusLiteVectors(await acquire(path, setting), encoder, setting)
    try:
        await vectors._run(vectors._collection, None)
    except BaseException:
        await vectors.close()
        raise
    return vectors


def _schema(encoder: EncoderId) -> CollectionSchema:
    def text(name: str, most: int, **more: Any) -> FieldSchema:
        return FieldSchema(name=name, dtype=DataType.VARCHAR, max_length=most, **more)

    return CollectionSchema(
        fields=[
            text("id", HASH_LENGTH, is_primary=True),
            text("owner", HASH_LENGTH),
            text("memory_id", ID_BYTES),
            FieldSchema(name="timestamp", dtype=DataType.INT64),
            FieldSchema(name="received", dtype=DataType.INT64),
            *(text(part, BODY_BYTES) for part in BODY_FIELDS),
            FieldSchema(name="vector", dtype=DataType.FLOAT_VECTOR, dim=encoder.dimensions),
        ]
    )


def _shape(schema: CollectionSchema) -> dict[str, tuple[str, int | None]]:
    return {field.name: (field.dtype.name, field.dim) for field in schema.fields}


def _delete(collection: Any, partition: str, keys: Sequence[str], *, everything: bool = False) -> None:
    """Tombstones; then the files of the partition that hold any of the keys (or `everything`) are written anew without them.

    Again for what a crash has left: a tombstone that is there already does not spare the file.

    This reaches below Milvus Lite's documented surface, which does not compact on demand.
    """
    collection.flush()  # the log is emptied into files
    if not _holding(collection, partition, keys):
        return
    collection.delete(list(keys), partition_name=partition)
    collection.flush()
    # The lock keeps Milvus Lite's own compaction, in a thread of its own, from the same files.
    with collection._maintenance_lock:
        files = collection._manifest.get_data_files(partition) if everything else _holding(collection, partition, keys)
        folder = os.path.join(collection.data_dir, "partitions", partition)
        collection._compaction_mgr._compact_files(partition, folder, list(files), collection._manifest, collection._delta_index)
        collection._compaction_mgr._gc_tombstones(collection._manifest, collection._delta_index)
        collection._refresh_segment_cache()


def _holding(collection: Any, partition: str, keys: Sequence[str]) -> list[str]:
    """The files of the partition with a row of any of the keys, live or not."""
    with collection._maintenance_lock:
        cached = list(collection._segment_cache.items())
    return [file for (of, file), segment in cached if of == partition and any(segment.find_row(key) is not None for key in keys)]
