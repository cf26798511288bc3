from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lira_core.stores import Stores, open_stores
from lira_core.types import Memory

NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/lira.db"


@pytest.fixture
async def stores(url: str) -> AsyncIterator[Stores]:
    opened = open_stores(url, url, url, ttl_seconds=86_400, max_messages=1_000)
    yield opened
    await opened.close()


@pytest.fixture
def memory() -> Callable[..., Memory]:
    def make(id: str, user_id: str = "u", minutes: float = 0, **fields: Any) -> Memory:
        return Memory(**{"id": id, "user_id": user_id, "text": f"{id}라고 했어", "timestamp": NOON + timedelta(minutes=minutes)} | fields)

    return make
