"""RecallOrchestrator: the core's Lira as a deployment. Gate, recall, remembering and the stores live here; the models are asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.embedding import RemoteEmbedder
from deployments.emotion import RemoteEmotion
from deployments.generator import RemoteGenerator
from deployments.loopback import stay_on_loopback
from deployments.metrics import ServeObserver
from lira_core.settings import load_settings

CONCURRENT_TURNS = 64
"""Turns at once; more wait in the callers' queues, so that the deadlines of the stages of a running turn measure the stage."""


@serve.deployment(max_ongoing_requests=CONCURRENT_TURNS, health_check_period_s=2, graceful_shutdown_timeout_s=10, ray_actor_options={"num_cpus": 0.1})
class RecallOrchestrator:
    """Answers in plain dicts, the JSON of the HTTP surface.

    The grounded responder runs in here by default: it takes about a millisecond and has to be here as the fallback, so a
    deployment of its own would only add a hop. With a `generator` handle answers are written there.
    """

    async def __init__(self, emotion: DeploymentHandle[Any], embedder: DeploymentHandle[Any], generator: DeploymentHandle[Any] | None = None) -> None:
        # Here, so that whoever builds the graph does not load the morphemes and ONNX Runtime.
        from lira_core.lira import Lira, stores_of

        stay_on_loopback()
        settings = load_settings()
        self._lira = Lira(
            settings,
            emotion=RemoteEmotion(emotion),
            embedder=RemoteEmbedder(embedder),
            stores=stores_of(settings),
            generator=RemoteGenerator(generator) if generator is not None else None,
            observer=ServeObserver(),
        )
        await self._lira.start()

    async def chat(self, user_id: str, session_id: str, text: str, at: datetime | None, request_id: str) -> dict[str, Any]:
        reply = await self._lira.chat(user_id=user_id, session_id=session_id, text=text, at=at, request_id=request_id)
        return reply.as_dict()

    async def chat_stream(self, user_id: str, session_id: str, text: str, at: datetime | None, request_id: str) -> AsyncIterator[dict[str, Any]]:
        """`{"event": "recall" | "token" | "done", "data": {...}}`, in the order of the surface."""
        parts = self._lira.chat_stream(user_id=user_id, session_id=session_id, text=text, at=at, request_id=request_id)
        recalled = False
        async for part in parts:
            if isinstance(part, str):
                yield {"event": "token", "data": {"text": part}}
            else:
                yield {"event": "done" if recalled else "recall", "data": part.as_dict(with_reply=recalled)}
                recalled = True

    async def add_memories(self, user_id: str, items: list[dict[str, Any]]) -> list[str]:
        return await self._lira.add_memories(user_id, items)

    async def search(self, user_id: str, query: str, limit: int, at: datetime | None) -> list[dict[str, Any]]:
        return await self._lira.search(user_id, query, limit, at)

    async def list_memories(self, user_id: str, limit: int, cursor: str | None) -> dict[str, Any] | None:
        """None for a cursor that LIRA did not give."""
        try:
            return await self._lira.list_memories(user_id, limit, cursor)
        except ValueError:
            return None

    async def delete_memory(self, user_id: str, memory_id: str) -> bool:
        return await self._lira.delete_memory(user_id, memory_id)

    async def delete_user(self, user_id: str) -> None:
        await self._lira.delete_user(user_id)

    async def session(self, user_id: str, session_id: str) -> dict[str, Any]:
        return await self._lira.session(user_id, session_id)

    async def delete_session(self, user_id: str, session_id: str) -> None:
        await self._lira.delete_session(user_id, session_id)

    async def ready(self) -> dict[str, str]:
        return await self._lira.ready()

    async def __del__(self) -> None:
        if hasattr(self, "_lira"):
            await self._lira.close()
