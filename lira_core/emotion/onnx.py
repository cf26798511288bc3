"""The embedded emotion model: 28 GoEmotions labels in Korean and English, int8, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lira_core.emotion.calibration import EmotionCalibration
from lira_core.language import language_of
from lira_core.model_folder import CALIBRATION_FILE
from lira_core.onnx import EMPTY, OnnxTextModel
from lira_core.types import EmotionReading, EmotionScore

PREFIX = "query: "
"""What every text was given in training."""
KEPT_FROM = 0.3
"""Labels from this calibrated score on are kept (the original LIRA)."""
KEPT_AT_MOST = 3
"""Labels kept of one utterance (the original LIRA)."""


class OnnxEmotion:
    """An `EmotionEngine` over one model directory. Blocking. Raises `lira_core.onnx.ModelError` when the directory is unusable."""

    def __init__(self, directory: Path, *, setting: str = "LIRA_EMOTION_MODEL_DIR") -> None:
        self._model = OnnxTextModel(directory, output="scores", setting=setting)
        try:
            self.calibration = EmotionCalibration.from_json(self._model.read_json(CALIBRATION_FILE))
        except ValueError as error:
            raise self._model.broken(CALIBRATION_FILE, str(error)) from error
        if len(self.labels) != self._model.width:
            raise self._model.broken(CALIBRATION_FILE, f"{len(self.labels)} labels, but the model gives {self._model.width} scores")

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in the order of the model's outputs."""
        return self.calibration.labels

    def raw(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(len(texts), labels) sigmoid scores as the model gives them. A text does not depend on its neighbours in the batch."""
        return self._model.run([PREFIX + (text.strip() or EMPTY) for text in texts])

    def claimed(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """(len(texts), labels): what the model claims at its own thresholds, each text by those of its language."""
        return self.calibration.claimed(self.raw(texts), [language_of(text) for text in texts])

    def read(self, texts: Sequence[str]) -> list[EmotionReading]:
        """Calibrated readings: at most three labels from 0.3 on, best first; the best one always."""
        scores = self.calibration.scores(self.raw(texts), [language_of(text) for text in texts])
        return [self._reading(row) for row in scores]

    def _reading(self, scores: NDArray[np.float64]) -> EmotionReading:
        best = np.argsort(-scores, kind="stable")[:KEPT_AT_MOST]
        kept = [i for i in best if scores[i] >= KEPT_FROM] or [best[0]]
        return EmotionReading(tuple(EmotionScore(self.labels[i], float(scores[i])) for i in kept))
