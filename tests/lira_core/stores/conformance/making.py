"""Memories, events, turns and writes to fill a store with, and ways to look at one."""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, TypeVar

import numpy as np

from lira_core.stores import StoreOptions
from lira_core.stores.ports import EncoderId, IndexItem, SessionTurn, StoreUnavailable, Vector, Write
from lira_core.types import BufferEntry, EmotionReading, EmotionScore, Event, Fact, Memory, Message, Session

from .places import Place

T = TypeVar("T")

NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)
RECEIVED = 1_791_028_800_000_000
"""NOON in microseconds since 1970."""

DIMENSIONS = 12

MIXED = "커피 ☕️ 👩‍👩‍👧‍👦 \u200b\u00e9 e\u0301 \\ \" ' $ % { } \t\r\n끝 \U0001f9e0"
HANGUL = "".join(chr(0xAC00 + i % 11_172) for i in range(4_000))


def options(**changed: Any) -> StoreOptions:
    return StoreOptions(**{"encoder": EncoderId("conformance", DIMENSIONS)} | changed)


def someone() -> str:
    """A user nobody has heard of."""
    return f"u-{uuid.uuid4().hex[:12]}"


def memory(id: str, user: str, minutes: float = 0, **fields: Any) -> Memory:
    return Memory(**{"id": id, "user_id": user, "text": f"{id}라고 했어", "timestamp": NOON + timedelta(minutes=minutes)} | fields)


def event(id: str, user: str, **fields: Any) -> Event:
    return Event(
        **{"id": id, "user_id": user, "session_id": "s", "role": "user", "text": f"{id}라고 말했다", "timestamp": NOON, "turn_id": id} | fields
    )


def reply(id: str, user: str, turn_id: str, *quotes: str, **fields: Any) -> Event:
    return event(id, user, role="lira", turn_id=turn_id, quotes=quotes, **fields)


def utterance(id: str, user: str, received: int = RECEIVED, minutes: float = 0, **fields: Any) -> Write:
    """What is said, and the memory that is kept from it."""
    return Write(id, user, received, event(id, user, timestamp=NOON + timedelta(minutes=minutes)), (memory(id, user, minutes, **fields),))


def imported(id: str, user: str, memories: Iterable[Memory], received: int = RECEIVED) -> Write:
    return Write(id, user, received, memories=tuple(memories))


def turn(id: str, received: int = RECEIVED, seconds: float = 0, **fields: Any) -> SessionTurn:
    messages = (Message("user", f"{id}: 뭐였지?"), Message("lira", f"{id}: 그거였어"))
    return SessionTurn(**{"id": id, "received": received, "at": NOON + timedelta(seconds=seconds), "messages": messages} | fields)


def entry(memory_id: str | None, text: str = "그때 그 일") -> BufferEntry:
    return BufferEntry(text, NOON, memory_id=memory_id)


def fact(subject: str, predicate: str, object: str = "커피", key: str | None = None) -> Fact:
    return Fact(subject, predicate, object, "taste", key=key)


def feels(*top: tuple[str, float]) -> EmotionReading:
    return EmotionReading(tuple(EmotionScore(label, score) for label, score in top))


def rich(id: str, user: str, minutes: float = 0) -> Memory:
    """A memory with something in every field, and text that is easily spoilt."""
    return memory(
        id,
        user,
        text=MIXED + HANGUL,
        timestamp=(NOON + timedelta(minutes=minutes, microseconds=123_456)).astimezone(timezone(timedelta(hours=-3, minutes=-30, seconds=-15))),
        session_id="s:1.2_3-4",
        reason="emotion",
        emotion=feels(("neutral", 0.1 + 0.2), ("joy", 1 / 3), ("surprise", 0.0)),
        facts=(
            Fact(
                "여동생",
                "plan",
                MIXED,
                "plan",
                False,
                "plan:$여동생.",
                NOON.astimezone(timezone(timedelta(hours=9))),
                "내일",
                "부산",
                ("민수", "지은"),
            ),
            Fact("user", "", "", "event"),
        ),
        terms=("커피", "커피", "e\u0301", "\u00e9", "3.5", "$", "a:b", "C++"),
        metadata={"": None, "a.b": [1, -(2**63), 2**63 - 1, 0.1, True, "☕"], "$set": {"키": {"깊이": []}}, "e": 1e300},
    )


def said(session: Session) -> list[str]:
    """The lines of a session, as turn/role."""
    return [f"{message.turn_id}/{message.role}" for message in session.messages]


def of(*turn_ids: str) -> list[str]:
    """The lines of whole turns, as `said` gives them."""
    return [f"{id}/{role}" for id in turn_ids for role in ("user", "lira")]


def ids(hits: Iterable[Any]) -> list[str]:
    return [hit.id for hit in hits]


def unit(*values: float) -> Vector:
    """A vector of length 1 that begins with `values`."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[: len(values)] = values
    return vector / np.float32(math.sqrt(float(vector @ vector)))


def item(memory: Memory, vector: Vector, received: int = RECEIVED) -> IndexItem:
    return IndexItem(memory, received, vector)


async def surely(call: Callable[[], Awaitable[T]], tries: int = 10) -> T:
    """Made again while the store is too slow, as everybody may: on a busy machine many writes of one user take longer than one may wait."""
    for _ in range(tries):
        with suppress(StoreUnavailable):
            return await call()
    return await call()


async def eventually(holds: Callable[[], Awaitable[bool]], seconds: float = 10) -> None:
    """Waits until `holds`; the issue gives deletions and counts ten seconds."""
    async with asyncio.timeout(seconds):
        while not await holds():  # noqa: ASYNC110  (a store tells nobody when it is done)
            await asyncio.sleep(0.05)


async def vanished(place: Place, *words: str) -> None:
    """Waits until none of the words is in the raw storage."""
    sought = [word.encode() for word in words]

    async def gone() -> bool:
        raw = place.raw()
        return not any(word in raw for word in sought)

    try:
        await eventually(gone)
    except TimeoutError:
        raw = place.raw()
        places = [raw.find(word) for word in sought if word in raw]
        left = [raw[max(place - 60, 0) : place + 60].decode(errors="replace") for place in places]
        raise AssertionError(f"still in the raw storage: {left}") from None
