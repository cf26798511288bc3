"""From the logits of the kinds of reply to what is heard, by themselves and of the bundled encoder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.response import KINDS, ResponseReader
from lira_core.responses import NO_RESPONSE
from lira_core.settings import Settings

FOLDER = Settings().embedding_model_dir


@given(arrays(np.float32, len(KINDS), elements=st.floats(-50, 50, width=32)), st.floats(0, 1))
def test_the_likeliest_is_heard_where_it_is_likely_enough(logits: np.ndarray, speaks: float) -> None:
    heard = ResponseReader(speaks).read(logits)
    odds = np.exp(logits - logits.max())
    if heard == NO_RESPONSE:
        # Odds, since logits apart by less than a float of their size have the same.
        assert odds[0] == odds.max() or odds.max() / odds.sum() < speaks
    else:
        assert odds[KINDS.index(heard)] == odds.max()


@pytest.mark.parametrize("stored", [{}, {"speaks": None}, {"speaks": 0.5}, {"speaks": 0.5, "kinds": ["none", "note"]}])
def test_a_calibration_without_a_head_or_of_other_kinds_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        ResponseReader.from_json(stored)
    assert ResponseReader.from_json({"speaks": 0.5, "kinds": list(KINDS)}) == ResponseReader(0.5)


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(FOLDER)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("감기 걸려서 열나고 목이 부었어", "ill_self"),
        ("계단에서 넘어져서 무릎 까졌어", "hurt_self"),
        ("동생이 수능 만점 받았대", "passed_other"),
        ("보일러가 고장났어", "broken"),
        ("우리 딸이 임신했대", "baby"),
        ("I've got a rotten cold", "ill_self"),
        ("lost my wallet on the bus", "lost_item"),
        ("we're having a baby in June", "baby"),
    ],
)
def test_the_bundled_heads_hear_what_would_fit(encoder: OnnxEncoder, text: str, kind: str) -> None:
    assert encoder.hear([text])[0].response == kind


@pytest.mark.parametrize("text", ["우리 강아지 이름이 뭐라고 했지?", "what did I say my sister's called?", "너는 뭘 할 수 있어?"])
def test_to_a_question_none_fits(encoder: OnnxEncoder, text: str) -> None:
    assert encoder.hear([text])[0].response == NO_RESPONSE
