"""How the models fare, told from the calls that turns make: nobody runs a model to find out whether it runs."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import aclosing
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.port import Embedder, Heard, Kind
from lira_core.emotion.port import EmotionReader
from lira_core.generation.port import Generator, GeneratorBusy, Prompt, Usage, close
from lira_core.types import EmotionReading

T = TypeVar("T")
REMEMBERED_S: Final = 30.0
"""A failure is told of for so long, unless a call succeeds before: nobody may ask for a while."""


class Health:
    """`ok` or `degraded` by model: `degraded` when the last call failed within REMEMBERED_S."""

    def __init__(self) -> None:
        self._failed: dict[str, float | None] = {"emotion": None, "embedding": None, "reader": None, "generator": None}

    def states(self) -> dict[str, str]:
        now = time.monotonic()
        return {name: "ok" if at is None or now - at > REMEMBERED_S else "degraded" for name, at in self._failed.items()}

    def note(self, name: str, *, failed: bool) -> None:
        self._failed[name] = time.monotonic() if failed else None

    async def noted(self, name: str, work: Awaitable[T]) -> T:
        """What `work` gives or raises, with a note of which."""
        try:
            done = await work
        except Exception:
            self.note(name, failed=True)
            raise
        self.note(name, failed=False)
        return done

    def watched_emotion(self, reader: EmotionReader) -> EmotionReader:
        return _WatchedEmotion(reader, self)

    def watched_embedder(self, embedder: Embedder) -> Embedder:
        return _WatchedEmbedder(embedder, self)

    def watched_generator(self, generator: Generator) -> Generator:
        return _WatchedGenerator(generator, self)


class _WatchedEmotion:
    def __init__(self, reader: EmotionReader, health: Health) -> None:
        self._reader, self._health = reader, health

    async def read(self, text: str) -> EmotionReading:
        return await self._health.noted("emotion", self._reader.read(text))


class _WatchedEmbedder:
    def __init__(self, embedder: Embedder, health: Health) -> None:
        self._embedder, self._health = embedder, health

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        return await self._health.noted("embedding", self._embedder.embed(texts))

    async def hear(self, text: str) -> Heard:
        return await self._health.noted("embedding", self._embedder.hear(text))


class _WatchedGenerator:
    def __init__(self, generator: Generator, health: Health) -> None:
        self._generator, self._health = generator, health

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        try:
            async with aclosing(self._generator.generate(prompt)) as pieces:
                async for piece in pieces:
                    yield piece
        except GeneratorBusy:  # which says that it is there
            raise
        except Exception:
            self._health.note("generator", failed=True)
            raise
        self._health.note("generator", failed=False)

    async def aclose(self) -> None:
        await close(self._generator)
