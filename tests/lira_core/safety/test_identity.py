"""Who asks what LIRA is, by the words alone: the plainest question and nothing near it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.safety.identity import asked_of_lira, asks_what_it_is, leans_on_it
from lira_core.types import SafetyReading


@pytest.mark.parametrize(
    "text",
    [
        "너 사람이야?",
        "AI야 사람이야?",
        "넌 로봇이니",
        "혹시 사람인가요?",
        "리라는 인공지능이에요?",
        "봇임?",
        "Are you an AI?",
        "are you a real person?",
        "r u human",
    ],
)
def test_the_plain_question_is_heard_without_a_model(text: str) -> None:
    assert asks_what_it_is(text, None)


@pytest.mark.parametrize("text", ["리라야 " * 200 + "x", "사람인가요 " * 200 + "ㄱ", "사람이야 아니면 " * 200 + "ㄱ"])
def test_a_long_line_of_the_same_words_is_looked_through_once(text: str) -> None:
    assert not asks_what_it_is(text, None)  # each word more doubled the time; this many would never end


@pytest.mark.parametrize(
    "text",
    [
        "너 사람 좋아해?",
        "그 사람 AI래",
        "너 로봇청소기 알아?",
        "내가 사람이냐 싶다",
        "걔 사람이야?",
        "사람이 많아?",
        "are you a people person",
        "is he a robot?",
        "are you free on monday?",
    ],
)
def test_its_neighbours_are_left_to_the_head(text: str) -> None:
    assert not asks_what_it_is(text, None)


def test_the_head_speaks_from_a_half_on() -> None:
    assert asks_what_it_is("숨은 쉬어?", SafetyReading(0.5, 0.0, 0.0))
    assert not asks_what_it_is("숨은 쉬어?", SafetyReading(0.49, 1.0, 1.0))
    assert leans_on_it(SafetyReading(0.0, 0.5, 0.0))
    assert not leans_on_it(SafetyReading(1.0, 0.49, 1.0))
    assert not leans_on_it(None)


@given(st.text(max_size=200))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert asks_what_it_is(text, None) in {True, False}


def test_who_asks_plainly_what_lira_is_asks_it_whatever_was_said_before() -> None:
    whole = SafetyReading(0.1, 0.0, 0.0)
    assert asked_of_lira(SafetyReading(0.95, 0.0, 0.0), whole) == SafetyReading(0.95, 0.0, 0.0)
    assert asked_of_lira(SafetyReading(0.6, 0.0, 0.0), whole) == whole
    assert asked_of_lira(None, whole) == whole
