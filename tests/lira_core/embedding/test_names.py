"""From logits to the speaker's own name, and the heads that lie beside the bundled encoder."""

from __future__ import annotations

import numpy as np
import pytest

from lira_core.embedding.names import NameHeads
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.memory.following import in_full
from lira_core.settings import Settings

PIECES = [(0, 0), (-7, 0), (0, 1), (1, 4), (4, 6), (6, 8), (0, 0)]


def test_a_name_is_the_likeliest_run_without_what_is_around_it_and_none_where_none_is_told() -> None:
    heads, pieces = NameHeads(0.5), np.array([-9, -9, -9, 4, -2, -9, -9], np.float32)
    assert heads.read(0.6, pieces, "나 서연이야!", PIECES) == "서연"
    assert heads.read(0.4, pieces, "나 서연이야!", PIECES) == ""
    assert heads.read(0.6, -np.abs(pieces), "나 서연이야!", PIECES) == ""


@pytest.mark.parametrize("stored", [{}, {"speaks": None}])
def test_a_calibration_without_a_head_is_refused(stored: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="head"):
        NameHeads.from_json(stored)


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(Settings().embedding_model_dir)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("안녕하세요, 제 이름은 김서연입니다", "김서연"),
        ("나는 민수야", "민수"),
        ("안녕하세요 이준호입니다", "이준호"),
        ("나 사실 이름 바꿨어. 이제 서윤이야", "서윤"),
        ("I'm Nina, 31, born in Cork, and I live in Dublin now", "Nina"),
        ("this is Walter", "Walter"),
        ("아내 이름은 이영희입니다", ""),
        ("나 지금 회사야", ""),
        ("제 이름이 뭐였죠?", ""),
        ("우리 강아지 이름은 보리야", ""),
        ("나는 간호사야", ""),
        ("I'm tired", ""),
        ("My sister's name is Rose", ""),
    ],
)
def test_the_speakers_own_name_is_heard_and_no_other(encoder: OnnxEncoder, text: str, name: str) -> None:
    assert encoder.hear([text])[0].name == name


def test_after_a_cat_was_told_of_a_name_is_the_cat_s(encoder: OnnxEncoder) -> None:
    assert encoder.hear([in_full(["우리 집에 고양이 한 마리 있어"], "이름은 두부야")])[0].name == ""
