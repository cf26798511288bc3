"""LIRA to OpenAI's clients: chat completions and the list of models. The person's memory is LIRA's own, not the messages of the request."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated, Any

import orjson
from fastapi import FastAPI, Header, Request
from pydantic import TypeAdapter, ValidationError
from starlette.responses import Response, StreamingResponse

from deployments.asking import STREAM_HEADERS, Backend, Key, arrival, json_answer
from deployments.openai_errors import as_openai
from deployments.openai_schemas import MODEL, ChatCompletion, ChatCompletionRequest, ErrorReply, Model, Models
from deployments.problems import Problem, encode
from deployments.schemas import HALF_PAIR, ID_PATTERN, TEXT_LIMIT, Text
from lira_core.once import once
from lira_core.requests import Say

log = logging.getLogger("lira.http")

SESSION = "openai"
"""The session of a person of whom the client names none: all that they say through this front within a session's life is one talk."""
UserHeader = Annotated[str | None, Header(alias="X-User-Id", pattern=ID_PATTERN, description="The user, where the body names none.")]
SessionHeader = Annotated[str | None, Header(alias="X-Session-Id", pattern=ID_PATTERN, description="The session, where `metadata` names none.")]
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "model": ErrorReply}
    for status, text in {
        400: "Malformed JSON, or a field is invalid.",
        413: "Too large.",
        422: "The Idempotency-Key was used for another request.",
        503: "Busy, or a store is away; see Retry-After.",
    }.items()
}
WRITES: dict[int | str, dict[str, Any]] = {
    409: {"description": "Deleted while it was on its way.", "model": ErrorReply},
    415: {"description": "Not JSON.", "model": ErrorReply},
}
STREAM = {
    "description": "The answer; with `stream`, chunks of it, then `[DONE]`.",
    "content": {"text/event-stream": {"itemSchema": {"$ref": "#/components/schemas/ChatCompletionEvent"}}},
}
_TEXT: TypeAdapter[str] = TypeAdapter(Text)


def add_openai_front(app: FastAPI, backend: Backend) -> None:
    listed = {"id": MODEL, "object": "model", "created": int(time.time()), "owned_by": MODEL}

    @app.post("/v1/chat/completions", response_model=ChatCompletion, responses={200: STREAM, **ERRORS, **WRITES}, tags=["for OpenAI's clients"])
    async def chat_completions(
        asked: ChatCompletionRequest, request: Request, key: Key = None, user: UserHeader = None, session: SessionHeader = None
    ) -> Response:
        """One turn in OpenAI's form. The last user message is what is said; LIRA remembers by itself what was said before it."""
        say = _say(asked, request, key, user, session)
        telling = _Telling(asked.model or MODEL, int(time.time()), bool(asked.stream_options and asked.stream_options.include_usage))
        if not asked.stream:
            return json_answer(encode(telling.whole(orjson.loads(await backend.ask(say)))))
        events = backend.stream(say)
        first = await anext(events)
        return StreamingResponse(_server_sent(telling, first, events), media_type="text/event-stream", headers=STREAM_HEADERS)

    @app.get("/v1/models", response_model=Models, responses=ERRORS, tags=["for OpenAI's clients"])
    async def models() -> Response:
        """The one model there is. A completion may name any other."""
        return json_answer(encode({"object": "list", "data": [listed]}))

    @app.get(
        "/v1/models/{model}",
        response_model=Model,
        responses={**ERRORS, 404: {"description": "There is no such model.", "model": ErrorReply}},
        tags=["for OpenAI's clients"],
    )
    async def model(model: str) -> Response:
        """The model by its name."""
        if model != MODEL:
            raise Problem(404, f"There is no such model; there is {MODEL}.", code="model_not_found")
        return json_answer(encode(listed))


def _say(asked: ChatCompletionRequest, request: Request, key: str | None, user: str | None, session: str | None) -> Say:
    user_id = asked.user or asked.safety_identifier or user
    if user_id is None:
        message = "is required: memory is a person's. Send user (or safety_identifier, or the header X-User-Id)"
        raise _refused("user", message, "missing_required_parameter")
    session_id = (asked.metadata and asked.metadata.session_id) or session or SESSION
    text = _turn(asked)
    # What is not looked at may differ when a request comes again: a client may shorten the messages that came before.
    same = {"user_id": user_id, "session_id": session_id, "text": text, "stream": bool(asked.stream)}
    given = None if key is None else once(key, request.url.path, same)
    return Say(user_id=user_id, session_id=session_id, text=text, **arrival(request), once=given)


def _turn(asked: ChatCompletionRequest) -> str:
    """What the user said last. Problem where nothing is, or something that cannot be read."""
    place = max((i for i, message in enumerate(asked.messages) if message.role == "user"), default=None)
    if place is None:
        raise _refused("messages", "has no message of the user; add one, it is what LIRA answers", "invalid_value")
    field, content = f"messages.{place}.content", asked.messages[place].content
    if isinstance(content, list):
        content = "\n".join(_part(f"{field}.{i}", part) for i, part in enumerate(content))
    try:
        return _TEXT.validate_python(content or "", strict=True)
    except ValidationError as error:
        kind, message = error.errors()[0]["type"], error.errors()[0]["msg"].removeprefix("Value error, ")
        if kind == "string_too_long":
            raise _refused(field, f"is longer than {TEXT_LIMIT:,} characters; shorten it", "string_above_max_length") from None
        told = {"string_too_short": "must not be empty", "string_unicode": HALF_PAIR}
        raise _refused(field, told.get(kind, message), "invalid_value") from None


def _part(field: str, part: Mapping[str, Any]) -> str:
    if part.get("type") != "text":
        raise _refused(f"{field}.type", "must be text: LIRA cannot see images, hear audio or read files", "invalid_value")
    if not isinstance(part.get("text"), str):
        raise _refused(f"{field}.text", "must be a string", "invalid_type")
    return str(part["text"])


def _refused(field: str, message: str, code: str) -> Problem:
    return Problem(400, f"{field}: {message}", errors=[{"field": field, "message": message}], code=code)


@dataclass(frozen=True, slots=True)
class _Telling:
    """How LIRA's reply to one request looks to an OpenAI client. `created` in seconds since 1970, `counted`: it wants the tokens streamed."""

    model: str
    created: int
    counted: bool

    def whole(self, reply: Mapping[str, Any]) -> dict[str, Any]:
        message = {"role": "assistant", "content": reply["reply"], "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return self._head("chat.completion", reply) | {"choices": [choice], "usage": _usage(reply), "lira": _extension(reply)}

    def chunk(self, opening: Mapping[str, Any], delta: Mapping[str, str], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._head("chat.completion.chunk", opening) | {"choices": [choice]} | ({"usage": None} if self.counted else {})

    def last(self, reply: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The chunk that ends the answer, and the one with the tokens."""
        end = self.chunk(reply, {}, "stop") | {"lira": _extension(reply)}
        usage = _usage(reply) if self.counted else None
        return [end] if usage is None else [end, self._head("chat.completion.chunk", reply) | {"choices": [], "usage": usage}]

    def _head(self, kind: str, opening: Mapping[str, Any]) -> dict[str, Any]:
        return {"id": f"chatcmpl-{opening['request_id']}", "object": kind, "created": self.created, "model": self.model}


def _extension(opening: Mapping[str, Any]) -> dict[str, Any]:
    return {name: opening[name] for name in ("request_id", "recalled", "emotion", "memory", "degraded")}


def _usage(reply: Mapping[str, Any]) -> dict[str, Any] | None:
    used = reply.get("usage")
    if used is None:
        return None
    read, written = used["read"], used["written"]
    details = {"cached_tokens": used["cached"]}
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written, "prompt_tokens_details": details}


async def _server_sent(telling: _Telling, first: tuple[str, bytes], rest: AsyncGenerator[tuple[str, bytes], None]) -> AsyncIterator[bytes]:
    """`text/event-stream` as OpenAI has it. A failure after the first event can no longer be a status, so it is an error in the stream."""
    try:
        async with aclosing(rest):  # a client that leaves between two events ends the turn now, not when memory is tidied
            opening = orjson.loads(first[1])
            yield _frame(telling.chunk(opening, {"role": "assistant", "content": ""}) | {"lira": _extension(opening)})
            async for event, data in rest:
                if event == "token":
                    yield _frame(telling.chunk(opening, {"content": orjson.loads(data)["text"]}))
                elif event == "done":
                    for chunk in telling.last(orjson.loads(data)):
                        yield _frame(chunk)
        yield b"data: [DONE]\n\n"
    except Problem as problem:
        yield _frame(as_openai(problem))
    except Exception:
        log.exception("a stream broke")
        yield _frame(as_openai(Problem(500, "Something went wrong on our side.")))


def _frame(told: Mapping[str, Any]) -> bytes:
    return b"data: " + encode(told) + b"\n\n"
