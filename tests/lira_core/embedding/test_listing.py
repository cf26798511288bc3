"""From a logit to whether all that was told about something is asked for, and the head that lies beside the bundled encoder."""

from __future__ import annotations

import numpy as np
import pytest

from lira_core.embedding.listing import LISTS, ListingHeads
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.settings import Settings


def test_the_head_speaks_above_its_place() -> None:
    heads = ListingHeads(1.5)
    assert [heads.heard({LISTS: np.array([logit], np.float32)}, "", [])[LISTS] for logit in (1.4, 1.5, 1.6)] == [False, False, True]


@pytest.mark.parametrize("stored", [{}, {"lists": None}])
def test_a_calibration_without_the_head_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        ListingHeads.from_json(stored)


def test_what_asks_for_all_is_told_from_what_asks_for_one_thing_wants_it_forgotten_or_tells() -> None:
    encoder = OnnxEncoder(Settings().embedding_model_dir)
    all_of_it = ["우리 강아지에 대해 아는 거 다 말해봐", "수진이 얘기 내가 뭐뭐 했더라", "what have I told you about my sister so far?"]
    else_wanted = [
        "우리 강아지 이름이 뭐지?",
        "남자친구 얘기 다 지워줘",
        "엄마한테 다 말해버렸어",
        "what's my sister called?",
        "I told her everything",
    ]
    assert [heard.lists for heard in encoder.hear(all_of_it + else_wanted)] == [True] * len(all_of_it) + [False] * len(else_wanted)
