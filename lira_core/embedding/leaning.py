"""The head that hears whether an utterance leans on what was said before it, from its logit to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import Pieces, places

FOLLOWS: Final = "follows"
"""The model's output: the log odds that an utterance wants what was said before it."""


@dataclass(frozen=True, slots=True)
class LeaningHeads:
    """The log odds from which the head speaks, chosen at sessions of people whom the model did not learn from."""

    FILE: ClassVar[str] = "leaning.onnx"
    CALIBRATION: ClassVar[str] = "leaning.json"
    OUTPUTS: ClassVar[Mapping[str, int | None]] = {FOLLOWS: 1}
    DEEP: ClassVar[bool] = False

    follows: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        return cls(*places(calibration, [FOLLOWS]))

    def heard(self, logits: Mapping[str, NDArray[np.float32]], text: str, pieces: Pieces) -> Mapping[str, Any]:
        return {FOLLOWS: float(1 / (1 + np.exp(self.follows - logits[FOLLOWS][0])))}
