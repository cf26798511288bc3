"""The head that hears whether all that was told about something is asked for, from its logit to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import Pieces, places

LISTS: Final = "lists"
"""The model's output: the log odds that an utterance asks for all, or for several things, that was told about something."""


@dataclass(frozen=True, slots=True)
class ListingHeads:
    """The log odds from which the head speaks, chosen at what people whom the model did not learn from tell and ask for one thing."""

    FILE: ClassVar[str] = "listing.onnx"
    CALIBRATION: ClassVar[str] = "listing.json"
    OUTPUTS: ClassVar[Mapping[str, int | None]] = {LISTS: 1}
    DEEP: ClassVar[bool] = False

    lists: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        return cls(*places(calibration, [LISTS]))

    def heard(self, logits: Mapping[str, NDArray[np.float32]], text: str, pieces: Pieces) -> Mapping[str, Any]:
        return {LISTS: bool(logits[LISTS][0] > self.lists)}
