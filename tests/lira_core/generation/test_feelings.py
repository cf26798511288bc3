"""Which feeling is spoken of: the tone that was heard, or without one what the emotion model is sure of."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lira_core.generation.feelings import feeling
from lira_core.generation.port import Prompt
from lira_core.types import Decision, EmotionReading, EmotionScore

SAID = Prompt("합격했어 ㅠㅠ", datetime(2026, 10, 3, tzinfo=UTC), None, (), None, Decision(False, "none"), ())


def read(label: str, score: float) -> EmotionReading:
    return EmotionReading((EmotionScore(label, score),))


def test_the_tone_that_was_heard_stands_over_the_emotion_that_was_read() -> None:
    assert feeling(replace(SAID, emotion=read("sadness", 0.9), tone="joy")) == "joy"
    assert feeling(replace(SAID, emotion=read("sadness", 0.9), tone="neutral")) == "neutral"


@pytest.mark.parametrize(("score", "spoken"), [(0.59, "neutral"), (0.6, "sadness")])
def test_without_a_tone_the_emotion_is_spoken_of_from_the_gate_on(score: float, spoken: str) -> None:
    assert feeling(replace(SAID, emotion=read("sadness", score))) == spoken


def test_without_either_none_is_spoken_of() -> None:
    assert feeling(SAID) == "neutral"
