"""The ledger against a model: writes, deletions, outages, crashes and restarts in any order lose nothing and bring nothing back."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from lira_core.indexing import Indexer
from lira_core.ledger import Ledger
from lira_core.memory.summary import Extractive
from lira_core.observe import Unobserved
from lira_core.reconcile import Reconciler
from lira_core.requests import stamp
from lira_core.stores import Forgotten, StoreOptions, Stores, StoreUnavailable, Unfinished, open_stores
from lira_core.stores.ports import EncoderId, Erasure, IndexPlan, SessionTurn, Write
from lira_core.summarising import Summariser
from lira_core.types import Before, Event, Memory, Message

AT = datetime(2026, 10, 3, tzinfo=UTC)
ENCODER = EncoderId("tiny-4", 4)
USERS = ("u1", "u2")
ROLES = ("short_term", "deferred", "record", "vectors")


class Tiny:
    """An encoder of one direction."""

    async def embed(self, texts: Any) -> Any:
        return np.tile(np.eye(1, 4, dtype=np.float32), (len(texts), 1))


@dataclass
class Weather:
    """Which servers are away, and whether the next call reaches the store before its answer is lost."""

    away: set[str] = field(default_factory=set)
    answer_lost: bool = False


class Behind:
    """A store on a network that fails: it raises instead of acting, or after it has acted."""

    def __init__(self, store: Any, server: str, weather: Weather) -> None:
        self._store, self._server, self._weather = store, server, weather

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if hasattr(found, "claim"):
            return Behind(found, self._server, self._weather)
        if not asyncio.iscoroutinefunction(found) or name == "close":
            return found

        async def call(*args: Any, **kwargs: Any) -> Any:
            if self._server in self._weather.away:
                if self._weather.answer_lost:
                    await found(*args, **kwargs)
                raise StoreUnavailable(f"{self._server} is away")
            return await found(*args, **kwargs)

        return call


def behind(stores: Stores, weather: Weather) -> Stores:
    servers = {"short_term": "short_term", "deferred": "short_term", "record": "record", "vectors": "vectors", "lexical": "record"}
    return replace(stores, **{name: Behind(getattr(stores, name), server, weather) for name, server in servers.items()})


async def opened(folder: Path) -> Stores:
    urls = {role: f"sqlite:///{folder}/{role}.db" for role in ("short_term", "record", "vectors")}
    stores = await open_stores(urls, StoreOptions(ENCODER))  # type: ignore[arg-type]
    plan = await stores.record.index_plan()
    if plan.serving is None:
        await stores.record.plan_index(IndexPlan(ENCODER.name), plan)
    return stores


def a_write(user: str, turn: str, received: int, *, reply_to: str | None = None, quotes: tuple[str, ...] = ()) -> Write:
    """What was said, worth keeping; or with `reply_to` the answer to it."""
    if reply_to is not None:
        event = Event(f"{reply_to}:reply", user, "s", "lira", f"reply {turn}", AT, reply_to, quotes)
        return Write(event.id, user, received, event)
    event = Event(turn, user, "s", "user", f"said {turn}", AT, turn)
    return Write(turn, user, received, event, (Memory(turn, user, f"said {turn}", AT, "s", "fact", terms=(turn,)),))


class LedgerMachine(RuleBasedStateMachine):
    """What the model knows: which turns must be kept, and which must never be seen again."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.weather = Weather()
        self.kept: dict[str, set[str]] = {user: set() for user in USERS}
        self.gone: dict[str, set[str]] = {user: set() for user in USERS}
        self.unknown: dict[str, set[str]] = {user: set() for user in USERS}
        """Called failed: the answer of the record was lost, and nothing could be noted anywhere else."""
        self.late: list[Write] = []
        self.count = 0

    def run(self, work: Awaitable[Any]) -> Any:
        return self.loop.run_until_complete(work)

    @initialize()
    def begin(self) -> None:
        """Each user has said two things, of which one has its vector."""
        self._start()
        for user in USERS:
            self._keep(a_write(user, self._turn(), stamp()))
        self.run(self.indexer.claimed(10))
        for user in USERS:
            self._keep(a_write(user, self._turn(), stamp()))

    def _start(self) -> None:
        self.raw = self.run(opened(Path(self.folder.name)))
        stores = behind(self.raw, self.weather)
        self.ledger = Ledger(stores)
        self.indexer = Indexer(stores, Tiny(), batch=4)  # type: ignore[arg-type]
        self.reconciler = Reconciler(stores, self.ledger, self.indexer, Summariser(stores, Extractive(), zone=UTC), Unobserved(), every=60)

    def teardown(self) -> None:
        try:
            self._everything_is_where_it_belongs()
        finally:
            self.run(self.raw.close())
            self.loop.close()
            self.folder.cleanup()

    def _turn(self) -> str:
        self.count += 1
        return f"turn{self.count}"

    @rule(user=st.sampled_from(USERS))
    def say(self, user: str) -> None:
        turn = self._turn()
        self._keep(a_write(user, turn, stamp()))

    @rule(user=st.sampled_from(USERS))
    def begin_or_finish_to_say(self, user: str) -> None:
        """A turn arrives, and is written later, perhaps after a deletion."""
        if self.late:
            self._keep(self.late.pop(0))
        else:
            self.late.append(a_write(user, self._turn(), stamp()))

    @rule(user=st.sampled_from(USERS), data=st.data())
    def answer_from_a_memory(self, user: str, data: st.DataObject) -> None:
        """A later turn's reply quotes a memory."""
        if self.kept[user]:
            quoted = data.draw(st.sampled_from(sorted(self.kept[user])))
            turn = self._turn()
            self._keep(a_write(user, turn, stamp()))
            with_quote = a_write(user, f"{turn} quoting {quoted} ", stamp(), reply_to=turn, quotes=(quoted,))
            self._attempt(self.ledger.keep(with_quote))

    def _keep(self, write: Write) -> None:
        outcome = self._attempt(self.ledger.keep(write))
        if write.id in self.gone[write.user_id]:
            return
        if outcome in ("stored", "queued"):
            self.kept[write.user_id].add(write.id)
        elif outcome is None:
            self.unknown[write.user_id].add(write.id)

    @rule(user=st.sampled_from(USERS), data=st.data())
    def delete_a_memory(self, user: str, data: st.DataObject) -> None:
        if self.kept[user]:
            turn = data.draw(st.sampled_from(sorted(self.kept[user])))
            # Once asked for it must go, now or when the stores are back; asking may have reached the record although nothing came back.
            self.kept[user].discard(turn)
            self.gone[user].add(turn)
            self._delete(self.ledger.delete_memory, user, turn)

    @rule(user=st.sampled_from(USERS))
    def delete_a_user(self, user: str) -> None:
        self._delete(self.ledger.delete_user, user)
        self.gone[user] |= self.kept[user] | self.unknown[user] | {write.id for write in self.late if write.user_id == user}
        self.kept[user].clear()
        self.unknown[user].clear()

    def _delete(self, delete: Callable[..., Awaitable[Any]], *args: str) -> None:
        """Where not even the intention could be noted the person was told so, and asks again when the stores are back; else nobody does."""
        try:
            assert self.run(delete(*args)) is not False
        except Unfinished:
            return
        except StoreUnavailable:
            self.weather.away.clear()
            self.run(delete(*args))

    @rule(server=st.sampled_from(("short_term", "record", "vectors")), answer_lost=st.booleans())
    def a_store_goes(self, server: str, answer_lost: bool) -> None:
        self.weather.away.add(server)
        self.weather.answer_lost = answer_lost

    @rule()
    def the_stores_come_back(self) -> None:
        self.weather.away.clear()

    @rule()
    def crash_and_restart(self) -> None:
        self.run(self.raw.close())
        self._start()

    @rule()
    def reconcile(self) -> None:
        for work in (self.reconciler.settle, self.reconciler.finish_deletions, self.reconciler.index):
            self._attempt(work())

    def _attempt(self, work: Awaitable[Any], on_failure: Any = None) -> Any:
        try:
            return self.run(work)
        except StoreUnavailable:
            return on_failure

    @invariant()
    def what_is_deleted_is_seen_no_more_while_the_stores_are_there(self) -> None:
        if hasattr(self, "raw") and not self.weather.away:
            for user in USERS:
                seen = {memory.id for memory in self.run(self.raw.record.page(user, 1_000, None))[0]}
                waiting = self._deferred_deletions(user)
                assert not (seen & self.gone[user]) or waiting

    def _deferred_deletions(self, user: str) -> bool:
        with sqlite3.connect(Path(self.folder.name) / "short_term.db") as raw:
            return "cut" in dump_of(raw)

    def _settle_everything(self) -> None:
        self.weather.away.clear()
        for path in Path(self.folder.name).glob("*.db"):
            due_now(path)
        for _ in range(20):
            tried = [self.run(self.reconciler.settle()), self.run(self.reconciler.finish_deletions()), self.run(self.reconciler.index())]
            if not any(tried):
                break
            for path in Path(self.folder.name).glob("*.db"):
                due_now(path)

    def _everything_is_where_it_belongs(self) -> None:
        self._settle_everything()
        for user in USERS:
            memories = {memory.id for memory in self.run(self.raw.record.page(user, 1_000, None))[0]}
            assert self.kept[user] <= memories <= self.kept[user] | self.unknown[user]
            found = self.run(self.raw.vectors.search(user, np.eye(1, 4, dtype=np.float32)[0], 1_000))
            assert {hit.id for hit in found} == memories
        everything = "".join(dump_of(sqlite3.connect(path)) for path in Path(self.folder.name).glob("*.db"))
        for user in USERS:
            for turn in self.gone[user]:
                assert f'said {turn}"' not in everything
                assert f"quoting {turn} " not in everything


def dump_of(connection: sqlite3.Connection) -> str:
    return "\n".join(connection.iterdump()) + '"'


def due_now(path: Path) -> None:
    """Lets whatever waits for its time be due."""
    with sqlite3.connect(path) as raw:
        for (table,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = {row[1] for row in raw.execute(f"PRAGMA table_info({table})")}
            if "due" in columns:
                raw.execute(f"UPDATE {table} SET due = 0")
    raw.close()


LedgerMachine.TestCase.settings = settings(
    max_examples=60, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
TestLedger = LedgerMachine.TestCase


# What the machine would take long to find


@pytest.fixture
async def stores(tmp_path: Path) -> Any:
    stores = await opened(tmp_path)
    yield stores
    await stores.close()


async def test_a_memory_that_only_waits_can_be_deleted_by_its_id(stores: Stores) -> None:
    weather = Weather({"record"})
    ledger = Ledger(behind(stores, weather))
    assert await ledger.keep(a_write("u1", "t1", stamp())) == "queued"
    weather.away.clear()
    assert await ledger.delete_memory("u1", "t1")
    assert await ledger.delete_memory("u1", "t1")
    assert (await stores.deferred.backlog()).waiting == 0
    with pytest.raises(Forgotten):
        await stores.record.commit(a_write("u1", "t1", stamp()))


async def test_a_deletion_that_met_a_store_away_says_so_and_answers_yes_when_asked_again(stores: Stores) -> None:
    weather = Weather()
    ledger = Ledger(behind(stores, weather))
    await ledger.keep(a_write("u1", "t1", stamp()))
    for server in ("vectors", "short_term"):
        weather.away = {server}
        with pytest.raises(StoreUnavailable):
            await ledger.delete_memory("u1", "t1")
    weather.away.clear()
    assert await ledger.delete_memory("u1", "t1")
    assert not await ledger.delete_memory("u1", "never")


@pytest.mark.parametrize(
    ("away", "noted"), [(("vectors",), True), (("short_term",), True), (("record",), True), (("record", "short_term"), False)], ids=str
)
async def test_a_deletion_says_that_it_will_be_finished_only_where_that_is_noted(stores: Stores, away: tuple[str, ...], noted: bool) -> None:
    weather = Weather()
    ledger = Ledger(behind(stores, weather))
    await ledger.keep(a_write("u1", "t1", stamp()))
    weather.away = set(away)
    for delete in (partial(ledger.delete_memory, "u1", "t1"), partial(ledger.delete_user, "u1")):
        with pytest.raises(StoreUnavailable) as told:
            await delete()
        assert isinstance(told.value, Unfinished) == noted


async def test_the_deletion_of_what_only_waited_is_noted_where_another_store_is_away(stores: Stores) -> None:
    weather = Weather({"record"})
    ledger = Ledger(behind(stores, weather))
    await ledger.keep(a_write("u1", "t1", stamp()))
    weather.away = {"vectors"}
    with pytest.raises(Unfinished):
        await ledger.delete_memory("u1", "t1")
    assert (await stores.record.erasures.backlog()).waiting == 1


async def test_what_quotes_a_memory_that_never_came_to_the_record_goes_with_its_deletion(stores: Stores, tmp_path: Path) -> None:
    ledger = Ledger(stores)
    await ledger.keep(a_write("u1", "t2", stamp()))
    await ledger.keep(a_write("u1", "t2 quoting t1 ", stamp(), reply_to="t2", quotes=("t1",)))
    await ledger.carry_out(Erasure("u1", "t1", stamp()))
    with sqlite3.connect(tmp_path / "record.db") as raw:
        assert "quoting t1 " not in dump_of(raw)
    assert await kept(stores, "t2") == ["t2"]


def leaning(turn: str, *before: str) -> Write:
    """What is said after others, and leaves something to them."""
    write = a_write("u1", turn, stamp())
    assert write.event is not None
    said = tuple(Before(one, f"said {one}") for one in before)
    return replace(write, event=replace(write.event, quotes=before), memories=tuple(replace(memory, before=said) for memory in write.memories))


async def kept(stores: Stores, *ids: str) -> list[str]:
    return [memory.id for memory in await stores.record.get("u1", ids)]


async def test_what_leans_on_a_memory_is_deleted_with_it(stores: Stores) -> None:
    ledger = Ledger(stores)
    for write in (a_write("u1", "t1", stamp()), leaning("t2", "t1"), leaning("t3", "t1", "t2"), a_write("u1", "t4", stamp())):
        await ledger.keep(write)
    assert await ledger.delete_memory("u1", "t1")
    assert await kept(stores, "t1", "t2", "t3", "t4") == ["t4"]
    assert await ledger.keep(leaning("t5", "t1")) == "forgotten", "what is on its way says it again"


async def test_what_leans_on_a_memory_goes_too_while_another_store_is_away(stores: Stores) -> None:
    weather = Weather()
    ledger = Ledger(behind(stores, weather))
    for write in (a_write("u1", "t1", stamp()), leaning("t2", "t1"), leaning("t3", "t1")):
        await ledger.keep(write)
    weather.away = {"vectors"}
    with pytest.raises(Unfinished):
        await ledger.delete_memory("u1", "t1")
    assert await kept(stores, "t1", "t2", "t3") == []
    assert (await stores.record.erasures.backlog()).waiting == 3


async def test_what_leans_goes_alone_and_also_after_a_deletion_that_waited_for_the_record(stores: Stores) -> None:
    weather = Weather()
    ledger = Ledger(behind(stores, weather))
    for write in (a_write("u1", "t1", stamp()), leaning("t2", "t1"), leaning("t3", "t1")):
        await ledger.keep(write)
    assert await ledger.delete_memory("u1", "t3")
    assert await kept(stores, "t1", "t2", "t3") == ["t1", "t2"]
    weather.away = {"record"}
    with pytest.raises(StoreUnavailable):
        await ledger.delete_memory("u1", "t1")
    weather.away.clear()
    (entry,) = await stores.deferred.claim(5, 60)
    assert isinstance(entry.payload, Erasure)
    await ledger.carry_out(entry.payload)
    assert await kept(stores, "t1", "t2") == []


async def test_what_is_received_before_a_deletion_ends_is_not_written_after_it(stores: Stores) -> None:
    ledger = Ledger(stores)
    early = stamp()
    await ledger.delete_user("u1")
    assert await ledger.keep(a_write("u1", "t1", early)) == "forgotten"
    with pytest.raises(Forgotten):
        await stores.short_term.append("u1", "s", SessionTurn("t1", early, AT, (Message("user", "비밀", "t1"),)))
    assert await ledger.keep(a_write("u1", "t2", stamp() + 1)) == "stored"


async def test_with_clocks_apart_a_deletion_takes_what_a_fast_clock_stamped_and_keeps_what_a_slow_one_stamps_after_it(stores: Stores) -> None:
    skew = 0.05
    ledger = Ledger(stores, skew_s=skew)
    by_a_fast_clock = stamp() + int(skew * 1e6) - 1
    await ledger.delete_user("u1")
    assert await ledger.keep(a_write("u1", "t1", by_a_fast_clock)) == "forgotten"
    by_a_slow_clock = stamp() - int(skew * 1e6) + 1
    assert await ledger.keep(a_write("u1", "t2", by_a_slow_clock)) == "stored"
