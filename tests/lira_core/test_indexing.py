"""Every memory gets its vector, whatever fails on the way, and none that was deleted keeps one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lira_core.embedding.port import Kind
from lira_core.indexing import ATTEMPTS, HOLD_SECONDS, Indexer
from lira_core.stores import StoreOptions, Stores, open_stores
from lira_core.stores.ports import EncoderId, Entry, Erasure, IndexPlan, Unindexed, Write
from lira_core.types import Memory

AT = datetime(2026, 10, 3, tzinfo=UTC)
ENCODER = EncoderId("tiny-4", 4)
EAST = np.eye(1, 4, dtype=np.float32)[0]


class Tiny:
    """An encoder that keeps what it was given, waits for a go when told to, and chokes on `poison`."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.down = False
        self.go = asyncio.Event()
        self.go.set()

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        self.texts += [text for _, text in texts]
        await self.go.wait()
        if self.down or any("poison" in text for _, text in texts):
            raise RuntimeError("this text cannot be embedded")
        return np.tile(EAST, (len(texts), 1))


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    url = f"sqlite:///{tmp_path}/lira.db"
    stores = await open_stores({"short_term": url, "record": url, "vectors": url}, StoreOptions(ENCODER))
    await stores.record.plan_index(IndexPlan(ENCODER.name), IndexPlan())
    yield stores
    await stores.close()


async def commit(stores: Stores, *texts: str, hold: float = 0.0, user: str = "u1") -> list[Entry[Unindexed]]:
    memories = tuple(Memory(f"m{i}", user, text, AT) for i, text in enumerate(texts))
    await stores.record.commit(Write(f"import-{user}", user, 1_000, None, memories), hold)
    return [Entry(user, memory.id, Unindexed(memory, 1_000), 1) for memory in memories]


async def vectors(stores: Stores, user: str = "u1") -> set[str]:
    return {hit.id for hit in await stores.vectors.search(user, EAST, 100)}


async def test_a_memory_deleted_while_it_is_embedded_leaves_no_vector(stores: Stores) -> None:
    encoder = Tiny()
    encoder.go.clear()
    entries = await commit(stores, "비밀", hold=HOLD_SECONDS)
    indexing = asyncio.create_task(Indexer(stores, encoder, batch=8).index(entries))
    await asyncio.sleep(0.05)
    await stores.record.erase(Erasure("u1", None, 2_000))
    await stores.vectors.delete_user("u1", 2_000)
    encoder.go.set()
    await indexing
    assert encoder.texts == ["비밀"]
    assert await vectors(stores) == set()


async def test_what_was_just_committed_is_indexed_once_by_who_committed_it(stores: Stores) -> None:
    encoder = Tiny()
    encoder.go.clear()
    mine, other = Indexer(stores, encoder, batch=8), Indexer(stores, encoder, batch=8)
    [entry] = await commit(stores, "산책", hold=HOLD_SECONDS)
    mine.start()
    mine.soon(entry.payload)
    await asyncio.sleep(0.2)
    assert await other.claimed(10) == 0, "it is held"
    encoder.go.set()
    for _ in range(500):
        if await vectors(stores) == {"m0"}:
            break
        await asyncio.sleep(0.01)
    await mine.stop()
    assert await vectors(stores) == {"m0"}
    assert encoder.texts == ["산책"]


@pytest.mark.parametrize("after", [0.0, 0.02])
async def test_what_was_just_committed_is_given_back_to_the_others_where_it_ends_first(stores: Stores, after: float) -> None:
    mine, other = Indexer(stores, Tiny(), batch=8), Indexer(stores, Tiny(), batch=8)
    entries = await commit(stores, "산책", "커피", hold=HOLD_SECONDS)
    mine.start()
    for entry in entries:
        mine.soon(entry.payload)
    await asyncio.sleep(after)
    await mine.stop()
    assert await other.claimed(10) == 2


async def test_a_vector_that_is_made_already_is_not_made_again_and_nothing_of_it_stays(stores: Stores) -> None:
    encoder = Tiny()
    indexer = Indexer(stores, encoder, batch=8)
    with_one, without = await commit(stores, "산책", "커피", hold=HOLD_SECONDS)
    indexer.soon(with_one.payload, -EAST)
    indexer.soon(without.payload)
    indexer.start()
    for _ in range(500):
        if await vectors(stores) == {"m0", "m1"}:
            break
        await asyncio.sleep(0.01)
    await indexer.stop()
    assert {hit.id: round(hit.score) for hit in await stores.vectors.search("u1", EAST, 10)} == {"m0": -1, "m1": 1}
    assert encoder.texts == ["커피"]
    assert indexer._made == {}


async def test_one_text_that_cannot_be_embedded_does_not_stop_the_others_and_is_given_up_on(stores: Stores) -> None:
    indexer = Indexer(stores, Tiny(), batch=8)
    entries = await commit(stores, "하나", "poison", "둘", hold=HOLD_SECONDS)
    assert await indexer.index(entries) == 2
    assert await vectors(stores) == {"m0", "m2"}
    last = Entry("u1", "m1", entries[1].payload, ATTEMPTS)
    await indexer.index([last])
    [letter] = await stores.record.unindexed.dead(10)
    assert (letter.user_id, letter.id) == ("u1", "m1")
    assert "poison" not in letter.reason


async def test_an_encoder_that_is_away_costs_no_memory_its_attempts(stores: Stores) -> None:
    encoder = Tiny()
    encoder.down = True
    indexer = Indexer(stores, encoder, batch=8)
    entries = await commit(stores, "하나", "둘", hold=HOLD_SECONDS)
    for _ in range(ATTEMPTS + 1):
        assert await indexer.index(entries) == 0
    backlog = await stores.record.unindexed.backlog()
    assert (backlog.waiting, backlog.dead) == (2, 0)


async def test_what_waits_in_the_record_is_claimed_in_batches_and_users_do_not_mix(stores: Stores) -> None:
    encoder = Tiny()
    for user in ("u1", "u2", "u3"):
        await commit(stores, *(f"{user} {i}" for i in range(5)), user=user)
    indexer = Indexer(stores, encoder, batch=4)
    while await indexer.claimed(6):
        pass
    for user in ("u1", "u2", "u3"):
        assert await vectors(stores, user) == {f"m{i}" for i in range(5)}
        assert [memory.text for memory in await stores.vectors.get(user, ["m3"])] == [f"{user} 3"]
    assert sorted(encoder.texts) == sorted(f"{user} {i}" for user in ("u1", "u2", "u3") for i in range(5))
