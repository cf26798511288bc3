from __future__ import annotations

import logging
import os
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from served import Server, serving

from deployments.logs import OURS

logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for each request would hide what failed


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs a server is marked, so that `-m "not served"` is the quick half."""
    for item in items:
        if {"server", "patient", "second", "broken", "told"} & set(getattr(item, "fixturenames", ())) or item.path.name == "test_serve.py":
            item.add_marker(pytest.mark.served)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's own LIRA_ variables reach a test."""
    for name in [name for name in os.environ if name.startswith("LIRA_")]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _loggers_as_they_were() -> Iterator[None]:
    """A replica's constructor hands its process's log to Serve's; this process is the tests'."""
    loggers = [logging.getLogger(name) for name in OURS]
    before = [(logger.propagate, logger.handlers[:]) for logger in loggers]
    yield
    for logger, (propagate, handlers) in zip(loggers, before, strict=True):
        logger.propagate, logger.handlers = propagate, handlers


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One real server for all tests that only talk to it."""
    with serving(tmp_path_factory.mktemp("lira")) as running:
        yield running


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


@pytest.fixture
def user() -> str:
    """A user whom nobody else uses."""
    return f"user-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def say(http: httpx.Client, user: str) -> Callable[..., dict]:
    """Says one thing and gives the reply's JSON."""

    def said(text: str, session: str = "s1", **fields: object) -> dict:
        answer = http.post("/v1/chat", json={"user_id": user, "session_id": session, "text": text, **fields})
        assert answer.status_code == 200, answer.text
        return answer.json()

    return said
