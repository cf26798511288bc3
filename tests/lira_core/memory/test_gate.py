"""What is kept, and why."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.memory.facts import extract
from lira_core.memory.gate import decide, requested
from lira_core.memory.question import ask
from lira_core.types import Decision, EmotionReading, EmotionScore

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
ROWS = [line.split("\t") for line in (Path(__file__).parents[2] / "data" / "gate_dev.tsv").read_text("utf-8").splitlines() if line]


def reading(label: str, score: float) -> EmotionReading:
    return EmotionReading((EmotionScore(label, score),))


def kept(text: str, emotion: EmotionReading | None = None) -> Decision:
    return decide(text, emotion, extract(text, AT), ask(text, AT), threshold=0.6)


@pytest.mark.parametrize(("why", "text"), ROWS)
def test_everyday_korean_is_kept_for_the_right_reason(why: str, text: str) -> None:
    assert kept(text) == Decision(why != "none", why)  # type: ignore[arg-type]


def test_a_feeling_keeps_what_states_no_fact() -> None:
    assert kept("진짜 너무 화난다", reading("anger", 0.8)) == Decision(True, "emotion")
    assert kept("진짜 너무 화난다", reading("anger", 0.5)) == Decision(False, "none")


def test_a_request_comes_before_a_feeling_and_a_feeling_before_a_fact() -> None:
    assert kept("나 승진했어! 꼭 기억해줘", reading("joy", 0.9)).reason == "trigger"
    assert kept("나 승진했어!", reading("joy", 0.9)).reason == "emotion"
    assert kept("나 승진했어!", reading("neutral", 0.9)).reason == "fact"


@pytest.mark.parametrize("label", ["curiosity", "confusion", "realization", "surprise"])
def test_to_wonder_is_no_feeling_worth_keeping_in_a_question(label: str) -> None:
    assert not kept("이거 왜 안 되지?", reading(label, 0.95)).keep


@pytest.mark.parametrize("text", ["내가 기쁜 이유가 뭐였지?", "내 이름 기억나?", "제 이름이 뭐였죠?", "What's my name?"])
def test_a_pure_recall_question_is_never_kept(text: str) -> None:
    assert kept(text, reading("joy", 0.99)) == Decision(False, "none")


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
@given(st.text(max_size=40), st.floats(0, 1))
def test_neutral_alone_keeps_nothing(text: str, score: float) -> None:
    decision = decide(text, reading("neutral", score), (), None, threshold=0.6)
    assert decision.keep == requested(text)
    assert decision.reason == ("trigger" if decision.keep else "none")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("로그인이 또 안 되네요", "disapproval"),
        ("ㅋㅋㅋㅋㅋ", "amusement"),
        ("와 대박", "admiration"),
        ("졸려 죽겠다", "annoyance"),
        ("볼륨 좀 줄여줘", "anger"),
        ("haha ok", "amusement"),
        ("그건 뭐 나쁘지 않네", "approval"),
    ],
)
def test_a_high_score_without_a_feeling_in_words_or_life_is_not_kept(text: str, label: str) -> None:
    assert kept(text, reading(label, 0.97)) == Decision(False, "none")


@pytest.mark.parametrize(
    ("text", "label"),
    [("너무 기뻐!!", "joy"), ("고마워 진짜 눈물나", "gratitude"), ("I'm so angry I could scream", "anger"), ("팀장 때문에 열받아 죽겠어", "anger")],
)
def test_a_feeling_named_outright_is_kept_as_one(text: str, label: str) -> None:
    assert kept(text, reading(label, 0.9)) == Decision(True, "emotion")


@pytest.mark.parametrize(
    "text",
    [
        "운동은 수영으로 갈아탔어",
        "여동생이 부산에서 올라왔어",
        "전세 계약이 8월에 끝나",
        "발레 배운 지 석 달 됐어요",
        "노트북을 지하철에 두고 내렸어",
        "We adopted a rescue greyhound in June",
    ],
)
def test_what_happens_in_the_speakers_life_is_kept_without_a_slot(text: str) -> None:
    assert kept(text).keep


@pytest.mark.parametrize(
    "text",
    [
        "세종대왕이 한글을 만들었어",
        "사람은 물을 마셔야 산다",
        "어제 대통령이 담화를 발표했대",
        "만약 복권에 당첨되면 좋겠다",
        "The app keeps crashing",
        "파리는 프랑스의 수도예요",
    ],
)
def test_the_world_the_app_and_what_is_only_supposed_are_not_kept(text: str) -> None:
    assert not kept(text).keep


@pytest.mark.parametrize(
    "text", ["열쇠 번호는 12번이라는 거 기억해 주시겠어요?", "서랍에 넣어뒀어. 기억해", "꼭 기억하고 있어 줘, 오늘은 수요일이야"]
)
def test_a_polite_or_short_request_to_remember_is_one(text: str) -> None:
    assert kept(text) == Decision(True, "trigger")
