"""One MongoDB database, used from asyncio: the client, how long a call may take, and transactions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import pymongo
from pymongo import AsyncMongoClient
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.asynchronous.database import AsyncDatabase

from lira_core.stores.mongo.errors import explaining
from lira_core.stores.mongo.schema import migrate
from lira_core.stores.mongo.transactions import Transactions
from lira_core.stores.ports import StoreRejected, StoreUnavailable

log = logging.getLogger(__name__)
Document = dict[str, Any]

CONNECT_SECONDS = 2.0
OPERATION_SECONDS = 2.0
"""For one call with all its round trips and retries: a primary that fails over takes longer (10 s), and then the call is deferred."""
ITEM_SECONDS = 0.03
"""What each item of a call that brings or takes many may add to its time; SecantusDB takes a third of that on two busy cores."""
LONGEST_SECONDS = 45.0
"""Below the 60 s that a server lets a transaction live (`transactionLifetimeLimitSeconds`)."""
BULK_SECONDS = 30.0
"""For one step of what goes over very many documents: building an index, a sweep after a deletion, letting everything wait again."""
POOL = 64
"""Connections: a recall takes at most six at a time, so ten recalls at once do not wait; mongod gives each about 1 MiB."""


def allowance(items: int) -> float:
    """Seconds for a call with this many items."""
    return min(OPERATION_SECONDS + ITEM_SECONDS * items, LONGEST_SECONDS)


class Server:
    """The client of one database. StoreRejected for a URL that names none."""

    def __init__(self, url: str, setting: str) -> None:
        self.setting = setting
        self.where, name = _described(url, setting)
        self._closing = False
        self._busy = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._preparation: asyncio.Task[None] | None = None
        with explaining(self.where, setting):
            try:
                self._client: AsyncMongoClient[Document] = AsyncMongoClient(
                    url,
                    appname="lira",
                    connectTimeoutMS=int(CONNECT_SECONDS * 1000),
                    serverSelectionTimeoutMS=int(CONNECT_SECONDS * 1000),
                    socketTimeoutMS=int((OPERATION_SECONDS + 1) * 1000),
                    waitQueueTimeoutMS=int(OPERATION_SECONDS * 1000),
                    maxPoolSize=POOL,
                    retryWrites=True,
                    retryReads=True,
                    w="majority",
                    journal=True,
                    readPreference="primary",
                )
                self.transactions = Transactions(self._client)
                self.database: AsyncDatabase[Document] = self._client[name]
            except (ValueError, TypeError) as error:
                raise StoreRejected(f"{setting} is no MongoDB URL that can be used: {error}") from error

    async def begin(self) -> None:
        """Makes or checks the collections, if the server is there."""
        try:
            with explaining(self.where, self.setting):
                await self._prepared(BULK_SECONDS)
        except StoreUnavailable as error:
            log.warning("%s: %s; it is waited for", self.setting, error)

    @asynccontextmanager
    async def use(self, seconds: float = OPERATION_SECONDS) -> AsyncIterator[AsyncDatabase[Document]]:
        """The database, its collections made, for at most `seconds`; what the driver raises inside becomes a StoreError."""
        if self._closing:
            raise StoreRejected(f"{self.where} was closed")
        self._busy += 1
        self._idle.clear()
        try:
            with explaining(self.where, self.setting):
                await self._prepared(2 * OPERATION_SECONDS)
                with pymongo.timeout(seconds):
                    yield self.database
        finally:
            self._busy -= 1
            if self._busy == 0:
                self._idle.set()

    async def close(self) -> None:
        """Waits for the calls under way. Again is harmless."""
        self._closing = True
        await self._idle.wait()
        if self._preparation is not None:
            self._preparation.cancel()
            await asyncio.wait([self._preparation])
        await self.transactions.close()
        await self._client.close()

    async def _prepared(self, seconds: float) -> None:
        """Waits for the collections. Of many first calls one makes them; a caller who gives up leaves it to the others."""
        task = self._preparation
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._preparation = asyncio.create_task(self._prepare())
        if not task.done():
            await asyncio.wait([task], timeout=seconds)
            if not task.done():
                raise StoreUnavailable(f"{self.where}: its collections are still being made or brought up to date; wait")
            await task

    async def _prepare(self) -> None:
        with pymongo.timeout(OPERATION_SECONDS):
            await self.database.command("ping")
            await self.transactions.run(self._probe)
        with pymongo.timeout(BULK_SECONDS):
            await migrate(self.database, self.setting)

    async def _probe(self, session: AsyncClientSession) -> None:
        # A standalone server is known by what it cannot do, not by its name: some servers that can do it call themselves otherwise.
        await self.database["meta"].find_one({"_id": "schema"}, session=session)


@dataclass(slots=True)
class _Turn:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class Turns:
    """One writer at a time for each user within this process: their writes would only conflict, and be made again."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}

    @asynccontextmanager
    async def of(self, user_id: str) -> AsyncIterator[None]:
        """StoreUnavailable when the turn does not come within OPERATION_SECONDS."""
        turn = self._turns.setdefault(user_id, _Turn())
        turn.users += 1
        try:
            try:
                async with asyncio.timeout(OPERATION_SECONDS):
                    await turn.lock.acquire()
            except TimeoutError as error:
                raise StoreUnavailable(f"other writes for user {user_id} have taken more than {OPERATION_SECONDS:g} s; try again") from error
            try:
                yield
            finally:
                turn.lock.release()
        finally:
            turn.users -= 1
            if not turn.users:
                self._turns.pop(user_id, None)


def _described(url: str, setting: str) -> tuple[str, str]:
    """(the URL without user, password and options, the database's name)"""
    scheme, _, rest = url.partition("://")
    address, _, path = rest.partition("?")[0].partition("/")
    hosts = address.rpartition("@")[2]
    name = unquote(path)
    if not hosts or not name:
        raise StoreRejected(f"{setting} names no database: write {scheme}://{hosts or 'HOST'}/DATABASE")
    return f"{scheme}://{hosts}/{name}", name
