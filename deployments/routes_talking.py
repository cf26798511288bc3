"""The routes of talking: a turn, whole or streamed, and the original client's."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import datetime

import orjson
from fastapi import FastAPI, Request
from starlette.responses import Response, StreamingResponse

from deployments import schemas
from deployments.asking import STREAM_HEADERS, Backend, Key, arrival, json_answer, once_of
from deployments.problems import WRITES, Problem, encode
from lira_core import replies
from lira_core.requests import Say

log = logging.getLogger("lira.http")

STREAM = {
    "description": "The reply; with `stream`, events `recall` (the reply without `reply`), `token` (`text`) and `done` (the reply).",
    # One event of the stream, as OpenAPI 3.2 describes it and FastAPI writes it already.
    "content": {"text/event-stream": {"itemSchema": {"$ref": "#/components/schemas/StreamEvent"}}},
}
RANKS = ("1st", "2nd", "3rd")


def add_talking_routes(app: FastAPI, backend: Backend) -> None:
    @app.post("/v1/chat", response_model=replies.Reply, responses={200: STREAM, **WRITES}, tags=["talking"])
    async def chat(said: schemas.ChatRequest, request: Request, key: Key = None) -> Response:
        """One turn: the emotion is read, memories are recalled, the answer is given, and what is worth keeping is kept."""
        say = _say(said, said.at, request, key)
        if not said.stream:
            return json_answer(await backend.ask(say))
        events = backend.stream(say)
        first = await anext(events)
        return StreamingResponse(_server_sent(first, events), media_type="text/event-stream", headers=STREAM_HEADERS)

    @app.post("/api/lira/generate", response_model=schemas.GenerateReply, responses=WRITES, tags=["talking"])
    async def generate(said: schemas.GenerateRequest, request: Request, key: Key = None) -> Response:
        """The original LIRA client's route."""
        reply = orjson.loads(await backend.ask(_say(said, None, request, key)))
        top = [*reply["emotion"]["top"], *({"label": None, "score": None},) * len(RANKS)]
        emotion = {f"emotion_{rank}_{key}": top[i][key] for i, rank in enumerate(RANKS) for key in ("label", "score")}
        return json_answer(encode({"output": reply["reply"], "emotion": emotion | {"emotion_mode": "central"}}))


async def _server_sent(first: tuple[str, bytes], rest: AsyncGenerator[tuple[str, bytes], None]) -> AsyncIterator[bytes]:
    """`text/event-stream`. A failure after the first event can no longer be a status, so it is an `error` event with the problem."""
    try:
        async with aclosing(rest):  # a client that leaves between two events ends the turn now, not when memory is tidied
            yield _frame(*first)
            async for event in rest:
                yield _frame(*event)
    except Problem as problem:
        yield _frame("error", encode(problem.as_dict()))
    except Exception:
        log.exception("a stream broke")
        yield _frame("error", encode(Problem(500, "Something went wrong on our side.").as_dict()))


def _frame(event: str, data: bytes) -> bytes:
    return b"event: " + event.encode() + b"\ndata: " + data + b"\n\n"


def _say(said: schemas.ChatRequest | schemas.GenerateRequest, at: datetime | None, request: Request, key: str | None) -> Say:
    return Say(user_id=said.user_id, session_id=said.session_id, text=said.text, at=at, **arrival(request), once=once_of(key, request, said))
