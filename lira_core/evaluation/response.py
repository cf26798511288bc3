"""`lira eval response`: does the kind of reply that is heard fit what somebody told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lira_core.embedding.port import EmbeddingEngine
from lira_core.evaluation.tsv import DataError
from lira_core.responses import NO_RESPONSE, RESPONSES

BATCH: Final = 32


def evaluate_response(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "response": [kinds that fit, the best first]}`, `["none"]` where none does: as `evaluated`. And the rows where another kind
    was heard, with it."""
    for number, row in enumerate(rows, 1):
        kinds = row.get("response")
        if not isinstance(row.get("text"), str) or not isinstance(kinds, list) or not kinds or not set(kinds) <= {NO_RESPONSE, *RESPONSES}:
            raise DataError(f'row {number}: wants {{"text": string, "response": [kinds of lira_core/responses.py]}}, has {dict(row)!r}')
    heard: list[str] = []
    for start in range(0, len(rows), BATCH):
        heard += [one.response for one in engine.hear([row["text"] for row in rows[start : start + BATCH]])]
    wrong = [{**row, "heard_as": kind} for row, kind in zip(rows, heard, strict=True) if kind != NO_RESPONSE and kind not in row["response"]]
    return evaluated(rows, heard), wrong


def evaluated(rows: Sequence[Mapping[str, Any]], heard: Sequence[str]) -> dict[str, Any]:
    """`heard`: the share of all of which a kind is heard; `fits`: of these the share of which it is one that fits; `false`: of what no kind fits the
    share of which one is heard. None where there are none."""
    pairs = list(zip(rows, heard, strict=True))
    spoken = [(row, kind) for row, kind in pairs if kind != NO_RESPONSE]
    return {
        "heard": _share([kind != NO_RESPONSE for kind in heard]),
        "fits": _share([kind in row["response"] for row, kind in spoken]),
        "false": _share([kind != NO_RESPONSE for row, kind in pairs if NO_RESPONSE in row["response"]]),
        "rows": len(rows),
    }


def _share(told: Sequence[bool]) -> float | None:
    return round(sum(told) / len(told), 4) if told else None
