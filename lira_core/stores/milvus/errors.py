"""What an error of the Milvus client means: wait for it (StoreUnavailable), or do not (StoreRejected). What is not known to pass is rejected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import grpc
from pymilvus import MilvusException

from lira_core.stores.ports import StoreError, StoreRejected, StoreUnavailable

DETAIL: Final = 300
"""The most characters of the server's own words in a message: they may quote what was sent."""

ABSENT: Final = 100
"""CollectionNotFound."""
PASSING: Final = frozenset({2, 3, 4, 7, 8, 9, 11, 101, 103, 106})
"""Milvus's codes (pkg/util/merr/errors.go) for: unavailable, out of memory, too many requests, disk full, rate limit, writes denied by a quota,
late time ticks, not loaded, not fully loaded, recovering. 1 (not ready) is also what the client gives its own errors: there the
server's mark `retriable` decides."""
PASSING_HUNDREDS: Final = frozenset({4, 5, 6, 9, 10})
"""Of which hundreds all pass: replicas, channels, segments, nodes, and the object storage under Milvus."""
REFUSED_HUNDREDS: Final = frozenset({14})

UNAVAILABLE: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.ABORTED,
    }
)
REFUSED: Final = frozenset({grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED})


def absent(error: BaseException) -> bool:
    """The collection is not there."""
    return any(isinstance(link, MilvusException) and link.code == ABSENT for link in _chain(error))


def explained(error: BaseException, where: str, setting: str) -> StoreError:
    """The StoreError for what the client raised; `where` is the server's address without its token."""
    for link in _chain(error):
        if isinstance(link, grpc.RpcError) and hasattr(link, "code"):
            return _of_status(link.code(), str(link.details() or ""), where, setting)
    for link in _chain(error):
        if isinstance(link, TimeoutError | OSError):
            return StoreUnavailable(f"Milvus at {where} cannot be reached ({type(link).__name__}); is it running, and is {setting} right?")
        if isinstance(link, MilvusException):
            return _of_code(link, where, setting)
    return StoreRejected(f"Milvus at {where} could not be asked: {_short(str(error))}")


def _of_status(code: grpc.StatusCode, details: str, where: str, setting: str) -> StoreError:
    if code in REFUSED:
        return _refused(where, setting)
    if code is grpc.StatusCode.UNIMPLEMENTED or "http1.x" in details or "HTTP/2" in details:
        return StoreRejected(f"{where} does not answer as Milvus does; mend {setting}")
    if code in UNAVAILABLE:
        return StoreUnavailable(f"Milvus at {where} cannot be reached ({code.name}); is it running, and is {setting} right?")
    return StoreRejected(f"Milvus at {where} refused ({code.name}): {_short(details)}")


def _of_code(error: MilvusException, where: str, setting: str) -> StoreError:
    number = error.code if isinstance(error.code, int) else 0
    if number // 100 in REFUSED_HUNDREDS:
        return _refused(where, setting)
    if not error.is_input_error and (error.retriable or number in PASSING or number // 100 in PASSING_HUNDREDS):
        return StoreUnavailable(f"Milvus at {where} cannot do it now ({number}): {_short(error.message)}")
    return StoreRejected(f"Milvus at {where} refused ({number}): {_short(error.message)}")


def _refused(where: str, setting: str) -> StoreRejected:
    return StoreRejected(f"Milvus at {where} refuses the user, the password or the token, or they lack a right; mend them in {setting}")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    # pymilvus raises errors from themselves: such a chain has no end.
    seen: set[int] = set()
    while error is not None and not isinstance(error, StoreError) and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _short(text: str) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= DETAIL else f"{line[:DETAIL]}..."
