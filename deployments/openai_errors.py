"""OpenAI's form of an error, at the addresses that OpenAI's clients ask: they make their exceptions of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from deployments.problems import Problem, encode

TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
"""OpenAI's `type` by status; any other status below 500 is an `invalid_request_error`, from 500 on it is a `server_error`."""


def spoken_at(path: str) -> bool:
    """Whether who asks there reads OpenAI's form."""
    return path == "/v1/chat/completions" or path == "/v1/models" or path.startswith("/v1/models/")


def answered(problem: Problem, path: str, headers: Mapping[str, str] | None = None) -> Response:
    """The problem in the form that is read at the path."""
    if not spoken_at(path):
        return problem.response(headers)
    # A turn that was deleted on its way would be said again by the official clients, which retry a 409, and outlive its deletion.
    retry = {"x-should-retry": "false"} if problem.status == 409 else {}
    return Response(encode(as_openai(problem)), problem.status, problem.headers(headers) | retry, "application/json")


def as_openai(problem: Problem) -> dict[str, Any]:
    """`param` is the first field that is wrong, in OpenAI's spelling (`messages[0].content`)."""
    wrong = [(_param(error["field"]), error["message"]) for error in problem.errors]
    told = "; ".join(f"{param}: {message}" for param, message in wrong[:5]) or problem.detail
    kind = TYPES.get(problem.status, "invalid_request_error" if problem.status < 500 else "server_error")
    return {"error": {"message": told, "type": kind, "param": wrong[0][0] if wrong else None, "code": problem.code}}


def _param(field: str) -> str:
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", field)
