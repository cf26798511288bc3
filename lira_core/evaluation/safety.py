"""`lira eval safety`: is whoever sounds at risk heard, and nobody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lira_core.embedding.port import EmbeddingEngine
from lira_core.evaluation.tsv import DataError
from lira_core.safety import at_risk, sounds_at_risk

BATCH = 32


def evaluate_safety(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "risk": bool}`: the share heard of those at risk, and of the others; None where there are none. And the rows
    that went wrong, with what the words and the encoder made of them.
    """
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or not isinstance(row.get("risk"), bool):
            raise DataError(f'row {number}: wants {{"text": string, "risk": true or false}}, has {dict(row)!r}')
    alarms: dict[bool, list[bool]] = {True: [], False: []}
    wrong = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        for row, heard in zip(batch, engine.hear([row["text"] for row in batch]), strict=True):
            alarm = sounds_at_risk(row["text"], heard.speech)
            alarms[row["risk"]].append(alarm)
            if alarm != row["risk"]:
                wrong.append({**row, "by_words": at_risk(row["text"]), "by_encoder": round(heard.speech.at_risk, 3) if heard.speech else None})
    return {"recall": _share(alarms[True]), "false_alarms": _share(alarms[False]), "rows": len(rows)}, wrong


def _share(alarms: Sequence[bool]) -> float | None:
    return round(sum(alarms) / len(alarms), 4) if alarms else None
