"""`lira eval tone`: is what somebody said met in a fitting tone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lira_core.embedding.port import EmbeddingEngine
from lira_core.embedding.tone import FITTING, TONES
from lira_core.evaluation.tsv import DataError
from lira_core.types import Tone

BATCH: Final = 32


def evaluate_tone(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "tone"}`: as `evaluated`. And the rows that were met in a tone that does not fit, with what was heard."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or row.get("tone") not in TONES:
            raise DataError(f'row {number}: wants {{"text": string, "tone": one of {", ".join(TONES)}}}, has {dict(row)!r}')
    heard: list[Tone] = []
    for start in range(0, len(rows), BATCH):
        batch = [row["text"] for row in rows[start : start + BATCH]]
        heard += [one.tone or "neutral" for one in engine.hear(batch)]
    wrong = [{**row, "heard_as": one} for row, one in zip(rows, heard, strict=True) if one not in FITTING[row["tone"]]]
    return evaluated(rows, heard), wrong


def evaluated(rows: Sequence[Mapping[str, Any]], heard: Sequence[Tone]) -> dict[str, Any]:
    """`fitting`: the share of all met in a fitting tone; of those who want one: the share that is (`met`), that hears the very tone (`exact`), that
    is met plainly (`flat`) and wrongly (`wrong`); of the others the share met in any (`false`)."""
    pairs = list(zip(rows, heard, strict=True))
    want = [(row, one) for row, one in pairs if row["tone"] != "neutral"]
    return {
        "fitting": _share([one in FITTING[row["tone"]] for row, one in pairs]),
        "met": _share([one in FITTING[row["tone"]] for row, one in want]),
        "exact": _share([one == row["tone"] for row, one in want]),
        "flat": _share([one == "neutral" for _, one in want]),
        "wrong": _share([one not in FITTING[row["tone"]] | {"neutral"} for row, one in want]),
        "false": _share([one != "neutral" for row, one in pairs if row["tone"] == "neutral"]),
        "rows": len(rows),
    }


def _share(told: Sequence[bool]) -> float | None:
    return round(sum(told) / len(told), 4) if told else None
