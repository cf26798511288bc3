"""What asks for all that was told about something is counted, heard or not."""

from __future__ import annotations

from typing import Any

import pytest

from lira_core.evaluation.listing import evaluate_listing
from lira_core.evaluation.tsv import DataError


def test_what_is_heard_and_what_is_falsely_heard_are_counted_apart(engines: Any) -> None:
    rows = [{"text": text, "kind": "list"} for text in ("우리 강아지에 대해 아는 거 다 말해봐", "수진이 얘기 내가 뭐뭐 했더라", "오늘 비가 온다")]
    rows += [{"text": text, "kind": "other"} for text in ("엄마 생신 언제야?", "남자친구 얘기 다 지워줘")]
    scores, wrong = evaluate_listing(engines.encoder, rows)
    assert (scores, wrong) == ({"found": 0.6667, "false": 0.0, "rows": 5}, [rows[2]])
    assert evaluate_listing(engines.encoder, [])[0] == {"found": None, "false": None, "rows": 0}


@pytest.mark.parametrize("row", [{"text": "a"}, {"kind": "list"}, {"text": "a", "kind": "all"}, {"text": 1, "kind": "list"}])
def test_a_row_of_another_form_is_named(engines: Any, row: dict[str, object]) -> None:
    with pytest.raises(DataError, match=r"row 1.*wants"):
        evaluate_listing(engines.encoder, [row])
