"""Events and memories as JSON text, exact in both directions, for engines that keep them whole.

Times keep their own UTC offset, to the second. Metadata must be JSON: string keys, integers of at most 64 bits, no lone surrogates;
anything else raises ValueError.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import orjson

from lira_core.stores.ports import Erasure, Write
from lira_core.types import Before, BufferEntry, EmotionReading, EmotionScore, Event, Fact, Line, Memory, Summary

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def instant(moment: datetime) -> tuple[int, int]:
    """(microseconds since 1970 in UTC, UTC offset in microseconds); ValueError for a naive datetime."""
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError(f"a time without a time zone cannot be stored: {moment.isoformat()}")
    return (moment.replace(tzinfo=None) - _EPOCH - offset) // _MICROSECOND, offset // _MICROSECOND


def moment(micros: int, offset: int) -> datetime:
    """The inverse of `instant`: the same ISO timestamp, with its own offset."""
    return (_EPOCH + timedelta(microseconds=micros + offset)).replace(tzinfo=timezone(timedelta(microseconds=offset)))


def dump(value: Event | Memory | Summary | Write | Erasure | Sequence[BufferEntry]) -> str:
    """JSON text that the matching `load_*` reads back exactly."""
    try:
        # orjson would cut the seconds off a UTC offset, so times go through isoformat.
        return orjson.dumps(value, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME).decode()
    except TypeError as error:
        raise ValueError(f"cannot be stored as JSON: {error.__cause__ or error}") from error


def load_memory(text: str | bytes) -> Memory:
    return _memory(orjson.loads(text))


def load_event(text: str | bytes) -> Event:
    return _event(orjson.loads(text))


def load_summary(text: str | bytes) -> Summary:
    raw = orjson.loads(text)
    times = {name: datetime.fromisoformat(raw[name]) for name in ("start", "end")}
    lines = tuple(Line(**line | {"at": datetime.fromisoformat(line["at"])}) for line in raw["lines"])
    return Summary(**raw | times | {"lines": lines})


def load_deferred(text: str | bytes) -> Write | Erasure:
    raw = orjson.loads(text)
    if "cut" in raw:
        return Erasure(**raw)
    event = raw["event"]
    return Write(**raw | {"event": None if event is None else _event(event), "memories": tuple(map(_memory, raw["memories"]))})


def load_buffer(text: str | bytes) -> tuple[BufferEntry, ...]:
    return tuple(BufferEntry(**e | {"timestamp": datetime.fromisoformat(e["timestamp"])}) for e in orjson.loads(text))


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise TypeError(f"{value.isoformat()} has no time zone")
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _event(raw: dict[str, Any]) -> Event:
    times_and_lists = {"timestamp": datetime.fromisoformat(raw["timestamp"]), "quotes": tuple(raw["quotes"])}
    # Events that were written before events had terms have none.
    return Event(**raw | times_and_lists | {"terms": tuple(raw.get("terms", ()))})


def _memory(raw: dict[str, Any]) -> Memory:
    emotion = raw["emotion"]
    return Memory(
        id=raw["id"],
        user_id=raw["user_id"],
        text=raw["text"],
        timestamp=datetime.fromisoformat(raw["timestamp"]),
        session_id=raw["session_id"],
        reason=raw["reason"],
        emotion=None if emotion is None else EmotionReading(tuple(EmotionScore(e["label"], e["score"]) for e in emotion["top"])),
        facts=tuple(_fact(f) for f in raw["facts"]),
        terms=tuple(raw["terms"]),
        metadata=raw["metadata"],
        # Memories that were written before rules had a version do not say by which they were derived.
        derived=raw.get("derived", 0),
        # Nor, before they could lean on others, on what.
        before=tuple(Before(**one) for one in raw.get("before", ())),
        # Nor whether they were said at risk, in what tone they were answered, by which name somebody is called.
        at_risk=raw.get("at_risk", False),
        tone=raw.get("tone", "neutral"),
        name=raw.get("name"),
    )


def _fact(raw: dict[str, Any]) -> Fact:
    when = raw["when"]
    return Fact(**raw | {"when": None if when is None else datetime.fromisoformat(when), "people": tuple(raw["people"])})
