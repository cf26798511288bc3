"""The heads that hear what somebody wants of LIRA who asks for nothing that they told, from logits to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, get_args

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import Pieces, places
from lira_core.types import Aim, AimReading

AIMS: Final[tuple[Aim, ...]] = get_args(Aim)
AIM: Final = "aim"
"""The model's output: logits of AIMS."""


@dataclass(frozen=True, slots=True)
class AimHeads:
    """`speaks`: the log odds of the likeliest aim against none from which it is plainly heard, chosen at what people tell and ask of what they told,
    from which nothing learnt."""

    FILE: ClassVar[str] = "aim.onnx"
    CALIBRATION: ClassVar[str] = "aim.json"
    OUTPUTS: ClassVar[Mapping[str, int | None]] = {AIM: len(AIMS)}
    DEEP: ClassVar[bool] = True

    speaks: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        return cls(*places(calibration, ["speaks"]))

    def heard(self, logits: Mapping[str, NDArray[np.float32]], text: str, pieces: Pieces) -> Mapping[str, Any]:
        return {"aim": self.read(logits[AIM])}

    def read(self, logits: NDArray[np.float32]) -> AimReading:
        """`logits`: (AIMS,), the first of which is none."""
        likeliest = int(logits[1:].argmax()) + 1
        return AimReading(AIMS[likeliest], float(logits[likeliest] - logits[0]) > self.speaks)
