"""A reading engine in this process, asked one question at a time."""

from __future__ import annotations

from collections.abc import Sequence

from lira_core.batching import BatchWhileBusy, Bounds
from lira_core.observe import Observer
from lira_core.reading.port import Candidate, Reading, ReadingEngine
from lira_core.steps import about

Asked = tuple[str, tuple[Candidate, ...]]


class LocalReader:
    """A `Reader` over an engine. Each question is a pass of its own: candidates of two people never share one."""

    def __init__(self, engine: ReadingEngine, *, observer: Observer | None = None) -> None:
        self._engine = engine
        self._batch = BatchWhileBusy[Asked, Reading](
            lambda asked: [engine.read(*one) for one in asked], Bounds(1), tokens=_about, name="reading", observer=observer
        )

    async def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        return await self._batch.submit((question, tuple(candidates)))

    @property
    def tokens(self) -> int:
        """Of what waits or is at work."""
        return self._batch.tokens

    def check(self) -> None:
        """RuntimeError when the model hangs."""
        self._batch.check()

    async def close(self) -> None:
        await self._batch.close()


def _about(asked: Asked) -> int:
    question, candidates = asked
    return about(question) + sum(about(candidate.text) for candidate in candidates)
