"""The HTTP surface: routes, bounds and errors, over anything that can answer them. Knows nothing of Ray."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from datetime import datetime
from typing import Annotated, Any

import orjson
from fastapi import FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from deployments import openai_errors, schemas
from deployments.asking import STREAM_HEADERS, Backend, Key, arrival, json_answer
from deployments.docs_page import DOCS_PAGE
from deployments.guard import Guard, ParsedRoute
from deployments.openai_errors import answered
from deployments.openai_front import add_openai_front
from deployments.openai_schemas import ChatCompletionEvent
from deployments.problems import SCHEMA, Problem, encode
from deployments.schemas import ID_PATTERN, KEY_PATTERN
from lira_core import replies
from lira_core.once import once
from lira_core.requests import (
    AddMemories,
    CheckReady,
    DeleteMemory,
    DeleteSession,
    DeleteUser,
    Item,
    ListMemories,
    ListSummaries,
    Once,
    ReadSession,
    Say,
    Search,
    SearchEvents,
)
from lira_core.types import Scope

log = logging.getLogger("lira.http")

UserId = Annotated[str, Query(pattern=ID_PATTERN, description="Whose.")]
SessionId = Annotated[str, Path(pattern=ID_PATTERN)]
STREAM = {
    "description": "The reply; with `stream`, events `recall` (the reply without `reply`), `token` (`text`) and `done` (the reply).",
    # One event of the stream, as OpenAPI 3.2 describes it and FastAPI writes it already.
    "content": {"text/event-stream": {"itemSchema": {"$ref": "#/components/schemas/StreamEvent"}}},
}
PROBLEMS: dict[int, dict[str, Any]] = {
    code: {"description": text, "content": {"application/problem+json": {"schema": SCHEMA}}}
    for code, text in {
        400: "Malformed JSON.",
        404: "There is no such thing.",
        409: "Deleted while it was on its way.",
        413: "Too large.",
        415: "The body is not called JSON.",
        422: "A field is invalid.",
        503: "Busy, or a store is away; see Retry-After.",
    }.items()
}
WRITES = {code: PROBLEMS[code] for code in (409, 415)}
NOT_READY = {"description": "Turns cannot be taken.", "model": schemas.Health}
RANKS = ("1st", "2nd", "3rd")


def make_app(backend: Backend, *, metrics: Callable[[bool], Awaitable[str]], max_body_bytes: int) -> FastAPI:
    """The whole surface. `metrics` gives the node's Prometheus text: LIRA's own, or (True) all of it."""
    app = FastAPI(
        title="LIRA",
        summary="A chat service that remembers, reads the emotion in what is said, and answers from memories it can point to.",
        version="1",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses={code: PROBLEMS[code] for code in (400, 413, 422, 503)},
    )
    app.openapi = lambda: _schema(app)  # type: ignore[method-assign]
    app.add_exception_handler(Problem, lambda request, error: answered(error, request.scope["path"]))
    app.add_exception_handler(HTTPException, _http_problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_middleware(Guard, max_body_bytes=max_body_bytes)
    app.router.route_class = ParsedRoute

    @app.post("/v1/chat", response_model=replies.Reply, responses={200: STREAM, **WRITES}, tags=["talking"])
    async def chat(said: schemas.ChatRequest, request: Request, key: Key = None) -> Response:
        """One turn: the emotion is read, memories are recalled, the answer is given, and what is worth keeping is kept."""
        say = _say(said, said.at, request, key)
        if not said.stream:
            return json_answer(await backend.ask(say))
        events = backend.stream(say)
        first = await anext(events)
        return StreamingResponse(_server_sent(first, events), media_type="text/event-stream", headers=STREAM_HEADERS)

    add_openai_front(app, backend)

    @app.post("/api/lira/generate", response_model=schemas.GenerateReply, responses=WRITES, tags=["talking"])
    async def generate(said: schemas.GenerateRequest, request: Request, key: Key = None) -> Response:
        """The original LIRA client's route."""
        reply = orjson.loads(await backend.ask(_say(said, None, request, key)))
        top = [*reply["emotion"]["top"], *({"label": None, "score": None},) * len(RANKS)]
        emotion = {f"emotion_{rank}_{key}": top[i][key] for i, rank in enumerate(RANKS) for key in ("label", "score")}
        return json_answer(encode({"output": reply["reply"], "emotion": emotion | {"emotion_mode": "central"}}))

    @app.post("/v1/memories", status_code=201, response_model=replies.Ids, responses=WRITES, tags=["memories"])
    async def add_memories(wanted: schemas.AddRequest, request: Request, key: Key = None) -> Response:
        """Stores utterances without asking the gate; all or none."""
        items = tuple(Item(**item.model_dump(exclude_none=True)) for item in wanted.items)
        adding = AddMemories(user_id=wanted.user_id, items=items, **arrival(request), once=_once(key, request, wanted))
        return json_answer(await backend.ask(adding), 201)

    @app.post("/v1/memories/search", response_model=replies.Found, responses={415: PROBLEMS[415]}, tags=["memories"])
    async def search(wanted: schemas.SearchRequest) -> Response:
        """The user's memories, best first; with `at`, as known then. No floor on certainty."""
        return json_answer(await backend.ask(Search(user_id=wanted.user_id, query=wanted.query, limit=wanted.limit, at=wanted.at)))

    @app.post("/v1/events/search", response_model=replies.FoundEvents, responses={415: PROBLEMS[415]}, tags=["memories"])
    async def search_events(wanted: schemas.SearchRequest) -> Response:
        """Everything the user said and LIRA answered, kept as a memory or not, by words, best first, each with what was said around it."""
        return json_answer(await backend.ask(SearchEvents(user_id=wanted.user_id, query=wanted.query, limit=wanted.limit, at=wanted.at)))

    @app.get("/v1/memories", response_model=replies.Page, tags=["memories"])
    async def list_memories(
        user_id: UserId,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        cursor: Annotated[str | None, Query(max_length=512, description="`next_cursor` of the page before.")] = None,
    ) -> Response:
        """A page of memories, newest first."""
        return json_answer(await backend.ask(ListMemories(user_id=user_id, limit=limit, cursor=cursor)))

    @app.get("/v1/summaries", response_model=replies.Summaries, tags=["memories"])
    async def summaries(
        user_id: UserId,
        scope: Annotated[Scope, Query(description="Of what: sessions, or the days, weeks or months that they were in.")],
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> Response:
        """What was said, shortly, newest first, each with the ids of the utterances that it rests on. Made some time after it was said."""
        return json_answer(await backend.ask(ListSummaries(user_id=user_id, scope=scope, limit=limit)))

    @app.delete("/v1/memories/{memory_id}", status_code=204, responses={404: PROBLEMS[404]}, tags=["memories"])
    async def delete_memory(memory_id: str, user_id: UserId) -> Response:
        """The memory, what quotes it, and its vector. 404 when it never was this user's."""
        known = re.fullmatch(ID_PATTERN, memory_id) and orjson.loads(await backend.ask(DeleteMemory(user_id=user_id, memory_id=memory_id)))
        if not known:
            raise Problem(404, "This user has no such memory.")
        return Response(status_code=204)

    @app.delete("/v1/memories", status_code=204, tags=["memories"])
    async def delete_user(user_id: UserId) -> Response:
        """Everything of that user in every store, sessions and events included, that reached LIRA before this is answered."""
        await backend.ask(DeleteUser(user_id=user_id))
        return Response(status_code=204)

    @app.get("/v1/sessions/{session_id}", response_model=replies.SessionState, tags=["sessions"])
    async def session(session_id: SessionId, user_id: UserId) -> Response:
        """Short-term memory; empty when the session is absent, expired or somebody else's."""
        return json_answer(await backend.ask(ReadSession(user_id=user_id, session_id=session_id)))

    @app.delete("/v1/sessions/{session_id}", status_code=204, tags=["sessions"])
    async def delete_session(session_id: SessionId, user_id: UserId) -> Response:
        """Log-out: the session is empty at once."""
        await backend.ask(DeleteSession(user_id=user_id, session_id=session_id))
        return Response(status_code=204)

    async def states() -> tuple[bool, dict[str, str]]:
        try:
            readiness = orjson.loads(await backend.ask(CheckReady()))
        except Problem:
            return False, {"orchestrator": "down"}
        return readiness["ready"], readiness["dependencies"] | {"orchestrator": "ok"}

    @app.get("/healthz", response_model=schemas.Health, tags=["operations"])
    async def healthz() -> Response:
        """200 while the process lives, with each dependency's state: `ok`, `degraded` or `down`."""
        return json_answer(encode({"status": "ok", "dependencies": (await states())[1]}))

    @app.get("/readyz", response_model=schemas.Health, responses={503: NOT_READY}, tags=["operations"])
    async def readyz() -> Response:
        """200 when turns can be taken, else 503; each dependency's state. What is merely degraded does not fail it."""
        ready, dependencies = await states()
        body = encode({"status": "ready" if ready else "not ready", "dependencies": dependencies})
        return json_answer(body, 200 if ready else 503, None if ready else {"Retry-After": "1"})

    @app.get("/metrics", response_class=PlainTextResponse, tags=["operations"])
    async def prometheus(everything: Annotated[bool, Query(alias="all", description="Ray's own metrics too.")] = False) -> Response:
        """Prometheus text of this node: LIRA's own metrics, or all."""
        return Response(await metrics(everything), media_type="text/plain; version=0.0.4")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(DOCS_PAGE)

    return app


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
    return Say(user_id=said.user_id, session_id=said.session_id, text=said.text, at=at, **arrival(request), once=_once(key, request, said))


def _once(key: str | None, request: Request, body: schemas.Body) -> Once | None:
    return None if key is None else once(key, request.url.path, body.model_dump(mode="json"))


def _schema(app: FastAPI) -> dict[str, Any]:
    """FastAPI's document, and in it the events of the streams, which FastAPI has no place for."""
    if not app.openapi_schema:
        app.openapi_schema = get_openapi(
            title=app.title, version=app.version, summary=app.summary, routes=app.routes, openapi_version=app.openapi_version
        )
        parts = app.openapi_schema["components"]["schemas"]
        for name, event in (("StreamEvent", schemas.StreamEvent), ("ChatCompletionEvent", ChatCompletionEvent)):
            told = TypeAdapter(event).json_schema(ref_template="#/components/schemas/{model}")
            for part, schema in told.pop("$defs").items():
                parts.setdefault(part, schema)
            parts[name] = told
    return app.openapi_schema


def _http_problem(request: Request, error: HTTPException) -> Response:
    details = {404: "There is nothing at this address; /docs lists what there is.", 405: "This address does not take this method; see Allow."}
    headers = {"Allow": _allowed(request)} if error.status_code == 405 else error.headers
    problem = Problem(error.status_code, details.get(error.status_code, str(error.detail)))
    return answered(problem, request.scope["path"], headers)


def _allowed(request: Request) -> str:
    """Every method of the address, where Starlette names those of its first route alone. A path in full goes before one with a parameter."""
    path = request.scope["path"]
    there = [route for route in request.app.routes if isinstance(route, Route) and route.path_regex.match(path)]
    there = [route for route in there if route.path == path] or there
    return ", ".join(sorted({method for route in there for method in route.methods or ()}))


def _invalid(request: Request, error: RequestValidationError) -> Response:
    errors, path = [_field_error(e) for e in error.errors()[:20]], request.scope["path"]
    detail = "; ".join(f"{e['field']}: {e['message']}" for e in errors[:5])
    if not openai_errors.spoken_at(path):
        return answered(Problem(422, detail, errors=errors), path)
    code = "missing_required_parameter" if error.errors()[0]["type"] == "missing" else "invalid_value"
    return answered(Problem(400, detail, errors=errors, code=code), path)  # OpenAI's own status for it


def _field_error(error: Any) -> dict[str, str]:
    field = ".".join(str(part) for part in error["loc"][1:]) or str(error["loc"][0])
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(error["loc"][-1]), FIELDS, 1)
        message = "is not a field of this request" + (f"; did you mean {near[0]}?" if near else "")
    elif error["type"] == "string_pattern_mismatch":
        key = error["ctx"]["pattern"] == KEY_PATTERN
        message = "must be 1 to 255 printable ASCII characters without a space" if key else "must be 1 to 128 of letters, digits, '.', '_', '-', ':'"
    elif error["type"] == "missing":
        message = "is required"
    return {"field": field[:200], "message": message}


FIELDS = sorted({name for model in (schemas.ChatRequest, schemas.AddRequest, schemas.Item, schemas.SearchRequest) for name in model.model_fields})
