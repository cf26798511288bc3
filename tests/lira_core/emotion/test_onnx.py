from pathlib import Path

import numpy as np
import pytest

from lira_core.emotion.local import LocalEmotion
from lira_core.emotion.onnx import OnnxEmotion
from lira_core.model_folder import ModelError

MODEL = Path(__file__).parents[3] / "models" / "lira-emotion"
GATE = 0.6


@pytest.fixture(scope="module")
def emotion() -> OnnxEmotion:
    return OnnxEmotion(MODEL)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("오늘 정말 너무 기뻤어. 드디어 오늘 나만의 RAG시스템이 완성됐어!!", {"joy", "excitement"}),
        ("요즘 다 힘들고 지쳤어...", {"sadness", "disappointment"}),
        ("진짜 짜증나 죽겠네", {"annoyance", "anger"}),
        ("무서워서 잠이 안 와", {"fear", "nervousness"}),
        ("도와줘서 정말 고마워", {"gratitude"}),
        ("I finally got the job, I'm so happy!", {"joy", "excitement"}),
        ("My grandfather passed away last night.", {"sadness", "grief"}),
    ],
)
def test_a_plain_feeling_reaches_the_gate(emotion: OnnxEmotion, text: str, labels: set[str]) -> None:
    (reading,) = emotion.read([text])
    assert reading.real is not None
    assert reading.real.label in labels
    assert reading.real.score >= GATE


@pytest.mark.parametrize(
    "text",
    [
        "안녕하세요, 제 이름은 A입니다.",
        "제 이름이 뭐였죠?",
        "내 일정(날짜/장소) 뭐였지?",
        "내일 오후 3시 강남에서 민수랑 미팅 있어.",
        "점심 먹었어",
        "저장 버튼이 안 눌려",
        "네, 알겠습니다.",
        "My name is Daniel.",
        "What time do you close?",
    ],
)
def test_a_plain_statement_or_question_stays_below_the_gate(emotion: OnnxEmotion, text: str) -> None:
    (reading,) = emotion.read([text])
    assert reading.real is None or reading.real.score < GATE


def test_a_reading_holds_one_to_three_labels_from_0_3_on_best_first(emotion: OnnxEmotion) -> None:
    for reading in emotion.read(["너무 기쁘고 고마워서 눈물이 나", "음", "", "그냥 그래", "asdf qwer", "와 대박 진짜 놀랐어 ㅋㅋ"]):
        scores = [e.score for e in reading.top]
        assert 1 <= len(scores) <= 3
        assert scores == sorted(scores, reverse=True)
        assert len(scores) == 1 or scores[-1] >= 0.3
        assert all(0 <= s <= 1 for s in scores)


def test_a_reading_does_not_depend_on_what_else_is_in_the_batch(emotion: OnnxEmotion) -> None:
    texts = ["화가 나", "고마워", "버스가 5분 뒤에 온대", "정말 긴 이야기인데, 어제 있었던 일을 처음부터 끝까지 다 말하자면 이래. " * 4]
    together, alone = emotion.raw(texts), np.vstack([emotion.raw([text]) for text in texts])
    assert np.abs(together - alone).max() < 5e-3


@pytest.mark.parametrize("text", ["", " ", "\n", "가" * 4000, "😀", "\x00"])
def test_any_text_gets_a_reading(emotion: OnnxEmotion, text: str) -> None:
    (reading,) = emotion.read([text])
    assert reading.top


def test_no_texts_get_no_readings(emotion: OnnxEmotion) -> None:
    assert emotion.read([]) == []
    assert emotion.claimed([]).shape == (0, 28)


def test_neutral_keeps_its_own_score(emotion: OnnxEmotion) -> None:
    text = "책은 책장 두 번째 칸에 있어"
    raw = emotion.raw([text])[0, emotion.labels.index("neutral")]
    (reading,) = emotion.read([text])
    assert (reading.label, reading.score) == ("neutral", pytest.approx(float(raw)))


async def test_the_local_reader_gives_the_engine_s_reading(emotion: OnnxEmotion) -> None:
    local = LocalEmotion(emotion)
    assert await local.read("정말 고마워") == emotion.read(["정말 고마워"])[0]
    await local.close()


def test_a_missing_folder_is_named_with_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere.*LIRA_EMOTION_MODEL_DIR"):
        OnnxEmotion(tmp_path / "nowhere")


def _drop(value: dict, key: str) -> dict:
    return {k: v for k, v in value.items() if k != key}


@pytest.mark.parametrize(
    "break_it",
    [
        lambda c: _drop(c, "thresholds"),
        lambda c: _drop(c, "slope"),
        lambda c: {**c, "slope": -1},
        lambda c: {**c, "labels": c["labels"][:-1]},
        lambda c: {**c, "held_back": {"hunger": 1}},
        lambda c: {**c, "thresholds": {**c["thresholds"], "ko": [2.0] * 28}},
    ],
)
def test_a_broken_calibration_is_named_with_the_setting(tmp_path: Path, model_copy, break_it) -> None:  # type: ignore[no-untyped-def]
    model_copy(MODEL, tmp_path, break_it)
    with pytest.raises(ModelError, match=r"calibration\.json cannot be used.*LIRA_EMOTION_MODEL_DIR"):
        OnnxEmotion(tmp_path)
