"""One client to one Milvus server: connected at first use, each call bounded in time, each error in LIRA's words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from pymilvus import AsyncMilvusClient

from lira_core.stores.milvus.address import Server
from lira_core.stores.milvus.errors import explained
from lira_core.stores.ports import StoreError, StoreUnavailable

T = TypeVar("T")

OPERATION_SECONDS: Final = 2.0
"""How long connecting, or a question, may take."""
BULK_SECONDS: Final = 10.0
"""The same for a batch of vectors, a deletion by filter, and changes of the schema: Milvus itself gives those 10 s and more."""

CHANNEL: Final = {
    # gRPC waits up to two minutes between two attempts to reach a server that was away; recall is to be whole seconds after it is back.
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.min_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
}

ONCE: Final = {"retry_times": 1}
"""Once more after the client has renewed its channel; by itself it would try 75 times, for minutes."""


class Connection:
    """Not connected until the first `call`. After an outage the same client goes on."""

    def __init__(self, address: Server, setting: str) -> None:
        self.address = address
        self.setting = setting
        self._client = AsyncMilvusClient(
            uri=address.uri,
            token=address.token,
            db_name=address.database,
            timeout=OPERATION_SECONDS,
            grpc_options=CHANNEL,
            # A channel of its own: pymilvus would share it with whoever else in this process names the same address, and their closing.
            dedicated=True,
        )
        self._connecting = asyncio.Lock()
        self._connected = False
        self._closed = False

    async def call(self, work: Callable[[AsyncMilvusClient], Awaitable[T]], seconds: float | None = OPERATION_SECONDS) -> T:
        """What `work` returns; StoreUnavailable after `seconds`, and StoreError for whatever else goes wrong in it."""
        if self._closed:
            raise StoreUnavailable(f"the connection to Milvus at {self.address} was closed")
        try:
            async with asyncio.timeout(seconds) as clock:
                await self._connect()
                return await work(self._client)
        except StoreError:
            raise
        except Exception as error:
            if isinstance(error, TimeoutError) and clock.expired():
                raise StoreUnavailable(f"Milvus at {self.address} did not answer within {seconds:g} s; is it running?") from error
            raise explained(error, str(self.address), self.setting) from error

    async def close(self) -> None:
        """Again is harmless."""
        if not self._closed:
            self._closed = True
            await self._client.close()

    async def _connect(self) -> None:
        # pymilvus makes a channel for each of several calls that come before the first has connected, and loses all but one.
        if not self._connected:
            async with self._connecting, asyncio.timeout(OPERATION_SECONDS):
                if not self._connected:
                    await self._client._connect()
                    self._connected = True


# pymilvus logs each failed call with its traceback, twice a second while a server is away; each is raised here, with its cause.
logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
