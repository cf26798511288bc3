"""Search by meaning: exact, one user's only, and never of what was deleted."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.stores.ports import StoreError, Vector
from lira_core.stores.sqlite import Database, SqliteVectors

DIMENSIONS = 16


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteVectors]:
    opened = SqliteVectors(Database(tmp_path / "lira.db"))
    yield opened
    await opened.close()


@pytest.fixture
async def other(tmp_path: Path, store: SqliteVectors) -> AsyncIterator[SqliteVectors]:
    """The same file as another process has it: nothing shared but the disk."""
    opened = SqliteVectors(Database(tmp_path / "lira.db"))
    yield opened
    await opened.close()


def some(count: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def axis(n: int) -> Vector:
    return np.eye(DIMENSIONS, dtype=np.float32)[n]


def ids(found: list[tuple[str, float]]) -> list[str]:
    return [id for id, _ in found]


@settings(max_examples=25, deadline=None)
@given(count=st.integers(0, 60), limit=st.integers(-1, 70), seed=st.integers(0, 99), batch=st.integers(1, 20))
async def test_search_agrees_with_brute_force(tmp_path_factory: pytest.TempPathFactory, count: int, limit: int, seed: int, batch: int) -> None:
    store = SqliteVectors(Database(tmp_path_factory.mktemp("v") / "lira.db"))
    rows, query = some(count, seed), some(1, seed + 1)[0]
    for start in range(0, count, batch):
        await store.add("u", [(str(n), rows[n]) for n in range(start, min(start + batch, count))])
        await store.search("u", query, 1)
    found = await store.search("u", query, limit)
    await store.close()
    cosines = rows @ query
    expected = np.argsort(-cosines, kind="stable")[: max(limit, 0)]
    assert ids(found) == [str(n) for n in expected]
    assert [score for _, score in found] == pytest.approx(cosines[expected].tolist(), abs=1e-6)


async def test_of_equals_the_one_added_later_comes_first(store: SqliteVectors) -> None:
    await store.add("u", [(str(n), axis(0)) for n in range(9)])
    assert await store.search("u", axis(0), 3) == [("8", 1.0), ("7", 1.0), ("6", 1.0)]


async def test_an_id_that_is_there_is_overwritten(store: SqliteVectors, other: SqliteVectors) -> None:
    await store.add("u", [("a", axis(0)), ("b", axis(1))])
    assert ids(await other.search("u", axis(0), 1)) == ids(await store.search("u", axis(0), 1)) == ["a"]
    await store.add("u", [("a", axis(2))])
    for reader in (store, other):
        assert await reader.search("u", axis(2), 3) == [("a", 1.0), ("b", 0.0)]
    await store.add("u", [("a", axis(3)), ("a", axis(4))])
    assert await other.search("u", axis(4), 3) == [("a", 1.0), ("b", 0.0)]


async def test_what_another_process_adds_or_deletes_is_seen_by_the_next_search(store: SqliteVectors, other: SqliteVectors) -> None:
    rows = some(200)
    for n in range(200):
        await (store, other)[n % 2].add("u", [(str(n), rows[n])])
        assert ids(await (other, store)[n % 2].search("u", rows[n], 1)) == [str(n)]
    for n in range(0, 200, 10):
        await (store, other)[n % 2].delete("u", [str(n), "없음"])
        assert str(n) not in ids(await (other, store)[n % 2].search("u", rows[n], 200))
    assert len(await store.search("u", rows[1], 999)) == len(await other.search("u", rows[1], 999)) == 180


async def test_a_user_who_was_deleted_and_began_again_has_only_the_new(store: SqliteVectors, other: SqliteVectors) -> None:
    await store.add("u", [(str(n), axis(n)) for n in range(5)])
    assert len(await other.search("u", axis(0), 9)) == 5
    await store.delete_user("u")
    assert await store.search("u", axis(0), 9) == []
    await store.add("u", [("new", axis(0))])
    assert await other.search("u", axis(0), 9) == [("new", 1.0)]
    await store.delete("u", ["new"])
    assert await other.search("u", axis(0), 9) == await store.search("u", axis(0), 9) == []


async def test_users_with_the_same_ids_are_apart(store: SqliteVectors) -> None:
    await store.add("u", [("m", axis(0))])
    await store.add("v", [("m", axis(1))])
    await store.delete("u", ["m"])
    assert await store.search("u", axis(1), 9) == []
    assert await store.search("v", axis(1), 9) == [("m", 1.0)]


async def test_a_cache_too_small_for_everybody_still_answers_everybody(tmp_path: Path) -> None:
    store = SqliteVectors(Database(tmp_path / "small.db"), cache_bytes=3 * 10 * DIMENSIONS * 4)
    for user in range(8):
        await store.add(f"u{user}", [(f"{user}-{n}", row) for n, row in enumerate(some(10, user))])
    for _ in range(2):
        for user in range(8):
            assert ids(await store.search(f"u{user}", some(10, user)[3], 1)) == [f"{user}-3"]
    assert sum(matrix.rows.nbytes for matrix in store._cache.values()) <= 3 * 10 * DIMENSIONS * 4
    await store.close()


async def test_another_dimension_is_refused_with_both_named(store: SqliteVectors) -> None:
    await store.add("u", [("a", axis(0))])
    longer = np.ones(DIMENSIONS * 2, np.float32)
    for attempt in (store.search("u", longer, 3), store.add("u", [("b", axis(1)), ("c", longer)])):
        with pytest.raises(StoreError, match=r"have 16 dimensions and this one has 32: use the embedding model"):
            await attempt
    assert ids(await store.search("u", axis(0), 9)) == ["a"]
    await store.delete("u", ["a"])
    await store.add("u", [("c", longer)])
    assert ids(await store.search("u", longer, 9)) == ["c"]


@pytest.mark.parametrize("wrong", [[[1.0, 0.0]], [float("nan"), 0.0], []])
async def test_what_is_no_vector_is_refused(store: SqliteVectors, wrong: list) -> None:
    with pytest.raises(ValueError, match="one row of finite numbers"):
        await store.add("u", [("a", np.array(wrong, np.float32))])
