from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lira_core.stores import Opening
from lira_core.stores.redis import open_short_term
from lira_core.stores.redis.deferred import RedisDeferred
from lira_core.stores.redis.short_term import RedisShortTerm

from ..conformance.making import options, someone
from .servers import RedisProcess, binary

Start = Callable[..., RedisProcess]
Open = Callable[..., Awaitable[tuple[RedisShortTerm, RedisDeferred]]]


@pytest.fixture(params=["valkey", "redis-server"])
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    """Starts a server with settings of its own; all are killed at the end."""
    program = binary(request.param)
    if program is None:
        pytest.skip("redis-server is not installed on this machine")
    running: list[RedisProcess] = []

    def start_one(*settings: str, listening: bool = True) -> RedisProcess:
        folder = tmp_path / f"data{len(running)}"
        folder.mkdir()
        running.append(RedisProcess(program, folder, *settings))
        if listening:
            running[-1].start()
        return running[-1]

    yield start_one
    for process in running:
        process.kill()


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    """Opens a URL as often as asked, and closes what it opened."""
    all_of_them: list[RedisShortTerm] = []

    async def open_url(url: str, **changed: Any) -> tuple[RedisShortTerm, RedisDeferred]:
        short_term, deferred = await open_short_term(Opening("short_term", url, options(**changed)))
        all_of_them.append(short_term)
        return short_term, deferred

    yield open_url
    for short_term in all_of_them:
        await short_term.close()


@pytest.fixture
def user() -> str:
    return someone()
