"""`lira mcp`: a person's memories for any MCP client, over stdio or streamable HTTP, from one command to nothing left."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import typer
import uvicorn
from mcp.server.mcpserver import MCPServer
from pydantic import TypeAdapter, ValidationError

from deployments.schemas import Id
from lira_cli.mcp_server import make_server
from lira_cli.partner import partner

HOST = "127.0.0.1"
"""There is no authentication: whoever reaches the port may ask as anybody."""
GRACE_S = 3
"""How long open streams of clients keep a server that was told to end."""


def run(*, http: bool, port: int, url: str | None, user: str | None, data: Path | None) -> None:
    """Serves until end of input, Ctrl-C or SIGTERM."""
    _check(url, user, data)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    with ExitStack() as stack:
        listening = stack.enter_context(_listen(port)) if http else None
        asyncio.run(_serve(listening, url, user, data))


async def _serve(listening: socket.socket | None, url: str | None, user: str | None, data: Path | None) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with partner(url, data) as lira:
        server = make_server(lira, user=user)
        ended = await (_stdio(server, stop) if listening is None else _http(server, listening, stop))
    if not ended:
        # The transport's thread still reads standard input, and nothing but a line or its end can wake it.
        os._exit(0)


async def _stdio(server: MCPServer[Any], stop: asyncio.Event) -> bool:
    """Whether the input ended; else it was told to stop, and the transport is still there."""
    serving = asyncio.create_task(server.run_stdio_async())
    await _first(serving, stop)
    if serving.done():
        await serving
    return serving.done()


async def _http(server: MCPServer[Any], listening: socket.socket, stop: asyncio.Event) -> bool:
    # Not the server's own `run`: it waits without end for clients' open streams when it is told to stop.
    web = uvicorn.Server(uvicorn.Config(server.streamable_http_app(host=HOST), log_config=None, timeout_graceful_shutdown=GRACE_S))
    serving = asyncio.create_task(web.serve(sockets=[listening]))
    print(f"LIRA speaks MCP on http://{HOST}:{listening.getsockname()[1]}/mcp", flush=True)
    await _first(serving, stop)
    web.should_exit = True
    await serving
    return True


async def _first(serving: asyncio.Task[None], stop: asyncio.Event) -> None:
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise typer.BadParameter(
            f"{port} on {HOST} cannot be listened on ({error.strerror}); choose another, or 0 for any", param_hint="--port"
        ) from None


def _check(url: str | None, user: str | None, data: Path | None) -> None:
    if url is not None and not url.startswith(("http://", "https://")):
        raise typer.BadParameter(f"{url!r} is no address such as http://127.0.0.1:8000", param_hint="--url")
    if url is not None and data is not None:
        raise typer.BadParameter("a server has its own; it goes with a LIRA in this process alone", param_hint="--data")
    if user is not None:
        try:
            TypeAdapter(Id).validate_python(user)
        except ValidationError:
            raise typer.BadParameter(f"{user!r} is not 1 to 128 of letters, digits, `.`, `_`, `-`, `:`", param_hint="--user") from None
