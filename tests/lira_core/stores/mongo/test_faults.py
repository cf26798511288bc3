"""A server that dies, hangs or refuses; a caller who goes away."""

from __future__ import annotations

import asyncio
import contextlib
import time

import pytest

from lira_core.stores import Forgotten, StoreUnavailable
from lira_core.stores.mongo.server import OPERATION_SECONDS
from lira_core.stores.ports import Erasure, IndexPlan, Write

from ..conformance.making import RECEIVED, imported, memory, reply, someone, utterance
from .conftest import Open, Secantus, again


async def test_what_was_acknowledged_survives_the_death_of_the_server(opened: Open, own: Secantus) -> None:
    record = await opened(own.url("lira"))
    await record.plan_index(IndexPlan(serving="conformance"), IndexPlan())
    acknowledged: list[str] = []
    some = asyncio.Event()

    async def write(n: int) -> None:
        with contextlib.suppress(StoreUnavailable):
            await record.commit(utterance(f"m{n}", f"u{n % 4}", RECEIVED + n))
            acknowledged.append(f"m{n}")
            if len(acknowledged) == 10:
                some.set()

    writes = [asyncio.create_task(write(n)) for n in range(40)]
    await some.wait()
    own.kill()
    await asyncio.gather(*writes)
    await asyncio.to_thread(own.start)
    for n in range(4):
        theirs = [f"m{i}" for i in range(40) if i % 4 == n]
        there = {found.id for found in await again(lambda user=f"u{n}", ids=theirs: record.get(user, ids))}
        assert there >= set(theirs) & set(acknowledged)
        assert {hit.id for hit in await record.newest(f"u{n}", 40)} == there, "a write is there whole, or not at all"
    # The same writes again: what was there stays as it is, and what was lost comes.
    await asyncio.gather(*(record.commit(utterance(f"m{n}", f"u{n % 4}", RECEIVED + n)) for n in range(40)))
    assert await record.count() == 40
    assert (await record.unindexed.backlog()).waiting == 40


async def test_a_hanging_server_is_unavailable_in_time_and_used_again_when_it_wakes(opened: Open, own: Secantus) -> None:
    record = await opened(own.url("lira"))
    await record.commit(utterance("m", "ada"))
    own.freeze()
    calls = [
        record.newest("ada", 5),
        record.get("ada", ["m"]),
        record.commit(utterance("n", "ada", RECEIVED + 1)),
        record.commit(utterance("o", "ada", RECEIVED + 2)),
        record.erase(Erasure("bob", None, RECEIVED)),
        record.unindexed.claim(5, 60),
        record.lease("reconciler", "me", 30),
        record.ping(),
    ]
    start = time.monotonic()
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert [type(answer) for answer in answers] == [StoreUnavailable] * len(calls)
    assert time.monotonic() - start < 10 * OPERATION_SECONDS, "a call that has no end holds its turn for ever"
    own.resume()
    await again(lambda: record.commit(utterance("n", "ada", RECEIVED + 1)))
    await again(lambda: record.commit(utterance("o", "ada", RECEIVED + 2)))
    assert {hit.id for hit in await again(lambda: record.newest("ada", 5))} == {"m", "n", "o"}
    assert await record.count() == 3


async def test_a_write_that_ran_out_of_time_holds_up_none_of_the_user_s_later_ones(opened: Open, own: Secantus) -> None:
    """A transaction that nobody ends keeps the user's document for a minute."""
    record = await opened(own.url("lira"))
    imports = {f"u{n}": imported("i", f"u{n}", [memory(f"m{k}", f"u{n}", k, terms=(f"말{k}",)) for k in range(4)]) for n in range(12)}

    async def write(n: int) -> None:
        await asyncio.sleep(0.02 * n)
        await record.commit(imports[f"u{n}"])

    writes = [asyncio.create_task(write(n)) for n in range(12)]
    await asyncio.sleep(0.15)
    own.freeze()
    answers = await asyncio.gather(*writes, return_exceptions=True)
    assert StoreUnavailable in map(type, answers), "none was under way"
    own.resume()
    for user, write_again in imports.items():
        await again(lambda write_again=write_again: record.commit(write_again), seconds=25)
        assert len(await record.newest(user, 10)) == 4


async def test_a_server_that_refuses_is_unavailable_and_used_again_when_it_is_back(opened: Open, own: Secantus) -> None:
    record = await opened(own.url("lira"))
    own.stop()
    with pytest.raises(StoreUnavailable, match=r"mongodb://127.0.0.1"):
        await record.commit(utterance("m", "ada"))
    await asyncio.to_thread(own.start)
    await again(lambda: record.commit(utterance("m", "ada")))
    assert [hit.id for hit in await record.newest("ada", 5)] == ["m"]


async def test_callers_who_give_up_in_the_middle_leave_whole_writes_and_a_client_that_works(opened: Open, own: Secantus) -> None:
    record = await opened(own.url("lira"))
    users = [someone() for _ in range(6)]
    for n in range(60):
        with contextlib.suppress(TimeoutError, StoreUnavailable):
            async with asyncio.timeout(0.001 * (n % 30)):
                await record.commit(imported(f"i{n}", users[n % 6], [memory(f"m{n}-{k}", users[n % 6], n) for k in range(5)], RECEIVED + n))
    for user in users:
        there = [hit.id for hit in await record.newest(user, 100)]
        assert len(there) % 5 == 0, "an import is there whole, or not at all"
        await record.commit(utterance("last", user, RECEIVED + 100, minutes=1_000))
        assert (await record.newest(user, 1))[0].id == "last"


async def test_a_forbidden_write_leaves_nothing_behind(opened: Open, own: Secantus) -> None:
    record = await opened(own.url("lira"))
    await record.plan_index(IndexPlan(serving="conformance"), IndexPlan())
    await record.commit(utterance("m", "ada", terms=("커피",)))
    assert await record.erase(Erasure("ada", "m", RECEIVED + 1))
    for n in range(5):
        with pytest.raises(Forgotten):
            await record.commit(Write(f"r{n}", "ada", RECEIVED + 2 + n, reply(f"r{n}", "ada", "t", "m"), (memory(f"x{n}", "ada", terms=("커피",)),)))
    assert await record.newest("ada", 10) == []
    assert await record.lexical("ada", ["커피"], 10) == []
    assert (await record.unindexed.backlog()).waiting == 0
    assert await record.count() == 0
    await record.commit(utterance("y", "ada", RECEIVED + 50, terms=("커피",)))
    assert [(hit.id, hit.score) for hit in await record.lexical("ada", ["커피"], 10)] == [("y", pytest.approx(1.0))]


async def test_closing_waits_for_the_writes_under_way(opened: Open, own: Secantus) -> None:
    url = own.url("lira")
    record = await opened(url)
    writes = [asyncio.create_task(record.commit(utterance("m", f"u{n}"))) for n in range(8)]
    await asyncio.sleep(0.01)
    await record.close()
    await asyncio.gather(*writes)
    later = await opened(url)
    for n in range(8):
        assert [hit.id for hit in await later.newest(f"u{n}", 5)] == ["m"]
