"""`Vectors` on a Milvus server: one collection for each encoder, in which a user's hash is the partition key.

- **Consistency.** The collection is Strong, which every delete by filter needs; questions are asked as Session: what this process has
  written is seen, and no search waits for what others write.
- **Filters** hold hashes and numbers only; no id, and nothing that was said, is ever part of an expression.
- **What stays on disk.** Milvus marks what is deleted, and rewrites the segment once a fifth of it is (dataCoord.compaction.single.ratio.threshold),
  then keeps the old one for three hours (dataCoord.gc.dropTolerance). Nothing here can make it sooner for one person: compacting on
  demand rewrites the whole collection.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeVar

from pymilvus import AsyncMilvusClient, DataType, MilvusException
from pymilvus.client.types import LoadState

from lira_core.stores.milvus.address import Server
from lira_core.stores.milvus.connection import BULK_SECONDS, ONCE, OPERATION_SECONDS, Connection
from lira_core.stores.milvus.errors import absent
from lira_core.stores.milvus.rows import (
    BODY_BYTES,
    BODY_FIELDS,
    COLLECTIONS,
    HASH_LENGTH,
    ID_BYTES,
    bodies,
    checked,
    collection_name,
    hit,
    key,
    owner,
    row,
    until_filter,
)
from lira_core.stores.ports import EncoderId, Hit, IndexItem, StoreRejected, StoreUnavailable, Vector
from lira_core.types import Memory

T = TypeVar("T")
logger = logging.getLogger(__name__)

PARTITIONS: Final = 64
"""How many parts the users are spread over; a search reads one. Milvus's default is 16; each part has segments, and so memory, of its own, and
below some thousand users more than 64 of them would stay nearly empty."""
INDEX: Final = {"index_type": "HNSW", "metric_type": "COSINE", "params": {"M": 16, "efConstruction": 200}}
EF: Final = 128
"""Of the true ten nearest of 20,000 vectors of 384 dimensions, faiss's HNSW with these numbers finds all where vectors form clusters, as
those of sentences do, and 0.72 of pure noise (0.82 with 256). Scores are exact whatever it finds."""
BATCH: Final = 500
"""Rows or keys of one request: below 4 MB with vectors of 1,024 dimensions and long bodies, where Milvus takes 64 MB."""
MOST: Final = 16_384
"""The most hits that Milvus gives to one search (proxy.maxResultWindow)."""


class Absent(StoreRejected):
    """Somebody has dropped the collection."""


class MilvusVectors:
    """The collection is made by the first `add`; before that, everything is empty."""

    def __init__(self, connection: Connection, encoder: EncoderId) -> None:
        self._connection = connection
        self._encoder = encoder
        self._name = collection_name(encoder)
        self._making = asyncio.Lock()
        self._ready = False

    async def add(self, user_id: str, items: Sequence[IndexItem]) -> None:
        """All of it, or, after an error, any part: added again it is whole. StoreRejected before anything is written."""
        rows = [row(user_id, item, self._encoder) for item in items]
        for batch in _batches(rows):
            for last in (False, True):
                await self.prepare(make=True)
                try:
                    await self._call(partial(self._upsert, rows=batch), BULK_SECONDS)
                    break
                except Absent:
                    # Somebody cleared the index since: it is made again, once.
                    if last:
                        raise

    async def search(self, user_id: str, vector: Vector, limit: int, until: datetime | None = None) -> list[Hit]:
        """HNSW's nearest, whose scores are exact."""
        query = checked(vector, self._encoder)
        moment = until_filter(until)
        expression = f'owner == "{owner(user_id)}"' + (f" and {moment}" if moment else "")
        most = min(limit, MOST)

        async def work(client: AsyncMilvusClient) -> list[Hit]:
            [found] = await client.search(
                self._name,
                [query],
                expression,
                most,
                ["memory_id"],
                {"metric_type": "COSINE", "params": {"ef": max(EF, most)}},
                anns_field="vector",
                consistency_level="Session",
                **ONCE,
            )
            return [hit(entry["entity"]["memory_id"], float(entry["distance"])) for entry in found]

        return await self._ask(work, []) if limit > 0 else []

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        async def work(client: AsyncMilvusClient) -> list[Memory]:
            found: list[Any] = []
            for batch in _batches(list(dict.fromkeys(ids))):
                expression = _among(user_id, batch)
                found += await client.query(self._name, expression, ["memory_id", *BODY_FIELDS], consistency_level="Session", **ONCE)
            return bodies(found, ids)

        return await self._ask(work, []) if ids else []

    async def delete(self, user_id: str, ids: Sequence[str]) -> None:
        for index in await self._all() if ids else ():
            for batch in _batches(list(dict.fromkeys(ids))):
                await index._delete(_among(user_id, batch), BULK_SECONDS)

    async def delete_user(self, user_id: str, cut: int) -> None:
        for index in await self._all():
            await index._delete(f'owner == "{owner(user_id)}" and received <= {cut}', None)

    async def _all(self) -> list[MilvusVectors]:
        """This index and those of other encoders; of theirs only deletions are asked."""
        names = await self._connection.call(lambda client: client.list_collections(**ONCE))
        return [self if name == self._name else self._other(name) for name in names if name.startswith(COLLECTIONS)]

    def _other(self, name: str) -> MilvusVectors:
        other = MilvusVectors(self._connection, EncoderId(name, int(name.rsplit("_", 2)[1])))
        other._name = name
        return other

    async def clear(self) -> None:
        await self._connection.call(lambda client: client.drop_collection(self._name, **ONCE), BULK_SECONDS)
        self._ready = False

    async def ping(self) -> None:
        await self._connection.call(lambda client: client.has_collection(self._name, **ONCE))

    async def close(self) -> None:
        """Again is harmless."""
        await self._connection.close()

    async def prepare(self, *, make: bool) -> bool:
        """The collection is there, indexed and loaded; with `make` it is made, else False when it is not there.

        StoreRejected when it is another program's.
        """
        if self._ready:
            return True
        async with self._making:
            if not self._ready:
                self._ready = await self._connection.call(lambda client: self._prepared(client, make), BULK_SECONDS)
            return self._ready

    async def _prepared(self, client: AsyncMilvusClient, make: bool) -> bool:
        if not await client.has_collection(self._name, **ONCE):
            if not make:
                return False
            await self._make(client)
        described = await client.describe_collection(self._name, **ONCE)
        if _shape(described["fields"]) != _shape(_schema(self._encoder).to_dict()["fields"]):
            where, setting = self._connection.address, self._connection.setting
            raise StoreRejected(f"collection {self._name} on Milvus at {where} is not LIRA's; name another database in {setting}")
        # Whoever made the collection may have died before it had an index, or was loaded.
        if not await client.list_indexes(self._name, **ONCE):
            params = client.prepare_index_params()
            params.add_index("vector", **INDEX)
            try:
                await client.create_index(self._name, params, **ONCE)
            except MilvusException:
                # Another replica may have been first.
                if not await client.list_indexes(self._name, **ONCE):
                    raise
        if (await client.get_load_state(self._name, **ONCE))["state"] != LoadState.Loaded:
            await client.load_collection(self._name, **ONCE)
        return True

    async def _make(self, client: AsyncMilvusClient) -> None:
        try:
            await client.create_collection(self._name, schema=_schema(self._encoder), consistency_level="Strong", num_partitions=PARTITIONS, **ONCE)
        except MilvusException:
            # Another replica may have been first.
            if not await client.has_collection(self._name, **ONCE):
                raise

    async def _upsert(self, client: AsyncMilvusClient, rows: Sequence[dict[str, Any]]) -> None:
        await client.upsert(self._name, list(rows), **ONCE)

    async def _ask(self, work: Callable[[AsyncMilvusClient], Awaitable[list[T]]], empty: list[T]) -> list[T]:
        """`empty` while there is no collection."""
        if not await self.prepare(make=False):
            return empty
        try:
            return await self._call(work, OPERATION_SECONDS)
        except Absent:
            return empty

    async def _delete(self, expression: str, seconds: float | None) -> None:
        async def work(client: AsyncMilvusClient) -> None:
            await client.delete(self._name, filter=expression, consistency_level="Strong")
            # pymilvus 3.0's async delete does not look at the server's answer, so whether it did it has to be asked.
            if await client.query(self._name, expression, ["id"], limit=1, consistency_level="Strong", **ONCE):
                raise StoreUnavailable(f"Milvus at {self._connection.address} has not deleted all that it was told to; it is asked again")

        if await self.prepare(make=False):
            with suppress(Absent):
                await self._call(work, seconds)

    async def _call(self, work: Callable[[AsyncMilvusClient], Awaitable[T]], seconds: float | None) -> T:
        """Absent when the collection is gone. After that, and after an outage, the next call looks again whether it is there and loaded."""
        try:
            return await self._connection.call(work, seconds)
        except StoreUnavailable:
            self._ready = False
            raise
        except StoreRejected as error:
            if absent(error.__cause__ or error):
                self._ready = False
                raise Absent(str(error)) from error
            raise


async def open_server(address: Server, encoder: EncoderId, setting: str) -> MilvusVectors:
    """A server that is away is one warning. StoreRejected, naming the setting, for a refused token or a collection that is not LIRA's."""
    vectors = MilvusVectors(Connection(address, setting), encoder)
    try:
        await vectors.prepare(make=False)
    except StoreUnavailable as error:
        logger.warning("%s; LIRA goes on without it until it is there", error)
    except BaseException:
        await vectors.close()
        raise
    return vectors


def _schema(encoder: EncoderId) -> Any:
    schema = AsyncMilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=HASH_LENGTH)
    schema.add_field("owner", DataType.VARCHAR, max_length=HASH_LENGTH, is_partition_key=True)
    schema.add_field("memory_id", DataType.VARCHAR, max_length=ID_BYTES)
    schema.add_field("timestamp", DataType.INT64)
    schema.add_field("received", DataType.INT64)
    for part in BODY_FIELDS:
        schema.add_field(part, DataType.VARCHAR, max_length=BODY_BYTES)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=encoder.dimensions)
    return schema


def _shape(fields: Sequence[Any]) -> dict[str, tuple[int, int | None]]:
    """Name → (type, dimensions)."""
    return {field["name"]: (int(field["type"]), field.get("params", {}).get("dim")) for field in fields}


def _among(user_id: str, ids: Sequence[str]) -> str:
    # The owner too: it is the partition key, without which every partition would be looked through.
    return f'owner == "{owner(user_id)}" and id in {json.dumps([key(user_id, id) for id in ids])}'


def _batches(things: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(things), BATCH):
        yield things[start : start + BATCH]
