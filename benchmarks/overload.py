"""What is answered at twice the capacity: a server of its own, its peak with people who wait for their answers, then more turns than that.

    python -m benchmarks.overload [--patience 300]

The peak is of CLIENTS people who talk without a pause. Then turns are sent at so many times its rate, each when its time has come, whoever waits
(an open loop: users do not slow down because others do); latency counts from that time. What is refused (503) is not sent again. Client and server
share the machine, so that the client's own work, some of each turn's and each refusal's, is in all figures. `patience` is LIRA_QUEUE_PATIENCE_MS.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import tempfile
import time
from pathlib import Path

import aiohttp

from lira_cli.bench import SAID, tell
from lira_cli.own_server import own_server
from lira_core.admission import STANDS_S
from lira_core.settings import PREFIX

CLIENTS = 32
PEAK_S = 15.0
USERS = 997
"""Each turn is another one's than the last, so that nobody's own queue is in the figures; they have little to be recalled, at peak and beyond."""


async def ask(session: aiohttp.ClientSession, user: str, number: int) -> int:
    body = {"user_id": user, "session_id": "s", "text": SAID[number % len(SAID)]}
    async with session.post("/v1/chat", json=body) as answer:
        await answer.read()
        return answer.status


async def people(session: aiohttp.ClientSession, run: str, seconds: float) -> float:
    """Turns a second that CLIENTS who wait for each answer get."""
    ends, answered, numbers = time.perf_counter() + seconds, 0, itertools.count()

    async def talk() -> None:
        nonlocal answered
        while True:
            number = next(numbers)
            status = await ask(session, f"{run}-{number % USERS}", number)
            if time.perf_counter() > ends:
                return
            answered += status == 200

    await asyncio.gather(*(talk() for _ in range(CLIENTS)))
    return answered / seconds


async def flood(session: aiohttp.ClientSession, run: str, rate: float, seconds: float) -> list[tuple[float, int, float]]:
    """Of each turn: when it was to be sent, its status, and how many milliseconds later it was answered."""
    began, out = time.perf_counter(), []

    async def send(number: int, due: float) -> None:
        status = await ask(session, f"{run}-{number % USERS}", number)
        out.append((due, status, 1000 * (time.perf_counter() - began - due)))

    async with asyncio.TaskGroup() as tasks:
        for number in range(int(rate * seconds)):
            due = number / rate
            await asyncio.sleep(max(0.0, began + due - time.perf_counter()))
            tasks.create_task(send(number, due))
    return out


def share(values: list[float], part: float) -> float:
    return round(sorted(values)[min(len(values) - 1, int(part * len(values)))], 1) if values else 0.0


async def measure(port: int, *, times: float, seconds: float, patience: int | None, repeat: int) -> None:
    unbounded = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", connector=unbounded, timeout=aiohttp.ClientTimeout(60)) as session:
        await people(session, "warm", 3.0)
        for run in range(repeat):
            peak = await people(session, f"peak{run}", PEAK_S)
            rows = await flood(session, f"flood{run}", times * peak, seconds + 2 * STANDS_S)
            # A burst is admitted and served late: what is told is of the time after it.
            rows = [row for row in rows if row[0] >= 2 * STANDS_S]
            took = [ms for _, status, ms in rows if status == 200]
            refused = [ms for _, status, ms in rows if status == 503]
            tell(
                "overload",
                patience_ms=patience,
                peak=round(peak, 1),
                sent=round(len(rows) / seconds, 1),
                goodput=round(len(took) / seconds, 1),
                of_peak=round(len(took) / seconds / peak, 2),
                p50_ms=share(took, 0.5),
                p95_ms=share(took, 0.95),
                refused_p50_ms=share(refused, 0.5),
                refused_p95_ms=share(refused, 0.95),
                other=len(rows) - len(took) - len(refused),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=float, default=2.0, help="the rate, of the peak")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long the flood is measured, once the queue stands")
    parser.add_argument("--patience", type=int, help="milliseconds; the server's own default where it is left out")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    if args.patience:
        os.environ[f"{PREFIX}QUEUE_PATIENCE_MS"] = str(args.patience)
    with tempfile.TemporaryDirectory() as folder, own_server(Path(folder)) as (port, _, _):
        asyncio.run(measure(port, times=args.times, seconds=args.seconds, patience=args.patience, repeat=args.repeat))


if __name__ == "__main__":
    main()
