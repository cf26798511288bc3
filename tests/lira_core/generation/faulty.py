"""An API that speaks OpenAI's chat completions and fails in every way it is told to; it counts what reaches it and what it is still writing."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from lira_cli.ports import free_port

Behaviour = Callable[["Answer"], Awaitable[None]]
USAGE = {"prompt_tokens": 20, "completion_tokens": 3, "total_tokens": 23, "prompt_tokens_details": {"cached_tokens": 16}}


class Answer:
    """The answer to one request, written by hand."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def head(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} X", f"content-type: {kind}", "transfer-encoding: chunked"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self._writer.write("\r\n".join([*lines, "", ""]).encode())
        await self._writer.drain()

    async def send(self, text: str) -> None:
        data = text.encode()
        self._writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self._writer.drain()

    async def event(self, data: Any) -> None:
        await self.send(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")

    async def piece(self, content: Any = None, finish: str | None = None) -> None:
        delta = {} if content is None else {"content": content}
        await self.event({"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    async def end(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    def cut(self) -> None:
        """A reset, as of a process that was killed."""
        sock: socket.socket = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        self._writer.transport.abort()


def answers(*pieces: str, finish: str = "stop", usage: Mapping[str, Any] | None = USAGE) -> Behaviour:
    async def answer(to: Answer) -> None:
        await to.head()
        for piece in pieces:
            await to.piece(piece)
        await to.piece(finish=finish)
        if usage is not None:
            await to.event({"id": "1", "object": "chat.completion.chunk", "choices": [], "usage": usage})
        await to.event("[DONE]")
        await to.end()

    return answer


def events(*data: Any) -> Behaviour:
    """The data of each event as they are; then the stream ends."""

    async def answer(to: Answer) -> None:
        await to.head()
        for one in data:
            await to.event(one)
        await to.end()

    return answer


def refuses(status: int, message: str = "no", **headers: str) -> Behaviour:
    async def answer(to: Answer) -> None:
        await to.head(status, "application/json", **headers)
        await to.send(json.dumps({"error": {"message": message, "type": "refused", "code": None}}))
        await to.end()

    return answer


async def a_page(to: Answer) -> None:
    await to.head(kind="text/html")
    await to.send("<html><body>It works!</body></html>")
    await to.end()


async def silent(to: Answer) -> None:
    """Takes the request and says nothing."""
    await asyncio.sleep(3600)


async def stalls(to: Answer) -> None:
    await to.head()
    await to.piece("네, ")
    await asyncio.sleep(3600)


async def hangs_up(to: Answer) -> None:
    to.cut()


async def breaks_off(to: Answer) -> None:
    await to.head()
    await to.piece("네, ")
    to.cut()


async def endless(to: Answer) -> None:
    await to.head()
    while True:
        await to.piece("아 ")
        await asyncio.sleep(0.005)


class Api:
    """`does` is done to every request, unless `script` still holds what to do to the next ones. `open`: answers being written."""

    def __init__(self) -> None:
        self.does: Behaviour = answers("네, ", "잘 ", "들었어요.")
        self.script: list[Behaviour] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.models: Sequence[str] | None = ("small",)
        self.open = self.connections = 0
        self.url = ""

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not holds():  # noqa: ASYNC110 a server tells nobody when somebody left
                await asyncio.sleep(0.005)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.headers.append(headers)
                if head.startswith("GET"):
                    await self._list(Answer(writer))
                    continue
                self.asked.append(json.loads(body))
                await self._answer(reader, Answer(writer))
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, answer: Answer) -> None:
        """One answer, given up when whoever asked hangs up."""
        self.open += 1
        writing = asyncio.ensure_future((self.script.pop(0) if self.script else self.does)(answer))
        left = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({writing, left}, return_when=asyncio.FIRST_COMPLETED)
            if not left.done():
                left.cancel()
                await asyncio.wait({left})
        finally:
            writing.cancel()
            self.open -= 1
        if left.done() and not left.cancelled():
            raise ConnectionError

    async def _list(self, to: Answer) -> None:
        if self.models is None:
            return await a_page(to)
        await to.head(kind="application/json")
        await to.send(json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}))
        await to.end()


@asynccontextmanager
async def serving(api: Api | None = None) -> AsyncIterator[Api]:
    api = api or Api()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving = asyncio.current_task()
        assert serving is not None
        connected.add(serving)
        serving.add_done_callback(connected.discard)
        await api._serve(reader, writer)

    connected: set[asyncio.Task[None]] = set()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    api.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield api
    finally:
        server.close()
        for task in connected:
            task.cancel()
        await asyncio.gather(*connected, return_exceptions=True)


@contextmanager
def black_hole() -> Iterator[str]:
    """The URL of a port that takes no connection and refuses none: what is sent to it is lost."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        address = deaf.getsockname()
        waiting = []
        try:
            for _ in range(4):  # fill the queue of connections that nobody accepts
                waiting.append(one := socket.socket())
                one.setblocking(False)
                with suppress(BlockingIOError):
                    one.connect(address)
            yield f"http://127.0.0.1:{address[1]}/v1"
        finally:
            for one in waiting:
                one.close()


def nobody() -> str:
    """The URL of a port that refuses connections."""
    return f"http://127.0.0.1:{free_port()}/v1"
