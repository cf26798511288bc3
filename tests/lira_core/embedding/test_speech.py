"""From the encoder's logits to what an utterance is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.speech import KEEP, STATUS, SpeechHeads
from lira_core.settings import Settings

HEADS = SpeechHeads(1.0, 1.0)


@given(arrays(np.float32, KEEP + 1, elements=st.floats(-50, 50, width=32)))
def test_every_reading_is_of_probabilities(logits: np.ndarray) -> None:
    reading = HEADS.read(logits)
    assert reading.status in STATUS
    assert all(0 <= p <= 1 for p in (reading.asks_memory, reading.asks_other, reading.keep))
    assert reading.asks_memory + reading.asks_other <= 1 + 1e-6


@pytest.mark.parametrize("stored", [{}, {"speech": {}}, {"speech": {"asks": 1, "keep": 0}}, {"speech": None}])
def test_a_calibration_without_its_parts_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="speech"):
        SpeechHeads.from_json(stored)


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(Settings().embedding_model_dir)


def test_one_pass_gives_the_vector_of_a_query_too(encoder: OnnxEncoder) -> None:
    texts = ["내 이름이 뭐라고 했지?", "오늘 점심은 김치찌개", "I moved to Busan last week"]
    heard = encoder.hear(texts)
    np.testing.assert_allclose(np.stack([h.vector for h in heard]), encoder.embed([("query", t) for t in texts]), atol=1e-5)


def test_what_an_utterance_is_does_not_depend_on_its_batch(encoder: OnnxEncoder) -> None:
    texts = ["내 이름이 뭐라고 했지?", "나는 부산에서 간호사로 일하고 있어. " * 6]
    alone, together = [encoder.hear([t])[0].speech for t in texts], [h.speech for h in encoder.hear(texts)]
    for one, other in zip(alone, together, strict=True):
        assert one is not None
        assert other is not None
        assert one.status == other.status
        assert one.keep == pytest.approx(other.keep, abs=1e-3)


def test_a_question_about_oneself_a_statement_and_a_question_about_the_world_are_told_apart(encoder: OnnxEncoder) -> None:
    mine, told, world = (
        h.speech for h in encoder.hear(["우리 엄마 생신이 언제라고 했지?", "나 다음 달에 대전으로 이사 가", "파리는 어느 나라 수도야?"])
    )
    assert mine is not None
    assert told is not None
    assert world is not None
    assert mine.asks_memory > 0.5 > max(told.asks_memory, world.asks_memory)
    assert told.keep > 0.5 > max(mine.keep, world.keep)
