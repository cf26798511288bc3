"""Facts by a model: after the answer, never in its way, whatever dies, and never of what was deleted."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lira_core import compose, extracting
from lira_core.extracting import Extractor
from lira_core.lira import Lira
from lira_core.memory.derivation import MISREAD, READ, RULES, WAITING
from lira_core.memory.understander import Stated, UnderstanderAway
from lira_core.reindex import Rederived, rederive
from lira_core.requests import AddMemories, DeleteMemory, DeleteUser, Item, stamp
from lira_core.settings import Settings, load_settings
from lira_core.stores import Stores
from lira_core.stores.ports import Write
from lira_core.types import Memory

from .generation.faulty import Answer, Api, Behaviour, nobody, refuses, serving, silent
from .memory.answering import completes, stated, states

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
TEXT = "나는 부산에 살고 토요일마다 지우네 집에서 보드게임 모임 열어"
"""Where somebody lives is found by the rules, what they do on Saturdays is not."""
GAMES = states(stated(predicate="hobby", object="보드게임"), stated(predicate="live_in", object="서울"))


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    async with serving() as running:
        running.does = GAMES
        yield running


@pytest.fixture
def asking(tmp_path: Path) -> Callable[..., Settings]:
    """Settings by which the API is asked."""

    def settings(url: str, **others: Any) -> Settings:
        return load_settings(
            data_dir=tmp_path, understander="openai", understander_url=url, understander_model="small", reconcile_seconds=0.05, **others
        )

    return settings


@pytest.fixture(autouse=True)
def _asked_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extracting, "BACKOFF_S", 0.01)


async def until(settings: Settings, derived: int, many: int = 1) -> list[Memory]:
    """The memories of everybody that have this number, as soon as there are so many."""
    record = await compose.open_record(settings)
    try:
        async with asyncio.timeout(60):
            while len(found := (await record.outdated(derived + 1, 99, since=derived))[0]) < many:  # noqa: ASYNC110 another's work
                await asyncio.sleep(0.02)
        return found
    finally:
        await record.close()


def keys(memory: Memory) -> set[str | None]:
    return {fact.key for fact in memory.facts}


async def test_what_the_rules_miss_is_found_by_the_model_some_time_after_the_answer(asking: Callable[..., Settings], api: Api) -> None:
    settings = asking(api.url)
    async with Lira.local(settings=settings) as lira:
        reply = await lira.chat(user_id="ada", session_id="s", text=TEXT, at=AT)
        assert reply.memory.status == "stored"
        (memory,) = await until(settings, READ)
        assert (memory.id, memory.text, keys(memory)) == (reply.memory.id, TEXT, {"live_in:user", "hobby:보드게임"})
        assert [hit.id for hit in await lira._stores.record.slots("ada", [("user", "hobby")], 9)] == [memory.id]
    assert len(api.asked) == 1, "a memory is asked about once"


async def test_imports_are_read_too_and_everybodys_facts_are_their_own(asking: Callable[..., Settings], api: Api) -> None:
    settings = asking(api.url)
    async with Lira.local(settings=settings) as lira:
        await lira.ask(AddMemories(user_id="ada", items=(Item(text="토요일마다 지우네 집에서 보드게임 모임 열어"),)))
        await lira.ask(AddMemories(user_id="eve", items=(Item(text="요즘 바쁘네"),)))
        read = {memory.user_id: keys(memory) for memory in await until(settings, READ, 2)}
    assert read == {"ada": {"hobby:보드게임"}, "eve": set()}


async def test_answers_do_not_wait_for_a_model_that_says_nothing(asking: Callable[..., Settings], api: Api) -> None:
    api.does = silent
    settings = asking(api.url, understander_max_ongoing=1)
    async with Lira.local(settings=settings) as lira:
        await lira.chat(user_id="ada", session_id="s", text=TEXT, at=AT)
        await api.until(lambda: api.open == 1)
        reply = await lira.chat(user_id="ada", session_id="s2", text="나 어디 산다고 했지?", at=AT)
        assert "부산" in reply.reply
        assert reply.degraded == ()
        assert api.open == 1, "it is still being asked"
    await api.until(lambda: api.open == 0)


async def test_no_more_are_asked_about_at_once_than_the_settings_say(asking: Callable[..., Settings], api: Api) -> None:
    most = 0

    async def watched(to: Answer) -> None:
        nonlocal most
        most = max(most, api.open)
        await asyncio.sleep(0.01)
        await GAMES(to)

    api.does = watched
    settings = asking(api.url, understander_max_ongoing=2)
    async with Lira.local(settings=settings) as lira:
        await lira.ask(AddMemories(user_id="ada", items=tuple(Item(text=f"{n}번째 보드게임") for n in range(9))))
        await until(settings, READ, 9)
    assert most == 2


@pytest.mark.parametrize("everything", [False, True])
async def test_what_is_deleted_while_the_model_reads_it_stays_deleted(asking: Callable[..., Settings], api: Api, everything: bool) -> None:
    go = asyncio.Event()

    async def late(to: Answer) -> None:
        await go.wait()
        await GAMES(to)

    api.does = late
    async with Lira.local(settings=asking(api.url)) as lira:
        kept = (await lira.chat(user_id="ada", session_id="s", text=TEXT, at=AT)).memory.id
        assert kept is not None
        await api.until(lambda: api.open == 1)
        await lira.ask(DeleteUser(user_id="ada") if everything else DeleteMemory(user_id="ada", memory_id=kept))
        go.set()
        await api.until(lambda: api.open == 0)
        api.does = GAMES
        await lira.ask(AddMemories(user_id="eve", items=(Item(text="보드게임 모임"),)))
        await until(asking(api.url), READ)
        record = lira._stores.record
        assert await record.get("ada", [kept]) == []
        assert await record.slots("ada", [("user", "hobby"), ("user", "live_in")], 9) == []


@pytest.mark.parametrize("does", [completes("I cannot."), completes('{"facts": [{"predicate": "enemy"}]}'), refuses(400)])
async def test_an_answer_of_no_use_leaves_the_rules_facts_and_is_not_asked_for_again(
    asking: Callable[..., Settings], api: Api, opened: Stores, does: Behaviour
) -> None:
    api.does = does
    settings = asking(api.url)
    async with Lira.local(settings=settings) as lira:
        await lira.chat(user_id="ada", session_id="s", text=TEXT, at=AT)
        (memory,) = await until(settings, MISREAD)
        assert keys(memory) == {"live_in:user"}
        await lira.ask(AddMemories(user_id="eve", items=(Item(text="보드게임 모임"),)))
        await until(settings, MISREAD, 2)
    assert len(api.asked) == 2


async def test_a_model_that_is_away_is_asked_again_and_meanwhile_the_rules_facts_are_there(
    asking: Callable[..., Settings], api: Api, opened: Stores, seen: Any
) -> None:
    said = Memory("m", "ada", TEXT, AT, derived=WAITING)
    await opened.record.commit(Write("w", "ada", stamp(), memories=(said,)))
    away = compose.open_extractor(asking(nobody()), opened.record, seen)
    assert away is not None
    assert await away.some() == 0
    assert await away.some() == 0
    await away.close()
    assert await opened.record.get("ada", ["m"]) == [said]
    back = compose.open_extractor(asking(api.url), opened.record, seen)
    assert back is not None
    assert (await back.some(), await back.some()) == (1, 0)
    await back.close()
    assert [keys(memory) for memory in await opened.record.get("ada", ["m"])] == [{"hobby:보드게임"}]
    outcomes = [tags["outcome"] for name, tags in seen.counted if name == "lira_extractions_total"]
    assert set(outcomes[:-1]) == {"away"}
    assert outcomes[-1] == "read"
    assert ("lira_extractions_refused_total", {}) in seen.counted


async def test_a_model_that_is_away_for_days_is_still_asked_again(opened: Stores, seen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        """An understander that says so at once: the client of an API tries for a while first."""

        async def read(self, text: str) -> Sequence[Stated]:
            raise UnderstanderAway("nobody is there")

        async def aclose(self) -> None:
            """Nothing is held."""

    monkeypatch.setattr(extracting, "BACKOFF_S", 0.0)
    await opened.record.commit(Write("w", "ada", stamp(), memories=(Memory("m", "ada", TEXT, AT, derived=WAITING),)))
    extractor = Extractor(opened.record, Gone(), seen, ongoing=1)
    for _ in range(1_030):
        assert await extractor.some() == 0
    assert len(seen.counted) > 1_024


KILLED = """
import asyncio, sys
from lira_core.lira import Lira
from lira_core.requests import AddMemories, Item
from lira_core.settings import load_settings

async def main():
    async with Lira.local(settings=load_settings()) as lira:
        await lira.ask(AddMemories(user_id="ada", items=(Item(text=sys.argv[1]),)))
        print("stored", flush=True)
        await asyncio.sleep(3600)

asyncio.run(main())
"""


async def test_a_process_that_is_killed_over_it_loses_nothing(asking: Callable[..., Settings], api: Api, tmp_path: Path) -> None:
    api.does = silent
    settings = asking(api.url)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LIRA_")} | {
        "LIRA_DATA_DIR": str(tmp_path),
        "LIRA_UNDERSTANDER": "openai",
        "LIRA_UNDERSTANDER_URL": api.url,
        "LIRA_UNDERSTANDER_MODEL": "small",
        "LIRA_RECONCILE_SECONDS": "0.05",
    }
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, TEXT, env=environment, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"stored\n"
        await api.until(lambda: api.open == 1)
    finally:
        process.kill()
        await process.wait()
    await until(settings, WAITING)
    api.does = GAMES
    async with Lira.local(settings=settings):
        assert [keys(memory) for memory in await until(settings, READ)] == [{"live_in:user", "hobby:보드게임"}]


async def test_without_a_model_nothing_waits_for_one(settings: Settings) -> None:
    async with Lira.local(settings=settings) as lira:
        await lira.chat(user_id="ada", session_id="s", text=TEXT, at=AT)
        assert [keys(memory) for memory in await until(settings, RULES)] == [{"live_in:user"}]


# What was kept before


@pytest.fixture
async def older(opened: Stores) -> list[Memory]:
    """Memories that only the rules of today or older ones read, or whose answer was of no use."""
    memories = [Memory(f"m{n}", "ada", TEXT, AT, derived=derived) for n, derived in enumerate((0, 1, RULES, WAITING, MISREAD, RULES))]
    await opened.record.commit(Write("w", "ada", stamp(), memories=tuple(memories)))
    return memories


@pytest.fixture
async def extractor(asking: Callable[..., Settings], api: Api, opened: Stores) -> AsyncIterator[Extractor]:
    made = compose.open_extractor(asking(api.url), opened.record)
    assert made is not None
    yield made
    await made.close()


async def test_what_was_kept_before_is_read_when_somebody_asks_for_it(opened: Stores, older: list[Memory], extractor: Extractor, api: Api) -> None:
    assert await extractor.some() == 1, "only what waits is read by itself"
    assert await rederive(opened.record, lambda _: None, extractor=extractor) == Rederived(6, 5, 0)
    for memory in (await opened.record.page("ada", 9, None))[0]:
        # What waited was read by the rules of today when it was kept, and held nothing.
        assert (memory.derived, keys(memory)) == (READ, {"hobby:보드게임"} if memory.id == "m3" else {"live_in:user", "hobby:보드게임"})
    assert len(api.asked) == 6
    assert await rederive(opened.record, lambda _: None) == Rederived(6, 0, 0), "the rules alone take nothing away again"


async def test_where_the_model_is_away_it_stops_and_goes_on_from_there(opened: Stores, older: list[Memory], extractor: Extractor, api: Api) -> None:
    api.script = [GAMES, GAMES, GAMES, GAMES, *[refuses(401)] * 2]
    with pytest.raises(UnderstanderAway, match="401"):
        await rederive(opened.record, lambda _: None, extractor=extractor)
    left = await opened.record.count(READ)
    assert 0 < left < 6
    assert (await rederive(opened.record, lambda _: None, extractor=extractor)).left == 0


async def test_what_the_model_cannot_read_is_told_and_keeps_the_rules_facts(
    opened: Stores, older: list[Memory], extractor: Extractor, api: Api
) -> None:
    api.does = completes("I cannot.")
    assert (await rederive(opened.record, lambda _: None, extractor=extractor)).left == 6
    assert {memory.derived for memory in (await opened.record.page("ada", 9, None))[0]} == {MISREAD}
