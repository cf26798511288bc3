"""Everything that can be wrong with a request is answered as problem+json, over real HTTP."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

SAID = {"user_id": "u", "session_id": "s", "text": "안녕"}
JSON = {"Content-Type": "application/json"}


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The problem of an answer, after checking its form."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert {"type", "title", "status", "detail"} <= set(told)
    assert told["status"] == status
    assert told["detail"]
    assert "Traceback" not in answer.text
    assert ".py" not in answer.text
    return told  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{'a': 1}",
        b"\xff\xfe",
        b'"text"',
        b"[]",
        b"null",
        b"1",
        b'{"text": NaN}',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b'{"a": ' + b"9" * 5_000 + b"}",
    ],
    ids=["empty", "cut", "quotes", "not-utf8", "string", "list", "null", "number", "nan", "deep-list", "deep-object", "huge-number"],
)
def test_what_is_no_json_object_is_400(http: httpx.Client, body: bytes) -> None:
    problem(http.post("/v1/chat", content=body, headers=JSON), 400)


def test_malformed_json_is_400_whatever_it_is_called(http: httpx.Client) -> None:
    problem(http.post("/v1/chat", content=b"{", headers={"Content-Type": "text/plain"}), 400)


def test_json_that_is_called_something_else_is_415(http: httpx.Client) -> None:
    problem(http.post("/v1/chat", content=json.dumps(SAID), headers={"Content-Type": "text/plain"}), 415)


BAD_FIELDS: list[tuple[str, dict[str, Any], str]] = [
    *[(path, {k: v for k, v in SAID.items() if k != field}, field) for path in ("/v1/chat", "/api/lira/generate") for field in SAID],
    *[("/v1/chat", SAID | {"text": text}, "text") for text in ("", " ", "\n\t　", "\u200b", "가" * 4_001, "a\x00b", 1, None, ["안녕"], {}, True)],
    *[("/v1/chat", SAID | {"user_id": name}, "user_id") for name in ("", "a" * 129, "a b", "사용자", "a/b", "a\n", "u\x00", 1, None, [])],
    *[("/v1/chat", SAID | {"session_id": name}, "session_id") for name in ("", "a" * 129, "s#1", None)],
    *[("/v1/chat", SAID | {"stream": value}, "stream") for value in ("yes", 1, None)],
    *[
        ("/v1/chat", SAID | {"at": at}, "at")
        for at in ("yesterday", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59-09:00", 1759450320, "1759450320", "", {})
    ],
    *[
        ("/v1/chat", SAID | {"at": at}, "at")  # after a NUL Python reads no further
        for at in ("2026-10-03T09:12:00Z\x00garbage", "2026-10-03\x0009:12:00Z")
    ],
    ("/v1/chat", SAID | {"txet": "안녕"}, "txet"),
    ("/v1/chat", {}, "user_id"),
    ("/v1/memories", {"user_id": "u", "items": []}, "items"),
    ("/v1/memories", {"user_id": "u", "items": [{"text": "a"}] * 257}, "items"),
    ("/v1/memories", {"user_id": "u", "items": {"text": "a"}}, "items"),
    ("/v1/memories", {"user_id": "u", "items": [{"text": "a"}, {"text": ""}]}, "items.1.text"),
    ("/v1/memories", {"user_id": "u", "items": [{"text": "a", "timestamp": "2026-10-03T09:12:00"}]}, "items.0.timestamp"),
    ("/v1/memories", {"user_id": "u", "items": [{"text": "a", "session_id": "a b"}]}, "items.0.session_id"),
    ("/v1/memories", {"user_id": "u", "items": [{"text": "a", "metadata": [1]}]}, "items.0.metadata"),
    ("/v1/memories", {"user_id": "u", "items": [{"text": "a", "metadata": {"a": "\x00"}}]}, "items.0.metadata"),
    *[("/v1/memories", {"user_id": "u", "items": [{"text": "a", "metadata": {"a": n}}]}, "items.0.metadata") for n in (2**63, -(2**63) - 1, 2**70)],
    ("/v1/memories", {"user_id": "u", "items": [{"text": "a", "id": "mine"}]}, "items.0.id"),
    ("/v1/memories/search", {"user_id": "u"}, "query"),
    ("/v1/memories/search", {"user_id": "u", "query": " "}, "query"),
    *[("/v1/memories/search", {"user_id": "u", "query": "a", "limit": limit}, "limit") for limit in (0, 51, -1, "5", 1.5, None, True)],
    ("/v1/events/search", {"user_id": "u"}, "query"),
    ("/v1/events/search", {"user_id": "u", "query": "a", "at": "2026-10-03T09:12:00"}, "at"),
    *[("/v1/events/search", {"user_id": "u", "query": "a", "limit": limit}, "limit") for limit in (0, 51, "5")],
]


@pytest.mark.parametrize(("path", "body", "field"), BAD_FIELDS, ids=[f"{i}-{field}" for i, (_, _, field) in enumerate(BAD_FIELDS)])
def test_a_bad_field_is_422_and_named(http: httpx.Client, path: str, body: dict[str, Any], field: str) -> None:
    told = problem(http.post(path, json=body), 422)
    assert field in [error["field"] for error in told["errors"]]
    assert field in told["detail"]


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/v1/chat", SAID | {"txet": "안녕"}, "txet: is not a field of this request; did you mean text?"),
        ("/v1/chat", SAID | {"timestamp": "2026-10-03T09:12:00+09:00"}, "which takes user_id, session_id, text, stream, at"),
        ("/v1/memories", {"user_id": "u", "items": [{"text": "a", "at": "2026-10-03T09:12:00+09:00"}]}, "which takes text, timestamp, "),
    ],
)
def test_a_field_that_is_not_taken_is_told_which_are(http: httpx.Client, path: str, body: dict[str, Any], says: str) -> None:
    assert says in problem(http.post(path, json=body), 422)["detail"]


@pytest.mark.parametrize("escaped", ['"\\ud800"', '"안녕 \\udc00"'])
def test_half_a_surrogate_pair_is_422(http: httpx.Client, escaped: str) -> None:
    for body in (f'{{"user_id":"u","session_id":"s","text":{escaped}}}', f'{{"user_id":"u","session_id":"s","text":"a",{escaped}:1}}'):
        problem(http.post("/v1/chat", content=body, headers=JSON), 422)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat", '{"user_id":"u","session_id":"s","text":"a\\ud83d"}'),
        ("/v1/chat", '{"user_id":"u\\ud83d","session_id":"s","text":"a"}'),
        ("/v1/memories", '{"user_id":"u","items":[{"text":"a\\ud83d"}]}'),
        ("/v1/memories", '{"user_id":"u","items":[{"text":"a","metadata":{"a":["\\ud83d"]}}]}'),
        ("/v1/memories", '{"user_id":"u","items":[{"text":"a","metadata":{"\\ud83d":1}}]}'),
    ],
)
def test_half_a_surrogate_pair_is_told_to_be_one(http: httpx.Client, path: str, body: str) -> None:
    assert "must not contain half of a surrogate pair" in problem(http.post(path, content=body, headers=JSON), 422)["detail"]


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_metadata_may_hold_any_integer_of_64_bits(http: httpx.Client, user: str, number: int) -> None:
    added = http.post("/v1/memories", json={"user_id": user, "items": [{"text": "a", "metadata": {"a": number}}]})
    assert added.status_code == 201, added.text
    assert http.get("/v1/memories", params={"user_id": user}).json()["results"][0]["metadata"] == {"a": number}


def test_infinity_in_metadata_is_refused(http: httpx.Client) -> None:
    problem(http.post("/v1/memories", content='{"user_id":"u","items":[{"text":"a","metadata":{"a":1e999}}]}', headers=JSON), 422)


def test_metadata_that_is_nested_too_deep_is_refused(http: httpx.Client) -> None:
    problem(
        http.post("/v1/memories", content='{"user_id":"u","items":[{"text":"a","metadata":' + '{"a":' * 50 + "1" + "}" * 50 + "}]}", headers=JSON),
        422,
    )


def test_a_time_without_an_offset_is_told_to_add_one(http: httpx.Client) -> None:
    told = problem(http.post("/v1/chat", json=SAID | {"at": "2026-10-03T09:12:00"}), 422)
    assert "offset" in told["detail"]


def test_a_misspelt_field_is_told_the_right_one(http: httpx.Client) -> None:
    assert "session_id" in problem(http.post("/v1/chat", json=SAID | {"sesion_id": "s"}), 422)["detail"]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?user_id=",
        "?user_id=a%20b",
        "?user_id=u&limit=0",
        "?user_id=u&limit=201",
        "?user_id=u&limit=x",
        "?user_id=u&cursor=broken",
        "?user_id=%ff",
        "?user_id=%00",
    ],
)
def test_a_bad_query_is_422(http: httpx.Client, query: str) -> None:
    problem(http.get(f"/v1/memories{query}"), 422)


def test_sessions_check_their_ids(http: httpx.Client) -> None:
    for method in ("GET", "DELETE"):
        problem(http.request(method, "/v1/sessions/a%20b", params={"user_id": "u"}), 422)
        problem(http.request(method, "/v1/sessions/a"), 422)


def test_deleting_asks_for_the_user(http: httpx.Client) -> None:
    problem(http.delete("/v1/memories"), 422)
    problem(http.delete("/v1/memories/abc"), 422)


@pytest.mark.parametrize("memory_id", ["unknown", "%00", "a%20b", "%ED%95%9C", "x" * 300])
def test_a_memory_that_is_not_there_is_404(http: httpx.Client, memory_id: str) -> None:
    problem(http.delete(f"/v1/memories/{memory_id}", params={"user_id": "u"}), 404)


@pytest.mark.parametrize("path", ["/", "/nope", "/v1", "/v1/chat/", "/v1/memories/", "/v1/sessions/", "/%00", "/v1/../etc/passwd"])
def test_an_unknown_address_is_404(http: httpx.Client, path: str) -> None:
    problem(http.get(path), 404)


@pytest.mark.parametrize(("path", "status"), [("/nope", 404), ("/v1/chat/", 404), ("/readyz", 405), ("/v1/sessions/s", 405)])
def test_what_is_sent_where_nothing_is_taken_is_not_told_what_json_is(http: httpx.Client, path: str, status: int) -> None:
    for body in (b"", b"no JSON"):
        problem(http.post(path, content=body), status)


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/chat"), ("PUT", "/v1/chat"), ("PATCH", "/v1/memories"), ("POST", "/healthz"), ("DELETE", "/readyz")]
)
def test_a_wrong_method_is_405_and_names_the_right_one(http: httpx.Client, method: str, path: str) -> None:
    answer = http.request(method, path, json={} if method in ("PUT", "POST", "PATCH") else None)
    problem(answer, 405)
    assert answer.headers["allow"]


def test_a_body_that_is_too_large_is_413(http: httpx.Client) -> None:
    problem(http.post("/v1/chat", json=SAID | {"text": "가" * 4_000_000}), 413)


def test_a_body_without_a_length_that_is_too_large_is_413(http: httpx.Client) -> None:
    def chunks() -> Any:
        for _ in range(200):
            yield b"x" * 65_536

    problem(http.post("/v1/chat", content=chunks(), headers=JSON), 413)


def test_a_chunked_body_within_the_bound_is_read(http: httpx.Client) -> None:
    def chunks() -> Any:
        for i in range(0, len(body), 7):
            yield body[i : i + 7]

    body = json.dumps(SAID).encode()
    assert http.post("/v1/chat", content=chunks(), headers=JSON).status_code == 200


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE memories; --", "<script>alert(1)</script>", "👨‍👩‍👧‍👦", "\ud55c\u0301", "%s%n{}", "가" * 4_000, "\\u0000", "﻿안녕"]
)
def test_odd_text_is_only_text(http: httpx.Client, text: str) -> None:
    assert http.post("/v1/chat", json=SAID | {"text": text}).status_code == 200


def test_a_key_given_twice_is_no_error(http: httpx.Client) -> None:
    body = '{"user_id":"u","session_id":"s","text":"하나","text":"둘"}'
    assert http.post("/v1/chat", content=body.encode(), headers=JSON).status_code == 200
