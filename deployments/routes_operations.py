"""The routes of operations: is it alive, can it take turns, what does it measure, what is there to ask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

import orjson
from fastapi import FastAPI, Query
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from deployments import schemas
from deployments.asking import Backend, json_answer
from deployments.docs_page import DOCS_PAGE
from deployments.problems import Problem, encode
from lira_core.requests import CheckReady

NOT_READY = {"description": "Turns cannot be taken.", "model": schemas.Health}


def add_operation_routes(app: FastAPI, backend: Backend, metrics: Callable[[bool], Awaitable[str]]) -> None:
    """`metrics` gives the node's Prometheus text: LIRA's own, or (True) all of it."""

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
