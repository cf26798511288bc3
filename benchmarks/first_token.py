"""LIRA's own share of the time to the first word: `python -m benchmarks.first_token`, one JSON line per figure.

`lira serve` and LIRA in this process ask, turn by turn, the same API, which stands here and notes when it was asked and when its first word left.
The share is what the client waited besides. A LIRA here that asks nobody (`grounded`) answers the same turns: on a machine that others use, too, look
at the ratio to it. The API answers at once; with `--relay http://127.0.0.1:8080/v1 --model NAME` it passes on what an
engine writes instead. Questions about what was said are left out there: of their answers whole sentences leave, which the engine takes time to write.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, aclosing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from lira_cli.bench import SAID, tell
from lira_cli.own_server import own_server
from lira_core.events import Token
from lira_core.lira import Lira
from lira_core.requests import Say
from lira_core.settings import PREFIX, load_settings

ANSWER = ("네, ", "잘 ", "들었", "어요. ", "오늘은 ", "푹 ", "쉬세요.")
WARM = 13
"""Turns before the first that counts: each utterance once, and an engine has read the system message."""
DEADLINES_MS = {"generator_first_token": 60_000, "generator_idle": 60_000, "generate_deadline": 100_000, "request_deadline": 110_000}
"""So that no engine on a CPU is given up on: what is measured here is LIRA."""


@dataclass
class Api:
    """OpenAI's chat completions, at once or by `relay`; `took` is the seconds of each answer to its first word."""

    relay: str | None
    took: list[float] = field(default_factory=list)

    async def complete(self, request: Request) -> StreamingResponse:
        asked, body = time.perf_counter(), await request.body()
        return StreamingResponse(self._timed(self._lines(body), asked), media_type="text/event-stream")

    async def _timed(self, lines: AsyncIterator[str], asked: float) -> AsyncIterator[str]:
        first = True
        async for line in lines:
            if first and _word(line):
                first = False
                self.took.append(time.perf_counter() - asked)
            yield f"{line}\n\n"

    async def _lines(self, body: bytes) -> AsyncIterator[str]:
        if self.relay is None:
            for piece in ANSWER:
                yield "data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
            yield 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}'
            yield "data: [DONE]"
            return
        headers = {"Content-Type": "application/json"}
        async with (
            httpx.AsyncClient(timeout=120) as client,
            client.stream("POST", f"{self.relay}/chat/completions", content=body, headers=headers) as told,
        ):
            async for line in told.aiter_lines():
                if line:
                    yield line


def _word(line: str) -> bool:
    """Whether an event holds something that is said; engines begin with the role alone."""
    try:
        return bool(json.loads(line.removeprefix("data: "))["choices"][0]["delta"].get("content", "").strip())
    except (ValueError, LookupError, AttributeError):
        return False


@contextmanager
def standing(api: Api) -> Iterator[str]:
    """The API on a free port of loopback; its base."""
    app = Starlette(routes=[Route("/v1/chat/completions", api.complete, methods=["POST"])])
    running = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        while not running.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}/v1"
    finally:
        running.should_exit = True
        thread.join()


async def in_process(lira: Lira, text: str) -> float:
    """Milliseconds to the first piece of an answer."""
    began, first = time.perf_counter(), 0.0
    async with aclosing(lira.stream(Say(user_id="here", session_id="s", text=text))) as events:
        async for event in events:
            if isinstance(event, Token):
                first = first or time.perf_counter() - began
    return 1000 * first


async def served(client: httpx.AsyncClient, text: str) -> float:
    """The same over HTTP."""
    began, first = time.perf_counter(), 0.0
    async with client.stream("POST", "/v1/chat", json={"user_id": "there", "session_id": "s", "text": text, "stream": True}) as answer:
        async for line in answer.aiter_lines():
            if line == "event: token":
                first = first or time.perf_counter() - began
    return 1000 * first


async def measure(api: Api, url: str, model: str, turns: int) -> None:
    texts = [text for text in SAID if api.relay is None or not text.endswith("?")]
    chosen = {"generator": "openai", "generator_url": url, "generator_model": model} | {f"{name}_ms": ms for name, ms in DEADLINES_MS.items()}
    os.environ.update({f"{PREFIX}{name.upper()}": str(value) for name, value in chosen.items()})
    shares: dict[str, list[float]] = {"grounded": [], "in_process": [], "served": []}
    async with AsyncExitStack() as open_until_the_end:
        folder = Path(open_until_the_end.enter_context(tempfile.TemporaryDirectory()))
        port, _, _ = open_until_the_end.enter_context(own_server(folder / "served"))
        grounded = await open_until_the_end.enter_async_context(
            Lira.local(settings=load_settings(data_dir=folder / "grounded", generator="grounded"))
        )
        lira = await open_until_the_end.enter_async_context(Lira.local(settings=load_settings(data_dir=folder / "here")))
        client = await open_until_the_end.enter_async_context(httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=120))
        for turn in range(WARM + turns):
            text = texts[turn % len(texts)]
            ways = {"grounded": in_process(grounded, text), "in_process": in_process(lira, text), "served": served(client, text)}
            for where, waiting in ways.items():
                before = len(api.took)
                waited, took = await waiting, api.took[before:]
                # A turn in which LIRA says something itself, or asks twice, is no measure of what it adds to an answer.
                if turn >= WARM and len(took) == (where != "grounded"):
                    shares[where].append(waited - 1000 * sum(took))
    _tell_of(shares, api)


def _tell_of(shares: Mapping[str, list[float]], api: Api) -> None:
    for where, own in shares.items():
        p50, p95 = statistics.median(own), statistics.quantiles(own, n=20)[-1]
        ratio = p50 / statistics.median(shares["grounded"])
        figures = {"own_p50_ms": round(p50, 1), "own_p95_ms": round(p95, 1), "to_grounded": round(ratio, 2)}
        tell("first_token", where=where, engine=api.relay or "at once", turns=len(own), **figures)
    tell("first_token_engine", p50_ms=round(1000 * statistics.median(api.took), 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relay", help="the base of an OpenAI-compatible API that writes the answers")
    parser.add_argument("--model", default="any", help="its model")
    parser.add_argument("--turns", type=int, default=130)
    asked = parser.parse_args()
    api = Api(asked.relay)
    with standing(api) as url:
        asyncio.run(measure(api, url, asked.model, asked.turns))


if __name__ == "__main__":
    main()
