"""In what tone somebody wants to be answered, from logits to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self, get_args

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import places
from lira_core.types import Tone

TONES: Final[tuple[Tone, ...]] = get_args(Tone)
TONE: Final = "tone"
"""The model's output: logits of TONES."""

_GLAD: Final[frozenset[Tone]] = frozenset(("joy", "pride", "love", "relief", "optimism", "amusement"))
_LOW: Final[frozenset[Tone]] = frozenset(("sadness", "grief", "disappointment", "nervousness", "embarrassment"))
_SORE: Final[frozenset[Tone]] = frozenset(("sadness", "disappointment", "nervousness", "anger", "annoyance", "embarrassment"))
FITTING: Final[Mapping[Tone, frozenset[Tone]]] = {
    "neutral": frozenset(("neutral",)),
    "surprise": frozenset(("surprise", "confusion")),
    "confusion": frozenset(("confusion", "nervousness", "annoyance")),
    **dict.fromkeys(("joy", "pride", "love", "relief", "optimism", "amusement"), _GLAD),
    **dict.fromkeys(("sadness", "disappointment", "nervousness", "embarrassment"), _LOW | _SORE),
    "grief": frozenset(("grief", "sadness")),
    **dict.fromkeys(("anger", "annoyance"), _SORE),
}
"""Of each tone those that do not sound wrong in its place."""

_FITS: Final = np.array([[heard in FITTING[wanted] for heard in TONES] for wanted in TONES], np.float32)
AS_FITTING: Final = 0.9
"""Of the tones that are so nearly as likely to fit as the one that is likeliest to, the likeliest itself is heard: sadness is out of place nowhere
among what hurts, and would be heard in the place of every annoyance."""


@dataclass(frozen=True, slots=True)
class ToneReader:
    """`speaks`: how likely a tone has to be to fit to be heard; `mourns`: how likely grief itself has to be, below it sadness is heard: condolences
    where nobody died are worse than a gentle word where somebody did. Both are chosen at lines that nothing learnt from."""

    speaks: float
    mourns: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        return cls(*places(calibration, ["speaks", "mourns"]))

    def read(self, tone: NDArray[np.float32]) -> Tone:
        """`tone`: (TONES,), logits, the first of none."""
        heard, fits, likely = likeliest(tone)
        if fits < self.speaks:
            return "neutral"
        return "sadness" if TONES[heard] == "grief" and likely < self.mourns else TONES[heard]


def likeliest(tone: NDArray[np.float32]) -> tuple[int, float, float]:
    """Of `tone`, (TONES,), logits, the first of none: which but none is heard, how likely one that fits like it is wanted, and how likely itself."""
    likely = np.exp(tone - tone.max())
    likely /= likely.sum()
    fits = likely @ _FITS
    fits[0] = 0
    heard = int(np.where(fits >= AS_FITTING * fits.max(), likely, 0)[1:].argmax()) + 1
    return heard, float(fits.max()), float(likely[heard])
