# ruff: noqa: E501, SIM905 (examples read better in wide rows)
"""Dates and times in text, resolved against Saturday 2026-10-03 09:12 in Seoul."""

from __future__ import annotations

import itertools
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.dates.finding import find, find_asked, in_words, last_day, moments, recurrences, say
from lira_core.language import language_of

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")


@pytest.mark.parametrize(
    ("text", "when", "granularity"),
    [
        ("오늘", "2026-10-03T00:00", "day"),
        ("내일 오후 3시", "2026-10-04T15:00", "minute"),
        ("모레 아침 9시", "2026-10-05T09:00", "minute"),
        ("글피", "2026-10-06T00:00", "day"),
        ("어제", "2026-10-02T00:00", "day"),
        ("그제", "2026-10-01T00:00", "day"),
        ("내일모레", "2026-10-05T00:00", "day"),
        ("다음 주 금요일", "2026-10-09T00:00", "day"),
        ("다음주 금요일 저녁 7시 반", "2026-10-09T19:30", "minute"),
        ("지난주 수요일", "2026-09-23T00:00", "day"),
        ("이번 주말", "2026-10-03T00:00", "weekend"),
        ("다음 달 3일", "2026-11-03T00:00", "day"),
        ("10월 4일", "2026-10-04T00:00", "day"),
        ("3일 뒤", "2026-10-06T00:00", "day"),
        ("사흘 전", "2026-09-30T00:00", "day"),
        ("일주일 뒤", "2026-10-10T00:00", "day"),
        ("작년", "2025-01-01T00:00", "year"),
        ("내년 3월", "2027-03-01T00:00", "month"),
        ("새벽 2시", "2026-10-04T02:00", "minute"),
        ("15:30", "2026-10-03T15:30", "minute"),
        ("두 시간 뒤", "2026-10-03T11:12", "minute"),
        ("오늘 저녁", "2026-10-03T19:00", "part"),
        ("2026-12-01", "2026-12-01T00:00", "day"),
        ("tomorrow at 3pm", "2026-10-04T15:00", "minute"),
        ("next Friday at 7:30 pm", "2026-10-09T19:30", "minute"),
        ("in two weeks", "2026-10-17T00:00", "day"),
        ("three days ago", "2026-09-30T00:00", "day"),
        ("on May 3", "2027-05-03T00:00", "day"),
        ("last night", "2026-10-02T21:00", "part"),
        ("at noon yesterday", "2026-10-02T12:00", "minute"),
        ("17일 토욜", "2026-10-17T00:00", "day"),
        ("토요일 17일", "2026-10-17T00:00", "day"),
        ("17일(토)", "2026-10-17T00:00", "day"),
        ("토욜(17일)", "2026-10-17T00:00", "day"),
        ("다음 주 화요일 6일 오후 3시", "2026-10-06T15:00", "minute"),
        ("Friday the 16th", "2026-10-16T00:00", "day"),
        ("Wednesday 14th", "2026-10-14T00:00", "day"),
        ("next Tuesday, the 6th, at 3 pm", "2026-10-06T15:00", "minute"),
        ("on the 19th", "2026-10-19T00:00", "day"),
    ],
)
def test_a_date_is_found_whole_and_resolved_against_when_it_was_said(text: str, when: str, granularity: str) -> None:
    (span,) = find(text, AT)
    assert (span.text, span.when.isoformat()[:16], span.granularity) == (text, when, granularity)
    assert span.when.tzinfo is not None


@pytest.mark.parametrize(
    "text",
    [
        "저녁 먹었어",
        "매주 토요일마다 테니스 쳐",
        "매일 아침 6시에 일어나",
        "13월 40일",
        "아침에 사과 먹어",
        "3시간 동안 잤어",
        "every Monday",
        "on the 5th floor",
        "for the 2nd time",
        "after the 3rd try",
        "금주 중이야",
        "내주세요",
    ],
)
def test_what_is_no_date_is_left_alone(text: str) -> None:
    assert find(text, AT) == ()


def test_a_bare_weekday_is_the_coming_one_unless_the_sentence_is_past() -> None:
    assert find("수요일에 영화 봐", AT)[0].when.day == 7
    assert find("수요일에 영화 봤어", AT)[0].when.isoformat().startswith("2026-09-30")
    assert find("약속 일요일로 미뤄졌어", AT)[0].when.day == 4


@pytest.mark.parametrize("text", ["토요일에 싸웠어", "토요일에 잤어", "토요일에 오셨어", "토요일에 다쳤어요"])
def test_every_korean_past_is_one(text: str) -> None:
    assert find(text, datetime.fromisoformat("2026-10-05T10:00:00+09:00"))[0].when.day == 3


@pytest.mark.parametrize(
    ("text", "at", "day"),
    [
        ("20일에 제주도 다녀왔어", "2026-10-05", "2026-09-20"),
        ("20일에 제주도 가", "2026-10-05", "2026-10-20"),
        ("2일에 제주도 가", "2026-10-05", "2026-11-02"),
        ("31일에 다녀왔어", "2026-09-03", "2026-08-31"),
        ("30일에 만나자", "2026-02-10", "2026-03-30"),
    ],
)
def test_a_day_of_the_month_is_the_nearest_that_there_is_on_that_side(text: str, at: str, day: str) -> None:
    assert find(text, datetime.fromisoformat(f"{at}T10:00:00+09:00"))[0].when.date().isoformat() == day


def test_zero_o_clock_is_midnight() -> None:
    assert find("내일 0시에 출발해", AT)[0].when.hour == 0


@pytest.mark.parametrize(("text", "days"), [("in a couple of weeks", 14), ("a couple of days ago", -2)])
def test_a_couple_is_two(text: str, days: int) -> None:
    assert (find(text, AT)[0].when.date() - AT.date()).days == days


@given(st.integers(1, 12), st.integers(1, 28))
def test_a_date_is_the_same_as_it_is_said_and_in_digits(month: int, day: int) -> None:
    said = f"{ {6: '유', 10: '시'}.get(month, spoken(month)) }월 {spoken(day)}일"
    assert [s.when for s in find(f"발표회가 {said}이여", AT)] == [s.when for s in find(f"발표회가 {month}월 {day}일이여", AT)]


def spoken(number: int) -> str:
    tens, ones = divmod(number, 10)
    return ("", "십", "이십", "삼십")[tens] + (" 일이삼사오육칠팔구"[ones] if ones else "")


@pytest.mark.parametrize(
    ("text", "day"), [("이십팔일 토요일날 김장해", "2026-11-28"), ("십육일 월요일이여", "2026-11-16"), ("이십일에 만나", "2026-11-20")]
)
def test_a_day_of_the_month_is_heard_as_it_is_said(text: str, day: str) -> None:
    assert [s.when.date().isoformat() for s in find(text, datetime.fromisoformat("2026-11-05T10:00:00+09:00"))] == [day]


@pytest.mark.parametrize(
    ("text", "when"), [("25일 새벽 5시 비행기", "25T05"), ("25일 밤 9시에 출발", "25T21"), ("25일 5시에 만나", "25T17"), ("일욜날 등산 가", "04T00")]
)
def test_a_day_with_whatever_hour_beside_it_is_that_day(text: str, when: str) -> None:
    (span,) = find(text, AT)
    assert span.when.isoformat()[8:13] == when


def test_a_number_of_days_or_the_weather_of_a_day_is_no_longer_date() -> None:
    assert find("30일 3시간 걸렸어", AT) == ()
    assert [span.text for span in find("금요일날씨 좋대", AT)] == ["금요일"]


@pytest.mark.parametrize(
    "text", ["이월 상품 세일이래", "오월 십일조 냈어", "일이 십일월처럼 춥다", "이십일 동안 쉬었어", "십이월엔 바빠", "사십일일 남았어"]
)
def test_what_only_sounds_like_a_date_is_none(text: str) -> None:
    assert find(text, AT) == ()


@pytest.mark.parametrize("text", ["금요일 회식은 취소됐어", "금요일 건 없던 일로 했어", "금요일 약속이 밀렸어"])
def test_what_is_called_off_was_yet_to_come(text: str) -> None:
    assert find(text, AT)[0].when.date().isoformat() == "2026-10-09"


def test_what_it_was_put_off_from_may_be_past() -> None:
    assert [span.when.month for span in find("발표가 10월 1일이었는데 11월 7일로 미뤄졌어", AT)] == [10, 11]
    assert find("발표가 10월 1일이었는데 11월 7일로 미뤄졌어", AT)[0].when.year == AT.year


def test_the_year_is_said_only_when_it_is_another() -> None:
    assert say(AT.replace(hour=15, minute=0), "minute", "ko", AT) == "10월 3일 토요일 오후 3시"
    assert say(AT.replace(year=2027), "day", "ko", AT) == "2027년 10월 3일 일요일"
    assert say(AT.replace(year=2027), "day", "en", AT) == "on Sunday, October 3, 2027"


def test_an_hour_without_am_or_pm_is_said_as_it_was() -> None:
    (span,) = find("내일 3시에 봐", AT)
    assert (span.when.hour, in_words(span, "ko", AT)) == (15, "10월 4일 일요일 3시")


_PIECES = st.lists(
    st.sampled_from(
        "오늘 내일 모레 어제 다음 주 지난주 이번 주말 금요일 월요일 10월 4일 20일에 오후 저녁 밤 아침 3시 12시 7시 30분 반 작년 내년 3일 뒤 두 시간 전 에 미팅 있어 갔어 tomorrow next Friday at 3pm in two weeks ago on May 3 last night".split(
            " "
        )
    ),
    max_size=8,
).map(" ".join)


@given(st.one_of(_PIECES, st.text(max_size=60)))
def test_what_is_said_of_a_day_is_found_again_as_that_day(text: str) -> None:
    for span in find(text, AT):
        if span.granularity in {"day", "minute"} and span.day_said:
            (again,) = find(in_words(span, language_of(text), AT), AT)
            assert (again.when, again.relative) == (span.when, False)


@given(_PIECES)
def test_spans_are_in_order_and_do_not_overlap(text: str) -> None:
    spans = find(text, AT)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    assert all(text[s.start : s.end] == s.text for s in spans)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("12월 20일부터 24일까지 여행 가", ["2026-12-20", "2026-12-24"]),
        ("12월 30일부터 2일까지 쉬어", ["2026-12-30", "2027-01-02"]),
        ("다음 달 3일부터 5일까지 출장", ["2026-11-03", "2026-11-05"]),
        ("내일 말고 20일에 봐", ["2026-10-04", "2026-10-20"]),
    ],
)
def test_a_day_without_a_month_is_of_the_month_named_before_it(text: str, days: list[str]) -> None:
    at = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
    assert [span.when.date().isoformat() for span in find(text, at)] == days
    since = last_day(find("12월 20일부터래요", at))
    assert [span.when.date().isoformat() for span in find("하루 당겨졌대요 19일부터", at, since)] == ["2026-12-19"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("셋째 토요일에 해", []),
        ("매달 둘째 주 토요일에 가", []),
        ("마지막 토요일에 만나", []),
        ("이번 토요일에 만나", ["이번 토요일"]),
        ("it is on the third Saturday", []),
        ("the first Monday of the month", []),
        ("I'm free on Saturday", ["on Saturday"]),
    ],
)
def test_the_nth_weekday_of_whichever_month_is_not_the_one_to_come(text: str, found: list[str]) -> None:
    assert [span.text for span in find(text, AT)] == found


@pytest.mark.parametrize(
    ("text", "day", "relative"),
    [
        ("결혼식은 5월 셋째 토요일에 해", "2027-05-15", False),
        ("12월 첫째 주 월요일 면접", "2026-12-07", False),
        ("내년 3월 2주차 금요일", "2027-03-12", True),
        ("다음 달 둘째 주 토요일에 가", "2026-11-14", True),
        ("이번 달 마지막 주 일요일", "2026-10-25", True),
        ("이달 마지막 날", "2026-10-31", True),
        ("12월 첫날", "2026-12-01", False),
        ("it is on the third Saturday in May", "2027-05-15", False),
        ("the last Friday of next month", "2026-11-27", True),
        ("the last day of this month", "2026-10-31", True),
    ],
)
def test_the_nth_weekday_of_a_month_is_counted_out(text: str, day: str, relative: bool) -> None:
    (span,) = find(text, AT)
    assert (span.when.date().isoformat(), span.granularity, span.relative) == (day, "day", relative)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("다음 주 월요일부터 금요일까지 부산 출장이야", [5, 6, 7, 8, 9]),
        ("다음 주 금요일부터 월요일까지 쉬어", [9, 10, 11, 12]),
        ("토요일부터 월요일까지", [3, 4, 5]),
        ("10월 7일~10월 9일 축제", [7, 8, 9]),
        ("20일부터 22일까지 여행", [20, 21, 22]),
        ("월요일에 치과 가고 수요일에 미용실", [5, 7]),
        ("발표가 10월 7일에서 10월 9일로 미뤄졌어", [7, 9]),
        ("내일 9시부터 11시까지 회의", [4]),
        ("I'm away next Monday to Wednesday", [5, 6, 7]),
        ("from October 7 through October 9", [7, 8, 9]),
    ],
)
def test_between_the_first_day_and_the_last_each_is_named(text: str, days: list[int]) -> None:
    assert sorted(moment.day for moment in moments(text, AT)) == days


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("12월 24일에 뭐가 있었더라", "2026-12-24"),
        ("8일에 뭐 있었지", "2026-10-08"),
        ("29일에 뭐 있었지", "2026-09-29"),
        ("8월 2일에 뭐 했지", "2026-08-02"),
        ("금요일에 뭐 했지", "2026-10-02"),
        ("what did I have on December 24", "2026-12-24"),
        ("what did I do on August 2", "2026-08-02"),
    ],
)
def test_of_a_question_a_day_of_a_month_is_the_nearest_whatever_its_tense(text: str, day: str) -> None:
    (span,) = find_asked(text, AT)
    assert (span.when.date().isoformat(), text[span.start : span.end]) == (day, span.text)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("빼빼로데이에 고백하려고", "2026-11-11"),
        ("새해 첫날에 일출 보러 가", "2027-01-01"),
        ("9일엔 체육 수행평가", "2026-10-09"),
        ("A week from today I get my cast off", "2026-10-10"),
        ("the recital is 12/13", "2026-12-13"),
        ("on 12/6 we fly", "2026-12-06"),
        ("for new year's eve we rented a cabin", "2026-12-31"),
    ],
)
def test_days_are_found_as_people_write_them(text: str, day: str) -> None:
    assert [span.when.date().isoformat() for span in find(text, AT)] == [day]


@pytest.mark.parametrize("text", ["add 1/2 cup of milk", "open 24/7", "3/4 of them came", "it was 9/10"])
def test_a_fraction_is_no_day(text: str) -> None:
    assert find(text, AT) == ()


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("매주 화요일 저녁에 수영 다녀", {1}),
        ("월수금마다 필라테스", {0, 2, 4}),
        ("매주 화, 목요일에 학원", {1, 3}),
        ("금요일마다 엄마랑 장 봐", {4}),
        ("주말마다 등산", {5, 6}),
        ("매일 아침 조깅해", set()),
        ("평일 아침마다 수영 다녀", {0, 1, 2, 3, 4}),
        ("every weekday at 7 I walk the dog", {0, 1, 2, 3, 4}),
        ("화요일에 수영 가", set()),
        ("I swim every Tuesday", {1}),
        ("we meet on Fridays", {4}),
        ("every weekend I hike", {5, 6}),
        ("every day I run", set()),
    ],
)
def test_weekdays_of_every_week_are_known(text: str, days: set[int]) -> None:
    assert {day for one in recurrences(text) for day in one.weekdays} == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("월급날은 매달 25일이야", [(11, 25), (12, 25)]),
        ("매월 3일에 월세 내", [(11, 3), (12, 3)]),
        ("매달 첫째 월요일에 회의", [(11, 2), (12, 7)]),
        ("매달 마지막 주 금요일 회식", [(11, 27), (12, 25)]),
        ("rent is due on the 3rd of every month", [(11, 3), (12, 3)]),
        ("book club is the last Friday of the month", [(11, 27), (12, 25)]),
        ("we meet every month on the 15th", [(11, 15), (12, 15)]),
        ("every month", []),
    ],
)
def test_what_comes_every_month_is_known_by_its_day(text: str, days: list[tuple[int, int]]) -> None:
    november = [date(2026, 11, 1) + timedelta(days=i) for i in range(61)]
    assert [(day.month, day.day) for day in november if any(one.on(day) for one in recurrences(text))] == days


def test_a_fifth_saturday_that_there_is_not_is_no_date() -> None:
    assert [span.when.day for span in find("10월 다섯째 주 토요일", AT)] == [31]
    assert find("11월 다섯째 주 토요일", AT) == ()


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 6))
def test_the_nth_weekday_is_of_that_month_and_that_weekday(month: int, number: int, weekday: int) -> None:
    (span,) = find(f"{month}월 {number}번째 {'월화수목금토일'[weekday]}요일", AT)
    assert (span.when.month, (span.when.day + 6) // 7, span.when.weekday()) == (month, number, weekday)


@pytest.mark.parametrize(
    ("text", "when", "day", "said"),
    [
        ("오늘 밤 12시", "2026-10-04T00:00", 3, "10월 3일 토요일 밤 12시"),
        ("오늘 밤 12:30", "2026-10-04T00:30", 3, "10월 3일 토요일 밤 12시 30분"),
        ("오늘 24시", "2026-10-04T00:00", 3, "10월 3일 토요일 밤 12시"),
        ("오늘 자정", "2026-10-04T00:00", 3, "10월 3일 토요일 밤 12시"),
        ("일요일 밤 1시", "2026-10-05T01:00", 4, "10월 5일 월요일 새벽 1시"),
        ("어젯밤 2시", "2026-10-03T02:00", 2, "10월 3일 토요일 새벽 2시"),
        ("일요일 새벽 1시", "2026-10-04T01:00", 4, "10월 4일 일요일 새벽 1시"),
        ("내일 0시", "2026-10-04T00:00", 4, "10월 3일 토요일 밤 12시"),
        ("일요일 밤 9시", "2026-10-04T21:00", 4, "10월 4일 일요일 오후 9시"),
        ("tonight at 12", "2026-10-04T00:00", 3, "on Sunday, October 4 at 12 AM"),
        ("Sunday night at 1", "2026-10-05T01:00", 4, "on Monday, October 5 at 1 AM"),
        ("tonight at midnight", "2026-10-04T00:00", 3, "on Sunday, October 4 at 12 AM"),
        ("tonight at 5", "2026-10-03T17:00", 3, "on Saturday, October 3 at 5 PM"),
    ],
)
def test_the_small_hours_of_a_night_are_the_next_day_s(text: str, when: str, day: int, said: str) -> None:
    (span,) = find(text, AT)
    assert (span.when.isoformat()[:16], span.day.day, in_words(span, language_of(text), AT)) == (when, day, said)
