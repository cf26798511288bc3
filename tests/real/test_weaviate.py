"""What the engine asks of Weaviate alone: words, tenants, many of both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

import pytest

from lira_core.stores.ports import EncoderId, StoreUnavailable
from lira_core.stores.weaviate import WeaviateVectors
from lira_core.stores.weaviate.schema import collection_name, tenant_name

from ..lira_core.stores.conformance.engines import Opener
from ..lira_core.stores.conformance.making import DIMENSIONS, NOON, RECEIVED, ids, item, memory, someone, unit
from .conftest import RealServer

T = TypeVar("T")

ONE = unit(1)
COLLECTION = collection_name(EncoderId("conformance", DIMENSIONS))
AT_ONCE = 16


def tenant(server: RealServer, user: str) -> str | None:
    """The status of a user's tenant, None where there is none."""
    found = server.rest("GET", f"schema/{COLLECTION}/tenants/{tenant_name(user)}")
    # Before 1.26, and still in places, by their old names.
    return None if found is None else {"HOT": "ACTIVE", "COLD": "INACTIVE"}.get(found["activityStatus"], found["activityStatus"])


async def patiently(call: Callable[[], Awaitable[T]]) -> T:
    """What the call returns once the server can: a tenant takes a moment to close."""
    async with asyncio.timeout(20):
        while True:
            try:
                return await call()
            except StoreUnavailable:
                await asyncio.sleep(0.1)


# Words


async def test_memories_that_hold_any_of_the_words_are_found_best_first(vectors: WeaviateVectors, user: str) -> None:
    said = {"both": ("커피", "부산"), "coffee": ("커피", "집"), "none": ("고양이", "집"), "busan": ("부산", "바다")}
    await vectors.add(user, [item(memory(id, user, terms=terms), ONE) for id, terms in said.items()])
    hits = await vectors.lexical(user, ["커피", "부산"], 10)
    assert hits[0].id == "both"
    assert set(ids(hits)) == {"both", "coffee", "busan"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(hit.score > 0 for hit in hits)
    assert await vectors.lexical(user, ["기린"], 10) == []
    assert await vectors.lexical(user, ["커"], 10) == []


@pytest.mark.parametrize(
    "term", ["the", "to", "C++", "3.5", "a:b", "e\u0301", "a b", "50%", "\u3000", "AND", "-커피", '"커피"', "커피*", "그", "ㅋㅋ", "☕️"]
)
async def test_every_word_is_found_as_it_is_written(vectors: WeaviateVectors, user: str, term: str) -> None:
    await vectors.add(user, [item(memory("m", user, terms=(term, "집")), ONE), item(memory("n", user, terms=("고양이", "집")), ONE)])
    assert ids(await vectors.lexical(user, [term], 10)) == ["m"]


async def test_letters_in_another_case_are_another_word(vectors: WeaviateVectors, user: str) -> None:
    await vectors.add(user, [item(memory("m", user, terms=("us",)), ONE), item(memory("n", user, terms=("US",)), ONE)])
    assert ids(await vectors.lexical(user, ["US"], 10)) == ["n"]


async def test_a_rare_word_counts_for_more_than_one_that_all_hold(vectors: WeaviateVectors, user: str) -> None:
    await vectors.add(user, [item(memory(f"m{n}", user, n, terms=("커피", "집")), ONE) for n in range(20)])
    await vectors.add(user, [item(memory("rare", user, -1, terms=("부산", "집")), ONE)])
    assert ids(await vectors.lexical(user, ["커피", "부산"], 3))[0] == "rare"


async def test_of_words_that_many_hold_the_newest_come_first(vectors: WeaviateVectors, user: str) -> None:
    await vectors.add(user, [item(memory(f"m{n}", user, n // 2, terms=("커피", "집")), ONE, RECEIVED + n) for n in range(300)])
    assert ids(await vectors.lexical(user, ["커피"], 3)) == ["m299", "m298", "m297"]


async def test_words_are_found_as_they_stood_at_a_time(vectors: WeaviateVectors, user: str) -> None:
    await vectors.add(user, [item(memory(f"m{n}", user, n, terms=("커피",)), ONE) for n in range(150)])
    assert ids(await vectors.lexical(user, ["커피"], 2, NOON + timedelta(minutes=3))) == ["m3", "m2"]
    assert ids(await vectors.lexical(user, ["커피"], 9, NOON + timedelta(microseconds=1))) == ["m0"]
    assert await vectors.lexical(user, ["커피"], 9, NOON - timedelta(microseconds=1)) == []


async def test_what_is_added_again_is_found_by_its_new_words_alone(vectors: WeaviateVectors, user: str) -> None:
    await vectors.add(user, [item(memory("m", user, terms=("커피", "집")), ONE)])
    await vectors.add(user, [item(memory("m", user, terms=("부산", "집")), ONE)])
    assert await vectors.lexical(user, ["커피"], 10) == []
    assert ids(await vectors.lexical(user, ["부산"], 10)) == ["m"]
    await vectors.delete(user, ["m"])
    assert await vectors.lexical(user, ["부산"], 10) == []


# Time


@pytest.mark.parametrize("year", [1, 1600, 1969, 9999])
async def test_what_was_said_in_any_year_is_found_at_its_time(vectors: WeaviateVectors, user: str, year: int) -> None:
    far = memory("far", user, timestamp=NOON.replace(year=year), terms=("커피",))
    await vectors.add(user, [item(far, ONE), item(memory("now", user, terms=("커피",)), ONE)])
    expected = {"far", "now"} if year < 2026 else {"now"}
    assert set(ids(await vectors.search(user, ONE, 5, NOON))) == expected
    assert set(ids(await vectors.lexical(user, ["커피"], 5, NOON))) == expected
    assert await vectors.get(user, ["far"]) == [far]


# Tenants


async def test_a_user_is_a_tenant_from_the_first_memory_to_the_last(vectors: WeaviateVectors, vectors_engine: RealServer, user: str) -> None:
    await vectors.search(user, ONE, 5)
    assert tenant(vectors_engine, user) is None
    await vectors.add(user, [item(memory("m", user), ONE, RECEIVED), item(memory("n", user), ONE, RECEIVED + 1)])
    assert tenant(vectors_engine, user) == "ACTIVE"
    await vectors.delete_user(user, RECEIVED)
    assert tenant(vectors_engine, user) == "ACTIVE"
    assert ids(await vectors.search(user, ONE, 5)) == ["n"]
    await vectors.delete_user(user, RECEIVED + 1)
    assert tenant(vectors_engine, user) is None
    await vectors.delete_user(user, RECEIVED + 1)


async def test_who_was_deleted_and_comes_back_finds_nothing_of_before(vectors: WeaviateVectors, user: str) -> None:
    for n in range(5):
        await vectors.add(user, [item(memory(f"m{n}", user, terms=("커피",)), ONE, RECEIVED + n)])
        assert ids(await vectors.search(user, ONE, 10)) == [f"m{n}"]
        assert ids(await vectors.lexical(user, ["커피"], 10)) == [f"m{n}"]
        await vectors.delete_user(user, RECEIVED + n)
        assert await vectors.search(user, ONE, 10) == []
        assert await vectors.get(user, [f"m{n}"]) == []


async def test_a_tenant_that_sleeps_is_opened_by_whatever_is_asked_of_it(vectors: WeaviateVectors, vectors_engine: RealServer, user: str) -> None:
    await vectors.add(user, [item(memory(f"m{n}", user, terms=("커피",)), ONE, RECEIVED + n) for n in range(4)])

    def sleep() -> None:
        vectors_engine.rest("PUT", f"schema/{COLLECTION}/tenants", [{"name": tenant_name(user), "activityStatus": "INACTIVE"}])
        assert tenant(vectors_engine, user) == "INACTIVE"

    sleep()
    assert len(await patiently(lambda: vectors.search(user, ONE, 10))) == 4
    sleep()
    assert len(await patiently(lambda: vectors.lexical(user, ["커피"], 10))) == 4
    sleep()
    await patiently(lambda: vectors.add(user, [item(memory("m4", user), ONE, RECEIVED + 4)]))
    sleep()
    await patiently(lambda: vectors.delete(user, ["m0"]))
    sleep()
    assert ids(await patiently(lambda: vectors.get(user, ["m0", "m1", "m4"]))) == ["m1", "m4"]
    sleep()
    await patiently(lambda: vectors.delete_user(user, RECEIVED + 3))
    assert ids(await vectors.search(user, ONE, 10)) == ["m4"]
    sleep()
    await patiently(lambda: vectors.delete_user(user, RECEIVED + 9))
    assert tenant(vectors_engine, user) is None
    await vectors.add(user, [item(memory("new", user), ONE, RECEIVED + 10)])
    assert ids(await vectors.search(user, ONE, 10)) == ["new"]


async def test_of_a_large_user_all_goes_that_is_older_than_the_cut(vectors: WeaviateVectors, user: str) -> None:
    await vectors.add(user, [item(memory(f"m{n}", user), ONE, RECEIVED + n) for n in range(2_500)])
    await vectors.delete_user(user, RECEIVED + 2_496)
    assert sorted(ids(await vectors.search(user, ONE, 100))) == ["m2497", "m2498", "m2499"]


async def test_many_ids_are_read_and_deleted_at_once(vectors: WeaviateVectors, user: str) -> None:
    names = [f"m{n}" for n in range(1_500)]
    await vectors.add(user, [item(memory(id, user), ONE) for id in names])
    assert ids(await vectors.get(user, names)) == names
    await vectors.delete(user, names[1:])
    assert ids(await vectors.search(user, ONE, 100)) == ["m0"]


async def test_two_encoders_lie_side_by_side_and_one_is_cleared(open_vectors: Opener, user: str) -> None:
    small = await open_vectors(encoder=EncoderId("real-a", DIMENSIONS))
    large = await open_vectors(encoder=EncoderId("Real_a", DIMENSIONS))
    await small.add(user, [item(memory("m", user, text="작은"), ONE)])
    await large.add(user, [item(memory("m", user, text="큰"), -ONE)])
    assert [(hit.id, round(hit.score)) for hit in await small.search(user, ONE, 10)] == [("m", 1)]
    assert [(hit.id, round(hit.score)) for hit in await large.search(user, ONE, 10)] == [("m", -1)]
    await small.clear()
    assert await small.search(user, ONE, 10) == []
    assert [one.text for one in await large.get(user, ["m"])] == ["큰"]
    await small.add(user, [item(memory("n", user), ONE)])
    assert ids(await small.search(user, ONE, 10)) == ["n"]


async def test_two_processes_that_open_an_encoder_for_the_first_time_at_once_both_have_it(open_vectors: Opener, user: str) -> None:
    encoder = EncoderId(f"fresh-{user}", DIMENSIONS)
    one, other = await asyncio.gather(open_vectors(encoder=encoder, apart=True), open_vectors(encoder=encoder, apart=True))
    await one.add(user, [item(memory("m", user), ONE)])
    assert ids(await other.search(user, ONE, 10)) == ["m"]


async def test_a_thousand_users_keep_to_themselves(vectors: WeaviateVectors, vectors_engine: RealServer) -> None:
    users = [someone() for _ in range(1_000)]
    gate = asyncio.Semaphore(AT_ONCE)

    async def fill(user: str) -> None:
        async with gate:
            await vectors.add(user, [item(memory(f"secret-{user}", user, terms=("커피",)), ONE), item(memory("m", user, terms=("커피",)), -ONE)])

    async def look(user: str) -> None:
        async with gate:
            assert ids(await vectors.search(user, ONE, 10)) == [f"secret-{user}", "m"]
            assert sorted(ids(await vectors.lexical(user, ["커피"], 10))) == ["m", f"secret-{user}"]

    async def leave(user: str) -> None:
        async with gate:
            await vectors.delete_user(user, RECEIVED)
            assert await vectors.search(user, ONE, 10) == []

    for step in (fill, look):
        await asyncio.gather(*map(step, users))
    await asyncio.gather(*map(leave, users[:500]))
    await asyncio.gather(*map(look, users[500:]))
    left = {held["name"] for held in vectors_engine.rest("GET", f"schema/{COLLECTION}/tenants")}
    assert {tenant_name(user) for user in users} & left == {tenant_name(user) for user in users[500:]}
