"""The OpenAPI document, against what is known of the surface; that answers keep to it is for test_schemathesis."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import httpx
import pytest

from deployments.http import make_app
from deployments.problems import Problem
from lira_core.requests import Request, Say

KEY = "Idempotency-Key"
KEYED = {"/v1/chat", "/v1/chat/completions", "/api/lira/generate", "/v1/memories"}


class Nobody:
    """Answers nothing: the document is made without it."""

    async def ask(self, request: Request[Any]) -> bytes:
        raise Problem(503, "There is nobody.")

    async def stream(self, request: Say) -> AsyncGenerator[tuple[str, bytes], None]:
        raise Problem(503, "There is nobody.")
        yield


@pytest.fixture
def app() -> Any:
    async def metrics(everything: bool) -> str:
        return ""

    return make_app(Nobody(), metrics=metrics, max_body_bytes=10_000)


@pytest.fixture
def document(app: Any) -> dict[str, Any]:
    return json.loads(json.dumps(app.openapi()))  # type: ignore[no-any-return]


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def test_every_reference_in_the_document_leads_somewhere(document: dict[str, Any]) -> None:
    text = json.dumps(document)
    named = {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert named
    assert named <= set(document["components"]["schemas"])


def test_every_failure_in_the_document_is_a_problem_or_openais_own_where_its_clients_ask(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        assert {"400", "413", "422", "503"} <= set(operation["responses"])
        for status, response in operation["responses"].items():
            if int(status) >= 400 and operation["tags"] == ["for OpenAI's clients"]:
                error = resolved(document, response["content"]["application/json"]["schema"])["properties"]["error"]
                assert set(resolved(document, error)["required"]) == {"message", "type", "param", "code"}
                assert set(response["content"]) == {"application/json"}
            elif int(status) >= 400 and (path, status) != ("/readyz", "503"):
                assert set(response["content"]) == {"application/problem+json"}, (path, method, status)
    assert set(document["paths"]["/readyz"]["get"]["responses"]["503"]["content"]) == {"application/json"}


def test_the_document_says_that_a_memory_may_not_be_there(document: dict[str, Any]) -> None:
    responses = document["paths"]["/v1/memories/{memory_id}"]["delete"]["responses"]
    assert {"204", "404"} <= set(responses)
    assert "content" not in responses["204"]


def test_the_document_says_that_metrics_are_plain_text(document: dict[str, Any]) -> None:
    assert set(document["paths"]["/metrics"]["get"]["responses"]["200"]["content"]) == {"text/plain"}


def test_the_document_describes_each_event_of_a_stream(document: dict[str, Any]) -> None:
    content = document["paths"]["/v1/chat"]["post"]["responses"]["200"]["content"]
    assert set(content) == {"application/json", "text/event-stream"}
    stream = resolved(document, content["text/event-stream"]["itemSchema"])
    events = {kind["properties"]["event"]["const"]: kind for kind in (resolved(document, one) for one in stream["anyOf"])}
    assert set(events) == {"recall", "token", "done", "error"}
    for event in events.values():
        assert set(event["required"]) == {"event", "data"}
        assert event["properties"]["data"]["contentMediaType"] == "application/json"
    told = {name: resolved(document, event["properties"]["data"]["contentSchema"]) for name, event in events.items()}
    assert set(told["recall"]["properties"]) | {"reply", "usage"} == set(told["done"]["properties"])
    assert told["done"] == resolved(document, content["application/json"]["schema"])
    assert set(told["token"]["properties"]) == {"text"}


def test_the_document_describes_the_chunks_of_a_completion(document: dict[str, Any]) -> None:
    content = document["paths"]["/v1/chat/completions"]["post"]["responses"]["200"]["content"]
    stream = resolved(document, content["text/event-stream"]["itemSchema"])
    chunk, last = (resolved(document, one)["properties"]["data"] for one in stream["anyOf"])
    assert (chunk["contentMediaType"], last["const"]) == ("application/json", "[DONE]")
    told, broken = (resolved(document, one) for one in chunk["contentSchema"]["anyOf"])
    assert {"id", "object", "created", "model", "choices"} == set(told["required"])
    assert set(broken["required"]) == {"error"}
    whole = resolved(document, content["application/json"]["schema"])
    assert set(whole["required"]) == {"id", "object", "created", "model", "choices", "usage", "lira"}


def test_the_document_has_the_idempotency_key_where_it_counts_and_nowhere_else(document: dict[str, Any]) -> None:
    keyed = {path for path, _, operation in operations(document) for parameter in operation.get("parameters", []) if parameter["name"] == KEY}
    assert keyed == KEYED


def test_the_document_says_where_a_deletion_may_come_in_between(document: dict[str, Any]) -> None:
    assert {path for path, method, operation in operations(document) if "409" in operation["responses"]} == KEYED


def test_the_document_shows_old_talk_with_what_was_said_around_it(document: dict[str, Any]) -> None:
    operation = document["paths"]["/v1/events/search"]["post"]
    asked = resolved(document, operation["requestBody"]["content"]["application/json"]["schema"])
    assert (asked["properties"]["limit"]["minimum"], asked["properties"]["limit"]["maximum"]) == (1, 50)
    assert set(asked["required"]) == {"user_id", "query"}
    found = resolved(document, operation["responses"]["200"]["content"]["application/json"]["schema"])
    hit = resolved(document, found["properties"]["results"]["items"])
    assert set(hit["required"]) == {"id", "role", "text", "timestamp", "session_id", "around"}
    assert set(resolved(document, hit["properties"]["around"]["items"])["required"]) == {"id", "role", "text", "timestamp"}


def test_the_document_names_the_scopes_and_the_fields_of_a_summary(document: dict[str, Any]) -> None:
    operation = document["paths"]["/v1/summaries"]["get"]
    asked = {parameter["name"]: parameter for parameter in operation["parameters"]}
    assert asked["scope"]["schema"]["enum"] == ["session", "day", "week", "month"]
    assert (asked["user_id"]["required"], asked["scope"]["required"], asked["limit"]["required"]) == (True, True, False)
    found = resolved(document, operation["responses"]["200"]["content"]["application/json"]["schema"])
    summary = resolved(document, found["properties"]["results"]["items"])
    assert set(summary["required"]) == set(summary["properties"]) == {"scope", "from", "to", "text", "turns"}


def test_every_operation_is_named_once_and_explained(document: dict[str, Any]) -> None:
    named = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(named) == len(set(named)) == 17
    assert all(operation["description"] for _, _, operation in operations(document))


async def test_the_document_is_served_whole(app: Any, document: dict[str, Any]) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://lira") as client:
        assert (await client.get("/openapi.json")).json() == document
