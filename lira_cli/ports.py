"""Ports of this machine: whether one can be had, and one that stays free until the server that is given it binds it."""

from __future__ import annotations

import errno
import random
import socket

UNCLAIMED = range(20_000, 32_000)
"""Above the ports of Ray's workers (to 19,999), below those that Linux gives to outgoing connections (from 32,768): a port that the kernel picks
itself may be taken again by a connection of Ray's before the server binds it some seconds later."""


def port_problem(host: str, port: int) -> str | None:
    """A sentence where the address cannot be bound."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return f"Port {port} on {host} is in use; choose another with --port N or LIRA_PORT."
            return f"LIRA cannot bind to {host}:{port}: {error.strerror}."
    return None


def free_port() -> int:
    """One of UNCLAIMED that nobody listens on, on 127.0.0.1. OSError when a hundred of them are taken."""
    for port in random.sample(UNCLAIMED, 100):
        if port_problem("127.0.0.1", port) is None:
            return port
    raise OSError(errno.EADDRINUSE, f"of the ports {UNCLAIMED.start} to {UNCLAIMED.stop - 1} a hundred are in use")
