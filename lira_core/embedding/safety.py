"""The heads that hear who asks what LIRA is, who leans on it alone and who sounds at risk, from logits to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import Pieces, places
from lira_core.types import SafetyReading

SAFETY: Final = "safety"
"""The model's output: logits of nothing of it, of asking what LIRA is, of leaning on it alone; of risk."""
WIDTH: Final = 4


@dataclass(frozen=True, slots=True)
class SafetyHeads:
    """For each head the log odds from which it speaks, and from which it is sure of risk, chosen at everyday talk of people whom the model did not
    learn from."""

    FILE: ClassVar[str] = "safety.onnx"
    CALIBRATION: ClassVar[str] = "safety.json"
    OUTPUTS: ClassVar[Mapping[str, int | None]] = {SAFETY: WIDTH}
    DEEP: ClassVar[bool] = False

    identity: float
    attachment: float
    risk: float
    surely: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        return cls(*places(calibration, ["identity", "attachment", "risk", "surely"]))

    def heard(self, logits: Mapping[str, NDArray[np.float32]], text: str, pieces: Pieces) -> Mapping[str, Any]:
        return {"safety": self.read(logits[SAFETY])}

    def read(self, logits: NDArray[np.float32]) -> SafetyReading:
        """`logits`: (WIDTH,). Who asks and leans at once is heard by both heads."""
        nothing, asks, leans, risk = logits.astype(np.float64)
        asked, leant = _sigmoid(asks - nothing - self.identity), _sigmoid(leans - nothing - self.attachment)
        return SafetyReading(asked, leant, _sigmoid(risk - self.risk), bool(risk > self.surely))


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))
