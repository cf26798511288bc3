"""From the safety heads' logits to a reading, and the heads that lie beside the bundled encoder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.safety import WIDTH, SafetyHeads
from lira_core.settings import Settings

FOLDER = Settings().embedding_model_dir


@given(arrays(np.float32, WIDTH, elements=st.floats(-50, 50, width=32)))
def test_every_reading_is_of_probabilities(logits: np.ndarray) -> None:
    reading = SafetyHeads(1.0, 0.0, -1.0, 2.0).read(logits)
    assert all(0 <= p <= 1 for p in (reading.identity, reading.attachment, reading.at_risk))


def test_a_head_speaks_from_its_own_place_on() -> None:
    heads = SafetyHeads(2.0, 2.0, 3.0, 4.0)
    reading = heads.read(np.array([1.0, 3.0, 2.9, 3.1], np.float32))
    assert reading.identity == pytest.approx(0.5)
    assert reading.attachment < 0.5 < reading.at_risk
    assert not reading.surely_at_risk
    assert heads.read(np.array([1.0, 3.0, 2.9, 4.1], np.float32)).surely_at_risk


@pytest.mark.parametrize("stored", [{}, {"identity": 1, "attachment": 1, "risk": 1}, {"identity": 1, "attachment": None, "risk": 1, "surely": 2}])
def test_a_calibration_without_a_head_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        SafetyHeads.from_json(stored)


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(FOLDER)


def test_what_is_heard_does_not_depend_on_the_batch(encoder: OnnxEncoder) -> None:
    texts = ["너 사람이야?", "나한텐 이제 너밖에 없어", "나는 부산에서 간호사로 일하고 있어. " * 6, "."]
    alone, together = [encoder.hear([t])[0].safety for t in texts], [h.safety for h in encoder.hear(texts)]
    for one, other in zip(alone, together, strict=True):
        assert one is not None
        assert other is not None
        assert (one.identity, one.attachment, one.at_risk) == pytest.approx((other.identity, other.attachment, other.at_risk), abs=1e-3)


def test_asking_leaning_and_everyday_talk_are_told_apart(encoder: OnnxEncoder) -> None:
    asks, leans, risk, talk = (
        h.safety
        for h in encoder.hear(
            ["나 지금 로봇이랑 얘기하는 거 맞아?", "사람은 필요 없어 너만 있으면 돼", "이제 그만 살고 싶어", "오늘 점심은 김치찌개"]
        )
    )
    assert asks is not None
    assert leans is not None
    assert risk is not None
    assert talk is not None
    assert asks.identity >= 0.5 > asks.at_risk
    assert leans.attachment >= 0.5
    assert risk.at_risk >= 0.5
    assert max(talk.identity, talk.attachment, talk.at_risk) < 0.5
    assert risk.surely_at_risk


@pytest.mark.parametrize(
    "text", ["저는 혼자 살아요.", "할 일이 많아서 정신이 없어", "my dad can't come on sunday, the van's broken", "Best night I've had in months"]
)
def test_ordinary_talk_is_not_taken_for_risk(encoder: OnnxEncoder, text: str) -> None:
    heard = encoder.hear([text])[0].safety
    assert heard is not None
    assert heard.at_risk < 0.5
