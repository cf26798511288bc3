"""The index by meaning on a server: pymilvus's own client over a socket, to Milvus Lite's gRPC server in a process of its own."""

from __future__ import annotations

import asyncio
import http.server
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from pymilvus import MilvusClient

from lira_cli.ports import free_port
from lira_core.stores import StoreError, StoreRejected, StoreUnavailable
from lira_core.stores.milvus import rows
from lira_core.stores.ports import EncoderId, Vectors

from .making import DIMENSIONS, ENCODER, NOON, items, opened, vectors_of

HERE = Path(__file__).parent
START_SECONDS = 30.0
[ASKED] = vectors_of(1, 99)


class Milvus:
    """A server that can be killed, stopped and started again on the same port and folder."""

    def __init__(self, folder: Path, token: str = "") -> None:
        self.folder, self.token = folder, token
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"milvus://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, str(HERE / "server.py"), str(self.folder), str(self.port), *([self.token] if self.token else [])]
        with self.folder.with_suffix(".log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while True:
            with suppress(OSError):
                return socket.create_connection(("127.0.0.1", self.port), 1).close()
            assert self.process.poll() is None, self.folder.with_suffix(".log").read_text()[-2_000:]
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.05)

    def signal(self, number: int) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)
        # The signal is on its way for a moment, in which the server may still answer.
        while number == signal.SIGSTOP and psutil.Process(self.process.pid).status() != psutil.STATUS_STOPPED:
            time.sleep(0.01)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@pytest.fixture(scope="module")
def milvus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Milvus]:
    """Shared: tests differ by their encoders."""
    server = Milvus(tmp_path_factory.mktemp("milvus") / "data")
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Milvus]:
    """A test's own, not started."""
    server = Milvus(tmp_path / "data")
    yield server
    server.kill()


@pytest.fixture
def encoder(request: pytest.FixtureRequest) -> EncoderId:
    return EncoderId(str(abs(hash(request.node.name))), DIMENSIONS)


@pytest.fixture
async def vectors(milvus: Milvus, encoder: EncoderId) -> AsyncIterator[Vectors]:
    opened_vectors = await opened(milvus.url, encoder)
    yield opened_vectors
    await opened_vectors.close()


async def eventually(holds: Callable[[], Awaitable[Any]], seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while True:
            with suppress(StoreUnavailable):
                if await holds():
                    return
            await asyncio.sleep(0.1)


# What is found


async def test_a_user_finds_their_own_by_cosine_and_by_then(vectors: Vectors) -> None:
    mine, others = items("u", 30), items("v", 30, seed=7)
    await vectors.add("u", mine)
    await vectors.add("v", others)
    by_cosine = sorted(mine, key=lambda item: -float(item.vector @ ASKED))
    hits = await vectors.search("u", ASKED, 5)
    assert [hit.id for hit in hits] == [item.memory.id for item in by_cosine[:5]]
    assert [hit.score for hit in hits] == pytest.approx([float(item.vector @ ASKED) for item in by_cosine[:5]], abs=0.001)
    early = await vectors.search("u", ASKED, 30, NOON + timedelta(minutes=3))
    assert {hit.id for hit in early} == {"m0", "m1", "m2", "m3"}
    assert await vectors.get("u", ["m4", "never", "m2"]) == [mine[4].memory, mine[2].memory]
    assert await vectors.search("nobody", ASKED, 5) == []


async def test_ids_that_look_like_expressions_are_names_and_nothing_else(vectors: Vectors) -> None:
    users = ['u" or owner != "', "u' or 1 == 1 or owner == '", "{user}", "u\\", "가%_*", "u"]
    for user in users:
        made = items(user, 2)
        await vectors.add(user, [replace(item, memory=replace(item.memory, id=f'{item.memory.id}" or "')) for item in made])
    for user in users:
        assert {hit.id for hit in await vectors.search(user, ASKED, 100)} == {'m0" or "', 'm1" or "'}
        assert [one.user_id for one in await vectors.get(user, ['m0" or "'])] == [user]
    await vectors.delete(users[0], ['m0" or "', '" or id != "'])
    await vectors.delete_user(users[1], 10)
    assert [len(await vectors.search(user, ASKED, 100)) for user in users] == [1, 0, 2, 2, 2, 2]


async def test_more_than_one_request_takes_are_added_found_and_deleted(vectors: Vectors) -> None:
    made = items("u", 1_100)
    await vectors.add("u", made)
    ids = [item.memory.id for item in made]
    assert len(await vectors.search("u", ASKED, 2_000)) == 1_100
    assert [one.id for one in await vectors.get("u", ids)] == ids
    await vectors.delete("u", ids[:1_050])
    assert {hit.id for hit in await vectors.search("u", ASKED, 2_000)} == set(ids[1_050:])


async def test_two_replicas_that_add_first_at_once_make_one_collection(milvus: Milvus, encoder: EncoderId) -> None:
    replicas = [await opened(milvus.url, encoder) for _ in range(4)]
    await asyncio.gather(*[replica.add(f"u{n}", items(f"u{n}", 3)) for n, replica in enumerate(replicas)])
    for n in range(4):
        assert len(await replicas[-1].search(f"u{n}", ASKED, 10)) == 3
    for replica in replicas:
        await replica.close()
        await replica.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await replicas[0].search("u0", ASKED, 1)


async def test_an_index_that_another_replica_cleared_is_empty_and_made_again(milvus: Milvus, vectors: Vectors, encoder: EncoderId) -> None:
    other = await opened(milvus.url, encoder)
    for _ in range(2):
        await vectors.add("u", items("u", 3))
        assert len(await other.search("u", ASKED, 10)) == 3
        await other.clear()
        assert await vectors.search("u", ASKED, 10) == []
        assert await vectors.get("u", ["m1"]) == []
        await vectors.delete("u", ["m1"])
        await vectors.delete_user("u", 10)
    await vectors.add("u", items("u", 3))
    await other.clear()
    await vectors.add("u", items("u", 2))
    assert len(await other.search("u", ASKED, 10)) == 2
    await other.close()


async def test_a_collection_without_index_that_was_never_loaded_is_completed(milvus: Milvus, vectors: Vectors, encoder: EncoderId) -> None:
    """Whoever made it died in between."""
    await vectors.add("u", items("u", 3))
    name = rows.collection_name(encoder)
    with closing(MilvusClient(f"http://127.0.0.1:{milvus.port}")) as client:
        client.release_collection(name)
        client.drop_index(name, "vector")
        client.create_index(name, client.prepare_index_params("vector", index_type="FLAT", metric_type="COSINE"))
        client.release_collection(name)
    again = await opened(milvus.url, encoder)
    assert len(await again.search("u", ASKED, 10)) == 3
    await again.close()


# What goes wrong


async def test_a_server_that_is_away_is_one_warning_and_used_when_it_is_there(own: Milvus, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "lira_core"):
        vectors = await opened(own.url)
    assert [record.levelname for record in caplog.records if record.name.startswith("lira_core")] == ["WARNING"]
    for call in (vectors.ping(), vectors.search("u", ASKED, 1), vectors.add("u", items("u", 1)), vectors.delete_user("u", 1)):
        with pytest.raises(StoreUnavailable, match=r"LIRA_VECTORS_URL|did not answer"):
            await call
    own.start()
    await eventually(lambda: _done(vectors.add("u", items("u", 5))))
    assert len(await vectors.search("u", ASKED, 10)) == 5
    await vectors.close()


async def _done(work: Awaitable[None]) -> bool:
    await work
    return True


async def test_after_a_kill_and_a_restart_the_same_opening_goes_on(own: Milvus) -> None:
    own.start()
    vectors = await opened(own.url)
    await vectors.add("u", items("u", 20))
    own.kill()
    with pytest.raises(StoreUnavailable):
        await vectors.search("u", ASKED, 5)
    with pytest.raises(StoreUnavailable):
        await vectors.ping()
    own.start()

    async def whole() -> bool:
        # A server forgets at a restart that a collection was loaded, until the next opening or the first question asks for it.
        return len(await vectors.search("u", ASKED, 100)) == 20

    await eventually(whole)
    await vectors.add("u", items("u", 5, 20))
    assert len(await vectors.search("u", ASKED, 100)) == 25
    await vectors.close()


async def test_a_server_that_hangs_is_given_up_on_and_found_again(own: Milvus) -> None:
    own.start()
    vectors = await opened(own.url)
    await vectors.add("u", items("u", 20))
    own.signal(signal.SIGSTOP)
    try:
        for call in (vectors.ping(), vectors.search("u", ASKED, 5), vectors.get("u", ["m1"])):
            with pytest.raises(StoreUnavailable):
                await call
    finally:
        own.signal(signal.SIGCONT)
    await eventually(lambda: vectors.search("u", ASKED, 5))
    await vectors.close()


async def test_a_cancelled_first_call_leaves_the_client_usable(own: Milvus) -> None:
    own.start()
    for wait in (0.0, 0.005, 0.05, 0.2):
        vectors = await opened(own.url, EncoderId(f"wait-{int(wait * 1_000)}", DIMENSIONS))
        calls = [asyncio.create_task(vectors.add(f"u{n}", items(f"u{n}", 2))) for n in range(5)]
        await asyncio.sleep(wait)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await vectors.add("u", items("u", 3))
        assert len(await vectors.search("u", ASKED, 10)) == 3
        await vectors.close()


async def test_a_refused_token_is_rejected_at_opening_and_in_no_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    server = Milvus(tmp_path / "data", token="root:Milvus")
    try:
        server.start()
        for user in ("", "root:wrong-secret@"):
            with caplog.at_level(logging.DEBUG), pytest.raises(StoreRejected, match="LIRA_VECTORS_URL") as caught:
                await opened(f"milvus://{user}127.0.0.1:{server.port}")
            assert "wrong-secret" not in str(caught.value) + caplog.text
        vectors = await opened(f"milvus://root:Milvus@127.0.0.1:{server.port}")
        await vectors.add("u", items("u", 3))
        assert len(await vectors.search("u", ASKED, 10)) == 3
        await vectors.close()
    finally:
        server.kill()


async def test_a_collection_of_another_program_is_rejected_at_opening(milvus: Milvus) -> None:
    encoder = EncoderId("theirs", DIMENSIONS)
    with closing(MilvusClient(f"http://127.0.0.1:{milvus.port}")) as client:
        schema = client.create_schema()
        schema.add_field("id", 21, is_primary=True, max_length=64)
        schema.add_field("vector", 101, dim=3)
        client.create_collection(rows.collection_name(encoder), schema=schema)

    async def open_it() -> None:
        for _ in range(5):  # a server too busy to answer just then is taken for one that is away, and waited for
            await (await opened(milvus.url, encoder)).close()

    with pytest.raises(StoreRejected, match="LIRA_VECTORS_URL"):
        await open_it()


async def test_a_server_of_another_kind_is_never_taken_for_milvus() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as web:
        thread = threading.Thread(target=web.serve_forever)
        thread.start()
        try:
            vectors = None
            with suppress(StoreRejected):
                vectors = await opened(f"milvus://127.0.0.1:{web.server_port}", ENCODER)
            if vectors is not None:
                with pytest.raises(StoreError):
                    await vectors.ping()
                await vectors.close()
        finally:
            web.shutdown()
            thread.join()
