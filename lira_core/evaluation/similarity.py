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


SAME = 2.0
"""KorSTS gold from which two sentences are about the same thing ("not equivalent, but share some details")."""
STEPS = 100


def fit_certainty(engine: EmbeddingEngine, rows: Sequence[tuple[str, str, float]]) -> Certainty:
    """Of another encoder: the logistic regression of "about the same thing" on the cosine, both sides weighted alike, by Newton's method.

    DataError where the rows have one side alone, or cosines that do not rise with it.
    """
    cosines, same = _cosines(engine, rows), np.array([gold >= SAME for _, _, gold in rows], np.float64)
    if not 0 < same.sum() < len(same):
        raise DataError(f"a fit needs rows with a score from {SAME:g} on and others below it")
    x = np.stack([cosines, np.ones_like(cosines)], axis=1)
    weight = np.where(same == 1, 0.5 / same.sum(), 0.5 / (len(same) - same.sum()))
    found = np.zeros(2)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-x @ found))
        # So little ridge that it only keeps the two sides, where they do not overlap, from an endless slope.
        gradient = x.T @ (weight * (same - p)) - 1e-6 * found
        curvature = (x * (weight * p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        found += step * min(1.0, 10 / float(np.abs(step).max() + 1e-12))
    if not found[0] > 0:
        raise DataError("the cosines of this encoder do not rise with the score")
    return Certainty(float(found[0]), float(found[1]))


def evaluate_similarity(engine: EmbeddingEngine, certainty: Certainty, rows: Sequence[tuple[str, str, float]]) -> dict[str, Any]:
    """`{"spearman", "rows"}`: certainty of the two sentences against the gold score.

    Both sentences are embedded as queries: the prefix that E5 asks for in symmetric tasks.
    """
    gold = np.array([gold for _, _, gold in rows])
    return {"spearman": round(spearman(certainty(_cosines(engine, rows)), gold), 4), "rows": len(rows)}


def _cosines(engine: EmbeddingEngine, rows: Sequence[tuple[str, str, float]]) -> NDArray[np.float64]:
    sentences = sorted({s for first, second, _ in rows for s in (first, second)}, key=lambda s: (len(s), s))
    vectors: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(sentences), BATCH):
        batch = sentences[start : start + BATCH]
        vectors.update(zip(batch, engine.embed([("query", s) for s in batch]), strict=True))
    return np.array([float(vectors[first] @ vectors[second]) for first, second, _ in rows])


def spearman(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Rank correlation, ties at their mean rank; 0 where one side is constant."""
    x, y = _ranks(a), _ranks(b)
    x, y = x - x.mean(), y - y.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / scale if scale else 0.0


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, position, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[position], np.float64)
