"""An emotion engine in this process, asked one utterance at a time."""

from __future__ import annotations

from lira_core.batching import BatchWhileBusy, Bounds
from lira_core.emotion.port import EmotionEngine
from lira_core.observe import Observer
from lira_core.steps import Batch, InSteps, Steps, about
from lira_core.types import EmotionReading

MAX_BATCH = 8
"""More per call gains nothing on one core (3.8 ms a short text at 8, 3.4 at 32) and makes the first wait for the last."""


class LocalEmotion:
    """An `EmotionReader` over an engine; utterances that arrive while it works are read together."""

    def __init__(self, engine: EmotionEngine, *, max_batch: int = MAX_BATCH, observer: Observer | None = None) -> None:
        self._batch: Batch[str, EmotionReading] = (
            InSteps(engine, name="emotion", observer=observer)
            if isinstance(engine, Steps)
            else BatchWhileBusy(engine.read, Bounds(max_batch), tokens=about, name="emotion", observer=observer)
        )

    async def read(self, text: str) -> EmotionReading:
        return await self._batch.submit(text)

    @property
    def tokens(self) -> int:
        """Of what waits or is at work."""
        return self._batch.tokens

    def check(self) -> None:
        """RuntimeError when the model hangs."""
        self._batch.check()

    async def close(self) -> None:
        await self._batch.close()
