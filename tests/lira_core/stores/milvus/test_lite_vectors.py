"""The index by meaning in a Milvus Lite folder: it finds what brute force finds, and nothing is left of what is deleted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from milvus_lite import CollectionSchema, DataType, FieldSchema, MilvusLite

from lira_core.stores import StoreRejected
from lira_core.stores.milvus import lite_vectors, rows
from lira_core.stores.milvus.lite_search import Search
from lira_core.stores.ports import EncoderId, IndexItem, Vectors

from .making import DIMENSIONS, ENCODER, NOON, items, memory, opened, vectors_of
from .storage import raw

[ASKED] = vectors_of(1, 99)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vectors.db"


@pytest.fixture
async def vectors(folder: Path) -> AsyncIterator[Vectors]:
    opened_vectors = await opened(f"milvus:///{folder}")
    yield opened_vectors
    await opened_vectors.close()


# Against a model


class Model:
    """What ought to be in the index, searched with a loop."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], IndexItem] = {}

    def search(self, user: str, limit: int, until: int | None) -> list[tuple[str, float]]:
        there = [item for (owner, _), item in self.held.items() if owner == user]
        there = [item for item in there if until is None or item.memory.timestamp <= NOON + timedelta(minutes=until)]
        return sorted(((item.memory.id, float(item.vector @ ASKED)) for item in there), key=lambda pair: -pair[1])[:limit]


USER = st.sampled_from(["u", "u:1", "1:u"])
STEP = st.one_of(
    st.tuples(st.just("add"), USER, st.integers(1, 40), st.integers(0, 60), st.integers(0, 10_000)),
    st.tuples(st.just("delete"), USER, st.lists(st.integers(0, 100), min_size=1, max_size=6)),
    st.tuples(st.just("delete_user"), USER, st.integers(-1, 110)),
    st.tuples(st.just("reopen")),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEP, min_size=1, max_size=9), st.integers(1, 50), st.one_of(st.none(), st.integers(0, 100)))
async def test_whatever_is_done_to_it_the_index_finds_what_a_loop_over_all_vectors_finds(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Any, ...]], limit: int, until: int | None
) -> None:
    url = f"milvus:///{tmp_path_factory.mktemp('model')}/vectors.db"
    vectors, model = await opened(url), Model()
    for step in steps:
        match step:
            case "add", user, count, first, seed:
                added = items(user, count, first, seed)
                await vectors.add(user, added)
                model.held |= {(user, item.memory.id): item for item in added}
            case "delete", user, numbers:
                await vectors.delete(user, [f"m{n}" for n in numbers])
                model.held = {key: item for key, item in model.held.items() if key not in [(user, f"m{n}") for n in numbers]}
            case "delete_user", user, cut:
                await vectors.delete_user(user, cut)
                model.held = {key: item for key, item in model.held.items() if key[0] != user or item.received > cut}
            case _:
                await vectors.close()
                vectors = await opened(url)
        for user in ("u", "u:1", "1:u"):
            expected = model.search(user, limit, until)
            moment = None if until is None else NOON + timedelta(minutes=until)
            hits = await vectors.search(user, ASKED, limit, moment)
            assert [hit.id for hit in hits] == [id for id, _ in expected]
            assert [hit.score for hit in hits] == pytest.approx([cosine for _, cosine in expected], abs=1e-5)
            asked = [f"m{n}" for n in range(0, 100, 7)]
            assert await vectors.get(user, asked) == [model.held[user, id].memory for id in asked if (user, id) in model.held]
    await vectors.close()


async def test_every_one_of_five_thousand_is_found_by_its_own_vector(folder: Path) -> None:
    encoder = EncoderId("wide", 128)
    vectors = await opened(f"milvus:///{folder}", encoder)
    drawn = vectors_of(5_000, 3, 128)
    added = [IndexItem(memory(f"m{n}", minutes=n), n, drawn[n]) for n in range(5_000)]
    for start in range(0, 5_000, 700):
        await vectors.add("u", added[start : start + 700])
    for n in range(0, 5_000, 97):
        best, *others = await vectors.search("u", drawn[n], 11)
        assert (best.id, best.score) == (f"m{n}", pytest.approx(1, abs=1e-5))
        nearest = np.sort(drawn @ drawn[n])[::-1][1:11]
        assert [hit.score for hit in others] == pytest.approx(nearest.tolist(), abs=1e-5)
        early = await vectors.search("u", drawn[n], 3, NOON + timedelta(minutes=1))
        assert {hit.id for hit in early} == {"m0", "m1"}
    await vectors.close()


# Deleting


def named(word: str, count: int, first: int = 0, user: str = "u") -> list[IndexItem]:
    made = items(user, count, first)
    return [replace(item, memory=replace(item.memory, id=f"{word}{n}", text=f"{word}라는 비밀 {n}")) for n, item in enumerate(made)]


async def one_by_one(vectors: Vectors, made: list[IndexItem]) -> None:
    for item in made:
        await vectors.add(item.memory.user_id, [item])


Delete = Callable[[Vectors], Coroutine[Any, Any, None]]
WAYS: dict[str, Delete] = {
    "memory": lambda vectors: vectors.delete("u", [f"secret{n}" for n in range(60)]),
    "user": lambda vectors: vectors.delete_user("u", 10_000),
    "index": lambda vectors: vectors.clear(),
}


@pytest.mark.parametrize("count", [1, 15, 16, 60])
@pytest.mark.parametrize("way", WAYS)
async def test_no_word_of_what_is_deleted_is_left_in_the_folder(vectors: Vectors, folder: Path, way: str, count: int) -> None:
    """In the log, in files, and in files that Milvus Lite has put together."""
    await one_by_one(vectors, named("secret", count))
    await vectors.add("v", named("other", 20, user="v"))
    assert b"secret0" in raw(folder)
    assert "secret라는 비밀 0".encode() in raw(folder)
    await WAYS[way](vectors)
    assert b"secret" not in raw(folder)
    if way != "index":
        assert b"other3" in raw(folder)
        assert len(await vectors.search("v", ASKED, 100)) == 20
    await vectors.close()
    assert b"secret" not in raw(folder)


async def test_deleting_a_few_leaves_the_rest_as_it_was(vectors: Vectors, folder: Path) -> None:
    await one_by_one(vectors, named("secret", 50))
    await vectors.delete("u", ["secret7", "never", "secret49"])
    found = {hit.id for hit in await vectors.search("u", ASKED, 100)}
    assert found == {f"secret{n}" for n in range(50)} - {"secret7", "secret49"}
    left = raw(folder)
    assert b"secret7" not in left
    assert b"secret49" not in left
    assert b"secret48" in left


async def test_what_was_overwritten_goes_with_what_overwrote_it(vectors: Vectors, folder: Path) -> None:
    await vectors.add("u", named("secret", 20))
    await vectors.add("u", [replace(item, memory=replace(item.memory, text="뒤에 고친 말")) for item in named("secret", 20)])
    await vectors.delete("u", [f"secret{n}" for n in range(20)])
    left = raw(folder)
    assert b"secret" not in left
    assert "뒤에 고친 말".encode() not in left


async def test_of_a_deleted_user_what_was_received_later_stays_and_no_word_of_the_rest(vectors: Vectors, folder: Path) -> None:
    await one_by_one(vectors, named("secret", 40))
    await one_by_one(vectors, named("later", 3, first=40))
    await vectors.delete_user("u", 39)
    assert {hit.id for hit in await vectors.search("u", ASKED, 100)} == {"later0", "later1", "later2"}
    assert b"secret" not in raw(folder)
    await vectors.delete_user("u", 39)
    assert len(await vectors.search("u", ASKED, 100)) == 3


async def test_a_deletion_that_a_crash_cut_short_is_finished_by_the_next(folder: Path) -> None:
    """The tombstones are in the log, and nothing else has been done."""
    vectors = await opened(f"milvus:///{folder}")
    await vectors.add("u", named("secret", 40))
    await vectors.close()
    db = MilvusLite(str(folder))
    db.get_collection(rows.collection_name(ENCODER)).delete([rows.key("u", f"secret{n}") for n in range(20)], partition_name=rows.owner("u"))
    db._release_lock()
    vectors = await opened(f"milvus:///{folder}")
    assert {hit.id for hit in await vectors.search("u", ASKED, 100)} == {f"secret{n}" for n in range(20, 40)}
    assert b"secret3" in raw(folder)
    await vectors.delete("u", [f"secret{n}" for n in range(20)])
    left = raw(folder)
    assert not any(f"secret{n}".encode() in left.replace(b"secret2", b"").replace(b"secret3", b"") for n in range(20))
    await vectors.close()


async def test_a_user_who_was_deleted_may_come_again(vectors: Vectors) -> None:
    for turn in range(3):
        await vectors.add("u", items("u", 20, first=turn * 20))
        assert len(await vectors.search("u", ASKED, 100)) == 20
        await vectors.delete_user("u", turn * 20 + 19)
        assert await vectors.search("u", ASKED, 100) == []


# As such


async def test_adding_and_searching_at_once_loses_nothing(vectors: Vectors) -> None:
    """Milvus Lite takes one writer at a time, and a search beside a flush may miss rows."""

    async def add(user: str) -> None:
        for item in items(user, 40):
            await vectors.add(user, [item])

    async def watch(user: str) -> None:
        seen = 0
        while seen < 40:
            now = len(await vectors.search(user, ASKED, 100))
            assert now >= seen
            seen = now

    await asyncio.gather(*[work(f"u{n}") for n in range(6) for work in (add, watch)])


async def test_nothing_is_added_when_one_of_the_vectors_is_wrong(vectors: Vectors) -> None:
    good, bad = items("u", 2)
    with pytest.raises(StoreRejected):
        await vectors.add("u", [good, replace(bad, vector=np.ones(DIMENSIONS + 1, np.float32))])
    assert await vectors.search("u", ASKED, 5) == []


async def test_a_collection_of_another_program_is_refused(folder: Path) -> None:
    with MilvusLite(str(folder)) as db:
        fields = [FieldSchema("id", DataType.VARCHAR, is_primary=True, max_length=64), FieldSchema("vector", DataType.FLOAT_VECTOR, dim=3)]
        db.create_collection(rows.collection_name(ENCODER), CollectionSchema(fields))
    with pytest.raises(StoreRejected, match="LIRA_VECTORS_URL"):
        await opened(f"milvus:///{folder}")
    vectors = await opened(f"milvus:///{folder}", EncoderId("another", DIMENSIONS))
    await vectors.ping()
    await vectors.close()


async def test_only_so_many_users_rows_are_kept_in_mind(vectors: Vectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lira_core.stores.milvus.lite_search.VIEWS", 2)
    for n in range(5):
        await vectors.add(f"u{n}", items(f"u{n}", lite_vectors.FLUSH_ROWS))
    assert isinstance(vectors, lite_vectors.MilvusLiteVectors)
    search: Search = vectors._search
    for _ in range(2):
        for n in range(5):
            assert len(await vectors.search(f"u{n}", ASKED, 100)) == lite_vectors.FLUSH_ROWS
            assert len(search._views) <= 2
    await vectors.delete_user("u4", 1_000)
    assert rows.owner("u4") not in search._views
