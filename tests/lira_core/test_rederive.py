"""Facts and terms derived anew by newer rules: of every memory, in pieces, beside whoever writes and deletes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lira_core import compose
from lira_core import reindex as module
from lira_core.memory.derivation import RULES
from lira_core.memory.facts import extract
from lira_core.memory.understanding import derive, understand
from lira_core.reindex import Progress, Rederived, rederive
from lira_core.requests import stamp
from lira_core.settings import Settings
from lira_core.stores import StoreRejected, Stores, StoreUnavailable
from lira_core.stores.ports import Erasure, Write
from lira_core.types import Fact, Memory

NOW = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
TEXTS = ["나는 딸기를 좋아해", "I live in Busan", "우리 강아지 이름은 보리야", "오늘은 비가 왔다"]
USERS = ("ada", "eve", "kim")
WRONG = Fact("user", "name", "딸기", "name", key="name:user")


class Stopped(Exception):
    """Somebody pressed Ctrl-C."""


class Rules:
    """Rules of today that are quick, count what they read, and fail as they are told."""

    def __init__(self) -> None:
        self.read: list[tuple[str, str]] = []
        self.fails: set[str] = set()

    def __call__(self, memory: Memory) -> Memory:
        self.read.append((memory.user_id, memory.id))
        if memory.id in self.fails:
            raise ValueError(f"too odd: {memory.text}")
        return replace(memory, facts=(Fact("user", "like", memory.id, "taste"),), terms=(memory.id,), derived=RULES)


@pytest.fixture(autouse=True)
def _a_few_at_once_and_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DERIVED_AT_ONCE", 5)
    monkeypatch.setattr(module, "RECORD_AWAY_S", (0.001, 0.001))


async def fill(stores: Stores, *users: str, many: int = 10, derived: int = 0) -> None:
    """Memories as older rules left them."""
    for user in users:
        said = tuple(Memory(f"m{n}", user, TEXTS[n % 4], NOW, facts=(WRONG,), terms=("딸기",), derived=derived) for n in range(many))
        await stores.record.commit(Write("w", user, stamp(), memories=said))


def ignored(_: Progress) -> None: ...


def stop_after(times: int) -> Callable[[Progress], None]:
    told: list[Progress] = []

    def tell(now: Progress) -> None:
        told.append(now)
        if len(told) > times:
            raise Stopped

    return tell


async def test_every_memory_of_everybody_holds_what_the_rules_of_today_say(opened: Stores) -> None:
    await fill(opened, *USERS, many=8)
    told: list[Progress] = []
    assert await rederive(opened.record, told.append) == Rederived(24, 24, 0)
    assert (told[0], told[-1]) == (Progress(24, 24, 0), Progress(24, 0, 0))
    assert [now.waiting for now in told] == sorted((now.waiting for now in told), reverse=True)
    for user in USERS:
        for memory in (await opened.record.page(user, 9, None))[0]:
            said = understand(memory.text, memory.timestamp)
            assert (memory.facts, memory.terms, memory.derived) == (said.facts, said.terms, said.derived)
            assert (memory.text, memory.timestamp) == (TEXTS[int(memory.id[1:]) % 4], NOW)
        assert [hit.id for hit in await opened.record.slots(user, [("user", "live_in")], 9)] == ["m5", "m1"]
        assert await opened.record.slots(user, [("user", "name")], 9) == []
        assert [hit.id for hit in await opened.record.lexical(user, ["딸기"], 9)] == ["m4", "m0"]
    assert extract(TEXTS[1], NOW), "the rules find something in what was said"
    assert await rederive(opened.record, told.append) == Rederived(24, 0, 0), "what is done is done once"


async def test_what_was_stopped_in_the_middle_goes_on_where_it_was(opened: Stores) -> None:
    await fill(opened, *USERS)
    rules = Rules()
    with pytest.raises(Stopped):
        await rederive(opened.record, stop_after(3), rules)
    left = await opened.record.count(RULES)
    assert 0 < left < 30
    done = len(rules.read)
    assert await rederive(opened.record, ignored, rules) == Rederived(30, left, 0)
    assert len(rules.read) - done == left, "only what was left is read again"
    assert len(set(rules.read)) == 30
    for user in USERS:
        assert all(memory.terms == (memory.id,) for memory in (await opened.record.page(user, 10, None))[0])


KILLED = """
import asyncio, os, signal, sys
from dataclasses import replace
from lira_core import compose, reindex
from lira_core.settings import load_settings

reindex.DERIVED_AT_ONCE = 5
told = []

def tell(now):
    told.append(now)
    if len(told) > 2:
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    stores = await compose.open_settled_stores(load_settings(data_dir=sys.argv[1]))
    await reindex.rederive(stores.record, tell, lambda memory: replace(memory, terms=("killed", memory.id), derived=reindex.RULES))

asyncio.run(main())
"""


async def test_what_was_killed_in_the_middle_is_whole_and_goes_on(opened: Stores, tmp_path: Path) -> None:
    await fill(opened, *USERS)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LIRA_")}
    run = [sys.executable, "-c", KILLED, str(tmp_path)]
    killed = await asyncio.to_thread(subprocess.run, run, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    left = await opened.record.count(RULES)
    assert 0 < left < 30
    found = [memory for user in USERS for memory in (await opened.record.page(user, 10, None))[0]]
    for memory in found:
        assert memory.terms == (("killed", memory.id) if memory.derived else ("딸기",))
        assert memory.id in [hit.id for hit in await opened.record.lexical(memory.user_id, [memory.terms[0]], 10)]
    assert sum(memory.derived == 0 for memory in found) == left
    rules = Rules()
    assert await rederive(opened.record, ignored, rules) == Rederived(30, left, 0)
    assert len(rules.read) == left


async def test_what_is_written_and_deleted_meanwhile_is_as_its_writers_left_it(opened: Stores, settings: Settings) -> None:
    await fill(opened, *USERS)
    serving = await compose.open_settled_stores(settings)
    steps: list[asyncio.Task[Any]] = []

    def tell(now: Progress) -> None:
        n = len(steps)
        new = Memory(f"new{n}", "eve", "나는 부산에 살아", NOW, derived=RULES)
        steps.append(asyncio.create_task(serving.record.commit(Write(new.id, "eve", stamp(), memories=(new,)))))
        steps.append(asyncio.create_task(serving.record.erase(Erasure("kim", f"m{n % 10}", stamp()))))
        if n == 2:
            steps.append(asyncio.create_task(serving.record.erase(Erasure("ada", None, stamp()))))

    done = await rederive(opened.record, tell, Rules())
    await asyncio.gather(*steps)
    assert done.left == 0
    for user in USERS:
        found = (await serving.record.page(user, 99, None))[0]
        assert all(memory.terms == (() if memory.id.startswith("new") else (memory.id,)) for memory in found)
        liked = await serving.record.slots(user, [("user", "like")], 99)
        assert sorted(hit.id for hit in liked) == sorted(memory.id for memory in found if not memory.id.startswith("new"))
    assert await serving.record.newest("ada", 9) == []
    assert len(await serving.record.newest("kim", 99)) < 10
    await serving.close()


async def test_what_the_rules_fail_on_keeps_its_facts_and_stops_nobody_else(opened: Stores, caplog: pytest.LogCaptureFixture) -> None:
    await fill(opened, "ada", "eve")
    rules, told = Rules(), []
    rules.fails = {"m3"}
    with pytest.raises(StoreRejected, match=r"the rules fail on 2 memories, which keep their facts: on m3 of (ada|eve) with ValueError") as refused:
        await rederive(opened.record, told.append, rules)
    assert told[-1] == Progress(20, 0, 2)
    assert not any(text in caplog.text + str(refused.value) for text in TEXTS)
    assert [memory.facts for memory in await opened.record.get("ada", ["m3"])] == [(WRONG,)]
    assert await opened.record.count(RULES) == 2
    rules.fails = set()
    assert await rederive(opened.record, ignored, rules) == Rederived(20, 2, 0)


async def test_what_an_older_lira_writes_meanwhile_is_told_and_not_chased_for_ever(opened: Stores) -> None:
    await fill(opened, "ada")
    count, written = opened.record.count, 0

    async def counted(before: int | None = None) -> int:
        nonlocal written
        if before is not None:
            written += 1
            old = Memory(f"old{written}", "eve", "x", NOW)
            await opened.record.commit(Write(old.id, "eve", stamp(), memories=(old,)))
        return await count(before)

    opened.record.count = counted  # type: ignore[method-assign]
    done = await asyncio.wait_for(rederive(opened.record, ignored, Rules()), 60)
    assert done.left == 1
    assert all(memory.derived == RULES for memory in (await opened.record.page("ada", 10, None))[0])


@pytest.mark.parametrize(("misses", "holds"), [(2, True), (3, False)])
async def test_a_record_that_is_away_is_waited_for_but_not_for_long(
    opened: Stores, monkeypatch: pytest.MonkeyPatch, misses: int, holds: bool
) -> None:
    await fill(opened, "ada", many=3)
    goes_on, missed = opened.record.rederive, 0

    async def away(*arguments: Any) -> int:
        nonlocal missed
        missed += 1
        if missed <= misses:
            raise StoreUnavailable("the primary fails over")
        return await goes_on(*arguments)

    monkeypatch.setattr(opened.record, "rederive", away)
    if holds:
        assert await rederive(opened.record, ignored, Rules()) == Rederived(3, 3, 0)
    else:
        with pytest.raises(StoreUnavailable, match="fails over"):
            await rederive(opened.record, ignored, Rules())
        assert await opened.record.count(RULES) == 3


async def test_an_empty_record_is_done_at_once(opened: Stores) -> None:
    told: list[Progress] = []
    assert await rederive(opened.record, told.append) == Rederived(0, 0, 0)
    assert told == [Progress(0, 0, 0)]


def test_a_memory_is_derived_from_what_was_said_and_when() -> None:
    said = Memory("m", "ada", "내일 부산에 갈 거야", NOW, "s", "fact", facts=(WRONG,), metadata={"from": "import"})
    understood = understand(said.text, NOW)
    assert derive(said) == replace(said, facts=understood.facts, terms=understood.terms, derived=RULES)
