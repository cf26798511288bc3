"""What an utterance leaves to those before it is put before it, and no more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lira_core.memory.following import LONGEST, in_full

TEXTS = st.lists(st.tuples(st.text(min_size=1), st.booleans()), max_size=5)


def test_a_question_is_asked_with_the_one_it_follows() -> None:
    assert in_full(["토요일에 뭐 하기로 했지?"], [False], "누구랑?") == "토요일에 뭐 하기로 했지? 누구랑?"


def test_a_chain_goes_back_to_what_stands_alone() -> None:
    before = ["나 차 있어?", "토요일에 뭐 하지", "누구랑?"]
    assert in_full(before, [False, False, True], "몇 시에?") == "토요일에 뭐 하지. 누구랑? 몇 시에?"


def test_where_all_follow_all_are_taken() -> None:
    assert in_full(["where?", "who with?"], [True, True], "when?") == "where? who with? when?"


def test_of_a_long_story_only_the_end_is_put_before_so_that_what_is_asked_is_read() -> None:
    whole = in_full(["오늘 있었던 일을 다 이야기하자면 " * 50 + "결국 지은이를 만났어"], [False], "어디서?")
    assert whole is not None
    assert whole.endswith("결국 지은이를 만났어. 어디서?")
    assert len(whole) <= LONGEST + len(". 어디서?")
    assert in_full(["가" * 1000], [False], "왜?") == "가" * LONGEST + ". 왜?"


@given(TEXTS, st.text())
def test_nothing_is_lost_or_made_up(before: list[tuple[str, bool]], text: str) -> None:
    whole = in_full([said for said, _ in before], [follows for _, follows in before], text)
    assert (whole is None) == (not before)
    if whole is not None:
        start = next((i for i in reversed(range(len(before))) if not before[i][1]), 0)
        assert whole.endswith(text)
        assert len(whole) <= sum(min(len(said), LONGEST) + 2 for said, _ in before[start:]) + len(text)
        assert all(said.strip() in whole for said, _ in before[start:] if len(said) <= LONGEST)
