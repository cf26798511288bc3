"""`Vectors`: the index by meaning of one encoder."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lira_core.stores.ports import EncoderId, StoreRejected, Vector, Vectors

from .engines import Opener, Server
from .making import DIMENSIONS, HANGUL, NOON, RECEIVED, ids, item, memory, rich, someone, unit, vanished
from .places import Place

ONE = unit(1)


def near(cosine: float) -> Vector:
    """A vector of length 1 whose cosine with ONE is `cosine`."""
    return unit(cosine, (1 - cosine**2) ** 0.5)


async def fill(vectors: Vectors, user: str, **cosines: float) -> None:
    await vectors.add(user, [item(memory(id, user), near(cosine)) for id, cosine in cosines.items()])


# Searching


async def test_the_nearest_come_first_with_their_cosine(vectors: Vectors, user: str) -> None:
    await fill(vectors, user, m1=0.5, m2=1, m3=-1, m4=0, m5=0.9)
    hits = await vectors.search(user, ONE, 10)
    assert ids(hits) == ["m2", "m5", "m1", "m4", "m3"]
    assert [hit.score for hit in hits] == pytest.approx([1, 0.9, 0.5, 0, -1], abs=0.001)
    assert all(-1 <= hit.score <= 1 for hit in hits)
    assert ids(await vectors.search(user, ONE, 2)) == ["m2", "m5"]
    assert ids(await vectors.search(user, -ONE, 1)) == ["m3"]


async def test_whose_index_is_empty_finds_nothing(vectors: Vectors, user: str) -> None:
    assert await vectors.search(user, ONE, 10) == []
    assert await vectors.search(user, ONE, 10, NOON) == []
    assert await vectors.get(user, ["m"]) == []
    await vectors.delete(user, ["m"])
    await vectors.delete_user(user, RECEIVED)
    await vectors.add(user, [])


async def test_the_limit_counts_only_what_was_said_by_then(vectors: Vectors, user: str) -> None:
    nearer = [item(memory(f"new{n}", user, 100 + n), near(0.99)) for n in range(150)]
    old = [item(memory(f"old{n}", user, n), near(0.1 * n)) for n in range(4)]
    await vectors.add(user, [*nearer, *old])
    assert ids(await vectors.search(user, ONE, 4, NOON + timedelta(minutes=50))) == ["old3", "old2", "old1", "old0"]
    assert ids(await vectors.search(user, ONE, 2, NOON + timedelta(minutes=2))) == ["old2", "old1"], "what was said at that moment counts"
    assert ids(await vectors.search(user, ONE, 9, NOON + timedelta(minutes=1, microseconds=-1))) == ["old0"]
    assert await vectors.search(user, ONE, 9, NOON - timedelta(microseconds=1)) == []


async def test_the_limit_may_be_more_than_there_is(vectors: Vectors, user: str) -> None:
    await fill(vectors, user, m1=0.5, m2=0.4)
    assert ids(await vectors.search(user, ONE, 1_000)) == ["m1", "m2"]


vector = st.lists(st.floats(-1, 1, width=32), min_size=DIMENSIONS, max_size=DIMENSIONS).filter(lambda values: sum(v * v for v in values) > 0.01)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(vector, min_size=1, max_size=25), vector, st.integers(1, 30), st.integers(0, 30))
async def test_the_search_finds_what_brute_force_finds(vectors: Vectors, held: list[list[float]], asked: list[float], limit: int, until: int) -> None:
    user = someone()
    items = [item(memory(f"m{n}", user, n), unit(*values)) for n, values in enumerate(held)]
    await vectors.add(user, items)
    query = unit(*asked)
    for moment, there in ((None, items), (NOON + timedelta(minutes=until), items[: until + 1])):
        cosines = {one.memory.id: float(one.vector @ query) for one in there}
        hits = await vectors.search(user, query, limit, moment)
        assert len(hits) == len(set(ids(hits))) == min(limit, len(there))
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert {hit.id: hit.score for hit in hits} == pytest.approx({hit.id: cosines[hit.id] for hit in hits}, abs=0.001)
        worst = min(hit.score for hit in hits)
        missed = {id: cosine for id, cosine in cosines.items() if id not in ids(hits)}
        assert all(cosine <= worst + 0.002 for cosine in missed.values())


async def test_scores_are_exact_among_many(vectors: Vectors, user: str) -> None:
    random = np.random.default_rng(7)
    drawn = random.standard_normal((1_500, DIMENSIONS)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    for n in range(0, len(drawn), 500):
        await vectors.add(user, [item(memory(f"m{n + i}", user), one) for i, one in enumerate(drawn[n : n + 500])])
    for query in drawn[:3]:
        hits = await vectors.search(user, query, 20)
        assert len(hits) == 20
        assert {hit.id: hit.score for hit in hits} == pytest.approx({hit.id: float(drawn[int(hit.id[1:])] @ query) for hit in hits}, abs=0.001)
        assert hits[0].score == pytest.approx(1, abs=0.001)


# Adding


async def test_what_is_added_again_is_overwritten(vectors: Vectors, user: str) -> None:
    await vectors.add(user, [item(memory("m1", user, text="처음"), near(0.9)), item(memory("m2", user), near(0.5))])
    await vectors.add(user, [item(memory("m1", user, 60, text="다음"), near(0.1), RECEIVED + 5)])
    hits = await vectors.search(user, ONE, 10)
    assert ids(hits) == ["m2", "m1"]
    assert hits[1].score == pytest.approx(0.1, abs=0.001)
    assert await vectors.get(user, ["m1"]) == [memory("m1", user, 60, text="다음")]
    assert ids(await vectors.search(user, ONE, 10, NOON)) == ["m2"]
    await vectors.delete_user(user, RECEIVED)
    assert ids(await vectors.search(user, ONE, 10)) == ["m1"]


async def test_the_same_added_many_times_at_once_is_there_once(vectors: Vectors, user: str) -> None:
    await asyncio.gather(*[vectors.add(user, [item(memory(f"m{n}", user), near(0.1 * n)) for n in range(3)]) for _ in range(32)])
    assert ids(await vectors.search(user, ONE, 100)) == ["m2", "m1", "m0"]


async def test_many_users_at_once_lose_nothing(vectors: Vectors) -> None:
    users = [someone() for _ in range(12)]
    await asyncio.gather(*[vectors.add(who, [item(memory(f"m{n}", who), near(0.1 * n))]) for n in range(4) for who in users])
    for who in users:
        assert ids(await vectors.search(who, ONE, 10)) == ["m3", "m2", "m1", "m0"]


@pytest.mark.parametrize(
    "wrong",
    [
        np.ones(DIMENSIONS + 1, dtype=np.float32),
        np.ones(DIMENSIONS - 1, dtype=np.float32),
        np.zeros(0, dtype=np.float32),
        np.array([np.nan] * DIMENSIONS, dtype=np.float32),
        np.array([np.inf] + [0] * (DIMENSIONS - 1), dtype=np.float32),
    ],
    ids=["longer", "shorter", "empty", "not a number", "infinite"],
)
async def test_a_vector_that_is_none_of_the_encoders_is_refused(vectors: Vectors, user: str, wrong: Vector) -> None:
    with pytest.raises(StoreRejected):
        await vectors.add(user, [item(memory("m", user), wrong)])
    assert await vectors.search(user, ONE, 10) == []
    await fill(vectors, user, m=1)
    assert ids(await vectors.search(user, ONE, 10)) == ["m"]


# Bodies


async def test_bodies_come_back_exactly_in_the_order_asked(vectors: Vectors, user: str) -> None:
    kept = [rich("m:1.2_3-4", user), memory("m2", user), rich("m3", user, minutes=-(10**8))]
    await vectors.add(user, [item(one, ONE) for one in kept])
    back = await vectors.get(user, ["m3", "no such", "m:1.2_3-4", "m2"])
    assert back == [kept[2], kept[0], kept[1]]
    assert back[0].timestamp.isoformat() == kept[2].timestamp.isoformat()
    assert await vectors.get(user, []) == []


async def test_a_very_long_body_comes_back_exactly(vectors: Vectors, user: str) -> None:
    long = memory("m", user, text=HANGUL, terms=tuple(HANGUL[n : n + 2] for n in range(0, 4_000, 2)), metadata={"note": HANGUL * 6})
    await vectors.add(user, [item(long, ONE)])
    assert await vectors.get(user, ["m"]) == [long]


# Whose it is


async def test_users_and_ids_that_look_alike_are_kept_apart(vectors: Vectors, user: str) -> None:
    pairs = [(user, "a:b"), (f"{user}:a", "b"), (f"{user}:a:b", "a"), (f"{user}x", "a:b"), (f"{user}.", "a"), (user, "a"), (f"{user}_a", "a")]
    for who, id in pairs:
        await vectors.add(who, [item(memory(id, who, text=f"{who}의 말"), ONE)])

    async def apart(pairs: list[tuple[str, str]]) -> None:
        for who in dict.fromkeys(who for who, _ in pairs):
            mine = sorted(id for owner, id in pairs if owner == who)
            assert sorted(ids(await vectors.search(who, ONE, 10))) == mine
            back = await vectors.get(who, ["a:b", "b", "a"])
            assert sorted(ids(back)) == mine
            assert {one.text for one in back} == {f"{who}의 말"}

    await apart(pairs)
    await vectors.delete(user, ["a"])
    await vectors.delete_user(f"{user}:a", RECEIVED)
    await apart([pair for pair in pairs if pair not in [(user, "a"), (f"{user}:a", "b")]])
    assert await vectors.search(f"{user}:a", ONE, 10) == []


async def test_the_longest_ids_are_kept(vectors: Vectors) -> None:
    who, id = (someone() + "x" * 128)[:128], "m" * 128
    await vectors.add(who, [item(memory(id, who), ONE), item(memory(id[:-1], who), near(0.5))])
    assert ids(await vectors.search(who, ONE, 10)) == [id, id[:-1]]
    assert ids(await vectors.get(who, [id])) == [id]


async def test_two_encoders_never_mix(open_vectors: Opener, user: str) -> None:
    small, large = await open_vectors(encoder=EncoderId("two-a", DIMENSIONS)), await open_vectors(encoder=EncoderId("two_a", 24))
    other_name = await open_vectors(encoder=EncoderId("two-b", DIMENSIONS))
    wide = np.zeros(24, dtype=np.float32)
    wide[0] = 1
    await small.add(user, [item(memory("m", user, text="작은"), ONE)])
    await large.add(user, [item(memory("m", user, text="큰"), -wide), item(memory("m2", user), wide)])
    assert [(hit.id, round(hit.score)) for hit in await small.search(user, ONE, 10)] == [("m", 1)]
    assert [(hit.id, round(hit.score)) for hit in await large.search(user, wide, 10)] == [("m2", 1), ("m", -1)]
    assert await other_name.search(user, ONE, 10) == []
    assert [one.text for one in await small.get(user, ["m", "m2"])] == ["작은"]
    await small.clear()
    assert await small.search(user, ONE, 10) == []
    assert await small.get(user, ["m"]) == []
    assert ids(await large.search(user, wide, 10)) == ["m2", "m"]
    await small.add(user, [item(memory("m3", user), ONE)])
    assert ids(await small.search(user, ONE, 10)) == ["m3"]


# Deleting


async def test_what_is_deleted_goes_from_the_index_of_every_encoder(open_vectors: Opener, user: str) -> None:
    serving, building = await open_vectors(encoder=EncoderId("serving", DIMENSIONS)), await open_vectors(encoder=EncoderId("building", 24))
    wide = np.zeros(24, dtype=np.float32)
    wide[0] = 1
    for vectors, vector in ((serving, ONE), (building, wide)):
        kept = {"m1": RECEIVED, "m2": RECEIVED, "m3": RECEIVED + 9}
        await vectors.add(user, [item(memory(id, user), vector, received) for id, received in kept.items()])
    await serving.delete(user, ["m1"])
    assert sorted(ids(await building.search(user, wide, 10))) == ["m2", "m3"]
    await serving.delete_user(user, RECEIVED)
    assert ids(await building.search(user, wide, 10)) == ["m3"]
    assert ids(await serving.search(user, ONE, 10)) == ["m3"]


async def test_what_is_deleted_is_not_found(vectors: Vectors, user: str) -> None:
    await fill(vectors, user, m1=0.9, m2=0.8, m3=0.7)
    await vectors.delete(user, ["m1", "never there", "m3"])
    assert ids(await vectors.search(user, ONE, 10)) == ["m2"]
    assert ids(await vectors.get(user, ["m1", "m2", "m3"])) == ["m2"]
    await vectors.delete(user, [])
    await fill(vectors, user, m1=0.5)
    assert ids(await vectors.search(user, ONE, 10)) == ["m2", "m1"]


async def test_of_a_deleted_user_what_was_received_after_the_cut_is_kept(vectors: Vectors, user: str) -> None:
    other = someone()
    for who in (user, other):
        await vectors.add(who, [item(memory(f"m{n}", who), near(0.9 - n / 10), RECEIVED + n) for n in range(4)])
    await vectors.delete_user(user, RECEIVED + 1)
    assert ids(await vectors.search(user, ONE, 10)) == ["m2", "m3"]
    assert ids(await vectors.get(user, [f"m{n}" for n in range(4)])) == ["m2", "m3"]
    assert ids(await vectors.search(other, ONE, 10)) == ["m0", "m1", "m2", "m3"]
    await vectors.delete_user(user, RECEIVED + 10)
    assert await vectors.search(user, ONE, 10) == []
    await vectors.add(user, [item(memory("new", user), ONE, RECEIVED + 11)])
    await vectors.delete_user(user, RECEIVED + 10)
    assert ids(await vectors.search(user, ONE, 10)) == ["new"]


async def test_the_cut_is_exact_to_the_microsecond(vectors: Vectors, user: str) -> None:
    """A double keeps 53 bits; the clock of the ingress needs 51 today, and a search engine's numbers are often doubles or seconds."""
    await vectors.add(user, [item(memory(f"m{n}", user), near(0.9 - n / 10), RECEIVED + n) for n in (0, 1, 2)])
    await vectors.delete_user(user, RECEIVED)
    assert ids(await vectors.search(user, ONE, 10)) == ["m1", "m2"]


async def test_nothing_of_what_is_deleted_is_in_raw_storage(vectors_engine: Server, open_own_vectors: Opener, user: str) -> None:
    vectors: Vectors = await open_own_vectors()
    place: Place = open_own_vectors.place
    other = someone()
    for word, who in (("kakao", user), ("naver", other)):
        await vectors.add(who, [item(memory(f"m{word}{n}", who, text=f"기억{word}{n}", terms=(word,)), near(0.1 * n)) for n in range(5)])
    assert "기억kakao0".encode() in place.raw()
    await vectors.delete_user(user, RECEIVED)
    await vanished(place, "kakao")
    await vectors.delete(other, ["mnaver0", "mnaver1"])
    await vanished(place, "naver0", "naver1")
    assert "기억naver2".encode() in place.raw()


# The index as such


async def test_what_was_added_is_there_when_the_index_is_opened_again(open_own_vectors: Opener, user: str) -> None:
    vectors: Vectors = await open_own_vectors()
    await fill(vectors, user, m1=0.9, m2=0.5)
    await open_own_vectors.close()
    vectors = await open_own_vectors()
    assert ids(await vectors.search(user, ONE, 10)) == ["m1", "m2"]
    assert ids(await vectors.get(user, ["m2"])) == ["m2"]


async def test_a_cancelled_call_leaves_the_index_usable(vectors: Vectors, user: str) -> None:
    await fill(vectors, user, m=0.9)
    for wait in (0.0, 0.001, 0.005):
        calls = [asyncio.create_task(vectors.search(user, ONE, 5)) for _ in range(10)]
        calls += [asyncio.create_task(vectors.add(user, [item(memory(f"{wait}-{n}", user), near(0.1))])) for n in range(5)]
        await asyncio.sleep(wait)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    await fill(vectors, user, m2=0.8)
    assert ids(await vectors.search(user, ONE, 2)) == ["m", "m2"]


async def test_a_reachable_index_answers_a_ping(vectors: Vectors) -> None:
    await vectors.ping()
