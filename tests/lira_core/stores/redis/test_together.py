from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from lira_core.stores.redis.together import Together


async def test_what_is_asked_for_while_a_call_is_under_way_goes_with_the_next() -> None:
    sent: list[list[int]] = []
    go_on = asyncio.Event()

    async def send(items: Sequence[int]) -> None:
        sent.append(list(items))
        await go_on.wait()

    together = Together(send)
    first = asyncio.create_task(together(0))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    others = [asyncio.create_task(together(n)) for n in (1, 2, 3)]
    await asyncio.sleep(0)
    assert not first.done()
    go_on.set()
    await asyncio.gather(first, *others)
    assert sent == [[0], [1, 2, 3]]
    await together(4)
    assert sent[-1] == [4]


async def test_an_error_reaches_those_it_concerns_and_nobody_after_them() -> None:
    fail = True

    async def send(items: Sequence[int]) -> None:
        if fail:
            raise OSError("away")

    together = Together(send)
    outcomes = await asyncio.gather(*(together(n) for n in range(3)), return_exceptions=True)
    assert all(isinstance(outcome, OSError) for outcome in outcomes)
    fail = False
    await together(3)


async def test_one_who_is_cancelled_takes_nobody_along() -> None:
    sent: list[int] = []
    go_on = asyncio.Event()

    async def send(items: Sequence[int]) -> None:
        await go_on.wait()
        sent.extend(items)

    together = Together(send)
    waiting = [asyncio.create_task(together(n)) for n in range(3)]
    await asyncio.sleep(0.01)
    waiting[0].cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting[0]
    await asyncio.gather(*waiting[1:])
    assert sent == [0, 1, 2]
