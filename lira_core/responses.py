"""The kinds of reply that what somebody tells may want: when each fits, by which those label who make `data/responses`, and how it is said.

They stand in `responses.tsv`: kind, when it fits, its wordings in Korean and in English, separated by " / ". Each wording is a whole reply that fits
whenever its kind does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lira_core.language import Language


@dataclass(frozen=True, slots=True)
class Response:
    when: str
    wordings: Mapping[Language, tuple[str, ...]]


def _read(path: Path) -> dict[str, Response]:
    _, *rows = path.read_text("utf-8").splitlines()
    return {
        kind: Response(when, {"ko": tuple(korean.split(" / ")), "en": tuple(english.split(" / "))})
        for kind, when, korean, english in (row.split("\t") for row in rows)
    }


NO_RESPONSE: Final = "none"
"""None of them fits."""
LOW: Final = "bad_mood"
"""A mood whose cause is not said: its wordings are for low spirits, and who is angry is met by that."""
RESPONSES: Final[Mapping[str, Response]] = _read(Path(__file__).with_suffix(".tsv"))
"""In the order of the heads' logits, after that of NO_RESPONSE."""
