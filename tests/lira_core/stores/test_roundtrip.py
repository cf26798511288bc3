"""What goes into a store comes back as it was, by every way that it can come back."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.stores import Stores, open_stores
from lira_core.stores.codec import dump, instant, load_memory, moment
from lira_core.stores.ports import Deferred
from lira_core.types import BufferEntry, EmotionReading, EmotionScore, Event, Fact, Memory

# Whole seconds: no zone has finer offsets, and `datetime.fromisoformat` of Python 3.11 reads one of less than a second as UTC.
offsets = st.integers(-86_399, 86_399).map(lambda seconds: timedelta(seconds=seconds))
times = st.builds(
    lambda naive, offset: naive.replace(tzinfo=timezone(offset)),
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)),
    st.one_of(st.sampled_from([timedelta(0), timedelta(hours=9), timedelta(hours=-3, minutes=-30)]), offsets),
)
scores = st.floats(0, 1)
words = st.text(max_size=8)
ids = st.text(min_size=1, max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
facts = st.builds(
    Fact,
    subject=words,
    predicate=words,
    object=words,
    category=st.sampled_from(["name", "taste", "plan", "relation", "health", "work", "profile", "event"]),
    polarity=st.booleans(),
    key=st.none() | words,
    when=st.none() | times,
    when_text=st.none() | words,
    place=st.none() | words,
    people=st.lists(words, max_size=3).map(tuple),
)
memories = st.builds(
    Memory,
    id=ids,
    user_id=st.just("u"),
    text=st.text(),
    timestamp=times,
    session_id=st.none() | ids,
    reason=st.sampled_from(["emotion", "trigger", "fact", "none"]),
    emotion=st.none() | st.lists(st.builds(EmotionScore, words, scores), min_size=1, max_size=3).map(lambda top: EmotionReading(tuple(top))),
    facts=st.lists(facts, max_size=3).map(tuple),
    terms=st.lists(words, max_size=6).map(tuple),
    metadata=st.dictionaries(words, json_values, max_size=3),
)
events = st.builds(Event, id=ids, user_id=st.just("u"), session_id=ids, role=st.sampled_from(["user", "lira"]), text=st.text(), timestamp=times)
fresh = itertools.count()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    path: Path = tmp_path_factory.mktemp("roundtrip") / "lira.db"
    opened = open_stores(*[f"sqlite:///{path}"] * 3, ttl_seconds=60, max_messages=10)
    yield opened
    asyncio.run(opened.close())


def isoformats(memory: Memory) -> list[str | None]:
    return [memory.timestamp.isoformat(), *(fact.when.isoformat() if fact.when else None for fact in memory.facts)]


@settings(deadline=None)
@given(times)
def test_a_time_comes_back_with_its_own_offset(at: datetime) -> None:
    assert moment(*instant(at)).isoformat() == at.isoformat()


@settings(deadline=None)
@given(st.lists(times, min_size=2))
def test_instants_sort_as_times_do(moments: list[datetime]) -> None:
    assert sorted(moments, key=lambda m: instant(m)[0]) == sorted(moments)


def test_a_time_of_a_named_zone_comes_back_as_the_same_iso_timestamp() -> None:
    at = datetime(2026, 11, 1, 1, 30, fold=1, tzinfo=ZoneInfo("America/New_York"))
    assert moment(*instant(at)).isoformat() == at.isoformat() == "2026-11-01T01:30:00-05:00"


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="without a time zone"):
        instant(datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="no time zone"):
        dump([BufferEntry("어제 일", datetime(2026, 1, 1))])


@settings(deadline=None)
@given(memories)
def test_a_memory_comes_back_exactly_from_the_record(kept: Stores, memory: Memory) -> None:
    mine = replace(memory, user_id=f"user-{next(fresh)}")

    async def there_and_back() -> list[list[Memory]]:
        await kept.memories.write(mine.user_id, None, mine)
        slots = [(fact.subject, fact.predicate) for fact in mine.facts]
        feeling = mine.emotion.real if mine.emotion else None
        return [
            await kept.memories.get(mine.user_id, [mine.id]),
            (await kept.memories.page(mine.user_id, 5, None))[0],
            *([await kept.memories.by_slots(mine.user_id, slots, 5)] if slots else []),
            *([await kept.memories.by_emotion(mine.user_id, feeling.label, feeling.score, 5)] if feeling else []),
        ]

    for back in asyncio.run(there_and_back()):
        assert back == [mine]
        assert isoformats(back[0]) == isoformats(mine)


@settings(deadline=None)
@given(memories)
def test_every_term_of_a_memory_finds_it_with_its_frequency(kept: Stores, memory: Memory) -> None:
    mine = replace(memory, user_id=f"user-{next(fresh)}")

    async def matches() -> None:
        await kept.memories.write(mine.user_id, None, mine)
        found = await kept.memories.by_terms(mine.user_id, mine.terms)
        assert (found.memories, found.mean_length) == (1, len(mine.terms))
        assert {term: [(p.memory_id, p.frequency, p.length) for p in held] for term, held in found.postings.items()} == {
            term: [(mine.id, mine.terms.count(term), len(mine.terms))] for term in mine.terms
        }

    asyncio.run(matches())


@settings(deadline=None)
@given(events, st.none() | memories)
def test_a_deferred_write_comes_back_exactly(kept: Stores, event: Event, memory: Memory | None) -> None:
    write = Deferred(event, memory)

    async def there_and_back() -> list[Deferred]:
        await kept.short_term.defer("u", write)
        back = await kept.short_term.deferred(10)
        await kept.short_term.settle([event.id])
        return back

    (back,) = asyncio.run(there_and_back())
    assert back == write
    assert back.event.timestamp.isoformat() == event.timestamp.isoformat()


@pytest.mark.parametrize("metadata", [{"n": 2**70}, {1: "a"}, {"text": "\ud800"}, {"thing": object()}])
def test_metadata_that_json_cannot_keep_is_refused_with_a_sentence(metadata: dict, memory) -> None:
    with pytest.raises(ValueError, match="cannot be stored as JSON"):
        dump(memory("m", metadata=metadata))


def test_a_memory_is_read_from_bytes_as_from_text(memory) -> None:
    kept = memory("m", terms=("커피",))
    assert load_memory(dump(kept).encode()) == kept
