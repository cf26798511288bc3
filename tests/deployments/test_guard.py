"""What every request passes before a route sees it, over ASGI without a server in front."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from pydantic import BaseModel, ConfigDict

from deployments.guard import PARSED, RECEIVED, Guard, ParsedRoute
from deployments.problems import Problem
from lira_core.requests import stamp

LIMIT = 100_000
JSON = {"Content-Type": "application/json"}


class Told(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    value: Any = None


@pytest.fixture
async def asking() -> AsyncIterator[httpx.AsyncClient]:
    """A client of an app whose routes say what reached them."""
    app = FastAPI()
    app.router.route_class = ParsedRoute
    app.add_middleware(Guard, max_body_bytes=LIMIT)
    app.state.seen = []

    @app.post("/told")
    async def told(body: Told, request: Request) -> dict[str, Any]:
        app.state.seen.append(body.value)
        return {"same": request.scope[PARSED]["value"] is body.value, "received": request.scope[RECEIVED]}

    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("a secret")

    @app.get("/busy")
    async def busy() -> None:
        raise Problem(503, "Later.", retry_after=3)

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://lira") as client:
        client.seen = app.state.seen  # type: ignore[attr-defined]
        yield client


async def sent(client: httpx.AsyncClient, body: bytes | AsyncIterator[bytes], **headers: str) -> httpx.Response:
    return await client.post("/told", content=body, headers=JSON | headers)


@pytest.mark.parametrize(
    "value", ["안녕", {"a": [1, 2.5, None, True]}, 2**63, 2**70, -(2**70), 1e300, "\x00", "👨‍👩‍👧‍👦"], ids=lambda value: type(value).__name__
)
async def test_a_body_reaches_its_route_as_it_was_meant_whichever_way_it_is_written(asking: httpx.AsyncClient, value: Any) -> None:
    for escaped in (True, False):
        answer = await sent(asking, json.dumps({"value": value}, ensure_ascii=escaped).encode())
        assert answer.status_code == 200, answer.text
        (reached,) = asking.seen[-1:]  # type: ignore[attr-defined]
        assert (type(reached), reached) == (type(value), value)


async def test_the_object_that_was_checked_is_the_one_that_the_route_gets(asking: httpx.AsyncClient) -> None:
    assert (await sent(asking, b'{"value": {"a": 1}}')).json()["same"]


async def test_what_python_alone_can_read_reaches_its_route_which_can_name_the_field(asking: httpx.AsyncClient) -> None:
    assert (await sent(asking, b'{"value": "\\ud800"}')).status_code == 200
    assert asking.seen == ["\ud800"]  # type: ignore[attr-defined]


async def test_a_number_too_large_for_a_double_is_infinite_for_the_route_to_refuse(asking: httpx.AsyncClient) -> None:
    assert (await sent(asking, b'{"value": 1e999}')).status_code == 200
    assert asking.seen == [math.inf]  # type: ignore[attr-defined]


async def test_of_a_key_given_twice_the_last_counts(asking: httpx.AsyncClient) -> None:
    await sent(asking, b'{"value": 1, "value": 2}')
    assert asking.seen == [2]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"{'value': 1}", "character 1"),
        (b'{"value": 01}', "not JSON"),
        (b'{"value": "\n"}', "not JSON"),
        (b'{"value": 1} x', "character 13"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b'{"value": "\xed\xa0\x80"}', "not UTF-8"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"value": NaN}', "NaN is not JSON"),
        (b'{"value": -Infinity}', "-Infinity is not JSON"),
        (b'{"value": ' + b"9" * 5_000 + b"}", "4300"),
        (b'{"value":' * 10_000, "not JSON"),
        (b"[" * 90_000, "not JSON"),
        (b"[]", "object"),
        (b'"value"', "object"),
        (b"null", "object"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[:14].decode("latin-1"),
)
async def test_what_is_no_json_object_is_400_and_says_why(asking: httpx.AsyncClient, body: bytes, said: str) -> None:
    answer = await sent(asking, body)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in answer.json()["detail"]
    assert asking.seen == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/busy", 405)])
@pytest.mark.parametrize("body", [b"", b"no JSON", b"[]", b"{}"], ids=repr)
async def test_a_body_is_looked_at_only_where_one_is_taken(asking: httpx.AsyncClient, path: str, status: int, body: bytes) -> None:
    assert (await asking.post(path, content=body)).status_code == status


async def test_deep_nesting_that_python_can_read_is_for_the_route_to_judge(asking: httpx.AsyncClient) -> None:
    assert (await sent(asking, b'{"value":' + b'{"a":' * 500 + b"1" + b"}" * 501)).status_code == 200


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 200),
        ("application/json; charset=utf-8", 200),
        ("APPLICATION/JSON", 200),
        ("application/problem+json", 200),
        ("text/plain", 415),
        ("", 415),
        ("application/x-json", 415),
    ],
)
async def test_json_has_to_be_called_json(asking: httpx.AsyncClient, kind: str, status: int) -> None:
    assert (await sent(asking, b'{"value": 1}', **{"Content-Type": kind})).status_code == status


async def test_malformed_json_is_400_whatever_it_is_called(asking: httpx.AsyncClient) -> None:
    assert (await sent(asking, b"{", **{"Content-Type": "text/plain"})).status_code == 400


@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1, 3 * LIMIT, 20 * LIMIT])
async def test_the_bound_on_a_body_is_exact_with_and_without_a_length(asking: httpx.AsyncClient, size: int) -> None:
    body = b'{"value": "' + b"x" * (size - 13) + b'"}'

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, size, 7_777):
            yield body[start : start + 7_777]

    for content in (body, chunks()):
        answer = await sent(asking, content)
        assert answer.status_code == (200 if size <= LIMIT else 413)


async def test_a_request_knows_when_it_arrived(asking: httpx.AsyncClient) -> None:
    before = stamp()
    received = (await sent(asking, b'{"value": 1}')).json()["received"]
    assert before <= received <= stamp()


async def test_what_nobody_foresaw_is_500_without_a_word_of_it(asking: httpx.AsyncClient, caplog: pytest.LogCaptureFixture) -> None:
    answer = await asking.get("/broken")
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert "secret" not in answer.text
    assert any(record.exc_info for record in caplog.records)


async def test_a_problem_below_is_answered_as_one(asking: httpx.AsyncClient) -> None:
    answer = await asking.get("/busy")
    assert (answer.status_code, answer.headers["retry-after"], answer.json()["detail"]) == (503, "3", "Later.")


async def test_a_client_that_leaves_while_it_sends_is_not_answered() -> None:
    called, sent_back = [], []

    async def app(*_: object) -> None:
        called.append(True)

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent_back.append(message)

    await Guard(app, max_body_bytes=LIMIT)({"type": "http", "method": "POST", "headers": [], "path": "/told"}, receive, send)
    assert (called, sent_back) == ([], [])
