"""The heads that hear in what tone somebody wants to be answered, and which of their words that answers, from logits to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, get_args

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import Pieces, likeliest_run, places
from lira_core.types import Tone, ToneReading

TONES: Final[tuple[Tone, ...]] = get_args(Tone)
TONE, ABOUT = "tone", "about"
"""The model's outputs: logits of TONES, and of each piece whether the tone answers to it."""


@dataclass(frozen=True, slots=True)
class ToneHeads:
    """`speaks`: the log odds of the likeliest tone against none from which it is heard; `mourns`: from which grief is, below it sadness: condolences
    where nobody died are worse than a gentle word where somebody did. Both are chosen at lines that nothing learnt from."""

    FILE: ClassVar[str] = "tone.onnx"
    CALIBRATION: ClassVar[str] = "tone.json"
    OUTPUTS: ClassVar[Mapping[str, int | None]] = {TONE: len(TONES), ABOUT: None}
    DEEP: ClassVar[bool] = True

    speaks: float
    mourns: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        return cls(*places(calibration, ["speaks", "mourns"]))

    def heard(self, logits: Mapping[str, NDArray[np.float32]], text: str, pieces: Pieces) -> Mapping[str, Any]:
        return {"tone": self.read(logits[TONE], logits[ABOUT], text, pieces)}

    def read(self, tone: NDArray[np.float32], about: NDArray[np.float32], text: str, pieces: Pieces) -> ToneReading:
        """`tone`: (TONES,), the first of which is none; `about`: (pieces,)."""
        likeliest = int(tone[1:].argmax()) + 1
        odds = float(tone[likeliest] - tone[0])
        if odds <= self.speaks:
            return ToneReading("neutral", "")
        heard = TONES[likeliest]
        return ToneReading("sadness" if heard == "grief" and odds <= self.mourns else heard, _words(about, text, pieces))


def _words(about: NDArray[np.float32], text: str, pieces: Pieces) -> str:
    """The whole words whose pieces speak most for being it; all there are where none speaks for it."""
    run = likeliest_run(about, pieces)
    if run is None or not text.strip():  # what stands in for nothing lies beside the text
        return text.strip()
    start, end = run
    while start > 0 and not text[start].isspace() and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end].strip()
