"""The finders of `Record`: what each finds, in which order, on which scale, and that `until` comes before `limit`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lira_core.stores.ports import Erasure, Hit, Record
from lira_core.stores.words import POSTINGS, Posting, Postings, bm25
from lira_core.types import Memory

from .making import NOON, RECEIVED, fact, feels, ids, imported, memory, someone


def minute(n: float) -> datetime:
    return NOON + timedelta(minutes=n)


def brute_force(memories: Iterable[Memory], terms: Iterable[str]) -> dict[str, float]:
    """What `lexical` promises, computed over all memories of the user."""
    held = list(memories)
    asked = {term: [Posting(one.id, one.terms.count(term), len(one.terms)) for one in held if term in one.terms] for term in dict.fromkeys(terms)}
    postings = {term: Postings(len(found), found) for term, found in asked.items()}
    return bm25(postings, memories=len(held), mean_length=sum(len(one.terms) for one in held) / max(len(held), 1))


FINDERS: dict[str, Callable[..., Awaitable[list[Hit]]]] = {
    "lexical": lambda record, user, limit, until=None: record.lexical(user, ["커피", "없는말"], limit, until),
    "slots": lambda record, user, limit, until=None: record.slots(user, [("user", "like"), (None, "plan")], limit, until),
    "feeling": lambda record, user, limit, until=None: record.feeling(user, "joy", 0.5, limit, until),
    "newest": lambda record, user, limit, until=None: record.newest(user, limit, until),
}
every_finder = pytest.mark.parametrize("find", FINDERS.values(), ids=FINDERS)


def findable(id: str, user: str, minutes: float = 0) -> Memory:
    return memory(id, user, minutes, terms=("커피", "말"), facts=(fact("user", "like"), fact("user", "plan")), emotion=feels(("joy", 0.9)))


# All of them


@every_finder
async def test_who_has_no_memories_finds_none(record: Record, user: str, find: Callable[..., Awaitable[list[Hit]]]) -> None:
    assert await find(record, user, 10) == []
    assert await find(record, user, 10, NOON) == []


@every_finder
async def test_equals_come_newest_first_each_once_up_to_the_limit(record: Record, user: str, find: Callable[..., Awaitable[list[Hit]]]) -> None:
    await record.commit(imported("w2", user, [findable("b1", user), findable("b2", user)], RECEIVED + 2))
    await record.commit(imported("w1", user, [findable("a1", user), findable("a2", user), findable("z", user, 1)], RECEIVED + 1))
    order = ["z", "b2", "b1", "a2", "a1"]
    hits = await find(record, user, 10)
    assert ids(hits) == order
    assert len({hit.score for hit in hits}) == 1
    for limit in (1, 3, 5):
        assert ids(await find(record, user, limit)) == order[:limit]


@every_finder
async def test_the_limit_counts_only_what_was_said_by_then(record: Record, user: str, find: Callable[..., Awaitable[list[Hit]]]) -> None:
    old = [findable(f"old{n}", user, n) for n in range(3)]
    await record.commit(imported("w", user, [*[findable(f"new{n}", user, 100 + n) for n in range(60)], *old]))
    assert ids(await find(record, user, 3, minute(2))) == ["old2", "old1", "old0"]
    assert ids(await find(record, user, 2, minute(50))) == ["old2", "old1"]
    assert ids(await find(record, user, 10, minute(1))) == ["old1", "old0"], "what was said at that moment counts"
    assert ids(await find(record, user, 10, NOON + timedelta(minutes=1, microseconds=-1))) == ["old0"]
    assert await find(record, user, 10, NOON - timedelta(microseconds=1)) == []
    assert len(await find(record, user, 100)) == 63


@every_finder
async def test_only_ones_own_memories_are_found(record: Record, user: str, find: Callable[..., Awaitable[list[Hit]]]) -> None:
    users = [user, f"{user}x", f"{user}:", f"{user}.", user[:-1]]
    for who in users:
        await record.commit(imported("w", who, [findable(f"of {who}", who)]))
    for who in users:
        assert ids(await find(record, who, 10)) == [f"of {who}"]


# By words


async def test_words_are_matched_as_they_are(record: Record, user: str) -> None:
    words = ["커피", "커피숍", "\u00e9", "e\u0301", "C++", "c++", "3.5", "$", "a:b", "a", "%", "_", "*", '"', "'", "☕️", "☕", " "]
    await record.commit(imported("w", user, [memory(f"m{n}", user, terms=(word, "말")) for n, word in enumerate(words)]))
    for n, word in enumerate(words):
        assert ids(await record.lexical(user, [word], 100)) == [f"m{n}"]
    assert await record.lexical(user, ["b", "피", "없다"], 100) == []
    assert await record.lexical(user, [], 100) == []


async def test_a_memory_of_mean_length_that_holds_each_word_once_scores_one(record: Record, user: str) -> None:
    await record.commit(imported("w", user, [memory("m1", user, terms=("커피", "부산")), memory("m2", user, terms=("책", "비"))]))
    (hit,) = await record.lexical(user, ["커피", "부산"], 10)
    assert hit == Hit("m1", pytest.approx(1, abs=1e-6))
    assert await record.lexical(user, ["커피", "커피", "부산"], 10) == await record.lexical(user, ["부산", "커피"], 10)


async def test_scores_follow_what_is_erased(record: Record, user: str) -> None:
    kept = [memory("m1", user, terms=("커피", "비")), memory("m2", user, terms=("책", "비", "비", "길")), memory("m3", user)]
    gone = [memory(f"g{n}", user, terms=("커피",) * 9) for n in range(3)]
    await record.commit(imported("w", user, [*kept, *gone]))
    for one in gone:
        assert await record.erase(Erasure(user, one.id, RECEIVED))
    hits = await record.lexical(user, ["커피", "비", "없다"], 10)
    assert {hit.id: hit.score for hit in hits} == pytest.approx(brute_force(kept, ["커피", "비", "없다"]), abs=1e-6)


texts = st.lists(st.lists(st.sampled_from("가나다라마"), max_size=6), min_size=1, max_size=8)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts, st.lists(st.sampled_from("가나다라마바"), min_size=1, max_size=4), st.integers(1, 9), st.integers(0, 8))
async def test_words_find_what_bm25_over_everything_finds(record: Record, texts: list[list[str]], asked: list[str], limit: int, until: int) -> None:
    user = someone()
    memories = [memory(f"m{n}", user, n // 2, terms=tuple(terms)) for n, terms in enumerate(texts)]
    await record.commit(imported("w", user, memories))
    expected = brute_force(memories, asked)
    hits = await record.lexical(user, asked, 100)
    assert {hit.id: hit.score for hit in hits} == pytest.approx(expected, abs=1e-6)
    newest = {one.id: place for place, one in enumerate(memories)}
    assert hits == sorted(hits, key=lambda hit: (hit.score, newest[hit.id]), reverse=True)
    assert ids(await record.lexical(user, asked, limit)) == ids(hits)[:limit]
    then = {one.id for one in memories if one.timestamp <= minute(until)}
    assert set(ids(await record.lexical(user, asked, 100, minute(until)))) == set(expected) & then


async def test_of_a_word_that_very_many_memories_hold_the_newest_are_found_and_a_rare_one_finds_them_all(record: Record, user: str) -> None:
    many = [memory(f"m{n}", user, n, terms=("커피", "말") if n else ("커피", "말", "부산")) for n in range(POSTINGS + 100)]
    for n in range(0, len(many), 200):
        await record.commit(imported(f"w{n}", user, many[n : n + 200]))
    assert ids(await record.lexical(user, ["커피"], 5)) == [f"m{POSTINGS + 99 - n}" for n in range(5)]
    assert ids(await record.lexical(user, ["커피", "부산"], 5))[0] == "m0"
    assert ids(await record.lexical(user, ["커피"], 3, minute(10))) == ["m10", "m9", "m8"]
    assert ids(await record.lexical(user, ["부산"], 5)) == ["m0"]


# By fact


async def test_facts_are_found_by_subject_and_predicate(record: Record, user: str) -> None:
    facts = {
        "m0": [fact("user", "like")],
        "m1": [fact("여동생", "like"), fact("user", "plan")],
        "m2": [fact("여동생", "live_in")],
        "m3": [fact("a:b", "c"), fact("user", "like"), fact("user", "like", "차")],
        "m4": [fact("a", "b:c")],
        "m5": [],
    }
    await record.commit(imported("w", user, [memory(id, user, n, facts=tuple(held)) for n, (id, held) in enumerate(facts.items())]))

    async def found(*slots: tuple[str | None, str]) -> list[str]:
        hits = await record.slots(user, slots, 10)
        assert all(hit.score == 1 for hit in hits)
        return ids(hits)

    assert await found(("user", "like")) == ["m3", "m0"]
    assert await found((None, "like")) == ["m3", "m1", "m0"]
    assert await found(("여동생", "live_in"), ("user", "plan"), (None, "plan")) == ["m2", "m1"]
    assert await found(("a:b", "c")) == ["m3"]
    assert await found(("a", "b:c")) == ["m4"]
    assert await found(("like", "user"), ("user", "lik"), (None, "user")) == []
    assert await found() == []


async def test_each_key_is_held_by_the_newest_memory_that_has_it(record: Record, user: str) -> None:
    await record.commit(imported("w2", user, [memory("b1", user, facts=(fact("user", "like", key="taste:커피"),)), memory("b2", user)], RECEIVED + 2))
    await record.commit(
        imported(
            "w1",
            user,
            [
                memory("a1", user, facts=(fact("user", "like", key="taste:커피"), fact("user", "name", key="name:user"))),
                memory("a2", user, facts=(fact("user", "name", key="name:user"), fact("user", "walked"))),
                memory("old", user, -5, facts=(fact("user", "like", key="taste:커피"), fact("민수", "x", key="$.a:'\"☕"))),
                memory("new", user, 5, facts=(fact("user", "live_in", key="live_in:user"),)),
            ],
            RECEIVED + 1,
        )
    )
    keys = ["taste:커피", "name:user", "live_in:user", "$.a:'\"☕", "taste:차", "taste"]
    assert await record.holders(user, keys) == {
        "taste:커피": (NOON, "b1"),
        "name:user": (NOON, "a2"),
        "live_in:user": (minute(5), "new"),
        "$.a:'\"☕": (minute(-5), "old"),
    }
    assert await record.holders(user, keys, minute(4)) == {
        "taste:커피": (NOON, "b1"),
        "name:user": (NOON, "a2"),
        "$.a:'\"☕": (minute(-5), "old"),
    }
    assert await record.holders(user, ["taste:커피", "name:user"], minute(-5)) == {"taste:커피": (minute(-5), "old")}
    assert await record.holders(user, []) == {}
    assert await record.holders(f"{user}x", keys) == {}


async def test_when_the_holder_of_a_key_is_erased_the_one_before_holds_it(record: Record, user: str) -> None:
    await record.commit(imported("w", user, [memory(f"m{n}", user, n, facts=(fact("user", "like", key="k"),)) for n in range(3)]))
    assert await record.erase(Erasure(user, "m2", RECEIVED))
    assert await record.holders(user, ["k"]) == {"k": (minute(1), "m1")}
    assert ids(await record.slots(user, [("user", "like")], 10)) == ["m1", "m0"]


# By feeling


async def test_a_feeling_is_the_strongest_that_is_real_and_at_least_as_strong_as_asked(record: Record, user: str) -> None:
    read = {
        "m0": feels(("joy", 0.9), ("love", 0.95)),
        "m1": feels(("neutral", 0.8), ("joy", 1 / 3)),
        "m2": feels(("neutral", 0.9)),
        "m3": None,
        "m4": feels(("love", 0.7), ("joy", 0.6)),
        "m5": feels(("joy", 0.25)),
    }
    await record.commit(imported("w", user, [memory(id, user, n, emotion=emotion) for n, (id, emotion) in enumerate(read.items())]))
    assert await record.feeling(user, "joy", 0, 10) == [Hit("m5", 0.25), Hit("m1", 1 / 3), Hit("m0", 0.9)]
    assert await record.feeling(user, "joy", 1 / 3, 10) == [Hit("m1", 1 / 3), Hit("m0", 0.9)]
    assert await record.feeling(user, "joy", 0.91, 10) == []
    assert await record.feeling(user, "love", 0.5, 10) == [Hit("m4", 0.7)]
    assert await record.feeling(user, "neutral", 0, 10) == []
    assert await record.feeling(user, "jo", 0, 10) == []


# By time


async def test_the_newest_memories_score_one(record: Record, user: str) -> None:
    await record.commit(imported("w", user, [memory(f"m{n}", user, n) for n in range(5)]))
    assert await record.newest(user, 2) == [Hit("m4", 1), Hit("m3", 1)]
    assert await record.newest(user, 2, minute(2)) == [Hit("m2", 1), Hit("m1", 1)]


async def test_times_are_compared_as_moments_whatever_their_offset(record: Record, user: str) -> None:
    east, west = timezone(timedelta(hours=9)), timezone(timedelta(hours=-9))
    await record.commit(
        imported(
            "w",
            user,
            [memory("m1", user, timestamp=NOON.astimezone(east)), memory("m2", user, timestamp=(NOON + timedelta(seconds=1)).astimezone(west))],
        )
    )
    assert ids(await record.newest(user, 10)) == ["m2", "m1"]
    assert ids(await record.newest(user, 10, NOON.astimezone(west))) == ["m1"]
    assert Counter(ids(await record.newest(user, 10, (NOON + timedelta(seconds=1)).astimezone(east)))) == Counter(["m1", "m2"])
