"""The heads that hear by which name somebody says that they are called, from logits to the name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import Pieces, likeliest_run, places

NAMED, NAME = "named", "name"
"""The model's outputs: the log odds that an utterance tells the speaker's own name, and of each piece that it belongs to that name."""
_AROUND: Final = " \t\n.,!?~'\"“”‘’()[]:;…·"


@dataclass(frozen=True, slots=True)
class NameHeads:
    """`speaks`: the log odds from which a name is heard, chosen at lines that nothing learnt from."""

    FILE: ClassVar[str] = "names.onnx"
    CALIBRATION: ClassVar[str] = "names.json"
    OUTPUTS: ClassVar[Mapping[str, int | None]] = {NAMED: 1, NAME: None}
    DEEP: ClassVar[bool] = False

    speaks: float

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        return cls(*places(calibration, ["speaks"]))

    def heard(self, logits: Mapping[str, NDArray[np.float32]], text: str, pieces: Pieces) -> Mapping[str, Any]:
        return {"name": self.read(float(logits[NAMED][0]), logits[NAME], text, pieces)}

    def read(self, named: float, name: NDArray[np.float32], text: str, pieces: Pieces) -> str:
        """`name`: (pieces,). The name as it stands in the text, empty where none is told."""
        run = likeliest_run(name, pieces) if named > self.speaks else None
        return text[slice(*run)].strip(_AROUND) if run else ""
