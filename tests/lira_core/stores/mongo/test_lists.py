"""Names and places: no two alike, and in the order of the memories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.stores.codec import instant
from lira_core.stores.mongo import lists
from lira_core.types import Memory

from ..conformance.making import NOON, fact, feels, memory

NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
TIMES = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
MICROS = st.integers(-(2**62), 2**62)


@settings(deadline=None)
@given(NAMES, NAMES, NAMES, NAMES)
def test_no_two_users_share_an_id(user: str, id: str, other: str, other_id: str) -> None:
    assert (lists.ident(user, id) == lists.ident(other, other_id)) == ((user, id) == (other, other_id))


@settings(deadline=None)
@given(st.tuples(st.none() | NAMES, NAMES), st.tuples(st.none() | NAMES, NAMES))
def test_no_two_slots_share_a_list(one: tuple[str | None, str], other: tuple[str | None, str]) -> None:
    assert (lists.slot(*one) == lists.slot(*other)) == (one == other) or ":" in one[1] + other[1]


def test_a_predicate_is_not_mistaken_for_one_with_a_subject() -> None:
    assert lists.slot(None, "like") != lists.slot("", "like")
    assert lists.slot("a:b", "c") != lists.slot("b", "c:a")


def said(id: str, at: datetime) -> Memory:
    return memory(id, "u", timestamp=at)


@settings(deadline=None)
@given(st.lists(st.tuples(TIMES, MICROS, st.integers(0, 99_999), NAMES), min_size=2, max_size=6, unique=True))
def test_entries_sort_as_the_memories_do(keys: list[tuple[datetime, int, int, str]]) -> None:
    entries = {
        f"{lists.place(said(id, at), received, position)}\0{n}": (at, received, position, id) for n, (at, received, position, id) in enumerate(keys)
    }
    assert [entries[entry] for entry in sorted(entries)] == sorted(keys)


@settings(deadline=None)
@given(TIMES, MICROS, st.integers(0, 99_999), NAMES)
def test_a_place_tells_what_it_was_made_of(at: datetime, received: int, position: int, id: str) -> None:
    place = lists.place(said(id, at), received, position)
    assert lists.micros(place) == instant(at)[0]
    assert lists.id_of(f"{place}\0x") == id
    assert lists.place_of(f"{place}\0x") == place


@settings(deadline=None)
@given(TIMES, MICROS)
def test_a_moment_bounds_the_places_until_it(at: datetime, received: int) -> None:
    bound = lists.bound(instant(at)[0])
    assert lists.place(said("z", at), received, 99) < bound
    assert lists.place(said("", at + timedelta(microseconds=1)), -(2**62), 0) > bound


def test_a_memory_is_on_the_list_of_each_word_feeling_slot_and_key_once() -> None:
    facts = (fact("user", "like", key="taste:커피"), fact("user", "like", "차", key="taste:차"), fact("여동생", "name"))
    kept = memory("m", "u", terms=("커피", "차", "커피"), facts=facts, emotion=feels(("neutral", 0.9), ("joy", 1 / 3)))
    place = lists.place(kept, 7, 0)
    found = lists.entries(kept, place)
    assert set(found) == {"all", "word:커피", "word:차", "feeling:joy", "slot:like", "slot:4:like:user", "slot:name", "slot:4:name:여동생"} | {
        "key:taste:커피",
        "key:taste:차",
    }
    assert (lists.posting_of(found["word:커피"]).frequency, lists.posting_of(found["word:커피"]).length) == (2, 3)
    assert lists.score_of(found["feeling:joy"]) == 1 / 3
    assert lists.moment_of(found["key:taste:차"]) == NOON


def test_a_tombstone_does_not_tell_which_memory_it_is_of() -> None:
    assert "kakao" not in lists.tombstone("u", "kakao")
    assert lists.tombstone("u", "a") != lists.tombstone("u", "b") != lists.tombstone("v", "b")


def test_a_list_of_an_earlier_generation_is_empty_and_one_with_a_floor_ends_there() -> None:
    document = {"g": 3, "held": 9, "oldest": 5, "head": ["a\0", "b\0", "c\0"]}
    assert lists.read(document, "all", 4) == lists.Listing("all", 0, 0, ())
    assert lists.read(None, "all", 4).whole
    assert lists.read(document, "all", 3).head == ("c\0", "b\0", "a\0")
    assert lists.read({**document, "floor": "b"}, "all", 3).head == ("c\0", "b\0")
    assert not lists.read(document, "all", 3).whole
