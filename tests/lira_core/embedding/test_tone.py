"""From the logits of the tones to what is heard and about which words, and the heads that lie beside the bundled encoder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.tone import TONES, ToneHeads
from lira_core.evaluation.tone import FITTING
from lira_core.settings import Settings
from lira_core.types import Tone

TEXT = "이사했어. 팔이 부러졌어!"
PIECES = [(0, 0), (-7, 0), (0, 2), (2, 5), (5, 8), (8, 11), (11, 14), (0, 0)]


@given(arrays(np.float32, len(TONES), elements=st.floats(-50, 50, width=32)), arrays(np.float32, len(PIECES), elements=st.floats(-9, 9, width=32)))
def test_what_is_heard_is_the_likeliest_that_speaks_about_words_of_the_text(tone: np.ndarray, about: np.ndarray) -> None:
    heard = ToneHeads(1.0, 4.0).read(tone, about, TEXT, PIECES)
    assert (heard.tone == "neutral") == bool(tone[1:].max() - tone[0] <= 1.0)
    if heard.tone == "neutral":
        assert heard.about == ""
    else:
        likeliest = TONES[int(tone[1:].argmax()) + 1]
        mourned = likeliest == "grief" and tone[TONES.index("grief")] - tone[0] > 4.0
        assert heard.tone == ("sadness" if likeliest == "grief" and not mourned else likeliest)
        assert heard.about
        assert heard.about in TEXT


def test_the_words_are_whole_ones() -> None:
    tone = np.zeros(len(TONES), np.float32)
    tone[TONES.index("sadness")] = 3
    about = np.array([0, 0, -2, -2, -2, 1, 2, 0], np.float32)
    assert ToneHeads(1.0, 4.0).read(tone, about, TEXT, PIECES).about == "부러졌어!"


def test_of_nothing_nothing_is_the_matter() -> None:
    tone = np.zeros(len(TONES), np.float32)
    tone[1] = 9
    assert ToneHeads(1.0, 4.0).read(tone, np.array([0, 0, 5], np.float32), "   ", [(0, 0), (-4, 3), (3, 4)]).about == ""


@pytest.mark.parametrize("stored", [{}, {"speaks": None}, {"speaks": 1.0}])
def test_a_calibration_without_a_head_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        ToneHeads.from_json(stored)


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
    assert heard is not None
    assert heard.tone in FITTING[tone]
