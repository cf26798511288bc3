"""Stores behind their circuits: what is late or away is not asked again until it answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from lira_core.circuit import FAILURES, Circuit
from lira_core.stores import Forgotten, StoreError, StoreOptions, StoreRejected, Stores, StoreUnavailable, guarded, open_stores
from lira_core.stores.ports import EncoderId

DEADLINE_S = 0.05


class Part:
    """A store that answers, fails or hangs, as it is told; and counts what reaches it."""

    def __init__(self) -> None:
        self.does: Literal["answers", "fails", "hangs", "refuses", "forgot", "raises"] = "answers"
        self.pinged: Literal["answers", "fails", "hangs"] = "answers"
        self.reached: list[str] = []
        self.pings = 0
        self.colour = "green"

    async def _go(self, name: str) -> str:
        self.reached.append(name)
        match self.does:
            case "hangs":
                await asyncio.sleep(60)
            case "fails":
                raise StoreUnavailable("the disk is full")
            case "refuses":
                raise StoreRejected("no such table")
            case "forgot":
                raise Forgotten("deleted")
            case "raises":
                raise TimeoutError
        return name

    async def get(self, *ids: str) -> str:
        return await self._go("get")

    async def claim(self) -> str:
        return await self._go("claim")

    async def lexical(self) -> str:
        return await self._go("lexical")

    async def erase(self) -> str:
        await asyncio.sleep(3 * DEADLINE_S)
        return await self._go("erase")

    async def close(self) -> None:
        self.reached.append("close")

    async def ping(self) -> None:
        self.pings += 1
        if self.pinged == "hangs":
            await asyncio.sleep(60)
        if self.pinged == "fails":
            raise StoreUnavailable("nobody listens")


class Record(Part):
    """A record, whose outboxes are on the same server."""

    def __init__(self) -> None:
        super().__init__()
        self.unindexed, self.erasures = Part(), Part()


class Behind:
    """Stores behind circuits, and what stands behind them."""

    def __init__(self, seen: Any, *, words: str = "record") -> None:
        self.short_term, self.deferred, self.record, self.vectors = Part(), Part(), Record(), Part()
        stores: Any = Stores(self.short_term, self.deferred, self.record, self.vectors, getattr(self, words))  # type: ignore[arg-type]
        self.stores, self.circuits = guarded.guarded(stores, seen, deadline_s=DEADLINE_S)
        self.ask: Any = self.stores

    @property
    def states(self) -> dict[str, str]:
        return {name: circuit.state for name, circuit in self.circuits.items()}


@pytest.fixture
async def behind(seen: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Behind]:
    monkeypatch.setattr(guarded, "PING_EVERY_S", 0.01)
    monkeypatch.setattr(guarded, "PING_WITHIN_S", 0.05)
    made = Behind(seen)
    yield made
    for circuit in made.circuits.values():
        await circuit.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 a circuit tells nobody that it closed
            await asyncio.sleep(0.005)


async def unavailable(work: Any) -> None:
    with pytest.raises(StoreUnavailable):
        await work


async def test_what_answers_is_passed_through(behind: Behind) -> None:
    assert await behind.ask.record.get("a", "b") == "get"
    assert await behind.ask.record.unindexed.claim() == "claim"
    assert behind.ask.record.colour == "green"
    assert set(behind.states.values()) == {"ok"}


async def test_an_operation_that_runs_out_of_time_opens_the_circuit_and_the_next_fails_without_reaching_the_store(behind: Behind, seen: Any) -> None:
    behind.record.does, behind.record.pinged = "hangs", "fails"
    with pytest.raises(StoreUnavailable, match=r"record: get took longer than 0\.05 s"):
        await behind.ask.record.get()
    with pytest.raises(StoreUnavailable, match="record does not answer"):
        await behind.ask.record.get()
    assert behind.record.reached == ["get"]
    assert behind.states == {"short_term": "ok", "record": "down", "vectors": "ok"}
    assert seen.counted == [("lira_circuit_open_total", {"store": "record"})]


async def test_the_other_stores_are_asked_as_before(behind: Behind) -> None:
    behind.record.does, behind.record.pinged = "hangs", "fails"
    await unavailable(behind.ask.record.get())
    assert await behind.ask.short_term.get() == "get"
    assert await behind.ask.deferred.claim() == "claim"
    assert await behind.ask.vectors.get() == "get"


async def test_it_takes_several_failures_in_a_row_to_open_it(behind: Behind) -> None:
    behind.vectors.does, behind.vectors.pinged = "fails", "fails"
    for _ in range(FAILURES - 1):
        with pytest.raises(StoreUnavailable, match="the disk is full"):
            await behind.ask.vectors.get()
    assert not behind.circuits["vectors"].open
    await unavailable(behind.ask.vectors.get())
    assert behind.circuits["vectors"].open
    await unavailable(behind.ask.vectors.get())
    assert len(behind.vectors.reached) == FAILURES


@pytest.mark.parametrize("answer", ["answers", "refuses", "forgot"])
async def test_an_answer_in_between_begins_the_count_anew_also_a_refusal(behind: Behind, answer: Any) -> None:
    for does in ["fails"] * (FAILURES - 1) + [answer] + ["fails"] * (FAILURES - 1):
        behind.record.does = does
        with contextlib.suppress(StoreError):
            await behind.ask.record.get()
    assert len(behind.record.reached) == 2 * FAILURES - 1
    assert not behind.circuits["record"].open


async def test_a_refusal_is_the_stores_answer_and_never_opens_it(behind: Behind) -> None:
    behind.record.does = "refuses"
    for _ in range(2 * FAILURES):
        with pytest.raises(StoreRejected, match="no such table"):
            await behind.ask.record.get()
    assert behind.states["record"] == "ok"


async def test_it_closes_by_itself_when_the_store_answers_a_ping(behind: Behind) -> None:
    behind.record.does, behind.record.pinged = "hangs", "fails"
    await unavailable(behind.ask.record.get())
    await until(lambda: behind.record.pings > 2)
    assert behind.states["record"] == "down"
    behind.record.does = behind.record.pinged = "answers"
    await until(lambda: behind.states["record"] == "ok")
    assert await behind.ask.record.get() == "get"


async def test_a_ping_that_hangs_is_given_up_and_tried_again(behind: Behind) -> None:
    behind.record.does, behind.record.pinged = "hangs", "hangs"
    await unavailable(behind.ask.record.get())
    await until(lambda: behind.record.pings > 1)
    assert behind.states["record"] == "down"
    behind.record.pinged = "answers"
    await until(lambda: behind.states["record"] == "ok")


async def test_what_was_counted_before_it_opened_is_forgotten_when_it_closes(behind: Behind) -> None:
    behind.record.does = "fails"
    for _ in range(FAILURES):
        await unavailable(behind.ask.record.get())
    await until(lambda: behind.states["record"] == "ok")
    await unavailable(behind.ask.record.get())
    assert not behind.circuits["record"].open


async def test_outboxes_stand_behind_the_circuit_of_their_server(behind: Behind) -> None:
    behind.record.unindexed.does, behind.record.pinged = "hangs", "fails"
    await unavailable(behind.ask.record.unindexed.claim())
    await unavailable(behind.ask.record.erasures.claim())
    await unavailable(behind.ask.record.get())
    assert (behind.record.reached, behind.record.erasures.reached) == ([], [])


async def test_what_waits_beside_the_session_shares_the_sessions_circuit(behind: Behind) -> None:
    behind.deferred.does, behind.short_term.pinged = "hangs", "fails"
    await unavailable(behind.ask.deferred.claim())
    await unavailable(behind.ask.short_term.get())
    assert behind.short_term.reached == []


async def test_words_are_found_behind_the_circuit_of_who_finds_them(behind: Behind, seen: Any) -> None:
    assert behind.ask.lexical is behind.ask.record
    engine = Behind(seen, words="vectors")
    engine.vectors.does, engine.vectors.pinged = "hangs", "fails"
    await unavailable(engine.ask.lexical.lexical())
    await unavailable(engine.ask.vectors.get())
    assert engine.vectors.reached == ["lexical"]
    assert await engine.ask.record.lexical() == "lexical"
    await engine.circuits["vectors"].close()


async def test_every_operation_is_timed_also_one_that_fails(behind: Behind, seen: Any) -> None:
    await behind.ask.record.get()
    await behind.ask.record.unindexed.claim()
    behind.vectors.does = "fails"
    await unavailable(behind.ask.vectors.get())
    behind.deferred.does, behind.short_term.pinged = "hangs", "fails"
    await unavailable(behind.ask.deferred.claim())
    assert seen.observed == [
        ("lira_store_seconds", {"store": store, "op": op})
        for store, op in [("record", "get"), ("record", "claim"), ("vectors", "get"), ("short_term", "claim")]
    ]


async def test_a_caller_that_gives_up_is_no_failure_of_the_store(behind: Behind) -> None:
    behind.record.does, behind.record.pinged = "hangs", "fails"
    for _ in range(2 * FAILURES):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(DEADLINE_S / 10):
                await behind.ask.record.get()
    task = asyncio.create_task(behind.ask.record.get())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert behind.states["record"] == "ok"
    behind.record.does = "answers"
    assert await behind.ask.record.get() == "get"


async def test_a_timeout_of_the_stores_own_is_not_taken_for_the_deadline(behind: Behind) -> None:
    behind.record.does = "raises"
    with pytest.raises(TimeoutError):
        await behind.ask.record.get()
    assert behind.states["record"] == "ok"


async def test_a_deletion_may_take_as_long_as_there_is_to_delete(behind: Behind) -> None:
    assert await behind.ask.record.erase() == "erase"


async def test_many_callers_of_a_store_that_hangs_open_it_once(behind: Behind, seen: Any) -> None:
    behind.record.does, behind.record.pinged = "hangs", "fails"
    results = await asyncio.gather(*(behind.ask.record.get() for _ in range(20)), return_exceptions=True)
    assert {type(result) for result in results} == {StoreUnavailable}
    assert len(seen.counted) == 1


async def test_a_store_that_is_away_can_be_closed(behind: Behind) -> None:
    behind.record.does, behind.record.pinged = "hangs", "fails"
    await unavailable(behind.ask.record.get())
    await behind.ask.record.close()
    assert behind.record.reached[-1] == "close"


@pytest.mark.parametrize("goes", ["fails", "hangs"])
async def test_whoever_asks_for_the_state_asks_the_store(behind: Behind, goes: Any) -> None:
    circuit = behind.circuits["record"]
    assert await circuit.ping() == "ok"
    behind.record.pinged = goes
    assert await circuit.ping() == "down"
    await unavailable(behind.ask.record.get())
    behind.record.pinged = "answers"
    await until(lambda: circuit.state == "ok")


async def test_a_circuit_that_is_closed_for_good_asks_no_more(behind: Behind) -> None:
    behind.record.pinged = "fails"
    circuit: Circuit = behind.circuits["record"]
    await circuit.ping()
    await circuit.close()
    pings = behind.record.pings
    await asyncio.sleep(0.1)
    assert behind.record.pings == pings


async def test_a_real_store_that_goes_away_is_left_alone_and_named_down(tmp_path: Path, seen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "PING_EVERY_S", 0.01)
    url = f"sqlite:///{tmp_path}/lira.db"
    stores = await open_stores({"short_term": url, "record": url, "vectors": url}, StoreOptions(EncoderId("tiny", 3)))
    asked, circuits = guarded.guarded(stores, seen, deadline_s=10)
    assert (await asked.short_term.read("u", "s")).messages == ()
    assert await asked.record.unindexed.claim(1, 1) == []
    await asked.close()
    for _ in range(FAILURES):
        await unavailable(asked.record.page("u", 1, None))
    assert circuits["record"].state == "down"
    for circuit in circuits.values():
        await circuit.close()
    told = {(tags["store"], tags["op"]) for _, tags in seen.observed}
    assert {("short_term", "read"), ("record", "claim"), ("record", "page"), ("vectors", "close")} <= told
