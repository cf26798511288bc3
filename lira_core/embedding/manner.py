"""The heads that hear with what manner something is said, from logits to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, get_args

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import Pieces, places
from lira_core.types import Manner

MANNERS: Final[tuple[Manner, ...]] = get_args(Manner)
MANNER: Final = "manner"
"""The model's output: logits of MANNERS."""


@dataclass(frozen=True, slots=True)
class MannerHeads:
    """For each head the log odds from which it speaks, chosen at everyday talk of people whom the model did not learn from."""

    FILE: ClassVar[str] = "manner.onnx"
    CALIBRATION: ClassVar[str] = "manner.json"
    OUTPUTS: ClassVar[Mapping[str, int | None]] = {MANNER: len(MANNERS)}
    DEEP: ClassVar[bool] = False

    manners: Mapping[Manner, float]

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        return cls(dict(zip(MANNERS[1:], places(calibration, MANNERS[1:]), strict=True)))

    def heard(self, logits: Mapping[str, NDArray[np.float32]], text: str, pieces: Pieces) -> Mapping[str, Any]:
        return {"manner": self.read(logits[MANNER])}

    def read(self, logits: NDArray[np.float32]) -> Manner:
        """`logits`: (MANNERS,). The likeliest of those that speak, else none."""
        odds = {name: float(logit - logits[0]) for name, logit in zip(MANNERS[1:], logits[1:], strict=True)}
        speaking = [name for name in self.manners if odds[name] > self.manners[name]]
        return max(speaking, key=odds.__getitem__, default="none")
