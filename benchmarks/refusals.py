"""How soon a turn is refused when no more may wait: a server of its own, full, and one more client who asks again and again.

    python -m benchmarks.refusals

One line for a server that works as much as it can, and one for a server whose model stands still, so that its cores are free. Client and server
share the machine. `door`: what `GET /v1/models` takes in between, which the ingress answers by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx

from lira_cli.bench import SAID, tell
from lira_cli.own_server import own_server
from lira_core.settings import ONGOING_TURNS, PREFIX

WAITING = 1
CROWD = ONGOING_TURNS + WAITING
"""Clients that fill the server: those whose turns run, and who may wait."""
REST_S = 0.02
STAGE = "ray::ServeReplica:lira:UtteranceAnalyzer"


async def measure(port: int, asked: int) -> tuple[list[float], list[float], Counter[int]]:
    """Milliseconds of each refusal and of each answer of the door alone, and how many turns were answered with which status."""
    took: list[float] = []
    door: list[float] = []
    statuses: Counter[int] = Counter()
    limits = httpx.Limits(max_connections=None)
    async with (
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, limits=limits) as crowd,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as one_more,
    ):

        async def talk(number: int) -> None:
            turn = 0
            while True:
                turn += 1
                said = {"user_id": f"crowd-{number}", "session_id": "s", "text": SAID[(number + turn) % len(SAID)]}
                if (await crowd.post("/v1/chat", json=said)).status_code == 503:
                    await asyncio.sleep(REST_S)

        talking = [asyncio.create_task(talk(number)) for number in range(CROWD)]
        await asyncio.sleep(1)
        for number in range(asked):
            began = time.perf_counter()
            answer = await one_more.post("/v1/chat", json={"user_id": f"more-{number}", "session_id": "s", "text": SAID[number % len(SAID)]})
            statuses[answer.status_code] += 1
            if answer.status_code == 503:
                assert answer.headers["retry-after"]
                took.append(1000 * (time.perf_counter() - began))
            await asyncio.sleep(REST_S)
            began = time.perf_counter()
            await one_more.get("/v1/models")
            door.append(1000 * (time.perf_counter() - began))
            await asyncio.sleep(REST_S)
        for one in talking:
            one.cancel()
        await asyncio.gather(*talking, return_exceptions=True)
    return took, door, statuses


def _tell_of(where: str, took: list[float], door: list[float], statuses: Counter[int]) -> None:
    p95 = statistics.quantiles(took, n=20)[-1]
    figures = {"p50_ms": round(statistics.median(took), 1), "p95_ms": round(p95, 1), "max_ms": round(max(took), 1)}
    tell("refusal", server=where, refused=len(took), answered=statuses[200], **figures, door_p50_ms=round(statistics.median(door), 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--asked", type=int, default=200, help="turns that the one more client asks for")
    asked = parser.parse_args().asked
    os.environ[f"{PREFIX}MAX_QUEUED_REQUESTS"] = str(WAITING)
    # What stands still is waited for as long as this takes.
    for name in ("EMOTION", "EMBEDDING"):
        os.environ[f"{PREFIX}{name}_DEADLINE_MS"] = "30000"
    with tempfile.TemporaryDirectory() as folder, own_server(Path(folder)) as (port, server, _):
        _tell_of("works", *asyncio.run(measure(port, asked)))
        (model,) = [one for one in server.children(recursive=True) if "".join(one.cmdline()[:1]).startswith(STAGE)]
        model.suspend()
        try:
            _tell_of("stands still", *asyncio.run(measure(port, asked)))
        finally:
            model.resume()


if __name__ == "__main__":
    main()
