"""Real clients of OpenAI's API over a real port and a whole LIRA: they need nothing but another base URL."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import openai
import pytest
from fastapi import FastAPI
from langchain_openai import ChatOpenAI
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.llms.openai_like import OpenAILike
from openai import AsyncOpenAI, OpenAI
from over_port import app_of, on_a_port, real_app
from scripted import Scripted
from served import Server

from deployments.problems import Problem
from lira_core.generation.port import Prompt
from lira_core.requests import Say

STRAWBERRIES = [{"role": "system", "content": "You are a pirate."}, {"role": "user", "content": "나는 딸기를 좋아해"}]
ASKED = [{"role": "user", "content": "내가 뭘 좋아한다고 했지?"}]
WITHIN_S = 20


class Endless:
    """An engine that writes until it is told to stop, and knows how many answers it is at."""

    def __init__(self) -> None:
        self.running = 0

    async def generate(self, prompt: Prompt) -> AsyncIterator[str]:
        self.running += 1
        try:
            while True:
                yield "음 "
                await asyncio.sleep(0.01)
        finally:
            self.running -= 1


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with on_a_port(lambda: real_app(tmp_path_factory.mktemp("lira"))) as address:
        yield f"{address}/v1"


@pytest.fixture
def client(url: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=url, api_key="any", max_retries=0) as client:
        yield client


@pytest.fixture
def user() -> str:
    return f"user-{uuid.uuid4().hex[:12]}"


@contextmanager
def asking(lira: Scripted, max_retries: int = 0) -> Iterator[OpenAI]:
    """The official client of a scripted LIRA."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[FastAPI]:
        yield app_of(lira)

    with on_a_port(opened) as address, OpenAI(base_url=f"{address}/v1", api_key="any", max_retries=max_retries) as client:
        yield client


# The official client


def test_what_was_said_in_one_session_is_recalled_in_another(client: OpenAI, user: str) -> None:
    client.chat.completions.create(model="gpt-5.6", user=user, messages=STRAWBERRIES, metadata={"session_id": "s1"})
    answer = client.chat.completions.create(model="gpt-5.6", user=user, messages=ASKED, metadata={"session_id": "s2"})
    assert "딸기" in (answer.choices[0].message.content or "")
    assert (answer.model, answer.object, answer.choices[0].finish_reason, answer.usage) == ("gpt-5.6", "chat.completion", "stop", None)
    lira = answer.model_extra["lira"]
    assert [memory["text"] for memory in lira["recalled"]] == ["나는 딸기를 좋아해"]
    assert answer.id == f"chatcmpl-{lira['request_id']}"
    assert set(lira) == {"request_id", "recalled", "emotion", "memory", "degraded"}


def test_a_stream_tells_what_is_recalled_first_and_the_same_answer_in_pieces(client: OpenAI, user: str) -> None:
    client.chat.completions.create(model="lira", safety_identifier=user, messages=STRAWBERRIES)
    with client.chat.completions.create(
        model="lira", user=user, messages=ASKED, stream=True, stream_options={"include_usage": True}, extra_headers={"X-Session-Id": "s2"}
    ) as stream:
        first, *rest = list(stream)
    assert [memory["text"] for memory in first.model_extra["lira"]["recalled"]] == ["나는 딸기를 좋아해"]
    assert (first.choices[0].delta.role, first.choices[0].delta.content) == ("assistant", "")
    assert "딸기" in "".join(chunk.choices[0].delta.content or "" for chunk in rest)
    assert [chunk.choices[0].finish_reason for chunk in rest] == [None] * (len(rest) - 1) + ["stop"]
    assert rest[-1].model_extra["lira"]["memory"]["status"] in ("stored", "skipped")
    assert len({(chunk.id, chunk.created, chunk.model) for chunk in [first, *rest]}) == 1


async def test_the_async_client_is_answered_alike_streaming_and_not(url: str, user: str) -> None:
    async with AsyncOpenAI(base_url=url, api_key="any") as client:
        await client.chat.completions.create(model="lira", user=user, messages=STRAWBERRIES)
        whole = await client.chat.completions.create(model="lira", user=user, messages=ASKED)
        pieces = [chunk async for chunk in await client.chat.completions.create(model="lira", user=user, messages=ASKED, stream=True)]
        helped = [event async for event in _events(client, user)]
    assert "딸기" in (whole.choices[0].message.content or "")
    assert "딸기" in "".join(chunk.choices[0].delta.content or "" for chunk in pieces)
    assert helped[-1].type == "content.done"
    assert "딸기" in helped[-1].content


async def _events(client: AsyncOpenAI, user: str) -> AsyncIterator[Any]:
    """By the client's own helper, which joins the pieces itself."""
    async with client.chat.completions.stream(model="lira", user=user, messages=ASKED) as stream:
        async for event in stream:
            yield event


def test_the_models_are_listed_and_found_by_name(client: OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["lira"]
    assert client.models.retrieve("lira").owned_by == "lira"
    with pytest.raises(openai.NotFoundError) as told:
        client.models.retrieve("gpt-5.6")
    assert told.value.code == "model_not_found"


def test_a_request_with_the_same_key_is_answered_as_the_first_time_and_said_once(client: OpenAI, user: str) -> None:
    keyed = {"Idempotency-Key": "k1"}
    first, again = (client.chat.completions.create(model="lira", user=user, messages=STRAWBERRIES, extra_headers=keyed) for _ in range(2))
    assert (first.id, first.choices) == (again.id, again.choices)
    with pytest.raises(openai.UnprocessableEntityError) as told:
        client.chat.completions.create(model="lira", user=user, messages=ASKED, extra_headers=keyed)
    assert told.value.param == "Idempotency-Key"


@pytest.mark.parametrize(
    ("asked", "param"),
    [
        ({"messages": ASKED}, "user"),
        ({"messages": ASKED, "user": "a b"}, "user"),
        ({"messages": [], "user": "u"}, "messages"),
        ({"messages": ASKED, "user": "u", "n": 2}, "n"),
        ({"messages": ASKED, "user": "u", "response_format": {"type": "json_object"}}, "response_format.type"),
        ({"messages": ASKED, "user": "u", "tool_choice": "required"}, "tool_choice"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}], "user": "u"}, None),
    ],
)
def test_what_cannot_be_given_is_a_bad_request_that_names_the_field(client: OpenAI, asked: dict[str, Any], param: str | None) -> None:
    for stream in (False, True):
        with pytest.raises(openai.BadRequestError) as told:
            client.chat.completions.create(model="lira", stream=stream, **asked)
        assert told.value.type == "invalid_request_error"
        assert told.value.param == (param or "messages[0].content[0].type")
        assert str(told.value.param) in told.value.message


@pytest.mark.parametrize(
    ("problem", "error"),
    [
        (Problem(503, "Later.", retry_after=2), openai.InternalServerError),
        (Problem(429, "Slower.", retry_after=2), openai.RateLimitError),
        (Problem(409, "It was deleted."), openai.ConflictError),
        (RuntimeError("a secret"), openai.InternalServerError),
    ],
)
def test_a_failure_raises_the_clients_own_class(problem: Exception, error: type[openai.APIStatusError]) -> None:
    lira = Scripted()
    lira.answers[Say], lira.events = problem, [problem]
    with asking(lira) as client:
        for stream in (False, True):
            with pytest.raises(error) as told:
                client.chat.completions.create(model="lira", user="u", messages=ASKED, stream=stream)
            assert "secret" not in told.value.message
            assert told.value.response.headers.get("retry-after") == ("2" if isinstance(problem, Problem) and problem.retry_after else None)


def test_a_client_that_retries_does_not_say_again_what_was_deleted_on_its_way() -> None:
    lira = Scripted()
    lira.answers[Say] = Problem(409, "It was deleted.")
    with asking(lira, max_retries=3) as client, pytest.raises(openai.ConflictError):
        client.chat.completions.create(model="lira", user="u", messages=ASKED)
    assert len(lira.asked) == 1


def test_a_stream_that_breaks_raises_in_the_middle() -> None:
    lira = Scripted()
    lira.events[-1] = Problem(503, "A part of LIRA is restarting.")
    with asking(lira) as client:
        stream = client.chat.completions.create(model="lira", user="u", messages=ASKED, stream=True)
        assert [next(stream).choices[0].delta.content for _ in range(2)] == ["", "네"]
        with pytest.raises(openai.APIError, match="restarting"):
            next(stream)


def test_a_client_that_goes_away_ends_the_generation(tmp_path: Any) -> None:
    engine = Endless()
    with on_a_port(lambda: real_app(tmp_path, engine)) as address, OpenAI(base_url=f"{address}/v1", api_key="any") as client:
        stream = client.chat.completions.create(model="lira", user="u", messages=ASKED, stream=True)
        while not next(stream).choices[0].delta.content:
            pass
        assert engine.running == 1
        stream.close()
        ends = time.monotonic() + WITHIN_S
        while engine.running and time.monotonic() < ends:
            threading.Event().wait(0.02)
        assert engine.running == 0


# LangChain and LlamaIndex


def chain(url: str, user: str, session: str) -> ChatOpenAI:
    headers = {"X-Session-Id": session}
    return ChatOpenAI(base_url=url, api_key="any", model="lira", model_kwargs={"user": user}, default_headers=headers, stream_usage=True)


async def test_langchain_talks_and_streams(url: str, user: str) -> None:
    chain(url, user, "s1").invoke([("system", "You are a pirate."), ("human", "나는 딸기를 좋아해")])
    assert "딸기" in chain(url, user, "s2").invoke("내가 뭘 좋아한다고 했지?").text
    assert "딸기" in "".join(piece.text for piece in chain(url, user, "s3").stream("내가 뭘 좋아한다고 했지?"))
    assert "딸기" in (await chain(url, user, "s4").ainvoke("내가 뭘 좋아한다고 했지?")).text


def test_langchain_may_bind_tools_that_are_not_called(url: str, user: str) -> None:
    def weather(city: str) -> str:
        """The weather in a city."""
        return city

    answer = chain(url, user, "s1").bind_tools([weather]).invoke("나는 딸기를 좋아해")
    assert answer.text
    assert answer.tool_calls == []


def test_langchain_is_told_when_no_user_is_named(url: str) -> None:
    with pytest.raises(openai.BadRequestError, match="user: is required"):
        ChatOpenAI(base_url=url, api_key="any", model="lira").invoke("안녕")


def llama(url: str, user: str, session: str) -> OpenAILike:
    kwargs = {"user": user, "metadata": {"session_id": session}}
    return OpenAILike(model="lira", api_base=url, api_key="any", is_chat_model=True, additional_kwargs=kwargs, max_retries=0)


def test_llama_index_talks_and_streams(url: str, user: str) -> None:
    system = ChatMessage(role=MessageRole.SYSTEM, content="You are a pirate.")
    llama(url, user, "s1").chat([system, ChatMessage(role=MessageRole.USER, content="나는 딸기를 좋아해")])
    asked = [ChatMessage(role=MessageRole.USER, content="내가 뭘 좋아한다고 했지?")]
    answer = llama(url, user, "s2").chat(asked)
    assert "딸기" in (answer.message.content or "")
    assert answer.raw.lira["recalled"][0]["text"] == "나는 딸기를 좋아해"
    assert "딸기" in "".join(piece.delta or "" for piece in llama(url, user, "s3").stream_chat(asked))
    assert "딸기" in llama(url, user, "s4").complete("내가 뭘 좋아한다고 했지?").text


async def test_llama_index_talks_and_streams_asynchronously(url: str, user: str) -> None:
    await llama(url, user, "s1").achat([ChatMessage(role=MessageRole.USER, content="나는 딸기를 좋아해")])
    asked = [ChatMessage(role=MessageRole.USER, content="내가 뭘 좋아한다고 했지?")]
    assert "딸기" in ((await llama(url, user, "s2").achat(asked)).message.content or "")
    pieces = [piece.delta or "" async for piece in await llama(url, user, "s3").astream_chat(asked)]
    assert "딸기" in "".join(pieces)


# Served by Ray


def test_a_served_lira_answers_the_official_client(server: Server, user: str) -> None:
    with OpenAI(base_url=f"{server.url}/v1", api_key="any", max_retries=0) as client:
        client.chat.completions.create(model="lira", user=user, messages=STRAWBERRIES)
        whole = client.chat.completions.create(model="lira", user=user, messages=ASKED, extra_headers={"X-Session-Id": "s2"})
        *pieces, last = client.chat.completions.create(model="lira", user=user, messages=ASKED, stream=True)
        with pytest.raises(openai.BadRequestError, match="user: is required"):
            client.chat.completions.create(model="lira", messages=ASKED)
        assert client.models.list().data[0].id == "lira"
    assert "딸기" in (whole.choices[0].message.content or "")
    assert "딸기" in "".join(piece.choices[0].delta.content or "" for piece in pieces)
    assert [memory["text"] for memory in last.model_extra["lira"]["recalled"]] == ["나는 딸기를 좋아해"]
