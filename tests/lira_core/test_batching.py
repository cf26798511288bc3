import asyncio
import gc
import threading
import weakref

import pytest

from lira_core.batching import BatchWhileBusy
from lira_core.observe import Unobserved


class Gate:
    """A function that can be held, and remembers its batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.open = threading.Event()
        self.entered = threading.Event()
        self.open.set()

    def __call__(self, items: list[int]) -> list[int]:
        self.batches.append(items)
        self.entered.set()
        assert self.open.wait(5)
        if -1 in items:
            raise ValueError("a bad item")
        return [item * 10 for item in items]

    async def until_busy(self) -> None:
        assert await asyncio.to_thread(self.entered.wait, 5)


async def held(gate: Gate, batcher: BatchWhileBusy[int, int]) -> asyncio.Task[int]:
    """One item in work, the gate closed."""
    gate.open.clear()
    first = asyncio.create_task(batcher.submit(0))
    await gate.until_busy()
    return first


async def submitted(batcher: BatchWhileBusy[int, int], items: list[int]) -> list[asyncio.Task[int]]:
    tasks = [asyncio.create_task(batcher.submit(item)) for item in items]
    await asyncio.sleep(0)
    return tasks


async def test_what_piles_up_while_busy_goes_in_together_up_to_the_bound() -> None:
    gate = Gate()
    batcher = BatchWhileBusy(gate, 4)
    first = await held(gate, batcher)
    rest = await submitted(batcher, [1, 2, 3, 4, 5, 6])
    gate.open.set()
    assert await asyncio.gather(first, *rest) == [0, 10, 20, 30, 40, 50, 60]
    assert gate.batches == [[0], [1, 2, 3, 4], [5, 6]]
    await batcher.close()


async def test_an_idle_batcher_starts_with_the_first_item_alone() -> None:
    gate = Gate()
    batcher = BatchWhileBusy(gate, 8)
    assert [await batcher.submit(i) for i in (1, 2)] == [10, 20]
    assert gate.batches == [[1], [2]]
    await batcher.close()


async def test_an_exception_reaches_every_caller_of_its_batch_and_no_other() -> None:
    gate = Gate()
    batcher = BatchWhileBusy(gate, 2)
    first = await held(gate, batcher)
    rest = await submitted(batcher, [-1, 2, 3])
    gate.open.set()
    first_result, bad, beside, after = await asyncio.gather(first, *rest, return_exceptions=True)
    assert first_result == 0
    assert isinstance(bad, ValueError)
    assert isinstance(beside, ValueError)
    assert after == 30
    await batcher.close()


async def test_a_cancelled_caller_does_not_take_the_others_with_it() -> None:
    gate = Gate()
    batcher = BatchWhileBusy(gate, 8)
    first = await held(gate, batcher)
    waiting, other = await submitted(batcher, [1, 2])
    first.cancel()
    waiting.cancel()
    await asyncio.sleep(0)
    gate.open.set()
    assert await other == 20
    assert gate.batches == [[0], [2]]  # the one that had not begun is not worked on
    assert first.cancelled()
    await batcher.close()


async def test_a_wrong_number_of_results_is_an_error_for_the_callers() -> None:
    batcher = BatchWhileBusy[int, int](lambda items: [], 4)
    with pytest.raises(RuntimeError, match="0 results for a batch of 1"):
        await batcher.submit(1)
    await batcher.close()


async def test_closing_finishes_what_waits_and_refuses_what_comes_after() -> None:
    gate = Gate()
    batcher = BatchWhileBusy(gate, 1)
    first = await held(gate, batcher)
    (second,) = await submitted(batcher, [1])
    closing = asyncio.create_task(batcher.close())
    await asyncio.sleep(0)
    gate.open.set()
    await closing
    assert (await first, await second) == (0, 10)
    with pytest.raises(RuntimeError, match="closed"):
        await batcher.submit(2)
    await batcher.close()


def test_a_bound_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        BatchWhileBusy[int, int](list, 0)


async def test_who_gives_up_while_the_function_hangs_is_not_kept() -> None:
    class Said:
        """An item whose end can be seen."""

    gate = Gate()
    batcher = BatchWhileBusy(gate, 8)
    first = await held(gate, batcher)
    said = [Said() for _ in range(3)]
    seen = [weakref.ref(one) for one in said]
    tasks = await submitted(batcher, said)  # type: ignore[arg-type]
    while tasks:
        tasks[-1].cancel()
        await asyncio.wait([tasks.pop()])
    said.clear()
    gc.collect()
    assert [one() for one in seen] == [None] * 3
    gate.open.set()
    await first
    assert gate.batches == [[0]]
    await batcher.close()


async def test_giving_up_on_closing_leaves_those_who_wait_with_their_results() -> None:
    gate = Gate()
    batcher = BatchWhileBusy(gate, 1)
    first = await held(gate, batcher)
    (second,) = await submitted(batcher, [1])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await batcher.close()
    gate.open.set()
    async with asyncio.timeout(5):
        assert (await first, await second) == (0, 10)
        await batcher.close()


async def test_what_is_no_exception_in_the_thread_still_answers_its_callers_and_lets_others_go_on() -> None:
    def leaving(items: list[int]) -> list[int]:
        if 1 in items:
            raise SystemExit(3)
        return items

    batcher = BatchWhileBusy(leaving, 1, name="leaving")
    async with asyncio.timeout(5):
        with pytest.raises(RuntimeError, match="leaving was ended by SystemExit"):
            await batcher.submit(1)
        assert await batcher.submit(2) == 2
    await batcher.close()


async def test_an_observer_that_fails_leaves_nobody_waiting() -> None:
    class Broken(Unobserved):
        def observe(self, name: str, value: float, **tags: str) -> None:
            raise LookupError(name)

    batcher = BatchWhileBusy[int, int](list, 4, observer=Broken())
    async with asyncio.timeout(5):
        for _ in range(2):
            with pytest.raises(LookupError):
                await batcher.submit(1)
    await batcher.close()


async def test_a_batch_that_hangs_is_told_of_and_one_that_is_done_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lira_core.batching.HANGS_S", 0.01)
    gate = Gate()
    batcher = BatchWhileBusy(gate, 8)
    batcher.check()
    first = await held(gate, batcher)
    await asyncio.sleep(0.05)
    with pytest.raises(RuntimeError, match="has not answered"):
        batcher.check()
    gate.open.set()
    await first
    batcher.check()
    await batcher.close()
