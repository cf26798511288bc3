"""LIRA as a library: memories, search, sessions, deletion."""

import asyncio
import threading
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lira_core import compose, engines, summarising
from lira_core.admission import Refused
from lira_core.lira import Lira
from lira_core.replies import FoundEvent
from lira_core.requests import (
    AddMemories,
    CheckReady,
    DeleteMemory,
    DeleteSession,
    DeleteUser,
    InvalidRequest,
    Item,
    ListMemories,
    ListSummaries,
    ReadSession,
    Search,
    SearchEvents,
)
from lira_core.safety.wording import WORDING
from lira_core.settings import SettingsError, load_settings
from lira_core.stores import StoreUnavailable
from lira_core.types import Scope

SCOPES: tuple[Scope, ...] = ("session", "day", "week", "month")
AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")


class Kept:
    """An Observer that keeps what it is told."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, str]]] = []

    def observe(self, name: str, value: float, **tags: str) -> None:
        assert value >= 0
        self.seen.append((name, tags))

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        self.seen.append((name, tags))

    def gauge(self, name: str, value: float, **tags: str) -> None:
        self.seen.append((name, tags))


@pytest.fixture
async def lira(tmp_path: Path) -> AsyncIterator[Lira]:
    async with Lira.local(tmp_path) as lira:
        yield lira


async def add(lira: Lira, *items: Item, user: str = "u1") -> tuple[str, ...]:
    return (await lira.ask(AddMemories(user_id=user, items=items))).ids


async def found(lira: Lira, query: str, limit: int = 10, at: datetime | None = None) -> list[str]:
    return [hit.id for hit in (await lira.ask(Search(user_id="u1", query=query, limit=limit, at=at))).results]


async def history(lira: Lira, user: str, session: str) -> tuple[object, ...]:
    return (await lira.ask(ReadSession(user_id=user, session_id=session))).chat_history


async def everything(lira: Lira, user: str) -> tuple[object, ...]:
    return (await lira.ask(ListMemories(user_id=user, limit=100))).results


async def test_hangul_that_comes_as_its_letters_is_read_as_hangul(lira: Lira) -> None:
    (memory,) = await add(lira, Item(text=unicodedata.normalize("NFD", "제주도에서 말을 탔다")))
    assert (await found(lira, unicodedata.normalize("NFD", "제주도"))) == [memory]
    reply = await lira.chat(user_id="u2", session_id="s", text=unicodedata.normalize("NFD", "나 다음 주에 부산 가"))
    assert any("가" <= letter <= "힣" for letter in reply.text)
    assert unicodedata.is_normalized("NFC", reply.text)


async def test_imported_memories_are_found_by_meaning_and_by_words(lira: Lira) -> None:
    ids = await add(lira, Item(text="제주도에서 말을 탔다", timestamp=AT, metadata={"n": 1}), Item(text="저녁에 김치찌개를 끓였다"))
    best = (await lira.ask(Search(user_id="u1", query="승마 체험", limit=2))).results[0]
    assert (best.id, best.metadata, best.timestamp) == (ids[0], {"n": 1}, AT.isoformat())
    assert await found(lira, "김치찌개", 1) == [ids[1]]


async def test_a_search_puts_what_answers_before_what_only_shares_its_words(lira: Lira) -> None:
    items = [
        Item(text="엄마 생신 선물로 스카프를 살까 고민 중이야", timestamp=AT),
        Item(text="엄마 생신에는 다 같이 모이기로 했어", timestamp=AT + timedelta(hours=1)),
        Item(text="엄마가 12월 3일이 생신이셔서 케이크 예약했어", timestamp=AT + timedelta(hours=2)),
    ]
    *_, born = await add(lira, *items)
    asked = Search(user_id="u1", query="엄마 생신 언제야?")
    best, *_ = (await lira.ask(asked)).results
    assert (best.id, sum(best.score_parts.values())) == (born, pytest.approx(best.score, abs=1e-3))
    assert best.score_parts["reader"] > 0
    plain, *_ = (await lira.ask(replace(asked, rerank=False))).results
    assert plain.id != born
    assert "reader" not in plain.score_parts


async def test_a_search_goes_on_by_meaning_and_words_while_the_reader_is_too_slow(tmp_path: Path) -> None:
    async with Lira.local(settings=load_settings(data_dir=tmp_path, reading_deadline_ms=1)) as lira:
        ids = await add(lira, Item(text="제주도에서 말을 탔다"), Item(text="저녁에 김치찌개를 끓였다"))
        answer = await lira.ask(Search(user_id="u1", query="김치찌개"))
        states = (await lira.ask(CheckReady())).dependencies
    assert (answer.results[0].id, answer.degraded, states["reader"]) == (ids[1], ("reader",), "degraded")


async def test_a_search_as_of_a_moment_does_not_know_what_came_later(lira: Lira) -> None:
    ids = await add(lira, *(Item(text="바다에 갔다", timestamp=AT + timedelta(days=n)) for n in range(3)))
    assert set(await found(lira, "바다", 10, AT + timedelta(days=1))) == set(ids[:2])


async def test_a_deleted_memory_is_gone_from_every_store_and_so_is_what_quotes_it(lira: Lira) -> None:
    told = await lira.chat(user_id="u1", session_id="s1", text="나는 딸기를 제일 좋아해", at=AT)
    memory_id = told.memory.id
    assert memory_id
    await until(lira, "딸기", memory_id)
    asked = await lira.chat(user_id="u1", session_id="s2", text="내가 좋아하는 과일이 뭐였지?", at=AT + timedelta(minutes=1))
    assert "딸기" in asked.text, "there is something to delete"
    assert not await lira.ask(DeleteMemory(user_id="u2", memory_id=memory_id)), "it is not theirs"
    assert await lira.ask(DeleteMemory(user_id="u1", memory_id=memory_id))
    assert await lira.ask(DeleteMemory(user_id="u1", memory_id=memory_id)), "asking again answers as the first time"
    assert await everything(lira, "u1") == ()
    assert await found(lira, "딸기") == []
    assert await talk(lira, "딸기") == ()
    for session in ("s1", "s2"):
        state = await lira.ask(ReadSession(user_id="u1", session_id=session))
        assert "딸기" not in str(state)
    again = await lira.chat(user_id="u1", session_id="s3", text="내가 좋아하는 과일이 뭐였지?", at=AT + timedelta(minutes=5))
    assert again.recalled == ()
    assert "딸기" not in again.text


async def talk(lira: Lira, query: str, limit: int = 10, at: datetime | None = None, user: str = "u1") -> tuple[FoundEvent, ...]:
    return (await lira.ask(SearchEvents(user_id=user, query=query, limit=limit, at=at))).results


async def test_old_talk_is_found_by_its_words_whether_it_was_kept_or_not(lira: Lira) -> None:
    texts = ["점심에 쌀국수 먹는 중", "나는 딸기를 제일 좋아해", "쌀국수 국물이 시원하네"]
    replies = [await lira.chat(user_id="u1", session_id="s1", text=text, at=AT + timedelta(minutes=n)) for n, text in enumerate(texts)]
    await lira.chat(user_id="u2", session_id="s1", text="쌀국수는 별로야", at=AT)
    said = [hit for hit in await talk(lira, "쌀국수 국물") if hit.role == "user"]
    assert [hit.text for hit in said] == [texts[2], texts[0]]
    assert [(one.role, one.text) for one in said[1].around] == [("lira", replies[0].text), ("user", texts[1])]
    assert (said[0].session_id, said[0].timestamp) == ("s1", (AT + timedelta(minutes=2)).isoformat())
    assert [hit.text for hit in await talk(lira, "쌀국수", at=AT) if hit.role == "user"] == [texts[0]]
    assert await talk(lira, "쌀국수", at=AT - timedelta(seconds=1)) == ()
    assert len(await talk(lira, "쌀국수", limit=1)) == 1
    assert await talk(lira, "은 는 이 가") == ()
    with pytest.raises(InvalidRequest, match="offset"):
        await talk(lira, "쌀국수", at=datetime(2026, 10, 3))


async def test_what_lira_answered_is_found_too(lira: Lira) -> None:
    await lira.chat(user_id="u1", session_id="s1", text="나는 딸기를 제일 좋아해", at=AT)
    asked = await lira.chat(user_id="u1", session_id="s2", text="내가 좋아하는 과일이 뭐였지?", at=AT + timedelta(minutes=1))
    assert "딸기" in asked.text
    (found,) = [hit for hit in await talk(lira, "딸기") if hit.session_id == "s2"]
    assert (found.role, found.id, found.text) == ("lira", f"{asked.request_id}:reply", asked.text)


async def test_a_question_as_long_as_a_page_is_looked_for_by_its_first_words(lira: Lira) -> None:
    await lira.chat(user_id="u1", session_id="s1", text="점심에 쌀국수 먹는 중", at=AT)
    page = " ".join(f"낱말{n} word{n}" for n in range(300))
    assert [hit.role for hit in await talk(lira, f"쌀국수 {page}")][:1] == ["user"]


async def told(lira: Lira, scope: Scope, user: str = "u1") -> tuple[Any, ...]:
    return (await lira.ask(ListSummaries(user_id=user, scope=scope))).results


async def test_ten_turns_of_a_session_are_summed_up_by_themselves_and_gone_with_their_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summarising, "LOOK_SECONDS", 0.0)
    async with Lira.local(settings=load_settings(data_dir=tmp_path, reconcile_seconds=0.05)) as lira:
        for n in range(9):
            await lira.chat(user_id="u1", session_id="s1", text=f"오늘 {n}번째로 본 건 비둘기", at=AT + timedelta(minutes=n))
        kept = await lira.chat(user_id="u1", session_id="s1", text="내일 치과 가는 거 기억해줘", at=AT + timedelta(minutes=9))
        for _ in range(500):
            if found := await told(lira, "month"):
                break
            await asyncio.sleep(0.02)
        (session,), (day,), (week,), (month,) = [await told(lira, scope) for scope in SCOPES]
        assert (session["scope"], session["from"], session["to"]) == ("session", AT.isoformat(), (AT + timedelta(minutes=9)).isoformat())
        assert (day["from"], day["to"]) == ("2026-10-03T00:00:00+09:00", "2026-10-04T00:00:00+09:00")
        assert all(kept.request_id in one["turns"] and "치과" in one["text"] for one in (session, day, week, month, *found))
        assert await lira.ask(DeleteMemory(user_id="u1", memory_id=kept.request_id))
        assert "치과" not in str([await told(lira, scope) for scope in SCOPES])
        await lira.ask(DeleteUser(user_id="u1"))
        assert [await told(lira, scope) for scope in SCOPES] == [()] * 4


async def until(lira: Lira, query: str, memory_id: str) -> None:
    """Waits for the memory's vector."""
    for _ in range(500):
        results = (await lira.ask(Search(user_id="u1", query=query))).results
        if any(hit.id == memory_id and "semantic" in hit.paths for hit in results):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it was never indexed")


async def test_deleting_a_user_takes_sessions_and_memories_and_leaves_everybody_else(lira: Lira) -> None:
    for user in ("u1", "u2"):
        await lira.chat(user_id=user, session_id="s1", text="나는 부산에 살아", at=AT)
    await lira.ask(DeleteUser(user_id="u1"))
    assert await everything(lira, "u1") == ()
    assert await history(lira, "u1", "s1") == ()
    assert await talk(lira, "부산") == ()
    assert await talk(lira, "부산", user="u2")
    assert len(await everything(lira, "u2")) == 1
    assert len(await history(lira, "u2", "s1")) == 2


async def test_a_user_who_was_deleted_may_begin_again(lira: Lira) -> None:
    await lira.chat(user_id="u1", session_id="s1", text="나는 부산에 살아", at=AT)
    await lira.ask(DeleteUser(user_id="u1"))
    await lira.chat(user_id="u1", session_id="s1", text="나는 대구에 살아", at=AT)
    assert "대구" in (await lira.chat(user_id="u1", session_id="s2", text="나 어디 살지?", at=AT + timedelta(minutes=5))).text
    assert len(await history(lira, "u1", "s1")) == 2


async def test_a_session_belongs_to_one_user(lira: Lira) -> None:
    await lira.chat(user_id="u1", session_id="shared", text="비밀번호는 수박이야", at=AT)
    assert await history(lira, "u2", "shared") == ()


async def test_a_session_is_empty_at_once_when_it_is_deleted(lira: Lira) -> None:
    await lira.chat(user_id="u1", session_id="s1", text="안녕", at=AT)
    await lira.ask(DeleteSession(user_id="u1", session_id="s1"))
    state = await lira.ask(ReadSession(user_id="u1", session_id="s1"))
    assert (state.chat_history, state.recalled_ltm_buffer, state.last_updated, state.expires_in) == ((), (), None, 0)


async def test_a_session_expires_after_its_time(tmp_path: Path) -> None:
    async with Lira.local(settings=load_settings(data_dir=tmp_path, session_ttl_seconds=0.4)) as lira:
        await lira.chat(user_id="u1", session_id="s1", text="안녕")
        assert await history(lira, "u1", "s1")
        await asyncio.sleep(0.6)
        assert await history(lira, "u1", "s1") == ()


async def test_pages_go_from_the_newest_to_the_oldest(lira: Lira) -> None:
    ids = await add(lira, *(Item(text=f"{n}번째", timestamp=AT + timedelta(days=n)) for n in range(5)))
    first = await lira.ask(ListMemories(user_id="u1", limit=3))
    second = await lira.ask(ListMemories(user_id="u1", limit=3, cursor=first.next_cursor))
    assert tuple(memory.id for memory in first.results + second.results) == ids[::-1]
    assert second.next_cursor is None
    with pytest.raises(InvalidRequest, match="cursor"):
        await lira.ask(ListMemories(user_id="u1", limit=3, cursor="nonsense"))


async def test_a_time_without_an_offset_is_refused(lira: Lira) -> None:
    with pytest.raises(InvalidRequest, match="offset"):
        await lira.chat(user_id="u1", session_id="s1", text="안녕", at=datetime(2026, 10, 3))
    with pytest.raises(InvalidRequest, match="offset") as told:
        await add(lira, Item(text="나는 부산에 살아", timestamp=AT), Item(text="나는 서울에 살아", timestamp=datetime(2026, 10, 3)))
    assert told.value.field == "items.1.timestamp"


async def test_somebody_at_risk_gets_the_help_lines_and_no_cheerful_memory(lira: Lira) -> None:
    await lira.chat(user_id="u1", session_id="s1", text="오늘 너무 행복해! 여행 가서 정말 기뻐!!", at=AT)
    reply = await lira.chat(user_id="u1", session_id="s2", text="이제 그만 죽고 싶어", at=AT + timedelta(days=1))
    assert "109" in reply.text
    assert "1577-0199" in reply.text
    assert "여행" not in reply.text


async def test_a_known_person_is_told_again_what_lira_is_only_when_the_hours_have_passed(lira: Lira) -> None:
    first = await lira.chat(user_id="u1", session_id="s1", text="내 동생 이름은 민수야. 기억해줘.", at=AT)
    soon = await lira.chat(user_id="u1", session_id="s2", text="오늘은 파스타를 먹었어", at=AT + timedelta(minutes=1))
    next_day = await lira.chat(user_id="u1", session_id="s3", text="오늘은 김밥을 먹었어", at=AT + timedelta(days=1))
    assert first.text.startswith(WORDING["ko"].disclosure)
    assert [WORDING["ko"].reminder in reply.text for reply in (first, soon, next_day)] == [False, False, True]
    assert next_day.text.endswith(WORDING["ko"].reminder)


async def test_who_asks_what_it_is_and_who_leans_on_it_alone_hear_that_it_is_an_ai(lira: Lira) -> None:
    asked = await lira.chat(user_id="u1", session_id="s1", text="나 지금 로봇이랑 얘기하는 거 맞아?", at=AT)
    leant = await lira.chat(user_id="u1", session_id="s1", text="친구들 단톡 다 나갔어 이제 너만 있으면 돼서", at=AT + timedelta(minutes=1))
    assert asked.text in WORDING["ko"].identity
    assert leant.text in WORDING["ko"].attachment


async def test_sorrow_told_over_days_is_noticed(lira: Lira) -> None:
    for day, text in enumerate(("요즘 너무 우울해서 눈물만 나", "오늘도 우울해서 아무것도 못 했어")):
        await lira.chat(user_id="u1", session_id=f"s{day}", text=text, at=AT + timedelta(days=day))
    reply = await lira.chat(user_id="u1", session_id="s9", text="오늘도 하루 종일 우울했어", at=AT + timedelta(days=3))
    assert "전문가" in reply.text


async def test_more_turns_of_one_user_at_once_than_may_are_refused_and_nothing_of_them_is_kept(tmp_path: Path) -> None:
    observer = Kept()
    async with Lira.local(settings=load_settings(data_dir=tmp_path, max_ongoing_turns=1, max_turns_per_user=2), observer=observer) as lira:
        turns = (lira.chat(user_id="u", session_id="s", text=f"내 동생 이름은 동생{i}이야. 기억해줘.") for i in range(5))
        ended = await asyncio.gather(*turns, lira.chat(user_id="other", session_id="s", text="안녕"), return_exceptions=True)
        assert [isinstance(one, Refused) for one in ended] == [False, False, True, True, True, False]
        assert len((await lira.ask(ListMemories(user_id="u"))).results) == 2
    assert observer.seen.count(("lira_refused_total", {"reason": "user"})) == 3


async def test_every_metric_of_the_surface_is_reported(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, reconcile_seconds=0.01)
    observer = Kept()
    async with Lira.local(settings=settings, observer=observer) as lira:
        await lira.chat(user_id="u1", session_id="s1", text="제 이름은 민수예요")
        await lira.chat(user_id="u1", session_id="s2", text="내 이름이 뭐였지?")
        await asyncio.sleep(0.2)
    names = {name for name, _ in observer.seen}
    assert {
        "lira_turn_seconds",
        "lira_recall_seconds",
        "lira_recalled_total",
        "lira_gate_total",
        "lira_emotion_total",
        "lira_batch_size",
        "lira_queue_seconds",
        "lira_inference_seconds",
        "lira_store_seconds",
        "lira_generate_first_token_seconds",
        "lira_outbox_waiting",
        "lira_dead_letters_total",
    } <= names
    assert ("lira_gate_total", {"decision": "keep", "reason": "fact"}) in observer.seen
    assert {tags["stage"] for name, tags in observer.seen if name == "lira_batch_size"} >= {"embedding"}


async def test_where_a_part_cannot_be_made_no_store_stays_open(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with pytest.raises(SettingsError, match="LIRA_GENERATOR=vllm"):
        async with Lira.local(settings=load_settings(data_dir=tmp_path, generator="vllm")):
            pass
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "lira-sqlite-write"]
    assert not (tmp_path / "lira.db-wal").exists()


async def test_a_record_that_was_away_at_the_start_is_used_when_it_is_there(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, record_url=f"sqlite:///{tmp_path}/record.db", reconcile_seconds=0.05)
    stores = await compose.open_settled_stores(settings)

    class Away:
        """The record, which cannot be reached until `back` is set."""

        back = False

        def __getattr__(self, name: str) -> Any:
            found = getattr(stores.record, name)
            if not asyncio.iscoroutinefunction(found):
                return found

            async def ask(*args: Any, **kwargs: Any) -> Any:
                if not self.back:
                    raise StoreUnavailable("not there yet")
                return await found(*args, **kwargs)

            return ask

    away = Away()
    emotion, embedder, reader = engines.open_emotion(settings), engines.open_embedder(settings), engines.open_reader(settings)
    lira = Lira(settings, emotion=emotion, embedder=embedder, reader=reader, stores=replace(stores, record=away, lexical=away))  # type: ignore[arg-type]
    await lira.start()
    told = await lira.chat(user_id="u1", session_id="s1", text="나는 딸기를 제일 좋아해", at=AT)
    assert told.memory.status == "queued"
    away.back = True
    await asyncio.sleep(1.2)  # the circuit's ping
    await until(lira, "딸기", told.request_id)
    await lira.close()
