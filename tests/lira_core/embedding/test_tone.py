"""From the logits of the tones to what is heard, by themselves and of the bundled encoder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.tone import AS_FITTING, FITTING, TONES, ToneReader
from lira_core.settings import Settings
from lira_core.types import Tone


@given(arrays(np.float32, len(TONES), elements=st.floats(-50, 50, width=32)))
def test_what_is_heard_is_likely_enough_to_fit(tone: np.ndarray) -> None:
    heard = ToneReader(0.5, 0.8).read(tone)
    likely = np.exp(tone.astype(np.float64) - tone.max())
    likely /= likely.sum()
    fitting = {one: sum(p for p, wanted in zip(likely, TONES, strict=True) if one in FITTING[wanted]) for one in TONES[1:]}
    if heard == "neutral":
        assert max(fitting.values()) <= 0.5 + 1e-5
    else:
        assert max(fitting.values()) >= 0.5 - 1e-5
        assert fitting[heard] >= AS_FITTING * max(fitting.values()) - 1e-5 or heard == "sadness"
        assert heard != "grief" or likely[TONES.index("grief")] >= 0.8 - 1e-5


def logits(**likely: float) -> np.ndarray:
    return np.log(np.array([likely.get(one, 1e-6) for one in TONES], np.float32))


def test_tones_that_fit_alike_speak_together_and_the_likeliest_of_them_is_heard() -> None:
    reader = ToneReader(0.6, 0.5)
    assert reader.read(logits(neutral=0.35, joy=0.3, pride=0.35)) == "pride"
    assert reader.read(logits(neutral=0.35, joy=0.3, sadness=0.35)) == "neutral"
    assert reader.read(logits(annoyance=0.6, sadness=0.1, disappointment=0.3)) == "annoyance"


def test_condolences_want_grief_itself_to_be_likely() -> None:
    reader = ToneReader(0.6, 0.7)
    assert reader.read(logits(grief=0.8, sadness=0.2)) == "grief"
    assert reader.read(logits(grief=0.6, sadness=0.4)) == "sadness"


@pytest.mark.parametrize("stored", [{}, {"speaks": None}, {"speaks": 1.0}])
def test_a_calibration_without_a_head_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        ToneReader.from_json(stored)


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(Settings().embedding_model_dir)


@pytest.mark.parametrize(
    ("text", "tone"),
    [
        ("오늘 면접에서 떨어졌어", "disappointment"),
        ("우리 할머니가 어제 돌아가셨어", "grief"),
        ("최종 합격했어요!! 엄마랑 부둥켜안고 울었어요", "joy"),
        ("팬싸 당첨됨!!! 나 운다ㅠㅠ", "joy"),
        ("I failed my driving test", "disappointment"),
        ("got promoted!!!", "joy"),
        ("나는 부산에서 간호사로 일하고 있어", "neutral"),
        ("내일 3시에 치과 예약 있어", "neutral"),
        ("삼촌은 어제 서울로 돌아가셨어", "neutral"),
        ("영화에서 강아지가 죽었어", "neutral"),
        ("My sister works in a bakery", "neutral"),
    ],
)
def test_what_happened_is_met_in_a_fitting_tone_and_what_is_plain_plainly(encoder: OnnxEncoder, text: str, tone: Tone) -> None:
    heard = encoder.hear([text])[0].tone
    assert heard in FITTING[tone]
