"""What the outbox does in Redis alone; what every outbox does is in the conformance suite."""

from __future__ import annotations

import asyncio

import pytest

from lira_core.stores.ports import Backlog, Erasure, Forgotten, StoreRejected, Write
from lira_core.stores.redis import keys, lanes, outbox_lua
from lira_core.stores.redis.deferred import RedisDeferred
from lira_core.stores.redis.lanes import State

from ..conformance.making import RECEIVED, event, eventually, ids, memory, reply, someone, utterance
from .conftest import Open, Start

# A deletion takes the place of what it deletes


async def test_an_erasure_takes_the_place_of_the_write_that_it_forbids(start: Start, opened: Open, user: str) -> None:
    _, deferred = await opened(start().url)
    await deferred.put(utterance("m", user))
    await deferred.put(Erasure(user, "m", RECEIVED))
    with pytest.raises(Forgotten):
        await deferred.put(utterance("m", user))
    assert await deferred.backlog() == Backlog(1, 0)
    (entry,) = await deferred.claim(5, 60)
    assert (entry.payload, entry.attempts) == (Erasure(user, "m", RECEIVED), 1)


async def test_whoever_holds_an_entry_does_not_end_the_erasure_that_came_in_its_place(start: Start, opened: Open, user: str) -> None:
    _, deferred = await opened(start().url)
    await deferred.put(Erasure(user, None, 5))
    assert ids(await deferred.claim(5, 60)) == ["*"]
    await deferred.put(Erasure(user, None, 9))
    await deferred.put(Erasure(user, None, 7))
    assert await deferred.claim(5, 60) == [], "nobody works on it twice at once"
    await deferred.done(user, ["*"])
    (entry,) = await deferred.claim(5, 60)
    assert (entry.payload, entry.attempts) == (Erasure(user, None, 9), 1)
    await deferred.done(user, ["*"])
    assert await deferred.backlog() == Backlog(0, 0)


async def test_the_same_retry_made_twice_takes_one_attempt_off(start: Start, opened: Open, user: str) -> None:
    _, deferred = await opened(start().url)
    await deferred.put(utterance("m", user))
    for blame in (True, False):
        await deferred.claim(5, 60)
        await deferred.retry(user, ["m"], "away", after=0, blame=blame)
        await deferred.retry(user, ["m"], "away", after=0, blame=blame)
    (entry,) = await deferred.claim(5, 60)
    assert entry.attempts == 2


async def test_asking_again_for_a_memory_that_waited_answers_as_the_first_time(start: Start, opened: Open, user: str) -> None:
    _, deferred = await opened(start().url)
    await deferred.put(utterance("m", user))
    assert [await deferred.forget(user, "m") for _ in range(2)] == [True, True]
    assert [await deferred.forget(user, "k") for _ in range(2)] == [False, False]


async def test_a_write_that_holds_something_of_another_user_is_rejected(start: Start, opened: Open, user: str) -> None:
    _, deferred = await opened(start().url)
    for write in (
        Write("w", user, RECEIVED, event("w", someone())),
        Write("w", user, RECEIVED, event("w", user), (memory("w", user), memory("k", someone()))),
    ):
        with pytest.raises(StoreRejected, match="another user"):
            await deferred.put(write)
    assert await deferred.backlog() == Backlog(0, 0)


async def test_what_a_deletion_left_half_done_forbids_is_given_to_nobody(start: Start, opened: Open, user: str) -> None:
    server = start()
    _, deferred = await opened(server.url)
    await deferred.put(utterance("m", user))
    await deferred.put(Write("r", user, RECEIVED, reply("r", user, "t", "m")))
    await deferred.put(utterance("early", user, RECEIVED - 9))
    await deferred.put(utterance("k", user))
    # A deletion that ends after its first step, as when its process is killed.
    await deferred._server.run(outbox_lua.ENTOMB, keys.box(user), ["m", 60_000])
    await deferred._server.run(outbox_lua.CUT, keys.box(user), [RECEIVED - 1, 60_000])
    assert ids(await deferred.claim(5, 60)) == ["k"]
    assert await deferred.backlog() == Backlog(1, 0)
    assert not any("m라고" in held for held in server.dump().values())


async def test_more_than_one_script_goes_over_is_deleted_and_revived_whole(start: Start, opened: Open, user: str) -> None:
    server = start()
    _, deferred = await opened(server.url)
    count = 1_100
    await asyncio.gather(*(deferred.put(Write(f"w{n}", user, RECEIVED + n % 2, memories=(memory("m", user),))) for n in range(count)))
    assert await deferred.backlog() == Backlog(count, 0)
    await deferred.bury(user, [f"w{n}" for n in range(count)], "hopeless")
    assert await deferred.revive() == count
    await deferred.delete_user(user, RECEIVED)
    assert await deferred.backlog() == Backlog(count // 2, 0)
    assert await deferred.forget(user, "m")
    assert await deferred.backlog() == Backlog(0, 0)
    assert not any("m라고" in held for held in server.dump().values())


# Boxes and lanes


async def put_in_the_box_alone(deferred: RedisDeferred, write: Write) -> None:
    """As a process that is killed between a box and its lane."""
    await deferred._lanes.look(write.user_id)
    tell, deferred._lanes.tell = deferred._lanes.tell, _nothing  # type: ignore[method-assign, assignment]
    try:
        await deferred.put(write)
    finally:
        deferred._lanes.tell = tell  # type: ignore[method-assign]


async def _nothing(user_id: str, state: State, *, served: bool = False) -> None:
    return None


async def test_what_a_process_put_that_was_killed_before_it_said_so_is_found(
    start: Start, opened: Open, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "LOOK_SECONDS", 0.2)
    _, deferred = await opened(start().url)
    await put_in_the_box_alone(deferred, utterance("m", user))
    found: list[str] = []

    async def claimed() -> bool:
        found.extend(ids(await deferred.claim(5, 60)))
        return bool(found)

    await eventually(claimed)
    assert found == ["m"]
    assert await deferred.backlog() == Backlog(1, 0)


async def test_a_state_that_comes_late_does_not_hide_a_newer_one(start: Start, opened: Open, user: str) -> None:
    server = start()
    _, deferred = await opened(server.url)
    with server.client() as client:
        seconds, micros = client.time()
    before = seconds * 1_000_000 + micros
    await deferred.put(utterance("m", user))
    await deferred._lanes.tell(user, State(before, 0, 0, -1))
    assert await deferred.backlog() == Backlog(1, 0)
    assert ids(await deferred.claim(5, 60)) == ["m"]


async def test_a_clock_that_was_set_back_hides_nothing_for_long(start: Start, opened: Open, user: str) -> None:
    server = start()
    _, deferred = await opened(server.url)
    with server.client() as client:
        seconds, _ = client.time()
    await deferred._lanes.tell(user, State((seconds + 3_600) * 1_000_000, 0, 0, -1))
    await deferred.put(utterance("m", user))
    assert ids(await deferred.claim(5, 60)) == ["m"]


async def test_a_user_with_nothing_left_is_named_nowhere(start: Start, opened: Open, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "EMPTIED_SECONDS", 0.1)
    server = start()
    _, deferred = await opened(server.url)
    await deferred.put(utterance("m", user))
    await deferred.claim(5, 60)
    await deferred.done(user, ["m"])
    await asyncio.sleep(0.2)
    await deferred.claim(5, 60)
    assert not any(user in key or user in held for key, held in server.dump().items())


async def test_users_who_keep_coming_do_not_keep_one_waiting_for_ever(start: Start, opened: Open, user: str) -> None:
    _, deferred = await opened(start().url)
    await deferred.put(utterance("m", user))
    for _ in range(12):
        who = "0" + someone()  # earlier in every alphabet
        await deferred.put(utterance("m", who))
        (entry,) = await deferred.claim(1, 60)
        if entry.user_id == user:
            return
        await deferred.done(entry.user_id, [entry.id])
    raise AssertionError("whoever came first was passed over twelve times")
