"""One Redis server or cluster, used from asyncio: the client, how long a call may take, and scripts."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.cluster import RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError, NoScriptError, RedisError, ResponseError

from lira_core.stores.ports import StoreRejected, StoreUnavailable
from lira_core.stores.redis import keys
from lira_core.stores.redis.address import parse
from lira_core.stores.redis.errors import explaining

log = logging.getLogger(__name__)
T = TypeVar("T")

CONNECT_SECONDS = 2.0
OPERATION_SECONDS = 2.0
"""For one script with connecting and the second try: a hung server is known by then. So long a call also waits for its turn, at most."""
POOL = 16
"""Calls at once, each with a connection: a script takes the server's one thread some 50 us and the network a few times that, so more would
only wait there."""
SCAN = 500
"""Fields of a hash that one step of a scan goes over."""
SCHEMA = 1
"""Of the keys' names and contents; a number that only grows."""


@dataclass(frozen=True, slots=True)
class Script:
    """Lua that the server runs atomically."""

    text: str
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest())


class Server:
    """The client of one server. StoreRejected for a URL that names none.

    A call goes on when whoever waits for it is cancelled, for at most OPERATION_SECONDS: so no connection is left half-way.
    """

    def __init__(self, url: str, setting: str) -> None:
        self.setting = setting
        address = parse(url, setting)
        self.where = address.where
        self._client = _client(address.url, address.cluster, setting)
        self._turns = asyncio.Semaphore(POOL)
        self._running: set[asyncio.Task[Any]] = set()
        self._closing = False
        self._prepared = False
        self._preparing = asyncio.Lock()

    async def begin(self) -> None:
        """Looks whose keys are there, if the server is."""
        try:
            await self.ping()
        except StoreUnavailable as error:
            log.warning("%s: %s; it is waited for", self.setting, error)

    async def run(self, script: Script, keys: Sequence[str], args: Sequence[str | bytes | int] = ()) -> Any:
        """What the script returns: bytes, ints, None and lists of these."""
        return await self._do(lambda: self._evaluate(script, keys, args))

    async def scan(self, key: str) -> AsyncIterator[tuple[bytes, bytes]]:
        """The fields of a hash and what they hold: all that are there from the first step to the last, some of them twice."""
        cursor = 0
        while True:
            cursor, found = await self._do(partial(self._scan, key, cursor))
            for pair in found.items():
                yield pair
            if not cursor:
                return

    async def ping(self) -> None:
        await self._do(self._client.ping)

    async def close(self) -> None:
        """Waits for the calls under way. Again is harmless."""
        self._closing = True
        while self._running:
            await asyncio.wait(self._running)
        with explaining(self.where, self.setting):
            await self._client.aclose()

    async def _do(self, work: Callable[[], Awaitable[T]]) -> T:
        if self._closing:
            raise StoreRejected(f"{self.where} was closed")
        task = asyncio.create_task(self._within(work))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def _within(self, work: Callable[[], Awaitable[T]]) -> T:
        # First come, first served, which redis-py's own pool that waits is not: of a thousand calls at once it lets some wait for the last.
        with explaining(self.where, self.setting):
            async with asyncio.timeout(OPERATION_SECONDS):
                await self._turns.acquire()
        try:
            with explaining(self.where, self.setting):
                async with asyncio.timeout(OPERATION_SECONDS):
                    if not self._prepared:
                        await self._prepare()
                    return await work()
        finally:
            self._turns.release()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # whoever asked may have been cancelled: then nobody else looks at it

    async def _evaluate(self, script: Script, keys: Sequence[str], args: Sequence[str | bytes | int]) -> Any:
        try:
            return await _awaited(self._client.evalsha(script.digest, len(keys), *keys, *args))
        except NoScriptError:
            # The server is new to it, or has been started again.
            return await _awaited(self._client.eval(script.text, len(keys), *keys, *args))

    async def _scan(self, key: str, cursor: int) -> tuple[int, dict[bytes, bytes]]:
        step: Any = await self._client.hscan(key, cursor, count=SCAN)
        return int(step[0]), step[1]

    async def _prepare(self) -> None:
        async with self._preparing:
            if self._prepared:
                return
            await self._client.set(keys.SCHEMA, str(SCHEMA), nx=True)
            await self._check_schema()
            await self._warn()
            self._prepared = True

    async def _check_schema(self) -> None:
        held = await self._client.get(keys.SCHEMA)
        if held is None or not held.isdigit():
            raise StoreRejected(f"{self.setting}: {self.where} has another program's {keys.SCHEMA}; give LIRA a database of its own")
        if int(held) > SCHEMA:
            raise StoreRejected(
                f"{self.setting}: the keys at {self.where} are of a newer LIRA (schema {int(held)}, this one knows {SCHEMA});"
                " update LIRA or use another database"
            )

    async def _warn(self) -> None:
        """Says once what in the server's settings may lose something. Who may not look (a managed Redis) is not bothered."""
        if await self._config("appendonly") == "no":
            self._warn_of("appendonly off, so a crash takes what waits in the outbox; set appendonly yes")
        elif await self._config("appendfsync") in ("everysec", "no"):
            self._warn_of("appendfsync not at always, so a crash takes the last 2 seconds of what waits in the outbox; set appendfsync always")
        policy = await self._config("maxmemory-policy")
        if policy not in ("", "noeviction"):
            self._warn_of(f"maxmemory-policy {policy}, which may evict what waits or the note of a deletion; set it to noeviction")

    def _warn_of(self, what: str) -> None:
        log.warning("%s: %s has %s", self.setting, self.where, what)

    async def _config(self, name: str) -> str:
        try:
            found: Any = await self._client.config_get(name)
        except ResponseError:
            return ""
        return next((_text(value) for key, value in found.items() if _text(key) == name), "")


async def _awaited(answer: Awaitable[T] | T) -> T:
    # redis-py types its commands for its clients with and without asyncio at once.
    return await answer if isinstance(answer, Awaitable) else answer


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _client(url: str, cluster: bool, setting: str) -> Redis | RedisCluster:
    limits: dict[str, Any] = {
        "socket_timeout": OPERATION_SECONDS,
        "socket_connect_timeout": CONNECT_SECONDS,
        # RESP2, because connecting with 3 takes a round trip more and gives nothing that is used here.
        "protocol": 2,
        # Once more and at once, for a connection that the server closed while it was idle; scripts are idempotent.
        "retry": Retry(NoBackoff(), 1, (ConnectionError,)),
        "max_connections": 2 * POOL,
        # Nobody asks the server which library its clients use, and telling it takes longer than connecting.
        "driver_info": None,
    }
    try:
        if cluster:
            return RedisCluster.from_url(url, **limits)
        pool = ConnectionPool.from_url(url, **limits)
        pool.make_connection()  # type: ignore[no-untyped-call]  # reads the parameters
        return Redis.from_pool(pool)
    except (ValueError, TypeError, RedisError) as error:
        raise StoreRejected(f"{setting} has a parameter that redis-py cannot use: {error}") from error
