"""Scoring certainty against gold similarity (KorSTS)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.certainty import Certainty
from lira_core.embedding.port import EmbeddingEngine
from lira_core.evaluation.tsv import DataError, tsv_rows

BATCH = 16
COLUMNS = ("score", "sentence1", "sentence2")


def read_similarity_rows(path: Path) -> list[tuple[str, str, float]]:
    """(sentence1, sentence2, gold score) of a KorSTS file; its header says where the three columns are."""
    lines = tsv_rows(path)
    _, header = next(lines, (0, []))
    names = [name.strip().casefold() for name in header]
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise DataError(f"{path}, line 1: the header lacks {', '.join(missing)}")
    score, first, second = (names.index(name) for name in COLUMNS)
    rows = []
    for number, columns in lines:
        if len(columns) <= max(score, first, second):
            raise DataError(f"{path}, line {number}: {len(columns)} columns, the header has {len(header)}")
        try:
            gold = float(columns[score])
        except ValueError:
            gold = math.nan
        if not math.isfinite(gold):
            raise DataError(f"{path}, line {number}: {columns[score]!r} is no score")
        rows.append((columns[first], columns[second], gold))
    if len(rows) < 2:
        raise DataError(f"{path}: a rank correlation needs at least two rows")
    return rows


def evaluate_similarity(engine: EmbeddingEngine, certainty: Certainty, rows: Sequence[tuple[str, str, float]]) -> dict[str, Any]:
    """`{"spearman", "rows"}`: certainty of the two sentences against the gold score.

    Both sentences are embedded as queries: the prefix that E5 asks for in symmetric tasks.
    """
    sentences = sorted({s for first, second, _ in rows for s in (first, second)}, key=lambda s: (len(s), s))
    vectors: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(sentences), BATCH):
        batch = sentences[start : start + BATCH]
        vectors.update(zip(batch, engine.embed([("query", s) for s in batch]), strict=True))
    cosines = np.array([float(vectors[first] @ vectors[second]) for first, second, _ in rows])
    return {"spearman": round(spearman(certainty(cosines), np.array([gold for _, _, gold in rows])), 4), "rows": len(rows)}


def spearman(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Rank correlation, ties at their mean rank; 0 where one side is constant."""
    x, y = _ranks(a), _ranks(b)
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / scale if scale else 0.0


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, position, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[position], np.float64)
