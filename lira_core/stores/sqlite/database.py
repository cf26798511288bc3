"""One SQLite file, used from asyncio: one writer thread with group commit, a few readers, never a blocked event loop.

The promise: a write that returned is on the disk (WAL, `synchronous=FULL`), and a write is applied whole or not at all, whatever
happens to whoever waits for it. Any number of processes may have the file open.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lira_core.stores.ports import StoreError
from lira_core.stores.sqlite.schema import migrate

T = TypeVar("T")

BUSY_SECONDS = 5.0
"""How long a write waits for another process's. A group commit takes milliseconds, so longer means a process that hangs."""
GROUP = 256
"""The most writes in one transaction: bounds how long the lock is held (measured: about 0.15 ms a memory)."""
READERS = 2
SCRUB_MILLISECONDS = 100
"""How long a deletion waits for readers of other connections before it leaves the log for the next checkpoint."""
ROWS_PER_INSERT = 64


@dataclass(slots=True)
class _Job:
    work: Callable[[sqlite3.Connection], Any]
    scrub: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    value: Any = None
    error: Exception | None = None


class Database:
    """Opens (and creates, mode 0600) the file at once, so this blocks: call it at the start. StoreError when it cannot be used."""

    def __init__(self, path: str | os.PathLike[str], *, readers: int = READERS, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = os.path.abspath(path)
        self._busy_seconds = busy_seconds
        self._lock = threading.Lock()
        self._closed = False
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        try:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise StoreError(f"{self.path} cannot be opened for writing: {error.strerror}") from error
        try:
            self._writer = self._connect()
            self._enter_wal()
            migrate(self._writer, self.path)
            self._files = self._identity()
        except (sqlite3.Error, StoreError) as error:
            self._close_connections()
            raise self._explained(error) from error
        self._readers = ThreadPoolExecutor(readers, thread_name_prefix="lira-sqlite-read")
        self._thread = threading.Thread(target=self._serve, name="lira-sqlite-write", daemon=True)
        self._thread.start()

    async def write(self, work: Callable[[sqlite3.Connection], T], *, scrub: bool = False) -> T:
        """Run `work` in a transaction and return once that is on the disk.

        `work` may run more than once, so it must change nothing but the database. What it raises reaches this caller alone, its changes undone.
        A cancelled caller's write still happens. `scrub` also clears the log, so that what was deleted is in no file any more.
        """
        loop = asyncio.get_running_loop()
        job = _Job(work, scrub, loop, loop.create_future())
        with self._lock:
            if self._closed:
                raise self._closed_error()
            self._queue.put(job)
        value: T = await job.future
        return value

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on one snapshot of the database, in a reader thread."""
        return await self._in_reader(partial(self._read, work))

    async def _in_reader(self, call: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._readers, call)
        except RuntimeError as error:
            if self._closed:
                raise self._closed_error() from error
            raise

    async def ping(self) -> None:
        """StoreError when the file cannot be read, is gone or was replaced."""
        await self._in_reader(self._check_files)
        await self.read(lambda connection: connection.execute("SELECT count(*) FROM sqlite_master").fetchone())

    async def close(self) -> None:
        """Finish the writes that wait, then close. Again is harmless."""
        await asyncio.to_thread(self.shut)

    def shut(self) -> None:
        """`close` for where no event loop runs."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()
        self._readers.shutdown()
        self._close_connections()

    # The writer.

    def _serve(self) -> None:
        stopping = False
        while not stopping:
            group = [self._queue.get()]
            with contextlib.suppress(queue.Empty):
                while len(group) < GROUP:
                    group.append(self._queue.get_nowait())
            jobs = [job for job in group if job is not None]
            stopping = len(jobs) < len(group)
            if jobs:
                self._commit(jobs)
                if any(job.scrub and job.error is None for job in jobs):
                    self._scrub()
                self._deliver(jobs)

    def _commit(self, jobs: Sequence[_Job]) -> None:
        """All in one transaction; when the transaction itself is lost, each in one of its own."""
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        except Exception as error:  # noqa: BLE001  whatever it is, its callers wait for it
            for job in jobs:
                job.error = error
            return
        try:
            for job in jobs:
                self._attempt(job)
            self._writer.execute("COMMIT")
            self._check_files()
        except Exception as error:  # noqa: BLE001  whatever it is, its callers wait for it
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            if len(jobs) == 1:
                jobs[0].error = error
                return
            for job in jobs:
                self._commit([job])

    def _attempt(self, job: _Job) -> None:
        self._writer.execute("SAVEPOINT job")
        job.error = None
        try:
            job.value = job.work(self._writer)
        except Exception as error:
            # On a full disk and the like SQLite undoes the whole transaction, and the others' work with it.
            if not self._writer.in_transaction:
                raise
            self._writer.execute("ROLLBACK TO job")
            job.error = error
        self._writer.execute("RELEASE job")

    def _scrub(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._writer.execute(f"PRAGMA busy_timeout = {SCRUB_MILLISECONDS}")
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        with contextlib.suppress(sqlite3.Error):
            self._writer.execute(f"PRAGMA busy_timeout = {int(self._busy_seconds * 1000)}")

    def _deliver(self, jobs: Iterable[_Job]) -> None:
        waiting: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
        for job in jobs:
            if job.error is not None:
                job.error = self._explained(job.error)
            waiting.setdefault(job.loop, []).append(job)
        for loop, done in waiting.items():
            # A loop that has closed has nobody left who waits.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_resolve, done)

    # The readers.

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            connection = self._reader()
            connection.execute("BEGIN")
            try:
                value = work(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")
            return value
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
        return connection

    # The file.

    def _connect(self) -> sqlite3.Connection:
        # Each connection stays with its thread; only closing them happens elsewhere, once their threads are gone.
        # mode=rw: a file that was deleted under us must not come back empty.
        connection = sqlite3.connect(
            f"{Path(self.path).as_uri()}?mode=rw",
            uri=True,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        with self._lock:
            self._connections.append(connection)
        for pragma in ("foreign_keys = ON", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        return connection

    def _enter_wal(self) -> None:
        # SQLite does not wait by itself when two processes switch the same new file.
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                mode = self._writer.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
                continue
            if mode != "wal":
                raise StoreError(f"{self.path} is on a file system without shared memory (WAL); put it on a local disk")
            return

    def _close_connections(self) -> None:
        for connection in self._connections:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
        self._connections.clear()

    def _identity(self) -> tuple[int, ...]:
        main, log = os.stat(self.path), os.stat(self.path + "-wal")
        return main.st_dev, main.st_ino, log.st_dev, log.st_ino

    def _check_files(self) -> None:
        # SQLite itself goes on writing to a file that was deleted, and all of it would be gone at the next start.
        try:
            if self._identity() == self._files:
                return
        except OSError:
            pass
        raise StoreError(f"{self.path} (or its -wal) was deleted or replaced while LIRA had it open; restore it and restart LIRA")

    def _closed_error(self) -> StoreError:
        return StoreError(f"{self.path} is closed")

    def _explained(self, error: Exception) -> Exception:
        return explained(error, self.path, self._busy_seconds) if isinstance(error, sqlite3.Error) else error


def _resolve(jobs: Iterable[_Job]) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if job.error is None:
            job.future.set_result(job.value)
        else:
            job.future.set_exception(job.error)


def explained(error: sqlite3.Error, path: str, busy_seconds: float) -> StoreError:
    """The StoreError that says what SQLite's error means for `path`, and what to do."""
    name = getattr(error, "sqlite_errorname", "")
    for prefix, sentence in (
        ("SQLITE_BUSY", f"another process has held the lock of {path} for more than {busy_seconds:g} s; stop it or wait"),
        ("SQLITE_LOCKED", f"another process has held the lock of {path} for more than {busy_seconds:g} s; stop it or wait"),
        ("SQLITE_FULL", f"the disk is full, {path} cannot grow; free some space"),
        ("SQLITE_READONLY", f"{path} is read-only; make the file and its folder writable"),
        ("SQLITE_NOTADB", f"{path} is not a SQLite database; move it away or choose another file"),
        ("SQLITE_CORRUPT", f"{path} is damaged; restore it from a backup"),
        ("SQLITE_CANTOPEN", f"{path} cannot be opened; is it still there, and may LIRA write to its folder?"),
        ("SQLITE_IOERR", f"the disk failed while {path} was used; check the disk"),
    ):
        if name.startswith(prefix):
            return StoreError(f"{sentence} ({error})")
    return StoreError(f"{path}: {error}")


def insert_rows(connection: sqlite3.Connection, statement: str, rows: Sequence[Sequence[Any]]) -> None:
    """`INSERT INTO t VALUES` of many rows in few steps: every step hands the interpreter lock over, and may wait for it."""
    for start in range(0, len(rows), ROWS_PER_INSERT):
        chunk = rows[start : start + ROWS_PER_INSERT]
        row = f"({marks(len(chunk[0]))})"
        connection.execute(f"{statement} {','.join([row] * len(chunk))}", [value for values in chunk for value in values])


def marks(count: int) -> str:
    return ",".join("?" * count)
