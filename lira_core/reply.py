"""What a turn gives back, and its JSON form on the wire."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lira_core.types import EmotionReading, EmotionScore, Recalled, Remembered

UNREAD = EmotionReading((EmotionScore("neutral", 0.0),))
"""What is reported when the emotion could not be read: no label is claimed with any strength."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One answered turn. `text` is empty in the `recall` event of a stream."""

    text: str
    request_id: str
    emotion: EmotionReading | None
    recalled: tuple[Recalled, ...]
    memory: Remembered
    degraded: tuple[str, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)

    def as_dict(self, *, with_reply: bool = True) -> dict[str, Any]:
        """The JSON of `POST /v1/chat`."""
        reading = self.emotion or UNREAD
        body: dict[str, Any] = {"reply": self.text} if with_reply else {}
        return body | {
            "request_id": self.request_id,
            "emotion": {
                "label": reading.label,
                "score": round(reading.score, 4),
                "top": [{"label": e.label, "score": round(e.score, 4)} for e in reading.top] if self.emotion else [],
            },
            "recalled": [recalled_dict(r) for r in self.recalled],
            "memory": {"status": self.memory.status, "reason": self.memory.reason, "id": self.memory.id},
            "degraded": list(self.degraded),
            "timings_ms": self.timings_ms,
        }


def recalled_dict(recalled: Recalled) -> dict[str, Any]:
    """One recalled memory on the wire."""
    return {
        "id": recalled.memory.id,
        "text": recalled.memory.text,
        "paths": list(recalled.paths),
        "score": round(recalled.score, 4),
        "certainty": None if recalled.certainty is None else round(recalled.certainty, 4),
        "timestamp": recalled.memory.timestamp.isoformat(),
    }


def with_offset(at: datetime | None) -> datetime | None:
    """The same moment; ValueError for one without a UTC offset, it could be anywhere."""
    if at is not None and at.tzinfo is None:
        raise ValueError(f"{at.isoformat()} has no UTC offset; write one such as +09:00")
    return at
