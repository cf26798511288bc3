"""Which questions ask for all there is, and which memories are of the days asked about."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from lira_core.memory.asking import ask
from lira_core.memory.listing import days_left, lists, of_days, told_of, within
from lira_core.memory.question import Question
from lira_core.types import USER, Fact, Memory

AT = datetime.fromisoformat("2026-10-06T09:00:00+09:00")


@pytest.mark.parametrize("text", ["나에 대해 뭐 알아?", "나에 대해 뭐 알고 있어?", "what do you know about me"])
def test_all_about_the_person_is_asked(text: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert question.everything


@pytest.mark.parametrize("text", ["지난주에 뭐 했지?", "어제 뭐 했더라?", "이번 주말에 뭐 하기로 했지?"])
def test_days_are_asked_about(text: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert of_days(question)


@pytest.mark.parametrize(
    "text",
    [
        "내 이름이 뭐야?",
        "나 누구게?",
        "제가 누구랑 살고 있다고 했죠?",
        "어제 뭐 먹었지?",
        "나 언제 이사하지?",
        "내 생일 5월 20일인 거 알지?",
        "올해는 될까",
    ],
)
def test_one_thing_is_asked(text: str) -> None:
    assert not lists(ask(text, AT))


@pytest.mark.parametrize(
    ("text", "days_ago", "of_it"),
    [("영화 봤어", 4, True), ("영화 봤어", 12, False), ("지난주 금요일에 영화 봤어", 0, True), ("어제 영화 봤어", 0, False)],
)
def test_a_memory_is_of_the_day_it_names_else_of_the_one_it_was_told_on(text: str, days_ago: int, of_it: bool) -> None:
    week = (datetime.fromisoformat("2026-09-28T00:00:00+09:00"), datetime.fromisoformat("2026-10-05T00:00:00+09:00"))
    moment = told_of(Memory("m", "u", text, AT - timedelta(days=days_ago)), Question(True, when=week))
    assert (moment is not None and week[0] <= moment < week[1]) is of_it


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("내일 뭐 있어?", "내일 치과"),
        ("내일은 뭐 있죠?", "내일 치과"),
        ("12월 12일에 뭐 있어?", "12월 둘째 주 토요일에 결혼식"),
        ("what's on tomorrow?", "dentist tomorrow"),
    ],
)
def test_of_days_that_are_perhaps_not_asked_of_memory_only_what_names_them_is_told(text: str, told: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert question.when is not None
    assert not question.about_memory
    assert of_days(question)
    assert told_of(Memory("m", "u", told, AT), question) is not None
    assert told_of(Memory("m", "u", "치과가 싫어", question.when[0]), question) is None


def test_what_is_done_every_week_is_of_its_weekday() -> None:
    swims = Memory("m", "u", "매주 수요일 저녁에 수영 다녀", AT)
    wanted = {
        "내가 오늘 뭐 했지?": False,
        "다음 주 수요일에 뭐 하지?": True,
        "다음 주 목요일에 뭐 하지?": False,
        "다음 주에 뭐 하지?": True,
        "앞으로 뭐 있지?": False,
    }
    for text, of_it in wanted.items():
        question = ask(text, AT)
        assert question is not None
        assert (told_of(swims, question) is not None) is of_it


def test_what_is_done_every_month_is_of_its_day() -> None:
    pay = Memory("m", "u", "월급날은 매달 25일이야", AT)
    wanted = {"25일에 뭐 있지?": True, "26일에 뭐 있지?": False, "다음 달에 뭐 있지?": True, "이번 주에 뭐 있지?": False}
    for text, of_it in wanted.items():
        question = ask(text, AT)
        assert question is not None
        assert (told_of(pay, question) is not None) is of_it
    assert days_left(pay, AT) == 19
    assert days_left(Memory("m", "u", "매주 토요일에 스터디해", AT), AT) == 4


def test_what_is_of_a_night_is_told_of_the_day_that_it_begins_on() -> None:
    today, tomorrow = ask("오늘 일정 뭐 있어?", AT), ask("내일 일정 뭐 있어?", AT)
    assert today is not None
    assert tomorrow is not None
    at_night = Memory("m", "u", "오늘 밤 12시에 통화해", AT)
    assert (told_of(at_night, today) is not None, told_of(at_night, tomorrow)) == (True, None)


@pytest.mark.parametrize(
    "text",
    [
        "나 다음에 뭐뭐 있지? 정리 좀 해줘",
        "내 일정 뭐 있어?",
        "남은 일정 알려줘",
        "다음 일정이 뭐야?",
        "what have I got coming up?",
        "what are my plans?",
    ],
)
def test_what_is_ahead_is_asked_about_whichever_day(text: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert question.ahead
    assert of_days(question)


@pytest.mark.parametrize("text", ["내 일정 언제야?", "앞으로 김치찌개는 안 먹는다고 했던가?", "어제 일정 뭐였지?", "what's next to my house?"])
def test_one_thing_or_a_day_that_is_over_is_not_what_is_ahead(text: str) -> None:
    question = ask(text, AT)
    assert question is None or not (question.ahead and of_days(question))


@pytest.mark.parametrize(
    ("text", "days_ago", "of_it"),
    [("내일 치과", 0, True), ("모레 치과", 3, False), ("다음 달 3일에 이사해", 3, True), ("치과 갔다 왔어", 0, False), ("어제 영화 봤어", 0, False)],
)
def test_of_what_is_ahead_is_what_names_a_day_that_is_not_over(text: str, days_ago: int, of_it: bool) -> None:
    question = ask("앞으로 뭐 있지?", AT)
    assert question is not None
    assert (told_of(Memory("m", "u", text, AT - timedelta(days=days_ago)), question) is not None) is of_it


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("시험은 10월 13일이야", 7),
        ("시험은 오늘이야", 0),
        ("시험은 10월 1일이었어", None),
        ("엄마가 10월 8일부터 12일까지 와", 2),
        ("다음 달에 이사해", None),
        ("다음 달에 생일이다, 11월 15일이래", 40),
        ("나 사과 좋아해", None),
    ],
)
def test_days_are_left_until_the_first_that_is_not_over(text: str, days: int | None) -> None:
    assert days_left(Memory("m", "u", text, AT), AT) == days


def test_a_birthday_that_is_over_comes_again() -> None:
    told = Memory("m", "u", "내 생일은 10월 1일이야", AT - timedelta(days=30), facts=(Fact(USER, "birthday", "10월 1일", "profile"),))
    assert days_left(told, AT) == 360
    assert days_left(Memory("m", "u", "면접은 10월 1일이야", AT - timedelta(days=30)), AT) is None


def test_who_was_born_on_the_29th_of_february_waits_for_the_day_after_it_in_other_years() -> None:
    told = Memory("m", "u", "내 생일은 2004년 2월 29일이야", AT, facts=(Fact(USER, "birthday", "2월 29일", "profile"),))
    assert days_left(told, AT) == (date(2027, 3, 1) - AT.date()).days


@pytest.mark.parametrize(
    ("text", "inside"), [("15일에 엄마 있어?", True), ("12일에 엄마 있어?", False), ("25일에 엄마 있어?", False), ("엄마 언제 와?", False)]
)
def test_a_day_in_the_middle_of_a_stretch_is_within_it(text: str, inside: bool) -> None:
    question = ask(text, AT)
    assert question is not None
    assert within(Memory("m", "u", "엄마가 10월 12일부터 10월 19일까지 있어", AT), question) is inside
