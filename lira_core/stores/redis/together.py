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
        try:
            while self._waiting:
                some, self._waiting = self._waiting, []
                error: Exception | None = None
                try:
                    await self._send([item for item, _ in some])
                except Exception as raised:  # noqa: BLE001  (it is raised where it was waited for)
                    error = raised
                for _, done in some:
                    if done.done():
                        continue
                    if error is None:
                        done.set_result(None)
                    else:
                        done.set_exception(error)
        finally:
            self._sending = None
