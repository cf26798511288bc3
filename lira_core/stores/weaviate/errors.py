"""What an error of the Weaviate client means: wait for it (StoreUnavailable), or do not (StoreRejected).

gRPC carries most of Weaviate's errors with the status UNKNOWN and a Go error's text, batches carry the text alone; so for those, and for
those only, the text decides. What is not known to pass is rejected.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from typing import Final

import httpx
from grpc import StatusCode
from grpc.aio import AioRpcError
from weaviate.exceptions import (
    AuthenticationFailedError,
    InsufficientPermissionsError,
    ResponseCannotBeDecodedError,
    UnexpectedStatusCodeError,
    WeaviateClosedClientError,
    WeaviateConnectionError,
    WeaviateGRPCUnavailableError,
    WeaviateTimeoutError,
)

from lira_core.stores.ports import StoreError, StoreRejected, StoreUnavailable

DETAIL: Final = 300
"""The most characters of the server's own words in a message: they may quote what was sent."""

PASSING: Final = re.compile(
    r"read-?only|disk (usage|pressure|full)|no space|(enough|out of) memory|memory (pressure|usage)|consistency level|enough replicas"
    r"|deadline exceeded|timed? ?-?out|connection (refused|reset)|connect: |broken pipe|\bEOF\b|context cancell?ed|\bleader\b|shut(ting)? ?down"
    r"|\bclosed\b|too many requests|resource exhausted|rate limit|unavailable|not ready|\b(un)?freezing\b|onloading|offloading|in progress"
    r"|flagged for cleanup|could have been deleted",
    re.IGNORECASE,
)
"""Texts of Weaviate errors that pass (adapters/repos/db, usecases/replica, cluster/ of its source): full disks and shards set to read-only
for it, memory pressure, too few replicas, timeouts, elections, shards that are being opened or closed, and a search that meets what is
being deleted (weaviate/weaviate issues 4227 and 11085)."""

UNAVAILABLE: Final = frozenset(
    {StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.RESOURCE_EXHAUSTED, StatusCode.CANCELLED, StatusCode.ABORTED}
)
REFUSED: Final = frozenset({StatusCode.UNAUTHENTICATED, StatusCode.PERMISSION_DENIED})
NO_GRPC: Final = re.compile(r"http1\.x|failed parsing http/2|missing selected ALPN|content-type", re.IGNORECASE)
NETWORK: Final = (
    httpx.HTTPError,
    WeaviateConnectionError,
    WeaviateTimeoutError,
    WeaviateClosedClientError,
    WeaviateGRPCUnavailableError,
    OSError,
)


def explained(error: BaseException, where: str, setting: str) -> StoreError:
    """The StoreError for what the client raised; `where` is the server's address without its key."""
    chain = list(_chain(error))
    if any(isinstance(link, ssl.SSLCertVerificationError) or "WRONG_VERSION_NUMBER" in str(link) for link in chain):
        return StoreRejected(f"{where} does not speak the TLS that {setting} asks for; mend its certificate, or use weaviate:// without TLS")
    for link in chain:
        if isinstance(link, AioRpcError):
            return of_status(link.code(), link.details() or "", where, setting)
        if isinstance(link, InsufficientPermissionsError | AuthenticationFailedError):
            return _refused(where, setting)
        if isinstance(link, UnexpectedStatusCodeError | ResponseCannotBeDecodedError):
            return _of_http(link.status_code, str(link), where, setting)
        if isinstance(link, httpx.UnsupportedProtocol | httpx.InvalidURL):
            return StoreRejected(f"{setting} cannot be connected to: {_short(str(link))}")
        if isinstance(link, NETWORK):
            return StoreUnavailable(f"Weaviate at {where} cannot be reached ({type(link).__name__}); is it running, and is {setting} right?")
    return of_text(str(error), where)


def of_text(text: str, where: str) -> StoreError:
    """For an error that has nothing but its text."""
    if PASSING.search(text):
        return StoreUnavailable(f"Weaviate at {where} cannot do it now: {_short(text)}")
    return StoreRejected(f"Weaviate at {where} refused: {_short(text)}")


def of_status(code: StatusCode, details: str, where: str, setting: str) -> StoreError:
    """For a gRPC call that failed."""
    if code in REFUSED or "extract auth" in details:
        return _refused(where, setting)
    if code is StatusCode.UNIMPLEMENTED or NO_GRPC.search(details):
        return StoreRejected(f"{where} does not answer as Weaviate's gRPC does; mend grpc_port (and grpc_host) in {setting}")
    if code in UNAVAILABLE and "larger than max" not in details:
        return StoreUnavailable(f"Weaviate at {where} cannot be reached over gRPC ({code.name}); is it running, is grpc_port in {setting} right?")
    return of_text(details, where)


def _of_http(status: int, text: str, where: str, setting: str) -> StoreError:
    if status in (401, 403):
        return _refused(where, setting)
    if status == 429 or status >= 500:
        return StoreUnavailable(f"Weaviate at {where} cannot do it now (HTTP {status}): {_short(text)}")
    return of_text(text, where)


def _refused(where: str, setting: str) -> StoreRejected:
    return StoreRejected(f"Weaviate at {where} refuses the API key, or it lacks a permission; mend the password part of {setting}")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    # The client drops gRPC's status from most of its own errors, and leaves it in what they were raised from. An error that was in
    # LIRA's words already belongs to an earlier call.
    while error is not None and not isinstance(error, StoreError):
        yield error
        error = error.__cause__ or error.__context__


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= DETAIL else f"{line[:DETAIL]}..."
