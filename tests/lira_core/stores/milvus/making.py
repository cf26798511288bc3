"""Memories with vectors, and openings, for the tests of Milvus."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from lira_core.stores import Opening, StoreOptions
from lira_core.stores.milvus import open_vectors
from lira_core.stores.ports import EncoderId, IndexItem, Vector, Vectors
from lira_core.types import Memory

NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)
DIMENSIONS = 16
ENCODER = EncoderId("small-1", DIMENSIONS)


def opening(url: str, encoder: EncoderId = ENCODER) -> Opening:
    return Opening("vectors", url, StoreOptions(encoder))


async def opened(url: str, encoder: EncoderId = ENCODER) -> Vectors:
    return await open_vectors(opening(url, encoder))


def memory(id: str, user: str = "u", minutes: float = 0, **fields: Any) -> Memory:
    return Memory(**{"id": id, "user_id": user, "text": f"{id}라고 했어", "timestamp": NOON + timedelta(minutes=minutes)} | fields)


def vectors_of(count: int, seed: int = 0, dimensions: int = DIMENSIONS) -> Vector:
    """(count, dimensions), each of length 1."""
    drawn = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def items(user: str, count: int, first: int = 0, seed: int = 0, **fields: Any) -> list[IndexItem]:
    """Memories m`first`, m`first + 1`, ..., a minute apart, received at their number."""
    drawn = vectors_of(count, seed + first)
    return [IndexItem(memory(f"m{first + n}", user, first + n, **fields), first + n, drawn[n]) for n in range(count)]
