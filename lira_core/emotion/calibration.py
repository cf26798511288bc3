"""From raw model scores to scores on which one gate works for every label and both languages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lira_core.language import Language

NEUTRAL = "neutral"
TINY = 1e-6
"""Raw scores are kept this far from 0 and 1, so that their logit is finite."""

Floats = NDArray[np.float64]


def logit(p: NDArray[Any] | float) -> Floats:
    clipped = np.clip(np.asarray(p, np.float64), TINY, 1 - TINY)
    return np.asarray(np.log(clipped / (1 - clipped)))


def sigmoid(x: NDArray[Any] | float) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.asarray(x, np.float64))))


@dataclass(frozen=True)
class EmotionCalibration:
    """The mapping stored in `calibration.json` beside the model (there: what each number was fitted on).

    `thresholds[language][i]` is the raw score from which the model claims label i (best expected F1). The evidence for a feeling is
    how far its logit lies over its threshold, less how far neutral's lies over neutral's (at least -`neutral_floor`, so that a
    sentence that is anything but neutral does not lift every label), less `held_back`. Evidence 0 becomes the score `gate`, and
    `slope` is the steepness. `neutral` keeps its raw score.

    `held_back` is for labels that are ways of thinking rather than feelings (a question is `curiosity`): they need more.
    """

    labels: tuple[str, ...]
    thresholds: Mapping[Language, Floats]
    gate: float
    slope: float
    neutral_floor: float
    held_back: Floats

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> EmotionCalibration:
        """Raises ValueError when a part is missing or does not fit the others."""
        try:
            labels = tuple(str(label) for label in value["labels"])
            held_back = {str(k): float(v) for k, v in value["held_back"].items()}
            thresholds: dict[Language, Floats] = {
                "ko": np.array(value["thresholds"]["ko"], np.float64),
                "en": np.array(value["thresholds"]["en"], np.float64),
            }
            gate, slope, floor = float(value["gate"]), float(value["slope"]), float(value["neutral_floor"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"a part is missing or has the wrong form: {error}") from error
        if NEUTRAL not in labels or not held_back.keys() <= set(labels):
            raise ValueError(f"the labels lack {NEUTRAL!r} or one that is held back")
        if any(t.shape != (len(labels),) or not ((t > 0) & (t < 1)).all() for t in thresholds.values()):
            raise ValueError(f"each language needs {len(labels)} thresholds between 0 and 1")
        if not (0 < gate < 1 and slope > 0 and floor >= 0):
            raise ValueError("gate must lie between 0 and 1, slope above 0, neutral_floor at or above 0")
        return cls(labels, thresholds, gate, slope, floor, np.array([held_back.get(label, 0.0) for label in labels]))

    def evidence(self, raw: NDArray[Any], languages: Sequence[Language]) -> Floats:
        """(texts, labels): logits over the threshold, against neutral. The column of neutral is its own excess."""
        over = logit(raw) - logit(self._rows(languages))
        neutral = self.labels.index(NEUTRAL)
        against = np.maximum(over[:, [neutral]], -self.neutral_floor)
        against = np.repeat(against, len(self.labels), axis=1)
        against[:, neutral] = 0.0
        return np.asarray(over - against - self.held_back)

    def scores(self, raw: NDArray[Any], languages: Sequence[Language]) -> Floats:
        """(texts, labels) calibrated scores in [0, 1]."""
        scores = sigmoid(math.log(self.gate / (1 - self.gate)) + self.slope * self.evidence(raw, languages))
        neutral = self.labels.index(NEUTRAL)
        scores[:, neutral] = raw[:, neutral]
        return scores

    def claimed(self, raw: NDArray[Any], languages: Sequence[Language]) -> NDArray[np.bool_]:
        """(texts, labels): the labels that the model claims at its own thresholds, which is what F1 is measured on."""
        return np.asarray(np.asarray(raw, np.float64) >= self._rows(languages))

    def _rows(self, languages: Sequence[Language]) -> Floats:
        return np.array([self.thresholds[language] for language in languages]).reshape(len(languages), len(self.labels))
