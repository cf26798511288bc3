"""Scoring the gate on rows."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lira_core.evaluation.gate import evaluate_gate
from lira_core.evaluation.tsv import DataError

NOW = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
KEPT = {"text": "기억해줘, 열쇠는 화분 밑이야", "store": True}
ROWS = Path(__file__).parents[2] / "data" / "gate_dev.tsv"
SKIPPED = {"text": "ㅋㅋ", "store": False}


def test_what_is_kept_and_what_is_skipped_is_counted_and_each_mistake_told(engines: Any) -> None:
    missed, alarm = SKIPPED | {"store": True, "id": 1}, KEPT | {"store": False, "id": 2}
    scores, wrong = evaluate_gate(engines.emotion, engines.encoder, [KEPT, SKIPPED, missed, alarm], threshold=0.6, now=NOW)
    assert scores == {"f1": 0.5, "precision": 0.5, "recall": 0.5, "rows": 4}
    assert [(row["id"], row["decided"]) for row in wrong] == [(1, "none"), (2, "trigger")]
    assert all(row["emotion"] for row in wrong)


def test_where_all_is_right_nothing_is_wrong_beyond_one_batch_too(engines: Any) -> None:
    scores, wrong = evaluate_gate(engines.emotion, engines.encoder, [KEPT, SKIPPED] * 20, threshold=0.6, now=NOW)
    assert (scores["f1"], scores["rows"], wrong) == (1.0, 40, [])


def test_where_nothing_is_to_be_kept_nothing_is_divided_by_nothing(engines: Any) -> None:
    assert evaluate_gate(engines.emotion, engines.encoder, [SKIPPED], threshold=0.6, now=NOW)[0] == {
        "f1": 0.0,
        "precision": 0.0,
        "recall": 0.0,
        "rows": 1,
    }


@pytest.mark.parametrize("row", [{}, {"text": "가"}, {"text": 1, "store": True}, {"text": "가", "store": 1}])
def test_a_row_of_another_form_is_named(engines: Any, row: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="row 2"):
        evaluate_gate(engines.emotion, engines.encoder, [KEPT, row], threshold=0.6, now=NOW)


def test_everyday_sentences_are_kept_or_not_as_people_would(engines: Any) -> None:
    """Korean and English that the models did not learn from; .93 and above when this was written."""
    rows = [{"text": text, "store": why != "none"} for why, text in (line.split("\t") for line in ROWS.read_text("utf-8").splitlines() if line)]
    assert evaluate_gate(engines.emotion, engines.encoder, rows, threshold=0.6, now=NOW)[0]["f1"] > 0.85
