"""A reading engine in this process, asked one question at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lira_core.batching import BatchWhileBusy, Bounds
from lira_core.observe import Observer
from lira_core.reading.port import CANDIDATES, Candidate, Reading, ReadingEngine
from lira_core.steps import about

Asked = tuple[Callable[[str, Sequence[Candidate]], Any], str, tuple[Candidate, ...]]
"""What the engine is to do, with which question and candidates."""


class LocalReader:
    """A `Reader` over an engine. Each question is a pass of its own: candidates of two people never share one."""

    def __init__(self, engine: ReadingEngine, *, observer: Observer | None = None) -> None:
        self._engine = engine
        self._batch = BatchWhileBusy[Asked, Any](_done, Bounds(1), tokens=_about, name="reading", observer=observer)

    async def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        reading: Reading = await self._batch.submit((self._engine.read, question, tuple(candidates)))
        return reading

    async def weigh(self, question: str, candidates: Sequence[Candidate], *, listing: bool = False) -> tuple[float, ...]:
        """As many at once as a question has, so that no turn waits longer for a search than for another turn."""
        parts = [tuple(candidates[start : start + CANDIDATES]) for start in range(0, len(candidates), CANDIDATES)]
        weigh = partial(self._engine.weigh, listing=listing)
        weighed = await asyncio.gather(*(self._batch.submit((weigh, question, part)) for part in parts))
        return tuple(sure for part in weighed for sure in part)

    @property
    def tokens(self) -> int:
        """Of what waits or is at work."""
        return self._batch.tokens

    def check(self) -> None:
        """RuntimeError when the model hangs."""
        self._batch.check()

    async def close(self) -> None:
        await self._batch.close()


def _done(asked: Sequence[Asked]) -> list[Any]:
    return [does(question, candidates) for does, question, candidates in asked]


def _about(asked: Asked) -> int:
    _, question, candidates = asked
    return about(question) + sum(about(candidate.text) for candidate in candidates)
