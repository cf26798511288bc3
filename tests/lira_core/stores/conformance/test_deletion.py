"""What `Record` promises of deleting: what was received until the cut is gone and never comes back, whatever comes when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lira_core.stores.ports import SWEEP_SECONDS, Backlog, Entry, Erasure, Forgotten, IndexPlan, Record, Write
from lira_core.types import Memory

from .engines import Opener
from .making import NOON, RECEIVED, event, eventually, fact, feels, ids, imported, memory, reply, someone, surely, utterance, vanished


def findable(id: str, user: str, minutes: float = 0) -> Memory:
    return memory(id, user, minutes, terms=("커피",), facts=(fact("user", "like", key="taste:커피"),), emotion=feels(("joy", 0.9)))


async def found(record: Record, user: str, *names: str) -> list[str]:
    """The ids that any way of looking finds, sorted; every way must find the same. `names` are the ids to ask `get` for."""
    ways = [
        ids(await record.lexical(user, ["커피"], 100)),
        ids(await record.slots(user, [("user", "like")], 100)),
        ids(await record.feeling(user, "joy", 0.5, 100)),
        ids(await record.newest(user, 100)),
        ids((await record.page(user, 100, None))[0]),
    ]
    assert len({tuple(way) for way in ways}) == 1, ways
    holder = await record.holders(user, ["taste:커피"])
    assert [id for _, id in holder.values()] == ways[0][:1]
    assert set(ids(await record.get(user, names))) <= set(ways[0])
    return sorted(ways[0])


async def commit(record: Record, write: Write) -> None:
    await surely(lambda: record.commit(write))


async def erase(record: Record, erasure: Erasure) -> bool:
    return await surely(lambda: record.erase(erasure))


async def hurried(record: Record, user: str, id: str) -> Entry[Erasure]:
    """The erasure that waits, without waiting for its time."""
    await record.erasures.retry(user, [id], "hurried", after=0, blame=True)
    (entry,) = await record.erasures.claim(10, 60)
    return entry


# A memory


async def test_an_erased_memory_is_found_by_nothing_and_the_others_are(record: Record, user: str) -> None:
    other = someone()
    for who in (user, other):
        for n in range(3):
            await record.commit(Write(f"m{n}", who, RECEIVED + n, event(f"m{n}", who), (findable(f"m{n}", who, n),)))
    assert await record.erase(Erasure(user, "m1", RECEIVED + 10)) is True
    assert await found(record, user, "m0", "m1", "m2") == ["m0", "m2"]
    assert await found(record, other, "m0", "m1", "m2") == ["m0", "m1", "m2"]


async def test_erasing_again_answers_as_the_first_time(record: Record, user: str) -> None:
    await record.commit(utterance("m", user))
    for _ in range(3):
        assert await record.erase(Erasure(user, "m", RECEIVED)) is True


async def test_erasing_what_is_not_ones_own_changes_nothing(own_record: Record, user: str) -> None:
    other = someone()
    await own_record.commit(imported("m", user, [findable("m", user)]))
    for who, id in ((other, "m"), (user, "never there"), (f"{user}:", "m")):
        assert await own_record.erase(Erasure(who, id, RECEIVED + 10)) is False
    assert await own_record.erasures.backlog() == Backlog(0, 0)
    assert await found(own_record, user, "m") == ["m"]
    await own_record.commit(imported("never there", user, [findable("never there", user)]))
    await own_record.commit(imported("m", other, [findable("m", other)]))
    assert await found(own_record, user, "m", "never there") == ["m", "never there"]
    assert await found(own_record, other, "m") == ["m"]


FORBIDDEN: dict[str, Callable[[str], Write]] = {
    "the same write again": lambda user: utterance("m", user, RECEIVED),
    "an import that carries it": lambda user: imported("w", user, [findable("k", user), findable("m", user)], RECEIVED + 10**9),
    "the event of its turn": lambda user: Write("m", user, RECEIVED + 10**9, event("m", user), (findable("k", user),)),
    "the reply of its turn": lambda user: Write("m/reply", user, RECEIVED + 10**9, reply("m/reply", user, "m")),
    "a reply that quotes it": lambda user: Write("t/reply", user, RECEIVED + 10**9, reply("t/reply", user, "t", "k", "m")),
}


@pytest.mark.parametrize("forbidden", FORBIDDEN.values(), ids=FORBIDDEN)
@pytest.mark.parametrize("how", ["erase", "entomb"])
async def test_a_tombstone_forbids_whatever_carries_or_quotes_it(record: Record, user: str, forbidden: Callable[[str], Write], how: str) -> None:
    if how == "erase":
        await record.commit(utterance("m", user, RECEIVED))
        assert await record.erase(Erasure(user, "m", RECEIVED))
    else:
        await record.entomb(user, "m")
        await record.entomb(user, "m")
    with pytest.raises(Forgotten):
        await record.commit(forbidden(user))
    assert await found(record, user, "k", "m") == []
    other = someone()
    await record.commit(forbidden(other))
    await record.commit(imported("k", user, [findable("k", user)]))
    assert await found(record, user, "k", "m") == ["k"]


async def test_what_was_entombed_was_deleted_as_theirs(record: Record, user: str) -> None:
    await record.entomb(user, "m")
    assert await record.erase(Erasure(user, "m", RECEIVED)) is True
    assert await record.erase(Erasure(someone(), "m", RECEIVED)) is False


async def test_with_a_memory_go_its_event_its_reply_and_the_replies_that_quote_it(open_own_record: Opener, user: str) -> None:
    record: Record = await open_own_record()

    async def say(id: str, *quotes: str) -> None:
        said = memory(id, user, text=f"기억{id}", terms=(f"말{id}",), facts=(fact(f"누구{id}", "like", key=f"열쇠{id}"),))
        spoken, answered = event(id, user, text=f"발화{id}", terms=(f"들은말{id}",)), (f"답한말{id}", "함께한말")
        await record.commit(Write(id, user, RECEIVED, spoken, (said,)))
        await record.commit(Write(f"{id}-reply", user, RECEIVED, reply(f"{id}-reply", user, id, *quotes, text=f"대답{id}", terms=answered)))

    await say("aaaa")
    await say("bbbb", "aaaa")
    await say("cccc", "bbbb")
    await say("dddd", "cccc", "aaaa")
    assert await record.erase(Erasure(user, "aaaa", RECEIVED + 5))
    await vanished(open_own_record.place, "기억aaaa", "말aaaa", "누구aaaa", "열쇠aaaa", "발화aaaa", "대답aaaa", "대답bbbb", "대답dddd")
    await vanished(open_own_record.place, "들은말aaaa", "답한말aaaa", "답한말bbbb", "답한말dddd")
    rows = "\n".join(open_own_record.place.rows())
    for kept in (
        "기억bbbb",
        "말bbbb",
        "누구cccc",
        "열쇠dddd",
        "발화bbbb",
        "발화cccc",
        "발화dddd",
        "대답cccc",
        "들은말bbbb",
        "들은말dddd",
        "답한말cccc",
    ):
        assert kept in rows
    assert ids(await record.said(user, ["들은말aaaa", "답한말bbbb", "함께한말"], 10)) == ["cccc-reply"]


async def test_a_write_that_races_the_erasure_of_its_memory_is_there_whole_or_gone_for_good(open_record: Opener) -> None:
    one, other = await open_record(apart=True), await open_record(apart=True)
    for round in range(12):
        user = someone()
        write = imported("w", user, [findable("m", user), findable("k", user, 1)])
        if round % 3 == 0:
            await one.commit(write)
        outcomes = await asyncio.gather(
            *[commit(one, write) for _ in range(round % 4)],
            erase(other, Erasure(user, "m", RECEIVED)),
            *[commit(one, write) for _ in range(3)],
            return_exceptions=True,
        )
        assert all(outcome in (None, True, False) or isinstance(outcome, Forgotten) for outcome in outcomes), outcomes
        if True in outcomes:
            assert "m" not in await found(one, user, "m", "k")
            with pytest.raises(Forgotten):
                await one.commit(write)
        else:
            assert await found(one, user, "m", "k") == ["k", "m"]


# A user


async def test_what_was_received_until_the_cut_goes_and_what_came_after_it_stays(record: Record, user: str) -> None:
    other = someone()
    for who in (user, other):
        for n in range(4):
            await record.commit(imported(f"m{n}", who, [findable(f"m{n}", who, -n)], RECEIVED + n))
    assert await record.erase(Erasure(user, None, RECEIVED + 1)) is True
    assert await found(record, user, "m0", "m1", "m2", "m3") == ["m2", "m3"]
    assert await found(record, other, "m0") == ["m0", "m1", "m2", "m3"]


async def test_scores_count_only_what_is_left_of_a_user(record: Record, user: str) -> None:
    """As for somebody who never said the rest: a memory of mean length that holds the word scores 1."""
    await record.commit(imported("w", user, [memory(f"m{n}", user, terms=("커피",) * (n + 1)) for n in range(5)]))
    await record.commit(imported("k", user, [memory("k1", user, terms=("커피", "비")), memory("k2", user, terms=("책", "길"))], RECEIVED + 2))
    await record.erase(Erasure(user, None, RECEIVED + 1))

    async def whole() -> bool:
        hits = await record.lexical(user, ["커피"], 10)
        return [(hit.id, round(hit.score, 6)) for hit in hits] == [("k1", 1.0)]

    await eventually(whole)


async def test_erasing_a_user_is_always_true(record: Record, user: str) -> None:
    assert await record.erase(Erasure(user, None, RECEIVED)) is True
    assert await record.erase(Erasure(user, None, RECEIVED)) is True
    with pytest.raises(Forgotten):
        await record.commit(utterance("m", user, RECEIVED))


@pytest.mark.parametrize("cuts", [(10, 5), (5, 10), (10,), (10, 10)])
async def test_nothing_received_until_the_highest_cut_is_ever_written_again(record: Record, user: str, cuts: tuple[int, ...]) -> None:
    for cut in cuts:
        await record.erase(Erasure(user, None, RECEIVED + cut))
    for received in (-(10**12), 0, 6, 9, 10):
        late = Write("late", user, RECEIVED + received, event("late", user), (findable("late", user), findable("late2", user)))
        with pytest.raises(Forgotten):
            await record.commit(late)
        with pytest.raises(Forgotten):
            await record.commit(Write("r", user, RECEIVED + received, reply("r", user, "t")))
    assert await found(record, user, "late", "late2") == []
    await record.commit(imported("new", user, [findable("new", user, -(10**6))], RECEIVED + 11))
    assert await found(record, user, "late", "new") == ["new"], "it is when a request was received that counts, not when it was said"
    await record.commit(imported("late", user, [findable("late", user)], RECEIVED + 12))
    assert await found(record, user, "late", "new") == ["late", "new"]


async def test_writes_that_race_the_deletion_of_their_user_leave_nothing(open_record: Opener) -> None:
    one, other = await open_record(apart=True), await open_record(apart=True)
    for round in range(6):
        user = someone()
        before = [utterance(f"m{n}", user, RECEIVED + n, n, terms=("커피",)) for n in range(8)]
        after = [imported(f"k{n}", user, [findable(f"k{n}", user, n)], RECEIVED + 100 + n) for n in range(4)]
        writes = [commit(record, write) for record, write in zip([one, other] * 6, [*before, *after], strict=True)]
        outcomes = await asyncio.gather(*writes[:round], erase(one, Erasure(user, None, RECEIVED + 50)), *writes[round:], return_exceptions=True)
        assert all(outcome in (None, True) or isinstance(outcome, Forgotten) for outcome in outcomes), outcomes
        assert await found(other, user, *[f"m{n}" for n in range(8)]) == ["k0", "k1", "k2", "k3"]
        for write in before:
            with pytest.raises(Forgotten):
                await other.commit(write)


async def test_while_a_user_is_erased_readers_see_all_or_nothing_and_writers_are_refused(open_record: Opener, user: str) -> None:
    one, other = await open_record(apart=True), await open_record(apart=True)
    for n in (0, 600):
        await one.commit(imported(f"w{n}", user, [findable(f"m{n + i}", user, n + i) for i in range(600)]))
    erasing = asyncio.create_task(one.erase(Erasure(user, None, RECEIVED)))
    seen: list[int] = []
    while not erasing.done() or not seen:
        seen.append(len(await other.newest(user, 2_000)))
        if seen[-1] == 0:
            assert await other.get(user, ["m0", "m1199"]) == []
            assert await other.lexical(user, ["커피"], 10) == []
            with pytest.raises(Forgotten):
                await other.commit(imported("w2", user, [findable("late", user)]))
    assert await erasing is True
    assert set(seen) <= {1_200, 0}
    assert seen == sorted(seen, reverse=True)
    assert await found(other, user, "m0") == []


# In any order


MEMORIES = ("a", "b", "c")
steps = st.one_of(
    st.tuples(st.just("utterance"), st.sampled_from(MEMORIES), st.integers(0, 3)),
    st.tuples(st.just("import"), st.lists(st.sampled_from(MEMORIES), min_size=1, max_size=3, unique=True).map(tuple), st.integers(0, 3)),
    st.tuples(st.just("reply"), st.lists(st.sampled_from(MEMORIES), max_size=2, unique=True).map(tuple), st.integers(0, 3)),
    st.tuples(st.just("erase"), st.sampled_from(MEMORIES), st.just(0)),
    st.tuples(st.just("entomb"), st.sampled_from(MEMORIES), st.just(0)),
    st.tuples(st.just("cut"), st.just("*"), st.integers(0, 3)),
)


def written(step: str, n: int, user: str, what: Any, received: int) -> Write:
    if step == "utterance":
        return utterance(what, user, received, terms=("커피",))
    if step == "import":
        return imported(f"i{n}", user, [memory(id, user, terms=("커피",)) for id in what], received)
    return Write(f"r{n}", user, received, reply(f"r{n}", user, f"t{n}", *what))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=3, max_size=12))
async def test_writes_and_deletions_in_any_order_leave_what_a_ledger_on_paper_leaves(record: Record, steps: list[tuple[str, Any, int]]) -> None:
    user, kept, tombs, cut, vague = someone(), {}, set(), -1, set()
    for n, (step, what, received) in enumerate(steps):
        if vague & set(what):
            continue  # what a cut took is nobody's and everybody's: the port does not say how an erasure of it is answered
        match step:
            case "erase":
                assert await record.erase(Erasure(user, what, RECEIVED)) is (what in kept or what in tombs)
                tombs |= {what} & (kept.keys() | tombs)
                kept.pop(what, None)
            case "entomb" if what not in kept:
                await record.entomb(user, what)
                tombs.add(what)
            case "cut":
                assert await record.erase(Erasure(user, None, RECEIVED + received)) is True
                cut = max(cut, received)
                vague |= tombs | {id for id, stamp in kept.items() if stamp <= cut}
                kept = {id: stamp for id, stamp in kept.items() if stamp > cut}
            case "utterance" | "import" | "reply":
                write = written(step, n, user, what, RECEIVED + received)
                if received <= cut or tombs & set(what):
                    with pytest.raises(Forgotten):
                        await record.commit(write)
                else:
                    await record.commit(write)
                    kept |= {one.id: received for one in write.memories if one.id not in kept}
    for hits in (await record.lexical(user, ["커피"], 10), await record.newest(user, 10), (await record.page(user, 10, None))[0]):
        assert sorted(ids(hits)) == sorted(kept)


async def test_nothing_of_a_deleted_user_is_in_raw_storage(open_own_record: Opener, user: str) -> None:
    record: Record = await open_own_record()
    await record.plan_index(IndexPlan(serving="conformance"), IndexPlan())
    for n in range(30):
        id = f"memkakao{n}"
        said = memory(
            id, user, text=f"기억kakao{n}", terms=("말kakao", f"말kakao{n}"), session_id="seskakao", facts=(fact("누구kakao", "like", "kakao"),)
        )
        spoken = event(id, user, text=f"발화kakao{n}", session_id="seskakao", terms=("들은kakao", f"들은kakao{n}"))
        await record.commit(Write(id, user, RECEIVED + n, spoken, (said,)))
    await record.commit(Write("rkakao", user, RECEIVED, reply("rkakao", user, "memkakao0", "memkakao1", text="대답kakao", terms=("답한kakao",))))
    assert b"kakao" in open_own_record.place.raw()
    assert await record.erase(Erasure(user, "memkakao3", RECEIVED + 100))
    assert await record.erase(Erasure(user, None, RECEIVED + 200))
    entry = await hurried(record, user, "*")
    await record.erase(entry.payload)
    await record.erasures.done(user, ["*"])
    await record.erasures.done(user, ["memkakao3"])
    await vanished(open_own_record.place, "kakao")


# What is left to do


async def test_an_erasure_waits_for_its_other_half_until_somebody_calls_it_done(own_record: Record, user: str) -> None:
    other = someone()
    await own_record.commit(utterance("m", user))
    assert await own_record.erase(Erasure(user, "m", RECEIVED + 1))
    assert await own_record.erase(Erasure(other, None, RECEIVED + 2))
    assert await own_record.erasures.backlog() == Backlog(2, 0)
    assert await own_record.erasures.claim(10, 60) == [], "it is due when the deletion has had its time"
    await asyncio.sleep(SWEEP_SECONDS + 0.3)
    entries = await own_record.erasures.claim(10, 60)
    assert sorted((entry.id, entry.attempts) for entry in entries) == [("*", 1), ("m", 1)]
    assert {entry.payload for entry in entries} == {Erasure(user, "m", RECEIVED + 1), Erasure(other, None, RECEIVED + 2)}
    await own_record.erasures.done(user, ["m"])
    await own_record.erasures.done(other, ["*"])
    assert await own_record.erasures.backlog() == Backlog(0, 0)
    with pytest.raises(Forgotten):
        await own_record.commit(utterance("m", user, RECEIVED + 10**9))
    with pytest.raises(Forgotten):
        await own_record.commit(utterance("m", other, RECEIVED + 2))


async def test_the_same_erasure_waits_once_and_with_the_highest_cut(own_record: Record, user: str) -> None:
    for cut in (5, 10, 7):
        await own_record.erase(Erasure(user, None, RECEIVED + cut))
    assert await own_record.erasures.backlog() == Backlog(1, 0)
    assert (await hurried(own_record, user, "*")).payload == Erasure(user, None, RECEIVED + 10)


async def test_an_erasure_that_was_left_half_done_is_done_again(own_record: Record, user: str) -> None:
    await own_record.commit(imported("m", user, [findable("m", user)]))
    await own_record.commit(imported("k", user, [findable("k", user)], RECEIVED + 9))
    await own_record.erase(Erasure(user, None, RECEIVED + 5))
    entry = await hurried(own_record, user, "*")
    assert await own_record.erase(entry.payload) is True
    await own_record.erasures.done(user, ["*"])
    assert await found(own_record, user, "m", "k") == ["k"]


async def test_what_is_erased_waits_for_no_vector(own_record: Record, user: str) -> None:
    await own_record.plan_index(IndexPlan(serving="conformance"), IndexPlan())
    await own_record.commit(imported("w", user, [findable(f"m{n}", user) for n in range(4)], RECEIVED))
    await own_record.commit(imported("k", user, [findable("k", user)], RECEIVED + 9))
    await own_record.erase(Erasure(user, "m2", RECEIVED))
    assert await own_record.unindexed.backlog() == Backlog(4, 0)
    await own_record.unindexed.bury(user, ["m3"], "hopeless")
    await own_record.erase(Erasure(user, None, RECEIVED + 5))
    assert await own_record.unindexed.backlog() == Backlog(1, 0)
    (entry,) = await own_record.unindexed.claim(10, 60)
    assert (entry.id, entry.payload.received, entry.payload.memory.timestamp) == ("k", RECEIVED + 9, NOON)
