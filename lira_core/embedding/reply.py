"""The heads that hear what reply somebody wants: of which kind, and in what tone.

The tone is heard from both: kinds of reply tell more than tones do, and each has tones of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import Pieces
from lira_core.embedding.response import KINDS, RESPONSE, ResponseReader
from lira_core.embedding.tone import TONE, TONES, ToneReader


@dataclass(frozen=True, slots=True)
class ReplyHeads:
    FILE: ClassVar[str] = "reply.onnx"
    CALIBRATION: ClassVar[str] = "reply.json"
    OUTPUTS: ClassVar[Mapping[str, int | None]] = {RESPONSE: len(KINDS), TONE: len(TONES)}
    DEEP: ClassVar[bool] = True

    response: ResponseReader
    tone: ToneReader

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part or is of other kinds of reply."""
        return cls(ResponseReader.from_json(_part(calibration, RESPONSE)), ToneReader.from_json(_part(calibration, TONE)))

    def heard(self, logits: Mapping[str, NDArray[np.float32]], text: str, pieces: Pieces) -> Mapping[str, Any]:
        return {"response": self.response.read(logits[RESPONSE]), "tone": self.tone.read(logits[TONE])}


def _part(calibration: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = calibration.get(name)
    if not isinstance(part, Mapping):
        raise ValueError(f"it lacks the part of a head: `{name}`")
    return part
