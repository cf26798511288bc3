"""One Milvus Lite folder, open once in this process: one thread does everything in it, in the order asked.

Milvus Lite 3.2 is a library in pure Python. It locks its folder for one process, takes one writer at a time, and a search beside a flush
may miss rows; so nothing runs beside anything else here. (pymilvus would start a gRPC server on a TCP port of this machine for it,
without a password: anybody on the machine could read what people said.)

A flush that fails has already let go of its rows in memory, and the next one that works deletes the log that still has them. So after any
error of the disk the folder is closed at once, and opened anew, which reads the log again.
"""

from __future__ import annotations

import asyncio
import errno
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from milvus_lite import DataDirLockedError, ManifestCorruptedError, MilvusLite, MilvusLiteError, WALCorruptedError  # type: ignore[import-untyped]

from lira_core.stores.ports import StoreError, StoreRejected, StoreUnavailable

T = TypeVar("T")

LOCK_SECONDS: Final = 2.0
"""How long to wait for another process that is just about to let go of the folder: a replica that replaces one that is closing."""

TIRED: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EBUSY})
"""Errors of the disk that pass when somebody makes room; any other at opening is a path that cannot be used."""

_open: dict[str, Folder] = {}
_guard = threading.Lock()


class Folder:
    """Made by `acquire`, let go of by `release`; closed with its last holder."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.holders = 0
        self._db: MilvusLite | None = None
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lira-milvus-lite")

    async def run(self, work: Callable[[MilvusLite], T], seconds: float | None) -> T:
        """What `work` returns, done in the folder's thread.

        StoreUnavailable after `seconds` (work that has begun goes on, and may still be done) and for a disk that is full; StoreRejected
        for whatever else Milvus Lite raises.
        """
        try:
            async with asyncio.timeout(seconds) as clock:
                return await asyncio.wrap_future(self._worker.submit(self._do, work))
        except TimeoutError as error:
            if not clock.expired():
                raise
            raise StoreUnavailable(f"Milvus Lite at {self.path} is busy: no answer within {seconds:g} s") from error

    async def close(self) -> None:
        await asyncio.wrap_future(self._worker.submit(self._close))
        self._worker.shutdown(wait=False)

    def _do(self, work: Callable[[MilvusLite], T]) -> T:
        if self._db is None:
            self._db = opened(self.path)
        try:
            return work(self._db)
        except StoreError:
            raise
        except (OSError, MemoryError) as error:
            self._close()
            raise StoreUnavailable(f"Milvus Lite at {self.path} cannot write or read: {error}; is the disk full?") from error
        except Exception as error:
            raise StoreRejected(f"Milvus Lite at {self.path} refused: {error}") from error

    def _close(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            db.close()


async def acquire(path: str, setting: str) -> Folder:
    """The open folder; the same one for everybody in this process who names it. StoreRejected, naming the setting, if it cannot be used."""
    real = os.path.realpath(path)  # noqa: ASYNC240  (some lstat calls, once)
    with _guard:
        folder = _open.setdefault(real, Folder(real))
        folder.holders += 1
    try:
        await folder.run(lambda db: None, None)
    except BaseException as error:
        await release(folder)
        if isinstance(error, StoreRejected):
            raise StoreRejected(f"{setting}: {error}") from error
        raise
    return folder


async def release(folder: Folder) -> None:
    with _guard:
        folder.holders -= 1
        if folder.holders:
            return
        del _open[folder.path]
    await folder.close()


def opened(path: str) -> MilvusLite:
    """StoreRejected for a path that holds something else, or that another process has open."""
    if os.path.isfile(path):
        raise StoreRejected(f"{path} is a file; Milvus Lite 3 keeps a folder (a file is of version 2): name another path, and `lira reindex`")
    if os.path.isdir(path) and os.listdir(path) and not os.path.isdir(os.path.join(path, "collections")):
        raise StoreRejected(f"{path} holds other things than Milvus Lite's; name a folder that is new, or its own")
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            return MilvusLite(path)
        except DataDirLockedError as error:
            if time.monotonic() > deadline:
                raise StoreRejected(
                    f"{path} is open in another process, and a Milvus Lite folder serves one: stop the other, or use a server (milvus://HOST:19530)"
                ) from error
            time.sleep(0.05)
        except OSError as error:
            if error.errno in TIRED:
                raise StoreUnavailable(f"Milvus Lite cannot open {path} now: {error}") from error
            raise StoreRejected(f"Milvus Lite cannot use {path}: {error}; name a folder that this process may write to") from error
        except (ManifestCorruptedError, WALCorruptedError, MilvusLiteError, ValueError) as error:
            raise StoreRejected(f"{path} is not a Milvus Lite folder that can be read: {error}; move it away, and `lira reindex`") from error
