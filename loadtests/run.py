"""`make loadtest`: serves on a free port with a memory of its own, lets locust's users talk, and ends with locust's exit code.

python -m loadtests.run --users 20 --shape ramp --duration 2m
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from lira_cli.own_server import own_server
from loadtests.shapes import SHAPES

LOCUSTFILE = Path(__file__).with_name("locustfile.py")


def main() -> int:
    """Locust's exit code: 0 passed, 1 a limit was broken, 2 an option is wrong."""
    parser = argparse.ArgumentParser(prog="make loadtest", description="Five minutes of people talking to a server of their own.")
    parser.add_argument("--users", type=int, default=20, help="At the height of the shape (20: some 6 turns a second).")
    parser.add_argument("--shape", choices=SHAPES, default="steady")
    parser.add_argument("--duration", default="5m", help="Such as 90s, 5m, 1h.")
    parser.add_argument("--report", type=Path, default=Path("loadtest.html"))
    parser.add_argument("--config", type=Path, help="A Serve config file, as of `lira serve`.")
    parser.add_argument("--host", help="A running server instead of one of its own.")
    told, more = parser.parse_known_args()
    if told.users < 1:
        parser.error("USERS is at least 1")
    if told.host:
        return _load(told, told.host, more)
    with tempfile.TemporaryDirectory(prefix="lira-loadtest-") as folder, own_server(Path(folder), told.config) as (port, _, _):
        return _load(told, f"http://127.0.0.1:{port}", more)


def _load(told: argparse.Namespace, host: str, more: list[str]) -> int:
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless", "--host", host, "--users", str(told.users)]
    options = ["--run-time", told.duration, "--shape", told.shape, "--report", str(told.report), "--only-summary", *more]
    return subprocess.run(command + options, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
