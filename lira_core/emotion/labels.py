"""The 28 labels, what is kept of their scores, and how another model's labels are read as them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lira_core.model_folder import ModelError
from lira_core.types import EmotionReading, EmotionScore

EMOTIONS = (
    "admiration", "amusement", "anger", "annoyance", "approval", "caring", "confusion", "curiosity", "desire", "disappointment",
    "disapproval", "disgust", "embarrassment", "excitement", "fear", "gratitude", "grief", "joy", "love", "nervousness", "optimism",
    "pride", "realization", "relief", "remorse", "sadness", "surprise", "neutral",
)  # fmt: skip
"""GoEmotions (Demszky et al. 2020), in the order of its files."""
KEPT_FROM = 0.3
"""Labels from this calibrated score on are kept (the original LIRA)."""
KEPT_AT_MOST = 3
"""Labels kept of one utterance (the original LIRA)."""


def reading(labels: Sequence[str], scores: NDArray[Any]) -> EmotionReading:
    """At most three labels from 0.3 on, best first; the best one always. `scores`: (labels,)."""
    best = np.argsort(-scores, kind="stable")[:KEPT_AT_MOST]
    kept = [i for i in best if scores[i] >= KEPT_FROM] or [best[0]]
    return EmotionReading(tuple(EmotionScore(labels[i], float(scores[i])) for i in kept))


class LabelMap:
    """A model's labels as some of EMOTIONS. Where several are one, the strongest counts; a label mapped to None is left out.

    `given` names labels as the model does; one that it does not name stands for itself where it is among EMOTIONS. ModelError, naming
    `setting`, for a label that has no place, a target that is no emotion, a name that the model does not have, and no label left.
    """

    def __init__(self, theirs: Sequence[str], given: Mapping[str, str | None], *, setting: str) -> None:
        if unknown := sorted(set(given) - set(theirs)):
            raise ModelError(f"{setting}: the model has no label {unknown[0]!r}{_near(unknown[0], theirs)}")
        targets = {label: given[label] if label in given else label.lower() for label in theirs}
        if wrong := sorted(label for label in given if given[label] is not None and given[label] not in EMOTIONS):
            raise ModelError(f"{setting}: {given[wrong[0]]!r} is none of the 28 emotions{_near(str(given[wrong[0]]), EMOTIONS)}")
        if without := [label for label, target in targets.items() if target is not None and target not in EMOTIONS]:
            raise ModelError(
                f"{setting} does not cover the model's labels {', '.join(map(repr, without[:5]))}{' and others' if len(without) > 5 else ''}: "
                "give each one of the 28 emotions, or null to leave it out"
            )
        self.labels = tuple(emotion for emotion in EMOTIONS if emotion in targets.values())
        if not self.labels:
            raise ModelError(f"{setting} leaves no label of the model")
        self._columns = [[i for i, label in enumerate(theirs) if targets[label] == emotion] for emotion in self.labels]

    def scores(self, theirs: NDArray[Any]) -> NDArray[Any]:
        """(texts, their labels) → (texts, `labels`)."""
        return np.stack([theirs[:, columns].max(axis=1) for columns in self._columns], axis=1)


def _near(name: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(name, known, 1, 0.5)
    return f"; did you mean {found[0]!r}?" if found else f"; there are: {', '.join(known[:40])}."
