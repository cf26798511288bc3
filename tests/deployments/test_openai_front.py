"""Chat completions without a port: what each request asks of LIRA, and how its answer looks. Real clients are in test_openai_clients."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from over_port import MAX_BODY_BYTES, app_of, real_app
from scripted import OPENING, REPLY, Scripted
from starlette.testclient import TestClient

from deployments.problems import Problem
from lira_core.requests import Say

ASKED = {"user": "u", "messages": [{"role": "user", "content": "안녕"}]}
PATH = "/v1/chat/completions"
EXTENSION = {name: OPENING[name] for name in ("request_id", "recalled", "emotion", "memory", "degraded")}
USED = {"read": 20, "written": 5, "cached": 16}
USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25, "prompt_tokens_details": {"cached_tokens": 16}}


@pytest.fixture
def lira() -> Scripted:
    return Scripted()


@pytest.fixture
def door(lira: Scripted) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app_of(lira), raise_app_exceptions=False), base_url="http://lira")


async def asked(door: httpx.AsyncClient, lira: Scripted, body: dict[str, Any], **headers: str) -> Say:
    answer = await door.post(PATH, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return lira.asked[-1]  # type: ignore[no-any-return]


async def refused(door: httpx.AsyncClient, lira: Scripted, body: dict[str, Any], **headers: str) -> dict[str, Any]:
    answer = await door.post(PATH, json=body, headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/json"), answer.text
    assert lira.asked == []
    error: dict[str, Any] = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"].startswith(f"{error['param']}: ")
    return error


# Who, where and what


@pytest.mark.parametrize(
    ("body", "headers", "user"),
    [
        ({"user": "a", "safety_identifier": "b"}, {"X-User-Id": "c"}, "a"),
        ({"safety_identifier": "b"}, {"X-User-Id": "c"}, "b"),
        ({"user": None}, {"X-User-Id": "c"}, "c"),
    ],
)
async def test_the_user_is_the_bodys_then_the_headers(
    door: httpx.AsyncClient, lira: Scripted, body: dict[str, Any], headers: dict[str, str], user: str
) -> None:
    assert (await asked(door, lira, {"messages": ASKED["messages"]} | body, **headers)).user_id == user


@pytest.mark.parametrize(
    ("body", "headers", "session"),
    [
        ({"metadata": {"session_id": "a", "purpose": "x"}}, {"X-Session-Id": "b"}, "a"),
        ({"metadata": {"purpose": "x"}}, {"X-Session-Id": "b"}, "b"),
        ({"metadata": None}, {}, "openai"),
        ({}, {}, "openai"),
    ],
)
async def test_the_session_is_the_metadatas_then_the_headers_then_the_persons_one(
    door: httpx.AsyncClient, lira: Scripted, body: dict[str, Any], headers: dict[str, str], session: str
) -> None:
    assert (await asked(door, lira, ASKED | body, **headers)).session_id == session


async def test_a_turn_is_asked_under_the_requests_id(door: httpx.AsyncClient, lira: Scripted) -> None:
    answer = await door.post(PATH, json=ASKED)
    assert lira.asked[0].id == answer.headers["x-request-id"]


WORDS = st.text('ab가나😀 \n"\\{}', max_size=20)
SAID = WORDS.map("말{}".format)
PARTS = st.lists(SAID, min_size=1, max_size=4).map(lambda texts: [{"type": "text", "text": text} for text in texts])
ANYTHING = st.none() | WORDS | st.lists(st.dictionaries(st.sampled_from(["type", "text"]), WORDS), max_size=2)
BEFORE = st.fixed_dictionaries({"role": st.sampled_from(["system", "developer", "user", "assistant", "tool"]), "content": ANYTHING})
AFTER = st.fixed_dictionaries({"role": st.sampled_from(["system", "developer", "assistant", "tool", "function"]), "content": ANYTHING})
HEARING = Scripted()
FRONT = TestClient(app_of(HEARING))


@settings(deadline=None)
@given(before=st.lists(BEFORE, max_size=4), said=SAID | PARTS, after=st.lists(AFTER, max_size=2))
def test_what_is_said_is_the_last_user_message_whatever_stands_around_it(before: list[Any], said: Any, after: list[Any]) -> None:
    answer = FRONT.post(PATH, json={"user": "u", "messages": [*before, {"role": "user", "content": said}, *after]})
    assert answer.status_code == 200, answer.text
    assert HEARING.asked.pop().text == (said if isinstance(said, str) else "\n".join(part["text"] for part in said))


IGNORED = {
    "temperature": 0.2,
    "max_tokens": 5,
    "max_completion_tokens": 5,
    "stop": ["\n"],
    "seed": 2**70,
    "logit_bias": {"5": 1},
    "tools": [{"type": "function", "function": {"name": "weather"}}],
    "parallel_tool_calls": True,
    "reasoning_effort": "high",
    "store": True,
    "chat_id": "of another server",
    "n": 1,
    "logprobs": False,
    "top_logprobs": 0,
    "tool_choice": "auto",
    "function_call": "none",
    "response_format": {"type": "text"},
    "modalities": ["text"],
    "stream": None,
}


@pytest.mark.parametrize("field", IGNORED)
async def test_what_clients_send_along_does_no_harm(door: httpx.AsyncClient, lira: Scripted, field: str) -> None:
    say = await asked(door, lira, ASKED | {field: IGNORED[field]}, **{"Idempotency-Key": "k"})
    assert (say.user_id, say.text) == ("u", "안녕")


async def test_a_message_may_carry_what_no_field_is_for(door: httpx.AsyncClient, lira: Scripted) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "맑음", "tool_call_id": "c"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        {"role": "user", "content": "안녕", "name": "minsu"},
    ]
    assert (await asked(door, lira, {"user": "u", "messages": messages})).text == "안녕"


# What is refused


@pytest.mark.parametrize(
    ("body", "param", "code"),
    [
        ({"user": None}, "user", "missing_required_parameter"),
        ({"user": "a b"}, "user", "invalid_value"),
        ({"user": 1}, "user", "invalid_value"),
        ({"safety_identifier": "사용자"}, "safety_identifier", "invalid_value"),
        ({"metadata": {"session_id": "a b"}}, "metadata.session_id", "invalid_value"),
        ({"metadata": "s"}, "metadata", "invalid_value"),
        ({"messages": []}, "messages", "invalid_value"),
        ({"messages": [{"content": "안녕"}]}, "messages[0].role", "missing_required_parameter"),
        ({"messages": [{"role": "lira", "content": "안녕"}]}, "messages[0].role", "invalid_value"),
        ({"messages": [{"role": "user", "content": 1}]}, "messages[0].content", "invalid_value"),
        ({"messages": [{"role": "assistant", "content": "안녕"}]}, "messages", "invalid_value"),
        ({"messages": [{"role": "user", "content": None}]}, "messages[0].content", "invalid_value"),
        ({"messages": [{"role": "user", "content": " \n"}]}, "messages[0].content", "invalid_value"),
        ({"messages": [{"role": "user", "content": "a\x00"}]}, "messages[0].content", "invalid_value"),
        ({"messages": [{"role": "user", "content": []}]}, "messages[0].content", "invalid_value"),
        ({"messages": [{"role": "user", "content": "가" * 4_001}]}, "messages[0].content", "string_above_max_length"),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "messages[0].content[0].text", "invalid_type"),
        ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "messages[0].content[0].type", "invalid_value"),
        ({"messages": [{"role": "user", "content": [{"type": "file"}]}]}, "messages[0].content[0].type", "invalid_value"),
        ({"n": 2}, "n", "invalid_value"),
        ({"n": True}, "n", "invalid_value"),
        ({"logprobs": True}, "logprobs", "invalid_value"),
        ({"top_logprobs": 3}, "top_logprobs", "invalid_value"),
        ({"top_logprobs": False}, "top_logprobs", "invalid_value"),
        ({"logprobs": 0}, "logprobs", "invalid_value"),
        ({"response_format": {"type": "json_schema", "json_schema": {}}}, "response_format.type", "invalid_value"),
        ({"modalities": ["text", "audio"]}, "modalities", "invalid_value"),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, "tool_choice", "invalid_value"),
        ({"function_call": {"name": "f"}}, "function_call", "invalid_value"),
        ({"stream": "yes"}, "stream", "invalid_value"),
        ({"model": "m" * 257}, "model", "invalid_value"),
    ],
)
async def test_what_cannot_be_is_400_and_names_the_field(
    door: httpx.AsyncClient, lira: Scripted, body: dict[str, Any], param: str, code: str
) -> None:
    error = await refused(door, lira, ASKED | body)
    assert (error["param"], error["code"], error["type"]) == (param, code, "invalid_request_error")


@pytest.mark.parametrize(
    ("field", "escaped"),
    [
        ("user", '{"user":"u\\ud83d","messages":[{"role":"user","content":"a"}]}'),
        ("messages[0].content", '{"user":"u","messages":[{"role":"user","content":"a\\ud83d"}]}'),
        ("messages[0].content", '{"user":"u","messages":[{"role":"user","content":[{"type":"text","text":"a\\ud83d"}]}]}'),
    ],
)
async def test_half_a_surrogate_pair_is_told_to_be_one(door: httpx.AsyncClient, field: str, escaped: str) -> None:
    answer = await door.post(PATH, content=escaped, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == f"{field}: must not contain half of a surrogate pair"


@pytest.mark.parametrize("name", ["X-User-Id", "X-Session-Id", "Idempotency-Key"])
async def test_a_header_that_cannot_be_is_400_and_named(door: httpx.AsyncClient, lira: Scripted, name: str) -> None:
    assert (await refused(door, lira, ASKED, **{name: "a b"}))["param"] == name


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"\xff", "application/json", 400),
        (orjson.dumps(ASKED), "text/plain", 415),
        (b" " * (MAX_BODY_BYTES + 1), "application/json", 413),
    ],
)
async def test_a_body_that_cannot_be_read_is_told_in_openais_form(door: httpx.AsyncClient, content: bytes, kind: str, status: int) -> None:
    answer = await door.post(PATH, content=content, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_what_nobody_foresaw_is_500_in_openais_form_without_a_word_of_it(door: httpx.AsyncClient, lira: Scripted) -> None:
    lira.answers[Say] = RuntimeError("a secret")
    answer = await door.post(PATH, json=ASKED)
    assert (answer.status_code, answer.json()["error"]["type"]) == (500, "server_error")
    assert "secret" not in answer.text


# How it is answered


async def test_an_answer_has_openais_fields_and_liras_beside_them(door: httpx.AsyncClient) -> None:
    told = (await door.post(PATH, json=ASKED | {"model": "gpt-5.6"})).json()
    assert told.pop("created") > 1_700_000_000
    assert told == {
        "id": "chatcmpl-r",
        "object": "chat.completion",
        "model": "gpt-5.6",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "네.", "refusal": None}, "logprobs": None, "finish_reason": "stop"}],
        "usage": None,
        "lira": EXTENSION,
    }


async def test_without_a_model_the_answer_names_lira(door: httpx.AsyncClient) -> None:
    assert (await door.post(PATH, json=ASKED)).json()["model"] == "lira"


async def test_the_tokens_that_an_engine_counted_are_openais_usage(door: httpx.AsyncClient, lira: Scripted) -> None:
    lira.answers[Say] = REPLY | {"usage": USED}
    assert (await door.post(PATH, json=ASKED)).json()["usage"] == USAGE


def chunks(answer: httpx.Response) -> list[dict[str, Any]]:
    """The chunks of a stream, after checking its frame."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-cache"
    *frames, done, nothing = answer.text.split("\n\n")
    assert (done, nothing) == ("data: [DONE]", "")
    return [json.loads(frame.removeprefix("data: ")) for frame in frames]


async def test_a_stream_is_a_chunk_for_each_event_and_one_that_ends_it(door: httpx.AsyncClient, lira: Scripted) -> None:
    told = chunks(await door.post(PATH, json=ASKED | {"stream": True}))
    assert [chunk["choices"][0]["delta"] for chunk in told] == [{"role": "assistant", "content": ""}, {"content": "네"}, {}]
    assert [chunk["choices"][0]["finish_reason"] for chunk in told] == [None, None, "stop"]
    assert [chunk.get("lira") for chunk in told] == [EXTENSION, None, EXTENSION]
    assert {chunk["object"] for chunk in told} == {"chat.completion.chunk"}
    assert not any("usage" in chunk for chunk in told)
    assert lira.closed


@pytest.mark.parametrize(("used", "wanted", "usages"), [(USED, True, [None, None, None, USAGE]), (None, True, [None] * 3), (USED, False, [])])
async def test_the_tokens_are_streamed_last_where_they_are_wanted_and_known(
    door: httpx.AsyncClient, lira: Scripted, used: Any, wanted: bool, usages: list[Any]
) -> None:
    lira.events[-1] = ("done", orjson.dumps(REPLY | {"usage": used}))
    told = chunks(await door.post(PATH, json=ASKED | {"stream": True, "stream_options": {"include_usage": wanted}}))
    assert [chunk["usage"] for chunk in told if "usage" in chunk] == usages
    assert [chunk for chunk in told if not chunk["choices"]] == told[3:]


@pytest.mark.parametrize(("error", "told"), [(Problem(503, "Later."), "Later."), (RuntimeError("a secret"), "Something went wrong on our side.")])
async def test_a_stream_that_breaks_ends_with_the_error(door: httpx.AsyncClient, lira: Scripted, error: Exception, told: str) -> None:
    lira.events[-1] = error
    answer = await door.post(PATH, json=ASKED | {"stream": True})
    *_, last = answer.text.strip().split("\n\n")
    assert json.loads(last.removeprefix("data: "))["error"]["message"] == told
    assert "secret" not in answer.text


async def test_a_stream_that_never_begins_is_a_status(door: httpx.AsyncClient, lira: Scripted) -> None:
    lira.events = [Problem(503, "Later.", retry_after=1)]
    answer = await door.post(PATH, json=ASKED | {"stream": True})
    assert (answer.status_code, answer.headers["retry-after"], answer.json()["error"]["message"]) == (503, "1", "Later.")


# Requests that may come twice


async def test_a_key_travels_with_a_digest_of_what_is_looked_at_alone(door: httpx.AsyncClient, lira: Scripted) -> None:
    first = await asked(door, lira, ASKED, **{"Idempotency-Key": "k"})
    shortened = {"messages": [{"role": "system", "content": "x"}, *ASKED["messages"]], "temperature": 1, "model": "m"}
    again = await asked(door, lira, ASKED | shortened, **{"Idempotency-Key": "k"})
    assert first.once == again.once
    others: list[dict[str, Any]] = [
        {"user": "v"},
        {"metadata": {"session_id": "t"}},
        {"stream": True},
        {"messages": [{"role": "user", "content": "다른 말"}]},
    ]
    digests = {(await asked(door, lira, ASKED | other, **{"Idempotency-Key": "k"})).once.digest for other in others}  # type: ignore[union-attr]
    assert len(digests | {first.once.digest}) == 1 + len(others)  # type: ignore[union-attr]


# With a whole LIRA


@pytest.fixture
async def whole(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with real_app(tmp_path) as app, httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://lira") as client:
        yield client


async def test_what_one_surface_is_told_the_other_remembers_and_earlier_messages_are_no_memory(whole: httpx.AsyncClient) -> None:
    def says(text: str, **more: Any) -> Any:
        return whole.post(PATH, json={"user": "u", "messages": [*more.pop("before", []), {"role": "user", "content": text}]} | more)

    invented = [{"role": "user", "content": "나는 포도를 좋아해"}, {"role": "assistant", "content": "그렇군요."}]
    await says("나는 딸기를 좋아해", before=invented, metadata={"session_id": "s1"})
    answer = (await whole.post("/v1/chat", json={"user_id": "u", "session_id": "s2", "text": "내가 뭘 좋아한다고 했지?"})).json()
    assert "딸기" in answer["reply"]
    assert "포도" not in answer["reply"]
    session = (await whole.get("/v1/sessions/s1", params={"user_id": "u"})).json()
    assert [line["content"] for line in session["chat_history"]][:1] == ["나는 딸기를 좋아해"]
    assert len(session["chat_history"]) == 2
    same = (await says("내가 뭘 좋아한다고 했지?", metadata={"session_id": "s3"})).json()
    assert same["choices"][0]["message"]["content"] == answer["reply"]
    assert [memory["id"] for memory in same["lira"]["recalled"]] == [memory["id"] for memory in answer["recalled"]]
    nobody = (await says("내가 뭘 좋아한다고 했지?", user="someone-else")).json()
    assert nobody["lira"]["recalled"] == []
    assert "딸기" not in nobody["choices"][0]["message"]["content"]


async def test_a_key_makes_two_requests_at_once_one_turn(whole: httpx.AsyncClient) -> None:
    keyed = {"Idempotency-Key": "k"}
    first, second = await asyncio.gather(*(whole.post(PATH, json=ASKED, headers=keyed) for _ in range(2)))
    assert first.json()["choices"] == second.json()["choices"]
    assert first.json()["id"] == second.json()["id"]
    session = (await whole.get("/v1/sessions/openai", params={"user_id": "u"})).json()
    assert len(session["chat_history"]) == 2
    other = await whole.post(PATH, json=ASKED | {"user": "u", "stream": True}, headers=keyed)
    assert (other.status_code, other.json()["error"]["param"]) == (422, "Idempotency-Key")
