"""`lira eval tone`: is what somebody said met in a fitting tone, and the right words of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from lira_core.embedding.port import EmbeddingEngine
from lira_core.embedding.tone import TONES
from lira_core.evaluation.tsv import DataError
from lira_core.types import Tone, ToneReading

BATCH: Final = 32
_GLAD: Final[frozenset[Tone]] = frozenset(("joy", "pride", "love", "relief", "optimism", "amusement"))
_LOW: Final[frozenset[Tone]] = frozenset(("sadness", "grief", "disappointment", "nervousness", "embarrassment"))
_SORE: Final[frozenset[Tone]] = frozenset(("sadness", "disappointment", "nervousness", "anger", "annoyance", "embarrassment"))
FITTING: Final[Mapping[Tone, frozenset[Tone]]] = {
    "neutral": frozenset(("neutral",)),
    "surprise": frozenset(("surprise", "confusion")),
    "confusion": frozenset(("confusion", "nervousness", "annoyance")),
    **dict.fromkeys(("joy", "pride", "love", "relief", "optimism", "amusement"), _GLAD),
    **dict.fromkeys(("sadness", "disappointment", "nervousness", "embarrassment"), _LOW | _SORE),
    "grief": frozenset(("grief", "sadness")),
    **dict.fromkeys(("anger", "annoyance"), _SORE),
}
"""Of each tone those that do not sound wrong in its place."""


def evaluate_tone(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over rows `{"text", "tone", "about"}`: as `evaluated`. And the rows that were met in a tone that does not fit, with what was heard."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("text"), str) or row.get("tone") not in TONES or not isinstance(row.get("about"), str | None):
            raise DataError(f'row {number}: wants {{"text": string, "tone": one of {", ".join(TONES)}, "about": string or null}}, has {dict(row)!r}')
    heard: list[ToneReading] = []
    for start in range(0, len(rows), BATCH):
        batch = [row["text"] for row in rows[start : start + BATCH]]
        heard += [one.tone or ToneReading("neutral", "") for one in engine.hear(batch)]
    wrong = [
        {**row, "heard_as": one.tone, "heard_about": one.about} for row, one in zip(rows, heard, strict=True) if one.tone not in FITTING[row["tone"]]
    ]
    return evaluated(rows, heard), wrong


def evaluated(rows: Sequence[Mapping[str, Any]], heard: Sequence[ToneReading]) -> dict[str, Any]:
    """`fitting`: the share of all met in a fitting tone; of those who want one: the share that is (`met`), that hears the very tone (`exact`), that
    is met plainly (`flat`) and wrongly (`wrong`); of the others the share met in any (`false`); of what is met in a fitting tone the overlap of the
    words with those that it is about (`about`, F1 of their characters)."""
    pairs = list(zip(rows, heard, strict=True))
    want = [(row, one) for row, one in pairs if row["tone"] != "neutral"]
    met = [(row, one) for row, one in want if one.tone in FITTING[row["tone"]]]
    return {
        "fitting": _share([one.tone in FITTING[row["tone"]] for row, one in pairs]),
        "met": _share([one.tone in FITTING[row["tone"]] for row, one in want]),
        "exact": _share([one.tone == row["tone"] for row, one in want]),
        "flat": _share([one.tone == "neutral" for _, one in want]),
        "wrong": _share([one.tone not in FITTING[row["tone"]] | {"neutral"} for row, one in want]),
        "false": _share([one.tone != "neutral" for row, one in pairs if row["tone"] == "neutral"]),
        "about": _mean([_overlap(row["about"], one.about) for row, one in met if row["about"]]),
        "rows": len(rows),
    }


def _overlap(wanted: str, found: str) -> float:
    """F1 of the characters of two runs of one text, as the longest that they share."""
    one, other = "".join(wanted.split()), "".join(found.split())
    if one in other or other in one:
        shared = min(len(one), len(other))
    else:
        shared = max((size for size in range(min(len(one), len(other))) if one[-size:] == other[:size] or one[:size] == other[-size:]), default=0)
    return 2 * shared / (len(one) + len(other)) if one and other else 0.0


def _share(told: Sequence[bool]) -> float | None:
    return round(sum(told) / len(told), 4) if told else None


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
