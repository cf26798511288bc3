"""What the tests of the engines share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from lira_core.stores import Stores, open_stores
from lira_core.types import Memory

from .conformance.making import memory as made
from .conformance.making import options


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/lira.db"


@pytest.fixture
async def stores(url: str) -> AsyncIterator[Stores]:
    """All roles in one SQLite file."""
    opened = await open_stores({"short_term": url, "record": url, "vectors": url}, options())
    yield opened
    await opened.close()


@pytest.fixture
def memory() -> Callable[..., Memory]:
    def make(id: str, user_id: str = "u", minutes: float = 0, **fields: Any) -> Memory:
        return made(id, user_id, minutes, **fields)

    return make
