"""Many at once: nothing is lost, nobody is mixed up."""

from __future__ import annotations

import asyncio
import os
import re
import uuid

import httpx
from load import people
from served import Server

TURNS = int(os.environ.get("LIRA_TEST_ISOLATION_TURNS", "512"))
SECRET = re.compile(r"비밀\d{3}번")


def _client(server: Server, connections: int) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=server.url, timeout=60, limits=httpx.Limits(max_connections=connections))


async def test_two_users_at_the_same_time_never_see_each_other(server: Server) -> None:
    names = {f"u-{uuid.uuid4().hex[:8]}": name for name in ("서연", "도윤")}
    async with _client(server, 16) as client:

        async def say(user: str, session: str, text: str) -> dict:
            answer = await client.post("/v1/chat", json={"user_id": user, "session_id": session, "text": text})
            assert answer.status_code == 200, answer.text
            return answer.json()

        await asyncio.gather(*(say(user, "intro", f"제 이름은 {name}이에요.") for user, name in names.items()))
        asked = [(user, f"shared-{i % 4}") for i in range(25) for user in names]
        replies = await asyncio.gather(*(say(user, session, "제 이름이 뭐였죠?") for user, session in asked))
        for (user, _), reply in zip(asked, replies, strict=True):
            (other,) = (name for who, name in names.items() if who != user)
            assert names[user] in reply["reply"]
            assert other not in str(reply)
        for user in names:
            (other,) = (name for who, name in names.items() if who != user)
            for session in range(4):
                shown = await client.get(f"/v1/sessions/shared-{session}", params={"user_id": user})
                assert shown.json()["chat_history"]
                assert other not in shown.text
            listed = await client.get("/v1/memories", params={"user_id": user})
            assert names[user] in listed.text
            assert other not in listed.text
            found = await client.post("/v1/memories/search", json={"user_id": user, "query": other, "limit": 50})
            assert other not in found.text
            talk = await client.post("/v1/events/search", json={"user_id": user, "query": f"{names[user]} {other}", "limit": 50})
            assert names[user] in talk.text
            assert other not in talk.text


async def test_a_memory_of_somebody_else_cannot_be_deleted(server: Server, user: str) -> None:
    async with _client(server, 2) as client:
        (kept,) = (await client.post("/v1/memories", json={"user_id": user, "items": [{"text": "비밀이야"}]})).json()["ids"]
        assert (await client.delete(f"/v1/memories/{kept}", params={"user_id": "someone-else"})).status_code == 404
        assert kept in (await client.get("/v1/memories", params={"user_id": user})).text


async def test_two_hundred_turns_at_once_in_one_session_are_all_kept_and_unmixed(server: Server, user: str) -> None:
    said = [f"{i}번째로 정말 기뻤던 일은 산책이야. 기억해줘." for i in range(200)]
    async with _client(server, 200) as client:

        async def say(text: str) -> tuple[str, dict]:
            answer = await client.post("/v1/chat", json={"user_id": user, "session_id": "crowd", "text": text})
            assert answer.status_code == 200, answer.text
            return text, answer.json()

        replies = dict(await asyncio.gather(*(say(text) for text in said)))
        assert all(reply["memory"]["status"] == "stored" for reply in replies.values())
        assert len({reply["request_id"] for reply in replies.values()}) == 200

        history = (await client.get("/v1/sessions/crowd", params={"user_id": user})).json()["chat_history"]
        assert [line["role"] for line in history] == ["user", "lira"] * 200
        turns = {history[i]["content"]: history[i + 1]["content"] for i in range(0, 400, 2)}
        assert turns == {text: reply["reply"] for text, reply in replies.items()}

        listed: list[str] = []
        cursor: str | None = ""
        while cursor is not None:
            page = (await client.get("/v1/memories", params={"user_id": user, "limit": 100} | ({"cursor": cursor} if cursor else {}))).json()
            listed += [one["text"] for one in page["results"]]
            cursor = page["next_cursor"]
        assert sorted(listed) == sorted(said)


async def test_a_user_who_sends_many_at_once_does_not_make_another_wait_for_them_all(server: Server, user: str) -> None:
    order: list[str] = []
    async with _client(server, 200) as client:

        async def say(who: str, text: str) -> None:
            answer = await client.post("/v1/chat", json={"user_id": who, "session_id": "crowd", "text": text})
            assert answer.status_code == 200, answer.text
            order.append(who)
            begun.set()

        begun = asyncio.Event()
        crowd = [asyncio.create_task(say(user, f"{i}번째 말이야")) for i in range(150)]
        await begun.wait()
        before = len(order)
        await say(f"{user}-other", "안녕")
        await asyncio.gather(*crowd)
    # What ran when it came ends, what may run beside it, and what ends while it is on its way through a busy proxy; not all that came before it.
    assert order.index(f"{user}-other") - before <= 0.75 * len(crowd)


async def test_sixty_four_users_at_once_each_with_a_secret_see_only_their_own(server: Server) -> None:
    """LIRA_TEST_ISOLATION_TURNS makes it as long as one likes: 20,000 for docs/reliability.md."""
    users = {user: f"비밀{number:03d}번" for number, user in enumerate(people(64))}
    rounds = max(1, TURNS // len(users))
    async with _client(server, 64) as client:

        async def talk(user: str, own: str) -> int:
            seen = 0
            for number in range(rounds):
                text = (
                    f"내 암호는 {own}이야. 기억해줘." if number % 4 == 0 else "내 암호가 뭐였지?" if number % 4 == 2 else f"오늘은 {own} 가게에 갔어"
                )
                answer = await client.post("/v1/chat", json={"user_id": user, "session_id": f"shared-{number % 3}", "text": text})
                while answer.status_code == 503:
                    await asyncio.sleep(0.2)
                    answer = await client.post("/v1/chat", json={"user_id": user, "session_id": f"shared-{number % 3}", "text": text})
                assert answer.status_code == 200, answer.text
                assert set(SECRET.findall(answer.text)) <= {own}
                seen += own in answer.text
            return seen

        seen = await asyncio.gather(*(talk(user, own) for user, own in users.items()))
        assert min(seen) > 0, "everybody was told something of their own"
        for user, own in users.items():
            listed = await client.get("/v1/memories", params={"user_id": user, "limit": 200})
            found = await client.post("/v1/memories/search", json={"user_id": user, "query": "비밀 암호", "limit": 50})
            sessions = [(await client.get(f"/v1/sessions/shared-{n}", params={"user_id": user})).text for n in range(3)]
            talk = await client.post("/v1/events/search", json={"user_id": user, "query": "비밀 암호 가게", "limit": 50})
            assert set(SECRET.findall(listed.text + found.text + talk.text + "".join(sessions))) == {own}
