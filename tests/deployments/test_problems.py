"""Errors as problem+json, and the JSON of every answer."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from deployments.problems import Problem, encode


@pytest.mark.parametrize("value", [{"답": ["안녕", 1, 2.5, None, True]}, {"number": 2**70}, {1: "a key that is no string"}, "\x00\u2028", {}, []])
def test_what_is_encoded_is_json_of_the_same(value: Any) -> None:
    assert json.loads(encode(value)) == json.loads(json.dumps(value))


def test_hangul_stays_as_it_is_and_nothing_is_spaced() -> None:
    assert encode({"text": "안녕", "n": [1, 2]}) == '{"text":"안녕","n":[1,2]}'.encode()


def test_half_of_a_surrogate_pair_becomes_a_question_mark_and_spoils_nothing() -> None:
    assert json.loads(encode({"text": "안녕 \ud800!", "\udc00": 1})) == {"text": "안녕 ?!", "?": 1}


def test_what_is_no_number_in_json_is_null() -> None:
    assert encode([float("nan"), float("inf")]) == b"[null,null]"


def test_a_problem_that_quotes_half_a_pair_can_be_sent() -> None:
    sent = Problem(422, "text: \ud800 is no text", errors=[{"field": "\udfff", "message": "no"}]).response()
    assert json.loads(sent.body)["detail"] == "text: ? is no text"


def test_a_type_that_json_has_not_is_an_error() -> None:
    with pytest.raises(TypeError):
        encode({"at": object(), "when": datetime.now(UTC)})
