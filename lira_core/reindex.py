"""What is derived from what was said is made anew from the record, while LIRA serves.

The index by meaning: for a new encoder, beside the old index, or because it was lost. Facts and terms: because the rules that find them changed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from lira_core import compose
from lira_core.embedding.port import Embedder
from lira_core.encoder import encoder_of
from lira_core.extracting import Extractor
from lira_core.indexing import CLAIM_SECONDS, Indexer
from lira_core.memory.derivation import READ, RULES
from lira_core.memory.understanding import derive
from lira_core.pools import Pools
from lira_core.settings import Settings
from lira_core.stores import Opening, StoreRejected, Stores, StoreUnavailable, open_role
from lira_core.stores.ports import EncoderId, IndexPlan, Record, Vectors
from lira_core.types import Memory

log = logging.getLogger("lira")
T = TypeVar("T")

BATCHES = 8
"""Claimed at once: two are on their way, and all are done well within the claim."""
WAIT_S = 1.0
"""Between two looks when all that waits is claimed by somebody else."""
REQUEUE_S = 30 * 86_400.0
"""So long it is remembered that a run was stopped while it let every memory wait; longer than anybody leaves an index half built."""
DERIVED_AT_ONCE = 64
"""Memories of which facts are derived while those of as many others are written."""
RECORD_AWAY_S = (0.5, 1.0, 2.0, 4.0, 8.0)
"""How long a record that is busy or away is waited for, time after time, before deriving stops: a primary that fails over is back by then."""


@dataclass(frozen=True, slots=True)
class Progress:
    """`waiting` of `total` memories are still to be done (have no vector yet, or old facts); `dead` others were given up on."""

    total: int
    waiting: int
    dead: int


async def reindex(settings: Settings, stores: Stores, embedder: Embedder, tell: Callable[[Progress], None], *, clear: bool = False) -> Progress:
    """Builds the index of the settings' encoder and switches to it; called again after it was stopped, it goes on where it was.

    With `clear` the index is emptied first: what it has of memories that the record has not (after a restore) goes, and recall by meaning
    finds nothing until it is built. StoreRejected when memories were given up on: the old index stays in use. `stores` are those of the
    settings' encoder.
    """
    encoder = encoder_of(settings)
    if clear:
        await stores.record.lease(_mark(encoder), "reindex", REQUEUE_S)
        await stores.vectors.clear()
    await _begin(stores.record, encoder, anew=clear)
    indexer = Indexer(stores, embedder, batch=settings.index_batch)
    idle_since: float | None = None
    while (progress := await _progress(stores.record)).waiting > 0:
        tell(progress)
        if await indexer.claimed(BATCHES * settings.index_batch):
            idle_since = None
            continue
        # What others hold or claimed would have come to us by now, had they not done it: what waits still is newer than this run.
        now = time.monotonic()
        idle_since = idle_since or now
        if now - idle_since > CLAIM_SECONDS:
            break
        await asyncio.sleep(WAIT_S)
    tell(progress)
    if progress.dead:
        raise StoreRejected(f"{progress.dead} memories could not be indexed (`lira doctor` lists them); the index in use stays what it was")
    await _plan(stores.record, lambda plan: IndexPlan(encoder.name, None))
    return progress


async def drop(settings: Settings, name: str) -> None:
    """Drops the index of another encoder. StoreRejected when it is the one in use, or no encoder's name."""
    dimensions = name.rpartition("-")[2]
    if not dimensions.isdigit():
        raise StoreRejected(f"{name} is no encoder's name; `lira doctor` tells the names")
    options = replace(compose.options_of(settings), encoder=EncoderId(name, int(dimensions)))
    record = await compose.open_record(settings)
    try:
        plan = await record.index_plan()
        if name in (plan.serving, plan.building):
            raise StoreRejected(f"the index of {name} is in use")
        vectors: Vectors = await open_role(Opening("vectors", settings.store_urls["vectors"], options))
        try:
            await vectors.clear()
        finally:
            await vectors.close()
    finally:
        await record.close()


@dataclass(frozen=True, slots=True)
class Rederived:
    """What came of it: of `total` memories `changed` hold other facts or terms now, and wait for their vector again. `left` are still those of
    older rules: somebody wrote them meanwhile, or they are damaged."""

    total: int
    changed: int
    left: int


async def rederive(
    record: Record, tell: Callable[[Progress], None], rules: Callable[[Memory], Memory] = derive, *, extractor: Extractor | None = None
) -> Rederived:
    """Derives facts and terms anew of every memory, of all users, that older rules read, or with an `extractor` no model, or one that was asked
    otherwise; called again after it was stopped, it goes on where it was, since each memory says who read it. Two at once do the same work
    twice, and no harm.

    StoreRejected when `rules` fail on some of them: these keep what they hold, and the others are done. UnderstanderAway.
    """
    pools = Pools()
    try:
        return await _Rederiving(record, tell, rules, extractor, pools).run()
    finally:
        pools.close()


class _Rederiving:
    def __init__(
        self, record: Record, tell: Callable[[Progress], None], rules: Callable[[Memory], Memory], extractor: Extractor | None, pools: Pools
    ) -> None:
        self._record, self._tell, self._rules, self._extractor, self._pools = record, tell, rules, extractor, pools
        # A model reads as many at once as it may, and what it has read is kept before the next.
        self._wanted, self._at_once = (RULES, DERIVED_AT_ONCE) if extractor is None else (READ, extractor.ongoing)
        self._total, self._waiting, self._changed = 0, 0, 0
        self._failed: dict[tuple[str, str], str] = {}

    async def run(self) -> Rederived:
        left = await self._count()
        while left:
            before = left
            await self._once_over()
            left = await self._count()
            # What is left when nothing becomes less is what fails, is damaged, or is written meanwhile by somebody who goes by older rules.
            if left >= before or left <= len(self._failed):
                break
        if self._failed:
            (user_id, memory_id), reason = next(iter(self._failed.items()))
            raise StoreRejected(
                f"the rules fail on {len(self._failed)} memories, which keep their facts: on {memory_id} of {user_id} with {reason}"
                " (the log names all of them)"
            )
        return Rederived(self._total, self._changed, left)

    async def _count(self) -> int:
        self._total, self._waiting = await _patiently(self._record.count), await _patiently(partial(self._record.count, self._wanted))
        self._tell(self._progress())
        return self._waiting

    def _progress(self) -> Progress:
        return Progress(self._total, max(0, self._waiting - len(self._failed)), len(self._failed))

    async def _once_over(self) -> None:
        """Every memory that waits, from the first to the last: while some are derived those before them are written."""
        self._failed.clear()
        derived: Sequence[Memory] = ()
        cursor: str | None = None
        while True:
            page, cursor = await _patiently(partial(self._record.outdated, self._wanted, self._at_once, cursor))
            following, _ = await asyncio.gather(self._read(page), self._write(derived))
            derived = following
            if cursor is None:
                break
        await self._write(derived)

    async def _read(self, memories: Sequence[Memory]) -> Sequence[Memory]:
        derived = await self._pools.run("import", self._derive, memories)
        return derived if self._extractor is None else await asyncio.gather(*map(self._extractor.read, derived))

    def _derive(self, memories: Iterable[Memory]) -> list[Memory]:
        """Those that the rules can read. One that they fail on stops nobody else."""
        derived: list[Memory] = []
        for memory in memories:
            try:
                derived.append(self._rules(memory))
            except Exception as error:  # noqa: BLE001  whatever is wrong with it
                # The type alone: a message may quote what was said.
                self._failed[memory.user_id, memory.id] = type(error).__name__
                log.warning("the rules fail on memory %s of %s with %s", memory.id, memory.user_id, type(error).__name__)
        return derived

    async def _write(self, derived: Sequence[Memory]) -> None:
        by_user: dict[str, list[Memory]] = {}
        for memory in derived:
            by_user.setdefault(memory.user_id, []).append(memory)
        for user_id, memories in by_user.items():
            self._changed += await _patiently(partial(self._record.rederive, user_id, memories))
        if derived:
            self._waiting -= len(derived)
            self._tell(self._progress())


async def _patiently(call: Callable[[], Awaitable[T]]) -> T:
    """The answer; made again while the record is away, but not for long."""
    for seconds in RECORD_AWAY_S:
        try:
            return await call()
        except StoreUnavailable as error:
            log.info("deriving waits: %s", error)
            await asyncio.sleep(seconds)
    return await call()


async def _begin(record: Record, encoder: EncoderId, *, anew: bool) -> None:
    """Every memory waits for a vector of this encoder, unless an earlier run was stopped: then what is left still waits.

    A lease says that a run is letting them wait; one that was stopped over it leaves its lease, and the next begins with that again.
    """
    mark = _mark(encoder)
    begun = (await record.index_plan()).building == encoder.name
    if begun and not anew and await record.lease(mark, "whoever asks", 1.0):
        await record.lease(mark, "whoever asks", 0)
        return
    await record.lease(mark, "reindex", REQUEUE_S)
    if not begun:
        await _plan(record, lambda plan: IndexPlan(plan.serving, encoder.name))
    await record.requeue()
    await record.lease(mark, "reindex", 0)


def _mark(encoder: EncoderId) -> str:
    return f"requeue-{encoder.name}"


async def _plan(record: Record, change: Callable[[IndexPlan], IndexPlan]) -> None:
    while not await record.plan_index(change(plan := await record.index_plan()), plan):
        pass


async def _progress(record: Record) -> Progress:
    backlog = await record.unindexed.backlog()
    return Progress(await record.count(), backlog.waiting, backlog.dead)
