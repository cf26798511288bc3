"""Errors as RFC 9457 `application/problem+json`: one shape for everything that can go wrong, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"

SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {"type": "array", "items": {"type": "object", "properties": {"field": {"type": "string"}, "message": {"type": "string"}}}},
    },
}

PROBLEMS: dict[int, dict[str, Any]] = {
    code: {"description": text, "content": {"application/problem+json": {"schema": SCHEMA}}}
    for code, text in {
        400: "Malformed JSON.",
        404: "There is no such thing.",
        409: "Deleted while it was on its way.",
        413: "Too large.",
        415: "The body is not called JSON.",
        422: "A field is invalid.",
        503: "Busy, or a store is away; see Retry-After.",
    }.items()
}
"""What a route may answer instead, as OpenAPI has it."""
WRITES = {code: PROBLEMS[code] for code in (409, 415)}


class Problem(Exception):
    """Raised anywhere below a route; answered as problem+json. `retry_after` is in seconds, `code` is OpenAI's word for it, if it has one."""

    def __init__(
        self, status: int, detail: str, *, retry_after: int | None = None, errors: Sequence[Mapping[str, str]] = (), code: str | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.retry_after, self.errors, self.code = status, detail, retry_after, errors, code

    def as_dict(self) -> dict[str, Any]:
        title = HTTPStatus(self.status).phrase
        problem: dict[str, Any] = {
            "type": f"urn:lira:problem:{title.lower().replace(' ', '-')}",
            "title": title,
            "status": self.status,
            "detail": self.detail,
        }
        return problem | ({"errors": list(self.errors)} if self.errors else {})

    def headers(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        return dict(more or {}) | ({"Retry-After": str(self.retry_after)} if self.retry_after is not None else {})

    def response(self, headers: Mapping[str, str] | None = None) -> Response:
        return Response(encode(self.as_dict()), self.status, self.headers(headers), MEDIA_TYPE)


def encode(value: Any) -> bytes:
    """UTF-8 JSON with Hangul as it is; what UTF-8 cannot hold (half a surrogate pair) as `?`."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        # Half a pair, an integer beyond 64 bits, a key that is no string: an error message may quote any of them.
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def too_busy(detail: str = "LIRA is busy; try again in a moment.") -> Problem:
    return Problem(503, detail, retry_after=1)


def invalid_field(field: str, message: str) -> Problem:
    return Problem(422, f"{field}: {message}", errors=[{"field": field, "message": message}])
