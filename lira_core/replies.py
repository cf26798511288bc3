"""What LIRA answers, field by field as it stands on the wire: orjson makes the JSON from these, FastAPI the schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import orjson
from typing_extensions import TypedDict

from lira_core.generation.port import Usage
from lira_core.stores.ports import Scene
from lira_core.types import EmotionReading, Event, Memory, Path, Reason, RecalledMemory, Remembered, Scope, Session, Status, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Emotion:
    """A GoEmotions label and its score in [0, 1]."""

    label: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEmotion(Emotion):
    """The strongest label, and at most three, best first; `neutral` at 0 and an empty list when the emotion could not be read."""

    top: tuple[Emotion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMemory:
    """A memory that was recalled or found. `certainty` is None where the search by meaning did not see it; `score_parts` sum to `score`."""

    id: str
    text: str
    paths: tuple[Path, ...]
    score: float
    score_parts: Mapping[str, float]
    certainty: float | None
    timestamp: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemory(ShownMemory):
    """A result of a search."""

    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMemory:
    """A memory of a page."""

    id: str
    text: str
    timestamp: str
    session_id: str | None
    reason: Reason
    emotion: Emotion | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of the utterance, and why."""

    status: Status
    reason: Reason
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A turn without its answer: the `recall` event of a stream."""

    request_id: str
    emotion: ReadEmotion
    recalled: tuple[ShownMemory, ...]
    memory: Kept
    degraded: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Tokens of a language model; `cached` are those of `read` that its prefix cache spared."""

    read: int
    written: int
    cached: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Opening):
    """One answered turn. `usage` is None where no language model wrote, or none that counts."""

    reply: str
    usage: Spent | None = None

    @property
    def text(self) -> str:
        return self.reply


@dataclass(frozen=True, slots=True)
class Ids:
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """`degraded` holds `vectors` when only the words could be looked for, `reader` when the best could not be read with the query."""

    results: tuple[FoundMemory, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEvent:
    """Something that was said, and by whom."""

    id: str
    role: Literal["user", "lira"]
    text: str
    timestamp: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEvent(ShownEvent):
    """A result of a search in old talk; `around` is what was said just before and after it in its session, oldest first, at most two of each."""

    session_id: str
    around: tuple[ShownEvent, ...]


@dataclass(frozen=True, slots=True)
class FoundEvents:
    results: tuple[FoundEvent, ...]


@dataclass(frozen=True, slots=True)
class Page:
    results: tuple[ListedMemory, ...]
    next_cursor: str | None


ShownSummary = TypedDict("ShownSummary", {"scope": Scope, "from": str, "to": str, "text": str, "turns": tuple[str, ...]})
"""What was said between two moments, shortly, and the ids of the utterances that it rests on, oldest first."""


@dataclass(frozen=True, slots=True)
class Summaries:
    results: tuple[ShownSummary, ...]


@dataclass(frozen=True, slots=True)
class SessionLine:
    role: Literal["user", "lira"]
    content: str


@dataclass(frozen=True, slots=True)
class BufferLine:
    source: str
    text: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class SessionState:
    """Short-term memory as it is now; `expires_in` in seconds, 0 for an empty one."""

    chat_history: tuple[SessionLine, ...]
    recalled_ltm_buffer: tuple[BufferLine, ...]
    last_updated: str | None
    expires_in: int


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether turns can be taken, and each dependency: `ok`, `degraded` (the last call failed) or `down`."""

    ready: bool
    dependencies: Mapping[str, str]


def shown_emotion(reading: EmotionReading | None) -> ReadEmotion:
    if reading is None:
        return ReadEmotion(label="neutral", score=0.0, top=())
    top = tuple(Emotion(label=e.label, score=round(e.score, 4)) for e in reading.top)
    return ReadEmotion(label=top[0].label, score=top[0].score, top=top)


def shown(recalled: RecalledMemory) -> ShownMemory:
    return ShownMemory(**_shown(recalled))


def found(recalled: RecalledMemory) -> FoundMemory:
    return FoundMemory(**_shown(recalled), metadata=recalled.memory.metadata)


def found_event(scene: Scene) -> FoundEvent:
    around = tuple(ShownEvent(**_said(event)) for event in scene.around)
    return FoundEvent(**_said(scene.event), session_id=scene.event.session_id, around=around)


def shown_summary(summary: Summary) -> ShownSummary:
    return {
        "scope": summary.scope,
        "from": summary.start.isoformat(),
        "to": summary.end.isoformat(),
        "text": summary.text,
        "turns": summary.turns,
    }


def listed(memory: Memory) -> ListedMemory:
    emotion = Emotion(label=memory.emotion.label, score=round(memory.emotion.score, 4)) if memory.emotion else None
    return ListedMemory(
        id=memory.id,
        text=memory.text,
        timestamp=memory.timestamp.isoformat(),
        session_id=memory.session_id,
        reason=memory.reason,
        emotion=emotion,
        metadata=memory.metadata,
    )


def encoded(answer: object) -> bytes:
    """An answer as JSON; the `usage` of a turn stands in it only where there is one."""
    if isinstance(answer, Reply) and answer.usage is None:
        return orjson.dumps({part.name: getattr(answer, part.name) for part in fields(answer) if part.name != "usage"})
    return orjson.dumps(answer)


def spent(usage: Usage | None) -> Spent | None:
    return Spent(read=usage.read, written=usage.written, cached=usage.cached) if usage else None


def kept(remembered: Remembered) -> Kept:
    return Kept(status=remembered.status, reason=remembered.reason, id=remembered.id)


def session_state(session: Session) -> SessionState:
    return SessionState(
        tuple(SessionLine(m.role, m.content) for m in session.messages),
        tuple(BufferLine(b.source, b.text, b.timestamp.isoformat()) for b in session.recalled),
        session.last_updated.isoformat() if session.last_updated else None,
        session.expires_in,
    )


def _said(event: Event) -> dict[str, Any]:
    return {"id": event.id, "role": event.role, "text": event.text, "timestamp": event.timestamp.isoformat()}


def _shown(recalled: RecalledMemory) -> dict[str, Any]:
    return {
        "id": recalled.memory.id,
        "text": recalled.memory.text,
        "paths": recalled.paths,
        "score": round(recalled.score, 4),
        "score_parts": {name: round(part, 4) for name, part in recalled.parts.items()},
        "certainty": None if recalled.certainty is None else round(recalled.certainty, 4),
        "timestamp": recalled.memory.timestamp.isoformat(),
    }
