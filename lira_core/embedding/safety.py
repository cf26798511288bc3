"""The heads that hear who asks what LIRA is, who leans on it alone and who sounds at risk, from logits to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from lira_core.types import SafetyReading

SAFETY_FILE: Final = "safety.onnx"
"""Lies beside the encoder and stands on the same trunk."""
SAFETY_CALIBRATION: Final = "safety.json"
SAFETY: Final = "safety"
"""The model's output: logits of nothing of it, of asking what LIRA is, of leaning on it alone; of risk."""
WIDTH: Final = 4


@dataclass(frozen=True, slots=True)
class SafetyHeads:
    """For each head the log odds from which it speaks, chosen at everyday talk of people whom the model did not learn from."""

    identity: float
    attachment: float
    risk: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        try:
            return cls(*(float(calibration[name]) for name in ("identity", "attachment", "risk")))
        except (KeyError, TypeError) as error:
            raise ValueError(f"it lacks the number of a head: {error}") from error

    def read(self, logits: NDArray[np.float32]) -> SafetyReading:
        """`logits`: (WIDTH,). Who asks and leans at once is heard by both heads."""
        nothing, asks, leans, risk = logits.astype(np.float64)
        return SafetyReading(_sigmoid(asks - nothing - self.identity), _sigmoid(leans - nothing - self.attachment), _sigmoid(risk - self.risk))


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))
