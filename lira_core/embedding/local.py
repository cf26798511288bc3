"""An embedding engine in this process, asked by many callers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lira_core.batching import BatchWhileBusy
from lira_core.embedding.port import EmbeddingEngine, Heard, Kind
from lira_core.observe import Observer

MAX_BATCH = 8
"""As `lira_core.emotion.local.MAX_BATCH`: the same encoder, the same measurement."""


class LocalEmbedder:
    """An `Embedder` over an engine; texts that arrive while it works are embedded together."""

    def __init__(self, engine: EmbeddingEngine, *, max_batch: int = MAX_BATCH, observer: Observer | None = None) -> None:
        self._engine = engine
        self._batch = BatchWhileBusy[tuple[Kind, str], NDArray[np.float32]](
            lambda texts: list(engine.embed(texts)), max_batch, name="embedding", observer=observer
        )
        self._heard = BatchWhileBusy[str, Heard](engine.hear, max_batch, name="embedding", observer=observer)

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """(len(texts), dimensions), as the engine gives it."""
        if not texts:
            return self._engine.embed([])
        return np.stack(await asyncio.gather(*(self._batch.submit(text) for text in texts)))

    async def hear(self, text: str) -> Heard:
        """Apart from what is embedded: no person waits for an import."""
        return await self._heard.submit(text)

    def check(self) -> None:
        """RuntimeError when the model hangs."""
        self._batch.check()
        self._heard.check()

    async def close(self) -> None:
        await self._batch.close()
        await self._heard.close()
