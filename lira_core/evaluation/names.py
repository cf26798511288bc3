"""`lira eval names`: is the name by which somebody says that they are called heard, and no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lira_core.embedding.port import EmbeddingEngine
from lira_core.evaluation.tsv import DataError
from lira_core.memory.following import in_full

BATCH: Final = 32


def evaluate_names(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "own": name or null}`, some with what was said `before`, as a turn hears them together: as `evaluated`. And the rows that
    went wrong, with the name that was heard."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or not isinstance(row.get("own"), str | None):
            raise DataError(f'row {number}: wants {{"text": string, "own": string or null}}, has {dict(row)!r}')
    texts = [in_full([row["before"]], row["text"]) if "before" in row else row["text"] for row in rows]
    heard: list[str] = []
    for start in range(0, len(texts), BATCH):
        heard += [one.name or "" for one in engine.hear(texts[start : start + BATCH])]
    wrong = [{**row, "heard": name} for row, name in zip(rows, heard, strict=True) if name != (row["own"] or "")]
    return evaluated([row["own"] for row in rows], heard), wrong


def evaluated(own: Sequence[str | None], heard: Sequence[str]) -> dict[str, Any]:
    """Of those who tell their name the share whose very name is heard (`found`) and that hears another (`another`); of the others the share that
    hears any (`false`). None where there are none."""
    told = [(name, one) for name, one in zip(own, heard, strict=True) if name]
    untold = [one for name, one in zip(own, heard, strict=True) if not name]
    return {
        "found": round(sum(name == one for name, one in told) / len(told), 4) if told else None,
        "another": round(sum(one not in ("", name) for name, one in told) / len(told), 4) if told else None,
        "false": round(sum(map(bool, untold)) / len(untold), 4) if untold else None,
        "rows": len(own),
    }
