"""Certainty: how sure it is that two texts are about the same thing, whatever the encoder."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from lira_core.model_folder import CALIBRATION_FILE, ModelError


@dataclass(frozen=True, slots=True)
class Certainty:
    """certainty = 1 / (1 + exp(-(slope * cosine + intercept))), fitted per encoder and stored with it.

    Read as a probability at even odds: of two texts as likely to be about the same thing as not, with this cosine, this share is.
    Strictly increasing, so it ranks as the cosine does.
    """

    slope: float
    intercept: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.slope) and math.isfinite(self.intercept) and self.slope > 0):
            raise ValueError("slope and intercept must be finite, and slope above 0")

    @classmethod
    def load(cls, directory: Path) -> Certainty:
        """Of the encoder in this directory; raises ModelError naming the file when it is missing or broken."""
        path = directory / CALIBRATION_FILE
        try:
            stored = json.loads(path.read_text("utf-8"))["certainty"]
            return cls(float(stored["slope"]), float(stored["intercept"]))
        except FileNotFoundError as error:
            raise ModelError(f"{path} is missing: LIRA_EMBEDDING_MODEL_DIR must name a folder with an encoder and its calibration") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{path} cannot be used: {error!r} (the directory is chosen by LIRA_EMBEDDING_MODEL_DIR)") from error

    @overload
    def __call__(self, cosine: float) -> float: ...
    @overload
    def __call__(self, cosine: NDArray[np.floating]) -> NDArray[np.float64]: ...
    def __call__(self, cosine: float | NDArray[np.floating]) -> float | NDArray[np.float64]:
        """Of one cosine in [-1, 1], or of an array of them."""
        value = 1 / (1 + np.exp(-(self.slope * np.asarray(cosine, np.float64) + self.intercept)))
        return value if isinstance(cosine, np.ndarray) else float(value)
