"""Stands in for the `haproxy` binary that Ray Serve starts: corrects the configuration, then becomes HAProxy.

Ray Serve 2.60 (`ray/serve/_private/haproxy_templates.py`) binds HAProxy's metrics and statistics pages to every interface, and
answers 500 in plain text while no replica is up; and it splices requests, under which HAProxy 2.8 does not notice a client that leaves.
Here they listen on loopback, what HAProxy itself answers is problem+json, and requests are not spliced: the turn of a client that left ends.
Set by `lira serve` as `RAY_SERVE_HAPROXY_BINARY_PATH`; runs with the standard library alone.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import sys
from pathlib import Path

HOST, BINARY = "HAPROXY_FRONT_HOST", "HAPROXY_REAL_BINARY"
"""Names of the environment variables that say where the front door is, and which HAProxy to become."""

PROBLEMS = {
    400: ("Bad Request", "This is not an HTTP request that can be read.", ""),
    408: ("Request Timeout", "The request did not come in time.", ""),
    500: ("Internal Server Error", "Something went wrong on our side.", ""),
    502: ("Service Unavailable", "LIRA is restarting; try again in a moment.", "Retry-After: 2\r\n"),
    503: ("Service Unavailable", "LIRA is restarting; try again in a moment.", "Retry-After: 2\r\n"),
    504: ("Service Unavailable", "LIRA did not answer in time; try again in a moment.", "Retry-After: 2\r\n"),
}
"""By HAProxy's own status: title, detail, headers. 502 and 504 are told as 503, which the surface promises."""


def corrected(config: str, folder: Path, host: str) -> str:
    """The configuration with the front door at `host`, every other listener on loopback, error pages from `folder`, and unspliced requests."""
    config = re.sub(r"^(\s*bind )127\.0\.0\.1:(\d+)$", rf"\g<1>{host}:\2", config, flags=re.MULTILINE)
    config = re.sub(r"^(\s*bind )(?:\*|):(\d+)$", r"\g<1>127.0.0.1:\2", config, flags=re.MULTILINE)
    config = re.sub(r"^\s*(?:errorfile \d+ .*|option splice-request)\n", "", config, flags=re.MULTILINE)
    pages = "".join(f"    errorfile {status} {folder}/{status}.problem\n" for status in PROBLEMS)
    return config.replace("defaults\n", f"defaults\n{pages}", 1)


def write_pages(folder: Path) -> None:
    for status, (title, detail, headers) in PROBLEMS.items():
        told = 503 if status in (502, 504) else status
        problem = {"type": f"urn:lira:problem:{title.lower().replace(' ', '-')}", "title": title, "status": told, "detail": detail}
        body = json.dumps(problem, separators=(",", ":"))
        head = f"HTTP/1.1 {told} {title}\r\nContent-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
        (folder / f"{status}.problem").write_bytes((head + body).encode())


def end_with_parent() -> None:
    """Linux: HAProxy goes when the actor that started it is killed, rather than keep the port."""
    if sys.platform == "linux":
        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def main(arguments: list[str]) -> None:
    path = Path(arguments[arguments.index("-f") + 1])
    write_pages(path.parent)
    path.write_text(corrected(path.read_text(), path.parent, os.environ[HOST]))
    end_with_parent()
    binary = os.environ[BINARY]
    os.execv(binary, [binary, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
