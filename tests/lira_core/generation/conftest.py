"""A real engine for all tests that ask one, and an API that fails as it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from .faulty import Api, serving
from .llama import Llama, llama


@pytest.fixture(scope="session")
def engine() -> Iterator[Llama]:
    with llama() as running:
        yield running


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    async with serving() as running:
        yield running
