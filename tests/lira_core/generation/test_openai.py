"""Answers by an API: by llama.cpp's server, and by one that does everything wrong."""

from __future__ import annotations

import asyncio
import email.utils
import time
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.generation.openai import SHOWN, OpenAIGenerator, retry_after
from lira_core.generation.port import GeneratorBusy, GeneratorError, GeneratorLate, GeneratorRejected, GeneratorUnavailable, Usage
from lira_core.observe import Unobserved

from .asking import answered, said
from .faulty import (
    USAGE,
    Api,
    Behaviour,
    a_page,
    answers,
    black_hole,
    breaks_off,
    endless,
    events,
    hangs_up,
    nobody,
    refuses,
    serving,
    silent,
    stalls,
)
from .llama import CONTEXT, MODEL, Llama, llama

KEY = "sk-lira-0123456789"


def generator(url: str, *, key: str | None = None, model: str = MODEL, connect_s: float = 2, **options: Any) -> OpenAIGenerator:
    return OpenAIGenerator(url=url, model=model, key=key, options={"temperature": 0.1, "max_completion_tokens": 16} | options, connect_s=connect_s)


class Counted(Unobserved):
    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], float] = {}

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        self.counts[name, tags["kind"]] = self.counts.get((name, tags["kind"]), 0) + amount


async def failed(made: OpenAIGenerator) -> GeneratorError:
    with pytest.raises(GeneratorError) as caught:
        await answered(made)
    return caught.value


# With a real model


async def test_a_model_s_answer_comes_in_pieces_and_its_usage_last(engine: Llama) -> None:
    pieces, usage = await answered(generator(engine.url))
    assert len(pieces) > 1
    assert usage is not None
    assert usage.read > 0
    assert len(pieces) <= usage.written <= 16


async def test_the_same_beginning_is_read_once(engine: Llama) -> None:
    await answered(generator(engine.url), said("기차 시간표를 알려줘, 부산에서 서울로 가는"))
    _, usage = await answered(generator(engine.url), said("기차 시간표를 알려줘, 부산에서 서울로 가는"))
    assert usage is not None
    assert usage.cached > usage.read / 2


async def test_an_answer_that_nobody_reads_on_is_not_written_on(engine: Llama) -> None:
    pieces = generator(engine.url, max_completion_tokens=CONTEXT, ignore_eos=True).generate(said())
    await anext(pieces)
    await engine.until_running(lambda count: count == 1)
    await pieces.aclose()
    await engine.until_running(lambda count: count == 0)


async def test_the_tokens_of_an_answer_that_is_left_are_counted_apart(engine: Llama) -> None:
    watch = Counted()
    made = OpenAIGenerator(url=engine.url, model=MODEL, key=None, options={"max_completion_tokens": 16}, connect_s=2, observer=watch)
    await answered(made)
    assert watch.counts == {}
    async with aclosing(made.generate(said())) as pieces:
        await anext(pieces)
        await anext(pieces)
    assert watch.counts == {("lira_generate_tokens_total", "stopped"): 2}


async def test_an_answer_that_is_cancelled_while_it_is_waited_for_is_not_written(engine: Llama) -> None:
    asked = asyncio.create_task(answered(generator(engine.url, max_completion_tokens=CONTEXT, ignore_eos=True)))
    await engine.until_running(lambda count: count == 1)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await engine.until_running(lambda count: count == 0)


async def test_an_engine_that_is_killed_in_the_middle_of_an_answer_breaks_off() -> None:
    with llama(parallel=1) as mortal:
        made = generator(mortal.url, max_completion_tokens=CONTEXT, ignore_eos=True)
        async with aclosing(made.generate(said())) as pieces:
            await anext(pieces)
            mortal.kill()
            with pytest.raises(GeneratorUnavailable, match="broke off"):
                async for _ in pieces:
                    pass
        assert "cannot be reached" in str(await failed(made))


async def test_a_prompt_with_more_tokens_than_the_model_has_room_for_is_rejected(engine: Llama) -> None:
    with pytest.raises(GeneratorRejected, match=r"answers 400: .*exceed.*a prompt that is too long"):
        await answered(generator(engine.url), said("가나다라 마바사 " * CONTEXT))


async def test_a_server_with_a_key_takes_that_key_alone() -> None:
    with llama(parallel=1, key=KEY) as locked:
        pieces, _ = await answered(generator(locked.url, key=KEY))
        assert pieces
        for wrong in ("sk-other", None):
            error = await failed(generator(locked.url, key=wrong))
            assert isinstance(error, GeneratorRejected)
            assert "LIRA_GENERATOR_API_KEY" in str(error)


async def test_the_models_of_a_server_are_listed(engine: Llama) -> None:
    assert await generator(engine.url).models() == [MODEL]


async def test_a_page_where_the_models_should_be_listed_is_no_list(api: Api) -> None:
    api.models = None
    with pytest.raises(GeneratorUnavailable, match="answers with what"):
        await generator(api.url).models()


# What is sent


async def test_the_request_names_the_model_and_asks_for_a_stream_with_usage(api: Api) -> None:
    await answered(generator(api.url, key=KEY), said("내 이름이 뭐였지?"))
    (asked,) = api.asked
    assert {name: asked[name] for name in asked if name != "messages"} == {
        "model": MODEL,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.1,
        "max_completion_tokens": 16,
    }
    assert asked["messages"][0]["role"] == "system"
    assert asked["messages"][-1]["role"] == "user"
    assert "내 이름이 뭐였지?" in asked["messages"][-1]["content"]
    assert api.headers[0]["authorization"] == f"bearer {KEY}"


async def test_options_are_added_and_what_is_null_is_left_out(api: Api) -> None:
    await answered(generator(api.url, temperature=None, reasoning_effort="low"))
    assert api.asked[0]["reasoning_effort"] == "low"
    assert "temperature" not in api.asked[0]


async def test_a_key_for_somebody_else_in_the_environment_is_not_sent(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", KEY)
    await answered(generator(api.url))
    assert KEY not in str(api.headers)


# What comes back


async def test_pieces_and_usage_are_as_the_api_says(api: Api) -> None:
    assert await answered(generator(api.url)) == (["네, ", "잘 ", "들었어요."], Usage(20, 3, 16))


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        (None, None),
        ({"prompt_tokens": 20, "completion_tokens": 3}, Usage(20, 3)),
        (USAGE | {"prompt_tokens_details": None}, Usage(20, 3)),
        ("many", None),
    ],
)
async def test_usage_is_what_was_counted_and_nothing_where_nothing_was(api: Api, told: Any, usage: Usage | None) -> None:
    api.does = answers("네.", usage=told)
    assert await answered(generator(api.url)) == (["네."], usage)


async def test_answers_one_after_the_other_share_a_connection(api: Api) -> None:
    made = generator(api.url)
    for _ in range(3):
        await answered(made)
    assert api.connections == 1


async def test_an_answer_that_is_closed_ends_at_the_api(api: Api) -> None:
    api.does = endless
    made = generator(api.url)
    streams = [made.generate(said()) for _ in range(5)]
    for stream in streams:
        await anext(stream)
    assert api.open == 5
    for stream in streams:
        await stream.aclose()
    await api.until(lambda: api.open == 0)
    await made.aclose()


@pytest.mark.parametrize("does", [silent, stalls])
async def test_an_answer_that_is_given_up_while_nothing_comes_ends_at_the_api(api: Api, does: Behaviour) -> None:
    api.does = does
    asked = asyncio.create_task(answered(generator(api.url)))
    await api.until(lambda: api.open == 1)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await api.until(lambda: api.open == 0)


@pytest.mark.parametrize(
    ("does", "kind", "again", "sentence"),
    [
        (refuses(401), GeneratorRejected, None, "LIRA_GENERATOR_API_KEY"),
        (refuses(403), GeneratorRejected, None, "LIRA_GENERATOR_API_KEY"),
        (refuses(404), GeneratorRejected, None, f"LIRA_GENERATOR_MODEL={MODEL} is no model of it, or LIRA_GENERATOR_URL"),
        (refuses(400, "no such field"), GeneratorRejected, None, "no such field; LIRA_GENERATOR_OPTIONS"),
        (refuses(422), GeneratorRejected, None, "LIRA_GENERATOR_OPTIONS"),
        (refuses(429), GeneratorBusy, False, "answers 429"),
        (refuses(408), GeneratorUnavailable, True, "answers 408"),
        (refuses(500), GeneratorUnavailable, True, "answers 500"),
        (refuses(503, "loading"), GeneratorUnavailable, True, "answers 503: loading"),
        (hangs_up, GeneratorUnavailable, True, "cannot be reached"),
        (breaks_off, GeneratorUnavailable, True, "broke off"),
        (a_page, GeneratorUnavailable, False, "no end"),
        (events("{nope"), GeneratorUnavailable, False, "no answer of an OpenAI-compatible API"),
        (events({"error": {"message": "out of memory", "code": 500}}), GeneratorUnavailable, False, "out of memory"),
        (events({"choices": [{"index": 0, "delta": {"content": "네"}}]}), GeneratorUnavailable, False, "no end"),
        (answers(), GeneratorUnavailable, False, r"empty \(finish_reason stop\)"),
        (answers("네", finish="content_filter"), GeneratorUnavailable, False, "content filter"),
    ],
)
async def test_what_goes_wrong_is_told_by_kind_and_in_a_sentence(
    api: Api, does: Behaviour, kind: type[GeneratorError], again: bool | None, sentence: str
) -> None:
    api.does = does
    with pytest.raises(GeneratorError, match=sentence) as caught:
        await answered(generator(api.url))
    assert type(caught.value) is kind
    assert getattr(caught.value, "again", None) is again


async def test_a_port_that_nobody_listens_on_can_be_asked_again() -> None:
    error = await failed(generator(nobody()))
    assert isinstance(error, GeneratorUnavailable)
    assert error.again


async def test_a_host_that_takes_no_connection_is_late() -> None:
    with black_hole() as url:
        error = await failed(generator(url, connect_s=0.1))
    assert type(error) is GeneratorLate
    assert "no connection" in str(error)
    assert "within 0.1 s" in str(error)


async def test_a_refusal_does_not_repeat_the_key_or_all_that_was_said(api: Api) -> None:
    api.does = refuses(400, f"Incorrect API key provided: {KEY}. " + "오늘 병원에 다녀왔어. " * 100)
    error = await failed(generator(api.url, key=KEY))
    assert KEY not in str(error)
    assert "***" in str(error)
    assert str(error).count("병원") * len("오늘 병원에 다녀왔어. ") < SHOWN
    assert error.__cause__ is None, "what the client raised repeats everything"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
    ],
)
def test_how_long_to_wait_is_read_as_rfc_9110_writes_it(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_to_wait_for_is_turned_into_seconds() -> None:
    waits = retry_after({"retry-after": email.utils.formatdate(time.time() + 100, usegmt=True)})
    assert waits is not None
    assert 90 < waits <= 100


async def test_a_429_says_how_long_to_wait(api: Api) -> None:
    api.does = refuses(429, retry_after="3")
    error = await failed(generator(api.url))
    assert isinstance(error, GeneratorBusy)
    assert error.retry_after == 3


@given(st.text(max_size=40), st.text(max_size=40))
def test_whatever_stands_in_the_headers_a_wait_is_a_time_or_nothing(seconds: str, milliseconds: str) -> None:
    waits = retry_after({"retry-after": seconds, "retry-after-ms": milliseconds})
    assert waits is None or 0 <= waits < float("inf")


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["choices", "delta", "content", "usage", "finish_reason"]), inner),
    max_leaves=12,
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(ANY_JSON, max_size=4), min_size=1, max_size=8))
async def test_whatever_json_a_stream_holds_it_ends_in_an_answer_or_a_generator_error(streams: list[list[Any]]) -> None:
    async with serving() as api:
        made = generator(api.url)
        for stream in streams:
            api.does = events(*stream)
            try:
                pieces, _ = await answered(made)
            except GeneratorError:
                continue
            assert all(isinstance(piece, str) and piece for piece in pieces)
        await made.aclose()
