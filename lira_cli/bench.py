"""`lira bench`: the same turns in process and served, in one run, so that the ratio means something on any machine."""

from __future__ import annotations

import asyncio
import http.client
import itertools
import os
import platform
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import psutil

from lira_cli.own_server import own_server
from lira_core.lira import Lira

CLIENTS = (1, 8, 32)
# What people say: introductions, taste, plans, feelings, small talk, and questions about what was said. Three in ten are questions.
SAID = (
    "안녕하세요, 제 이름은 민수입니다.",
    "나는 아메리카노를 제일 좋아해",
    "내일 오후 3시 강남에서 지은이랑 미팅 있어. 기억해줘.",
    "오늘 날씨 진짜 좋다",
    "요즘 회사 일이 너무 힘들고 지쳤어...",
    "내 이름이 뭐였지?",
    "여동생이 부산에서 간호사로 일해",
    "땅콩 알레르기가 있어서 조심해야 해",
    "내 일정 뭐였지?",
    "드디어 시험에 합격했어! 너무 기뻐!!",
    "점심 뭐 먹을까",
    "내가 좋아하는 커피가 뭐였지?",
    "ㅋㅋㅋ 그렇구나",
)


def bench(*, turns: int, repeat: int) -> None:
    """Prints one JSON line per figure. `turns` per measurement; each figure is the median of `repeat` runs."""
    with tempfile.TemporaryDirectory() as folder, own_server(Path(folder) / "served") as (port, process, ready):
        tell("ready", seconds=round(ready, 1))
        samples: dict[tuple[str, int], list[dict[str, float]]] = {}
        for _ in range(repeat):
            for clients in CLIENTS:
                amount = max(turns if clients > 1 else turns // 3, clients)
                samples.setdefault(("in_process", clients), []).append(asyncio.run(_in_process(Path(folder) / "here", clients, amount)))
                samples.setdefault(("served", clients), []).append(_served(port, clients, amount))
        tell("memory", **_memory(process))
    median = {key: {name: statistics.median(run[name] for run in runs) for name in runs[0]} for key, runs in samples.items()}
    for (where, clients), figures in median.items():
        tell(where, clients=clients, **{name: round(value, 2) for name, value in figures.items()})
    for clients in CLIENTS:
        ratios = [
            served["turns_per_second"] / here["turns_per_second"]
            for served, here in zip(samples["served", clients], samples["in_process", clients], strict=True)
        ]
        tell("ratio", clients=clients, served_to_in_process=round(statistics.median(ratios), 2))


async def _in_process(folder: Path, clients: int, amount: int) -> dict[str, float]:
    async with Lira.local(folder) as lira:
        took: list[float] = []

        async def client(number: int) -> None:
            for i in range(amount // clients):
                began = time.perf_counter()
                await lira.chat(user_id=f"u{number}", session_id="s", text=SAID[(number + i) % len(SAID)])
                took.append(time.perf_counter() - began)

        await lira.chat(user_id="warm", session_id="s", text=SAID[0])
        began = time.perf_counter()
        await asyncio.gather(*(client(number) for number in range(clients)))
        return _figures(took, time.perf_counter() - began)


_run = itertools.count()


def _served(port: int, clients: int, amount: int) -> dict[str, float]:
    took: list[float] = []
    run = next(_run)

    def client(number: int) -> None:
        # http.client, because the client shares the two cores: httpx costs a millisecond of them per request
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for i in range(amount // clients):
            body = orjson.dumps({"user_id": f"r{run}-u{number}", "session_id": "s", "text": SAID[(number + i) % len(SAID)]})
            began = time.perf_counter()
            connection.request("POST", "/v1/chat", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            took.append(time.perf_counter() - began)
            if answer.status != 200:
                raise RuntimeError(f"the server answered {answer.status}: {text.decode()[:500]}")
        connection.close()

    client(clients)  # warm
    took.clear()
    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(client, range(clients)))
    return _figures(took, time.perf_counter() - began)


def _figures(took: list[float], seconds: float) -> dict[str, float]:
    took.sort()
    return {
        "turns_per_second": len(took) / seconds,
        "p50_ms": 1000 * took[len(took) // 2],
        "p95_ms": 1000 * took[min(int(len(took) * 0.95), len(took) - 1)],
    }


def _memory(process: psutil.Process) -> dict[str, Any]:
    """Proportional set size, which counts a shared page once, of every process of the server."""
    by_name: dict[str, float] = {}
    total = 0
    for one in (process, *process.children(recursive=True)):
        try:
            size = one.memory_full_info().pss
            name = (one.cmdline() or [one.name()])[0].rsplit("/", 1)[-1]
        except psutil.Error:
            continue
        total += size
        by_name[name] = round(by_name.get(name, 0.0) + size / 1e6, 1)
    largest = dict(sorted(by_name.items(), key=lambda item: -item[1])[:8])
    return {"total_mb": round(total / 1e6), "largest_mb": largest}


def _machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        model = next((line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")), model)
    return f"{os.cpu_count()} cores, {model}, {psutil.virtual_memory().total // 2**30} GiB, {platform.system()}, Python {platform.python_version()}"


def tell(figure: str, **values: Any) -> None:
    """One JSON line, with the machine named."""
    sys.stdout.write(orjson.dumps({"figure": figure, **values, "machine": _machine()}).decode() + "\n")
    sys.stdout.flush()
