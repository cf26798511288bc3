"""Scoring an emotion model on rows of text and gold labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lira_core.evaluation.tsv import DataError, tsv_rows

BATCH = 16


class MultiLabelEngine(Protocol):
    """An emotion model that says which labels it claims."""

    @property
    def labels(self) -> tuple[str, ...]: ...

    def claimed(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """(len(texts), labels), at the model's own thresholds."""
        ...


def read_labels(path: Path) -> list[str]:
    """Label names, one a line; the line is the id, from 0."""
    names = [columns[0].strip() for _, columns in tsv_rows(path)]
    if not names or len(set(names)) != len(names):
        raise DataError(f"{path}: needs one label a line, none twice")
    return names


def read_emotion_rows(path: Path, labels: Sequence[str]) -> list[tuple[str, tuple[int, ...]]]:
    """(text, label ids) of each `text TAB ids [TAB anything]` row; ids are comma-separated indices into `labels`.

    A first line whose second column is no list of ids is taken for a header when it says so by name (`labels`, `ids`, ...).
    """
    rows: list[tuple[str, tuple[int, ...]]] = []
    for number, columns in tsv_rows(path):
        if len(columns) < 2:
            raise DataError(f"{path}, line {number}: needs text, a tab and label ids")
        text, ids = columns[0], columns[1]
        if number == 1 and ids.strip().casefold() in {"label", "labels", "id", "ids", "label_ids", "emotion", "emotions"}:
            continue
        try:
            gold = tuple(int(part) for part in ids.split(","))
        except ValueError:
            raise DataError(f"{path}, line {number}: {ids!r} is no comma-separated list of label ids") from None
        if any(not 0 <= i < len(labels) for i in gold):
            raise DataError(f"{path}, line {number}: {ids!r} names a label beyond the {len(labels)} there are")
        rows.append((text, gold))
    if not rows:
        raise DataError(f"{path}: no rows")
    return rows


def evaluate_emotion(engine: MultiLabelEngine, rows: Sequence[tuple[str, tuple[int, ...]]], labels: Sequence[str] | None = None) -> dict[str, Any]:
    """`{"macro_f1", "micro_f1", "rows"}` at the model's own thresholds.

    `labels` names the ids of the rows, where their order is not the model's; each must be one of the model's. Macro-F1 is the plain
    mean over the labels; a label that neither gold nor model has counts as 0, as in scikit-learn.
    """
    names = list(labels) if labels is not None else list(engine.labels)
    unknown = [name for name in names if name not in engine.labels]
    if unknown:
        raise DataError(
            f"the model has no label {', '.join(map(repr, unknown))}; it has {', '.join(engine.labels)}: score it on rows of those and name them "
            "with --labels, or map one of its own to each in LIRA_EMOTION_LABELS"
        )
    columns = [engine.labels.index(name) for name in names]
    gold = np.zeros((len(rows), len(names)), bool)
    for row, (_, ids) in enumerate(rows):
        gold[row, list(ids)] = True
    claimed = np.zeros_like(gold)
    # Texts of like length share a batch, so that little of it is padding.
    order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]))
    for start in range(0, len(order), BATCH):
        batch = order[start : start + BATCH]
        claimed[batch] = engine.claimed([rows[i][0] for i in batch])[:, columns]
    per_label, overall = f1(gold, claimed)
    return {"macro_f1": round(float(per_label.mean()), 4), "micro_f1": round(overall, 4), "rows": len(rows)}


def f1(gold: NDArray[np.bool_], claimed: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
    """(F1 per column, F1 over all cells) of two (rows, labels) arrays; 0 where there is nothing to find and nothing claimed."""
    hits = (gold & claimed).sum(0)
    total = gold.sum(0) + claimed.sum(0)
    return np.asarray(2 * hits / np.maximum(total, 1), np.float64), float(2 * hits.sum() / max(int(total.sum()), 1))
