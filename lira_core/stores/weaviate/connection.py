"""One client to one Weaviate: connected at first use, each call bounded in time, each error in LIRA's words."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import grpc
from weaviate import WeaviateAsyncClient
from weaviate.auth import Auth
from weaviate.config import AdditionalConfig, ConnectionConfig, GrpcConfig, Timeout
from weaviate.connect.base import ConnectionParams, ProtocolParams
from weaviate.exceptions import ResponseCannotBeDecodedError, UnexpectedStatusCodeError, WeaviateStartUpError
from weaviate.proto.v1 import health_weaviate_pb2

from lira_core.stores.ports import StoreError, StoreRejected, StoreUnavailable
from lira_core.stores.weaviate.address import Address
from lira_core.stores.weaviate.errors import explained, of_status, of_text

T = TypeVar("T")

OPERATION_SECONDS: Final = 2.0
"""How long connecting, a question, or a small write may take. The client's own waiting between its tries (1 s, 2 s, 4 s) is cut off by it."""
BULK_SECONDS: Final = 10.0
"""The same for a batch of vectors, a deletion by filter, and changes of the schema, which go through the cluster's log."""

OLDEST: Final = (1, 30)
"""1.30 brought BM25 by BlockMax WAND, which ranks exactly, and is the oldest with all that is used here: range indexes (1.26), tenants
created and activated by themselves (1.25.2), one tenant's status over REST (1.28)."""

CHANNEL: Final = [
    # gRPC waits up to two minutes between two attempts to reach a server that was away; recall is to be whole seconds after it is back.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # By its name the shortest pause, in truth how long one attempt may take (20 s otherwise).
    ("grpc.min_reconnect_backoff_ms", round(OPERATION_SECONDS * 1_000)),
    # What is sent and not acknowledged for 5 s closes the connection: a node that vanished says nothing. gRPC sets TCP_USER_TIMEOUT when
    # keepalive is on (gRFC A18); no call lasts until the first ping, which a server may not allow.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 5_000),
]


class Connection:
    """Not connected until the first `call`. After an outage the same client goes on."""

    def __init__(self, address: Address, setting: str) -> None:
        self.address = address
        self.setting = setting
        self._client: WeaviateAsyncClient | None = None
        self._connecting = asyncio.Lock()
        self._closed = False
        self._away = False

    async def call(self, work: Callable[[WeaviateAsyncClient], Awaitable[T]], seconds: float = OPERATION_SECONDS) -> T:
        """What `work` returns; StoreUnavailable after `seconds`, and StoreError for whatever else goes wrong in it."""
        if self._away:
            # The client tries again for seconds when gRPC is unavailable; while the server is known to be away, that would hold up everybody.
            await self._serving()
            self._away = False
        try:
            return await self._bounded(work, seconds)
        except StoreUnavailable:
            self._away = not self._closed
            raise

    async def ping(self) -> None:
        """Both ways are open: REST answers, gRPC serves."""
        await self.call(lambda client: client.get_meta())
        await self._serving()

    async def close(self) -> None:
        """Again is harmless; whatever is under way fails as StoreUnavailable."""
        self._closed = True
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def explained(self, error: BaseException) -> StoreError:
        return explained(error, str(self.address), self.setting)

    def refused(self, text: str) -> StoreError:
        """For an error that Weaviate reports as nothing but a text."""
        return of_text(text, str(self.address))

    async def _bounded(self, work: Callable[[WeaviateAsyncClient], Awaitable[T]], seconds: float) -> T:
        try:
            async with asyncio.timeout(seconds):
                return await work(self._client or await self._connected())
        except StoreError:
            raise
        except TimeoutError as error:
            raise StoreUnavailable(f"Weaviate at {self.address} did not answer within {seconds:g} s; is it running?") from error
        except Exception as error:
            raise self.explained(error) from error

    async def _serving(self) -> None:
        try:
            async with asyncio.timeout(OPERATION_SECONDS):
                serving = await self._health()
        except TimeoutError as error:
            raise StoreUnavailable(f"Weaviate at {self.address} did not answer over gRPC within {OPERATION_SECONDS:g} s") from error
        except grpc.aio.AioRpcError as error:
            raise of_status(error.code(), error.details() or "", str(self.address), self.setting) from error
        if not serving:
            raise StoreUnavailable(f"Weaviate at {self.address} does not serve over gRPC yet")

    async def _connected(self) -> WeaviateAsyncClient:
        async with self._connecting:
            if self._closed:
                raise StoreUnavailable(f"the connection to Weaviate at {self.address} is closed")
            if self._client is None:
                client = self._made()
                try:
                    await self._connect(client)
                except BaseException:
                    await client.close()
                    raise
                self._client = client
            return self._client

    async def _connect(self, client: WeaviateAsyncClient) -> None:
        other = f"{self.address} answers, but not as Weaviate does; mend host and port of {self.setting}"
        try:
            await client.connect()
            version = str((await client.get_meta())["version"])
        except WeaviateStartUpError as error:
            if error.__cause__ is None:  # the client's own check of the version
                raise StoreRejected(f"{error} ({self.setting})") from error
            raise
        except UnexpectedStatusCodeError as error:
            if error.status_code in (401, 403, 429) or error.status_code >= 500:
                raise
            raise StoreRejected(other) from error
        except (ResponseCannotBeDecodedError, KeyError, TypeError, AttributeError, ValueError) as error:
            raise StoreRejected(other) from error
        found = re.match(r"v?(\d+)\.(\d+)", version)
        if found is None or (int(found[1]), int(found[2])) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise StoreRejected(f"Weaviate at {self.address} is version {version}; LIRA needs {oldest} or newer: update it, or change {self.setting}")

    def _made(self) -> WeaviateAsyncClient:
        address = self.address
        return WeaviateAsyncClient(
            # The validated constructor refuses one port for both, which a proxy that tells gRPC from REST may well have.
            connection_params=ConnectionParams.model_construct(
                http=ProtocolParams(host=address.host, port=address.port, secure=address.secure),
                grpc=ProtocolParams(host=address.grpc_host, port=address.grpc_port, secure=address.secure),
            ),
            auth_client_secret=None if address.key is None else Auth.api_key(address.key),
            additional_config=AdditionalConfig(
                connection=ConnectionConfig(session_pool_timeout=round(OPERATION_SECONDS)),
                timeout=Timeout(init=OPERATION_SECONDS, query=OPERATION_SECONDS, insert=BULK_SECONDS),
                grpc_config=GrpcConfig(channel_options=CHANNEL),
            ),
            # The checks ask the package index for the newest client, and fail where the server is away.
            skip_init_checks=True,
        )

    async def _health(self) -> bool:
        # The client's own check prints its error; and its calls hide for seconds, behind tries, that the port is wrong.
        target = f"{self.address.grpc_host}:{self.address.grpc_port}"
        secure = self.address.secure
        channel = grpc.aio.secure_channel(target, grpc.ssl_channel_credentials()) if secure else grpc.aio.insecure_channel(target)
        async with channel:
            check = channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                request_serializer=health_weaviate_pb2.WeaviateHealthCheckRequest.SerializeToString,
                response_deserializer=health_weaviate_pb2.WeaviateHealthCheckResponse.FromString,
            )
            answer = await check(health_weaviate_pb2.WeaviateHealthCheckRequest(), timeout=OPERATION_SECONDS)
            return bool(answer.status == health_weaviate_pb2.WeaviateHealthCheckResponse.SERVING)


def _without_objects(record: logging.LogRecord) -> bool:
    # The client logs the objects of a batch that failed, with what people said; the error itself is raised here.
    return not isinstance(record.msg, dict)


logging.getLogger("weaviate-client").addFilter(_without_objects)
