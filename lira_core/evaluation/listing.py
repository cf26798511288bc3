"""`lira eval listing`: is it heard that all that was told about something is asked for, and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lira_core.embedding.port import EmbeddingEngine
from lira_core.evaluation.tsv import DataError

BATCH: Final = 32
KINDS: Final = ("list", "other")


def evaluate_listing(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "kind"}` (`list` or `other`): the share heard of what asks for all, and of the others; None where there are none. And the
    rows that went wrong."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or row.get("kind") not in KINDS:
            raise DataError(f'row {number}: wants {{"text": string, "kind": "list" or "other"}}, has {dict(row)!r}')
    lists: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    wrong = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        for row, heard in zip(batch, engine.hear([row["text"] for row in batch]), strict=True):
            lists[row["kind"]].append(heard.lists)
            if heard.lists != (row["kind"] == "list"):
                wrong.append(dict(row))
    found, false = (round(sum(of) / len(of), 4) if of else None for of in lists.values())
    return {"found": found, "false": false, "rows": len(rows)}, wrong
