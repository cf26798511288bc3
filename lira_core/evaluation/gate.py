"""`lira eval gate`: does the gate keep what is worth keeping, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from lira_core.embedding.port import EmbeddingEngine
from lira_core.emotion.port import EmotionEngine
from lira_core.evaluation.tsv import DataError
from lira_core.memory.asking import asked
from lira_core.memory.gate import decide
from lira_core.memory.understanding import understand

BATCH = 32


def evaluate_gate(
    emotion: EmotionEngine, encoder: EmbeddingEngine, rows: Sequence[Mapping[str, Any]], *, threshold: float, now: datetime
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Precision, recall and F1 of keeping, over rows `{"text", "store": bool, "why"}`; and the rows that went wrong."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or not isinstance(row.get("store"), bool):
            raise DataError(f'row {number}: wants {{"text": string, "store": true or false}}, has {dict(row)!r}')
    hits = false_alarms = misses = 0
    wrong = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        texts = [row["text"] for row in batch]
        for row, reading, heard in zip(batch, emotion.read(texts), encoder.hear(texts), strict=True):
            understood = understand(row["text"], now)
            question = asked(understood.question, understood.terms, heard.speech).question
            decision = decide(row["text"], reading, understood.facts, question, heard.speech, threshold=threshold)
            hits += decision.keep and row["store"]
            false_alarms += decision.keep and not row["store"]
            misses += not decision.keep and row["store"]
            if decision.keep != row["store"]:
                real = reading.real
                wrong.append({**row, "decided": decision.reason, "emotion": f"{real.label} {real.score:.2f}" if real else "neutral"})
    precision = hits / (hits + false_alarms) if hits + false_alarms else 0.0
    recall = hits / (hits + misses) if hits + misses else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"f1": round(f1, 4), "precision": round(precision, 4), "recall": round(recall, 4), "rows": len(rows)}, wrong
