"""What could not be written when it was said is written later, once, by one process, and never for somebody who left."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lira_core.indexing import Indexer
from lira_core.ledger import Ledger
from lira_core.memory.summary import Extractive
from lira_core.observe import Unobserved
from lira_core.reconcile import LEASE, LEASE_SECONDS, Reconciler
from lira_core.stores import StoreOptions, Stores, StoreUnavailable, open_stores
from lira_core.stores.ports import EncoderId, Erasure, IndexPlan, Write
from lira_core.summarising import Summariser
from lira_core.types import Event, Memory

AT = datetime(2026, 10, 3, tzinfo=UTC)
ENCODER = EncoderId("tiny-4", 4)
EAST = np.eye(1, 4, dtype=np.float32)[0]


class Tiny:
    """An encoder of one direction."""

    async def embed(self, texts: Any) -> Any:
        return np.tile(EAST, (len(texts), 1))


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    urls = {role: f"sqlite:///{tmp_path}/{role}.db" for role in ("short_term", "record", "vectors")}
    stores = await open_stores(urls, StoreOptions(ENCODER))  # type: ignore[arg-type]
    await stores.record.plan_index(IndexPlan(ENCODER.name), IndexPlan())
    yield stores
    await stores.close()


def reconciler(stores: Stores, every: float = 0.01) -> Reconciler:
    indexer = Indexer(stores, Tiny(), batch=8)  # type: ignore[arg-type]
    indexer.start()
    return Reconciler(stores, Ledger(stores), indexer, Summariser(stores, Extractive(), zone=UTC), Unobserved(), every=every)


def said(user: str, turn: str, received: int = 1_000) -> Write:
    event, memory = Event(turn, user, "s1", "user", "산책", AT, turn), Memory(turn, user, "산책", AT)
    return Write(turn, user, received, event, (memory,))


async def until(condition: Any) -> None:
    for _ in range(1_000):
        if await condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


async def indexed(stores: Stores, user: str, turn: str) -> bool:
    return turn in {hit.id for hit in await stores.vectors.search(user, EAST, 5)}


async def test_a_deferred_turn_is_written_and_indexed_and_forgotten_by_the_outbox(stores: Stores) -> None:
    await stores.deferred.put(said("u1", "e1"))
    one = reconciler(stores)
    one.start()
    await until(lambda: indexed(stores, "u1", "e1"))
    await one.stop()
    assert (await stores.deferred.backlog()).waiting == 0
    assert [kept.id for kept in await stores.record.get("u1", ["e1"])] == ["e1"]


async def test_a_turn_that_was_deferred_without_its_words_is_found_by_them(stores: Stores) -> None:
    await stores.deferred.put(said("u1", "e1"))
    one = reconciler(stores)
    while await one.settle():
        pass
    assert [hit.id for hit in await stores.record.said("u1", ["산책"], 5)] == ["e1"]


async def test_a_deferred_turn_of_somebody_who_left_is_dropped(stores: Stores) -> None:
    await stores.deferred.put(said("u1", "e1"))
    await stores.record.erase(Erasure("u1", None, 2_000))
    one = reconciler(stores)
    while await one.settle():
        pass
    assert await stores.deferred.backlog() == await stores.record.unindexed.backlog()
    assert await stores.record.get("u1", ["e1"]) == []


async def test_a_deletion_that_waited_for_the_record_is_carried_out_in_every_store(stores: Stores) -> None:
    await stores.record.commit(said("u1", "e1"))
    one = reconciler(stores)
    await one.index()
    await stores.deferred.put(Erasure("u1", "e1", 2_000))
    await one.settle()
    assert await stores.record.get("u1", ["e1"]) == []
    assert not await indexed(stores, "u1", "e1")


async def test_one_poisoned_row_stops_neither_settling_nor_indexing_of_anybody(stores: Stores, tmp_path: Path) -> None:
    for i in range(3):
        await stores.deferred.put(said(f"u{i}", f"e{i}"))
        await stores.record.commit(said(f"v{i}", f"m{i}"))
    poison(tmp_path / "short_term.db", "e0")
    poison(tmp_path / "record.db", "m0")
    one = reconciler(stores)
    one.start()
    for user, turn in (("u1", "e1"), ("u2", "e2"), ("v1", "m1"), ("v2", "m2")):
        await until(lambda user=user, turn=turn: indexed(stores, user, turn))
    await one.stop()
    assert (await stores.deferred.backlog()).dead == 1
    assert (await stores.record.unindexed.backlog()).dead == 1


def poison(path: Path, entry: str) -> None:
    """Breaks the stored JSON of one entry, wherever the engine keeps it."""
    with sqlite3.connect(path) as raw:
        changed = 0
        for (table,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = {row[1] for row in raw.execute(f"PRAGMA table_info({table})")}
            for body in {"payload", "body"} & columns:
                if "id" in columns:
                    changed += raw.execute(f"UPDATE {table} SET {body} = '{{broken' WHERE {body} IS NOT NULL AND id = ?", (entry,)).rowcount
        assert changed
    raw.close()


async def test_of_two_processes_one_works_and_the_other_takes_over_when_it_ends(stores: Stores) -> None:
    first, second = reconciler(stores), reconciler(stores)
    first.start()
    await asyncio.sleep(0.1)
    assert not await stores.record.lease(LEASE, "somebody else", LEASE_SECONDS)
    second.start()
    await first.stop()
    await stores.deferred.put(said("u1", "e1"))
    await until(lambda: indexed(stores, "u1", "e1"))
    await second.stop()


async def test_one_user_whose_writes_hang_holds_nobody_elses_up_and_is_asked_once_a_round(stores: Stores) -> None:
    for i in range(12):
        await stores.deferred.put(said("locked", f"l{i}"))
    for i in range(20):
        await stores.deferred.put(said(f"u{i}", f"e{i}"))
    hanging, tried = asyncio.Event(), []

    class Locked:
        """A record in which one user's document is locked."""

        def __getattr__(self, name: str) -> Any:
            return getattr(stores.record, name)

        async def commit(self, write: Write, hold: float = 0.0) -> None:
            if write.user_id == "locked":
                tried.append(write.id)
                await hanging.wait()
                raise StoreUnavailable("the operation took too long")
            await stores.record.commit(write, hold)

    settling = asyncio.create_task(reconciler(replace(stores, record=Locked())).settle())  # type: ignore[arg-type]
    for i in range(20):
        await until(lambda i=i: stores.record.get(f"u{i}", [f"e{i}"]))
    assert not settling.done(), "the locked user is still waited for"
    hanging.set()
    await settling
    assert len(tried) == 1
    assert (await stores.deferred.backlog()).waiting == 12
