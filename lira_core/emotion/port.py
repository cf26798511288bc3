"""Reading emotion: what a turn asks, and what an engine gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lira_core.types import EmotionReading


class EmotionEngine(Protocol):
    """A model in this process; blocking, so callers run it in a thread."""

    def read(self, texts: Sequence[str]) -> list[EmotionReading]:
        """One reading per text, in order."""
        ...


class EmotionReader(Protocol):
    """What a turn asks, wherever the model runs."""

    async def read(self, text: str) -> EmotionReading: ...
