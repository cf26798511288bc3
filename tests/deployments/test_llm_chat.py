"""What a chat's stream may bring that is no answer. What it brings when all is well comes from vLLM itself, in test_llm_server.py."""

from __future__ import annotations

import copy
import pickle
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from deployments.llm_chat import LlmGenerator
from lira_core.generation.port import GeneratorBusy, GeneratorError, GeneratorRejected, GeneratorUnavailable, Prompt
from lira_core.observe import Unobserved
from lira_core.types import Decision

PROMPT = Prompt("안녕", datetime(2026, 11, 22, tzinfo=UTC), None, (), None, Decision(False, "none"), ())


def event(text: str = "", finish: str | None = None) -> str:
    return sent({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]})


def sent(chunk: Any) -> str:
    return f"data: {orjson.dumps(chunk).decode()}\n\n"


def refusal(code: int) -> Any:
    """Ray's ErrorResponse."""
    return SimpleNamespace(error=SimpleNamespace(code=code, message="so it is", type="x"))


class Wire:
    """A chat that brings what it is told, and knows whether it was closed."""

    def __init__(self, *brings: Any) -> None:
        self.brings, self.closed = brings, False
        self.asked: dict[str, Any] = {}

    async def chat(self, fields: Mapping[str, Any]) -> AsyncGenerator[Sequence[Any], None]:
        self.asked = copy.deepcopy(dict(fields))
        return self._stream()

    async def _stream(self) -> AsyncGenerator[Sequence[Any], None]:
        try:
            for one in self.brings:
                if isinstance(one, Exception):
                    raise one
                yield [one]
        finally:
            self.closed = True

    async def answer(self) -> tuple[list[Any], GeneratorError | None]:
        """What came, and what ended it."""
        said: list[Any] = []
        generator = LlmGenerator(self.chat, lambda prompt: [{"role": "user", "content": prompt.text}], {"model": "m"})
        try:
            async for piece in generator.generate(PROMPT):
                said.append(piece)
        except GeneratorError as error:
            return said, error
        return said, None


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, GeneratorRejected),
        (404, GeneratorRejected),
        (422, GeneratorRejected),
        (429, GeneratorBusy),
        (503, GeneratorUnavailable),
        (500, GeneratorUnavailable),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
async def test_an_error_is_the_ports(code: int, kind: type[GeneratorError], streamed: bool) -> None:
    told = sent({"error": {"message": "so it is", "type": "x", "code": code}}) if streamed else refusal(code)
    said, error = await Wire(told, "data: [DONE]\n\n").answer()
    assert not said
    assert type(error) is kind
    assert "so it is" in str(error)


@pytest.mark.parametrize(
    "end",
    [
        [],
        ["data: [DONE]\n\n"],
        [event(finish="abort"), "data: [DONE]\n\n"],
        [RuntimeError("EngineCore encountered an issue")],
        ["data: {no json\n\n"],
        [sent([])],
        [sent({"choices": [{}]})],
        [sent({"error": {"message": "died", "type": "InternalServerError", "code": 500}}), "data: [DONE]\n\n"],
    ],
)
async def test_an_answer_that_breaks_off_is_unavailable_after_what_was_said(end: list[Any]) -> None:
    wire = Wire(event("네, "), event("맞"), *end)
    said, error = await wire.answer()
    assert "".join(said) == "네, 맞"
    assert type(error) is GeneratorUnavailable
    assert error.__cause__ is None
    assert isinstance(pickle.loads(pickle.dumps(error)), GeneratorUnavailable)


async def test_every_answer_has_an_id_of_its_own_in_vllm() -> None:
    wire = Wire(event("네", "stop"))
    await wire.answer()
    first = wire.asked["request_id"]
    await wire.answer()
    assert wire.asked["request_id"] != first


class Stopped(Unobserved):
    """The tokens that were told of as those of answers which were left."""

    def __init__(self) -> None:
        self.tokens = 0.0

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        assert (name, tags) == ("lira_generate_tokens_total", {"kind": "stopped"})
        self.tokens += amount


def counted(text: str, written: int, finish: str | None = None) -> str:
    return sent(
        {
            "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}],
            "usage": {"prompt_tokens": 20, "completion_tokens": written, "total_tokens": 20 + written},
        }
    )


async def left_after(pieces: int, *brings: str) -> float:
    told = Stopped()
    async with aclosing(LlmGenerator(Wire(*brings).chat, lambda _: [], {}, told).generate(PROMPT)) as answer:
        for _ in range(pieces):
            await anext(answer)
    return told.tokens


async def test_what_was_written_of_an_answer_that_is_left_is_counted_as_the_engine_counts_it() -> None:
    assert await left_after(2, counted("네, 맞아", 5), counted("요.", 7), counted(" 또", 9, "stop")) == 7


async def test_where_the_engine_does_not_count_a_piece_is_a_token() -> None:
    assert await left_after(2, event("네, "), event("맞"), event("아요", "stop")) == 2


async def test_an_answer_that_breaks_off_was_left_too() -> None:
    told = Stopped()
    with pytest.raises(GeneratorUnavailable):
        _ = [piece async for piece in LlmGenerator(Wire(event("네, "), event("맞")).chat, lambda _: [], {}, told).generate(PROMPT)]
    assert told.tokens == 2


@pytest.mark.parametrize("last", [counted("요.", 3, "stop"), event("요.", "stop")])
async def test_an_answer_that_is_whole_was_not_left(last: str) -> None:
    told = Stopped()
    pieces = [piece async for piece in LlmGenerator(Wire(event("네"), last).chat, lambda _: [], {}, told).generate(PROMPT)]
    assert pieces[:2] == ["네", "요."]
    assert told.tokens == 0


async def test_vllm_is_asked_to_count_as_it_goes() -> None:
    wire = Wire(event("네", "stop"))
    await wire.answer()
    assert wire.asked["stream_options"]["continuous_usage_stats"]


async def test_leaving_closes_the_chat() -> None:
    wire = Wire(event("네, "), event("맞"), event("아요", "stop"))
    answer = LlmGenerator(wire.chat, lambda _: [], {}).generate(PROMPT)
    assert await anext(answer) == "네, "
    assert not wire.closed
    await answer.aclose()
    assert wire.closed
