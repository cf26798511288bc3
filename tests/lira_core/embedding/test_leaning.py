"""From a logit to whether an utterance leans on what was said before it, and the head that lies beside the bundled encoder."""

from __future__ import annotations

import numpy as np
import pytest

from lira_core.embedding.leaning import FOLLOWS, LeaningHeads
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.settings import Settings

HEADS = LeaningHeads(1.5)


def test_the_head_is_even_at_its_place() -> None:
    heard = [HEADS.heard({FOLLOWS: np.array([logit], np.float32)}, "", [])[FOLLOWS] for logit in (1.4, 1.5, 1.6)]
    assert heard[0] < heard[1] == 0.5 < heard[2]


@pytest.mark.parametrize("stored", [{}, {"follows": None}])
def test_a_calibration_without_the_head_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        LeaningHeads.from_json(stored)


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(Settings().embedding_model_dir)


def test_what_wants_the_words_before_it_is_told_from_what_stands_alone(encoder: OnnxEncoder) -> None:
    following, alone = (
        ["누구랑?", "그거 언제랬지?", "with whom?"],
        ["내 고양이 이름이 뭐였지?", "토요일에 뭐 하기로 했지?", "나는 딸기를 좋아해", "월세 협상해서 이백으로 깎음", "got the deposit back"],
    )
    assert all(heard.follows >= 0.5 for heard in encoder.hear(following))
    assert all(heard.follows < 0.5 for heard in encoder.hear(alone))
