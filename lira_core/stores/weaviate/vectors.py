"""`Vectors` and `Lexical` on Weaviate."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

import numpy as np
from weaviate import WeaviateAsyncClient
from weaviate.classes.config import ConsistencyLevel
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, MetadataQuery
from weaviate.classes.tenants import Tenant, TenantActivityStatus
from weaviate.collections import CollectionAsync
from weaviate.exceptions import WeaviateInsertManyAllFailedError

from lira_core.stores.codec import instant, load_memory
from lira_core.stores.ports import EncoderId, Hit, IndexItem, StoreRejected, StoreUnavailable, Vector
from lira_core.stores.weaviate.connection import BULK_SECONDS, OPERATION_SECONDS, Connection
from lira_core.stores.weaviate.schema import (
    COLLECTIONS,
    VECTOR,
    check,
    collection_name,
    data_object,
    definition,
    object_id,
    tenant_name,
    token,
    whole,
)
from lira_core.stores.words import POSTINGS
from lira_core.types import Memory

T = TypeVar("T")

CONSISTENCY: Final = ConsistencyLevel.QUORUM
"""For reads and writes alike, so that what was written is found with one replica of three away. On one node it is one node."""
BATCH: Final = 100
"""Objects of one write: usually 0.3 MB, and far below BULK_SECONDS on a busy server."""
BATCH_BYTES: Final = 4 * 2**20
"""And of long ones fewer: a message is at most GRPC_MAX_MESSAGE_SIZE, 10 MB in the smallest servers."""
BODIES: Final = 100
"""Memories of one answer, for the same reason."""
IDS: Final = 1_000
"""Ids of one deletion."""
MOST: Final = 10_000
"""Weaviate's QUERY_MAXIMUM_RESULTS: it answers and deletes no more at once (https://docs.weaviate.io/deploy/configuration/env-vars)."""
REMAKINGS: Final = 3
"""How often `clear` makes the collection again when somebody's write, through auto-schema, made a wrong one first."""

Users = CollectionAsync[Any, Any]


class WeaviateVectors:
    """The index of one encoder. A user who has no tenant has no memories."""

    def __init__(self, connection: Connection, encoder: EncoderId) -> None:
        self._connection = connection
        self._encoder = encoder
        self._name = collection_name(encoder)
        self._ready = False
        self._preparing = asyncio.Lock()
        # Of one process: that no tenant is removed between the look at it and the removal, while something is added.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def add(self, user_id: str, items: Sequence[IndexItem]) -> None:
        newest = {item.memory.id: item for item in items}
        for item in newest.values():
            self._check(item.vector)
        objects = [data_object(user_id, item) for item in newest.values()]
        async with self._lock(user_id):
            for batch in _batches(objects):
                await self._insert(user_id, batch)

    async def search(self, user_id: str, vector: Vector, limit: int, until: datetime | None = None) -> list[Hit]:
        self._check(vector)
        if limit <= 0:
            return []

        async def near(users: Users) -> list[Hit]:
            found = await users.query.near_vector(
                vector.tolist(),
                target_vector=VECTOR,
                limit=min(limit, MOST),
                filters=_said(until),
                return_properties=["memory_id"],
                return_metadata=MetadataQuery(distance=True),
            )
            # Weaviate's cosine distance is 1 - cosine; the rounding of float32 may leave the range.
            return [Hit(o.properties["memory_id"], max(-1.0, min(1.0, 1.0 - (o.metadata.distance or 0.0)))) for o in found.objects]

        return await self._ask(user_id, near, [])

    async def lexical(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None = None) -> list[Hit]:
        """As `Lexical.lexical`; the score is Weaviate's BM25F. Of memories that score alike, the newest among the best POSTINGS come first."""
        words = " ".join(dict.fromkeys(token(term) for term in terms if term and _encodable(term)))
        if not words or limit <= 0:
            return []
        limit = min(limit, MOST)
        most = min(MOST, max(limit + 1, POSTINGS))
        wanted = min(limit + 1, most)
        while True:
            found = await self._by_words(user_id, words, wanted, until)
            # Weaviate breaks ties in an order of its own, so all that share the last place are needed.
            tied = len(found) == wanted > limit and found[-1][0].score == found[limit - 1][0].score
            if not tied or wanted == most:
                break
            wanted = min(most, 4 * wanted)
        return [hit for hit, _, _ in sorted(found, key=lambda hit: (-hit[0].score, -hit[1], -hit[2]))[:limit]]

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        asked = {object_id(user_id, id): id for id in ids}
        found: dict[str, Memory] = {}
        uuids = list(asked)
        for start in range(0, len(uuids), BODIES):
            chunk = uuids[start : start + BODIES]

            async def fetch(users: Users, chunk: Any = chunk) -> list[Any]:
                named = Filter.by_id().contains_any(chunk)
                answer = await users.query.fetch_objects(filters=named, limit=len(chunk), return_properties=["memory_id", "user_id", "body"])
                return list(answer.objects)

            bodies: list[Any] = await self._ask(user_id, fetch, [])
            for one in bodies:
                if one.properties["user_id"] != user_id:
                    raise StoreRejected(f"the tenant {tenant_name(user_id)} of {self._name} holds another user's memory; rebuild the index")
                found[one.properties["memory_id"]] = load_memory(one.properties["body"])
        return [found[id] for id in asked.values() if id in found]

    async def delete(self, user_id: str, ids: Sequence[str]) -> None:
        uuids = [object_id(user_id, id) for id in dict.fromkeys(ids)]
        for index in await self._all() if uuids else ():
            for start in range(0, len(uuids), IDS):
                await index._delete(user_id, uuids[start : start + IDS])

    async def delete_user(self, user_id: str, cut: int) -> None:
        """The tenant goes when it holds nothing newer than the cut."""
        for index in await self._all():
            await index._delete_user(user_id, cut)

    async def _all(self) -> list[WeaviateVectors]:
        """This index and those of other encoders; of theirs only deletions are asked."""
        names = await self._connection.call(lambda client: client.collections.list_all(simple=True))
        return [self if name == self._name else self._other(name) for name in names if name.startswith(COLLECTIONS)]

    def _other(self, name: str) -> WeaviateVectors:
        other = WeaviateVectors(self._connection, self._encoder)
        other._name, other._ready, other._locks = name, True, self._locks
        return other

    async def _delete_user(self, user_id: str, cut: int) -> None:
        newer = Filter.by_property("received").greater_than(whole(cut))
        older = Filter.by_property("received").less_or_equal(whole(cut))
        name = tenant_name(user_id)
        async with self._lock(user_id):
            kept = await self._ask(user_id, lambda users: _uuids(users, newer, 1), None)
            if kept is None:
                return
            if not kept:
                # Weaviate left the files of a tenant that was removed while it was closed (issue 8889, up to 1.32), and the question does not
                # open it on every node (issue 8651).
                status = await self._status(user_id)
                if status not in (None, TenantActivityStatus.ACTIVE):
                    await self._activate(user_id, status)
                await self._connection.call(lambda client: client.collections.use(self._name).tenants.remove([name]), BULK_SECONDS)
                return
            # By their ids, as a deletion by such a filter reads every match before its first deletion, and may never end (pull request 13104).
            while uuids := await self._ask(user_id, lambda users: _uuids(users, older, IDS), None):
                if not await self._delete(user_id, uuids):
                    raise StoreUnavailable(f"Weaviate at {self._connection.address} finds what it cannot delete of {self._name}; try again")

    async def clear(self) -> None:
        """Drops the collection and makes it again, empty: another process may be writing, and Weaviate's auto-schema would make a wrong one."""
        async with self._preparing:
            self._ready = False
            for remaining in reversed(range(REMAKINGS)):
                if await self._exists():
                    await self._connection.call(lambda client: client.collections.delete(self._name), BULK_SECONDS)
                try:
                    await self._prepare()
                except StoreRejected:
                    if not remaining:
                        raise
                else:
                    self._ready = True
                    return

    async def ping(self) -> None:
        await self._connection.ping()
        await self._prepared()

    async def close(self) -> None:
        await self._connection.close()

    # The collection.

    async def _prepared(self) -> None:
        if self._ready:
            return
        try:
            async with asyncio.timeout(BULK_SECONDS), self._preparing:
                if not self._ready:
                    await self._prepare()
                    self._ready = True
        except TimeoutError as error:
            raise StoreUnavailable(f"Weaviate at {self._connection.address} has not made {self._name} within {BULK_SECONDS:g} s") from error

    async def _prepare(self) -> None:
        if not await self._exists():
            wanted = definition(self._encoder, self._connection.address.index)
            try:
                await self._connection.call(lambda client: client.collections.create(**wanted), BULK_SECONDS)
            except StoreRejected:
                # Another process may have been first.
                if not await self._exists():
                    raise
        await self._connection.call(self._checked)

    async def _exists(self) -> bool:
        return await self._connection.call(lambda client: client.collections.exists(self._name))

    async def _checked(self, client: WeaviateAsyncClient) -> None:
        setting = self._connection.setting
        try:
            config = await client.collections.use(self._name).config.get()
        except (KeyError, ValueError, TypeError, AssertionError) as error:  # what the client raises for a schema it cannot read
            raise StoreRejected(f"the collection {self._name} is not as LIRA makes it ({error}); delete or rename it, or change {setting}") from error
        check(config, self._encoder, setting)

    # One user's tenant.

    async def _ask(self, user_id: str, work: Callable[[Users], Awaitable[T]], empty: T, seconds: float = OPERATION_SECONDS) -> T:
        """`work` on the user's tenant; `empty` where there is none. A tenant that is closed is opened."""
        await self._prepared()

        def on_tenant(client: WeaviateAsyncClient) -> Awaitable[T]:
            return work(self._users(client, user_id))

        try:
            return await self._connection.call(on_tenant, seconds)
        except StoreRejected:
            # What Weaviate says of a tenant that is absent or closed differs by version and path, so it is asked.
            status = await self._status(user_id)
            if status is None:
                return empty
            if status is TenantActivityStatus.ACTIVE:
                raise
            await self._activate(user_id, status)
        return await self._connection.call(on_tenant, seconds)

    async def _insert(self, user_id: str, objects: Sequence[DataObject[Any, None]]) -> None:
        await self._prepared()

        async def insert(client: WeaviateAsyncClient) -> None:
            try:
                result = await self._users(client, user_id).data.insert_many(objects)
            except WeaviateInsertManyAllFailedError as error:
                raise self._connection.refused(str(error)) from error
            for failed in result.errors.values():
                raise self._connection.refused(failed.message)

        try:
            await self._connection.call(insert, BULK_SECONDS)
        except StoreRejected:
            status = await self._status(user_id)
            if status is TenantActivityStatus.ACTIVE:
                raise
            if status is None:
                # The tenant was not made, or the collection was dropped under us.
                self._ready = False
                await self._prepared()
                name = tenant_name(user_id)
                await self._connection.call(lambda client: client.collections.use(self._name).tenants.create([Tenant(name=name)]), BULK_SECONDS)
            else:
                await self._activate(user_id, status)
            await self._connection.call(insert, BULK_SECONDS)

    async def _by_words(self, user_id: str, words: str, limit: int, until: datetime | None) -> list[tuple[Hit, int, int]]:
        async def bm25(users: Users) -> list[tuple[Hit, int, int]]:
            found = await users.query.bm25(
                words,
                query_properties=["terms"],
                limit=limit,
                filters=_said(until),
                return_properties=["memory_id", "timestamp", "received"],
                return_metadata=MetadataQuery(score=True),
            )
            rows = [(o.properties, o.metadata.score or 0.0) for o in found.objects]
            return [(Hit(p["memory_id"], score), int(p["timestamp"]), int(p["received"])) for p, score in rows]

        return await self._ask(user_id, bm25, [])

    async def _delete(self, user_id: str, uuids: Sequence[UUID]) -> int:
        async def delete(users: Users) -> tuple[int, int]:
            result = await users.data.delete_many(Filter.by_id().contains_any(list(uuids)))
            return result.successful, result.failed

        deleted, failed = await self._ask(user_id, delete, (0, 0), BULK_SECONDS)
        if failed:
            raise StoreUnavailable(f"Weaviate at {self._connection.address} could not delete {failed} objects of {self._name}; try again")
        return deleted

    async def _status(self, user_id: str) -> TenantActivityStatus | None:
        try:
            found = await self._connection.call(lambda client: client.collections.use(self._name).tenants.get_by_name(tenant_name(user_id)))
        except StoreRejected:
            if await self._exists():
                raise
            return None
        return None if found is None else TenantActivityStatus(found.activity_status)

    async def _activate(self, user_id: str, status: TenantActivityStatus) -> None:
        if status not in (TenantActivityStatus.INACTIVE, TenantActivityStatus.OFFLOADED):
            raise StoreUnavailable(f"the tenant {tenant_name(user_id)} of {self._name} is {status.value}; try again when it is ACTIVE")
        active = Tenant(name=tenant_name(user_id), activity_status=TenantActivityStatus.ACTIVE)
        await self._connection.call(lambda client: client.collections.use(self._name).tenants.update([active]), BULK_SECONDS)

    def _users(self, client: WeaviateAsyncClient, user_id: str) -> Users:
        return client.collections.use(self._name).with_tenant(tenant_name(user_id)).with_consistency_level(CONSISTENCY)

    def _lock(self, user_id: str) -> asyncio.Lock:
        return self._locks.setdefault(user_id, asyncio.Lock())

    def _check(self, vector: Vector) -> None:
        if vector.shape != (self._encoder.dimensions,):
            raise StoreRejected(f"a vector has the shape {vector.shape}; {self._encoder.name} makes vectors of {self._encoder.dimensions}")
        if not np.isfinite(vector).all():
            raise StoreRejected("a vector holds something that is no number; see to the encoder")


def _batches(objects: Sequence[DataObject[Any, None]]) -> Iterator[list[DataObject[Any, None]]]:
    batch: list[DataObject[Any, None]] = []
    size = 0
    for one in objects:
        # Korean takes three bytes a letter.
        weight = 3 * len(one.properties["body"])
        if batch and (len(batch) == BATCH or size + weight > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += weight
    if batch:
        yield batch


async def _uuids(users: Users, where: Any, limit: int) -> list[UUID]:
    return [one.uuid for one in (await users.query.fetch_objects(filters=where, limit=limit, return_properties=["memory_id"])).objects]


def _said(until: datetime | None) -> Any:
    return None if until is None else Filter.by_property("timestamp").less_or_equal(whole(instant(until)[0]))


def _encodable(term: str) -> bool:
    # A lone surrogate cannot travel, and nothing that is stored holds one.
    return not any("\ud800" <= letter <= "\udfff" for letter in term)
