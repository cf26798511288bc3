"""Any Hugging Face classifier as the emotion model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lira_core.batching import Bounds
from lira_core.embedding.port import EMPTY
from lira_core.emotion.labels import LabelMap, reading
from lira_core.torch_model import Launched, Place, TorchTextModel, demand
from lira_core.types import EmotionReading

if TYPE_CHECKING:
    import torch

SETTING, LABELS_SETTING = "LIRA_EMOTION_MODEL", "LIRA_EMOTION_LABELS"
CLAIMED_FROM = 0.5
"""A classifier of several labels brings no thresholds: it claims what it holds likelier than not, as it was trained to."""


class TransformersEmotion:
    """An `EmotionEngine`, and the `Steps` of one. Blocking. ModelError for what cannot be used.

    Scores are the model's own: a sigmoid for each label where it was trained on several at once, a softmax where on one. They are not
    calibrated, so the gate of LIRA_EMOTION_GATE means what it means for that model.
    """

    def __init__(self, name: str, labels: Mapping[str, str | None], place: Place) -> None:
        demand("LIRA_EMOTION_ENGINE")
        self._model = TorchTextModel(name, "AutoModelForSequenceClassification", self._scores, place, setting=SETTING)
        config = self._model.config
        self._several = config.problem_type == "multi_label_classification" or config.num_labels == 1
        self._map = label_map(config, labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """Those of the 28 that the model can tell."""
        return self._map.labels

    @property
    def bounds(self) -> Bounds:
        return self._model.bounds

    def read(self, texts: Sequence[str]) -> list[EmotionReading]:
        return self._readings(self._model.run([_told(text) for text in texts])) if texts else []

    def claimed(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """(len(texts), labels): what the model claims, from CLAIMED_FROM on where it was trained on several labels, else its strongest."""
        theirs = self._model.run([_told(text) for text in texts])
        return self._map.scores(theirs >= CLAIMED_FROM if self._several else theirs == theirs.max(axis=1, keepdims=True))

    def tokenise(self, items: list[str]) -> list[list[int]]:
        return self._model.tokenise([_told(text) for text in items])

    def infer(self, rows: list[list[int]]) -> Launched:
        return self._model.infer(rows)

    def decode(self, output: Launched) -> list[EmotionReading]:
        return self._readings(self._model.values(output))

    def _readings(self, theirs: NDArray[np.float32]) -> list[EmotionReading]:
        return [reading(self.labels, row) for row in self._map.scores(theirs)]

    def _scores(self, output: Any, mask: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = output.logits.float()
        return logits.sigmoid() if self._several else logits.softmax(-1)


def label_map(config: Any, labels: Mapping[str, str | None]) -> LabelMap:
    """The labels of a classifier by its config. ModelError, naming LIRA_EMOTION_LABELS, for a map that does not fit them."""
    return LabelMap([config.id2label[i] for i in range(config.num_labels)], labels, setting=LABELS_SETTING)


def _told(text: str) -> str:
    return text.strip() or EMPTY
