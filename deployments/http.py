"""The HTTP surface: routes, bounds and errors, over anything that can answer them. Knows nothing of Ray."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException

from deployments import refusals, schemas
from deployments.asking import Backend
from deployments.guard import Guard, ParsedRoute
from deployments.openai_errors import answered
from deployments.openai_front import add_openai_front
from deployments.openai_schemas import ChatCompletionEvent
from deployments.problems import PROBLEMS, Problem
from deployments.routes_history import add_history_routes
from deployments.routes_memories import add_memory_routes
from deployments.routes_operations import add_operation_routes
from deployments.routes_talking import add_talking_routes


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
    app.add_exception_handler(HTTPException, refusals.http_problem)
    app.add_exception_handler(RequestValidationError, refusals.invalid)
    app.add_middleware(Guard, max_body_bytes=max_body_bytes)
    app.router.route_class = ParsedRoute

    add_talking_routes(app, backend)
    add_openai_front(app, backend)
    add_memory_routes(app, backend)
    add_history_routes(app, backend)
    add_operation_routes(app, backend, metrics)
    return app


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
