"""The fixtures of the conformance suite's vectors, with the server at LIRA_TEST_WEAVIATE_URL as the engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lira_core.stores.weaviate.address import parse

from ..lira_core.stores.conformance.conftest import open_own_vectors, open_vectors, user, vectors, vectors_place  # noqa: F401
from ..lira_core.stores.conformance.engines import WeaviatePlace

VARIABLE = "LIRA_TEST_WEAVIATE_URL"


class RealServer:
    """The server that the variable names; all tests share it, apart by users and encoders."""

    def __init__(self, url: str) -> None:
        self.url = url

    def place(self) -> WeaviatePlace:
        return WeaviatePlace(self.url)

    def rest(self, verb: str, path: str, body: Any = None) -> Any:
        """What REST answers, past the engine; None for 404."""
        address = parse(self.url, VARIABLE)
        headers = {} if address.key is None else {"Authorization": f"Bearer {address.key}"}
        base = f"{'https' if address.secure else 'http'}://{address.host}:{address.port}/v1"
        answer = httpx.request(verb, f"{base}/{path}", json=body, headers=headers, timeout=30)
        if answer.status_code == 404:
            return None
        return answer.raise_for_status().json() if answer.content else None

    def collections(self) -> set[str]:
        return {held["class"] for held in self.rest("GET", "schema")["classes"]}


@pytest.fixture(scope="session")
def vectors_engine() -> Iterator[RealServer]:
    url = os.environ.get(VARIABLE)
    if not url:
        pytest.skip(f"{VARIABLE} is not set: there is no true Weaviate to ask")
    server = RealServer(url)
    before = server.collections()
    yield server
    for name in server.collections() - before:
        if name.startswith("Lira_"):
            server.rest("DELETE", f"schema/{name}")
