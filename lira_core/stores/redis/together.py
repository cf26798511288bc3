"""Calls that many make at once, made as one: what is asked for while one call is under way goes with the next."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Together(Generic[T]):
    """`send` gets what was asked for since it was last called; each that asked waits for it, and gets its error."""

    def __init__(self, send: Callable[[Sequence[T]], Awaitable[object]]) -> None:
        self._send = send
        self._waiting: list[tuple[T, asyncio.Future[None]]] = []
        self._sending: asyncio.Task[None] | None = None

    async def __call__(self, item: T) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if self._sending is None:
            self._sending = asyncio.create_task(self._send_all())
        await done

    async def _send_all(self) -> None:
        some: list[tuple[T, asyncio.Future[None]]] = []
        try:
            while self._waiting:
                some, self._waiting = self._waiting, []
                error = await self._outcome([item for item, _ in some])
                for _, done in some:
                    if done.done():  # whoever waited was cancelled
                        continue
                    if error is None:
                        done.set_result(None)
                    else:
                        done.set_exception(error)
        finally:
            self._sending = None
            for _, done in (*some, *self._waiting):
                done.cancel()  # does nothing, but for the end of the event loop

    async def _outcome(self, items: Sequence[T]) -> Exception | None:
        try:
            await self._send(items)
        except Exception as error:  # noqa: BLE001  (it is raised where it is waited for)
            return error
        return None
