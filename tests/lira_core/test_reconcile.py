"""What could not be written when it was said is written later, once, and never for somebody who left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lira_core.embedding.port import Kind
from lira_core.reconcile import Reconciler
from lira_core.stores import Stores, open_stores
from lira_core.stores.ports import Deferred
from lira_core.types import Event, Memory

AT = datetime(2026, 10, 3, tzinfo=UTC)


class Counting:
    """An embedder that counts the texts it is given, and waits for a go when told to."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.go = asyncio.Event()
        self.go.set()

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        self.texts += [text for _, text in texts]
        await self.go.wait()
        return np.tile(np.eye(1, 4, dtype=np.float32), (len(texts), 1))


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    url = f"sqlite:///{tmp_path}/lira.db"
    stores = open_stores(url, url, url, ttl_seconds=60, max_messages=10)
    yield stores
    await stores.close()


async def until(condition: object) -> None:
    for _ in range(500):
        if await condition():  # type: ignore[operator]
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


async def test_a_memory_deleted_while_it_is_embedded_leaves_no_vector(stores: Stores) -> None:
    embedder = Counting()
    embedder.go.clear()
    memory = Memory("m1", "u1", "비밀", AT)
    await stores.memories.write("u1", None, memory)
    indexing = asyncio.create_task(Reconciler(stores, embedder, every=60).index([memory]))
    await asyncio.sleep(0.05)
    await stores.memories.delete_user("u1")
    await stores.vectors.delete_user("u1")
    embedder.go.set()
    await indexing
    assert await stores.vectors.search("u1", np.eye(1, 4, dtype=np.float32)[0], 5) == []


async def test_what_is_being_indexed_is_not_taken_for_left_over(stores: Stores) -> None:
    embedder = Counting()
    embedder.go.clear()
    memory = Memory("m1", "u1", "산책", AT)
    await stores.memories.write("u1", None, memory)
    reconciler = Reconciler(stores, embedder, every=0.01)
    reconciler.start()
    reconciler.index_soon(memory)
    await asyncio.sleep(0.3)
    embedder.go.set()

    async def indexed() -> bool:
        return not await stores.memories.unindexed(5)

    await until(indexed)
    await reconciler.stop()
    assert embedder.texts == ["산책"]


async def test_a_deferred_turn_is_written_and_indexed_and_forgotten_by_the_queue(stores: Stores) -> None:
    event, memory = Event("e1", "u1", "s1", "user", "산책", AT), Memory("e1", "u1", "산책", AT)
    await stores.short_term.defer("u1", Deferred(event, memory))
    reconciler = Reconciler(stores, Counting(), every=0.01)
    reconciler.start()

    async def found() -> bool:
        return bool(await stores.vectors.search("u1", np.eye(1, 4, dtype=np.float32)[0], 5))

    await until(found)
    await reconciler.stop()
    assert await stores.short_term.deferred(5) == []
    assert [kept.id for kept in await stores.memories.get("u1", ["e1"])] == ["e1"]
