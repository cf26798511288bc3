"""What an utterance leaves to those before it is put before it, and no more."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from lira_core.memory.following import LONGEST, in_full, leaned_on, whole
from lira_core.types import Before, Memory

AT = datetime(2026, 10, 3, tzinfo=UTC)


def test_a_question_is_asked_with_the_one_it_follows() -> None:
    assert in_full(["토요일에 뭐 하기로 했지?"], "누구랑?") == "토요일에 뭐 하기로 했지? 누구랑?"


def test_what_was_said_ends_as_a_sentence_before_the_next_begins() -> None:
    assert in_full(["토요일에 뭐 하지", "누구랑?"], "몇 시에?") == "토요일에 뭐 하지. 누구랑? 몇 시에?"


def test_a_memory_is_told_with_what_it_leans_on() -> None:
    moved = Memory("2", "u1", "그거 취소됐어", AT, before=(Before("1", "내일 치과 가기로 했어"),))
    assert whole(moved) == "내일 치과 가기로 했어. 그거 취소됐어"
    assert leaned_on([moved, Memory("3", "u1", "오늘은 비가 와", AT)]) == {"1"}


def test_of_a_long_story_only_the_end_is_put_before_so_that_what_is_asked_is_read() -> None:
    asked = in_full(["오늘 있었던 일을 다 이야기하자면 " * 50 + "결국 지은이를 만났어"], "어디서?")
    assert asked.endswith("결국 지은이를 만났어. 어디서?")
    assert len(asked) <= LONGEST + len(". 어디서?")
    assert in_full(["가" * 1000], "왜?") == "가" * LONGEST + ". 왜?"


@given(st.lists(st.text(min_size=1), max_size=5), st.text())
def test_nothing_is_lost_or_made_up(before: list[str], text: str) -> None:
    asked = in_full(before, text)
    assert asked.endswith(text)
    assert len(asked) <= sum(min(len(said), LONGEST) + 2 for said in before) + len(text)
    assert all(said.strip() in asked for said in before if len(said) <= LONGEST)
