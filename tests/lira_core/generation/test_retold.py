"""A memory is told with everything an answer needs in it."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from lira_core.generation.retold import retold
from lira_core.memory.question import Question
from lira_core.types import Memory

SAID = datetime(2026, 3, 18, 9, 0, tzinfo=ZoneInfo("Asia/Seoul"))
NOW = datetime(2026, 4, 12, 21, 0, tzinfo=ZoneInfo("Asia/Seoul"))


def told(text: str, wants: str = "what", *terms: str) -> str:
    return " / ".join(retold(Memory("m", "u", text, SAID), NOW, Question(wants, True, terms=terms)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("수술 날짜가 바뀌었어요. 5월 13일로요.", "5월 13일로 수술 날짜가 바뀌었다고"),
        ("배달 접었다 깁스 때문에.", "깁스 때문에 배달 접었다고"),
        ("정장 한 벌 샀어요. 남색으로요", "남색으로 정장 한 벌 샀다고"),
        ("이름은 삼치로 지음", "이름은 삼치로 지었다고"),
        ("의사가 두 달은 쉬래", "의사가 두 달은 쉬라고 했다고"),
        ("나 솔직히 걔 좋아하는듯", "솔직히 그 사람을 좋아하는 것 같다고"),
        ("울산 원룸 산다", "울산 원룸에 산다고"),
        ("남동생은 해병대임", "남동생은 해병대라고"),
        ("부모님은 목포에서 횟집 하세요", "부모님은 목포에서 횟집 하신다고"),
        ("어머니가 매일 마들렌을 구워 주세요", "어머니가 매일 마들렌을 구워 주신다고"),
        ("엄마는 내가 교대 갔으면 좋겠대", "엄마는 본인이 교대 갔으면 좋겠다고"),
        ("손녀 이름은 예나예요.", "손녀 이름은 예나라고"),
        ("내일 부산 감", "3월 19일 목요일에 부산 간다고"),
    ],
)
def test_clipped_and_late_words_are_told_in_full(said: str, expected: str) -> None:
    assert told(said) == expected


def test_of_a_short_memory_every_sentence_is_told() -> None:
    said = told("산행이 미뤄졌습니다. 태백산은 4월 7일에 갑니다. 아침 6시 집결이에요.", "when", "태백산")
    assert "7일" in said
    assert "6시" in said


def test_of_a_long_memory_what_was_asked_for_is_told() -> None:
    text = (
        "오늘 오랜만에 고등학교 친구들을 시청 앞에서 만나서 하루 종일 돌아다녔어. 성호는 작년에 큰 시험에 붙어서 변리사가 됐대. "
        "태민이는 제주도 애월에서 바다가 보이는 게스트하우스를 차렸대. 저녁에는 다 같이 오래된 분식집에 가서 떡볶이랑 튀김을 잔뜩 먹었어."
    )
    assert "태민" in told(text, "who", "게스트하우스", "차리")


def test_an_exclamation_leaves_its_day_behind() -> None:
    assert told("오늘 대박!! 내 시안이 공모전 1등 했어") == "3월 18일 수요일에 시안이 공모전 1등 했다고"


def test_nothing_comes_of_a_text_that_only_asks() -> None:
    assert retold(Memory("m", "u", "뭐 먹을까?", SAID), NOW) == ()
