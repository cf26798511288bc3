"""Everything that the core's nouns may hold, for tests that draw them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import get_args

from hypothesis import strategies as st

from lira_core.stores.ports import Erasure, Write
from lira_core.types import Before, BufferEntry, EmotionReading, EmotionScore, Event, Fact, Memory, Tone

# Whole seconds: no zone has finer offsets, and `datetime.fromisoformat` of Python 3.11 reads one of less than a second as UTC.
offsets = st.integers(-86_399, 86_399).map(lambda seconds: timedelta(seconds=seconds))
times = st.builds(
    lambda naive, offset: naive.replace(tzinfo=timezone(offset)),
    st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)),
    st.one_of(st.sampled_from([timedelta(0), timedelta(hours=9), timedelta(hours=-3, minutes=-30)]), offsets),
)
# NUL and lone surrogates are refused at the door (deployments/guard.py), before a store sees them.
characters = st.characters(codec="utf-8", exclude_characters="\x00")
scores = st.floats(0, 1)
texts = st.text(characters, max_size=60)
words = st.text(characters, max_size=8)
ids = st.text(st.sampled_from("abzABZ019._:-"), min_size=1, max_size=12)
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
readings = st.lists(st.builds(EmotionScore, words, scores), min_size=1, max_size=3).map(lambda top: EmotionReading(tuple(top)))
memories = st.builds(
    Memory,
    id=ids,
    user_id=st.just("u"),
    text=texts,
    timestamp=times,
    session_id=st.none() | ids,
    reason=st.sampled_from(["emotion", "trigger", "fact", "none"]),
    emotion=st.none() | readings,
    facts=st.lists(facts, max_size=3).map(tuple),
    terms=st.lists(words, max_size=6).map(tuple),
    metadata=st.dictionaries(words, json_values, max_size=3),
    derived=st.integers(0, 9),
    before=st.lists(st.builds(Before, words, words), max_size=2).map(tuple),
    at_risk=st.booleans(),
    tone=st.sampled_from(get_args(Tone)),
    name=st.none() | words,
)
events = st.builds(
    Event,
    id=ids,
    user_id=st.just("u"),
    session_id=ids,
    role=st.sampled_from(["user", "lira"]),
    text=texts,
    timestamp=times,
    turn_id=ids,
    quotes=st.lists(ids, max_size=3).map(tuple),
    terms=st.lists(words, max_size=6).map(tuple),
)
received = st.integers(0, 2**53)
writes = st.builds(
    Write, id=ids, user_id=st.just("u"), received=received, event=st.none() | events, memories=st.lists(memories, max_size=3).map(tuple)
)
erasures = st.builds(Erasure, user_id=st.just("u"), memory_id=st.none() | ids, cut=received)
buffers = st.lists(st.builds(BufferEntry, texts, times, words, st.none() | ids), max_size=4).map(tuple)
