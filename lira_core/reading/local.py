"""A reading engine in this process, asked one question at a time."""

from __future__ import annotations

from collections.abc import Sequence

from lira_core.batching import BatchWhileBusy
from lira_core.observe import Observer
from lira_core.reading.port import Candidate, Reading, ReadingEngine

Asked = tuple[str, tuple[Candidate, ...]]


class LocalReader:
    """A `Reader` over an engine. Each question is a pass of its own: candidates of two people never share one."""

    def __init__(self, engine: ReadingEngine, *, observer: Observer | None = None) -> None:
        self._engine = engine
        self._batch = BatchWhileBusy[Asked, Reading](lambda asked: [engine.read(*one) for one in asked], 1, name="reading", observer=observer)

    async def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        return await self._batch.submit((question, tuple(candidates)))

    def forget(self) -> None:
        self._engine.forget()

    def check(self) -> None:
        """RuntimeError when the model hangs."""
        self._batch.check()

    async def close(self) -> None:
        await self._batch.close()
