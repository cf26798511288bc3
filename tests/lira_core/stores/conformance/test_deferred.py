"""`Deferred`: what waits because the record was away, and what a deletion takes of it. How it is claimed: test_outbox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings

from lira_core.stores.ports import Backlog, Deferred, Erasure, Forgotten, Write

from . import strategies
from .engines import Opener
from .making import MIXED, RECEIVED, event, ids, imported, memory, reply, rich, someone, utterance, vanished

# Putting


async def test_writes_and_erasures_come_out_exactly_as_they_were_put_in(deferred: Deferred, user: str) -> None:
    items: list[Write | Erasure] = [
        Write("w1", user, RECEIVED, event("w1", user, text=MIXED, quotes=("a", "b:c"), session_id="s:1.2"), (rich("w1", user), memory("m", user))),
        Write("w2", user, RECEIVED, reply("w2", user, "w1", "m", timestamp=rich("x", user).timestamp)),
        imported("w3", user, [rich("m2", user, minutes=7)], RECEIVED + 1),
        Erasure(user, "gone:1.2", RECEIVED + 2),
        Erasure(user, None, 0),
    ]
    for item in items:
        await deferred.put(item)
    entries = await deferred.claim(10, 60)
    assert [(entry.user_id, entry.id) for entry in entries] == [(user, id) for id in ("w1", "w2", "w3", "gone:1.2", "*")]
    assert [entry.payload for entry in entries] == items
    back = entries[0].payload
    assert isinstance(back, Write)
    assert back.memories[0].timestamp.isoformat() == rich("w1", user).timestamp.isoformat()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strategies.writes | strategies.erasures)
async def test_any_write_and_erasure_comes_out_exactly(deferred: Deferred, drawn: Write | Erasure) -> None:
    await deferred.put(drawn)
    (entry,) = await deferred.claim(10, 60)
    assert (entry.id, entry.payload) == (drawn.id, drawn)
    await deferred.done(entry.user_id, [entry.id])


async def test_a_later_deletion_of_a_user_takes_the_place_of_the_one_that_waits(deferred: Deferred, user: str) -> None:
    for cut in (RECEIVED, RECEIVED + 5, RECEIVED + 3):
        await deferred.put(Erasure(user, None, cut))
    assert await deferred.backlog() == Backlog(1, 0)
    (entry,) = await deferred.claim(10, 60)
    assert entry.payload == Erasure(user, None, RECEIVED + 5)


async def test_the_same_item_put_at_once_and_again_waits_once(deferred: Deferred, user: str) -> None:
    write = utterance("w", user)
    await asyncio.gather(*[deferred.put(write) for _ in range(32)])
    await deferred.put(utterance("w", user, text="다른 말"))
    assert await deferred.backlog() == Backlog(1, 0)
    (entry,) = await deferred.claim(10, 60)
    assert entry.payload == write
    await deferred.put(write)
    assert await deferred.claim(10, 60) == [], "putting it again ends no lease"
    await deferred.bury(user, ["w"], "hopeless")
    await deferred.put(write)
    assert await deferred.backlog() == Backlog(0, 1)


async def test_what_waits_is_there_when_the_store_is_opened_again(open_own_short_term: Opener, user: str) -> None:
    _, deferred = await open_own_short_term()
    await deferred.put(utterance("w", user))
    await open_own_short_term.close()
    _, deferred = await open_own_short_term()
    (entry,) = await deferred.claim(10, 60)
    assert entry.payload == utterance("w", user)


async def test_two_replicas_share_what_waits(open_own_short_term: Opener) -> None:
    (_, one), (_, other) = await open_own_short_term(apart=True), await open_own_short_term(apart=True)
    users = [someone() for _ in range(4)]
    for n, who in enumerate(users * 5):
        await (one, other)[n % 2].put(utterance(f"w{n}", who))
    claimed: list[str] = []
    for _ in range(5):
        answers = await asyncio.gather(*[replica.claim(4, 60) for replica in (one, other) * 2])
        claimed += [entry.id for answer in answers for entry in answer]
    assert sorted(claimed) == sorted(f"w{n}" for n in range(20))


# Forgetting a memory


CARRYING: dict[str, Callable[[str], Write]] = {
    "its own turn": lambda user: utterance("m", user),
    "an import": lambda user: imported("w", user, [memory("k", user), memory("m", user)]),
}
QUOTING: dict[str, Callable[[str], Write]] = {
    "a reply": lambda user: Write("t-reply", user, RECEIVED, reply("t-reply", user, "t", "k", "m")),
    "a reply that quotes it alone": lambda user: Write("t-reply", user, RECEIVED, reply("t-reply", user, "t", "m"), (memory("k", user),)),
}
OTHER: dict[str, Callable[[str], Write]] = {
    "of a longer id": lambda user: Write("mm", user, RECEIVED, event("mm", user, quotes=("am", "m:")), (memory("mm", user),)),
    "that only speaks of it": lambda user: imported("w", user, [memory("k", user, text="m", terms=("m",), metadata={"id": "m"})]),
}


@pytest.mark.parametrize("state", ["due", "claimed", "dead"])
@pytest.mark.parametrize("write", (CARRYING | QUOTING).values(), ids=CARRYING | QUOTING)
async def test_forgetting_takes_every_write_that_carries_or_quotes_the_memory(
    deferred: Deferred, user: str, write: Callable[[str], Write], state: str
) -> None:
    other = someone()
    for who in (user, other):
        await deferred.put(write(who))
    if state == "claimed":
        await deferred.claim(10, 0.05)
    if state == "dead":
        await deferred.bury(user, [write(user).id], "hopeless")
    carried = any(one.id == "m" for one in write(user).memories)
    assert await deferred.forget(user, "m") is carried
    if state == "claimed":
        await asyncio.sleep(0.2)
    assert await deferred.backlog() == Backlog(1, 0)
    assert [(entry.user_id, entry.payload) for entry in await deferred.claim(10, 60)] == [(other, write(other))]


@pytest.mark.parametrize("write", (CARRYING | QUOTING).values(), ids=CARRYING | QUOTING)
async def test_nothing_that_carries_or_quotes_a_forgotten_memory_comes_later(deferred: Deferred, user: str, write: Callable[[str], Write]) -> None:
    assert await deferred.forget(user, "m") is False
    with pytest.raises(Forgotten):
        await deferred.put(write(user))
    assert await deferred.claim(10, 60) == []
    other = someone()
    await deferred.put(write(other))
    assert [entry.user_id for entry in await deferred.claim(10, 60)] == [other]


async def test_with_the_turn_goes_its_reply(deferred: Deferred, user: str) -> None:
    await deferred.put(utterance("m", user))
    await deferred.put(Write("m-reply", user, RECEIVED, reply("m-reply", user, "m")))
    assert await deferred.forget(user, "m") is True
    assert await deferred.backlog() == Backlog(0, 0)
    with pytest.raises(Forgotten):
        await deferred.put(Write("m-reply", user, RECEIVED, reply("m-reply", user, "m")))


@pytest.mark.parametrize("write", OTHER.values(), ids=OTHER)
async def test_forgetting_leaves_what_only_looks_alike(deferred: Deferred, user: str, write: Callable[[str], Write]) -> None:
    await deferred.put(write(user))
    assert await deferred.forget(user, "m") is False
    assert [entry.payload for entry in await deferred.claim(10, 60)] == [write(user)]
    await deferred.done(user, [write(user).id])
    await deferred.put(write(user))


async def test_erasures_outlive_forgetting_and_deleting(deferred: Deferred, user: str) -> None:
    for erasure in (Erasure(user, "m", RECEIVED), Erasure(user, None, RECEIVED)):
        await deferred.put(erasure)
    assert await deferred.forget(user, "m") is False
    await deferred.delete_user(user, RECEIVED + 10)
    await deferred.put(Erasure(user, "k", RECEIVED + 1))
    assert ids(await deferred.claim(10, 60)) == ["m", "*", "k"]


# Deleting a user


@pytest.mark.parametrize("state", ["due", "claimed", "dead"])
async def test_deleting_a_user_takes_what_was_received_until_the_cut(deferred: Deferred, user: str, state: str) -> None:
    others = [f"{user}x", f"{user}:", user[:-1]]
    for who in [user, *others]:
        for n in (1, 2, 3):
            await deferred.put(utterance(f"m{n}", who, RECEIVED + n))
    if state == "claimed":
        for _ in range(4):
            await deferred.claim(100, 0.2)
    if state == "dead":
        await deferred.bury(user, ["m1", "m2", "m3"], "hopeless")
    await deferred.delete_user(user, RECEIVED + 2)
    if state == "dead":
        assert await deferred.backlog() == Backlog(9, 1)
        await deferred.revive()
    if state == "claimed":
        await asyncio.sleep(0.4)
    assert await deferred.backlog() == Backlog(10, 0)
    left = [(entry.user_id, entry.id) for _ in range(4) for entry in await deferred.claim(100, 60)]
    assert sorted(left) == sorted([(user, "m3"), *[(who, f"m{n}") for who in others for n in (1, 2, 3)]])


async def test_nothing_received_until_the_highest_cut_is_put_any_more(deferred: Deferred, user: str) -> None:
    for cut in (10, 5):
        await deferred.delete_user(user, RECEIVED + cut)
    for received in (-(10**12), 0, 7, 10):
        with pytest.raises(Forgotten):
            await deferred.put(utterance("m", user, RECEIVED + received))
    await deferred.put(utterance("m", user, RECEIVED + 11))
    (entry,) = await deferred.claim(10, 60)
    assert entry.payload == utterance("m", user, RECEIVED + 11)


async def test_a_deletion_is_remembered_longer_than_a_session_lasts(open_own_short_term: Opener, user: str) -> None:
    _, deferred = await open_own_short_term(session_ttl_seconds=0.2, answers_ttl_seconds=0.2)
    other = someone()
    await deferred.put(utterance("k", other, RECEIVED + 1))
    await deferred.forget(user, "m")
    await deferred.delete_user(other, RECEIVED)
    await asyncio.sleep(0.5)
    with pytest.raises(Forgotten):
        await deferred.put(utterance("m", user, RECEIVED + 10**9))
    with pytest.raises(Forgotten):
        await deferred.put(utterance("m", other, RECEIVED))
    assert ids(await deferred.claim(10, 60)) == ["k"], "what waits does not end with a session"


async def test_what_races_a_deletion_leaves_nothing(deferred: Deferred) -> None:
    for round in range(8):
        user = someone()
        deletion = deferred.delete_user(user, RECEIVED) if round % 2 else deferred.forget(user, "m")
        puts = [deferred.put(imported(f"w{n}", user, [memory("m", user)])) for n in range(8)]
        outcomes = await asyncio.gather(*puts[:round], deletion, *puts[round:], return_exceptions=True)
        assert all(outcome in (None, True, False) or isinstance(outcome, Forgotten) for outcome in outcomes)
        assert await deferred.backlog() == Backlog(0, 0)


async def test_what_is_deleted_is_in_no_raw_storage(open_own_short_term: Opener, user: str) -> None:
    _, deferred = await open_own_short_term()
    place = open_own_short_term.place
    for word, who in (("kakao", user), ("naver", other := someone())):
        for n in range(3):
            said = memory(f"mem{word}{n}", who, text=f"기억{word}{n}", terms=(word,))
            await deferred.put(Write(f"mem{word}{n}", who, RECEIVED, event(f"mem{word}{n}", who, text=f"발화{word}{n}"), (said,)))
        await deferred.claim(1, 60)
        await deferred.bury(who, [f"mem{word}1"], f"reason {word}")
    assert b"kakao" in place.raw()
    assert "기억naver1".encode() in place.raw()
    await deferred.delete_user(user, RECEIVED)
    await vanished(place, "kakao")
    for n in range(3):
        assert await deferred.forget(other, f"memnaver{n}")
    await vanished(place, "기억naver", "발화naver")


async def test_what_is_done_is_in_no_raw_storage(open_own_short_term: Opener, user: str) -> None:
    _, deferred = await open_own_short_term()
    await deferred.put(utterance("wkakao", user, text="기억kakao"))
    await deferred.claim(1, 60)
    await deferred.done(user, ["wkakao"])
    assert not any("kakao" in row for row in open_own_short_term.place.rows())


async def test_a_reachable_store_answers_a_ping(deferred: Deferred) -> None:
    await deferred.ping()
