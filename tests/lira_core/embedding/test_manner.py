"""From the logits of the manners to what is heard, and the heads that lie beside the bundled encoder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lira_core.embedding.manner import MANNERS, MannerHeads
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.settings import Settings

FOLDER = Settings().embedding_model_dir
HEADS = MannerHeads(dict.fromkeys(MANNERS[1:], 1.0))


@given(arrays(np.float32, len(MANNERS), elements=st.floats(-50, 50, width=32)))
def test_what_is_heard_is_the_likeliest_that_speaks(logits: np.ndarray) -> None:
    heard = HEADS.read(logits)
    odds = logits[1:] - logits[0]
    assert (heard == "none") == bool(np.all(odds <= 1.0))
    if heard != "none":
        assert odds[MANNERS.index(heard) - 1] == max(odds)


def test_each_head_speaks_from_its_own_place_on() -> None:
    strict = MannerHeads({**HEADS.manners, "bye": 5.0})
    logits = np.zeros(len(MANNERS), np.float32)
    logits[MANNERS.index("bye")], logits[MANNERS.index("thanks")] = 4.0, 2.0
    assert (HEADS.read(logits), strict.read(logits)) == ("bye", "thanks")


@pytest.mark.parametrize("stored", [{}, dict.fromkeys(MANNERS[2:], 1), {**dict.fromkeys(MANNERS[1:], 1), "bye": None}])
def test_a_calibration_without_a_head_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        MannerHeads.from_json(stored)


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(FOLDER)


@pytest.mark.parametrize(
    ("text", "manner"),
    [
        ("안녕하세요", "hello"),
        ("고마워!", "thanks"),
        ("잘 자", "night"),
        ("이만 가 볼게요", "bye"),
        ("Thanks a lot!", "thanks"),
        ("Good night", "night"),
        ("내가 아까 한 말은 잊어 줘", "forget"),
        ("Please forget what I told you about my sister", "forget"),
        ("집에 가스 냄새가 나는데 어떡해", "emergency"),
        ("남편이 술만 마시면 저를 때려요", "violence"),
        ("어제 우산을 버스에 두고 내렸어", "none"),
        ("오늘 점심은 김치찌개", "none"),
        ("I forgot my umbrella at work", "none"),
    ],
)
def test_small_talk_and_calls_for_help_are_heard_as_such(encoder: OnnxEncoder, text: str, manner: str) -> None:
    assert encoder.hear([text])[0].manner == manner
