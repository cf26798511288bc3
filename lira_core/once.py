"""A request that comes twice is answered once: the first answer is kept under its idempotency key, and given again."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import orjson

from lira_core.requests import InvalidRequest, Once
from lira_core.stages import AWAY
from lira_core.stores.ports import ShortTerm, StoreUnavailable

log = logging.getLogger("lira")
LOOK_EVERY_S = 0.05
"""How often a second request looks whether the first has its answer: a turn takes about that long."""


def once(key: str, route: str, body: object) -> Once:
    """The key with a digest of the route and of everything else that was asked."""
    return Once(key, hashlib.sha256(route.encode() + b"\n" + orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest())


def id_of(user_id: str, given: Once) -> str:
    """The id that a request with this key has whenever it comes, so that even without the kept answer nothing is written twice."""
    return hashlib.sha256(f"{user_id}\n{given.key}\n{given.digest}".encode()).hexdigest()[:32]


@dataclass(slots=True)
class Taken:
    """What `first_time` says: `answer` is the one given before; None when this request is the first, and then calls `keep`."""

    answer: bytes | None = None
    _kept: tuple[bytes, tuple[str, ...]] | None = None

    def keep(self, answer: bytes, quotes: Sequence[str]) -> None:
        """`quotes` are the ids of the memories that the answer shows or names; with any of them it is deleted."""
        self._kept = answer, tuple(quotes)


@asynccontextmanager
async def first_time(store: ShortTerm, user_id: str, given: Once, received: int, *, within_s: float) -> AsyncIterator[Taken]:
    """Within, the key is this request's alone, or `answer` is there. A request that fails leaves the key free.

    InvalidRequest when the key was used for something else; StoreUnavailable when the first request is still at work after `within_s`.
    While the store is away every request is a first one: its id still keeps it from being written twice.
    """
    try:
        answer = await _begun(store, user_id, given, received, within_s)
    except AWAY as error:
        if isinstance(error, InProgress):
            raise
        log.warning("an idempotency key could not be looked up: %s", error)
        yield Taken()
        return
    if answer is not None:
        yield Taken(answer)
        return
    taken = Taken()
    try:
        yield taken
    finally:
        try:
            if taken._kept is not None:
                await store.keep(user_id, given.key, given.digest, received, *taken._kept)
            else:
                await store.release(user_id, given.key)
        except AWAY as error:
            log.warning("an answer could not be kept: %s", error)


class InProgress(StoreUnavailable):
    """The first request with this key has no answer yet."""


async def _begun(store: ShortTerm, user_id: str, given: Once, received: int, within_s: float) -> bytes | None:
    """None when the key is ours now, else the kept answer, waited for while another request makes it."""
    ends = asyncio.get_running_loop().time() + within_s
    while True:
        there = await store.begin(user_id, given.key, given.digest, received, within_s)
        if there is None:
            return None
        if there.digest != given.digest:
            raise InvalidRequest("Idempotency-Key", "was used for another request; take a new key for a new request")
        if there.body is not None:
            return there.body
        if asyncio.get_running_loop().time() >= ends:
            raise InProgress("the first request with this Idempotency-Key is still at work")
        await asyncio.sleep(LOOK_EVERY_S)
