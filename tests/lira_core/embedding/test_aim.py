"""From the logits of the aims to what is heard, and the heads that lie beside the bundled encoder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lira_core.embedding.aim import AIMS, AimHeads
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.settings import Settings

FOLDER = Settings().embedding_model_dir


@given(arrays(np.float32, len(AIMS), elements=st.floats(-50, 50, width=32)), st.floats(-5, 5))
def test_the_likeliest_is_heard_and_plainly_from_where_the_heads_speak(logits: np.ndarray, speaks: float) -> None:
    heard, odds = AimHeads(speaks).read(logits), logits[1:] - logits[0]
    assert logits[AIMS.index(heard.aim)] == logits[1:].max()
    assert heard.plainly == bool(float(odds.max()) > speaks)


@pytest.mark.parametrize("stored", [{}, {"speaks": None}])
def test_a_calibration_without_a_head_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        AimHeads.from_json(stored)


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(FOLDER)


@pytest.mark.parametrize(
    ("text", "aim"),
    [
        ("너는 뭘 할 수 있어?", "able"),
        ("what can you do?", "able"),
        ("넌 밥은 먹었어?", "self"),
        ("이거 살까 말까", "advice"),
        ("should I call her?", "advice"),
        ("나 시험 붙을 수 있겠지?", "reassure"),
        ("재밌는 얘기 하나 해 줘", "entertain"),
        ("tell me a joke", "entertain"),
        ("김치찌개는 어떻게 끓여?", "task"),
        ("반말해줘", "style"),
        ("could you keep your answers shorter?", "style"),
    ],
)
def test_the_bundled_heads_hear_what_is_wanted(encoder: OnnxEncoder, text: str, aim: str) -> None:
    heard = encoder.hear([text])[0].aim
    assert heard is not None
    assert heard.aim == aim


@pytest.mark.parametrize("text", ["우리 강아지 이름이 뭐라고 했지?", "what did I say my sister's called?", "어제 우산을 버스에 두고 내렸어"])
def test_what_is_told_and_what_is_asked_of_it_wants_nothing_else_plainly(encoder: OnnxEncoder, text: str) -> None:
    heard = encoder.hear([text])[0].aim
    assert heard is not None
    assert not heard.plainly
