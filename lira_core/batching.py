"""Dynamic batching in one process: what piles up while the model is busy goes in together, and nothing ever waits for company."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from lira_core.observe import Observer, Unobserved

T = TypeVar("T")
R = TypeVar("R")
HANGS_S = 60.0
"""No batch takes so long: 32 texts of the longest kind take a few seconds on two cores."""


class BatchWhileBusy(Generic[T, R]):
    """Hands items that arrive one by one to a blocking `fn` in batches of at most `max_batch`, in one worker thread.

    An idle batcher starts at once with what there is; items that come meanwhile form the next batch, in order of arrival. Use it
    from one event loop. `fn` must give one result per item, in order; what it raises reaches every caller of that batch.
    """

    def __init__(self, fn: Callable[[list[T]], list[R]], max_batch: int, *, name: str = "batch", observer: Observer | None = None) -> None:
        """`observer` is told `lira_batch_size`, `lira_queue_seconds` and `lira_inference_seconds` with `name` as the stage."""
        if max_batch < 1:
            raise ValueError("max_batch must be at least 1")
        self._fn, self._max_batch, self._name = fn, max_batch, name
        self._observer = observer or Unobserved()
        self._waiting: list[tuple[T, asyncio.Future[R], float]] = []
        self._running: asyncio.Task[None] | None = None
        self._closed = False
        self._began: float | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def submit(self, item: T) -> R:
        """The result for this item. A caller that is cancelled leaves the batch of the others untouched."""
        if self._closed:
            raise RuntimeError("the batcher is closed")
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future, time.perf_counter()))
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        try:
            return await future
        except asyncio.CancelledError:
            # At once, and not when the batch before it ends: should `fn` hang, who gave up must not pile up.
            self._waiting = [one for one in self._waiting if one[1] is not future]
            raise

    def check(self) -> None:
        """RuntimeError when one batch has been at work for longer than HANGS_S: the thread is lost, and with it whoever waits."""
        if self._began is not None and time.perf_counter() - self._began > HANGS_S:
            raise RuntimeError(f"{self._name} has not answered for {HANGS_S:g} s")

    async def close(self) -> None:
        """Refuse new items, finish those that wait, end the thread. May be called twice."""
        self._closed = True
        if self._running is None:
            self._thread.shutdown(wait=False)
        else:
            # Not awaited itself: whoever gives up closing (`fn` may hang) would cancel it, and its callers would wait for ever.
            await asyncio.wait([self._running])

    async def _run(self) -> None:
        try:
            while batch := self._next():
                await self._answer(batch)
        finally:
            self._running = None
            if self._closed:
                self._thread.shutdown(wait=False)

    def _next(self) -> list[tuple[T, asyncio.Future[R], float]]:
        self._waiting = [one for one in self._waiting if not one[1].done()]
        batch, self._waiting = self._waiting[: self._max_batch], self._waiting[self._max_batch :]
        return batch

    async def _answer(self, batch: list[tuple[T, asyncio.Future[R], float]]) -> None:
        """Every caller of the batch gets a result or an error, whatever happens."""
        began = self._began = time.perf_counter()
        try:
            self._observer.observe("lira_batch_size", len(batch), stage=self._name)
            # Of a batch the first waited longest: one sample a batch keeps measuring cheap.
            self._observer.observe("lira_queue_seconds", began - batch[0][2], stage=self._name)
            results = await asyncio.get_running_loop().run_in_executor(self._thread, self._fn, [item for item, _, _ in batch])
            if len(results) != len(batch):
                raise RuntimeError(f"{len(results)} results for a batch of {len(batch)}")
            self._observer.observe("lira_inference_seconds", time.perf_counter() - began, stage=self._name)
        except asyncio.CancelledError:
            for _, future, _ in batch:
                future.cancel()
            raise
        except BaseException as error:  # noqa: BLE001 whatever it was, it belongs to the callers
            told = error if isinstance(error, Exception) else RuntimeError(f"{self._name} was ended by {type(error).__name__}")
            for _, future, _ in batch:
                if not future.done():
                    future.set_exception(told)
            return
        finally:
            self._began = None
        for (_, future, _), result in zip(batch, results, strict=True):
            if not future.done():
                future.set_result(result)
