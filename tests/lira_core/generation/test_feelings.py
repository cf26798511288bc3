"""The feeling that is spoken of is one that the words bear out."""

from __future__ import annotations

import pytest

from lira_core.generation.feelings import feeling
from lira_core.types import EmotionReading, EmotionScore


@pytest.mark.parametrize(
    ("text", "label", "score", "spoken"),
    [
        ("최종 합격했어요!! 엄마랑 부둥켜안고 울었어요", "sadness", 0.79, "joy"),
        ("너무 기뻐서 눈물이 다 났어요", "sadness", 0.9, "joy"),
        ("남편이 기념일을 까먹었어요. 진짜 서운해요", "joy", 0.76, "disappointment"),
        ("일요일마다 성당에 나가요", "disapproval", 0.67, "neutral"),
        ("이번 주에 이사했어", "anger", 0.75, "neutral"),
        ("오늘 면접에서 떨어졌어", "sadness", 0.7, "sadness"),
        ("집들이 선물로 로봇청소기 받았다!!", "joy", 0.95, "joy"),
    ],
)
def test_a_reading_that_the_words_gainsay_is_not_spoken_of(text: str, label: str, score: float, spoken: str) -> None:
    assert feeling(EmotionReading((EmotionScore(label, score),)), text)[0] == spoken


def test_without_a_reading_only_words_of_feeling_speak() -> None:
    assert feeling(None, "치과에 다녀왔어") == ("neutral", 0.0)
