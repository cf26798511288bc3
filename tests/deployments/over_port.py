"""The HTTP surface over a LIRA in this process: for httpx without a port, and on a real one for clients that want it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from deployments.asking import Backend
from deployments.http import make_app
from deployments.ingress import as_problem
from lira_core import compose, engines
from lira_core.generation.port import Generator
from lira_core.lira import Lira
from lira_core.requests import Request, Say
from lira_core.settings import load_settings

MAX_BODY_BYTES = 100_000


class InProcess:
    """What the ingress asks over a handle, asked right here; failures become the same problems."""

    def __init__(self, lira: Lira, deadline_s: float) -> None:
        self._lira, self._deadline = lira, deadline_s

    async def ask(self, request: Request[Any]) -> bytes:
        try:
            return await self._lira.ask_json(request)
        except Exception as error:
            raise as_problem(error, request, self._deadline) from error

    async def stream(self, request: Say) -> AsyncGenerator[tuple[str, bytes], None]:
        try:
            async with aclosing(self._lira.stream_json(request)) as events:
                async for event in events:
                    yield event
        except Exception as error:
            raise as_problem(error, request, self._deadline) from error


def app_of(backend: Backend) -> FastAPI:
    async def metrics(everything: bool) -> str:
        return ""

    return make_app(backend, metrics=metrics, max_body_bytes=MAX_BODY_BYTES)


@asynccontextmanager
async def real_app(folder: Path, generator: Generator | None = None) -> AsyncIterator[FastAPI]:
    """The surface over a whole LIRA with its real models and stores; with `generator`, that one writes the answers."""
    settings = load_settings(data_dir=folder)
    emotion, embedder, reader = engines.open_emotion(settings), engines.open_embedder(settings), engines.open_reader(settings)
    stores = await compose.open_settled_stores(settings)
    lira = Lira(settings, emotion=emotion, embedder=embedder, reader=reader, stores=stores, generator=generator)
    try:
        await lira.start()
        yield app_of(InProcess(lira, settings.request_deadline_ms / 1000))
    finally:
        await lira.close()
        for engine in (emotion, embedder, reader):
            await engine.close()


@contextmanager
def on_a_port(opened: Callable[[], AbstractAsyncContextManager[FastAPI]]) -> Iterator[str]:
    """The app on a free port of loopback, in a thread with a loop of its own, so that blocking clients can be tested; its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    ready, servers = threading.Event(), list[uvicorn.Server]()

    async def serve() -> None:
        async with opened() as app:
            servers.append(uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)))
            ready.set()
            await servers[0].serve(sockets=[listener])

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    try:
        assert ready.wait(60), "the app did not open within 60 s"
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        if servers:
            servers[0].should_exit = True
        thread.join(30)
        listener.close()
