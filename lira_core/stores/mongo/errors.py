"""What an error of the driver or the server means for LIRA."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bson.errors import BSONError
from pymongo.errors import (
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    DocumentTooLarge,
    DuplicateKeyError,
    InvalidName,
    OperationFailure,
    PyMongoError,
    WriteConcernError,
)

from lira_core.stores.ports import StoreError, StoreRejected, StoreUnavailable

DUPLICATE_KEY = 11_000
# Codes from MongoDB's error_codes.yml.
PASSING = {
    6: "the host cannot be reached",
    7: "the host cannot be found",
    24: "a lock was not free in time",
    50: "the operation took too long",
    64: "not enough members of the replica set confirmed the write in time",
    91: "the server is shutting down",
    100: "the replica set has too few members for a majority",
    112: "too many writes for one user at once",
    133: "no primary can be found",
    189: "the primary is stepping down",
    225: "the transaction took longer than the server allows",
    251: "the server has given the transaction up",
    262: "the operation took too long",
    10_107: "the server is not the primary",
    11_600: "the server is shutting down",
    DUPLICATE_KEY: "another process wrote the same at the same moment",
    11_602: "the primary is stepping down",
    13_435: "the server is not the primary",
    13_436: "the server is recovering",
    14_031: "the disk is full; free some space",
}
REFUSED = {13, 18, 33, 8_000}
"""Unauthorized, AuthenticationFailed, NoSuchKey of a credential, and Atlas's own AtlasError for a wrong password."""
STANDALONE = {20, 263}
"""IllegalOperation and OperationNotSupportedInTransaction: what a server without a replica set answers to a transaction."""


@contextmanager
def explaining(where: str, setting: str) -> Iterator[None]:
    """Turns what the driver raises inside into the StoreError that says what to do; `where` is the URL without its password."""
    try:
        yield
    except (PyMongoError, BSONError, UnicodeError, OverflowError) as error:
        raise explained(error, where, setting) from error


def explained(error: Exception, where: str, setting: str) -> StoreError:
    if isinstance(error, OperationFailure) and (code := _code(error)) is not None:
        if code in PASSING:
            return StoreUnavailable(f"{where}: {PASSING[code]} ({_brief(error)})")
        if code in REFUSED:
            return StoreRejected(f"{setting}: {where} refuses the user or the password, or the user may not do this ({_brief(error)})")
        if code in STANDALONE:
            return StoreRejected(
                f"{setting}: {where} has no transactions, so a deletion could not be kept; start MongoDB as a replica set"
                f" (one member is enough: mongod --replSet rs0, then rs.initiate()) ({_brief(error)})"
            )
    if isinstance(error, ConfigurationError | InvalidName):
        return StoreRejected(f"{setting} is no MongoDB URL that can be used: {_brief(error)}")
    if isinstance(error, DocumentTooLarge | BSONError | UnicodeError | OverflowError):
        return StoreRejected(f"{where} cannot hold this: {_brief(error)}")
    if isinstance(error, ConnectionFailure | WriteConcernError) or (isinstance(error, PyMongoError) and _passes(error)):
        return StoreUnavailable(f"{where} cannot be reached or is too slow now ({_brief(error)})")
    return StoreRejected(f"{where}: {_brief(error)}")


def is_duplicate(error: Exception) -> bool:
    """True when nothing but an id that is there already stopped the write."""
    if isinstance(error, BulkWriteError):
        failures = error.details.get("writeErrors") or [{}]
        return all(failure.get("code") == DUPLICATE_KEY for failure in failures)
    return isinstance(error, DuplicateKeyError)


def _passes(error: PyMongoError) -> bool:
    labels = ("TransientTransactionError", "UnknownTransactionCommitResult", "RetryableWriteError")
    return error.timeout or any(error.has_error_label(label) for label in labels)


def _code(error: OperationFailure) -> int | None:
    """Of a bulk write the code of its first failure, which is what the server said."""
    if isinstance(error, BulkWriteError):
        failures: list[Mapping[str, Any]] = [*error.details.get("writeErrors", ()), *error.details.get("writeConcernErrors", ())]
        return failures[0].get("code") if failures else error.code
    return error.code


def _brief(error: Exception) -> str:
    """One line without the server's whole answer, which may quote what was to be written."""
    return f"{type(error).__name__}: {str(error).partition(', full error:')[0].partition(', Timeout:')[0][:200]}"
