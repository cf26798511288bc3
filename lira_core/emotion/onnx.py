"""The embedded emotion model: 28 GoEmotions labels in Korean and English, int8, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.onnx import utterances
from lira_core.emotion.calibration import EmotionCalibration
from lira_core.emotion.labels import reading
from lira_core.language import language_of
from lira_core.model_folder import CALIBRATION_FILE
from lira_core.onnx import LAYERS, SCORES, shared
from lira_core.types import EmotionReading


class OnnxEmotion:
    """An `EmotionEngine` over one model directory. Blocking. Raises `lira_core.onnx.ModelError` when the directory is unusable."""

    def __init__(self, directory: Path, *, setting: str = "LIRA_EMOTION_MODEL_DIR") -> None:
        self.model = shared(directory, SCORES, setting)
        try:
            self.calibration = EmotionCalibration.from_json(self.model.read_json(CALIBRATION_FILE))
        except ValueError as error:
            raise self.model.broken(CALIBRATION_FILE, str(error)) from error
        if len(self.labels) != self.model.width:
            raise self.model.broken(CALIBRATION_FILE, f"{len(self.labels)} labels, but the model gives {self.model.width} scores")

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in the order of the model's outputs."""
        return self.calibration.labels

    def raw(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(len(texts), labels) sigmoid scores as the model gives them. A text does not depend on its neighbours in the batch."""
        return self.model.run(utterances(texts))

    def claimed(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """(len(texts), labels): what the model claims at its own thresholds, each text by those of its language."""
        return self.calibration.claimed(self.raw(texts), [language_of(text) for text in texts])

    def read(self, texts: Sequence[str]) -> list[EmotionReading]:
        """Calibrated readings: at most three labels from 0.3 on, best first; the best one always."""
        return self._readings(texts, self.raw(texts))

    def read_on(self, texts: Sequence[str], states: Sequence[NDArray[np.float32]]) -> tuple[list[EmotionReading], list[NDArray[np.float32]]]:
        """As `read`, of `utterances` that the trunk has been through; and the states of the model's own layers, empty where it gives none."""
        if not texts or not self.model.has(LAYERS):
            return self._readings(texts, self.model.run_on(states, (SCORES,))[SCORES]), []
        found = self.model.run_each(states, (SCORES, LAYERS))
        return self._readings(texts, np.stack([one[SCORES] for one in found])), [one[LAYERS] for one in found]

    def _readings(self, texts: Sequence[str], raw: NDArray[np.float32]) -> list[EmotionReading]:
        scores = self.calibration.scores(raw, [language_of(text) for text in texts])
        return [reading(self.labels, row) for row in scores]
