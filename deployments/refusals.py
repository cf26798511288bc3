"""What FastAPI refuses, told as LIRA tells it: a wrong address, a wrong method, a field that cannot be."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from deployments import openai_errors, schemas
from deployments.openai_errors import answered
from deployments.problems import Problem
from deployments.schemas import HALF_PAIR, KEY_PATTERN


def http_problem(request: Request, error: HTTPException) -> Response:
    details = {404: "There is nothing at this address; /docs lists what there is.", 405: "This address does not take this method; see Allow."}
    headers = {"Allow": _allowed(request)} if error.status_code == 405 else error.headers
    problem = Problem(error.status_code, details.get(error.status_code, str(error.detail)))
    return answered(problem, request.scope["path"], headers)


def _allowed(request: Request) -> str:
    """Every method of the address, where Starlette names those of its first route alone. A path in full goes before one with a parameter."""
    path = request.scope["path"]
    there = [route for route in request.app.routes if isinstance(route, Route) and route.path_regex.match(path)]
    there = [route for route in there if route.path == path] or there
    return ", ".join(sorted({method for route in there for method in route.methods or ()}))


def invalid(request: Request, error: RequestValidationError) -> Response:
    path = request.scope["path"]
    errors = [_field_error(e, request) for e in error.errors()[:20]]
    detail = "; ".join(f"{e['field']}: {e['message']}" for e in errors[:5])
    if not openai_errors.spoken_at(path):
        return answered(Problem(422, detail, errors=errors), path)
    code = "missing_required_parameter" if error.errors()[0]["type"] == "missing" else "invalid_value"
    return answered(Problem(400, detail, errors=errors, code=code), path)  # OpenAI's own status for it


def _field_error(error: Any, request: Request) -> dict[str, str]:
    field = ".".join(str(part) for part in error["loc"][1:]) or str(error["loc"][0])
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        message = "is not a field of this request" + _meant(error["loc"], request)
    elif error["type"] == "string_pattern_mismatch":
        key = error["ctx"]["pattern"] == KEY_PATTERN
        message = "must be 1 to 255 printable ASCII characters without a space" if key else "must be 1 to 128 of letters, digits, '.', '_', '-', ':'"
    elif error["type"] == "string_unicode":
        message = HALF_PAIR
    elif error["type"] == "missing":
        message = "is required"
    return {"field": field[:200], "message": message}


def _meant(loc: Sequence[str | int], request: Request) -> str:
    """What may have been meant by a field that is not taken, else what is."""
    body = getattr(request.scope.get("route"), "body_field", None)
    model = schemas.Item if "items" in loc[:-1] else body.field_info.annotation if body else None
    fields = list(getattr(model, "model_fields", ()))
    near = difflib.get_close_matches(str(loc[-1]), fields, 1)
    return f"; did you mean {near[0]}?" if near else f", which takes {', '.join(fields)}" if fields else ""
