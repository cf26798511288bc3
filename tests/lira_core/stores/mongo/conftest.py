"""SecantusDB, a server that speaks MongoDB's wire protocol: a process of its own on a free port, which tests may stop, kill and start again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pymongo import MongoClient

from lira_cli.ports import free_port
from lira_core.stores import Opening, StoreUnavailable
from lira_core.stores.mongo import open_record
from lira_core.stores.mongo.record import MongoRecord

from ..conformance.engines import MongoPlace, process
from ..conformance.making import options

T = TypeVar("T")
Open = Callable[..., Awaitable[MongoRecord]]


class Secantus:
    """A server with a folder of its own; it listens on the same port whenever it runs."""

    def __init__(self, folder: Path, *flags: str) -> None:
        self.port = free_port()
        self._folder = folder
        self._flags = flags
        self._running: process | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *flags: str) -> None:
        binary = str(Path(sys.executable).parent / "secantusd-py")
        settings = ["--host", "127.0.0.1", "--port", str(self.port), "--storage-path", str(self._folder / "data"), "--log-level", "ERROR"]
        self._running = process([binary, *settings, *self._flags, *flags], self.port, self._folder)
        self._process = self._running.__enter__()

    def stop(self) -> None:
        if self._running is not None:
            self.resume()
            self._running.__exit__()
            self._running = self._process = None

    def kill(self) -> None:
        """Gone without a word, as when the power fails."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._running = self._process = None

    def freeze(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGCONT)

    def url(self, name: str | None = None, user: str = "") -> str:
        return f"mongodb://{user}127.0.0.1:{self.port}/{name or f'lira_test_{uuid.uuid4().hex}'}"


async def again(call: Callable[[], Awaitable[T]], seconds: float = 30) -> T:
    """What the call answers once the store is no longer away."""
    async with asyncio.timeout(seconds):
        while True:
            try:
                return await call()
            except StoreUnavailable:
                await asyncio.sleep(0.1)


def documents(place: MongoPlace, collection: str) -> list[dict[str, Any]]:
    with closing(MongoClient(place.url)) as client:
        return list(client.get_default_database()[collection].find())


@pytest.fixture(scope="session")
def secantus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secantus]:
    """One server for all tests that leave it alone."""
    server = Secantus(tmp_path_factory.mktemp("secantus"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Secantus]:
    """A server for one test, which may do to it what it likes.

    SecantusDB flushes its log at the end of a transaction only when told to, where MongoDB does it because the write concern asks.
    """
    server = Secantus(tmp_path, "--sync-on-commit")
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def opened() -> AsyncIterator[Open]:
    """Opens a record at a URL, as often as a test asks."""
    records: list[MongoRecord] = []

    async def open(url: str, **changed: Any) -> MongoRecord:
        records.append(await open_record(Opening("record", url, options(**changed))))
        return records[-1]

    yield open
    for record in records:
        await record.close()


@pytest.fixture
def place(secantus: Secantus) -> MongoPlace:
    """An empty database; that of LIRA_TEST_MONGODB_URL's server where one is given."""
    return MongoPlace(secantus.url())


@pytest.fixture
async def record(opened: Open, place: MongoPlace) -> MongoRecord:
    return await opened(place.url)
