"""What every route of the surface needs to ask LIRA: whom, when it arrived, under which key, and the answer as JSON."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Annotated, Any, Protocol

from fastapi import Header, Query, Request
from starlette.responses import Response

from deployments.guard import RECEIVED, REQUEST_ID
from deployments.schemas import ID_PATTERN, KEY_PATTERN, Body
from lira_core.once import once
from lira_core.requests import Once, Say, new_id, stamp
from lira_core.requests import Request as Asked

Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=KEY_PATTERN,
        description="A request that comes again with the same key and body is answered as the first time, and nothing is written twice.",
    ),
]
UserId = Annotated[str, Query(pattern=ID_PATTERN, description="Whose.")]
STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
"""No cache and no proxy may hold a stream's pieces back."""


class Backend(Protocol):
    """What the routes ask; each raises Problem where it cannot answer."""

    async def ask(self, request: Asked[Any]) -> bytes:
        """The answer as JSON."""
        ...

    def stream(self, request: Say) -> AsyncGenerator[tuple[str, bytes], None]:
        """(event, JSON) in the order of the surface."""
        ...


def arrival(request: Request) -> dict[str, Any]:
    """The request's id, and when it reached the ingress: the clock that deletions are compared with."""
    return {"id": str(request.scope.get(REQUEST_ID) or new_id()), "received": request.scope.get(RECEIVED) or stamp()}


def once_of(key: str | None, request: Request, body: Body) -> Once | None:
    """By what the request is known when it comes again."""
    return None if key is None else once(key, request.url.path, body.model_dump(mode="json"))


def json_answer(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(body, status, headers, "application/json")
