"""The HTTP surface over a scripted LIRA: what each route asks, and how each answer looks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import httpx
import orjson
import pytest
from scripted import ANSWERS, READY, REPLY, SAID, Scripted

from deployments.http import make_app
from deployments.problems import Problem
from lira_core.requests import (
    AddMemories,
    CheckReady,
    DeleteMemory,
    DeleteSession,
    DeleteUser,
    Item,
    ListMemories,
    ListSummaries,
    ReadSession,
    Say,
    Search,
    SearchEvents,
    stamp,
)


@pytest.fixture
def lira() -> Scripted:
    return Scripted()


@pytest.fixture
def app(lira: Scripted) -> Any:
    async def metrics(everything: bool) -> str:
        return f"lira_metrics{{all={everything}}} 1\n"

    return make_app(lira, metrics=metrics, max_body_bytes=10_000)


@pytest.fixture
def door(app: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://lira")


def last(lira: Scripted) -> Any:
    return lira.asked[-1]


# What is asked


async def test_a_turn_is_asked_under_the_requests_id_and_the_time_at_which_it_arrived(door: httpx.AsyncClient, lira: Scripted) -> None:
    before = stamp()
    answer = await door.post("/v1/chat", json=SAID | {"at": "2026-10-03T09:12:00+09:00"})
    asked = last(lira)
    assert answer.content == orjson.dumps(REPLY)
    assert (asked.user_id, asked.session_id, asked.text, asked.once) == ("u", "s", "안녕", None)
    assert asked.at == datetime.fromisoformat("2026-10-03T09:12:00+09:00")
    assert asked.id == answer.headers["x-request-id"]
    assert before <= asked.received <= stamp()


async def test_without_at_the_clock_of_whoever_answers_counts(door: httpx.AsyncClient, lira: Scripted) -> None:
    await door.post("/v1/chat", json=SAID)
    assert last(lira).at is None


async def test_memories_are_asked_to_be_added_as_they_are_told(door: httpx.AsyncClient, lira: Scripted) -> None:
    items = [
        {"text": "하나", "timestamp": "2026-10-03T09:12:00Z", "session_id": "old", "metadata": {"a": [1, None], "b": None}},
        {"text": "둘", "metadata": None},
    ]
    answer = await door.post("/v1/memories", json={"user_id": "u", "items": items})
    assert (answer.status_code, answer.json()) == (201, {"ids": ["a"]})
    at = datetime.fromisoformat("2026-10-03T09:12:00+00:00")
    assert last(lira).items == (Item(text="하나", timestamp=at, session_id="old", metadata={"a": [1, None], "b": None}), Item(text="둘"))
    assert last(lira).id == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("method", "path", "body", "asked", "status"),
    [
        ("POST", "/v1/memories/search", {"user_id": "u", "query": "딸기", "limit": 3}, Search(user_id="u", query="딸기", limit=3), 200),
        ("POST", "/v1/events/search", {"user_id": "u", "query": "딸기"}, SearchEvents(user_id="u", query="딸기"), 200),
        (
            "POST",
            "/v1/events/search",
            {"user_id": "u", "query": "딸기", "limit": 50, "at": "2026-10-03T09:12:00Z"},
            SearchEvents(user_id="u", query="딸기", limit=50, at=datetime.fromisoformat("2026-10-03T09:12:00Z")),
            200,
        ),
        ("GET", "/v1/memories?user_id=u", None, ListMemories(user_id="u"), 200),
        ("GET", "/v1/memories?user_id=u&limit=7&cursor=c", None, ListMemories(user_id="u", limit=7, cursor="c"), 200),
        ("GET", "/v1/summaries?user_id=u&scope=day", None, ListSummaries(user_id="u", scope="day"), 200),
        ("GET", "/v1/summaries?user_id=u&scope=month&limit=3", None, ListSummaries(user_id="u", scope="month", limit=3), 200),
        ("DELETE", "/v1/memories/m1?user_id=u", None, DeleteMemory(user_id="u", memory_id="m1"), 204),
        ("DELETE", "/v1/memories?user_id=u", None, DeleteUser(user_id="u"), 204),
        ("GET", "/v1/sessions/s?user_id=u", None, ReadSession(user_id="u", session_id="s"), 200),
        ("DELETE", "/v1/sessions/s?user_id=u", None, DeleteSession(user_id="u", session_id="s"), 204),
    ],
)
async def test_every_other_route_asks_for_what_it_says(
    door: httpx.AsyncClient, lira: Scripted, method: str, path: str, body: Any, asked: Any, status: int
) -> None:
    answer = await door.request(method, path, json=body)
    assert answer.status_code == status
    assert lira.asked == [asked]
    assert answer.content == (b"" if status == 204 else orjson.dumps(ANSWERS[type(asked)]))


async def test_a_memory_that_never_was_this_users_is_404(door: httpx.AsyncClient, lira: Scripted) -> None:
    lira.answers[DeleteMemory] = False
    answer = await door.delete("/v1/memories/m1", params={"user_id": "u"})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("memory_id", ["a b", "가", "x" * 129, "%00"])
async def test_an_id_that_no_memory_can_have_is_404_and_no_store_is_asked(door: httpx.AsyncClient, lira: Scripted, memory_id: str) -> None:
    assert (await door.delete(f"/v1/memories/{memory_id}", params={"user_id": "u"})).status_code == 404
    assert lira.asked == []


# Requests that may come twice


KEYED = [("/v1/chat", SAID), ("/api/lira/generate", SAID), ("/v1/memories", {"user_id": "u", "items": [{"text": "하나"}]})]


@pytest.mark.parametrize(("path", "body"), KEYED)
async def test_a_key_travels_with_a_digest_of_the_body_whatever_the_order_of_its_fields(
    door: httpx.AsyncClient, lira: Scripted, path: str, body: dict[str, Any]
) -> None:
    for sent in (body, dict(reversed(body.items()))):
        await door.post(path, json=sent, headers={"Idempotency-Key": "k-1"})
    first, second = lira.asked
    assert first.once == second.once
    assert first.once.key == "k-1"
    assert first.id != second.id


async def test_another_body_user_or_route_is_another_digest(door: httpx.AsyncClient, lira: Scripted) -> None:
    others: list[tuple[str, dict[str, Any]]] = [
        ("/v1/chat", SAID),
        ("/v1/chat", SAID | {"text": "다른 말"}),
        ("/v1/chat", SAID | {"session_id": "t"}),
        ("/v1/chat", SAID | {"user_id": "v"}),
        ("/v1/chat", SAID | {"at": "2026-10-03T09:12:00Z"}),
        ("/api/lira/generate", SAID),
        ("/v1/memories", {"user_id": "u", "items": [{"text": "안녕"}]}),
        ("/v1/memories", {"user_id": "u", "items": [{"text": "안녕", "metadata": {}}]}),
    ]
    for path, body in others:
        await door.post(path, json=body, headers={"Idempotency-Key": "k"})
    assert len({asked.once.digest for asked in lira.asked}) == len(others)


@pytest.mark.parametrize("key", ["", " ", "a b", "k" * 256, "k\x7f"])
@pytest.mark.parametrize(("path", "body"), KEYED)
async def test_a_key_that_cannot_be_is_422_and_says_what_a_key_is(
    door: httpx.AsyncClient, lira: Scripted, path: str, body: dict[str, Any], key: str
) -> None:
    answer = await door.post(path, json=body, headers={"Idempotency-Key": key})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["Idempotency-Key"]
    assert "255 printable ASCII" in answer.json()["detail"]
    assert lira.asked == []


async def test_a_key_may_be_255_of_any_printable_characters(door: httpx.AsyncClient, lira: Scripted) -> None:
    key = "".join(map(chr, range(0x21, 0x7F))) * 2 + "k" * 67
    assert (await door.post("/v1/chat", json=SAID, headers={"Idempotency-Key": key})).status_code == 200
    assert last(lira).once.key == key


# How it answers


async def test_a_stream_is_the_frames_of_its_events(door: httpx.AsyncClient, lira: Scripted) -> None:
    answer = await door.post("/v1/chat", json=SAID | {"stream": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.content == b"".join(b"event: " + name.encode() + b"\ndata: " + data + b"\n\n" for name, data in lira.events)
    assert lira.closed


@pytest.mark.parametrize(("error", "status"), [(Problem(503, "Later.", retry_after=1), 503), (RuntimeError("a secret"), 500)])
async def test_a_stream_that_breaks_says_so_in_its_last_event(door: httpx.AsyncClient, lira: Scripted, error: Exception, status: int) -> None:
    lira.events[1:] = [error]
    answer = await door.post("/v1/chat", json=SAID | {"stream": True})
    *_, broken = answer.text.strip().split("\n\n")
    name, data = broken.split("\n")
    assert (answer.status_code, name) == (200, "event: error")
    assert json.loads(data.removeprefix("data: "))["status"] == status
    assert "secret" not in answer.text


async def test_a_stream_that_never_begins_is_a_status(door: httpx.AsyncClient, lira: Scripted) -> None:
    lira.events = [Problem(503, "Later.", retry_after=1)]
    answer = await door.post("/v1/chat", json=SAID | {"stream": True})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


STREAM = SAID | {"stream": True}
IMPORT = {"user_id": "u", "items": [{"text": "하나"}]}
OPENAI = {"user": "u", "messages": [{"role": "user", "content": "안녕"}]}
ENDED = [
    ("/v1/chat", STREAM, 1, "leaves"),
    # Serve cancels a request whose client left.
    ("/v1/chat", STREAM, 1, "is cancelled"),
    ("/v1/chat", STREAM, 0, "is cancelled"),
    ("/v1/chat", SAID, 0, "is cancelled"),
    ("/api/lira/generate", SAID, 0, "is cancelled"),
    ("/v1/memories", IMPORT, 0, "is cancelled"),
    ("/v1/chat/completions", OPENAI | {"stream": True}, 1, "leaves"),
    ("/v1/chat/completions", OPENAI | {"stream": True}, 1, "is cancelled"),
    ("/v1/chat/completions", OPENAI | {"stream": True}, 0, "is cancelled"),
    ("/v1/chat/completions", OPENAI, 0, "is cancelled"),
]


@pytest.mark.parametrize(("path", "body", "begun", "how"), ENDED)
async def test_a_request_that_is_given_up_ends_the_work_for_it(
    app: Any, lira: Scripted, path: str, body: dict[str, Any], begun: int, how: str
) -> None:
    lira.events = [*lira.events[:begun], asyncio.sleep]
    lira.answers |= {Say: asyncio.sleep, AddMemories: asyncio.sleep}
    sent: list[Any] = []
    gone = asyncio.Event()
    messages: Iterator[Any] = iter([{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}])

    async def receive() -> Any:
        if (message := next(messages, None)) is not None:
            return message
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers}
    serving = asyncio.create_task(app(scope | {"asgi": {"spec_version": "2.3"}, "http_version": "1.1", "scheme": "http"}, receive, send))
    async with asyncio.timeout(10):
        while not lira.asked or len(sent) < 2 * begun:  # noqa: ASYNC110 an app tells nobody how far it is
            await asyncio.sleep(0.01)
        assert not lira.closed
        if how == "leaves":
            gone.set()
        else:
            serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
    assert lira.closed


async def test_the_original_route_ranks_three_emotions_and_fills_up_with_null(door: httpx.AsyncClient) -> None:
    assert (await door.post("/api/lira/generate", json=SAID)).json() == {
        "output": "네.",
        "emotion": {
            "emotion_1st_label": "joy",
            "emotion_1st_score": 0.9,
            "emotion_2nd_label": "love",
            "emotion_2nd_score": 0.2,
            "emotion_3rd_label": None,
            "emotion_3rd_score": None,
            "emotion_mode": "central",
        },
    }


async def test_what_is_merely_degraded_does_not_fail_readiness_and_is_listed(door: httpx.AsyncClient) -> None:
    ready = await door.get("/readyz")
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    assert ready.json()["dependencies"] == READY["dependencies"] | {"orchestrator": "ok"}  # type: ignore[operator]


async def test_where_no_turn_can_be_taken_readiness_is_503_and_life_is_200(door: httpx.AsyncClient, lira: Scripted) -> None:
    lira.answers[CheckReady] = {"ready": False, "dependencies": {"record": "down", "short_term": "down"}}
    ready, alive = await door.get("/readyz"), await door.get("/healthz")
    assert (ready.status_code, ready.headers["retry-after"], alive.status_code) == (503, "1", 200)
    assert ready.json()["dependencies"]["record"] == alive.json()["dependencies"]["record"] == "down"


async def test_nobody_to_ask_is_not_ready(door: httpx.AsyncClient, lira: Scripted) -> None:
    lira.answers[CheckReady] = Problem(503, "Restarting.")
    assert (await door.get("/readyz")).json() == {"status": "not ready", "dependencies": {"orchestrator": "down"}}
    assert (await door.get("/healthz")).status_code == 200


@pytest.mark.parametrize(("query", "everything"), [("", False), ("?all=true", True), ("?all=false", False)])
async def test_metrics_are_lira_s_own_or_all_as_plain_text(door: httpx.AsyncClient, query: str, everything: bool) -> None:
    answer = await door.get(f"/metrics{query}")
    assert answer.text == f"lira_metrics{{all={everything}}} 1\n"
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/chat", "POST"),
        ("OPTIONS", "/v1/memories", "DELETE, GET, POST"),
        ("HEAD", "/v1/memories/m1", "DELETE"),
        ("GET", "/v1/memories/search", "POST"),
        ("GET", "/v1/events/search", "POST"),
        ("OPTIONS", "/v1/sessions/s", "DELETE, GET"),
        ("DELETE", "/healthz", "GET"),
        ("GET", "/v1/chat/completions", "POST"),
        ("DELETE", "/v1/models/lira", "GET"),
    ],
)
async def test_a_wrong_method_is_told_every_right_one(door: httpx.AsyncClient, method: str, path: str, allowed: str) -> None:
    answer = await door.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
