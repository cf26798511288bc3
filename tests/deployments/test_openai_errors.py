"""Which form an error has where."""

from __future__ import annotations

import json

import pytest

from deployments.openai_errors import answered
from deployments.problems import Problem


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/models", "/v1/models/gpt-5.6"])
def test_where_openais_clients_ask_an_error_is_theirs(path: str) -> None:
    answer = answered(Problem(503, "Later.", retry_after=2), path)
    assert (answer.status_code, answer.media_type, answer.headers["retry-after"]) == (503, "application/json", "2")
    assert json.loads(answer.body) == {"error": {"message": "Later.", "type": "server_error", "param": None, "code": None}}


@pytest.mark.parametrize("path", ["/v1/chat", "/v1/chat/completion", "/v1/modelsx", "/v1/memories", "/"])
def test_anywhere_else_it_is_a_problem(path: str) -> None:
    problem = Problem(422, "text: is required", errors=[{"field": "text", "message": "is required"}])
    answer = answered(problem, path, {"Allow": "GET"})
    assert (answer.media_type, answer.headers["allow"]) == ("application/problem+json", "GET")
    assert answer.body == problem.response().body


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "invalid_request_error"),
        (429, "rate_limit_error"),
        (500, "server_error"),
        (503, "server_error"),
    ],
)
def test_a_status_has_its_type(status: int, kind: str) -> None:
    assert json.loads(answered(Problem(status, "No."), "/v1/models").body)["error"]["type"] == kind


def test_the_first_wrong_field_is_the_param_in_openais_spelling_and_all_are_told() -> None:
    errors = [{"field": "messages.0.content.12.type", "message": "must be text"}, {"field": "n", "message": "must be 1"}]
    told = json.loads(answered(Problem(400, "?", errors=errors, code="invalid_value"), "/v1/chat/completions").body)["error"]
    assert told == {
        "message": "messages[0].content[12].type: must be text; n: must be 1",
        "type": "invalid_request_error",
        "param": "messages[0].content[12].type",
        "code": "invalid_value",
    }


@pytest.mark.parametrize(("status", "retried"), [(409, "false"), (503, None), (429, None)])
def test_only_what_was_deleted_on_its_way_must_not_be_retried(status: int, retried: str | None) -> None:
    assert answered(Problem(status, "No."), "/v1/chat/completions").headers.get("x-should-retry") == retried
