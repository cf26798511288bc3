"""A server of one's own, for whoever measures it from outside."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from lira_cli.ports import free_port

SAID = 4_000
"""So much of the end of a server's log, in characters, is told of one that could not start."""


@contextmanager
def own_server(data: Path, config: Path | None = None) -> Iterator[tuple[int, psutil.Process, float]]:
    """`lira serve` with its memory in `data`: (port, process, seconds until it was ready). It ends with the block, by its process id.

    RuntimeError, with the last of what it logged, where it ended before it was ready.
    """
    port = free_port()
    began = time.perf_counter()
    command = [sys.executable, "-c", "from lira_cli.main import main; main()", "serve", "--port", str(port), "--data", str(data)]
    if config is not None:
        command += ["--config", str(config)]
    with tempfile.TemporaryFile("w+") as logged:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=logged, text=True)
        try:
            assert process.stdout
            for line in process.stdout:
                if line.startswith("LIRA is ready"):
                    break
            else:
                code = process.wait()
                logged.seek(0)
                raise RuntimeError(f"the server ended with {code} before it was ready: {logged.read()[-SAID:].strip() or 'it said nothing'}")
            yield port, psutil.Process(process.pid), time.perf_counter() - began
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
