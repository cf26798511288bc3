"""Transactions that end on the server too.

The driver's own `with_transaction` gives the abort no more time than the call had: after a timeout nothing is sent, the server keeps the
transaction for a minute, and until then whatever is written for that user conflicts with it. Here the end is sent with time of its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pymongo
from pymongo import AsyncMongoClient, ReadPreference
from pymongo.asynchronous.client_session import AsyncClientSession
from pymongo.errors import BulkWriteError, DuplicateKeyError, PyMongoError
from pymongo.read_concern import ReadConcern
from pymongo.write_concern import WriteConcern

from lira_core.stores.mongo.errors import is_duplicate

log = logging.getLogger(__name__)
T = TypeVar("T")
Work = Callable[[AsyncClientSession], Awaitable[T]]

DURABLE = WriteConcern("majority", j=True)
SNAPSHOT = ReadConcern("snapshot")
BACKOFF_SECONDS = 0.005
BACKOFF_GROWTH = 1.5
BACKOFF_LONGEST_SECONDS = 0.2
"""Between attempts that conflicted, times chance; the first two are those of the driver's `with_transaction`, which waits up to 0.5 s."""
PARTING_SECONDS = 0.2
"""How long a call that failed waits for its transaction to end; then the end goes on without it."""
ENDING_SECONDS = 10.0


class Transactions:
    """Runs work in durable transactions of one client."""

    def __init__(self, client: AsyncMongoClient[dict[str, Any]]) -> None:
        self._client = client
        self._ending: set[asyncio.Task[None]] = set()

    async def run(self, work: Work[T]) -> T:
        """`work` in one transaction: all of it or nothing. It may run several times, and what it raises undoes it.

        For use inside `pymongo.timeout`, which ends the attempts.
        """
        attempt = 0
        while True:
            try:
                return await self._once(work)
            except PyMongoError as error:
                if not error.has_error_label("TransientTransactionError") or error.timeout:
                    raise
            longest = min(BACKOFF_SECONDS * BACKOFF_GROWTH**attempt, BACKOFF_LONGEST_SECONDS)
            await asyncio.sleep(random.random() * longest)
            attempt += 1

    async def insist(self, work: Work[T]) -> T:
        """`run`, and once more when another process made one of the documents at the same moment."""
        while True:
            try:
                return await self.run(work)
            except (DuplicateKeyError, BulkWriteError) as error:
                if not is_duplicate(error):
                    raise

    async def close(self) -> None:
        """Waits for what is still being ended."""
        if self._ending:
            await asyncio.wait(self._ending)

    async def _once(self, work: Work[T]) -> T:
        session = self._client.start_session()
        committing = finished = False
        try:
            await session.start_transaction(SNAPSHOT, DURABLE, ReadPreference.PRIMARY)
            value = await work(session)
            committing = True
            while not finished:
                try:
                    await session.commit_transaction()
                    finished = True
                except PyMongoError as error:
                    if not error.has_error_label("UnknownTransactionCommitResult") or error.timeout:
                        raise
            return value
        finally:
            if finished:
                await session.end_session()
            else:
                await self._part(session, committing)

    async def _part(self, session: AsyncClientSession, committing: bool) -> None:
        # A context of its own: the caller's holds a deadline that may be over.
        task = asyncio.create_task(_end(session, committing), context=contextvars.Context())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        await asyncio.wait([task], timeout=PARTING_SECONDS)


async def _end(session: AsyncClientSession, committing: bool) -> None:
    """A commit whose answer was lost is sent again, which the server takes as the same; anything else is undone."""
    try:
        with pymongo.timeout(ENDING_SECONDS):
            if committing:
                await session.commit_transaction()
            elif session.in_transaction:
                await session.abort_transaction()
    except PyMongoError as error:
        log.debug("a transaction was left for the server to end: %s", error)
    finally:
        await session.end_session()
