"""A server of one's own, for whoever measures it from outside."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil


@contextmanager
def own_server(data: Path, config: Path | None = None) -> Iterator[tuple[int, psutil.Process, float]]:
    """`lira serve` with its memory in `data`: (port, process, seconds until it was ready). It ends with the block, by its process id.

    RuntimeError where it ended before it was ready.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.perf_counter()
    command = [sys.executable, "-c", "from lira_cli.main import main; main()", "serve", "--port", str(port), "--data", str(data)]
    if config is not None:
        command += ["--config", str(config)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout
        for line in process.stdout:
            if line.startswith("LIRA is ready"):
                break
        else:
            raise RuntimeError(f"the server ended with {process.wait()} before it was ready; try `lira serve` by hand to see why")
        yield port, psutil.Process(process.pid), time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
