"""Embedding: what a turn asks, and what an engine gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Kind = Literal["query", "passage"]


class EmbeddingEngine(Protocol):
    """A model in this process; blocking, so callers run it in a thread."""

    def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """(len(texts), dimensions), each row L2-normalised. A question is a `query`, what is kept a `passage`."""
        ...


class Embedder(Protocol):
    """What a turn asks, wherever the model runs."""

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]: ...
