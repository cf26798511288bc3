from __future__ import annotations

import asyncio
import pickle
from collections import Counter
from contextlib import AsyncExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core import admission
from lira_core.admission import Admission, Refused
from lira_core.observe import Unobserved


class Counted(Unobserved):
    def __init__(self) -> None:
        self.refused = Counter[str]()

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        assert name == "lira_refused_total"
        self.refused[tags["reason"]] += 1


def gate(running: int = 1, waiting: int = 100, of_one: int = 100, observer: Counted | None = None) -> Admission:
    return Admission(running, waiting, of_one, 0.02, observer or Counted())


class Crowd:
    """Turns that run until they are told to end, one by one, and the order in which they began."""

    def __init__(self, admitting: Admission) -> None:
        self.began: list[str] = []
        self._admitting = admitting
        self._end = asyncio.Semaphore(0)
        self.tasks: list[asyncio.Task[None]] = []

    async def arrive(self, *users: str) -> None:
        for user in users:
            self.tasks.append(asyncio.create_task(self._turn(user)))
            await asyncio.sleep(0)

    async def _turn(self, user: str) -> None:
        async with self._admitting.turn(user):
            self.began.append(user)
            await self._end.acquire()

    async def end(self, turns: int) -> None:
        for _ in range(turns):
            self._end.release()
            for _ in range(4):
                await asyncio.sleep(0)

    async def refused(self) -> list[bool]:
        ended = await asyncio.gather(*self.tasks, return_exceptions=True)
        assert all(one is None or isinstance(one, Refused) for one in ended), ended
        return [isinstance(one, Refused) for one in ended]


async def test_no_more_turns_run_at_once_than_may() -> None:
    crowd = Crowd(gate(running=3))
    await crowd.arrive(*"aabbccdd")
    assert len(crowd.began) == 3
    await crowd.end(1)
    assert len(crowd.began) == 4
    await crowd.end(7)
    assert await crowd.refused() == [False] * 8


async def test_users_who_wait_take_turns_each_in_the_order_of_arrival() -> None:
    crowd = Crowd(gate())
    await crowd.arrive("a", "a", "a", "a", "b", "b", "c")
    await crowd.end(7)
    assert crowd.began == ["a", "a", "b", "c", "a", "b", "a"]


async def test_more_turns_of_one_user_than_may_are_refused_and_another_user_is_not() -> None:
    observer = Counted()
    crowd = Crowd(gate(of_one=2, observer=observer))
    await crowd.arrive("a", "a", "a", "b")
    await crowd.end(3)
    assert await crowd.refused() == [False, False, True, False]
    assert observer.refused == {"user": 1}


async def test_when_no_place_is_left_who_sends_least_takes_that_of_who_sends_most() -> None:
    observer = Counted()
    crowd = Crowd(gate(waiting=3, observer=observer))
    await crowd.arrive("a", "a", "a", "a", "a", "b", "b")
    await crowd.end(4)
    assert await crowd.refused() == [False, False, False, True, True, False, True]
    assert crowd.began == ["a", "a", "b", "a"]
    assert observer.refused == {"queue": 3}


async def test_a_burst_is_served_late_and_a_queue_that_stands_is_joined_only_by_who_would_be_served_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "STANDS_S", 0.05)
    crowd = Crowd(gate())
    await crowd.arrive(*(f"user-{n}" for n in range(30)))
    await asyncio.sleep(0.1)
    await crowd.end(5)
    await crowd.arrive("late")
    await crowd.end(24)
    await crowd.arrive("early")
    await crowd.end(5)
    assert await crowd.refused() == [False] * 30 + [True, False]


async def test_who_waits_for_their_own_turns_alone_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "STANDS_S", 0.0)
    crowd = Crowd(gate())
    await crowd.arrive(*"a" * 30)
    await asyncio.sleep(0.1)
    await crowd.end(5)
    await crowd.arrive("a")
    await crowd.end(30)
    assert await crowd.refused() == [False] * 31


async def test_a_queue_that_has_emptied_is_a_new_one() -> None:
    crowd = Crowd(gate(waiting=2))
    for _ in range(3):
        await crowd.arrive("a", "b", "c")
        await crowd.end(3)
    assert await crowd.refused() == [False] * 9


@pytest.mark.parametrize("calm", [False, True])
async def test_a_queue_that_empties_for_a_moment_stands_still_and_after_a_calm_a_burst_is_one_again(
    monkeypatch: pytest.MonkeyPatch, calm: bool
) -> None:
    monkeypatch.setattr(admission, "STANDS_S", 0.05)
    monkeypatch.setattr(admission, "CALM_S", 0.05 if calm else 60.0)
    crowd = Crowd(gate())
    await crowd.arrive("a", "b", "c")
    await asyncio.sleep(0.1)
    await crowd.end(3)
    await asyncio.sleep(0.1)
    await crowd.arrive(*(f"user-{n}" for n in range(30)))
    await crowd.end(30)
    refused = await crowd.refused()
    assert any(refused) is not calm
    assert not any(refused[:4])


async def test_who_leaves_while_waiting_or_while_running_leaves_the_place_to_the_next() -> None:
    admitting = gate()
    crowd = Crowd(admitting)
    await crowd.arrive("a", "b", "c")
    crowd.tasks[1].cancel()
    crowd.tasks[0].cancel()
    await asyncio.wait(crowd.tasks, timeout=0.01)
    assert crowd.began == ["a", "c"]
    await crowd.end(1)
    async with admitting.turn("d"):
        pass


async def test_who_is_admitted_and_cancelled_in_the_same_moment_gives_the_place_back() -> None:
    admitting = gate()
    async with AsyncExitStack() as running:
        await running.enter_async_context(admitting.turn("a"))
        waiting = asyncio.create_task(Crowd(admitting)._turn("b"))
        await asyncio.sleep(0)
        await running.aclose()
        waiting.cancel()
        await asyncio.wait({waiting})
    async with asyncio.timeout(1), admitting.turn("c"):
        pass


def test_a_refusal_reaches_another_process_as_it_is() -> None:
    assert pickle.loads(pickle.dumps(Refused("user"))).reason == "user"


@given(
    running=st.integers(1, 4),
    waiting=st.integers(0, 5),
    of_one=st.integers(1, 6),
    steps=st.lists(st.one_of(st.sampled_from("abc"), st.just("end"), st.integers(0, 40)), max_size=60),
)
async def test_whoever_comes_and_goes_in_whatever_order_the_bounds_hold_and_nobody_waits_for_ever(
    running: int, waiting: int, of_one: int, steps: list[str | int]
) -> None:
    crowd = Crowd(gate(running, waiting, of_one))
    for step in steps:
        if step == "end":
            await crowd.end(1)
        elif isinstance(step, int):
            if step < len(crowd.tasks):
                crowd.tasks[step].cancel()
            await asyncio.sleep(0)
        else:
            await crowd.arrive(step)
        for _ in range(4):
            await asyncio.sleep(0)
        assert sum(not one.done() for one in crowd.tasks) <= running + waiting
    await crowd.end(len(steps))
    async with asyncio.timeout(5):
        ended = await asyncio.gather(*crowd.tasks, return_exceptions=True)
    assert all(one is None or isinstance(one, Refused | asyncio.CancelledError) for one in ended), ended
    left = crowd._admitting
    assert (left._of, dict(left._queues), left._running, left._waiting) == ({}, {}, 0, 0)
