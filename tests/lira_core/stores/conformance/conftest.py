from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack

import pytest

from lira_core.stores.ports import Deferred, EncoderId, Record, ShortTerm, Vectors

from .engines import Opener, Server, engines, start
from .making import DIMENSIONS, options, someone
from .places import Place


@pytest.fixture(scope="session")
def running() -> Iterator[Callable[[str], Server]]:
    """Engines by name, each started when first asked for."""
    started: dict[str, Server] = {}
    with ExitStack() as stack:

        def run(name: str) -> Server:
            if name not in started:
                started[name] = start(name, stack)
            return started[name]

        yield run


@pytest.fixture
def user() -> str:
    return someone()


# Each role: the engine, one place that all tests share (they differ by their users), and one of a test's own, for what belongs to nobody.


@pytest.fixture(scope="session", params=engines("short_term"))
def short_term_engine(request: pytest.FixtureRequest, running: Callable[[str], Server]) -> Server:
    return running(request.param)


@pytest.fixture(scope="session")
def short_term_place(short_term_engine: Server) -> Place:
    return short_term_engine.place()


@pytest.fixture
async def open_short_term(short_term_place: Place) -> AsyncIterator[Opener]:
    opener = Opener("short_term", short_term_place, options)
    yield opener
    await opener.close()


@pytest.fixture
async def open_own_short_term(short_term_engine: Server) -> AsyncIterator[Opener]:
    opener = Opener("short_term", short_term_engine.place(), options)
    yield opener
    await opener.close()


@pytest.fixture
async def short_term(open_short_term: Opener) -> ShortTerm:
    return (await open_short_term())[0]


@pytest.fixture
async def deferred(open_own_short_term: Opener) -> Deferred:
    """Alone in its place: claiming takes whatever waits there."""
    return (await open_own_short_term())[1]


@pytest.fixture(scope="session", params=engines("record"))
def record_engine(request: pytest.FixtureRequest, running: Callable[[str], Server]) -> Server:
    return running(request.param)


@pytest.fixture(scope="session")
def record_place(record_engine: Server) -> Place:
    return record_engine.place()


@pytest.fixture
async def open_record(record_place: Place) -> AsyncIterator[Opener]:
    opener = Opener("record", record_place, options)
    yield opener
    await opener.close()


@pytest.fixture
async def open_own_record(record_engine: Server) -> AsyncIterator[Opener]:
    opener = Opener("record", record_engine.place(), options)
    yield opener
    await opener.close()


@pytest.fixture
async def record(open_record: Opener) -> Record:
    return await open_record()


@pytest.fixture
async def own_record(open_own_record: Opener) -> Record:
    return await open_own_record()


@pytest.fixture(scope="session", params=engines("vectors"))
def vectors_engine(request: pytest.FixtureRequest, running: Callable[[str], Server]) -> Server:
    return running(request.param)


@pytest.fixture(scope="session")
def vectors_place(vectors_engine: Server) -> Place:
    return vectors_engine.place()


@pytest.fixture
async def open_vectors(vectors_place: Place) -> AsyncIterator[Opener]:
    opener = Opener("vectors", vectors_place, options)
    yield opener
    await opener.close()


@pytest.fixture
async def open_own_vectors(vectors_engine: Server) -> AsyncIterator[Opener]:
    """Its encoder is its own too: a server has no second database to give."""
    encoder = EncoderId(f"own-{uuid.uuid4().hex[:8]}", DIMENSIONS)
    opener = Opener("vectors", vectors_engine.place(), lambda **changed: options(**{"encoder": encoder} | changed))
    yield opener
    await opener.close()


@pytest.fixture
async def vectors(open_vectors: Opener) -> Vectors:
    return await open_vectors()
