"""ChatIngress: the HTTP surface on Ray Serve. One call to the orchestrator per request, under one deadline."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import FastAPI
from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.calls import Busy, Lost, answer, pieces
from deployments.http import make_app
from deployments.logs import log_with_serve
from deployments.node_metrics import node_metrics
from deployments.problems import Problem, invalid_field, too_busy
from deployments.ray_patches.loopback import stay_on_loopback
from deployments.resources import UNRESERVED
from lira_core.admission import Refused
from lira_core.requests import AddMemories, CheckReady, Deletion, InvalidRequest, Request, Say
from lira_core.settings import Settings
from lira_core.stores import Forgotten, StoreError, StoreUnavailable, Unfinished

log = logging.getLogger("lira.http")
T = TypeVar("T")
READY_WITHIN_S = 10
"""Probes ask often and wait short."""
IMPORT_WITHIN_S = 120
"""An import is no turn: 256 texts of 4,000 characters take two cores a minute to understand and embed."""
ON_THE_WAY_S = 1.0
"""A turn ends within its deadline by itself and says what was stored; its answer has this long to arrive."""


@serve.deployment(max_ongoing_requests=2_000, health_check_period_s=2, ray_actor_options=UNRESERVED)
@serve.ingress()
class ChatIngress:
    """The door. How many turns may wait is bounded by the orchestrator, so that a refusal is a problem+json."""

    def __init__(self, settings: Settings, orchestrator: DeploymentHandle[Any]) -> None:
        stay_on_loopback()
        log_with_serve()
        self._settings = settings
        self._orchestrator = RemoteOrchestrator(orchestrator, settings.request_deadline_ms / 1000)

    def __serve_build_asgi_app__(self) -> FastAPI:
        return make_app(self._orchestrator, metrics=node_metrics, max_body_bytes=self._settings.max_body_bytes)


class RemoteOrchestrator:
    """RecallOrchestrator over a handle: every failure is a Problem.

    A call whose replica died is made once more within the deadline: a turn and an import carry their id and are written once however
    often they are made; reading and deleting are safe by nature.
    """

    def __init__(self, handle: DeploymentHandle[Any], deadline_s: float) -> None:
        self._handle, self._deadline = handle, deadline_s
        self._streaming = handle.options(stream=True)

    async def ask(self, request: Request[Any]) -> bytes:
        """The answer as JSON."""
        within = self._within(request)
        try:
            async with asyncio.timeout(within + ON_THE_WAY_S):
                try:
                    return _admitted(await answer(self._handle.ask.remote(request)))
                except Lost as error:
                    log.warning("%s is asked again: %s", type(request).__name__, error)
                    return _admitted(await answer(self._handle.ask.remote(request)))
        except Exception as error:
            raise as_problem(error, request, within) from error

    async def stream(self, request: Say) -> AsyncGenerator[tuple[str, bytes], None]:
        """(event, JSON). A turn is begun anew only while nothing of it has been sent."""
        ends, sent = asyncio.get_running_loop().time() + self._deadline + ON_THE_WAY_S, False
        for last in (False, True):
            async with aclosing(pieces(self._streaming.stream.remote(request))) as events:
                try:
                    # The deadline is set anew around each piece: the consumer may change tasks between two of them.
                    while (event := await _until(ends, anext(events, None))) is not None:
                        admitted = _admitted(event)
                        sent = True
                        yield admitted
                    return
                except Lost as error:
                    if sent or last:
                        raise as_problem(error, request, self._deadline) from error
                    log.warning("turn %s is made again: %s", request.id, error)
                except Exception as error:
                    raise as_problem(error, request, self._deadline) from error

    def _within(self, request: Request[Any]) -> float:
        if isinstance(request, CheckReady):
            return READY_WITHIN_S
        return IMPORT_WITHIN_S if isinstance(request, AddMemories) else self._deadline


def _admitted(told: T | Refused) -> T:
    """What the orchestrator told, where it is no refusal."""
    if isinstance(told, Refused):
        raise told
    return told


def as_problem(error: Exception, request: Request[Any], within_s: float) -> Problem:
    """How what went wrong below is told to who asked; `within_s` is the deadline that a TimeoutError missed."""
    match error:
        case Problem():
            return error
        case InvalidRequest():
            return invalid_field(error.field, error.message)
        case Busy() | Refused(reason="queue"):
            return too_busy()
        case Refused():
            return Problem(429, "Too many turns of this user are under way; try again when some are answered.", retry_after=1)
        case TimeoutError():
            return Problem(503, f"No answer within {within_s:g} s; try again in a moment.", retry_after=2)
        case Lost():
            return Problem(503, "A part of LIRA is restarting; try again in a moment.", retry_after=2)
        case Forgotten():
            return Problem(409, "It was deleted while this request was on its way; nothing of it was stored.")
        case StoreUnavailable():
            log.warning("a store is away: %s", error)
            return Problem(503, _away(error, request), retry_after=2)
        case StoreError():
            log.error("a store refused: %s", error, exc_info=error)
            return Problem(500, "Something went wrong on our side.")
        case _:
            log.error("the orchestrator failed", exc_info=error)
            return Problem(500, "Something went wrong on our side.")


def _away(error: StoreUnavailable, request: Request[Any]) -> str:
    """Who asks for a deletion has to know whether it happens by itself."""
    if isinstance(error, Unfinished):
        return "A store is not available. The deletion is noted, and will be finished when the store is back."
    if isinstance(request, Deletion):
        return "A store is not available, and the deletion could not be noted: count nothing as deleted, and try again in a moment."
    return "A store is not available; try again in a moment."


async def _until(ends: float, work: Awaitable[T]) -> T:
    async with asyncio.timeout_at(ends):
        return await work
