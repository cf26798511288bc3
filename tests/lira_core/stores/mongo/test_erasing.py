"""Deleting wins: against writers in other processes, over crashes, and in the raw collections."""

from __future__ import annotations

import asyncio
import contextlib
import random

import pytest
from pymongo import MongoClient

from lira_core.stores import Forgotten, StoreUnavailable
from lira_core.stores.mongo.erasing import STEP
from lira_core.stores.mongo.lists import HEAD
from lira_core.stores.mongo.unlisting import REFILL
from lira_core.stores.ports import Erasure, IndexPlan, Write

from ..conformance.engines import MongoPlace
from ..conformance.making import RECEIVED, event, fact, feels, ids, imported, memory, reply, someone, utterance
from .conftest import Open, Secantus, again, documents

ROUNDS = 80
"""Of four one waits for the other to end, and one the other way round, so that both orders are met however slow the machine is."""


def told(id: str, user: str, minutes: float = 0, word: str = "커피") -> object:
    return memory(id, user, minutes, terms=(word, "모두"), emotion=feels(("joy", 0.9)), facts=(fact("user", "like", word, f"taste:{word}"),))


def of(place: MongoPlace, user: str) -> set[str]:
    """What the collections hold of a user that only writing puts there."""
    with MongoClient(place.url) as client:
        database = client.get_default_database()
        left = {f"{name}:{found['id']}" for name in ("events", "memories") for found in database[name].find({"user_id": user})}
        left |= {f"list:{found['_id']}" for found in database["users"].find({"user_id": user, "held": {"$exists": True}})}
        return left | {f"waits:{found['id']}" for found in database["outbox"].find({"user_id": user, "queue": {"$ne": "erasures"}})}


async def test_of_a_commit_and_a_deletion_at_the_same_moment_nothing_is_ever_left(opened: Open, place: MongoPlace) -> None:
    one, two = await opened(place.url), await opened(place.url)
    await one.plan_index(IndexPlan(serving="conformance"), IndexPlan())
    chance = random.Random(5)
    outcomes: set[str] = set()
    survivors: dict[str, set[str]] = {}

    async def round(n: int) -> None:
        user = f"u{n}"
        written, deleted = asyncio.Event(), asyncio.Event()

        async def write(k: int) -> None:
            await (deleted.wait() if n % 4 == 0 else asyncio.sleep(chance.random() * 0.02))
            try:
                new = Write(f"m{k}", user, RECEIVED + k, event(f"m{k}", user), (told(f"m{k}", user, k),))
                await again(lambda: one.commit(new))
                outcomes.add("stored")
            except Forgotten:
                outcomes.add("forgotten")
            written.set()

        async def delete() -> None:
            await (written.wait() if n % 4 == 1 else asyncio.sleep(chance.random() * 0.03))
            await again(lambda: two.erase(Erasure(user, None, RECEIVED + 10)))
            deleted.set()

        await asyncio.gather(write(0), write(1), delete())
        survivors[user] = of(place, user)

    for start in range(0, ROUNDS, 4):
        await asyncio.gather(*(round(n) for n in range(start, start + 4)))
    assert {user: left for user, left in survivors.items() if left} == {}
    assert outcomes == {"stored", "forgotten"}, "the rounds met in both orders"


async def test_of_a_reply_and_the_deletion_of_what_it_quotes_nothing_is_ever_left(opened: Open, place: MongoPlace) -> None:
    one, two = await opened(place.url), await opened(place.url)
    chance = random.Random(6)
    outcomes: set[str] = set()

    async def round(n: int) -> None:
        user = f"u{n}"
        await again(lambda: one.commit(utterance("m", user)))

        answered, deleted = asyncio.Event(), asyncio.Event()

        async def answer() -> None:
            await (deleted.wait() if n % 4 == 0 else asyncio.sleep(chance.random() * 0.01))
            try:
                await again(lambda: one.commit(Write("r", user, RECEIVED + 5, reply("r", user, "t", "m"))))
                outcomes.add("stored")
            except Forgotten:
                outcomes.add("forgotten")
            answered.set()

        async def delete() -> None:
            await (answered.wait() if n % 4 == 1 else asyncio.sleep(chance.random() * 0.02))
            assert await again(lambda: two.erase(Erasure(user, "m", RECEIVED + 3)))
            deleted.set()

        await asyncio.gather(answer(), delete())
        assert of(place, user) == set()

    for start in range(0, ROUNDS, 4):
        await asyncio.gather(*(round(n) for n in range(start, start + 4)))
    assert outcomes == {"stored", "forgotten"}, "the rounds met in both orders"


async def test_a_deletion_that_dies_in_the_middle_hides_everything_and_is_finished_by_the_next_call(opened: Open, own: Secantus) -> None:
    url = own.url("lira")
    place = MongoPlace(url)
    record = await opened(url)
    await record.plan_index(IndexPlan(serving="conformance"), IndexPlan())
    for n in range(4 * STEP // 128):
        await record.commit(imported(f"i{n}", "ada", [told(f"m{n}-{k}", "ada", n * 128 + k) for k in range(128)], RECEIVED + n))
    erasing = asyncio.create_task(record.erase(Erasure("ada", None, RECEIVED + 100)))
    while not 0 < len(documents(place, "memories")) < 4 * STEP:  # noqa: ASYNC110  (the server tells nobody how far it is)
        await asyncio.sleep(0.01)
    own.kill()
    with contextlib.suppress(StoreUnavailable):
        await erasing
    await asyncio.to_thread(own.start)
    left = len(await asyncio.to_thread(documents, place, "memories"))
    assert 0 < left < 4 * STEP, "it died in the middle"
    assert await again(lambda: record.newest("ada", 10)) == []
    assert await record.lexical("ada", ["커피"], 10) == []
    assert await record.holders("ada", ["taste:커피"]) == {}
    assert await record.get("ada", [f"m{n}-{k}" for n in range(8) for k in range(0, 128, 16)]) == []
    assert await record.page("ada", 10, None) == ([], None)
    assert await record.unindexed.claim(100, 60) == [], "what is gone is given to nobody"
    with pytest.raises(Forgotten):
        await record.commit(utterance("late", "ada", RECEIVED + 100))
    await record.commit(utterance("after", "ada", RECEIVED + 101, terms=("커피",)))
    assert ids(await record.lexical("ada", ["커피"], 10)) == ["after"]
    assert await record.erase(Erasure("ada", None, RECEIVED + 100))
    assert [found["id"] for found in documents(place, "memories")] == ["after"]
    assert ids(await record.lexical("ada", ["커피"], 10)) == ids(await record.newest("ada", 10)) == ["after"]


async def test_what_was_received_after_the_cut_is_kept_and_found_by_everything(opened: Open, place: MongoPlace) -> None:
    record = await opened(place.url)
    for n in range(40):
        said = told(f"m{n}", "ada", n, "커피" if n % 3 else "차")
        await record.commit(Write(f"m{n}", "ada", RECEIVED + n, event(f"m{n}", "ada"), (said,)))
    before = {hit.id: hit.score for hit in await record.lexical("ada", ["커피"], 100)}
    assert await record.erase(Erasure("ada", None, RECEIVED + 19))
    kept = [f"m{n}" for n in range(39, 19, -1)]
    assert ids(await record.newest("ada", 100)) == ids((await record.page("ada", 100, None))[0]) == kept
    assert ids(await record.feeling("ada", "joy", 0.5, 100)) == ids(await record.slots("ada", [("user", "like")], 100)) == kept
    assert set(ids(await record.lexical("ada", ["커피"], 100))) == set(before) & set(kept)
    assert (await record.holders("ada", ["taste:차"]))["taste:차"][1] == "m39"
    assert {found["id"] for found in documents(place, "events")} == set(kept)
    await record.commit(utterance("new", "ada", RECEIVED + 60, minutes=100, terms=("커피",)))
    assert ids(await record.newest("ada", 2)) == ["new", "m39"]


async def test_a_second_deletion_takes_what_the_first_had_left(opened: Open, place: MongoPlace) -> None:
    record = await opened(place.url)
    for n in range(6):
        await record.commit(utterance(f"m{n}", "ada", RECEIVED + n, n, terms=("커피",)))
    assert await record.erase(Erasure("ada", None, RECEIVED + 2))
    assert await record.erase(Erasure("ada", None, RECEIVED + 1)), "a lower cut changes nothing"
    assert ids(await record.newest("ada", 10)) == ["m5", "m4", "m3"]
    assert await record.erase(Erasure("ada", None, RECEIVED + 4))
    assert ids(await record.newest("ada", 10)) == ids(await record.lexical("ada", ["커피"], 10)) == ["m5"]
    assert await record.erase(Erasure("ada", None, RECEIVED + 9))
    assert of(place, "ada") == set()


async def test_no_collection_holds_a_word_of_a_deleted_user(opened: Open, place: MongoPlace) -> None:
    record = await opened(place.url)
    await record.plan_index(IndexPlan(serving="conformance"), IndexPlan())
    for n in range(20):
        said = told(f"kakao{n}", "ada", n, f"kakao{n % 4}")
        heard = event(f"kakao{n}", "ada", text="kakao", session_id="kakao", terms=(f"kakao{n}",))
        await record.commit(Write(f"kakao{n}", "ada", RECEIVED + n, heard, (said,)))
    await record.commit(Write("r", "ada", RECEIVED + 30, reply("r", "ada", "kakao1", "kakao2", text="kakao", terms=("kakao",))))
    await record.commit(Write("other", "bob", RECEIVED, event("other", "bob", text="tea"), (told("other", "bob", 0, "tea"),)))
    assert b"kakao" in place.raw()
    assert await record.erase(Erasure("ada", None, RECEIVED + 50))
    assert b"kakao" not in place.raw()
    assert ids(await record.lexical("bob", ["tea"], 5)) == ["other"]


async def test_deleting_more_than_a_head_holds_one_by_one_leaves_every_list_exact(opened: Open, place: MongoPlace) -> None:
    record = await opened(place.url)
    many = 2 * HEAD
    await record.commit(imported("i", "ada", [told(f"m{n}", "ada", n) for n in range(many)]))
    there = [f"m{n}" for n in reversed(range(many))]
    chance = random.Random(7)
    for n in range(HEAD - REFILL + 20):
        gone = there.pop(0) if n % 4 else there.pop(chance.randrange(HEAD))
        assert await record.erase(Erasure("ada", gone, RECEIVED + 1_000 + n))
        if n % 10 == 0:
            # One that is older than all that a shortened head knows.
            await record.commit(imported(f"old{n}", "ada", [told(f"old{n}", "ada", -1 - n)], RECEIVED + 1 + n))
            there.append(f"old{n}")
    for limit in (5, HEAD // 2, HEAD, 3 * HEAD):
        assert ids(await record.newest("ada", limit)) == ids(await record.feeling("ada", "joy", 0.5, limit)) == there[:limit]
    assert ids(await record.lexical("ada", ["커피"], 500)) == there
    assert (await record.holders("ada", ["taste:커피"]))["taste:커피"][1] == there[0]


async def test_erasing_and_writing_one_s_own_memories_at_once_keeps_the_counts(opened: Open, place: MongoPlace) -> None:
    one, two = await opened(place.url), await opened(place.url)
    user = someone()
    await one.commit(imported("i", user, [memory(f"m{n}", user, n, terms=("커피",)) for n in range(20)]))
    await asyncio.gather(
        *(again(lambda n=n: two.erase(Erasure(user, f"m{n}", RECEIVED + 100))) for n in range(10)),
        *(again(lambda n=n: one.commit(utterance(f"n{n}", user, RECEIVED + 200 + n, 50 + n, terms=("커피",)))) for n in range(10)),
    )
    (account,) = [found for found in documents(place, "users") if found["user_id"] == user and found.get("user")]
    assert (account["memories"], account["terms"]) == (20, 20)
    (words,) = [found for found in documents(place, "users") if found["user_id"] == user and found["_id"].endswith("word:커피")]
    assert words["held"] == len(words["head"]) == 20
