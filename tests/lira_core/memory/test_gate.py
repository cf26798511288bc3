"""What is kept, and why."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.memory.asking import ask
from lira_core.memory.facts import extract
from lira_core.memory.gate import KEEP, decide, requested, unwanted
from lira_core.types import Decision, EmotionReading, EmotionScore, SpeechReading

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")


def reading(label: str, score: float) -> EmotionReading:
    return EmotionReading((EmotionScore(label, score),))


def kept(text: str, emotion: EmotionReading | None = None, keep: float | None = 0.0) -> Decision:
    """`keep`: the model's probability that the text is worth keeping; None where the model was missed."""
    speech = None if keep is None else SpeechReading("chat", 0.0, 0.0, keep)
    return decide(text, emotion, extract(text, AT), ask(text, AT), speech, threshold=0.6)


def test_what_the_model_holds_worth_keeping_is_kept() -> None:
    assert kept("운동은 수영으로 갈아탔어", keep=0.9) == Decision(True, "fact")
    assert kept("세종대왕이 한글을 만들었어", keep=0.1) == Decision(False, "none")


def test_a_feeling_keeps_what_the_model_doubts_and_a_weak_one_does_not() -> None:
    assert kept("진짜 너무 화난다", reading("anger", 0.8), keep=0.25) == Decision(True, "emotion")
    assert kept("진짜 너무 화난다", reading("anger", 0.5), keep=0.25) == Decision(False, "none")


def test_a_laugh_in_passing_is_not_kept_however_sure_its_emotion() -> None:
    assert kept("ㅋㅋㅋㅋㅋ", reading("amusement", 0.97), keep=0.02) == Decision(False, "none")


def test_a_request_comes_before_a_feeling_and_a_feeling_before_a_fact() -> None:
    assert kept("나 승진했어! 꼭 기억해줘", reading("joy", 0.9), keep=0.9).reason == "trigger"
    assert kept("나 승진했어!", reading("joy", 0.9), keep=0.9).reason == "emotion"
    assert kept("나 승진했어!", reading("neutral", 0.9), keep=0.9).reason == "fact"


def test_a_request_is_kept_whatever_the_model_holds_of_it() -> None:
    assert kept("기억해줘, 열쇠는 화분 밑이야", keep=0.0) == Decision(True, "trigger")


@pytest.mark.parametrize("label", ["curiosity", "confusion", "realization", "surprise"])
def test_to_wonder_is_no_feeling_worth_keeping_in_a_question(label: str) -> None:
    assert not kept("이거 왜 안 되지?", reading(label, 0.95), keep=0.25).keep


@pytest.mark.parametrize(("text", "keeps"), [("나는 서울에 살아", True), ("진짜 너무 화난다", True), ("그렇구나", False)])
def test_without_the_model_facts_and_strong_feelings_are_kept(text: str, keeps: bool) -> None:
    assert kept(text, reading("anger", 0.9) if "화난다" in text else None, keep=None).keep == keeps


@pytest.mark.parametrize(
    "text",
    [
        "저장 버튼이 안 눌려",
        "기억나?",
        "기억하니?",
        "저장이 안 돼",
        "기억이 안 나",
        "기억력이 나빠",
        "기억해줘서 고마워",
        "I don't remember",
        "Do you remember?",
    ],
)
def test_words_of_memory_alone_are_no_request(text: str) -> None:
    assert not requested(text)


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=40), st.floats(0, 1), st.floats(0, 1))
def test_neutral_adds_nothing_to_what_the_model_holds(text: str, score: float, keep: float) -> None:
    decision = decide(text, reading("neutral", score), (), None, SpeechReading("chat", 0.0, 0.0, keep), threshold=0.6)
    assert decision.keep == (requested(text) or keep >= KEEP)
    assert decision.reason == ("trigger" if requested(text) else "fact" if decision.keep else "none")


@pytest.mark.parametrize(
    "text", ["열쇠 번호는 12번이라는 거 기억해 주시겠어요?", "서랍에 넣어뒀어. 기억해", "꼭 기억하고 있어 줘, 오늘은 수요일이야"]
)
def test_a_polite_or_short_request_to_remember_is_one(text: str) -> None:
    assert kept(text) == Decision(True, "trigger")


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("아니 그거 말고 팀장 얘기 지우라고", True),
        ("하은이 얘기 지워", True),
        ("혈압약 먹는다는 얘기는 지워주시오", True),
        ("제가 우울하다고 한 말은 좀 잊어 주세요!", True),
        ("Please forget about the meeting.", True),
        ("could you delete what I said about Jo", True),
        ("forget that i scraped the trailer in hull", True),
        ("forget about the chocolate bar pls", True),
        ("Forget the flats I looked at.", True),
        ("can u delete the chocolate bar thing", True),
        ("Oh, forget I said that.", True),
        ("No wait. Forget that last thing, please.", True),
        ("forget it", False),
        ("I'll never forget that day", False),
        ("forget the diet, cake it is", False),
        ("그 사람 얘기 다 지워버리고 싶어", False),
        ("사진을 실수로 지웠어", False),
        ("엄마가 그 얘기는 잊으래", False),
        ("나 할 말 있어", False),
        ("forget about it", False),
        ("I keep forgetting what I said", False),
        ("Can you remember my birthday?", False),
    ],
)
def test_an_order_to_forget_is_plain(text: str, orders: bool) -> None:
    assert unwanted(text) == orders
