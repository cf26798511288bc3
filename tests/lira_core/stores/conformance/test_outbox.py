"""`Outbox`, as the three that there are keep it: what waits for the record, for its other half of a deletion, for its vector."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from lira_core.stores.ports import Backlog, DeadLetter, Entry, Erasure, IndexPlan, Outbox, Record, Unindexed, Write
from lira_core.types import Memory

from .engines import Opener, Server, engines
from .making import RECEIVED, event, imported, memory, options, someone
from .places import Poisonable

ROLES = {"deferred": "short_term", "erasures": "record", "unindexed": "record"}


@dataclass(frozen=True)
class Box:
    """An outbox, how to put entries into it that are due at once (one after the other, or as it is quickest), and what their payloads are."""

    outbox: Outbox[Any]
    in_turn: Callable[[str, Sequence[str]], Awaitable[None]]
    fill: Callable[[str, Sequence[str]], Awaitable[Any]]
    payload: Callable[[str, str], object]
    place: Poisonable
    many: int


def waiting(id: str, user: str) -> Memory:
    return memory(id, user, text=f"{id}의 표식MARK이 있는 말", terms=())


async def deferred_box(opener: Opener) -> Box:
    _, deferred = await opener()

    def item(id: str, user: str) -> Write:
        return Write(id, user, RECEIVED, event(id, user), (waiting(id, user),))

    async def in_turn(user: str, ids: Sequence[str]) -> None:
        for id in ids:
            await deferred.put(item(id, user))

    return Box(
        deferred,
        in_turn,
        lambda user, ids: asyncio.gather(*[deferred.put(item(id, user)) for id in ids]),
        lambda user, id: item(id, user),
        opener.place,
        1_000,
    )


async def erasures_box(opener: Opener) -> Box:
    record: Record = await opener()

    async def fill(user: str, ids: Sequence[str]) -> None:
        await record.commit(imported(f"import of {ids[0]}", user, [memory(id, user) for id in ids]))
        for n, id in enumerate(ids):
            assert await record.erase(Erasure(user, id, RECEIVED + n))
        order[user] = list(ids)
        # They are due when the sweep is, seconds from now; whoever retries one says when instead.
        await record.erasures.retry(user, ids, "hurried", after=0, blame=True)

    order: dict[str, list[str]] = {}
    return Box(record.erasures, fill, fill, lambda user, id: Erasure(user, id, RECEIVED + order[user].index(id)), opener.place, 30)


async def unindexed_box(opener: Opener) -> Box:
    record: Record = await opener()
    assert await record.plan_index(IndexPlan(serving="conformance"), IndexPlan())

    async def in_turn(user: str, ids: Sequence[str]) -> None:
        for id in ids:
            await fill(user, [id])

    async def fill(user: str, ids: Sequence[str]) -> None:
        await record.commit(imported(f"import of {ids[0]}", user, [waiting(id, user) for id in ids]))

    return Box(record.unindexed, in_turn, fill, lambda user, id: Unindexed(waiting(id, user), RECEIVED), opener.place, 1_000)


BOXES = {"deferred": deferred_box, "erasures": erasures_box, "unindexed": unindexed_box}
EVERY = [(engine, box) for box, role in ROLES.items() for engine in engines(role)]


@pytest.fixture
async def box(request: pytest.FixtureRequest, running: Callable[[str], Server]) -> AsyncIterator[Box]:
    engine, name = request.param
    opener = Opener(ROLES[name], running(engine).place(), options)
    yield await BOXES[name](opener)
    await opener.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "box" in metafunc.fixturenames:
        # An erasure is a user, an id and a number: there is no text in it that could be spoilt.
        boxes = [(engine, name) for engine, name in EVERY if "payload_that_cannot_be_read" not in metafunc.function.__name__ or name != "erasures"]
        metafunc.parametrize("box", boxes, ids=[f"{name}-{engine}" for engine, name in boxes], indirect=True)


def named(entries: Sequence[Entry[Any]]) -> list[tuple[str, str]]:
    return [(entry.user_id, entry.id) for entry in entries]


def numbered(count: int) -> list[str]:
    return [f"m{n:04}" for n in range(count)]


# Claiming


async def test_what_was_put_in_comes_out_whole_at_the_first_attempt(box: Box, user: str) -> None:
    await box.fill(user, ["m"])
    (entry,) = await box.outbox.claim(10, 60)
    assert (entry.user_id, entry.id, entry.attempts) == (user, "m", 1)
    assert entry.payload == box.payload(user, "m")


async def test_an_empty_outbox_gives_nothing(box: Box) -> None:
    assert await box.outbox.claim(10, 60) == []
    assert await box.outbox.backlog() == Backlog(0, 0)
    assert await box.outbox.dead(10) == []
    assert await box.outbox.revive() == 0


async def test_of_one_user_the_oldest_come_first_and_no_more_than_asked(box: Box, user: str) -> None:
    await box.in_turn(user, numbered(7))
    assert named(await box.outbox.claim(3, 60)) == [(user, id) for id in numbered(7)[:3]]
    assert named(await box.outbox.claim(3, 60)) == [(user, id) for id in numbered(7)[3:6]]
    assert named(await box.outbox.claim(3, 60)) == [(user, "m0006")]


async def test_nobody_else_gets_what_is_leased_and_anybody_may_when_the_lease_has_ended(box: Box, user: str) -> None:
    await box.in_turn(user, numbered(2))
    assert named(await box.outbox.claim(1, 60)) == [(user, "m0000")]
    assert named(await box.outbox.claim(1, 0.05)) == [(user, "m0001")]
    await asyncio.sleep(0.2)
    (entry,) = await box.outbox.claim(10, 60)
    assert (entry.id, entry.attempts) == ("m0001", 2)
    assert await box.outbox.claim(10, 60) == []


async def test_many_who_claim_at_once_never_get_the_same(box: Box) -> None:
    users = [someone() for _ in range(3)]
    for who in users:
        await box.fill(who, numbered(8))
    claimed: list[tuple[str, str]] = []
    for _ in range(2):
        answers = await asyncio.gather(*[box.outbox.claim(5, 60) for _ in range(8)])
        assert all(len(answer) <= 5 for answer in answers)
        claimed += [name for answer in answers for name in named(answer)]
    assert len(claimed) == len(set(claimed))
    while alone := named(await box.outbox.claim(5, 60)):
        claimed += alone
    assert sorted(claimed) == sorted((who, id) for who in users for id in numbered(8))


async def test_a_user_with_much_waiting_does_not_hold_up_those_with_little(box: Box) -> None:
    heavy, light = someone(), [someone() for _ in range(20)]
    await box.fill(heavy, numbered(box.many))
    await asyncio.gather(*[box.fill(who, ["m"]) for who in light])
    served: Counter[str] = Counter()
    for _ in range(math.ceil(21 / 5)):
        claimed = named(await box.outbox.claim(5, 60))
        share = math.ceil(5 / (21 - sum(who in served for who in light)))
        assert Counter(who for who, _ in claimed)[heavy] <= share
        served.update(who for who, _ in claimed)
    assert set(served) == {heavy, *light}


async def test_users_who_have_much_due_get_equal_shares(box: Box) -> None:
    users = [someone() for _ in range(3)]
    for who in users:
        await box.fill(who, numbered(9))
    for _ in range(3):
        assert sorted(Counter(who for who, _ in named(await box.outbox.claim(6, 60))).values()) == [2, 2, 2]
    assert max(Counter(who for who, _ in named(await box.outbox.claim(7, 60))).values()) <= 3


async def test_a_user_who_was_just_served_comes_last_in_the_next_call(box: Box) -> None:
    users = [someone() for _ in range(4)]
    for who in users:
        await box.fill(who, numbered(3))
    first = [who for who, _ in named(await box.outbox.claim(2, 60))]
    second = [who for who, _ in named(await box.outbox.claim(2, 60))]
    assert sorted(first + second) == sorted(users)
    assert sorted([who for who, _ in named(await box.outbox.claim(4, 60))]) == sorted(users)


async def test_one_user_alone_gets_all_that_is_asked(box: Box, user: str) -> None:
    await box.in_turn(user, numbered(12))
    assert named(await box.outbox.claim(10, 60)) == [(user, id) for id in numbered(10)]


# Finishing, trying again


async def test_what_is_done_does_not_come_back(box: Box, user: str) -> None:
    await box.fill(user, numbered(3))
    await box.outbox.claim(2, 0.05)
    await box.outbox.done(user, ["m0000", "no such entry", "m0002"])
    assert await box.outbox.backlog() == Backlog(1, 0)
    await asyncio.sleep(0.2)
    assert named(await box.outbox.claim(10, 60)) == [(user, "m0001")]
    await box.outbox.done(user, ["m0001"])
    await box.outbox.done(user, ["m0001"])
    await box.outbox.done(user, [])
    assert await box.outbox.backlog() == Backlog(0, 0)


async def test_the_same_id_of_two_users_is_two_entries(box: Box, user: str) -> None:
    users = [user, f"{user}x", f"{user}:m", f"{user}."]
    for who in users:
        await box.fill(who, ["m", "m:m"])
    await box.outbox.done(user, ["m"])
    await box.outbox.bury(users[1], ["m"], "of one")
    assert await box.outbox.backlog() == Backlog(6, 1)
    claimed = named(await box.outbox.claim(100, 60)) + named(await box.outbox.claim(100, 60))
    assert sorted(claimed) == sorted({(who, id) for who in users for id in ("m", "m:m")} - {(user, "m"), (users[1], "m")})


async def test_what_is_tried_again_is_due_when_said_and_not_before(box: Box, user: str) -> None:
    await box.fill(user, numbered(3))
    await box.outbox.claim(10, 60)
    await box.outbox.retry(user, ["m0000"], "later", after=60, blame=True)
    await box.outbox.retry(user, ["m0001"], "soon", after=0.05, blame=True)
    await box.outbox.retry(user, ["m0002"], "at once", after=0, blame=True)
    await asyncio.sleep(0.2)
    assert sorted(named(await box.outbox.claim(10, 60))) == [(user, "m0001"), (user, "m0002")]


async def test_an_attempt_counts_unless_a_store_was_away(box: Box, user: str) -> None:
    await box.fill(user, ["m"])
    seen = []
    for blame in (True, False, False, True, True):
        (entry,) = await box.outbox.claim(1, 60)
        seen.append(entry.attempts)
        await box.outbox.retry(user, ["m"], "reason", after=0, blame=blame)
    (entry,) = await box.outbox.claim(1, 60)
    assert [*seen, entry.attempts] == [1, 2, 2, 2, 3, 4]


async def test_trying_again_passes_over_what_is_done_or_dead(box: Box, user: str) -> None:
    await box.fill(user, numbered(3))
    await box.outbox.claim(10, 60)
    await box.outbox.done(user, ["m0000"])
    await box.outbox.bury(user, ["m0001"], "hopeless")
    await box.outbox.retry(user, [*numbered(3), "no such entry"], "again", after=0, blame=True)
    assert named(await box.outbox.claim(10, 60)) == [(user, "m0002")]
    assert await box.outbox.backlog() == Backlog(1, 1)
    assert [letter.reason for letter in await box.outbox.dead(10)] == ["hopeless"]


# Giving up


async def test_what_is_buried_is_never_claimed_and_says_whose_and_which_and_why(box: Box, user: str) -> None:
    await box.fill(user, numbered(2))
    await box.outbox.claim(10, 0.05)
    await box.outbox.bury(user, ["m0000"], '읽을 수 없는 "벡터"\n☕')
    await asyncio.sleep(0.2)
    assert named(await box.outbox.claim(10, 60)) == [(user, "m0001")]
    assert await box.outbox.backlog() == Backlog(1, 1)
    assert await box.outbox.dead(10) == [DeadLetter(user, "m0000", 1, '읽을 수 없는 "벡터"\n☕')]


async def test_burying_what_is_not_there_buries_nothing(box: Box, user: str) -> None:
    await box.fill(user, ["m"])
    await box.outbox.claim(1, 60)
    await box.outbox.done(user, ["m"])
    await box.outbox.bury(user, ["m", "never there"], "too late")
    assert await box.outbox.backlog() == Backlog(0, 0)
    assert await box.outbox.dead(10) == []


async def test_the_oldest_dead_letters_are_given_first(box: Box, user: str) -> None:
    await box.fill(user, numbered(4))
    await box.outbox.claim(10, 60)
    for id in numbered(4):
        await box.outbox.bury(user, [id], "hopeless")
        await asyncio.sleep(0.01)
    assert [letter.id for letter in await box.outbox.dead(3)] == numbered(3)
    assert [letter.id for letter in await box.outbox.dead(100)] == numbered(4)


async def test_what_is_revived_is_due_with_no_attempts_on_its_account(box: Box, user: str) -> None:
    other = someone()
    await box.fill(user, numbered(3))
    await box.fill(other, ["m"])
    await box.outbox.claim(10, 60)
    await box.outbox.retry(user, ["m0000"], "again", after=0, blame=True)
    (entry,) = await box.outbox.claim(10, 60)
    assert entry.attempts == 2
    await box.outbox.bury(user, ["m0000", "m0001"], "hopeless")
    await box.outbox.bury(other, ["m"], "hopeless")
    assert await box.outbox.revive() == 3
    assert await box.outbox.backlog() == Backlog(4, 0)
    assert await box.outbox.dead(10) == []
    revived = [*await box.outbox.claim(10, 60), *await box.outbox.claim(10, 60)]
    assert sorted((entry.user_id, entry.id, entry.attempts) for entry in revived) == sorted([(user, "m0000", 1), (user, "m0001", 1), (other, "m", 1)])
    assert {(entry.user_id, entry.id): entry.payload for entry in revived}[(other, "m")] == box.payload(other, "m")


async def test_what_is_claimed_still_counts_as_waiting(box: Box, user: str) -> None:
    await box.fill(user, numbered(5))
    await box.outbox.claim(3, 60)
    assert await box.outbox.backlog() == Backlog(5, 0)
    await box.outbox.bury(user, ["m0000", "m0004"], "hopeless")
    assert await box.outbox.backlog() == Backlog(3, 2)


async def test_a_payload_that_cannot_be_read_becomes_dead_and_does_not_stop_the_others(box: Box, user: str) -> None:
    other = someone()
    await box.fill(user, ["m0", "m2"])
    assert box.place.poison("MARK") > 0
    await box.fill(user, ["m3"])
    await box.fill(other, ["m4"])
    claimed: list[tuple[str, str]] = []
    for _ in range(6):
        claimed += named(await box.outbox.claim(4, 60))
    assert sorted(claimed) == sorted([(user, "m3"), (other, "m4")])
    dead = await box.outbox.dead(10)
    assert sorted((letter.user_id, letter.id) for letter in dead) == [(user, "m0"), (user, "m2")]
    assert all(letter.reason and "MARK" not in letter.reason for letter in dead)


async def test_a_cancelled_claim_leaves_the_outbox_usable(box: Box, user: str) -> None:
    await box.fill(user, numbered(5))
    for wait in (0.0, 0.0005, 0.003):
        calls = [asyncio.create_task(box.outbox.claim(1, 0.05)) for _ in range(5)]
        await asyncio.sleep(wait)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    await asyncio.sleep(0.2)
    assert sorted(named(await box.outbox.claim(10, 60))) == [(user, id) for id in numbered(5)]
