"""The fourteen scenarios that LIRA comes from, through the served graph, each recall also from a session that has just begun."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import httpx
import pytest
from served import Server

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")  # a Saturday


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        for user in ("userA", "userB", "userC"):
            client.delete("/v1/memories", params={"user_id": user}).raise_for_status()
        yield client


def say(client: httpx.Client, user: str, session: str, text: str, after: timedelta = timedelta()) -> dict:
    answer = client.post("/v1/chat", json={"user_id": user, "session_id": session, "text": text, "at": (AT + after).isoformat()})
    assert answer.status_code == 200, answer.text
    body: dict = answer.json()
    return body


@pytest.fixture(scope="module")
def told(client: httpx.Client) -> dict[str, dict]:
    """Scenarios 1, 2, 4 and 6: what is said to be kept."""
    return {
        "A": say(client, "userA", "sessionA1", "안녕하세요, 제 이름은 A입니다."),
        "B": say(client, "userB", "sessionB1", "안녕하세요, 제 이름은 B입니다."),
        "joy": say(client, "userA", "sessionA2", "오늘 정말 너무 기뻤어. 드디어 오늘 나만의 RAG시스템이 완성됐어!!"),
        "meeting": say(client, "userA", "sessionA4", "내일 오후 3시 강남에서 민수랑 미팅 있어. 기억해줘."),
    }


def test_1_2_4_6_names_a_joy_and_a_meeting_are_kept_each_for_its_reason(told: dict[str, dict]) -> None:
    kept = {what: (reply["memory"]["status"], reply["memory"]["reason"]) for what, reply in told.items()}
    assert kept == {"A": ("stored", "fact"), "B": ("stored", "fact"), "joy": ("stored", "emotion"), "meeting": ("stored", "trigger")}
    assert told["joy"]["emotion"]["label"] == "joy"


@pytest.mark.parametrize("session", ["sessionB1", "sessionB9"])
def test_3_each_user_gets_the_own_name(client: httpx.Client, told: dict[str, dict], session: str) -> None:
    reply = say(client, "userB", session, "제 이름이 뭐였죠?", timedelta(hours=1))
    assert "B" in reply["reply"]
    assert "A" not in reply["reply"]
    assert [memory["text"] for memory in reply["recalled"]] == ["안녕하세요, 제 이름은 B입니다."]
    assert reply["memory"]["status"] == "skipped"


@pytest.mark.parametrize("session", ["sessionA2", "sessionA9"])
def test_5_the_reason_of_a_joy_is_told_again(client: httpx.Client, told: dict[str, dict], session: str) -> None:
    reply = say(client, "userA", session, "내가 기쁜 이유가 뭐였지?", timedelta(hours=1))
    assert "RAG" in reply["reply"]
    assert "완성" in reply["reply"]
    assert told["joy"]["memory"]["id"] in {memory["id"] for memory in reply["recalled"]}


@pytest.mark.parametrize(
    ("session", "later"), [("sessionA4", timedelta(hours=1)), ("sessionA8", timedelta(hours=20)), ("sessionA7", timedelta(days=4))]
)
def test_7_a_plan_is_told_with_the_day_it_was_resolved_to_and_the_place(
    client: httpx.Client, told: dict[str, dict], session: str, later: timedelta
) -> None:
    reply = say(client, "userA", session, "내 일정(날짜/장소) 뭐였지?", later)
    for part in ("10월 4일", "3시", "강남", "민수"):
        assert part in reply["reply"]


def test_8_to_13_a_note_lives_in_the_session_expires_with_it_and_is_gone_when_memory_is_wiped(client: httpx.Client, told: dict[str, dict]) -> None:
    user, session = "userD", "ttlTest"
    note = "임시 메모 : 나는 커피를 좋아한다"
    say(client, user, session, note)
    history = client.get(f"/v1/sessions/{session}", params={"user_id": user}).json()
    assert history["chat_history"][0] == {"role": "user", "content": note}
    assert 0 < history["expires_in"] <= 86_400

    assert "커피" in say(client, user, session, "아까 임시 메모 뭐였지?", timedelta(minutes=1))["reply"]

    assert client.delete("/v1/memories", params={"user_id": user}).status_code == 204
    assert client.get("/v1/memories", params={"user_id": user}).json()["results"] == []
    gone = say(client, user, session, "아까 임시 메모 뭐였지?", timedelta(days=1, minutes=2))
    assert gone["recalled"] == []
    assert "커피" not in gone["reply"]


def test_14_what_was_never_told_is_not_known(client: httpx.Client, told: dict[str, dict]) -> None:
    reply = say(client, "userC", "sessionC1", "내 혈액형 기억하니?")
    assert "모르겠어요" in reply["reply"]
    assert reply["recalled"] == []
    assert reply["memory"]["status"] == "skipped"
