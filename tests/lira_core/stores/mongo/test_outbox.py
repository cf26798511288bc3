"""Lanes: who waits is found again, whatever happens between the steps of a claim, and in whatever process."""

from __future__ import annotations

import asyncio
from typing import Any

from pymongo import MongoClient

from lira_core.stores.mongo.record import MongoRecord
from lira_core.stores.ports import Backlog, Erasure, IndexPlan

from ..conformance.engines import MongoPlace
from ..conformance.making import RECEIVED, imported, memory, utterance
from .conftest import Open, documents


async def planned(opened: Open, place: MongoPlace) -> MongoRecord:
    record = await opened(place.url)
    await record.plan_index(IndexPlan(serving="conformance"), IndexPlan())
    return record


def change(place: MongoPlace, collection: str, filter: dict[str, Any], change: dict[str, Any]) -> int:
    with MongoClient(place.url) as client:
        return client.get_default_database()[collection].update_many(filter, change).modified_count


async def test_replicas_that_claim_at_once_share_out_everything_and_nothing_twice(opened: Open, place: MongoPlace) -> None:
    records = [await planned(opened, place) for _ in range(4)]
    for user in ("ada", "bob", "eve"):
        await records[0].commit(imported("i", user, [memory(f"m{n}", user, n) for n in range(40)]))
    claimed: list[tuple[str, str]] = []
    while len(claimed) < 120:
        answers = await asyncio.gather(*(record.unindexed.claim(10, 60) for record in records))
        assert any(answers), "something waits, and nobody gets it"
        claimed += [(entry.user_id, entry.id) for answer in answers for entry in answer]
    assert sorted(claimed) == sorted((user, f"m{n}") for user in ("ada", "bob", "eve") for n in range(40))


async def test_work_that_comes_while_nothing_waits_is_found(opened: Open, place: MongoPlace) -> None:
    record = await planned(opened, place)
    for n in range(5):
        await record.commit(utterance(f"m{n}", "ada", RECEIVED + n))
        (entry,) = await record.unindexed.claim(10, 60)
        assert entry.id == f"m{n}"
        await record.unindexed.done("ada", [entry.id])
        assert await record.unindexed.claim(10, 60) == []


async def test_work_that_comes_during_claims_is_never_lost(opened: Open, place: MongoPlace) -> None:
    writer, worker = await planned(opened, place), await planned(opened, place)
    got: list[str] = []

    async def work() -> None:
        while len(got) < 60:
            for entry in await worker.unindexed.claim(3, 60):
                got.append(entry.id)
                await worker.unindexed.done("ada", [entry.id])

    async def write() -> None:
        for n in range(60):
            await writer.commit(utterance(f"m{n}", "ada", RECEIVED + n))

    async with asyncio.timeout(60):
        await asyncio.gather(work(), write())
    assert sorted(got) == sorted(f"m{n}" for n in range(60))
    assert await worker.unindexed.backlog() == Backlog(0, 0)


async def test_a_worker_that_died_after_claiming_is_replaced_when_its_lease_ends(opened: Open, place: MongoPlace) -> None:
    record, second = await planned(opened, place), await opened(place.url)
    await record.commit(imported("i", "ada", [memory(f"m{n}", "ada", n) for n in range(20)]))
    assert len(await record.unindexed.claim(20, 2)) == 20
    assert await second.unindexed.claim(20, 60) == []
    await asyncio.sleep(2.1)
    entries = await second.unindexed.claim(20, 60)
    assert [(entry.id, entry.attempts) for entry in entries] == [(f"m{n}", 2) for n in range(20)]


async def test_a_deletion_that_was_asked_for_again_while_it_was_worked_on_is_worked_on_once_more(opened: Open, place: MongoPlace) -> None:
    record = await opened(place.url)
    await record.erase(Erasure("ada", None, RECEIVED))
    assert change(place, "outbox", {}, {"$set": {"due": 0}}) == 1
    change(place, "users", {"lane": "erasures"}, {"$set": {"due": 0}})
    (entry,) = await record.erasures.claim(5, 60)
    assert entry.payload == Erasure("ada", None, RECEIVED)
    await record.erase(Erasure("ada", None, RECEIVED + 5))
    await record.erasures.done("ada", ["*"])
    (entry,) = await record.erasures.claim(5, 60)
    assert (entry.payload, entry.attempts) == (Erasure("ada", None, RECEIVED + 5), 1)
    await record.erasures.done("ada", ["*"])
    assert await record.erasures.backlog() == Backlog(0, 0)


async def test_what_is_requeued_while_it_is_worked_on_waits_once_more(opened: Open, place: MongoPlace) -> None:
    """The index may have been cleared after the worker added the vector, and before it says so."""
    record = await planned(opened, place)
    await record.commit(utterance("m", "ada"))
    (entry,) = await record.unindexed.claim(5, 60)
    assert await record.requeue() == 1
    await record.unindexed.done("ada", [entry.id])
    (entry,) = await record.unindexed.claim(5, 60)
    assert entry.id == "m"
    await record.unindexed.done("ada", ["m"])
    assert await record.unindexed.claim(5, 60) == []


async def test_an_entry_whose_memory_is_gone_is_dropped(opened: Open, place: MongoPlace) -> None:
    record = await planned(opened, place)
    await record.commit(imported("i", "ada", [memory("m0", "ada"), memory("m1", "ada", 1)]))
    with MongoClient(place.url) as client:
        client.get_default_database()["memories"].delete_one({"id": "m0"})
    assert [entry.id for entry in await record.unindexed.claim(5, 60)] == ["m1"]
    assert [found["id"] for found in documents(place, "outbox")] == ["m1"]


async def test_a_plan_made_while_a_new_user_writes_misses_none_of_their_memories(opened: Open, place: MongoPlace) -> None:
    writer, planner = await opened(place.url), await opened(place.url)
    users = [f"u{n}" for n in range(24)]

    async def plan() -> None:
        await asyncio.sleep(0.05)
        assert await planner.plan_index(IndexPlan(serving="conformance"), IndexPlan())
        await planner.requeue()

    async def write() -> None:
        for start in range(0, 24, 4):
            await asyncio.gather(*(writer.commit(utterance("m", user)) for user in users[start : start + 4]))

    await asyncio.gather(write(), plan())
    waiting = {(found["user_id"], found["id"]) for found in documents(place, "outbox")}
    assert waiting == {(user, "m") for user in users}
