"""Events and memories as JSON text, exact in both directions. How the engines keep them: conformance."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.stores.codec import dump, instant, load_buffer, load_deferred, load_event, load_memory, moment
from lira_core.stores.ports import Erasure, Write
from lira_core.types import BufferEntry, Event, Memory

from .conformance import strategies
from .conformance.making import NOON, RECEIVED, event, memory, rich


def isoformats(kept: Memory) -> list[str | None]:
    return [kept.timestamp.isoformat(), *(fact.when.isoformat() if fact.when else None for fact in kept.facts)]


@settings(deadline=None)
@given(strategies.times)
def test_a_time_comes_back_with_its_own_offset(at: datetime) -> None:
    assert moment(*instant(at)).isoformat() == at.isoformat()


@settings(deadline=None)
@given(st.lists(strategies.times, min_size=2))
def test_instants_sort_as_times_do(moments: list[datetime]) -> None:
    assert sorted(moments, key=lambda m: instant(m)[0]) == sorted(moments)


def test_an_instant_is_microseconds_since_1970() -> None:
    assert instant(NOON) == (RECEIVED, 0)
    assert instant(NOON.astimezone(ZoneInfo("Asia/Seoul"))) == (RECEIVED, 9 * 3_600 * 10**6)


def test_a_time_of_a_named_zone_comes_back_as_the_same_iso_timestamp() -> None:
    at = datetime(2026, 11, 1, 1, 30, fold=1, tzinfo=ZoneInfo("America/New_York"))
    assert moment(*instant(at)).isoformat() == at.isoformat() == "2026-11-01T01:30:00-05:00"


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="without a time zone"):
        instant(datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="no time zone"):
        dump([BufferEntry("어제 일", datetime(2026, 1, 1))])


@settings(deadline=None)
@given(strategies.memories)
def test_a_memory_comes_back_exactly(kept: Memory) -> None:
    back = load_memory(dump(kept))
    assert back == kept
    assert isoformats(back) == isoformats(kept)


@settings(deadline=None)
@given(strategies.events)
def test_an_event_comes_back_exactly(kept: Event) -> None:
    back = load_event(dump(kept))
    assert back == kept
    assert back.timestamp.isoformat() == kept.timestamp.isoformat()


@settings(deadline=None)
@given(strategies.writes | strategies.erasures)
def test_what_is_deferred_comes_back_exactly(kept: Write | Erasure) -> None:
    back = load_deferred(dump(kept))
    assert back == kept
    assert type(back) is type(kept)
    if isinstance(back, Write) and isinstance(kept, Write):
        assert [isoformats(one) for one in back.memories] == [isoformats(one) for one in kept.memories]


@settings(deadline=None)
@given(strategies.buffers)
def test_a_buffer_comes_back_exactly(kept: tuple[BufferEntry, ...]) -> None:
    back = load_buffer(dump(kept))
    assert back == kept
    assert [entry.timestamp.isoformat() for entry in back] == [entry.timestamp.isoformat() for entry in kept]


def test_nothing_is_added_to_what_is_kept() -> None:
    kept = rich("m", "u")
    assert set(orjson.loads(dump(kept))) == set(Memory.__dataclass_fields__)
    assert dump(kept) == dump(load_memory(dump(kept)))


@pytest.mark.parametrize("metadata", [{"n": 2**70}, {1: "a"}, {"text": "\ud800"}, {"thing": object()}, {"raw": b"a"}])
def test_metadata_that_json_cannot_keep_is_refused_with_a_sentence(metadata: dict[Any, Any]) -> None:
    for value in (memory("m", "u", metadata=metadata), Write("w", "u", RECEIVED, event("w", "u"), (memory("m", "u", metadata=metadata),))):
        with pytest.raises(ValueError, match="cannot be stored as JSON"):
            dump(value)


def test_everything_is_read_from_bytes_as_from_text() -> None:
    assert load_memory(dump(kept := rich("m", "u")).encode()) == kept
    assert load_event(dump(said := event("e", "u")).encode()) == said
    assert load_deferred(dump(erasure := Erasure("u", None, 5)).encode()) == erasure
    assert load_buffer(dump(buffer := (BufferEntry("a", NOON),)).encode()) == buffer


@pytest.mark.parametrize("broken", ["", "{", "null", "[]", "{}", '{"id": "m"}', '"text"'])
def test_what_is_not_a_memory_is_not_read_as_one(broken: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        load_memory(broken)
