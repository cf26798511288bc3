"""A real server for tests: `lira serve` in a process of its own, on a free port, with a folder of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from lira_cli.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
COMMAND = """
import json, sys
from pathlib import Path
from lira_cli.serve import serve
config, port, data = json.loads(sys.argv[1])
sys.exit(serve(Path(config) if config else None, port, Path(data) if data else None))
"""


def start(
    port: int | None,
    data_dir: Path | None,
    *,
    config: Path | None = None,
    environment: Mapping[str, str] | None = None,
    command: Sequence[str] = ("-c", COMMAND),
) -> subprocess.Popen[str]:
    import json

    arguments = json.dumps([str(config) if config else None, port, str(data_dir) if data_dir else None])
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LIRA_")}
    return subprocess.Popen(
        [sys.executable, *command, arguments],
        cwd=ROOT,
        env=inherited | {"PYTHONPATH": str(ROOT)} | dict(environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def named(process: psutil.Process) -> str:
    """What a process calls itself: a replica by its deployment. Read once, since one that is ending has no name from one reading to the next."""
    return (process.cmdline() or [""])[0]


@dataclass(frozen=True)
class Server:
    """A server that answers."""

    url: str
    process: subprocess.Popen[str]
    ready_after: float

    def client(self, **options: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60, **options)

    def processes(self) -> list[psutil.Process]:
        """The server's process and every one below it."""
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    def replicas(self, deployment: str) -> list[psutil.Process]:
        found = []
        for process in self.processes():
            try:
                if named(process).startswith(f"ray::ServeReplica:lira:{deployment}"):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def replica(self, deployment: str) -> psutil.Process:
        for process in self.replicas(deployment):
            return process
        raise LookupError(f"no replica of {deployment}")

    @contextmanager
    def suspended(self, deployment: str) -> Iterator[None]:
        """Within, the replica of the deployment stands still: it is there and does not answer."""
        process = self.replica(deployment)
        process.suspend()
        try:
            yield
        finally:
            process.resume()

    def wait_until_ready(self, within: float = 60) -> None:
        ends = time.monotonic() + within
        while time.monotonic() < ends:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=20).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.2)
        raise TimeoutError(f"not ready within {within} s")


@contextmanager
def serving(
    data_dir: Path, *, config: Path | None = None, environment: Mapping[str, str] | None = None, command: Sequence[str] = ("-c", COMMAND)
) -> Iterator[Server]:
    port = free_port()
    began = time.monotonic()
    process = start(port, data_dir, config=config, environment=environment, command=command)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if line != f"LIRA is ready on http://127.0.0.1:{port}\n":
            process.send_signal(signal.SIGTERM)
            raise AssertionError(f"the server said {line!r} and: {process.communicate(timeout=60)[1]}")
        yield Server(f"http://127.0.0.1:{port}", process, time.monotonic() - began)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
