import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lira_core.embedding.hearing import OnnxHearing, SharedHearing
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.port import Heard, Kind
from lira_core.emotion.onnx import OnnxEmotion
from lira_core.types import EmotionReading, EmotionScore

MODELS = Path(__file__).parents[3] / "models"
TEXTS = [
    "오늘 정말 너무 기뻤어",
    "내 이름이 뭐였지?",
    "",
    "I moved to Cardiff last week, and the flat is still full of boxes that nobody wants to open.",
    "응",
]
JOY = EmotionReading((EmotionScore("joy", 0.9),))


def test_what_is_heard_together_is_what_each_model_says_alone() -> None:
    encoder, emotion = OnnxEncoder(MODELS / "lira-encoder"), OnnxEmotion(MODELS / "lira-emotion")
    together = OnnxHearing(encoder, emotion).hear(TEXTS)
    for heard, alone, felt in zip(together, encoder.hear(TEXTS), emotion.read(TEXTS), strict=True):
        assert np.array_equal(heard.vector, alone.vector)
        assert heard.speech == alone.speech
        assert heard.emotion == felt
        assert (heard.tone, heard.safety, heard.follows) == (alone.tone, alone.safety, alone.follows)


def test_nothing_is_heard_where_nothing_is_said() -> None:
    assert OnnxHearing(OnnxEncoder(MODELS / "lira-encoder"), OnnxEmotion(MODELS / "lira-emotion")).hear([]) == []


def test_models_without_a_common_trunk_are_refused(tmp_path: Path) -> None:
    for name in ("lira-trunk", "lira-emotion"):
        folder = tmp_path / name
        folder.mkdir()
        for file in (MODELS / name).iterdir():
            (folder / file.name).symlink_to(file)
    with pytest.raises(ValueError, match="one trunk"):
        OnnxHearing(OnnxEncoder(MODELS / "lira-encoder"), OnnxEmotion(tmp_path / "lira-emotion"))


class Counting:
    """An Embedder that answers when it is told to, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.left = 0
        self.go = asyncio.Event()

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        return np.zeros((len(texts), 2), np.float32)

    async def hear(self, text: str) -> Heard:
        self.asked.append(text)
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.left += 1
            raise
        if text == "broken":
            raise ConnectionError("the model is away")
        return Heard(np.ones(2, np.float32), None, JOY)


async def test_the_two_questions_of_a_turn_are_one_call() -> None:
    engine = Counting()
    hearing = SharedHearing(engine)
    felt, heard = asyncio.create_task(hearing.read("안녕")), asyncio.create_task(hearing.hear("안녕"))
    await asyncio.sleep(0)
    engine.go.set()
    assert await felt == JOY == (await heard).emotion
    assert engine.asked == ["안녕"]
    await hearing.read("안녕")
    assert engine.asked == ["안녕", "안녕"], "nothing is kept of what was said"


async def test_who_leaves_does_not_take_the_answer_from_the_others_and_the_last_ends_the_call() -> None:
    engine = Counting()
    hearing = SharedHearing(engine)
    first, second = asyncio.create_task(hearing.read("안녕")), asyncio.create_task(hearing.hear("안녕"))
    await asyncio.sleep(0.01)
    first.cancel()
    await asyncio.sleep(0.01)
    assert engine.left == 0
    second.cancel()
    await asyncio.sleep(0.01)
    assert engine.left == 1
    engine.go.set()
    assert await hearing.read("안녕") == JOY


async def test_an_engine_that_fails_fails_for_both_and_is_asked_again() -> None:
    engine = Counting()
    engine.go.set()
    hearing = SharedHearing(engine)
    results = await asyncio.gather(hearing.read("broken"), hearing.hear("broken"), return_exceptions=True)
    assert [type(result) for result in results] == [ConnectionError, ConnectionError]
    assert await hearing.read("안녕") == JOY
