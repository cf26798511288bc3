"""An embedding engine in this process, asked by many callers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lira_core.batching import BatchWhileBusy, Bounds
from lira_core.embedding.port import EmbeddingEngine, Heard, Kind
from lira_core.observe import Observer
from lira_core.steps import Batch, InSteps, Steps, about

MAX_BATCH = 8
"""As `lira_core.emotion.local.MAX_BATCH`: the same encoder, the same measurement."""


class LocalEmbedder:
    """An `Embedder` over an engine; texts that arrive while it works are embedded together."""

    def __init__(self, engine: EmbeddingEngine, *, max_batch: int = MAX_BATCH, observer: Observer | None = None) -> None:
        self._engine = engine
        self._batch: Batch[tuple[Kind, str], NDArray[np.float32]]
        self._heard: Batch[str, Heard]
        if isinstance(engine, Steps):
            self._batch = InSteps(engine, name="embedding", observer=observer)
            self._heard = InSteps(_Utterances(engine), name="embedding", observer=observer)
        else:
            bounds = Bounds(max_batch)
            self._batch = BatchWhileBusy(
                lambda texts: list(engine.embed(texts)), bounds, tokens=lambda one: about(one[1]), name="embedding", observer=observer
            )
            self._heard = BatchWhileBusy(engine.hear, bounds, tokens=about, name="embedding", observer=observer)

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """(len(texts), dimensions), as the engine gives it."""
        if not texts:
            return self._engine.embed([])
        return np.stack(await asyncio.gather(*(self._batch.submit(text) for text in texts)))

    async def hear(self, text: str) -> Heard:
        """Apart from what is embedded: no person waits for an import."""
        return await self._heard.submit(text)

    @property
    def tokens(self) -> int:
        """Of what waits or is at work."""
        return self._batch.tokens + self._heard.tokens

    def check(self) -> None:
        """RuntimeError when the model hangs."""
        self._batch.check()
        self._heard.check()

    async def close(self) -> None:
        await self._batch.close()
        await self._heard.close()


class _Utterances:
    """`Steps` from what somebody says to what was heard, over those of an encoder."""

    def __init__(self, steps: Steps[NDArray[np.float32]]) -> None:
        self._steps, self.bounds = steps, steps.bounds

    def tokenise(self, items: list[str]) -> list[list[int]]:
        return self._steps.tokenise([("query", text) for text in items])

    def infer(self, rows: list[list[int]]) -> Any:
        return self._steps.infer(rows)

    def decode(self, output: Any) -> list[Heard]:
        return [Heard(vector, None) for vector in self._steps.decode(output)]
