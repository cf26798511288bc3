"""Which earlier utterances an answer draws on."""

from __future__ import annotations

from lira_core.memory.quoting import quoted
from lira_core.types import Message


def said(text: str, turn_id: str | None) -> Message:
    return Message("user", text, turn_id)


HISTORY = [
    said("임시 메모: 나는 커피를 좋아한다", "t1"),
    Message("lira", "커피를 좋아하시는군요.", "t1"),
    said("오늘 비가 와", "t2"),
    Message("lira", "우산 챙기셨어요?", "t2"),
]


def test_an_answer_quotes_the_utterance_that_it_shares_a_content_word_with() -> None:
    assert quoted("커피를 좋아한다고 하셨어요.", HISTORY) == ["t1"]


def test_particles_and_endings_are_no_quotation() -> None:
    assert quoted("네, 그래요.", HISTORY) == []


def test_another_ending_of_the_same_word_is_one() -> None:
    assert quoted("비 오는 날이네요.", HISTORY) == ["t2"]


def test_only_what_the_person_said_can_be_quoted() -> None:
    assert quoted("우산을 챙기세요.", HISTORY) == []


def test_every_utterance_that_shares_a_word_is_quoted_in_order() -> None:
    assert quoted("비 오는 날에는 커피죠.", HISTORY) == ["t1", "t2"]


def test_an_utterance_without_a_turn_cannot_be_named() -> None:
    assert quoted("커피를 좋아한다고 하셨어요.", [said("나는 커피를 좋아해", None)]) == []


def test_english_words_are_compared_by_their_stem() -> None:
    assert quoted("You told me you like strawberries.", [said("I bought a strawberry cake", "t1"), said("It rains", "t2")]) == ["t1"]


def test_an_answer_without_words_or_a_session_without_history_quotes_nothing() -> None:
    assert quoted("", HISTORY) == []
    assert quoted("커피를 좋아한다고 하셨어요.", []) == []
