"""LIRA as a library: memories, search, sessions, deletion."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from lira_core.lira import Lira
from lira_core.settings import load_settings

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


@pytest.fixture
async def lira(tmp_path: Path) -> AsyncIterator[Lira]:
    async with Lira.local(tmp_path) as lira:
        yield lira


async def test_imported_memories_are_found_by_meaning_and_by_words(lira: Lira) -> None:
    items = [{"text": "제주도에서 말을 탔다", "timestamp": AT, "metadata": {"n": 1}}, {"text": "저녁에 김치찌개를 끓였다"}]
    ids = await lira.add_memories("u1", items)
    found = await lira.search("u1", "승마 체험", 2)
    assert found[0]["id"] == ids[0]
    assert found[0]["metadata"] == {"n": 1}
    assert found[0]["timestamp"] == AT.isoformat()
    assert [hit["id"] for hit in await lira.search("u1", "김치찌개", 1)] == ids[1:]


async def test_a_search_as_of_a_moment_does_not_know_what_came_later(lira: Lira) -> None:
    ids = await lira.add_memories("u1", [{"text": "바다에 갔다", "timestamp": AT + timedelta(days=n)} for n in range(3)])
    assert {hit["id"] for hit in await lira.search("u1", "바다", 10, AT + timedelta(days=1))} == set(ids[:2])


async def test_a_deleted_memory_is_gone_from_every_index(lira: Lira) -> None:
    reply = await lira.chat(user_id="u1", session_id="s1", text="나는 딸기를 제일 좋아해", at=AT)
    memory_id = reply.memory.id
    assert memory_id
    assert not await lira.delete_memory("u2", memory_id), "it is not theirs"
    assert await lira.delete_memory("u1", memory_id)
    assert not await lira.delete_memory("u1", memory_id)
    assert (await lira.list_memories("u1", 10))["results"] == []
    assert await lira.search("u1", "딸기", 10) == []
    asked = await lira.chat(user_id="u1", session_id="s2", text="내가 좋아하는 과일이 뭐였지?", at=AT + timedelta(minutes=5))
    assert asked.recalled == ()
    assert "딸기" not in asked.text


async def test_deleting_a_user_takes_sessions_and_memories_and_leaves_everybody_else(lira: Lira) -> None:
    for user in ("u1", "u2"):
        await lira.chat(user_id=user, session_id="s1", text="나는 부산에 살아", at=AT)
    await lira.delete_user("u1")
    assert (await lira.list_memories("u1", 10))["results"] == []
    assert (await lira.session("u1", "s1"))["chat_history"] == []
    assert len((await lira.list_memories("u2", 10))["results"]) == 1
    assert len((await lira.session("u2", "s1"))["chat_history"]) == 2


async def test_a_session_belongs_to_one_user(lira: Lira) -> None:
    await lira.chat(user_id="u1", session_id="shared", text="비밀번호는 수박이야", at=AT)
    assert (await lira.session("u2", "shared"))["chat_history"] == []


async def test_a_session_is_empty_at_once_when_it_is_deleted(lira: Lira) -> None:
    await lira.chat(user_id="u1", session_id="s1", text="안녕", at=AT)
    await lira.delete_session("u1", "s1")
    assert await lira.session("u1", "s1") == {"chat_history": [], "recalled_ltm_buffer": [], "last_updated": None, "expires_in": 0}


async def test_a_session_expires_after_its_time(tmp_path: Path) -> None:
    async with Lira.local(settings=load_settings(data_dir=tmp_path, session_ttl_seconds=0.4)) as lira:
        await lira.chat(user_id="u1", session_id="s1", text="안녕")
        assert (await lira.session("u1", "s1"))["chat_history"]
        await asyncio.sleep(0.6)
        assert (await lira.session("u1", "s1"))["chat_history"] == []


async def test_pages_go_from_the_newest_to_the_oldest(lira: Lira) -> None:
    ids = await lira.add_memories("u1", [{"text": f"{n}번째", "timestamp": AT + timedelta(days=n)} for n in range(5)])
    first = await lira.list_memories("u1", 3)
    second = await lira.list_memories("u1", 3, first["next_cursor"])
    assert [memory["id"] for memory in first["results"] + second["results"]] == ids[::-1]
    assert second["next_cursor"] is None
    with pytest.raises(ValueError, match="cursor"):
        await lira.list_memories("u1", 3, "nonsense")


async def test_a_time_without_an_offset_is_refused(lira: Lira) -> None:
    with pytest.raises(ValueError, match="offset"):
        await lira.chat(user_id="u1", session_id="s1", text="안녕", at=datetime(2026, 10, 3))


async def test_somebody_at_risk_gets_the_help_lines_and_no_cheerful_memory(lira: Lira) -> None:
    await lira.chat(user_id="u1", session_id="s1", text="오늘 너무 행복해! 여행 가서 정말 기뻐!!", at=AT)
    reply = await lira.chat(user_id="u1", session_id="s2", text="이제 그만 죽고 싶어", at=AT + timedelta(days=1))
    assert "109" in reply.text
    assert "1577-0199" in reply.text
    assert "여행" not in reply.text


async def test_every_metric_of_the_surface_is_reported(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    observer = Kept()
    async with Lira.local(settings=settings, observer=observer) as lira:
        await lira.chat(user_id="u1", session_id="s1", text="제 이름은 민수예요")
        await lira.chat(user_id="u1", session_id="s2", text="내 이름이 뭐였지?")
    names = {name for name, _ in observer.seen}
    assert {
        "lira_turn_seconds",
        "lira_recall_seconds",
        "lira_recalled_total",
        "lira_gate_total",
        "lira_emotion_total",
        "lira_store_seconds",
        "lira_generate_first_token_seconds",
        "lira_generate_tokens_total",
    } <= names
    assert ("lira_gate_total", {"decision": "keep", "reason": "fact"}) in observer.seen
