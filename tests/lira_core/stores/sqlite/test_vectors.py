"""Search by meaning: one user's only, as other processes change it, and never of what was deleted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from lira_core.stores.ports import EncoderId, Hit, IndexItem, Vector
from lira_core.stores.sqlite import Database, SqliteVectors, vectors

from ..conformance.making import RECEIVED, ids, memory

DIMENSIONS = 16
ENCODER = EncoderId("test", DIMENSIONS)
LATER = RECEIVED + 1_000_000


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteVectors]:
    opened = SqliteVectors(Database(tmp_path / "lira.db"), ENCODER)
    yield opened
    await opened.close()


@pytest.fixture
async def other(tmp_path: Path, store: SqliteVectors) -> AsyncIterator[SqliteVectors]:
    """The same file as another process has it: nothing shared but the disk."""
    opened = SqliteVectors(Database(tmp_path / "lira.db"), ENCODER)
    yield opened
    await opened.close()


def some(count: int, seed: int = 0, dimensions: int = DIMENSIONS) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def axis(n: int) -> Vector:
    return np.eye(DIMENSIONS, dtype=np.float32)[n]


async def add(store: SqliteVectors, user: str, pairs: Sequence[tuple[str, Vector]], received: int = RECEIVED) -> None:
    await store.add(user, [IndexItem(memory(id, user, text=f"SECRET-OF-{user} {id}"), received, vector) for id, vector in pairs])


async def test_search_agrees_with_brute_force_while_vectors_come_and_go(tmp_path: Path) -> None:
    chance = np.random.default_rng(3)
    store = SqliteVectors(Database(tmp_path / "lira.db"), EncoderId("test", 64))
    rows = some(3_000, 1, 64)
    there: dict[str, Vector] = {}
    for start in range(0, 3_000, 250):
        batch = {str(n): rows[n] for n in range(start, start + 250)}
        await add(store, "u", list(batch.items()))
        there |= batch
        gone = chance.choice(list(there), 20, replace=False).tolist()
        await store.delete("u", gone)
        for id in gone:
            del there[id]
        names, matrix = list(there), np.array(list(there.values()))
        for query in some(3, start, 64):
            best = np.argsort(-(matrix @ query))[:5]
            found = await store.search("u", query, 5)
            assert ids(found) == [names[n] for n in best]
            assert [hit.score for hit in found] == pytest.approx((matrix @ query)[best].tolist(), abs=1e-5)
    await store.close()


async def test_of_equals_the_one_added_later_comes_first(store: SqliteVectors) -> None:
    await add(store, "u", [(str(n), axis(0)) for n in range(9)])
    assert await store.search("u", axis(0), 3) == [Hit("8", 1.0), Hit("7", 1.0), Hit("6", 1.0)]


async def test_what_is_overwritten_by_another_process_is_seen_at_once(store: SqliteVectors, other: SqliteVectors) -> None:
    await add(store, "u", [("a", axis(0)), ("b", axis(1))])
    assert ids(await other.search("u", axis(0), 1)) == ids(await store.search("u", axis(0), 1)) == ["a"]
    await add(store, "u", [("a", axis(2))])
    for reader in (store, other):
        assert await reader.search("u", axis(2), 3) == [Hit("a", 1.0), Hit("b", 0.0)]
    await add(store, "u", [("a", axis(3)), ("a", axis(4))])
    assert await other.search("u", axis(4), 3) == [Hit("a", 1.0), Hit("b", 0.0)]


async def test_what_another_process_adds_or_deletes_is_seen_by_the_next_search(store: SqliteVectors, other: SqliteVectors) -> None:
    rows = some(200)
    for n in range(200):
        await add((store, other)[n % 2], "u", [(str(n), rows[n])])
        assert ids(await (other, store)[n % 2].search("u", rows[n], 1)) == [str(n)]
    for n in range(0, 200, 10):
        await (store, other)[n % 2].delete("u", [str(n), "없음"])
        assert str(n) not in ids(await (other, store)[n % 2].search("u", rows[n], 200))
    assert len(await store.search("u", rows[1], 999)) == len(await other.search("u", rows[1], 999)) == 180


async def test_a_search_that_began_earlier_takes_nothing_newer_for_deleted(store: SqliteVectors) -> None:
    rows = some(400)

    async def write() -> None:
        for n in range(200):
            await add(store, "u", [(str(n), rows[n])])

    async def look() -> None:
        for n in range(200):
            await store.search("u", rows[n], 50)

    await asyncio.gather(write(), look(), look(), look())
    assert len(await store.search("u", rows[0], 999)) == 200


async def test_a_user_who_was_deleted_and_began_again_has_only_the_new(store: SqliteVectors, other: SqliteVectors, tmp_path: Path) -> None:
    await add(store, "u", [(str(n), axis(n)) for n in range(5)])
    assert len(await other.search("u", axis(0), 9)) == 5
    await store.delete_user("u", LATER)
    assert await store.search("u", axis(0), 9) == await other.search("u", axis(0), 9) == []
    assert b"SECRET-OF-u" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())  # noqa: ASYNC240  a small file
    await add(store, "u", [("late", axis(0))])
    await add(store, "u", [("new", axis(0))], LATER + 1)
    assert await other.search("u", axis(0), 9) == [Hit("new", 1.0)]
    await store.delete("u", ["new"])
    assert await other.search("u", axis(0), 9) == await store.search("u", axis(0), 9) == []


async def test_a_deletion_that_stopped_half_way_is_out_of_sight_and_finished_by_the_next(
    store: SqliteVectors, other: SqliteVectors, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(vectors, "ROWS_AT_ONCE", 3)
    rows = some(100)
    await add(store, "u", [(str(n), rows[n]) for n in range(90)])
    await add(store, "u", [(str(n), rows[n]) for n in range(90, 100)], LATER + 1)
    assert len(await other.search("u", rows[0], 999)) == 100
    task = asyncio.create_task(store.delete_user("u", LATER))
    while not await store._database.read(lambda c: c.execute("SELECT 1 FROM cuts").fetchall()):  # noqa: ASYNC110  nobody tells
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for reader in (store, other):
        assert len(await reader.search("u", rows[0], 999)) == 10
        assert ids(await reader.get("u", ["0", "95"])) == ["95"]
    await store.delete_user("u", LATER)
    assert await store._database.read(lambda c: c.execute("SELECT count(*) FROM vectors").fetchone()) == (10,)


async def test_an_index_that_is_dropped_is_empty_at_once_and_gone_in_the_end(store: SqliteVectors, other: SqliteVectors, tmp_path: Path) -> None:
    beside = SqliteVectors(store._database, EncoderId("beside", DIMENSIONS))
    for user in "uvw":
        await add(store, user, [(str(n), axis(n)) for n in range(5)])
        await add(beside, user, [("b", axis(1))])
    assert len(await other.search("u", axis(0), 9)) == 5
    await store.clear()
    assert await other.search("u", axis(0), 9) == await other.get("u", ["1"]) == []
    for user in "uvw":
        assert ids(await beside.search(user, axis(1), 9)) == ["b"]
    await add(store, "u", [("again", axis(0))])
    assert ids(await other.search("u", axis(0), 9)) == ["again"]
    count = "SELECT (SELECT count(*) FROM vectors), (SELECT count(*) FROM vector_codes), (SELECT count(*) FROM encoders)"
    assert await store._database.read(lambda c: c.execute(count).fetchone()) == (4, 4, 2)


async def test_a_cache_too_small_for_everybody_still_answers_everybody(tmp_path: Path) -> None:
    store = SqliteVectors(Database(tmp_path / "small.db"), ENCODER, cache_bytes=1_500)
    for user in range(8):
        await add(store, f"u{user}", [(f"{user}-{n}", row) for n, row in enumerate(some(10, user))])
    for _ in range(2):
        for user in range(8):
            assert ids(await store.search(f"u{user}", some(10, user)[3], 1)) == [f"{user}-3"]
    assert 0 < sum(matrix.nbytes for matrix in store._cache.values()) <= 1_500
    await store.close()
