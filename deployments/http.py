"""The HTTP surface: routes, bounds and errors, over anything that can answer them. Knows nothing of Ray."""

from __future__ import annotations

import difflib
import logging
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any, Protocol

from fastapi import FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response, StreamingResponse

from deployments import schemas
from deployments.docs_page import DOCS_PAGE
from deployments.guard import REQUEST_ID, Guard
from deployments.problems import SCHEMA, Problem, encode
from deployments.schemas import ID_PATTERN

log = logging.getLogger("lira.http")

UserId = Annotated[str, Query(pattern=ID_PATTERN, description="Whose.")]
SessionId = Annotated[str, Path(pattern=ID_PATTERN)]
STREAM = {
    "description": "The reply; with `stream`, events `recall` (the reply without `reply`), `token` (`text`) and `done` (the reply).",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}
RANKS = ("1st", "2nd", "3rd")


class Backend(Protocol):
    """What the routes ask; RecallOrchestrator's methods, each raising Problem where it cannot answer."""

    async def chat(self, user_id: str, session_id: str, text: str, at: datetime | None, request_id: str) -> dict[str, Any]: ...

    def chat_stream(self, user_id: str, session_id: str, text: str, at: datetime | None, request_id: str) -> AsyncIterator[dict[str, Any]]: ...

    async def add_memories(self, user_id: str, items: list[dict[str, Any]]) -> list[str]: ...

    async def search(self, user_id: str, query: str, limit: int, at: datetime | None) -> list[dict[str, Any]]: ...

    async def list_memories(self, user_id: str, limit: int, cursor: str | None) -> dict[str, Any] | None: ...

    async def delete_memory(self, user_id: str, memory_id: str) -> bool: ...

    async def delete_user(self, user_id: str) -> None: ...

    async def session(self, user_id: str, session_id: str) -> dict[str, Any]: ...

    async def delete_session(self, user_id: str, session_id: str) -> None: ...

    async def ready(self) -> dict[str, str]: ...


class Json(Response):
    """JSON in UTF-8, Hangul as it is."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return encode(content)


def make_app(backend: Backend, *, metrics: Callable[[], Awaitable[str]], max_body_bytes: int) -> FastAPI:
    """The whole surface. `metrics` gives the node's Prometheus text."""
    app = FastAPI(
        title="LIRA",
        summary="A chat service that remembers, reads the emotion in what is said, and answers from memories it can point to.",
        version="1",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses={
            code: {"description": text, "content": {"application/problem+json": {"schema": SCHEMA}}}
            for code, text in {
                400: "Malformed JSON.",
                413: "Too large.",
                422: "A field is invalid.",
                503: "Busy or not ready; see Retry-After.",
            }.items()
        },
    )
    app.add_exception_handler(Problem, lambda _, error: error.response())
    app.add_exception_handler(HTTPException, _http_problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_middleware(Guard, max_body_bytes=max_body_bytes)

    @app.post("/v1/chat", response_model=schemas.ChatReply, responses={200: STREAM}, tags=["talking"])
    async def chat(said: schemas.ChatRequest, request: Request) -> Response:
        """One turn: the emotion is read, memories are recalled, the answer is given, and what is worth keeping is kept."""
        turn = (said.user_id, said.session_id, said.text, said.at, _request_id(request))
        if not said.stream:
            return Json(await backend.chat(*turn))
        events = backend.chat_stream(*turn)
        first = await anext(events)
        return StreamingResponse(
            _server_sent(first, events), media_type="text/event-stream", headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        )

    @app.post("/api/lira/generate", response_model=schemas.GenerateReply, tags=["talking"])
    async def generate(said: schemas.GenerateRequest, request: Request) -> Response:
        """The original LIRA client's route."""
        reply = await backend.chat(said.user_id, said.session_id, said.text, None, _request_id(request))
        top = [*reply["emotion"]["top"], *({"label": None, "score": None},) * len(RANKS)]
        emotion = {f"emotion_{rank}_{key}": top[i][key] for i, rank in enumerate(RANKS) for key in ("label", "score")}
        return Json({"output": reply["reply"], "emotion": emotion | {"emotion_mode": "central"}})

    @app.post("/v1/memories", status_code=201, response_model=schemas.Ids, tags=["memories"])
    async def add_memories(wanted: schemas.AddRequest) -> Response:
        """Stores utterances without asking the gate; all or none."""
        items = [item.model_dump(exclude_none=True) for item in wanted.items]
        return Json({"ids": await backend.add_memories(wanted.user_id, items)}, 201)

    @app.post("/v1/memories/search", response_model=schemas.Found, tags=["memories"])
    async def search(wanted: schemas.SearchRequest) -> Response:
        """The user's memories, best first; with `at`, as known then. No floor on certainty."""
        return Json({"results": await backend.search(wanted.user_id, wanted.query, wanted.limit, wanted.at)})

    @app.get("/v1/memories", response_model=schemas.Page, tags=["memories"])
    async def list_memories(
        user_id: UserId,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        cursor: Annotated[str | None, Query(max_length=512, description="`next_cursor` of the page before.")] = None,
    ) -> Response:
        """A page of memories, newest first."""
        page = await backend.list_memories(user_id, limit, cursor)
        if page is None:
            raise _invalid_field("cursor", "is not one that this route gave")
        return Json(page)

    @app.delete("/v1/memories/{memory_id}", status_code=204, tags=["memories"])
    async def delete_memory(memory_id: str, user_id: UserId) -> Response:
        if not re.fullmatch(ID_PATTERN, memory_id) or not await backend.delete_memory(user_id, memory_id):
            raise Problem(404, "This user has no such memory.")
        return Response(status_code=204)

    @app.delete("/v1/memories", status_code=204, tags=["memories"])
    async def delete_user(user_id: UserId) -> Response:
        """Everything of that user in every store, sessions and events included."""
        await backend.delete_user(user_id)
        return Response(status_code=204)

    @app.get("/v1/sessions/{session_id}", response_model=schemas.SessionState, tags=["sessions"])
    async def session(session_id: SessionId, user_id: UserId) -> Response:
        """Short-term memory; empty when the session is absent, expired or somebody else's."""
        return Json(await backend.session(user_id, session_id))

    @app.delete("/v1/sessions/{session_id}", status_code=204, tags=["sessions"])
    async def delete_session(session_id: SessionId, user_id: UserId) -> Response:
        """Log-out: the session is empty at once."""
        await backend.delete_session(user_id, session_id)
        return Response(status_code=204)

    @app.get("/healthz", tags=["operations"])
    async def healthz() -> Response:
        """200 while the process lives."""
        return Json({"status": "ok"})

    @app.get("/readyz", tags=["operations"])
    async def readyz() -> Response:
        """200 or 503 with each dependency's state."""
        try:
            states = await backend.ready()
        except Problem as problem:
            states = {"orchestrator": problem.detail}
        ready = all(state == "ok" for state in states.values())
        return Json(
            {"status": "ready" if ready else "not ready", "dependencies": states}, 200 if ready else 503, None if ready else {"Retry-After": "1"}
        )

    @app.get("/metrics", tags=["operations"])
    async def prometheus() -> Response:
        """Prometheus text of this node."""
        return Response(await metrics(), media_type="text/plain; version=0.0.4")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(DOCS_PAGE)

    return app


async def _server_sent(first: dict[str, Any], rest: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    """`text/event-stream`. A failure after the first event can no longer be a status, so it is an `error` event with the problem."""
    yield _frame(first)
    try:
        async for event in rest:
            yield _frame(event)
    except Problem as problem:
        yield _frame({"event": "error", "data": problem.as_dict()})
    except Exception:
        log.exception("a stream broke")
        yield _frame({"event": "error", "data": Problem(500, "Something went wrong on our side.").as_dict()})


def _frame(event: dict[str, Any]) -> bytes:
    return b"event: " + event["event"].encode() + b"\ndata: " + encode(event["data"]) + b"\n\n"


def _request_id(request: Request) -> str:
    return str(request.scope.get(REQUEST_ID) or uuid.uuid4().hex)


def _http_problem(_: Request, error: HTTPException) -> Response:
    details = {404: "There is nothing at this address; /docs lists what there is.", 405: "This address does not take this method; see Allow."}
    return Problem(error.status_code, details.get(error.status_code, str(error.detail))).response(error.headers)


def _invalid(_: Request, error: RequestValidationError) -> Response:
    errors = [_field_error(e) for e in error.errors()[:20]]
    return Problem(422, "; ".join(f"{e['field']}: {e['message']}" for e in errors[:5]), errors=errors).response()


def _invalid_field(field: str, message: str) -> Problem:
    return Problem(422, f"{field}: {message}", errors=[{"field": field, "message": message}])


def _field_error(error: Any) -> dict[str, str]:
    field = ".".join(str(part) for part in error["loc"][1:]) or str(error["loc"][0])
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(error["loc"][-1]), FIELDS, 1)
        message = "is not a field of this request" + (f"; did you mean {near[0]}?" if near else "")
    elif error["type"] == "string_pattern_mismatch":
        message = "must be 1 to 128 of letters, digits, '.', '_', '-', ':'"
    elif error["type"] == "missing":
        message = "is required"
    return {"field": field[:200], "message": message}


FIELDS = sorted({name for model in (schemas.ChatRequest, schemas.AddRequest, schemas.Item, schemas.SearchRequest) for name in model.model_fields})
