"""What an utterance leaves to those before it is put before it, and no more."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lira_core.embedding.port import Heard
from lira_core.memory.following import BACK, LONGEST, in_full, leaned_on, leant_on, up_to, whole
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


def test_up_to_a_line_nothing_is_left_of_what_was_said_after_it() -> None:
    said = Memory("3", "u1", "예물은 반지만", AT, before=(Before("1", "오빠랑 화해함"), Before("2", "붕어빵 사 왔더라")))
    told = whole(said)
    assert whole(up_to(said, told.index("화해"))) == "오빠랑 화해함"
    assert whole(up_to(said, told.index("붕어빵"))) == "오빠랑 화해함. 붕어빵 사 왔더라"
    assert up_to(said, told.index("반지")) == said


@given(st.lists(st.text(alphabet="가나.?", min_size=1), max_size=3), st.text(alphabet="다라.?", min_size=1), st.data())
def test_up_to_any_place_the_memory_still_holds_what_stands_there(before: list[str], text: str, data: st.DataObject) -> None:
    memory = Memory("m", "u1", text, AT, before=tuple(Before(str(i), one) for i, one in enumerate(before)))
    place = data.draw(st.integers(0, len(whole(memory)) - 1))
    cut = whole(up_to(memory, place))
    assert whole(memory).startswith(cut)
    assert len(cut) + 2 > place  # the stop and the space between two lines belong to the first


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


class Ears:
    """Hears that what has fewer than five characters follows."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def __call__(self, text: str) -> Heard | None:
        self.heard.append(text)
        return Heard(np.zeros(1, np.float32), None, follows=float(len(text) < 5))


async def of(*said: str) -> tuple[list[str], list[str]]:
    ears = Ears()
    before = await leant_on([Before(str(i), one) for i, one in enumerate(said)], ears)
    return [one.text for one in before], ears.heard


async def test_an_utterance_is_put_after_the_one_before_it_and_all_that_that_follows() -> None:
    assert await of("tell of 1", "tell of 2") == (["tell of 2"], ["tell of 2"])
    assert (await of("tell of 1", "so", "yes"))[0] == ["tell of 1", "so", "yes"]


async def test_no_more_is_put_before_it_than_people_lean_on() -> None:
    before, heard = await of(*["so"] * (BACK + 2))
    assert (before, heard) == (["so"] * BACK, ["so"] * (BACK - 1))


async def test_who_has_said_nothing_leans_on_nothing_and_what_cannot_be_heard_follows_nothing() -> None:
    assert await of() == ([], [])

    async def deaf(text: str) -> None:
        return None

    said = [Before("1", "tell of 1"), Before("2", "so")]
    assert await leant_on(said, deaf) == said[1:]
