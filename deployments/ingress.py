"""ChatIngress: the HTTP surface on Ray Serve. One call to the orchestrator per request, under one deadline."""

from __future__ import annotations

import asyncio
import logging
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing
from datetime import datetime
from typing import Any, TypeVar

import ray
from fastapi import FastAPI
from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.calls import Busy, Lost, answer, pieces
from deployments.http import make_app
from deployments.loopback import stay_on_loopback
from deployments.problems import Problem, too_busy
from lira_core.settings import load_settings
from lira_core.stores.ports import StoreError

log = logging.getLogger("lira.http")
T = TypeVar("T")
READY_WITHIN_S = 10
"""Probes ask often and wait short."""
IMPORT_WITHIN_S = 120
"""An import is no turn: 256 texts of 4,000 characters take two cores a minute to understand and embed."""


@serve.deployment(max_ongoing_requests=2_000, health_check_period_s=2, graceful_shutdown_timeout_s=10, ray_actor_options={"num_cpus": 0.1})
@serve.ingress()
class ChatIngress:
    """The door. How many turns may wait is bounded by the orchestrator's `max_queued_requests`, so that a refusal is a problem+json."""

    def __init__(self, orchestrator: DeploymentHandle[Any]) -> None:
        stay_on_loopback()
        self._settings = load_settings()
        self._orchestrator = RemoteOrchestrator(orchestrator, self._settings.request_deadline_ms / 1000)

    def __serve_build_asgi_app__(self) -> FastAPI:
        return make_app(self._orchestrator, metrics=node_metrics, max_body_bytes=self._settings.max_body_bytes)


class RemoteOrchestrator:
    """RecallOrchestrator's methods over a handle: every failure is a Problem.

    A call whose replica died is made once more within the deadline, where that is safe: a turn carries its request id and is
    written once however often it is made; reading and deleting are safe by nature; an import is not, and is not repeated.
    """

    def __init__(self, handle: DeploymentHandle[Any], deadline_s: float) -> None:
        self._handle, self._deadline = handle, deadline_s
        self._stream = handle.options(stream=True)

    async def chat(self, user_id: str, session_id: str, text: str, at: datetime | None, request_id: str) -> dict[str, Any]:
        return await self._ask("chat", user_id, session_id, text, at, request_id)

    async def chat_stream(self, user_id: str, session_id: str, text: str, at: datetime | None, request_id: str) -> AsyncIterator[dict[str, Any]]:
        """A turn is begun anew only while nothing of it has been sent."""
        ends, sent = asyncio.get_running_loop().time() + self._deadline, False
        for last in (False, True):
            async with aclosing(pieces(self._stream.chat_stream.remote(user_id, session_id, text, at, request_id))) as events:
                try:
                    # The deadline is set anew around each piece: the consumer may change tasks between two of them.
                    while (event := await _within(ends, anext(events, None))) is not None:
                        sent = True
                        yield event
                    return
                except Lost as error:
                    if sent or last:
                        raise self._problem(error) from error
                    log.warning("turn %s is made again: %s", request_id, error)
                except Exception as error:
                    raise self._problem(error) from error

    async def add_memories(self, user_id: str, items: list[dict[str, Any]]) -> list[str]:
        return await self._ask("add_memories", user_id, items, again=False, within=IMPORT_WITHIN_S)

    async def search(self, user_id: str, query: str, limit: int, at: datetime | None) -> list[dict[str, Any]]:
        return await self._ask("search", user_id, query, limit, at)

    async def list_memories(self, user_id: str, limit: int, cursor: str | None) -> dict[str, Any] | None:
        return await self._ask("list_memories", user_id, limit, cursor)

    async def delete_memory(self, user_id: str, memory_id: str) -> bool:
        return await self._ask("delete_memory", user_id, memory_id)

    async def delete_user(self, user_id: str) -> None:
        await self._ask("delete_user", user_id)

    async def session(self, user_id: str, session_id: str) -> dict[str, Any]:
        return await self._ask("session", user_id, session_id)

    async def delete_session(self, user_id: str, session_id: str) -> None:
        await self._ask("delete_session", user_id, session_id)

    async def ready(self) -> dict[str, str]:
        return await self._ask("ready", within=READY_WITHIN_S) | {"orchestrator": "ok"}

    async def _ask(self, method: str, *args: Any, again: bool = True, within: float | None = None) -> Any:
        try:
            async with asyncio.timeout(within or self._deadline):
                try:
                    return await answer(getattr(self._handle, method).remote(*args))
                except Lost as error:
                    if not again:
                        raise
                    log.warning("%s is called again: %s", method, error)
                    return await answer(getattr(self._handle, method).remote(*args))
        except Exception as error:
            raise self._problem(error) from error

    def _problem(self, error: Exception) -> Problem:
        match error:
            case Problem():
                return error
            case Busy():
                return too_busy()
            case TimeoutError():
                return Problem(503, f"No answer within {self._deadline:g} s; try again in a moment.", retry_after=2)
            case Lost():
                return Problem(503, "A part of LIRA is restarting; try again in a moment.", retry_after=2)
            case StoreError():
                log.warning("a store failed: %s", error)
                return Problem(503, "A store is not available; try again in a moment.", retry_after=2)
            case _:
                log.error("the orchestrator failed: %s: %s", type(error).__name__, error)
                return Problem(500, "Something went wrong on our side.")


async def _within(ends: float, work: Awaitable[T]) -> T:
    async with asyncio.timeout_at(ends):
        return await work


async def node_metrics() -> str:
    """The Prometheus text that this node's agent exports, LIRA's own metrics among it. Problem(503) where the agent is off."""
    try:
        return await asyncio.to_thread(_fetch_metrics)
    except (OSError, LookupError, urllib.error.URLError) as error:
        raise Problem(503, f"This node exports no metrics ({error}).", retry_after=10) from error


def _fetch_metrics() -> str:
    here = ray.get_runtime_context().get_node_id()
    node = next(node for node in ray.nodes() if node["NodeID"] == here)
    with urllib.request.urlopen(f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics", timeout=5) as answered:
        return str(answered.read().decode("utf-8"))
