import asyncio
import gc
import threading
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.batching import BatchWhileBusy, Bounds
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
    batcher = BatchWhileBusy(gate, Bounds(4))
    first = await held(gate, batcher)
    rest = await submitted(batcher, [1, 2, 3, 4, 5, 6])
    gate.open.set()
    assert await asyncio.gather(first, *rest) == [0, 10, 20, 30, 40, 50, 60]
    assert gate.batches == [[0], [1, 2, 3, 4], [5, 6]]
    await batcher.close()


async def test_an_idle_batcher_starts_with_the_first_item_alone() -> None:
    gate = Gate()
    batcher = BatchWhileBusy(gate, Bounds(8))
    assert [await batcher.submit(i) for i in (1, 2)] == [10, 20]
    assert gate.batches == [[1], [2]]
    await batcher.close()


@pytest.mark.parametrize("in_flight", [1, 2])
@pytest.mark.parametrize("bad", [{-1}, {-1, -2}, {-1, -2, -3}])
async def test_what_one_item_raises_reaches_its_caller_and_none_of_its_neighbours(bad: set[int], in_flight: int) -> None:
    def work(items: list[int]) -> list[int]:
        if found := bad & set(items):
            raise ValueError(f"bad: {sorted(found)}")
        return items

    batcher = BatchWhileBusy[int, int](work, Bounds(8, in_flight=in_flight), finish=lambda output: [item * 10 for item in output])
    items = [1, -1, 2, -2, 3, -3, 4, 5]
    results = await asyncio.gather(*(batcher.submit(item) for item in items), return_exceptions=True)
    for item, result in zip(items, results, strict=True):
        assert str(result) == f"bad: [{item}]" if item in bad else result == item * 10
    await batcher.close()


async def test_what_cannot_be_finished_fails_alone_too() -> None:
    def finish(output: list[int]) -> list[int]:
        if -1 in output:
            raise ValueError("cannot be decoded")
        return output

    batcher = BatchWhileBusy[int, int](list, Bounds(8, in_flight=2), finish=finish)
    good, bad, other = await asyncio.gather(*(batcher.submit(item) for item in (1, -1, 2)), return_exceptions=True)
    assert (good, str(bad), other) == (1, "cannot be decoded", 2)
    await batcher.close()


async def test_two_batches_are_in_flight_one_decoded_while_the_other_is_inferred() -> None:
    gate, decoding, release = Gate(), threading.Event(), threading.Event()

    def held_finish(output: list[int]) -> list[int]:
        decoding.set()
        assert release.wait(5)
        return output

    batcher = BatchWhileBusy[int, int](gate, Bounds(1, in_flight=2), finish=held_finish)
    first = asyncio.create_task(batcher.submit(1))
    assert await asyncio.to_thread(decoding.wait, 5)
    gate.entered.clear()
    second = asyncio.create_task(batcher.submit(2))
    await gate.until_busy()  # inferred, while the first is still being decoded
    third = asyncio.create_task(batcher.submit(3))
    await asyncio.sleep(0.01)
    assert gate.batches == [[1], [2]]  # and no third beside them
    assert batcher.tokens == 3
    release.set()
    assert await asyncio.gather(first, second, third) == [10, 20, 30]
    assert batcher.tokens == 0
    await batcher.close()


async def test_a_batch_that_is_not_full_waits_for_more_only_behind_one_that_works() -> None:
    gate = Gate()
    batcher = BatchWhileBusy[int, int](gate, Bounds(4, in_flight=2, wait_s=5), finish=list)
    assert await batcher.submit(1) == 10  # alone, at once
    batcher._took = 60.0  # as long as somebody may wait half of it
    gate.entered.clear()
    first = await held(gate, batcher)
    rest = await submitted(batcher, [2, 3, 4])
    await asyncio.sleep(0.01)
    assert gate.batches == [[1], [0]]
    rest += await submitted(batcher, [5])  # now it is full
    gate.open.set()
    assert await asyncio.gather(first, *rest) == [0, 20, 30, 40, 50]
    assert gate.batches == [[1], [0], [2, 3, 4, 5]]
    await batcher.close()


async def test_a_batch_that_waited_for_more_goes_when_the_model_is_idle() -> None:
    gate = Gate()
    batcher = BatchWhileBusy[int, int](gate, Bounds(4, in_flight=2, wait_s=60), finish=list)
    batcher._took = 120.0
    first = await held(gate, batcher)
    (second,) = await submitted(batcher, [2])
    gate.open.set()
    async with asyncio.timeout(5):
        assert await asyncio.gather(first, second) == [0, 20]
    await batcher.close()


@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=40),
    rows=st.integers(1, 9),
    tokens=st.one_of(st.none(), st.integers(1, 200)),
    in_flight=st.integers(1, 2),
)
@settings(max_examples=60, deadline=None)
def test_every_item_gets_its_own_result_and_every_batch_keeps_its_bounds(lengths: list[int], rows: int, tokens: int | None, in_flight: int) -> None:
    batches: list[list[tuple[int, int]]] = []

    def work(items: list[tuple[int, int]]) -> list[int]:
        batches.append(items)
        return [index for index, _ in items]

    async def all_of_them() -> list[int]:
        batcher = BatchWhileBusy[tuple[int, int], int](work, Bounds(rows, tokens, in_flight), finish=list, tokens=lambda item: item[1])
        found = await asyncio.gather(*(batcher.submit((index, length)) for index, length in enumerate(lengths)))
        await batcher.close()
        return found

    assert asyncio.run(all_of_them()) == list(range(len(lengths)))
    for batch in batches:
        sizes = [length for _, length in batch]
        assert sizes == sorted(sizes)
        assert len(batch) <= rows
        assert len(batch) == 1 or tokens is None or len(batch) * max(sizes) <= tokens
    assert min(index for index, _ in batches[0]) == 0  # nobody is passed over for ever: the oldest is always in


async def test_a_cancelled_caller_does_not_take_the_others_with_it() -> None:
    gate = Gate()
    batcher = BatchWhileBusy(gate, Bounds(8))
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
    batcher = BatchWhileBusy[int, int](lambda items: [], Bounds(4))
    with pytest.raises(RuntimeError, match="0 results for a batch of 1"):
        await batcher.submit(1)
    await batcher.close()


async def test_closing_finishes_what_waits_and_refuses_what_comes_after() -> None:
    gate = Gate()
    batcher = BatchWhileBusy(gate, Bounds(1))
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
        BatchWhileBusy[int, int](list, Bounds(0))


async def test_who_gives_up_while_the_function_hangs_is_not_kept() -> None:
    class Said:
        """An item whose end can be seen."""

    gate = Gate()
    batcher = BatchWhileBusy(gate, Bounds(8))
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
    batcher = BatchWhileBusy(gate, Bounds(1))
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

    batcher = BatchWhileBusy(leaving, Bounds(1), name="leaving")
    async with asyncio.timeout(5):
        with pytest.raises(RuntimeError, match="leaving was ended by SystemExit"):
            await batcher.submit(1)
        assert await batcher.submit(2) == 2
    await batcher.close()


async def test_an_observer_that_fails_leaves_nobody_waiting() -> None:
    class Broken(Unobserved):
        def observe(self, name: str, value: float, **tags: str) -> None:
            raise LookupError(name)

    batcher = BatchWhileBusy[int, int](list, Bounds(4), observer=Broken())
    async with asyncio.timeout(5):
        for _ in range(2):
            with pytest.raises(LookupError):
                await batcher.submit(1)
    await batcher.close()


async def test_a_batch_that_hangs_is_told_of_and_one_that_is_done_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lira_core.batching.HANGS_S", 0.01)
    gate = Gate()
    batcher = BatchWhileBusy(gate, Bounds(8))
    batcher.check()
    first = await held(gate, batcher)
    await asyncio.sleep(0.05)
    with pytest.raises(RuntimeError, match="has not answered"):
        batcher.check()
    gate.open.set()
    await first
    batcher.check()
    await batcher.close()
