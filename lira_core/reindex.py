"""The index by meaning is made anew from the record: for a new encoder, beside the old index and while LIRA serves, or because it was lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from lira_core import compose
from lira_core.embedding.port import Embedder
from lira_core.indexing import CLAIM_SECONDS, Indexer
from lira_core.model_folder import encoder_id
from lira_core.settings import Settings
from lira_core.stores import Opening, StoreRejected, Stores, open_role
from lira_core.stores.ports import EncoderId, IndexPlan, Record, Vectors

BATCHES = 8
"""Claimed at once: two are on their way, and all are done well within the claim."""
WAIT_S = 1.0
"""Between two looks when all that waits is claimed by somebody else."""
REQUEUE_S = 30 * 86_400.0
"""So long it is remembered that a run was stopped while it let every memory wait; longer than anybody leaves an index half built."""


@dataclass(frozen=True, slots=True)
class Progress:
    """`waiting` of `total` memories have no vector yet; `dead` of them were given up on."""

    total: int
    waiting: int
    dead: int


async def reindex(settings: Settings, stores: Stores, embedder: Embedder, tell: Callable[[Progress], None], *, clear: bool = False) -> Progress:
    """Builds the index of the settings' encoder and switches to it; called again after it was stopped, it goes on where it was.

    With `clear` the index is emptied first: what it has of memories that the record has not (after a restore) goes, and recall by meaning
    finds nothing until it is built. StoreRejected when memories were given up on: the old index stays in use. `stores` are those of the
    settings' encoder.
    """
    encoder = encoder_id(settings.embedding_model_dir)
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
