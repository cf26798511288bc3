from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from lira_core.stores import Opening, StoreOptions
from lira_core.stores.ports import EncoderId, IndexItem
from lira_core.stores.weaviate import WeaviateVectors, open_vectors
from lira_core.types import Memory

from .server import WeaviateServer, running

NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)
ENCODER = EncoderId("tiny", 3)

Open = Callable[..., Awaitable[WeaviateVectors]]


@pytest.fixture
def server() -> Iterator[WeaviateServer]:
    with running() as started:
        yield started


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    """Opens a URL as often as asked, and closes what it opened."""
    all_of_them: list[WeaviateVectors] = []

    async def open_url(url: str, encoder: EncoderId = ENCODER) -> WeaviateVectors:
        all_of_them.append(await open_vectors(Opening("vectors", url, StoreOptions(encoder))))
        return all_of_them[-1]

    yield open_url
    for vectors in all_of_them:
        await vectors.close()


@pytest.fixture
async def vectors(server: WeaviateServer, opened: Open) -> WeaviateVectors:
    return await opened(server.url)


@pytest.fixture
def item() -> Callable[..., IndexItem]:
    def make(id: str, *values: float, user: str = "u", received: int = 1, minutes: float = 0, **fields: Any) -> IndexItem:
        memory = Memory(**{"id": id, "user_id": user, "text": f"{id}라고 했어", "timestamp": NOON + timedelta(minutes=minutes)} | fields)
        vector = np.array(values or (1, 0, 0), dtype=np.float32)
        return IndexItem(memory, received, vector / np.linalg.norm(vector))

    return make
