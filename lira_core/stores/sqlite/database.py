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

from lira_core.stores.ports import StoreRejected, StoreUnavailable
from lira_core.stores.sqlite.connection import close, connect, enter_wal, explained
from lira_core.stores.sqlite.schema import migrate

T = TypeVar("T")

BUSY_SECONDS = 2.0
"""How long a write waits for another process's. A group commit takes milliseconds, so longer means a process that hangs."""
OPEN_SECONDS = 30.0
"""How long opening waits for another process that is bringing the file to this schema."""
GROUP = 256
"""The most writes in one transaction: bounds how long the lock is held (measured: 0.2 ms a memory)."""
READERS = 3
"""Threads that read. Measured with eight recalls at once on two cores that others used too: one answers 48 to 74 a second, two 101 to 184, three
90 to 211, four no more, for 0.5 ms of computing more each. Three, so that one may load a large user's vectors while two answer."""
SCRUB_MILLISECONDS = 100
"""How long a scrub waits for readers of other connections before it leaves the log for the next checkpoint."""
SCRUB_SHARE = 0.2
"""The part of the writer's time that scrubs may take: deletions that follow closely are scrubbed together."""


@dataclass(slots=True)
class _Job:
    work: Callable[[sqlite3.Connection], Any]
    scrub: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    begun: bool = False
    value: Any = None
    error: Exception | None = None


class Database:
    """Opens (and creates, mode 0600) the file at once, so this blocks: call it in a thread.

    StoreRejected when the file cannot be used, StoreUnavailable when it is locked or the disk is full.
    """

    def __init__(self, path: str | os.PathLike[str], *, readers: int = READERS, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = os.path.abspath(path)
        self._busy_seconds = busy_seconds
        self._lock = threading.Lock()
        self._closed = False
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._unscrubbed: list[_Job] = []
        self._scrub_due = 0.0
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        try:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise StoreRejected(f"{self.path} cannot be opened for writing: {error.strerror}") from error
        try:
            self._writer = self._connect(max(busy_seconds, OPEN_SECONDS))
            enter_wal(self._writer, self.path, OPEN_SECONDS)
            migrate(self._writer, self.path)
            self._writer.execute(f"PRAGMA busy_timeout = {int(busy_seconds * 1000)}")
            self._files = self._identity()
        except Exception as error:
            self._close_connections()
            raise explained(error, self.path, max(busy_seconds, OPEN_SECONDS), opening=True) from error
        self._readers = ThreadPoolExecutor(readers, thread_name_prefix="lira-sqlite-read")
        self._thread = threading.Thread(target=self._serve, name="lira-sqlite-write", daemon=True)
        self._thread.start()

    async def write(self, work: Callable[[sqlite3.Connection], T], *, scrub: bool = False) -> T:
        """Run `work` in a transaction and return once that is on the disk.

        `work` may run more than once, so it must change nothing but the database. What it raises reaches this caller alone, its changes
        undone. A cancelled caller's write is dropped if it has not begun, and completed if it has. `scrub` also clears the log, so that
        what was deleted is in no file any more.
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
        """StoreUnavailable when the file cannot be read, is gone or was replaced."""
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
            jobs, stopping = self._collect()
            if jobs:
                self._commit(jobs)
                held = [job for job in jobs if job.scrub and job.error is None]
                self._unscrubbed += held
                self._deliver([job for job in jobs if not (job.scrub and job.error is None)])
            if self._unscrubbed and (stopping or time.monotonic() >= self._scrub_due):
                self._scrub()

    def _collect(self) -> tuple[list[_Job], bool]:
        """What waits to be written, at most GROUP, and whether to stop after it. Waits for something, but not past a scrub that is due."""
        wait = max(self._scrub_due - time.monotonic(), 0.0) if self._unscrubbed else None
        group: list[_Job | None] = []
        with contextlib.suppress(queue.Empty):
            group.append(self._queue.get(timeout=wait))
            while len(group) < GROUP:
                group.append(self._queue.get_nowait())
        jobs = [job for job in group if job is not None]
        return jobs, len(jobs) < len(group)

    def _commit(self, jobs: Sequence[_Job]) -> None:
        """All in one transaction; when the transaction itself is lost, each in one of its own."""
        began = False
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            began = True
            for job in jobs:
                self._attempt(job)
            self._writer.execute("COMMIT")
            self._check_files()
        except Exception as error:  # noqa: BLE001  whatever it is, its callers wait for it
            self._roll_back()
            if len(jobs) > 1 and began:
                for job in jobs:
                    self._commit([job])
                return
            if not began and isinstance(error, sqlite3.ProgrammingError):
                error = StoreUnavailable(f"the connection to {self.path} broke and no other can be had; is the file still there? ({error})")
            for job in jobs:
                job.error = error

    def _attempt(self, job: _Job) -> None:
        # Nobody waits any more for what was cancelled before it began: whoever gave it up has done something else instead.
        if not job.begun and job.future.cancelled():
            return
        job.begun = True
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

    def _roll_back(self) -> None:
        try:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
        except sqlite3.Error:
            self._reopen()

    def _reopen(self) -> None:
        """A new writer for one that cannot even undo; where there is none to be had, the next write tries again."""
        try:
            fresh = self._connect(self._busy_seconds)
        except sqlite3.Error:
            return
        broken, self._writer = self._writer, fresh
        with self._lock:
            self._connections.remove(broken)
        close(broken)
        # Were the old connection the last one, its log went with it; the file itself must still be ours.
        with contextlib.suppress(sqlite3.Error, OSError):
            fresh.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if (found := self._identity())[:2] == self._files[:2]:
                self._files = found

    def _scrub(self) -> None:
        began = time.monotonic()
        with contextlib.suppress(sqlite3.Error):
            self._writer.execute(f"PRAGMA busy_timeout = {SCRUB_MILLISECONDS}")
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        with contextlib.suppress(sqlite3.Error):
            self._writer.execute(f"PRAGMA busy_timeout = {int(self._busy_seconds * 1000)}")
        ended = time.monotonic()
        self._scrub_due = ended + (ended - began) * (1 / SCRUB_SHARE - 1)
        scrubbed, self._unscrubbed = self._unscrubbed, []
        self._deliver(scrubbed)

    def _deliver(self, jobs: Iterable[_Job]) -> None:
        waiting: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
        for job in jobs:
            if job.error is not None:
                job.error = explained(job.error, self.path, self._busy_seconds)
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
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            raise explained(error, self.path, self._busy_seconds) from error

    def _reader(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect(self._busy_seconds)
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
        return connection

    # The file.

    def _connect(self, busy_seconds: float) -> sqlite3.Connection:
        connection = connect(self.path, busy_seconds)
        with self._lock:
            self._connections.append(connection)
        return connection

    def _close_connections(self) -> None:
        for connection in self._connections:
            close(connection)
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
        raise StoreUnavailable(f"{self.path} (or its -wal) was deleted or replaced while LIRA had it open; restore it and restart LIRA")

    def _closed_error(self) -> StoreUnavailable:
        return StoreUnavailable(f"{self.path} is closed")


def _resolve(jobs: Iterable[_Job]) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if job.error is None:
            job.future.set_result(job.value)
        else:
            job.future.set_exception(job.error)
