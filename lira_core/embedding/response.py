"""Which kind of reply fits what somebody tells, from logits to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import places
from lira_core.responses import NO_RESPONSE, RESPONSES

KINDS: Final[tuple[str, ...]] = (NO_RESPONSE, *RESPONSES)
RESPONSE: Final = "response"
"""The model's output: logits of KINDS."""


@dataclass(frozen=True, slots=True)
class ResponseReader:
    """`speaks`: how likely the likeliest kind has to be to be heard, chosen at sessions from which nothing learnt."""

    speaks: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part or is of other kinds."""
        heads = cls(*places(calibration, ["speaks"]))
        if calibration.get("kinds") != list(KINDS):
            raise ValueError("its `kinds` of reply are not those of lira_core/responses.tsv: the heads have to be made again after those change")
        return heads

    def read(self, logits: NDArray[np.float32]) -> str:
        """`logits`: (KINDS,)."""
        odds = np.exp(logits - logits.max())
        likeliest = int(odds.argmax())
        return KINDS[likeliest] if odds[likeliest] / odds.sum() >= self.speaks else NO_RESPONSE
