"""Dynamic batching in one process: what piles up while the model is busy goes in together, and an idle model waits for nobody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lira_core.observe import Observer, Unobserved

T = TypeVar("T")
R = TypeVar("R")
HANGS_S = 60.0
"""No batch takes so long: 32 texts of the longest kind take a few seconds on two cores."""
WAIT_SHARE = 0.5
"""A batch that is not full waits behind one that works for at most this share of what the last one took: by then the next can still be ready
when the one before it ends."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one batch: `rows`, and `tokens`, which is rows times the longest row (None: any). `in_flight` batches are under way at once, and one
    that is not full waits at most `wait_s` behind another."""

    rows: int
    tokens: int | None = None
    in_flight: int = 1
    wait_s: float = 0.0

    def __post_init__(self) -> None:
        if self.rows < 1 or self.in_flight < 1 or (self.tokens is not None and self.tokens < 1) or self.wait_s < 0:
            raise ValueError("rows, tokens and in_flight must be at least 1, and wait_s at least 0")


@dataclass(eq=False, slots=True)
class _Asked(Generic[T, R]):
    item: T
    tokens: int
    future: asyncio.Future[R]
    since: float


class BatchWhileBusy(Generic[T, R]):
    """Hands items that arrive one by one to a blocking `fn` in batches within `bounds`, in a thread of its own.

    An idle batcher starts at once with what there is. What comes meanwhile forms the next batch: the oldest, and those nearest to it in
    length, which `fn` gets sorted by length. Use it from one event loop. `fn` must give one result per item, in order. With `finish` what
    `fn` gives (launched on a device, say) is made into the results by a second thread, while `fn` has the next batch. An item that raises
    reaches its caller alone: a batch that fails is halved until the bad one stands by itself.
    """

    def __init__(
        self,
        fn: Callable[[list[T]], Any],
        bounds: Bounds,
        *,
        finish: Callable[[Any], Sequence[R]] | None = None,
        tokens: Callable[[T], int] = lambda item: 1,
        name: str = "batch",
        observer: Observer | None = None,
    ) -> None:
        """`tokens`: the length of an item. `observer` is told `lira_batch_size`, `lira_queue_seconds` and `lira_inference_seconds` with
        `name` as the stage."""
        self._fn, self._finish, self._bounds, self._length, self._name = fn, finish, bounds, tokens, name
        self._observer = observer or Unobserved()
        self._waiting: list[_Asked[T, R]] = []
        self._flying: dict[asyncio.Task[Any] | None, int] = {}
        self._running: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._closed = False
        self._began: dict[object, float] = {}
        self._took = 0.0
        self._infer = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._decode = ThreadPoolExecutor(1, thread_name_prefix=f"{name}-finish") if finish and bounds.in_flight > 1 else self._infer

    async def submit(self, item: T) -> R:
        """The result for this item. A caller that is cancelled leaves the batch of the others untouched."""
        if self._closed:
            raise RuntimeError("the batcher is closed")
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Asked(item, self._length(item), future, time.perf_counter()))
        self._changed.set()
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        try:
            return await future
        except asyncio.CancelledError:
            # At once, and not when the batch before it ends: should `fn` hang, who gave up must not pile up.
            self._waiting = [one for one in self._waiting if one.future is not future]
            raise

    @property
    def tokens(self) -> int:
        """Of what waits or is at work."""
        return sum(one.tokens for one in self._waiting) + sum(self._flying.values())

    def check(self) -> None:
        """RuntimeError when one batch has been at work for longer than HANGS_S: the thread is lost, and with it whoever waits."""
        if self._began and time.perf_counter() - min(self._began.values()) > HANGS_S:
            raise RuntimeError(f"{self._name} has not answered for {HANGS_S:g} s")

    async def close(self) -> None:
        """Refuse new items, finish those that wait, end the threads. May be called twice."""
        self._closed = True
        self._changed.set()
        if self._running is None:
            self._end_threads()
        else:
            # Not awaited itself: whoever gives up closing (`fn` may hang) would cancel it, and its callers would wait for ever.
            await asyncio.wait([self._running])

    def _end_threads(self) -> None:
        self._infer.shutdown(wait=False)
        self._decode.shutdown(wait=False)

    async def _run(self) -> None:
        try:
            while self._waiting or self._flying:
                if not self._waiting or len(self._flying) == self._bounds.in_flight:
                    await self._until_changed()
                    continue
                await self._fill()
                if batch := self._next():
                    task = asyncio.create_task(self._answer(batch))
                    self._flying[task] = sum(one.tokens for one in batch)
        finally:
            self._running = None
            if self._closed:
                self._end_threads()

    async def _until_changed(self, within_s: float | None = None) -> None:
        """Until something arrives or a batch ends."""
        self._changed.clear()
        try:
            async with asyncio.timeout(within_s):
                await self._changed.wait()
        except TimeoutError:
            return

    async def _fill(self) -> None:
        """Lets more come, behind a batch that works, while this one is not full and its time is not up."""
        ends = time.perf_counter() + min(self._bounds.wait_s, WAIT_SHARE * self._took)
        while self._flying and not self._closed and not self._full() and (left := ends - time.perf_counter()) > 0:
            await self._until_changed(left)

    def _full(self) -> bool:
        within = self._chosen()
        return len(within) == self._bounds.rows or len(within) < len(self._waiting)

    def _next(self) -> list[_Asked[T, R]]:
        self._waiting = [one for one in self._waiting if not one.future.done()]
        batch = self._chosen()
        taken = {id(one) for one in batch}
        self._waiting = [one for one in self._waiting if id(one) not in taken]
        return batch

    def _chosen(self) -> list[_Asked[T, R]]:
        """Of those that wait the oldest, and with it the nearest in length (of the same, the oldest) as long as they stay within the bounds."""
        if not self._waiting:
            return []
        oldest, *others = self._waiting
        chosen, longest = [oldest], oldest.tokens
        for one in sorted(others, key=lambda one: abs(one.tokens - oldest.tokens)):
            longest = max(longest, one.tokens)
            if len(chosen) == self._bounds.rows or (self._bounds.tokens is not None and longest * (len(chosen) + 1) > self._bounds.tokens):
                break
            chosen.append(one)
        return sorted(chosen, key=lambda one: one.tokens)

    async def _answer(self, batch: list[_Asked[T, R]]) -> None:
        """Every caller of the batch gets a result or an error, whatever happens."""
        mark, began = object(), time.perf_counter()
        self._began[mark] = began
        try:
            self._observer.observe("lira_batch_size", len(batch), stage=self._name)
            # Of a batch the one that waited longest: one sample a batch keeps measuring cheap.
            self._observer.observe("lira_queue_seconds", began - min(one.since for one in batch), stage=self._name)
            results = await self._results([one.item for one in batch])
            self._took = time.perf_counter() - began
            self._observer.observe("lira_inference_seconds", self._took, stage=self._name)
        except asyncio.CancelledError:
            for one in batch:
                one.future.cancel()
            raise
        except BaseException as error:  # noqa: BLE001 whatever it was, it belongs to the callers
            told = error if isinstance(error, Exception) else RuntimeError(f"{self._name} was ended by {type(error).__name__}")
            results = [told] * len(batch)
        finally:
            del self._began[mark]
            # Before its callers go on: to them it is done.
            self._flying.pop(asyncio.current_task(), None)
            self._changed.set()
        for one, result in zip(batch, results, strict=True):
            if one.future.done():
                continue
            if isinstance(result, Exception):
                one.future.set_exception(result)
            else:
                one.future.set_result(result)

    async def _results(self, items: list[T]) -> Sequence[R | Exception]:
        loop = asyncio.get_running_loop()
        if self._decode is self._infer:
            return await loop.run_in_executor(self._infer, self._apart, items)
        try:
            output = await loop.run_in_executor(self._infer, self._fn, items)
            return await loop.run_in_executor(self._decode, self._finished, output, len(items))
        except Exception:
            if len(items) == 1:
                raise
            return await loop.run_in_executor(self._infer, self._halves, items)

    def _apart(self, items: list[T]) -> list[R | Exception]:
        """A result or an error for each."""
        try:
            return [*self._finished(self._fn(items), len(items))]
        except Exception as error:  # noqa: BLE001 it belongs to the caller of the item
            return [error] if len(items) == 1 else self._halves(items)

    def _halves(self, items: list[T]) -> list[R | Exception]:
        middle = len(items) // 2
        return self._apart(items[:middle]) + self._apart(items[middle:])

    def _finished(self, output: Any, count: int) -> Sequence[R]:
        results: Sequence[R] = self._finish(output) if self._finish else output
        if len(results) != count:
            raise RuntimeError(f"{len(results)} results for a batch of {count}")
        return results
