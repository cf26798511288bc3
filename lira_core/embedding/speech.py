"""The heads of the encoder that say what an utterance is, from logits to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self, get_args

import numpy as np
from numpy.typing import NDArray

from lira_core.types import Speech, SpeechReading

SPEECH: Final = "speech"
"""The model's output: logits of the kinds of speech, then of asking (nothing, memory, anything else), of keeping; and one of risk, which nothing
reads: what `lira_core.embedding.safety` has learnt since hears more (docs/quality.md)."""
SPEECH_FILE: Final = "speech.onnx"
"""Nets over the trunk's states with an output of that name and the logits of the kinds of speech and of asking; read is their weighted mean with the
encoder's own."""
NETS: Final = 0.7
"""What the nets weigh in it: of 0, .3, .5, .7 and 1 where much is gained at little cost (docs/quality.md). The more they weigh, the more questions of
people left out are heard that come without a mark, in dialect or from the moment; with 1 what tells is taken for a question more often."""
STATUS: Final[tuple[Speech, ...]] = get_args(Speech)
ASKS: Final = 3
KEEP: Final = len(STATUS) + ASKS


@dataclass(frozen=True, slots=True)
class SpeechHeads:
    """What turns logits into probabilities: for each head a temperature, fitted on people whom the model did not learn from."""

    asks: float
    keep: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        try:
            found = cls(*(float(calibration["speech"][name]) for name in ("asks", "keep")))
        except (KeyError, TypeError) as error:
            raise ValueError(f"`speech` lacks a part: {error}") from error
        if min(found.asks, found.keep) <= 0:
            raise ValueError("a temperature of `speech` is not above 0")
        return found

    def read(self, logits: NDArray[np.float32]) -> SpeechReading:
        """`logits`: (KEEP + 1,) or longer."""
        row = logits.astype(np.float64)
        asks = np.exp((row[len(STATUS) : KEEP] - row[len(STATUS) : KEEP].max()) / self.asks)
        _, memory, other = asks / asks.sum()
        return SpeechReading(STATUS[int(row[: len(STATUS)].argmax())], float(memory), float(other), _sigmoid(row[KEEP] / self.keep))


def _sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))
