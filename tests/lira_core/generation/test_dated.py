"""Relative dates come out absolute, with the particles that then fit."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from lira_core.generation.dated import dated

SAID = datetime(2026, 3, 18, 9, 0, tzinfo=ZoneInfo("Asia/Seoul"))
NOW = datetime(2026, 4, 12, 21, 0, tzinfo=ZoneInfo("Asia/Seoul"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("다음 주 수요일에 치과 예약", "3월 25일 수요일에 치과 예약"),
        ("다음주 화욜에 시험임", "3월 24일 화요일에 시험임"),
        ("어제는 아내 생일이라", "3월 17일 화요일에는 아내 생일이라"),
        ("오늘 초밥을 먹었어", "3월 18일 수요일에 초밥을 먹었어"),
        ("담배도 끊음 오늘로 열흘째", "담배도 끊음 3월 18일 수요일로 열흘째"),
        ("올해로 스물아홉이고", "올해로 스물아홉이고"),
        ("정기 휴무를 월요일로 바꾸기로 했어요", "정기 휴무를 월요일로 바꾸기로 했어요"),
        ("주말엔 소라 씨가 나와요", "주말엔 소라 씨가 나와요"),
        ("지난주에 허리를 삐끗했어", "3월 둘째 주에 허리를 삐끗했어"),
        ("아까 넘어졌어", "3월 18일 수요일에 넘어졌어"),
        ("오늘 비가 왔고 오늘 넘어졌어", "3월 18일 수요일에 비가 왔고 넘어졌어"),
        ("다음 주 수요일 25일에 치과 예약", "3월 25일 수요일에 치과 예약"),
        ("28일 토욜에 이사해", "3월 28일 토요일에 이사해"),
        ("28일(토)에 이사해", "3월 28일 토요일에 이사해"),
        ("월요일 3일간 쉰다", "3월 23일 월요일 3일간 쉰다"),
        ("the party moved to the 28th", "the party moved to Saturday, March 28th"),
        ("my test is tomorrow", "my test is on Thursday, March 19"),
        ("I leave by tomorrow", "I leave by Thursday, March 19"),
        ("I work Monday to Thursday", "I work Monday to Thursday"),
        ("I hardly slept last night", "I hardly slept on Tuesday night, March 17"),
        ("My cat died on Monday", "My cat died on Monday, March 16"),
    ],
)
def test_what_was_said_of_a_day_is_told_on_another(said: str, told: str) -> None:
    assert dated(said, SAID, NOW) == told


def test_what_is_of_the_same_day_stays_and_what_is_of_another_is_named() -> None:
    assert dated("오늘 치과 가", SAID, SAID) == "오늘 치과 가"
    assert dated("내일 치과 가", SAID, SAID) == "3월 19일 목요일에 치과 가"
