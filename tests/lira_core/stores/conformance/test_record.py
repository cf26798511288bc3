"""`Record`: one atomic, idempotent write, and what reads it back whole."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lira_core.stores.ports import Erasure, Record, StoreRejected, Write
from lira_core.types import Memory

from . import strategies
from .engines import Opener
from .making import RECEIVED, event, eventually, ids, imported, memory, reply, rich, someone, surely, utterance


async def walk(record: Record, user: str, limit: int) -> list[Memory]:
    """Every page, one after the other."""
    found: list[Memory] = []
    cursor: str | None = None
    while True:
        page, cursor = await record.page(user, limit, cursor)
        assert len(page) <= limit
        found += page
        if cursor is None:
            return found


# Writing


async def test_a_memory_comes_back_exactly(record: Record, user: str) -> None:
    kept = [rich("m:1.2_3-4", user), memory("m2", user), rich("m3", user, minutes=-(10**8))]
    await record.commit(imported("w", user, kept))
    back = await record.get(user, [held.id for held in kept])
    assert back == kept
    assert [held.timestamp.isoformat() for held in back] == [held.timestamp.isoformat() for held in kept]
    assert [fact.when and fact.when.isoformat() for fact in back[0].facts] == [fact.when and fact.when.isoformat() for fact in kept[0].facts]
    assert (await record.page(user, 10, None))[0] == kept


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strategies.memories)
async def test_any_memory_comes_back_exactly_and_is_found_by_all_that_it_holds(record: Record, drawn: Memory) -> None:
    user = someone()
    kept = replace(drawn, user_id=user)
    await record.commit(imported("w", user, [kept]))
    real = kept.emotion.real if kept.emotion else None
    slots = [(fact.subject, fact.predicate) for fact in kept.facts]
    answers = [
        *[await record.lexical(user, [term], 5, kept.timestamp) for term in kept.terms],
        *[await record.slots(user, [slot], 5, kept.timestamp) for slot in [*slots, *[(None, predicate) for _, predicate in slots]]],
        *([await record.feeling(user, real.label, real.score, 5, kept.timestamp)] if real else []),
        await record.newest(user, 5, kept.timestamp),
    ]
    assert all(ids(answer) == [kept.id] for answer in answers)
    keys = [fact.key for fact in kept.facts if fact.key is not None]
    assert await record.holders(user, keys, kept.timestamp) == dict.fromkeys(keys, (kept.timestamp, kept.id))
    for back in (await record.get(user, [kept.id]), (await record.page(user, 5, None))[0]):
        assert back == [kept]
        assert back[0].timestamp.isoformat() == kept.timestamp.isoformat()


async def test_an_event_is_written_with_its_text(open_own_record: Opener, user: str) -> None:
    record: Record = await open_own_record()
    await record.commit(Write("e", user, RECEIVED, event("e", user, text="눈사람eventword")))
    await record.commit(Write("r", user, RECEIVED, reply("r", user, "e", "m1", text="그래replyword")))
    rows = open_own_record.place.rows()
    assert sum("눈사람eventword" in row for row in rows) == 1
    assert sum("그래replyword" in row for row in rows) == 1
    assert ids(await record.newest(user, 10)) == [], "an event alone is no memory"


async def test_the_same_write_at_once_and_later_is_one(open_own_record: Opener, user: str) -> None:
    record: Record = await open_own_record()
    write = Write("e", user, RECEIVED, event("e", user, text="눈사람eventword"), (memory("e", user, terms=("눈",)), memory("m2", user)))
    await asyncio.gather(*[surely(lambda: record.commit(write)) for _ in range(32)])
    await record.commit(write)
    assert sorted(ids(await walk(record, user, 10))) == ["e", "m2"]
    assert ids(await record.lexical(user, ["눈"], 10)) == ["e"]
    assert sum("눈사람eventword" in row for row in open_own_record.place.rows()) == 1

    async def counted() -> bool:
        return await record.count() == 2

    await eventually(counted)


async def test_a_second_write_under_the_same_id_changes_nothing(record: Record, user: str) -> None:
    first = memory("m", user, text="처음", terms=("처음",))
    await record.commit(imported("w", user, [first]))
    await record.commit(imported("w", user, [replace(first, text="다음", terms=("다음",))]))
    await record.commit(imported("w2", user, [replace(first, text="또", terms=("또",)), memory("m2", user, minutes=1)]))
    assert await walk(record, user, 10) == [memory("m2", user, minutes=1), first]
    assert ids(await record.lexical(user, ["처음"], 10)) == ["m"]
    assert await record.lexical(user, ["다음", "또"], 10) == []


async def test_what_is_not_the_writers_own_is_refused_with_nothing_written(record: Record, user: str) -> None:
    other = someone()
    for write in (
        Write("w", user, RECEIVED, None, (memory("m1", user), memory("m2", other))),
        Write("w", user, RECEIVED, event("w", other), (memory("m1", user),)),
        Write("w", user, RECEIVED, event("w", user), (memory("m1", f"{user}x"),)),
    ):
        with pytest.raises(StoreRejected):
            await record.commit(write)
    for who in (user, other):
        assert await walk(record, who, 10) == []
    await record.commit(utterance("w", user))
    assert ids(await walk(record, user, 10)) == ["w"]


async def test_a_write_that_returned_is_there_when_the_store_is_opened_again(open_own_record: Opener, user: str) -> None:
    record: Record = await open_own_record()
    await record.commit(imported("w", user, [rich("m", user)]))
    await open_own_record.close()
    record = await open_own_record()
    assert await record.get(user, ["m"]) == [rich("m", user)]


async def test_two_replicas_keep_one_record(open_record: Opener, user: str) -> None:
    one, other = await open_record(apart=True), await open_record(apart=True)

    async def commit(record: Record, n: int) -> None:
        await surely(lambda: record.commit(utterance(f"m{n % 8}", user)))

    await asyncio.gather(*[commit(record, n) for n, record in enumerate([one, other] * 8)])
    assert sorted(ids(await walk(one, user, 3))) == sorted(ids(await walk(other, user, 3))) == [f"m{n}" for n in range(8)]


async def test_many_writes_at_once_are_all_kept(record: Record, user: str) -> None:
    async def commit(n: int) -> None:
        await surely(lambda: record.commit(utterance(f"m{n}", user, RECEIVED + n, terms=("커피", f"말{n}"))))

    await asyncio.gather(*[commit(n) for n in range(64)])
    assert len(await walk(record, user, 100)) == 64
    assert len(await record.lexical(user, ["커피"], 100)) == 64


# Reading


async def test_memories_come_in_the_order_asked_each_once(record: Record, user: str) -> None:
    await record.commit(imported("w", user, [memory(f"m{n}", user) for n in range(4)]))
    assert ids(await record.get(user, ["m2", "m0", "no such", "m2", "m3", "m0"])) == ["m2", "m0", "m3"]
    assert await record.get(user, []) == []


async def test_users_and_ids_that_look_alike_are_kept_apart(record: Record, user: str) -> None:
    pairs = [(user, "a:b"), (f"{user}:a", "b"), (f"{user}:a:b", "a"), (f"{user}x", "a:b"), (f"{user}.", "a"), (user, "a"), (f"{user}.a", "a")]
    for who, id in pairs:
        await record.commit(imported(id, who, [memory(id, who, text=f"{who}의 말", terms=("커피",))]))
    for who in dict.fromkeys(who for who, _ in pairs):
        mine = sorted(id for owner, id in pairs if owner == who)
        assert sorted(ids(await record.get(who, [id for _, id in pairs]))) == mine
        assert sorted(ids(await walk(record, who, 10))) == mine
        assert sorted(ids(await record.lexical(who, ["커피"], 10))) == mine
        assert {held.text for held in await walk(record, who, 10)} == {f"{who}의 말"}


async def test_the_longest_ids_are_kept(record: Record) -> None:
    who, id = (someone() + "x" * 128)[:128], "m" * 128
    await record.commit(Write(id, who, RECEIVED, event(id, who, session_id="s" * 128), (memory(id, who),)))
    assert ids(await record.get(who, [id])) == [id]


# Pages


async def test_pages_begin_with_the_newest_and_give_all_once(record: Record, user: str) -> None:
    await record.commit(imported("w", user, [memory(f"m{n}", user, minutes=n % 5) for n in range(23)]))
    expected = [memory(f"m{n}", user, minutes=n % 5) for n in sorted(range(23), key=lambda n: (n % 5, n), reverse=True)]
    for limit in (1, 4, 22, 23, 24, 100):
        assert await walk(record, user, limit) == expected
    assert await record.page(someone(), 10, None) == ([], None)


async def test_the_newest_are_first_by_timestamp_then_received_then_position(record: Record, user: str) -> None:
    await record.commit(imported("w2", user, [memory("b1", user), memory("b2", user)], RECEIVED + 2))
    await record.commit(imported("w3", user, [memory("c1", user, minutes=-1), memory("c2", user, minutes=1)], RECEIVED + 3))
    await record.commit(imported("w1", user, [memory("a1", user), memory("a2", user)], RECEIVED + 1))
    assert ids(await walk(record, user, 2)) == ids(await record.newest(user, 10)) == ["c2", "b2", "b1", "a2", "a1", "c1"]


@pytest.mark.parametrize("broken", ["", "nonsense", "🙂", "%%%", "-1", "e30="])
async def test_a_broken_cursor_is_a_value_error(record: Record, user: str, broken: str) -> None:
    await record.commit(imported("w", user, [memory(f"m{n}", user) for n in range(3)]))
    with pytest.raises(ValueError):  # noqa: PT011  (the words are the engine's own)
        await record.page(user, 1, broken)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=4), st.lists(st.integers(-2, 5), max_size=4), st.integers(1, 5)
)
async def test_walking_pages_gives_all_once_also_while_memories_are_added(
    record: Record, before: list[list[int]], during: list[int], limit: int
) -> None:
    user = someone()
    for n, minutes in enumerate(before):
        await record.commit(imported(f"w{n}", user, [memory(f"b{n}-{i}", user, minute) for i, minute in enumerate(minutes)], RECEIVED + n))
    there = set(ids(await walk(record, user, 100)))
    assert len(there) == sum(map(len, before))
    found: list[Memory] = []
    cursor: str | None = None
    while True:
        page, cursor = await record.page(user, limit, cursor)
        found += page
        if cursor is None:
            break
        if during:
            minute = during.pop()
            await record.commit(imported(f"d{len(during)}", user, [memory(f"d{len(during)}", user, minute)], RECEIVED + 100))
    assert len(ids(found)) == len(set(ids(found)))
    assert there <= set(ids(found))
    assert [held.timestamp for held in found] == sorted((held.timestamp for held in found), reverse=True)


async def test_a_damaged_memory_is_named_the_others_are_found_and_it_can_be_deleted(open_own_record: Opener, user: str) -> None:
    record: Record = await open_own_record()
    for n in range(3):
        fields: dict[str, Any] = {"metadata": {"x": "MARK"} if n == 1 else {}, "terms": ("커피", f"m{n}")}
        await record.commit(utterance(f"m{n}", user, RECEIVED + n, n, **fields))
    place: Any = open_own_record.place
    assert place.poison("MARK") > 0
    with pytest.raises(StoreRejected, match="memory m1 is damaged"):
        await record.get(user, ["m0", "m1"])
    assert ids(await record.get(user, ["m0", "m2"])) == ["m0", "m2"]
    assert ids(await walk(record, user, 1)) == ["m2", "m0"]
    assert await record.erase(Erasure(user, "m1", RECEIVED + 5))
    assert ids(await record.newest(user, 5)) == ids(await record.get(user, ["m0", "m1", "m2"]))[::-1] == ["m2", "m0"]
    assert ids(await record.lexical(user, ["커피", "m1"], 5)) == ["m2", "m0"]


# The record as such


async def test_memories_of_all_users_are_counted(own_record: Record) -> None:
    assert await own_record.count() == 0
    for _ in range(3):
        who = someone()
        await own_record.commit(imported("w", who, [memory("m1", who), memory("m2", who)]))

    async def counted() -> bool:
        return await own_record.count() == 6

    await eventually(counted)


async def test_one_holder_has_a_lease_until_it_runs_out_or_is_given_back(own_record: Record) -> None:
    assert await own_record.lease("reconciler", "a", 60)
    assert not await own_record.lease("reconciler", "b", 60)
    assert await own_record.lease("reconciler", "a", 60), "it is the holder's already"
    assert await own_record.lease("another", "b", 60)
    await own_record.lease("reconciler", "b", 0)
    assert not await own_record.lease("reconciler", "b", 60), "nobody gives back what another holds"
    await own_record.lease("reconciler", "a", 0)
    assert await own_record.lease("reconciler", "b", 0.05)
    await asyncio.sleep(0.2)
    assert await own_record.lease("reconciler", "c", 60)
    assert not await own_record.lease("reconciler", "b", 60)


async def test_of_many_who_ask_for_a_lease_at_once_one_gets_it(open_own_record: Opener) -> None:
    replicas = [await open_own_record(apart=True) for _ in range(2)]
    for name in ("free", "run out"):
        if name == "run out":
            await replicas[0].lease(name, "before", 0.05)
            await asyncio.sleep(0.2)
        assert sum(await asyncio.gather(*[replicas[n % 2].lease(name, f"h{n}", 60) for n in range(32)])) == 1


async def test_a_cancelled_call_leaves_the_record_usable(record: Record, user: str) -> None:
    for wait in (0.0, 0.001, 0.005):
        writes = [
            asyncio.create_task(record.commit(imported(f"{wait}-{n}", user, [memory(f"{wait}-{n}-{i}", user) for i in (1, 2)]))) for n in range(10)
        ]
        reads = [asyncio.create_task(record.newest(user, 5)) for _ in range(10)]
        await asyncio.sleep(wait)
        for call in [*writes, *reads]:
            call.cancel()
        await asyncio.gather(*writes, *reads, return_exceptions=True)
    await record.commit(utterance("m", user, minutes=1))
    found = ids(await walk(record, user, 100))
    assert found[0] == "m"
    whole = {id.rsplit("-", 1)[0] for id in found[1:]}
    assert sorted(found[1:]) == sorted(f"{one}-{i}" for one in whole for i in (1, 2)), "a write is there whole or not at all"


async def test_a_reachable_record_answers_a_ping(record: Record) -> None:
    await record.ping()
