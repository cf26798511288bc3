"""A port that is given to a server is free, and stays so until it binds it."""

from __future__ import annotations

import socket

from lira_cli.ports import UNCLAIMED, free_port, port_problem


def test_a_port_is_none_that_an_outgoing_connection_gets_by_itself() -> None:
    port = free_port()
    assert port in UNCLAIMED
    assert port_problem("127.0.0.1", port) is None
    with socket.socket() as connecting:
        connecting.bind(("127.0.0.1", 0))
        assert connecting.getsockname()[1] not in UNCLAIMED


def test_a_port_that_somebody_listens_on_is_named_with_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert port_problem("127.0.0.1", port) == f"Port {port} on 127.0.0.1 is in use; choose another with --port N or LIRA_PORT."


def test_an_address_of_another_machine_cannot_be_bound() -> None:
    assert "cannot bind to 192.0.2.1:8000" in (port_problem("192.0.2.1", 8000) or "")
