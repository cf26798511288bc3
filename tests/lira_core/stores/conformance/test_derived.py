"""What rules derived from memories: which memories older rules read, and what newer rules put in its place."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import pytest

from lira_core.stores.ports import Backlog, Erasure, IndexPlan, Record, StoreRejected
from lira_core.types import Memory

from .engines import Opener
from .making import NOON, RECEIVED, fact, feels, ids, imported, memory, rich, someone, surely, utterance

LIKES = fact("user", "like", "커피", key="taste:커피")
LIVES = fact("user", "live_in", "부산", key="live_in:user")


def newer(old: Memory, derived: int = 2, **parts: object) -> Memory:
    """As newer rules read it."""
    return replace(old, **{"facts": (LIVES,), "terms": ("부산", "집"), "derived": derived} | parts)  # type: ignore[arg-type]


async def every(record: Record, before: int, limit: int, since: int = 0) -> list[Memory]:
    """All pages of what rules before this version read."""
    found: list[Memory] = []
    cursor: str | None = None
    while True:
        page, cursor = await record.outdated(before, limit, cursor, since=since)
        assert len(page) <= limit
        found += page
        if cursor is None:
            return found


# Which there are


async def test_what_older_rules_read_is_walked_through_once_user_by_user(own_record: Record) -> None:
    people = [someone() for _ in range(3)]
    for n, who in enumerate(people):
        await own_record.commit(imported("w0", who, [memory(f"a{i}", who, derived=1) for i in range(4)], RECEIVED + n))
        await own_record.commit(imported("w1", who, [memory(f"b{i}", who, derived=3) for i in range(2)], RECEIVED - n))
        await own_record.commit(imported("w2", who, [rich("c", who)], RECEIVED))
    assert await own_record.count(4) == 21
    assert await own_record.count(3) == 15
    assert await own_record.count(1) == 3
    assert await own_record.count(0) == 0
    for limit in (1, 4, 14, 15, 100):
        found = await every(own_record, 3, limit)
        assert sorted((one.user_id, one.id) for one in found) == sorted((who, id) for who in people for id in ("a0", "a1", "a2", "a3", "c"))
    assert {one.user_id: one for one in found if one.id == "c"} == {who: rich("c", who) for who in people}
    owners = [one.user_id for one in await every(own_record, 1, 2)]
    assert owners == list(dict.fromkeys(owners))
    assert await own_record.outdated(1, 0) == ([], None)
    assert await every(own_record, 0, 5) == []


async def test_the_versions_between_two_are_walked_through_alone(own_record: Record) -> None:
    people = [someone() for _ in range(3)]
    for who in people:
        await own_record.commit(imported("w", who, [*(memory(f"m{n}", who, derived=n % 5) for n in range(15)), rich("c", who)], RECEIVED))
    for limit in (1, 4, 100):
        found = await every(own_record, 4, limit, since=2)
        assert sorted((one.user_id, one.id) for one in found) == sorted((who, f"m{n}") for who in people for n in range(15) if n % 5 in (2, 3))
    assert await every(own_record, 2, 5, since=2) == []


async def test_what_is_deleted_is_not_among_them(own_record: Record, user: str) -> None:
    other = someone()
    await own_record.commit(imported("w", user, [memory("m1", user), memory("m2", user)]))
    await own_record.commit(imported("w", other, [memory("m1", other)]))
    await own_record.erase(Erasure(user, "m1", RECEIVED + 1))
    await own_record.erase(Erasure(other, None, RECEIVED + 1))
    assert [(one.user_id, one.id) for one in await every(own_record, 1, 5)] == [(user, "m2")]
    assert await own_record.count(1) == 1


async def test_a_page_goes_on_where_the_last_ended_whatever_was_done_in_between(own_record: Record, user: str) -> None:
    await own_record.commit(imported("w", user, [memory(f"m{n}", user, derived=n % 2) for n in range(9)]))
    first, cursor = await own_record.outdated(2, 4)
    await own_record.rederive(user, [newer(one) for one in first])
    await own_record.erase(Erasure(user, first[0].id, RECEIVED + 1))
    rest, cursor = await own_record.outdated(2, 9, cursor)
    assert cursor is None
    assert sorted(ids(first) + ids(rest)) == [f"m{n}" for n in range(9)]
    assert sorted(ids(await every(own_record, 2, 3))) == sorted(ids(rest)), "whoever begins anew finds what is left"


# What takes its place


async def test_what_newer_rules_read_takes_the_place_of_what_was_and_nothing_else_changes(record: Record, user: str) -> None:
    old = replace(rich("m", user), facts=(LIKES, fact("여동생", "name", "지은", key="name:여동생")), terms=("커피", "커피", "말"), derived=1)
    beside = memory("n", user, -1, facts=(LIKES,), terms=("커피", "집"), derived=1)
    await record.commit(imported("w", user, [old, beside]))
    assert await record.rederive(user, [newer(replace(old, metadata={}, emotion=None, session_id="x"))]) == 1
    now = replace(old, facts=(LIVES,), terms=("부산", "집"), derived=2)
    assert await record.get(user, ["m"]) == [now]
    assert (await record.get(user, ["m"]))[0].timestamp.isoformat() == old.timestamp.isoformat()
    assert (await record.page(user, 5, None))[0] == [now, beside]
    assert ids(await record.newest(user, 5)) == ["m", "n"]
    assert ids(await record.feeling(user, "joy", 0.1, 5)) == ["m"]
    assert ids(await record.slots(user, [(None, "like"), ("user", "like")], 5)) == ["n"]
    assert ids(await record.slots(user, [("여동생", "name"), (None, "name")], 5)) == []
    assert ids(await record.slots(user, [("user", "live_in")], 5)) == ["m"]
    assert await record.holders(user, ["taste:커피", "live_in:user", "name:여동생"]) == {
        "taste:커피": (beside.timestamp, "n"),
        "live_in:user": (old.timestamp, "m"),
    }
    assert ids(await record.lexical(user, ["커피"], 5)) == ["n"]
    assert ids(await record.lexical(user, ["말"], 5)) == []
    assert sorted(ids(await record.lexical(user, ["부산", "집"], 5))) == ["m", "n"]


async def test_facts_and_terms_may_come_from_nothing_and_go_again(record: Record, user: str) -> None:
    bare = memory("m", user)
    await record.commit(imported("w", user, [bare]))
    assert await record.rederive(user, [newer(bare)]) == 1
    assert ids(await record.slots(user, [("user", "live_in")], 5)) == ids(await record.lexical(user, ["집"], 5)) == ["m"]
    assert await record.rederive(user, [replace(bare, derived=3)]) == 1
    assert await record.slots(user, [("user", "live_in")], 5) == await record.lexical(user, ["집"], 5) == []
    assert await record.holders(user, ["live_in:user"]) == {}
    assert await record.get(user, ["m"]) == [replace(bare, derived=3)]


async def test_the_same_twice_changes_nothing_and_newer_rules_win(record: Record, user: str) -> None:
    old = memory("m", user, facts=(LIKES,), terms=("커피",), derived=1)
    await record.commit(imported("w", user, [old]))
    assert await record.rederive(user, [newer(old, 3)]) == 1
    for again in (newer(old, 3), newer(old, 2, facts=(), terms=("딴말",)), newer(old, 3, facts=(), terms=("딴말",))):
        assert await record.rederive(user, [again]) == 0
        assert await record.get(user, ["m"]) == [newer(old, 3)]
    assert ids(await record.lexical(user, ["집"], 5)) == ["m"]
    assert await record.lexical(user, ["딴말", "커피"], 5) == []
    assert await record.rederive(user, [newer(old, 4), newer(old, 4)]) == 0, "only the version is another"
    assert await record.get(user, ["m"]) == [newer(old, 4)]
    assert await record.rederive(user, []) == 0


async def test_who_derives_at_once_comes_to_what_the_newest_rules_say(open_record: Opener, user: str) -> None:
    one, other = await open_record(apart=True), await open_record(apart=True)
    said = [memory(f"m{n}", user, facts=(LIKES,), terms=("커피", f"말{n}"), derived=1) for n in range(6)]
    await one.commit(imported("w", user, said))
    made = [[newer(old, version, terms=(f"판{version}",)) for old in said] for version in (2, 3, 4, 3, 2)]
    await asyncio.gather(*[surely(lambda who=(one, other)[n % 2], some=some: who.rederive(user, some)) for n, some in enumerate(made)])
    assert sorted(ids(await other.lexical(user, ["판4"], 9))) == ids(said)
    assert await one.lexical(user, ["판2", "판3", "커피"], 9) == []
    assert await one.get(user, ids(said)) == [newer(old, 4, terms=("판4",)) for old in said]


async def test_what_is_another_users_is_refused(record: Record, user: str) -> None:
    other = someone()
    await record.commit(imported("w", user, [memory("m", user)]))
    await record.commit(imported("w", other, [memory("m", other)]))
    with pytest.raises(StoreRejected):
        await record.rederive(user, [newer(memory("m", user)), newer(memory("m", other))])
    with pytest.raises(StoreRejected):
        await record.rederive(user, [newer(memory("m", user), facts=(replace(LIVES, when=NOON.replace(tzinfo=None)),))])
    for who in (user, other):
        assert await record.get(who, ["m"]) == [memory("m", who)]


# Deleting wins


async def test_what_was_deleted_meanwhile_stays_deleted(open_own_record: Opener, user: str) -> None:
    record: Record = await open_own_record()
    other = someone()
    for who in (user, other):
        await record.commit(imported("w", who, [memory("m1", who, terms=("oldword",)), memory("m2", who, terms=("oldword",))]))
    read = await every(record, 2, 9)
    await record.erase(Erasure(user, "m1", RECEIVED + 1))
    await record.erase(Erasure(other, None, RECEIVED + 1))
    for who in (user, other):
        derived = [newer(one, terms=("newword",)) for one in read if one.user_id == who]
        assert await record.rederive(who, derived) == (1 if who == user else 0)
    assert ids(await record.newest(user, 5)) == ids(await record.lexical(user, ["newword"], 5)) == ["m2"]
    assert await record.newest(other, 5) == await record.lexical(other, ["newword"], 5) == []
    assert await record.rederive(someone(), []) == 0
    stranger = someone()
    assert await record.rederive(stranger, [newer(memory("m", stranger))]) == 0
    rows = open_own_record.place.rows()
    assert not any("oldword" in row or stranger in row for row in rows)
    await record.erase(Erasure(user, None, RECEIVED + 2))
    assert not any("newword" in row for row in open_own_record.place.rows())


async def test_what_was_said_anew_under_the_same_id_is_not_taken_for_what_was_read(record: Record, user: str) -> None:
    await record.commit(imported("w", user, [memory("m", user, text="옛말")]))
    (read,) = await record.get(user, ["m"])
    await record.erase(Erasure(user, None, RECEIVED + 1))
    anew = memory("m", user, text="새말", terms=("새말",))
    await record.commit(imported("w2", user, [anew], RECEIVED + 2))
    assert await record.rederive(user, [newer(read)]) == 0
    assert await record.get(user, ["m"]) == [anew]


async def test_deriving_beside_writes_and_deletions_spoils_neither(open_record: Opener, user: str) -> None:
    one, other = await open_record(apart=True), await open_record(apart=True)
    said = [memory(f"m{n}", user, n, facts=(LIKES,), terms=("커피", "말"), derived=1) for n in range(24)]
    await one.commit(imported("w", user, said))
    gone, new = {f"m{n}" for n in range(0, 24, 3)}, [f"n{n}" for n in range(8)]
    work = [surely(lambda some=said[n : n + 6]: one.rederive(user, [newer(old) for old in some])) for n in range(0, 24, 6)]
    work += [surely(lambda id=id: other.erase(Erasure(user, id, RECEIVED + 1))) for id in gone]
    work += [surely(lambda id=id, n=n: other.commit(utterance(id, user, RECEIVED + n, terms=("커피", "새말")))) for n, id in enumerate(new)]
    await asyncio.gather(*work)
    left = [old.id for old in said if old.id not in gone]
    assert sorted(ids(await one.newest(user, 99))) == sorted([*left, *new])
    assert ids(await one.slots(user, [("user", "live_in")], 99)) == left[::-1]
    assert await one.slots(user, [("user", "like")], 99) == []
    assert await one.holders(user, ["live_in:user", "taste:커피"]) == {"live_in:user": (said[23].timestamp, "m23")}
    assert sorted(ids(await one.lexical(user, ["집"], 99))) == sorted(left)
    assert sorted(ids(await one.lexical(user, ["커피"], 99))) == new
    fresh = someone()
    await one.commit(imported("w", fresh, [newer(old) for old in replaced(said, fresh) if old.id not in gone]))
    await one.commit(imported("w2", fresh, [memory(id, fresh, terms=("커피", "새말")) for id in new], RECEIVED + 1))
    for terms in (["집"], ["커피"], ["부산", "새말"]):
        assert scores(await one.lexical(user, terms, 99)) == scores(await one.lexical(fresh, terms, 99)), "it is counted as if it had been written so"


def replaced(memories: list[Memory], who: str) -> list[Memory]:
    return [replace(one, user_id=who) for one in memories]


def scores(hits: object) -> dict[str, float]:
    return {hit.id: round(hit.score, 9) for hit in hits}  # type: ignore[attr-defined]


# As if it had been written so


def drawn(n: int, who: str, chance: random.Random) -> Memory:
    """Some share most of what they are found by, some nothing."""
    some = [fact("user", chance.choice(["like", "plan"]), key=f"k{chance.randrange(3)}") for _ in range(chance.randrange(3))]
    terms = ("늘", *(f"말{chance.randrange(9)}" for _ in range(chance.randrange(4)))) if chance.random() < 0.8 else ()
    return memory(f"m{n}", who, (n * 37) % 50, emotion=feels(("joy", 0.5)), facts=tuple(some), terms=terms, derived=1)


async def test_what_was_derived_anew_is_found_as_if_it_had_been_written_so(record: Record, user: str) -> None:
    chance, fresh, many = random.Random(5), someone(), 150
    old = [drawn(n, user, chance) for n in range(many)]
    read = [replace(drawn(n, user, chance), derived=2) for n in range(many)]
    for start in range(0, many, 50):
        await record.commit(imported(f"w{start}", user, old[start : start + 50], RECEIVED + start))
        await record.commit(imported(f"w{start}", fresh, replaced(read, fresh)[start : start + 50], RECEIVED + start))
    order = list(range(many))
    chance.shuffle(order)
    for start in range(0, many, 30):
        await surely(lambda some=order[start : start + 30]: record.rederive(user, [read[n] for n in some]))
    for until in (None, old[8].timestamp):
        for slot in [(None, "like"), ("user", "like"), ("user", "plan")]:
            assert await record.slots(user, [slot], 200, until) == await record.slots(fresh, [slot], 200, until)
        for terms in (["늘"], ["말1"], ["말2", "말3", "늘"]):
            assert scores(await record.lexical(user, terms, 200, until)) == scores(await record.lexical(fresh, terms, 200, until))
        keys = ["k0", "k1", "k2"]
        assert await record.holders(user, keys, until) == await record.holders(fresh, keys, until)
        assert await record.feeling(user, "joy", 0.5, 200, until) == await record.feeling(fresh, "joy", 0.5, 200, until)
    assert replaced((await record.page(user, 200, None))[0], fresh) == (await record.page(fresh, 200, None))[0]


# The index by meaning


async def test_what_has_other_facts_or_terms_waits_for_its_vector_again(own_record: Record, user: str) -> None:
    await own_record.plan_index(IndexPlan("conformance"), IndexPlan())
    said = [memory(f"m{n}", user, facts=(LIKES,), derived=1) for n in range(4)]
    await own_record.commit(imported("w", user, said))
    assert len(await own_record.unindexed.claim(10, 60)) == 4
    await own_record.unindexed.done(user, ["m0", "m1"])
    await own_record.unindexed.bury(user, ["m3"], "hopeless")
    assert await own_record.rederive(user, [replace(said[0], derived=2), *[newer(one) for one in said[1:]]]) == 3
    assert await own_record.unindexed.backlog() == Backlog(3, 0)
    found = {entry.id: entry.payload for entry in await own_record.unindexed.claim(10, 60)}
    assert {id: (one.memory, one.received) for id, one in found.items()} == {id: (newer(said[n]), RECEIVED) for n, id in ((1, "m1"), (3, "m3"))}
    await own_record.unindexed.done(user, ["m1", "m2", "m3"])
    (again,) = await own_record.unindexed.claim(10, 60)
    assert (again.id, again.payload.memory) == ("m2", newer(said[2])), "it was held while it changed"
