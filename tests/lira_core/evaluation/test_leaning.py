"""`lira eval leaning`: what is put after what."""

from __future__ import annotations

from typing import Any

import pytest

from lira_core.evaluation.leaning import Session, evaluate_leaning, sessions_of
from lira_core.evaluation.tsv import DataError


def test_the_three_forms_of_sessions_are_read() -> None:
    lines = {"lines": ["내일 강릉 가", "비 온대", "기차로"], "after": [None, None, 0]}
    told = {"says": ["내일 강릉 가", "기차로"], "follows": [False, True]}
    talks = {
        "says": ["내일 강릉 가"],
        "talks": [[{"q": "어디 간댔지?", "follows": False}, {"q": "언제?", "follows": True}], [{"q": "뭐 타고?", "follows": False}]],
    }
    assert list(sessions_of([lines, told, talks])) == [
        Session(lines["lines"], [None, None, 0]),
        Session(told["says"], [None, 0]),
        Session(["어디 간댔지?", "언제?"], [None, 0]),
        Session(["뭐 타고?"], [None]),
    ]


@pytest.mark.parametrize("bad", [{}, {"says": ["가"]}, {"lines": ["가", "나"], "after": [None]}])
def test_a_row_of_another_form_is_named(bad: dict[str, object]) -> None:
    with pytest.raises(DataError, match="row 1"):
        list(sessions_of([bad]))


def test_what_leans_on_another_is_found_and_what_stands_alone_is_left_alone(engines: Any) -> None:
    rows = [{"lines": ["토요일에 강릉 가기로 했어", "고양이 이름은 콩이야", "나는 딸기를 좋아해"], "after": [None, None, None]}]
    scores, wrong = evaluate_leaning(engines.encoder, [*rows, {"lines": ["내일 세 시에 치과 가기로 했어", "아 그거 취소됐대"], "after": [None, 0]}])
    assert scores == {"found": 1.0, "astray": 0.0, "false": 0.0, "leaning": 1, "alone": 2}
    assert wrong == []
    scores, wrong = evaluate_leaning(engines.encoder, [{"lines": ["내일 세 시에 치과 가기로 했어", "아 그거 취소됐대"], "after": [None, None]}])
    assert (scores["found"], scores["false"]) == (None, 1.0)
    assert wrong == [{"text": "아 그거 취소됐대", "after": None, "put_after": ["내일 세 시에 치과 가기로 했어"]}]
