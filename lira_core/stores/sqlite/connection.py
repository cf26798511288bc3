"""One connection to a LIRA file: how it is opened, what its errors mean, and the little SQL that everybody needs."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lira_core.stores.ports import StoreError, StoreRejected, StoreUnavailable

T = TypeVar("T")

ROWS_PER_INSERT = 64
VALUES_PER_QUERY = 500
"""Values in one `IN (...)`; SQLite takes at least 999 in any build."""

_WAIT: dict[str, str] = {
    "SQLITE_BUSY": "another process has held the lock of {path} for more than {busy:g} s; stop it or wait",
    "SQLITE_LOCKED": "another process has held the lock of {path} for more than {busy:g} s; stop it or wait",
    "SQLITE_FULL": "the disk is full, {path} cannot grow; free some space",
    "SQLITE_IOERR": "the disk failed while {path} was used; check the disk",
    "SQLITE_NOMEM": "there was no memory left to use {path}; give the process more, or wait",
    "SQLITE_INTERRUPT": "{path} was interrupted; try again",
}
"""What passes: nothing is wrong with the call."""

_PLACE: dict[str, str] = {
    "SQLITE_READONLY": "{path} is read-only; make the file and its folder writable",
    "SQLITE_CANTOPEN": "{path} cannot be opened; is it still there, and may LIRA write to its folder?",
}
"""Wrong at the start; later it is a disk that went away."""

_REFUSE: dict[str, str] = {
    "SQLITE_NOTADB": "{path} is not a SQLite database; move it away or choose another file",
    "SQLITE_CORRUPT": "{path} is damaged; restore it from a backup",
}


def connect(path: str, busy_seconds: float) -> sqlite3.Connection:
    """A connection in autocommit mode. Each stays with its thread; only closing it happens elsewhere, once its thread is gone."""
    # mode=rw: a file that was deleted under us must not come back empty.
    connection = sqlite3.connect(
        f"{Path(path).as_uri()}?mode=rw",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    for pragma in ("foreign_keys = ON", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def enter_wal(connection: sqlite3.Connection, path: str, busy_seconds: float) -> None:
    """Switch the file to WAL; StoreRejected for a file system that cannot."""
    # SQLite does not wait by itself when two processes switch the same new file.
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise StoreRejected(f"{path} is on a file system without shared memory (WAL); put it on a local disk")
        return


def explained(error: Exception, path: str, busy_seconds: float, *, opening: bool = False) -> Exception:
    """What SQLite's error means for `path`, and what to do; what is no error of SQLite's or of a value it cannot hold is given back.

    `opening`: a place that cannot be written is a wrong setting at the start, and a disk that went away later.
    """
    if isinstance(error, OverflowError | UnicodeError):
        return StoreRejected(f"{path} cannot hold a value that was given: {error}")
    if not isinstance(error, sqlite3.Error):
        return error
    name = getattr(error, "sqlite_errorname", None) or ""
    sentences: list[tuple[type[StoreError], dict[str, str]]] = [
        (StoreUnavailable, _WAIT),
        (StoreRejected if opening else StoreUnavailable, _PLACE),
        (StoreRejected, _REFUSE),
    ]
    for kind, meanings in sentences:
        for prefix, sentence in meanings.items():
            if name.startswith(prefix):
                return kind(f"{sentence.format(path=path, busy=busy_seconds)} ({error})")
    return StoreRejected(f"{path}: {error}")


def close(connection: sqlite3.Connection) -> None:
    with contextlib.suppress(sqlite3.Error):
        connection.close()


def insert_rows(connection: sqlite3.Connection, statement: str, rows: Sequence[Sequence[Any]], tail: str = "") -> None:
    """`INSERT INTO t VALUES` of many rows in few steps: every step hands the interpreter lock over, and may wait for it."""
    for start in range(0, len(rows), ROWS_PER_INSERT):
        chunk = rows[start : start + ROWS_PER_INSERT]
        row = f"({marks(len(chunk[0]))})"
        connection.execute(f"{statement} {','.join([row] * len(chunk))} {tail}", [value for values in chunk for value in values])


def marks(count: int) -> str:
    return ",".join("?" * count)


def batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The distinct values, as many at a time as one query takes."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), VALUES_PER_QUERY):
        yield distinct[start : start + VALUES_PER_QUERY]


def now() -> int:
    """The wall clock in microseconds since 1970 UTC."""
    return time.time_ns() // 1_000
