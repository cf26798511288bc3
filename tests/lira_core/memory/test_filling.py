"""Which memory holds the very slot asked for."""

from __future__ import annotations

from datetime import datetime, timedelta

from lira_core.memory.filling import filling
from lira_core.memory.question import Question, from_now_on
from lira_core.types import USER, Fact, Memory

NOW = datetime.fromisoformat("2026-10-06T09:00:00+09:00")
NAME = Fact(USER, "name", "민수", "name", key="name:user")
NEW_NAME = Fact(USER, "name", "서윤", "name", key="name:user")
SISTERS = Fact("여동생", "name", "지은", "name", key="name:여동생")
STRAWBERRY = Fact(USER, "favorite", "딸기", "taste", key="favorite:과일")
NO_COFFEE = Fact(USER, "like", "커피", "taste", polarity=False, key="taste:커피")


def memory(name: str, *facts: Fact, days_ago: float = 1) -> Memory:
    return Memory(name, "u", name, NOW - timedelta(days=days_ago), facts=facts)


def asks(subject: str | None, predicate: str) -> Question:
    return Question(True, ((subject, predicate),))


def test_one_s_own_name_is_not_somebody_else_s() -> None:
    said = [memory("mine", NAME), memory("hers", SISTERS)]
    assert filling(asks(USER, "name"), said) == {"mine"}
    assert filling(asks("여동생", "name"), said) == {"hers"}


def test_of_two_with_one_key_the_newer_fills() -> None:
    assert filling(asks(USER, "name"), [memory("new", NEW_NAME), memory("old", NAME, days_ago=9)]) == {"new"}


def test_a_taste_fills_where_nothing_narrower_is_named() -> None:
    assert filling(asks(USER, "favorite"), [memory("liked", STRAWBERRY)]) == {"liked"}


def test_a_taste_does_not_fill_where_something_narrower_is_named() -> None:
    assert filling(Question(True, ((USER, "favorite"),), ("선물",)), [memory("liked", STRAWBERRY)]) == frozenset()
    assert filling(Question(True, ((USER, "favorite"),), ("과일",)), [memory("liked", STRAWBERRY)]) == {"liked"}


def test_what_was_given_up_does_not_say_what_is_liked() -> None:
    assert filling(asks(USER, "like"), [memory("ended", NO_COFFEE)]) == frozenset()


def test_where_nothing_is_asked_nothing_fills() -> None:
    assert filling(None, [memory("mine", NAME)]) == frozenset()


def test_a_question_that_names_no_plan_is_filled_by_each_and_one_that_names_a_day_by_those_of_that_day() -> None:
    tomorrow = NOW + timedelta(days=1)
    said = [
        memory("meeting", Fact(USER, "plan", "미팅", "plan", key="plan:미팅", when=tomorrow)),
        memory("trip", Fact(USER, "plan", "오사카 여행", "plan", key="plan:오사카", when=NOW + timedelta(days=30))),
    ]
    slots: tuple[tuple[str | None, str], ...] = ((USER, "plan"),)
    assert filling(Question(True, slots), said) == {"meeting", "trip"}
    assert filling(Question(True, slots, when=(tomorrow - timedelta(hours=9), tomorrow + timedelta(hours=15))), said) == {"meeting"}
    assert filling(Question(True, slots, ("치과",)), said) == frozenset()


def test_who_asks_for_what_is_ahead_and_has_nothing_ahead_gets_what_was() -> None:
    over = memory("meeting", Fact(USER, "plan", "미팅", "plan", key="plan:미팅", when=NOW - timedelta(days=3)), days_ago=4)
    trip = memory("trip", Fact(USER, "plan", "오사카 여행", "plan", key="plan:오사카", when=NOW + timedelta(days=30)))
    ahead = Question(True, ((USER, "plan"),), when=from_now_on(NOW), ahead=True)
    assert filling(ahead, [over]) == {"meeting"}
    assert filling(ahead, [over, trip]) == {"trip"}
