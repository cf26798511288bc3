"""What an error of the client or the server means for LIRA."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

from redis.exceptions import (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    AuthorizationError,
    ConnectionError,
    InvalidResponse,
    MovedError,
    NoPermissionError,
    RedisClusterException,
    RedisError,
    TimeoutError,
)

from lira_core.stores.ports import StoreError, StoreRejected, StoreUnavailable

PASSING = {
    "OOM": "its memory is full; give it more (maxmemory)",
    "MISCONF": "it cannot write to its disk; free some space",
    "READONLY": "it is a replica, or a failover is under way",
    "LOADING": "it is still reading its data",
    "BUSY": "a script keeps it busy",
    "UNKILLABLE": "a script keeps it busy",
    "NOREPLICAS": "too few of its replicas are there",
    "MASTERDOWN": "its primary is away",
    "CLUSTERDOWN": "a part of the cluster is away",
    "TRYAGAIN": "the cluster is moving keys",
    "ASK": "the cluster is moving keys",
    "max number of clients": "it has too many clients",
}
"""Redis's error codes that pass by themselves, or once somebody has seen to the server (https://redis.io/docs/latest/develop/reference/protocol-spec,
src/server.c `createSharedObjects`). Up to Redis 6 a script's error has its code in the middle of the text."""
CODE = re.compile(r"(?:^|-)(" + "|".join(PASSING) + r")\b")
KINDS = {
    "OutOfMemoryError": "OOM",
    "ReadOnlyError": "READONLY",
    "BusyLoadingError": "LOADING",
    "MasterDownError": "MASTERDOWN",
    "ClusterDownError": "CLUSTERDOWN",
    "TryAgainError": "TRYAGAIN",
    "AskError": "ASK",
}
"""The errors of which redis-py cuts the code off."""
REFUSED = (AuthenticationError, AuthorizationError, AuthenticationWrongNumberOfArgsError, NoPermissionError)


@contextmanager
def explaining(where: str, setting: str) -> Iterator[None]:
    """Turns what the client raises inside into the StoreError that says what to do; `where` is the URL without its password."""
    try:
        yield
    except (RedisError, RedisClusterException, OSError, UnicodeError) as error:
        raise explained(error, where, setting) from error


def explained(error: Exception, where: str, setting: str) -> StoreError:
    told = f"({type(error).__name__}: {str(error)[:200]})"
    if isinstance(error, REFUSED):
        return StoreRejected(f"{setting}: {where} refuses the user or the password, or the user may not do this {told}")
    code = KINDS.get(type(error).__name__)
    found = CODE.search(str(error)) if code is None else None
    if code is not None or found is not None:
        return StoreUnavailable(f"{where}: {PASSING[code or found[1]]} {told}")  # type: ignore[index]
    if isinstance(error, MovedError):
        return StoreRejected(f"{setting}: {where} is one node of a cluster; add ?cluster=true to the URL {told}")
    if isinstance(error, RedisClusterException):
        if "not enabled" in str(error):
            return StoreRejected(f"{setting}: {where} is no cluster; take ?cluster=true from the URL {told}")
        return StoreUnavailable(f"{where}: the cluster cannot be reached, or not all of it {told}")
    if isinstance(error, ConnectionError | TimeoutError | OSError):
        if any(_is_of_our_making(cause) for cause in _chain(error)):
            return StoreRejected(f"{setting}: {where} cannot be used over TLS like this {told}")
        return StoreUnavailable(f"{where} cannot be reached or is too slow now {told}")
    if isinstance(error, UnicodeError):
        return StoreRejected(f"{where} cannot hold text that is not Unicode {told}")
    if isinstance(error, InvalidResponse):
        return StoreRejected(f"{setting}: what answers at {where} is no Redis {told}")
    return StoreRejected(f"{setting}: {where} {told}")


def _is_of_our_making(cause: BaseException) -> bool:
    """A certificate that is not there or not trusted, or no TLS at all: not what a server that goes down mid-way does."""
    if isinstance(cause, ssl.SSLError):
        return not isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError | ssl.SSLSyscallError)
    return isinstance(cause, FileNotFoundError | PermissionError)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
