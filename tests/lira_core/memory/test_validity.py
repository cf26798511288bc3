"""What replaced what."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lira_core.memory.validity import keys_of, still_true
from lira_core.types import USER, Fact, Memory

BEGAN = datetime(2026, 10, 1, tzinfo=UTC)


def said(number: int, *facts: Fact, reason: str = "fact") -> Memory:
    return Memory(f"m{number}", "u", f"{number}", BEGAN + timedelta(days=number), facts=facts, reason=reason)  # type: ignore[arg-type]


def living_in(place: str) -> Fact:
    return Fact(USER, "live_in", place, "profile", key="live_in:user")


def newest(memories: list[Memory]) -> dict[str, tuple[datetime, str]]:
    return {
        key: max((memory.timestamp, memory.id) for memory in memories if any(fact.key == key for fact in memory.facts)) for key in keys_of(memories)
    }


def test_a_newer_fact_with_the_same_key_replaces_the_older() -> None:
    memories = [said(1, living_in("서울")), said(2, living_in("부산"))]
    assert [still_true(memory, newest(memories)) for memory in memories] == [None, memories[1]]


def test_a_fact_that_is_imported_late_does_not_overrule_a_newer_one() -> None:
    memories = [said(2, living_in("부산")), said(1, living_in("서울"))]
    assert [memory.id for memory in memories if still_true(memory, newest(memories))] == ["m2"]


def test_deleting_the_newer_brings_the_older_back() -> None:
    older = said(1, living_in("서울"))
    assert still_true(older, newest([older])) == older


def test_a_memory_keeps_the_facts_that_nothing_replaced() -> None:
    name = Fact(USER, "name", "민수", "name", key="name:user")
    memories = [said(1, living_in("서울"), name), said(2, living_in("부산"))]
    left = still_true(memories[0], newest(memories))
    assert left is not None
    assert left.facts == (name,)


def test_a_feeling_remains_true_after_its_fact_was_replaced() -> None:
    memories = [said(1, living_in("서울"), reason="emotion"), said(2, living_in("부산"))]
    left = still_true(memories[0], newest(memories))
    assert left is not None
    assert left.facts == ()


@given(st.permutations(range(6)), st.lists(st.sampled_from(["서울", "부산", "대구"]), min_size=6, max_size=6))
def test_of_one_key_exactly_the_newest_holds_in_whatever_order_they_are_read(order: list[int], places: list[str]) -> None:
    memories = [said(number, living_in(places[number])) for number in order]
    assert [memory.id for memory in memories if still_true(memory, newest(memories))] == ["m5"]
